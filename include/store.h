/* SPDX-License-Identifier: MIT */
/*
 * store.h - many result files in one place, found by machine class, kernel and date
 *
 * A store is one SQLite file. It keeps the bytes of each result file as they were, and beside them
 * what they are searched by. The JSON files stay the truth: a store can be thrown away and made
 * anew from them (or from what store_export() wrote), and is then the same to every reader, in
 * whatever order they come.
 *
 * A run is known by the SHA-256 of its bytes: added twice it is there once. A run that was resumed
 * is another file and another run; readers get the fullest of one run first.
 *
 * Locking: the store is locked while a group of files that were read and checked already is
 * written, not while they are read; who finds it locked waits up to STORE_WAIT_MS. A kill or a full
 * disk in the middle loses the group and nothing that was there. A store on a read-only disk is
 * read as any other.
 *
 * Without libsqlite3 at build time every function that takes a store fails with -EOPNOTSUPP.
 *
 * Units: times are ISO 8601 in UTC ("2026-11-30T12:24:01Z"), which sort as text; sizes are bytes.
 * Ownership: what a callback is given lives until it returns.
 * Threads: one per struct store; any number of stores and processes on one file.
 * Errors, beside those named: -EBUSY locked for too long, -EROFS or -EACCES cannot be written,
 * -ENOSPC, -EBADMSG not a store, damaged, or of a newer chargeline, -ENOENT there is none, -EIO.
 * Each names the file. Where it is a store's fault and not a file's, nothing was changed by the
 * call but the groups it counts in struct store_added.
 */
#ifndef CHARGELINE_STORE_H
#define CHARGELINE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "err.h"

#define STORE_VERSION 1	   /* of its tables; an older program refuses a newer store */
#define STORE_WAIT_MS 5000 /* for another process's lock */
#define STORE_DIGEST  64   /* hexadecimal digits of a SHA-256 */

struct store;

/*
 * store_default_path - $XDG_DATA_HOME/chargeline/store.sqlite
 * Without that variable (or with a relative path in it) ~/.local/share is taken. free() it.
 * -ENOENT neither names a place, -ENOMEM. Makes nothing.
 */
int store_default_path(char **out, struct err *err);

/*
 * store_open - a store to read, or @writable to add to
 * A store to write that is not there is made, with the folders above it. -ENOENT when one to read
 * is not there.
 */
int store_open(struct store **out, const char *path, bool writable, struct err *err);
void store_close(struct store *s);
const char *store_path(const struct store *s);

/* ----------------------------------------------------------------------- adding */

struct store_added {
	int nr_new, nr_known; /* now in the store; were there already */
	int nr_left_out;      /* could not be read or are no results */
};

/*
 * store_add - check result files and keep them
 * @left_out: called for each file that is left out, with its sentence; the others are still added
 * @done:     what became of the files, also after an error
 * Files are read on all CPUs, and in memory are those of one group: 128 files or 8 MiB, whichever is
 * less; what was read of each is as its bytes, and its parsed form for as long as it is checked.
 */
int store_add(struct store *s, char *const *paths, int nr,
	      void (*left_out)(void *ctx, const struct err *why), void *ctx,
	      struct store_added *done, struct err *err);

/* ---------------------------------------------------------------------- reading */

struct store_filter { /* NULL: any. * and ? stand for any text and any character */
	const char *class_name, *kernel;
	const char *since; /* ISO 8601; runs that started then or later */
};

struct store_run {
	const char *digest;			  /* STORE_DIGEST digits */
	const char *class_name, *model, *kernel;  /* "" unknown */
	const char *started, *host, *experiments; /* experiments: by name, with commas */
	int64_t size;				  /* of the file */
	bool complete;
	bool damaged;	  /* the bytes are not what was added: not to be used; false in a list */
	const char *json; /* its bytes, size of them; NULL in a list */
};

/*
 * store_list - the runs that match, by class, start, fullness and digest; without their bytes
 * store_read - the same with them, one in memory at a time
 * @take: returns 0 to go on; anything else ends it and is returned
 * Returns how many there were, or an error.
 */
typedef int store_take(void *ctx, const struct store_run *run, struct err *err);
int store_list(struct store *s, const struct store_filter *f, store_take *take, void *ctx,
	       struct err *err);
int store_read(struct store *s, const struct store_filter *f, store_take *take, void *ctx,
	       struct err *err);

/* -ENOENT: nothing matches @f; the sentence says what there is instead */
int store_no_match(struct store *s, const struct store_filter *f, struct err *err);

/*
 * store_export - each run that matches as a file of its own in the folder @dir, byte for byte
 * The folder is made. Names are CLASS-START-DIGEST.json: the same run gets the same name, and files
 * that are there already and hold the run are left as they are. Returns how many runs matched;
 * -EBADMSG when some are damaged: the others were exported.
 */
int store_export(struct store *s, const struct store_filter *f, const char *dir, struct err *err);

/* what "chargeline store list" prints; the number of runs, or an error, -EIO for @to too */
int store_list_text(struct store *s, const struct store_filter *f, FILE *to, struct err *err);
int store_list_json(struct store *s, const struct store_filter *f, FILE *to, struct err *err);

#endif
