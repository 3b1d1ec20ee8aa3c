/* SPDX-License-Identifier: MIT */
/*
 * experiment.h - a subject under contention: one record says all that the rest needs to know
 *
 * An experiment is an operation that many CPUs perform on shared lines, with a question that the
 * numbers answer. The record carries its parameters (from which parsing, ranges, sweeps, help and
 * JSON are made), its hooks, and where in the kernel its behaviour comes from.
 *
 * One source, two executions: the same run() is compiled against the native bench/katomic.h (real
 * threads, real lines) and against one that hands every access to a model. So run() touches shared
 * memory only through katomic.h and spends local time only through cpu_work_ns().
 *
 *   setup -> worker_init per worker -> run, run, run ... -> check -> metrics -> teardown
 *
 *   hook         runs on                   may allocate   may fail   other hooks at the same time
 *   setup        the runner's thread       yes            yes        none
 *   worker_init  the worker's own CPU      yes            yes        worker_init of others
 *   run          the worker's own CPU      no             no         run of others
 *   check        the runner's thread       yes            yes        none
 *   metrics      the runner's thread       no             no         none
 *   teardown     the runner's thread       no             no         none
 */
#ifndef CHARGELINE_EXPERIMENT_H
#define CHARGELINE_EXPERIMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "err.h"

/* ---------------------------------------------------------------- parameters */

/* One row: parsing, ranges, sweeps, help and the JSON record are all made from it. */
struct param {
	const char *name, *unit, *help; /* "batch", "pages", "pages taken by one shared update" */
	int64_t def, min, max;		/* inclusive; with choices: 0 and the last index */
	int64_t step;			/* values are min + k * step; 0 means 1 */
	const char *const *choices;	/* NULL, or the names of the values min..max */
	size_t off;			/* of an int64_t in the experiment's parameter struct */
};

/* A value that an experiment reports beside its throughput. NaN in the array means "none". */
struct metric {
	const char *name, *unit, *help; /* "shared_updates", "per page", ... */
};

#define EXPERIMENT_MAX_METRICS 8
#define EXPERIMENT_MAX_PARAMS  32

/* ------------------------------------------------------------------- workers */

/*
 * The memory and the workers of one measurement. Made by the runner (or by the model).
 * env_alloc*() memory is zeroed, starts at an address that is a multiple of @align (a power of two
 * up to 4096, at least 64), ends on a line boundary, shares its 128-byte pair of lines with nothing
 * else, and is freed by whoever made the env after teardown().
 */
struct env {
	int nr_workers;
	const int *cpu; /* OS number of each worker's CPU */
	/* of each worker's CPU, topo.h's numbers; cluster -1: none; NULL: the maker does not know */
	const int *socket, *cluster;
	int home_node; /* OS number of the node of env_alloc() memory; -1 interleaved or unknown */
	void *arena;   /* private to the maker */
};

/* memory of the shared lines, on the home node; NULL when there is no more: fail with -ENOMEM */
void *env_alloc(const struct env *env, size_t size, size_t align);

/*
 * env_keep - like env_alloc(), but the same memory in every window of the run, cleared
 * For experiments that ask what one physical line does. One piece of each size and home node.
 */
void *env_keep(const struct env *env, size_t size);

/* memory of worker @idx alone, on the node of its CPU; call it from setup() */
void *env_alloc_worker(const struct env *env, int idx, size_t size, size_t align);

struct worker {
	int idx;	 /* 0 .. nr_workers - 1 */
	int cpu;	 /* OS number of the CPU it is pinned to */
	uint64_t rng;	 /* a seed of its own, different for each worker and window */
	void *priv;	 /* the experiment's, set by setup() or worker_init() */
	const int *over; /* see worker_over() */
};

/*
 * worker_over - the windows of all workers have ended
 * An operation that waits for another worker looks here while it waits, and gives up: its partner
 * may have left. The runner sets it once, after the last window, so that looking costs nothing
 * that could be measured.
 */
static inline bool worker_over(const struct worker *w)
{
	return __atomic_load_n(w->over, __ATOMIC_ACQUIRE);
}

/* ---------------------------------------------------------------- the record */

/* @name is copied */
typedef void (*field_teller)(void *ctx, const volatile void *field, size_t size, const char *name);

struct experiment {
	const char *name;     /* "page_counter" */
	const char *summary;  /* one line for lists */
	const char *question; /* what a reader learns: one sentence with a question mark */
	const char *op;	    /* what is counted as one operation: "one page charged and uncharged" */
	const char *unit;   /* short, for tables: "pages" */
	const char *source; /* kernel release and file it restates, or "" */
	int min_workers;    /* fewer: refused, and that is the reason given */
	bool pairs; /* a case is an ordered pair of CPUs: every two of the placement, both ways */
	const struct param *params; /* ends with .name == NULL */
	size_t params_size;
	const struct metric *metrics; /* ends with .name == NULL; NULL: none */

	/* what no single range can say; NULL: every combination is good. -EINVAL with a sentence */
	int (*validate)(const void *params, int nr_workers, struct err *err);

	/* @workers: env->nr_workers of them, priv may be set. *shared is handed to the other hooks */
	int (*setup)(const struct env *env, const void *params, struct worker *workers,
		     void **shared, struct err *err);
	int (*worker_init)(void *shared, const void *params, struct worker *w, struct err *err);

	/* hot: exactly nr_ops operations; no failure, no allocation, no system call. Waiting for another
	 * worker ends when worker_over(): what is left of nr_ops is then dropped */
	void (*run)(void *shared, const void *params, struct worker *w, uint64_t nr_ops);

	/* what must be true whatever the timing was: -EUCLEAN with a sentence, and then there is no
	 * number. @ops: what each worker was asked to run, warm-up included */
	int (*check)(const struct env *env, const void *params, const void *shared,
		     const struct worker *workers, const uint64_t *ops, struct err *err);

	/* fills @values (as many as metrics[]); called after check() */
	void (*read_metrics)(const struct env *env, const void *params, const void *shared,
			     const struct worker *workers, const uint64_t *ops, double *values);

	void (*teardown)(void *shared);

	/* names of the fields in shared memory, for the model's account of lines; NULL: none */
	void (*describe)(const void *shared, field_teller tell, void *ctx);
};

/* ------------------------------------------------------------------ the table */

extern const struct experiment *const experiments[]; /* ends with NULL; the order of reports */

/* NULL when there is none; -EINVAL through @err with the nearest name */
const struct experiment *experiment_find(const char *name, struct err *err);

/* ------------------------------------------------------- parameters, generically */

void params_defaults(const struct experiment *exp, void *params);
int params_count(const struct experiment *exp);
const struct param *params_find(const struct experiment *exp, const char *name, struct err *err);
int64_t param_get(const struct param *p, const void *params);
void param_set(const struct param *p, void *params, int64_t value); /* no range check */

/*
 * param_parse - one value: a number in the range, on the step, or a choice's name
 * -EINVAL names the parameter, quotes the value and states the range or the nearest choice.
 */
int param_parse(const struct param *p, const char *s, int64_t *out, struct err *err);

/* "64", or the choice's name. Returns @buf. */
const char *param_text(const struct param *p, int64_t value, char *buf, size_t size);

#endif
