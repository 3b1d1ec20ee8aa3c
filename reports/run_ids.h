/* SPDX-License-Identifier: MIT */
/*
 * run_ids.h - was this run given before?
 *
 * Two files are one run when start, host, seed and command are the same; what names no start is
 * never the same. Zeroed is empty. Copies what it needs.
 */
#ifndef CHARGELINE_REPORTS_RUN_IDS_H
#define CHARGELINE_REPORTS_RUN_IDS_H

#include "results.h"

struct run_ids {
	void *tree;
};

/* @before: the path of the one that was given first, or NULL: new. 0 or -ENOMEM */
int run_ids_add(struct run_ids *ids, const struct results *r, const char **before);
void run_ids_free(struct run_ids *ids);

#endif
