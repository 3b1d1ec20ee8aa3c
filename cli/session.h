/* SPDX-License-Identifier: MIT */
/*
 * session.h - a measuring session of "report" and "run": progress, saving, interrupts, resuming;
 * private to cli/
 */
#ifndef CHARGELINE_SESSION_H
#define CHARGELINE_SESSION_H

#include "results.h"

struct session {
	const char *command; /* "report" or "run", for the record and how to resume it */
	int argc;
	char **argv;	  /* as the user gave them, to repeat them */
	const char *path; /* -o; NULL: a new name from the machine class and the time */
	bool resume;
};

/* "chargeline-icx-2s40c2t-2n-20260131-235959.json", in the current folder */
void session_default_path(const struct topo *topo, char *buf, size_t size);

/* the command as the user gave it, words quoted where they have to be; free() it */
char *session_command(const struct session *s);

/* finds out what can be counted and gives it to the plan; counters_close() it after the session */
int session_counters(struct plan *plan, const struct topo *topo, const char *choice, bool multiplex,
		     struct err *err);

/* what will be measured and how long it takes, to stdout */
void session_announce(const struct topo *topo, const struct plan *plan, const char *path);

/*
 * session_measure - carry out the plan and keep its record at @path
 * @path: NULL: nothing is written, and so nothing can be resumed
 * @out:  the record, whatever ended the run; NULL when nothing could be begun
 * Prints what went wrong; returns an exit status.
 */
int session_measure(const struct session *s, const struct topo *topo, struct plan *plan,
		    const char *path, struct results **out);

/* the first SIGINT or SIGTERM from now on is remembered, a second one ends the program */
void session_catch_signals(void);
bool session_interrupted(void);

#endif
