/* SPDX-License-Identifier: MIT */
/*
 * inputs.h - the results a command works on: files, folders, or runs of the store; private to cli/
 *
 * A command enters INPUT_OPTION_ROWS in its option table, calls inputs_load() with what is left of
 * argv (or inputs_each(), which holds few of many files in memory), works on what was loaded and
 * ends with inputs_end(). A file that cannot be used is said on stderr and left out, the others are
 * still used; left_out is for the output to say it too, and the status is then at least EXIT_FAILED.
 */
#ifndef CHARGELINE_INPUTS_H
#define CHARGELINE_INPUTS_H

#include "cli.h"
#include "results.h"
#include "store.h"

struct input_args {
	const char *store, *class_name, *since, *kernel;
};

/* clang-format off */
#define INPUT_OPTION_ROWS(a)                                                                       \
	{"class", 0, OPT_TEXT, &(a).class_name, "CLASS",                                           \
	 "from the store instead of files: runs of this machine class;\n"                          \
	 "* stands for any text"},                                                                 \
	{"since", 0, OPT_TEXT, &(a).since, "DATE|AGE",                                             \
	 "from the store: not older than 2026-11-30 (UTC), 30d or 12h"},                           \
	{"kernel", 0, OPT_TEXT, &(a).kernel, "RELEASE",                                            \
	 "from the store: of this kernel, such as '6.12.*'"},                                      \
	{"store", 0, OPT_TEXT, &(a).store, "FILE",                                                 \
	 "the store; default $XDG_DATA_HOME/chargeline/store.sqlite"}
/* clang-format on */

#define INPUTS_MAX_SAID 20 /* sentences about files left out; the others are counted */

struct inputs {
	struct results **r;		     /* NULL after inputs_each() */
	int nr;				     /* that were loaded */
	char *left_out[INPUTS_MAX_SAID + 1]; /* the last one counts those that are not said */
	int nr_left_out, nr_said;
};

/* was a store asked for? Then no file may be given */
bool inputs_from_store(const struct input_args *a);

/*
 * inputs_load - @nr files or folders (their *.json), or the runs that the options of @a choose
 * Returns EXIT_DONE with at least one result; else the sentence is printed and this is the status.
 * What was left out is printed in both cases. inputs_end() in both cases.
 */
int inputs_load(const struct input_args *a, char *const *files, int nr, struct inputs *out);

/*
 * inputs_each - the same, each handed to @take, which owns it then, in the order of the files
 * They are read on all CPUs, INPUTS_WAVE at a time. What @take returns other than 0 ends it: its
 * sentence is printed, EXIT_FAILED.
 */
#define INPUTS_WAVE 64
typedef int input_take(void *ctx, struct results *r, struct err *err);
int inputs_each(const struct input_args *a, char *const *files, int nr, input_take *take, void *ctx,
		struct inputs *out);

/* frees; @status, or EXIT_FAILED for EXIT_DONE when something was left out */
int inputs_end(struct inputs *in, int status);

/* ------------------------------------------------------ the parts, for "store" itself */

/* each folder in @args replaced by its *.json in the order of their names; free with paths_free() */
struct paths {
	char **path;
	int nr;
};
int paths_expand(struct paths *out, char *const *args, int nr, struct err *err);
void paths_free(struct paths *p);

/* the store that @a names, or the default one */
int input_store_open(const struct input_args *a, bool writable, struct store **out,
		     struct err *err);

/* @since holds 24 characters; -EINVAL for what is neither a date nor an age */
int input_filter(const struct input_args *a, struct store_filter *f, char *since, struct err *err);

#endif
