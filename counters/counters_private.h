/* SPDX-License-Identifier: MIT */
/*
 * counters_private.h - the parts of counters/, and what a backend is
 *
 *   table.c      metrics and their meaning
 *   events_*.c   which events stand for a metric, per microarchitecture
 *   choice.c     the words of the user become columns
 *   probe.c      can it be counted, with what else at a time, and if not why
 *   papi.c       backend: PAPI (papi_none.c in a build without)
 *   perf.c       backend: the kernel, without a library
 *   counters.c   threads, windows, values
 */
#ifndef CHARGELINE_COUNTERS_PRIVATE_H
#define CHARGELINE_COUNTERS_PRIVATE_H

#include "counters.h"

#define METRIC_MAX_EVENTS 2
#define SET_MAX_EVENTS	  (METRIC_MAX_EVENTS * COUNTERS_MAX)

/* -------------------------------------------------------------------- events */

enum event_kind { EVENT_SOFTWARE, EVENT_GENERIC, EVENT_RAW, EVENT_NAMED };

/* what the loop of the probe must have made of it */
enum event_expect { EXPECT_ANY, EXPECT_TASK_CLOCK, EXPECT_FAULTS, EXPECT_SWITCHES, EXPECT_LOOP };

struct counter_event {
	char name[96]; /* libpfm's, with the PMU; for backends that know names */
	enum event_kind kind;
	uint64_t config; /* as the kernel takes it; EVENT_NAMED has none */
	/* happens in the kernel: counted in user space alone it would be a false 0 */
	bool in_kernel;
	enum event_expect expect;
};

/* one metric of a microarchitecture */
struct native_row {
	const char *metric; /* NULL ends the rows */
	struct {
		const char
			*name; /* libpfm's, without the PMU; of other sources where it has none */
		uint64_t config;
	} event[METRIC_MAX_EVENTS];
};

struct native_table {
	const char *uarch;  /* topo.h's name; NULL ends the tables */
	const char *pmu;    /* libpfm's name of the PMU; NULL: libpfm 4.13 has none, by code only */
	const char *source; /* of the codes */
	const struct native_row *rows;
};

extern const struct native_table native_intel[], native_amd[], native_arm[];

/* software and generic events are the same everywhere; NULL: none for @metric on @uarch */
int native_events(const char *uarch, const char *metric, struct counter_event *out); /* how many */
bool native_known(const char *uarch);
const struct counter_metric *metric_find(const char *name);

/* ------------------------------------------------------------------- backend */

struct counter_reading {
	int64_t value;
	double share; /* of the time between start and stop that it was on a counter */
};

/*
 * All return 0 or -errno with a sentence: -ENOENT no such event, -EACCES not permitted, -EBUSY no
 * counter free for it beside the others, -ENOSYS the kernel has no such call. open and close are
 * called by one thread, the rest by any number of threads, each with its own sets. start and stop
 * are called around a measured window: they allocate nothing.
 */
struct counter_backend {
	int (*open)(char *version, size_t size, struct err *err);
	int (*thread_begin)(struct err *err);
	void (*thread_end)(void);
	int (*set_open)(void **set, const struct counter_event *const *events, int nr,
			bool multiplex, struct err *err);
	int (*start)(void *set, struct err *err);
	int (*stop)(void *set, struct counter_reading *readings,
		    struct err *err); /* as many as events */
	void (*set_close)(void *set);
};

extern const struct counter_backend papi_backend, perf_backend;

/* ------------------------------------------------------------------- machine */

/* what explains a refusal; sentences, "" where there is nothing to say */
struct counter_machine {
	char uarch[32];
	bool hybrid;
	char permission[560]; /* perf_event_paranoid, capability, seccomp */
	char no_pmu[560];     /* why there are no counters */
	char watchdog[560];   /* the NMI watchdog holds one */
};
/* @root: as in doctor_examine() */
void counter_machine_read(struct counter_machine *m, const struct topo *topo, const char *root);

/* ------------------------------------------------------------------ counters */

struct column {
	struct counter_info info;
	enum counter_formula formula;
	struct counter_event event[METRIC_MAX_EVENTS];
	int nr_events;
	int set; /* -1: in none; software: in all */
	bool software;
	enum counter_state state;    /* as the probe found; windows may tell otherwise in info */
	long nr_counted, nr_refused; /* windows */
};

struct event_set {
	const struct counter_event *event[SET_MAX_EVENTS];
	int nr;
};

struct counters {
	const struct counter_backend *backend;
	char version[64], note[480];
	struct counter_machine machine;
	bool multiplex;
	struct column column[COUNTERS_MAX];
	int nr;
	struct event_set set[COUNTERS_MAX];
	int nr_sets;
};

/* choice.c: -EINVAL, see counters_open() */
int choice_parse(struct counters *c, const char *choice, struct err *err);

/* probe.c: the state of every column, and the sets */
void probe_columns(struct counters *c);
int set_index(const struct event_set *set, const struct counter_event *e); /* -1: not in it */

/* why a window's reading cannot be true, a sentence; NULL: it can */
const char *reading_fault(const struct counter_reading *r, bool multiplex);

/*
 * counters_open_with - counters_open() on a backend and a machine of the caller's
 * @first is used where it opens, else @second, with @first's sentence as the note. NULL: none.
 */
int counters_open_with(struct counters **out, const struct counter_machine *machine,
		       const struct counter_backend *first, const struct counter_backend *second,
		       const char *choice, bool multiplex, struct err *err);

#endif
