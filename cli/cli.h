/* SPDX-License-Identifier: MIT */
/*
 * cli.h - commands and their options, private to cli/
 *
 * A command is a row in main.c's table and one file. Its options are one table: parsing, defaults,
 * ranges and the help text are made from it, so they cannot drift apart. cli/ is the only folder
 * that prints, main() the only function that ends the program.
 */
#ifndef CHARGELINE_CLI_H
#define CHARGELINE_CLI_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "err.h"

/* ---------------------------------------------------------------- exit status */

enum {
	EXIT_DONE = 0,
	EXIT_FAILED = 1,	/* the sentence is on stderr */
	EXIT_USAGE = 2,		/* unknown name, value out of range: nothing was done or written */
	EXIT_DISTRUST = 3,	/* it ran, but a number is not to be trusted */
	EXIT_REGRESSION = 3,	/* compare: B is slower */
	EXIT_INTERRUPTED = 130, /* Ctrl-C; what was measured is saved */
};

/* prints "chargeline: <sentence>" and returns the status that err.h gives to its code */
int cli_fail(const struct err *err);

/* the same with status EXIT_FAILED whatever the code: the fault is in a file, not in the call */
int cli_fail_input(const struct err *err);

/* ------------------------------------------------------------------- options */

enum option_type {
	OPT_SWITCH,   /* bool */
	OPT_TEXT,     /* const char * */
	OPT_LIST,     /* struct option_list, appended to */
	OPT_INT,      /* int64_t in [min, max] */
	OPT_DURATION, /* int64_t, ns, at least min */
	OPT_SIZE,     /* int64_t, bytes */
	OPT_PERCENT,  /* double, as a fraction; min and max in percent */
};

struct option_list {
	const char **item;
	int nr;
};

struct option_row {
	const char *name; /* without dashes; ends a table when NULL */
	char letter;	  /* 0: none */
	enum option_type type;
	void *dst;
	const char
		*arg; /* the value in help, and what completes it (complete.c); NULL for switches */
	const char *help; /* may hold line breaks */
	int64_t min, max; /* for numbers; both 0: no limit beyond the type's */
};

struct command {
	const char *name;    /* "run"; ends a table when NULL */
	const char *args;    /* "[EXPERIMENT...]", "" */
	const char *summary; /* one line */
	int (*run)(const struct command *self, int argc, char **argv);
};

/*
 * options_parse - read argv into the table's destinations
 * @about: text of --help between the usage line and the options; NULL none
 * On return argv[*first .. argc-1] are the arguments that are no options.
 * Returns 0; 1 when --help was given and printed; -EINVAL with a sentence.
 */
int options_parse(const struct command *cmd, const char *about, const struct option_row *rows,
		  int argc, char **argv, int *first, struct err *err);

/* the index of @value among @names, or -EINVAL with a sentence that gives the nearest */
int option_choice(const char *what, const char *value, const char *const *names, int nr,
		  struct err *err);

/*
 * options_show - have --help show a command's tables another way
 * The man page and the completion see each table by it: they call a command's run() with --help.
 * @show: NULL: the text for a terminal again; the tables are the caller's, and gone afterwards
 */
typedef void options_shown(const struct command *cmd, const char *about,
			   const struct option_row *rows);
void options_show(options_shown *show);

/* -------------------------------------------------------------------- output */

/*
 * cli_close_stdout - flush and look at what became of it
 * A reader that went away (| head) is no error; a full disk is: prints the sentence, EXIT_FAILED.
 */
int cli_close_stdout(int status);

/* ------------------------------------------------------------------ commands */

void list_counters(void); /* of "list" */

extern const struct command commands[];
int command_help(const struct command *cmd);	      /* its --help, as options_show() chose */
const struct command *command_find(const char *name); /* NULL when there is none */
int command_unknown(const char *name);		      /* says so, with the nearest; EXIT_USAGE */

/* what the whole program says of itself, in --help and in the man page */
extern const char cli_purpose[];
extern const struct cli_status {
	int status;
	const char *meaning; /* NULL ends it */
} cli_statuses[];
void cli_usage(FILE *to);

/* the man page from all these tables, to stdout; EXIT_DONE, or the status of what failed */
int man_page(void);

/*
 * complete - what could stand in place of the last word, one a line, to stdout
 * @words: what was typed behind the program's name; the last one may be empty
 * A line ":files" or ":folders" says that names of these could, too. Never fails: a word that is
 * not understood has no completion.
 */
void complete(char **words, int nr);

int cmd_report(const struct command *self, int argc, char **argv);
int cmd_run(const struct command *self, int argc, char **argv);
int cmd_predict(const struct command *self, int argc, char **argv);
int cmd_reproduce(const struct command *self, int argc, char **argv);
int cmd_pick(const struct command *self, int argc, char **argv);
int cmd_store(const struct command *self, int argc, char **argv);
int cmd_compare(const struct command *self, int argc, char **argv);
int cmd_topo(const struct command *self, int argc, char **argv);
int cmd_doctor(const struct command *self, int argc, char **argv);
int cmd_list(const struct command *self, int argc, char **argv);
int cmd_bench(const struct command *self, int argc, char **argv);
int cmd_help(const struct command *self, int argc, char **argv);

#endif
