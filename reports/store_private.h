/* SPDX-License-Identifier: MIT */
/*
 * store_private.h - the store without its files and words: what SQLite does, in one file
 *
 * store_sqlite.c has it, store_none.c takes its place where libsqlite3 is not there.
 */
#ifndef CHARGELINE_REPORTS_STORE_PRIVATE_H
#define CHARGELINE_REPORTS_STORE_PRIVATE_H

#include "store.h"

/* all of @runs or none, in one transaction; those that are there are left alone. @nr_new: the rest */
int store_put(struct store *s, const struct store_run *runs, int nr, int *nr_new, struct err *err);

/* the folders above @path; 0 or -errno with a sentence */
int store_make_folders(const char *path, struct err *err);

#endif
