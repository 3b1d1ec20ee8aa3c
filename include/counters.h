/* SPDX-License-Identifier: MIT */
/*
 * counters.h - what the processor and the kernel count while the workers run, and why not
 *
 * A metric is a name with a meaning: "hitm_remote", lines that came modified from another socket.
 * Which events stand for it differs from one microarchitecture to the next and is data (table.c,
 * events_*.c); where a machine has only something like it, that is another metric with its own name.
 *
 *   choice "core,lines" -> columns -> probed -> sets -> one set a window -> values per operation
 *
 * Asking is not enough: on a machine without counters libraries list and resolve events all the
 * same, and only adding or starting one fails. So each column is tried: add, start, a loop whose
 * work is known, stop, and a look whether the counts can be true. What fails has a state
 *
 *   <not supported>  cannot be here: no such event, no counters, no permission
 *   <not counted>    could be, was not: no counter was free, it overflowed, no share of the time
 *
 * and a sentence with the remedy. It is NaN in every window, never 0.
 *
 * Columns that fit the counters together make a set, and the sets take turns over the windows of a
 * case: in a window the columns of other sets are NaN. So every count is a count. Only when it is
 * asked for are all columns counted at once, multiplexed: then values are scaled, and each window
 * has the least share of its time that a column was on a counter.
 *
 * Software events (task clock, page faults, context switches, migrations) are in every set. Events
 * of the processor are counted in user space, where the workers' loops are.
 *
 * Backends: PAPI, which knows events by name; the kernel's perf_event_open, where PAPI cannot be
 * used (not built in, or too old for the processor) and when multiplexing, as PAPI does not say the
 * share. papi.h stays in counters/papi.c.
 *
 *   call                                     thread
 *   counters_open, _close, _values, _info    one, while no thread counts
 *   counters_thread_open .. _close           the counting thread itself; any number of them at once
 */
#ifndef CHARGELINE_COUNTERS_H
#define CHARGELINE_COUNTERS_H

#include <stdbool.h>
#include <stdint.h>

#include "err.h"
#include "topo.h"

#define COUNTERS_MAX	 32 /* columns */
#define COUNTERS_DEFAULT "software,core,lines"

/* ------------------------------------------------------------------- metrics */

enum counter_formula {
	COUNTER_PER_OPERATION, /* the sum of its events / operations in the window */
	COUNTER_QUOTIENT,      /* its first event / its second */
};

struct counter_metric {
	const char *name, *group, *unit;
	const char *meaning; /* a paragraph: what it says, and what it does not */
	enum counter_formula formula;
	bool usual; /* shown as not supported where there is no event for it; others are left out */
	bool moves; /* counts cache lines that came from another core */
};

/* all of them, by group; ends with .name == NULL */
extern const struct counter_metric counter_metrics[];
/* the groups in the order of lists; ends with .name == NULL */
extern const struct counter_group {
	const char *name, *help;
} counter_groups[];

/* ------------------------------------------------------------------- columns */

enum counter_state { COUNTER_COUNTED, COUNTER_NOT_SUPPORTED, COUNTER_NOT_COUNTED };
#define COUNTER_NR_STATES 3
extern const char *const counter_state_names[COUNTER_NR_STATES]; /* "counted", "<not ...>" */

struct counter_info {
	char name[96]; /* the metric's, or the native event as it was given */
	const char *unit, *meaning, *group;
	char events[240];  /* "skx::MEM_LOAD_L3_HIT_RETIRED:XSNP_HITM"; "": none is known here */
	char formula[300]; /* "(A + B) / operations" */
	bool moves;
	enum counter_state state;
	char reason
		[1200]; /* a sentence with the remedy; "" when counted in every window of its set */
};

struct counters;

/*
 * counters_open - find out what can be counted here, on the calling thread
 * @topo:      this system
 * @choice:    groups, metrics and native events, by commas: "core,hitm_remote,r02c3,perf::FAULTS".
 *             NULL: COUNTERS_DEFAULT. "none": nothing, *out is NULL. The software group is always in.
 * @multiplex: all at once; see above
 * Takes some milliseconds. That nothing can be counted is no error: every column says why.
 * Errors: -EINVAL unknown word (nearest given), more than COUNTERS_MAX columns; -ENOMEM.
 */
int counters_open(struct counters **out, const struct topo *topo, const char *choice,
		  bool multiplex, struct err *err);
void counters_close(struct counters *c); /* after all of its threads; accepts NULL */

int counters_nr(const struct counters *c); /* columns */
/* what is known now: a column that was refused in every window is not counted, and says why */
const struct counter_info *counters_info(struct counters *c, int column);
int counters_nr_sets(const struct counters *c); /* at least 1, if only to count nothing */
bool counters_multiplexed(const struct counters *c);
const char *counters_backend(const struct counters *c); /* "PAPI 7.0.0.0", "perf_event_open" */
const char *counters_note(const struct counters *c);	/* why not PAPI, a sentence; "" */

/* ------------------------------------------------------------------- threads */

/* the sets of one thread; opened, used and closed by that thread */
struct counter_thread;

int counters_thread_open(struct counters *c, struct counter_thread **out, struct err *err);
void counters_thread_close(struct counter_thread *t);

/*
 * counters_start, counters_stop - around a window, from set 0 .. nr_sets - 1
 * A few microseconds, no allocation. Failing is kept in the thread: the values are NaN.
 */
void counters_start(struct counter_thread *t, int set);
void counters_stop(struct counter_thread *t);

/* of the last window, this thread alone; NaN: not counted */
struct counter_software {
	double task_clock_ns, page_faults, context_switches, migrations;
};
struct counter_software counters_software(const struct counter_thread *t);

/*
 * counters_values - of a window in which @threads counted the same set
 * @ops:    by all of them together
 * @values: counters_nr() values, see struct counter_info for units; NaN: not counted. A column is
 *          counted when every thread counted it.
 * Returns the least share of the window that a column was on a counter: 1 without multiplexing,
 * NaN when nothing was counted.
 */
double counters_values(struct counters *c, struct counter_thread *const *threads, int nr,
		       double ops, double *values);

#endif
