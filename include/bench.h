/* SPDX-License-Identifier: MIT */
/*
 * bench.h - what is measured, and the runner that measures it
 *
 * A case is one experiment with one set of parameters on one list of CPUs. A plan is a list of
 * cases with the rules of the run. The runner visits the cases in rounds, called blocks: in every
 * block each open case gets one window, in a new random order, so that drift (clock, temperature,
 * neighbours) hits all of them alike. Effects are ratios of windows of the same block.
 *
 *   block 0:  C A D B      one window each
 *   block 1:  B D A C      ...
 *
 * A window is a fixed time, never a fixed count: with fixed counts stragglers run uncontended at
 * the end and flatter the result. The workers start together, warm up, and each counts its
 * operations until its own clock reaches the common end. They read the clock once per chunk of
 * operations (a chunk is sized to last about BENCH_CHUNK_NS), nothing wakes them.
 * The rate of a window is the sum over workers of operations / own time.
 *
 * A window that was disturbed carries marks (below) and is left out of every estimate by rule; it
 * stays in the record. A case is closed when the interval of its median is narrower than asked,
 * or when the plan's time is spent: that is reported, not hidden.
 *
 * Threads: bench_run() makes one pinned thread per CPU and joins them all before it returns. Its
 * callbacks run on the caller's thread, between windows. One bench_run() at a time per process.
 */
#ifndef CHARGELINE_BENCH_H
#define CHARGELINE_BENCH_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "counters.h"
#include "err.h"
#include "experiment.h"
#include "text.h"
#include "topo.h"

/* ------------------------------------------------------------------- windows */

/* why a window is left out; where the invariant fails there is no window at all (bench_run) */
enum bench_mark {
	MARK_SWITCHED = 1 << 0, /* a worker was switched out against its will */
	/* a worker was not on its CPU at start or end, or, where the kernel counts it, in between */
	MARK_MIGRATED = 1 << 1,
	MARK_STEAL = 1 << 2,	 /* the hypervisor took time from a worker's CPU */
	MARK_THROTTLED = 1 << 3, /* the cgroup's CPU quota stopped us */
	MARK_OVERLAP = 1 << 4,	 /* the workers ran together for less than 95% of the time */
	MARK_NODE = 1 << 5,	 /* shared memory is not on the node it was put on */
	MARK_CLOCK = 1 << 6,	 /* the window is shorter than 1000 ticks of the clock */
};
/*
 * A kernel thread that takes a worker's CPU for 15 us happens in half of all windows of 20 ms on an
 * idle machine, and changes a rate by less than a thousandth: that is no reason to leave half of
 * the windows out. Another process gets milliseconds.
 */
#define BENCH_MAX_LOST 0.005

#define BENCH_NR_MARKS 7
extern const char *const bench_mark_names[BENCH_NR_MARKS]; /* "switched", "migrated", ... */

struct sample {
	int block;
	unsigned marks;		 /* 0: valid */
	uint64_t ops;		 /* by all workers in the window, warm-up not included */
	double window_ns;	 /* mean of the workers' own times */
	double rate;		 /* operations per second, all workers together */
	double slowest, fastest; /* of the workers, operations per second */
	double jain;		 /* fairness, 1 = equal */
	double overlap;		 /* latest start to earliest end over the whole, 0..1 */
	double metrics[EXPERIMENT_MAX_METRICS]; /* NaN: none */
	double counters[COUNTERS_MAX]; /* of the plan's counters; NaN: not in this window */
	double counters_share;	       /* see counters_values(); NaN: nothing was counted */
};

/* --------------------------------------------------------------------- plans */

struct bench_case {
	const struct experiment *exp;
	void *params;	       /* exp->params_size bytes, owned by the plan */
	struct cpulist cpus;   /* one per worker, worker order */
	const char *placement; /* the spec that gave cpus: the plan's */
	const char *home;      /* the spec of the home node: the plan's */
	int home_node;	       /* OS number, -1 interleaved or unknown */
	/* a resumed run hands in what was measured before; the runner only reads them */
	const struct sample *done;
	int nr_done;
};

struct plan {
	struct bench_case *cases;
	int nr_cases;
	char *placement, *home; /* specs, see topo_place() and topo_home() */
	int64_t window_ns;	/* of measuring */
	int64_t warmup_ns;	/* before it, in every window */
	int min_blocks;		/* every case gets these many valid windows before it may close */
	int max_blocks;
	double target; /* relative half-width of the median's interval that closes a case; 0: none does */
	int64_t budget_ns; /* no new window is begun after this; 0: no limit */
	uint64_t seed;
	struct counters
		*counters; /* what is counted in the windows; not the plan's; NULL: nothing */
	char thinned[400]; /* what was left out to fit the time, a sentence; "" nothing */
	char note[240];	   /* what a reader must know: fallbacks of memory placement; "" none */
};

/* What the user asked for; a plan is made from it. NULL and 0 mean "the default". */
struct plan_spec {
	const char *const *experiments; /* names, or published cases; NULL: page_counter */
	int nr_experiments;
	const char *const *sets; /* "name=v[,v...]", applied to every experiment that has it */
	int nr_sets;
	const char
		*workers; /* "1,2,4", "1-4", "all"; NULL: 1,2,4,...,all; of published cases all */
	const char *placement; /* NULL: cores-first */
	const char *home;      /* NULL: local */
	int64_t budget_ns;     /* 0: the default of 3 minutes, more on wide machines */
	int64_t window_ns;     /* 0: 20 ms */
	int blocks;	       /* 0: chosen from the budget */
	double target;	       /* 0: 0.005; negative: no case closes before its blocks are done */
	uint64_t seed;
	int nr_pairs; /* of experiments in pairs: at most so many, sampled; 0: what fits the time */
};
#define PLAN_ALL_PAIRS (-1)

/*
 * plan_build - sweeps, worker counts and placement become a list of cases
 * The cross product of every "name=v,v" in the order of the parameter tables. A published case is
 * each of its rows, with the sets over it; what tells its rows apart cannot be set. Errors: -EINVAL with
 * the nearest name or the range, a set that no chosen experiment knows, a CPU list that is not
 * usable; -EOPNOTSUPP too few CPUs, a topology that is not this system.
 */
int plan_build(const struct topo *topo, const struct plan_spec *spec, struct plan *out,
	       struct err *err);

/*
 * plan_default - the plan of "chargeline report": page_counter, layouts x batches x demands x
 * workers, thinned by the rule that plan_rule() states until @budget_ns (0: the default) holds it
 */
int plan_default(const struct topo *topo, int64_t budget_ns, uint64_t seed, struct plan *out,
		 struct err *err);
const char *plan_rule(void); /* the default plan and its thinning, in sentences */

void plan_free(struct plan *plan);

/* expected time: of one block, and of the whole plan at most */
int64_t plan_block_ns(const struct plan *plan);
int64_t plan_estimate_ns(const struct plan *plan);

/* ----------------------------------------------------------- published cases */

/*
 * What others measured and published, as parameter sets of our experiments. "s0" as an experiment
 * of a plan is all rows of the case; what is compared with the publication is the ratio between
 * rows, never a rate.
 */
struct bench_published_row {
	const char *name; /* "batch 32"; NULL ends the rows */
	const char *sets; /* "name=value,name=value", over those of the case */
	bool base;	  /* what the changes are against; one row of a case */
	double value[2];  /* least and most that is published, in the case's unit; NaN: none */
	double change;	  /* percent against the base row; 0 for the base, NaN: not published */
	int nr_workers;	  /* other than the case's; 0: the same */
	const char *note; /* NULL: none */
};

/*
 * A number that no source states. Where it is free, it is fitted on one published row, and nothing
 * else of the publication goes into a prediction: at most two numbers, at most two rows, the base
 * one of them. reproduce.h finds the values again.
 */
struct bench_fit {
	const char *name; /* a parameter of the experiment; NULL: none */
	int64_t value;
	const char *why; /* how the value was made */
	const char *on;	 /* the row that it is fitted on; NULL: not free, the load alone gives it */
	double per_value; /* > 0: by arithmetic, value = per_value / published value of the row */
	int64_t lo, hi;	  /* else: searched for with the model, in this plausible range */
};
#define BENCH_PUBLISHED_FITS 2

enum bench_published_kind {
	BENCH_RATES, /* values are throughput: rows are compared by their change against the base */
	BENCH_SHARES, /* values are percent of CPU time; a change is that of the throughput */
};

struct bench_published_case {
	const char *name, *title, *machine, *load, *source, *unit; /* for people */
	const char *experiment;
	const char *sets; /* of all rows, over the defaults */
	int nr_workers; /* that charge or uncharge at a time on the published machine; 0: unknown */
	struct bench_fit fit[BENCH_PUBLISHED_FITS];
	const struct bench_published_row *rows;
	enum bench_published_kind kind;
	const char *count; /* a metric that tells the rows apart by their rules alone; NULL: none */
	const char *model; /* the model's profile for the machine: of sim_profile_names() */
	const char *model_note; /* what of that is assumed, a sentence; NULL: nothing */
};

extern const struct bench_published_case bench_published_cases[]; /* ends with .name == NULL */

/* NULL when there is none of that name */
const struct bench_published_case *bench_published_find(const char *name);
const struct bench_published_row *bench_published_base(const struct bench_published_case *c);
const struct bench_published_row *bench_published_row(const struct bench_published_case *c,
						      const char *name);

/* whether it is the base or a number is fitted on it: its figures are then no predictions */
bool bench_published_fitted(const struct bench_published_case *c,
			    const struct bench_published_row *row);

/* defaults, the case's sets, its fits, the row's sets: all of @params. -EINVAL: a wrong table */
int bench_published_params(const struct bench_published_case *c,
			   const struct bench_published_row *row, void *params, struct err *err);

/* whether rows of the case differ in @param */
bool bench_published_tells_apart(const struct bench_published_case *c, const char *param);

/* -------------------------------------------------------------------- runner */

struct bench_progress {
	int block, nr_open, nr_cases; /* cases still open */
	int64_t elapsed_ns, left_ns;  /* left: at most */
};

/* What the run found out about the place it ran in. Absent is NaN or "". */
struct bench_context {
	double clock_read_ns, clock_resolution_ns;
	double work_error; /* cpu_work_ns: largest relative error found at calibration, NaN unknown */
	double work_error_end; /* the same again after the run */
	bool memory_verified;  /* false: the kernel would not say where memory is */
	char memory_note[240]; /* why not, a sentence; "" when verified */
};

struct bench_hooks {
	/* a window is over; @s lives until the call returns. Negative return stops the run with it */
	int (*sample)(void *ctx, int case_idx, const struct sample *s, struct err *err);
	/* a block is over: the place to save */
	int (*block_end)(void *ctx, const struct bench_progress *p, struct err *err);
	/* called often, from between windows; true: stop, keep what there is */
	bool (*stop)(void *ctx);
	void (*progress)(void *ctx, const struct bench_progress *p);
	void (*context)(void *ctx, const struct bench_context *c); /* at the start and the end */
	void *ctx;
};

/*
 * bench_run - carry out a plan
 * Returns 0 when it was carried out or its budget was spent, 1 when stop() ended it, -errno else:
 * -EOPNOTSUPP not this system, or a CPU cannot be bound; -EUCLEAN an invariant broke (the sentence
 * names the case; samples so far were handed out); -EAGAIN threads cannot be made; or what a hook
 * returned.
 */
int bench_run(const struct topo *topo, const struct plan *plan, const struct bench_hooks *hooks,
	      struct err *err);

/*
 * bench_window - one window of one case, for libbenchmark's shim and for tests
 * The session keeps the threads between windows: bench_open, bench_window..., bench_close.
 */
struct bench_session;
int bench_open(struct bench_session **out, const struct topo *topo, const struct plan *plan,
	       struct err *err);
int bench_window(struct bench_session *s, int case_idx, struct sample *out, struct err *err);
void bench_session_context(struct bench_session *s, struct bench_context *out);
void bench_close(struct bench_session *s);

/* ---------------------------------------------------------------- local work */

/*
 * cpu_work_ns - about @n nanoseconds of work that touches no memory (native: a calibrated chain of
 * dependent multiplications; model: an advance of the worker's time). 0 costs a test and a branch.
 * Calibrated per worker by the runner; before that it does nothing.
 */
void cpu_work_ns(int64_t n);

/* which instructions the atomics of this build are, here: "lock-prefixed", "LSE", "LL/SC", ... */
const char *bench_atomics(void);

/* a case in words: "page_counter layout=v6_15 batch=64 depth=3 ... 2 workers"; only what differs
 * from the defaults, and the workers. Returns @buf. */
const char *bench_case_text(const struct bench_case *c, char *buf, size_t size);

/* ------------------------------------------------------ libbenchmark's front end */

/*
 * gbench_main - "chargeline bench": every case of @plan as one benchmark of libbenchmark, which
 * gives filters, repetitions, interleaving, console and JSON; its threads and timers are not used.
 * @argc, @argv: --benchmark_... options only, argv[0] the program
 * Returns 0, or -EINVAL for an option it does not know, -EOPNOTSUPP when built without it, or the
 * runner's error.
 */
int gbench_main(const struct topo *topo, const struct plan *plan, int argc, char **argv,
		struct err *err);
/* option @i of those that gbench_main() takes, with "--benchmark_" before @name; false: no more */
bool gbench_option(int i, const char **name, const char **arg, const char **help);
const char *gbench_version(void); /* of the library found at build time; NULL: built without */

#endif
