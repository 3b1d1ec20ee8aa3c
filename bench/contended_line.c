/* SPDX-License-Identifier: MIT */
/*
 * contended_line - the physical limit: one shared line, one atomic after another
 *
 *   value                                                                   |
 *
 * Nothing but the line itself is touched, so no counter that lives on one line can be faster.
 */
#include "experiment.h"

#include <math.h>

#include "bench.h"
#include "katomic.h"

enum cl_op { CL_FETCH_ADD, CL_XCHG, CL_CMPXCHG, CL_LOAD_CMPXCHG, CL_LOAD_STORE };

struct cl_params {
	int64_t op, work_ns;
};

struct cl_worker {
	uint64_t nr_attempts; /* cmpxchg forms: successes and failures */
	long sum;	      /* of what the worker added, for the invariant */
	long last;	      /* the value seen last: the first guess of op=cmpxchg */
};

struct cl_shared {
	atomic_long_t value __attribute__((aligned(64)));
};

static void cl_fetch_add(struct cl_shared *s, struct cl_worker *me)
{
	me->last = atomic_long_fetch_add(1, &s->value);
}

static void cl_xchg(struct cl_shared *s, struct cl_worker *me)
{
	/* what went in minus what came out is what this worker added to the line */
	me->sum -= atomic_long_xchg(&s->value, me->last);
	me->sum += me->last++;
}

/* the guess is what the worker saw last; a failure returns the value for the next try */
static void cl_cmpxchg(struct cl_shared *s, struct cl_worker *me)
{
	do {
		me->nr_attempts++;
	} while (!atomic_long_try_cmpxchg(&s->value, &me->last, me->last + 1));
	me->last++;
}

/* the load may bring the line in shared state: the exchange then pays a second transaction */
static void cl_load_cmpxchg(struct cl_shared *s, struct cl_worker *me)
{
	long old;

	do {
		old = atomic_long_read(&s->value);
		me->nr_attempts++;
	} while (!atomic_long_try_cmpxchg(&s->value, &old, old + 1));
}

static void cl_load_store(struct cl_shared *s, struct cl_worker *me)
{
	atomic_long_set(&s->value, atomic_long_read(&s->value) + 1);
}

static const char *const op_names[] = {"fetch_add",    "xchg",	     "cmpxchg",
				       "load_cmpxchg", "load_store", NULL};
static const struct param cl_params_table[] = {
	{"op", "", "what every worker does to the line", CL_FETCH_ADD, 0, CL_LOAD_STORE, 0,
	 op_names, offsetof(struct cl_params, op)},
	{"work_ns", "ns", "local work per operation", 0, 0, 1000000, 0, NULL,
	 offsetof(struct cl_params, work_ns)},
	{NULL}};

static const struct metric cl_metrics[] = {
	{"attempts", "per operation",
	 "compare-exchanges tried per success; none for other operations"},
	{NULL}};

static int cl_setup(const struct env *env, const void *params, struct worker *workers,
		    void **shared, struct err *err)
{
	int i;

	*shared = env_alloc(env, sizeof(struct cl_shared), 64);
	for (i = 0; *shared && i < env->nr_workers; i++) {
		workers[i].priv = env_alloc_worker(env, i, sizeof(struct cl_worker), 64);
		if (!workers[i].priv)
			*shared = NULL;
	}
	return *shared ? 0 : err_set(err, -ENOMEM, "out of memory");
}

#define CL_LOOP(step)                         \
	for (; nr_ops; nr_ops--) {            \
		if (work_ns)                  \
			cpu_work_ns(work_ns); \
		step(s, me);                  \
	}                                     \
	break

static void cl_run(void *shared, const void *params, struct worker *w, uint64_t nr_ops)
{
	const struct cl_params *p = params;
	const int64_t work_ns = p->work_ns;
	struct cl_shared *s = shared;
	struct cl_worker *me = w->priv;

	switch (p->op) {
	case CL_FETCH_ADD:
		CL_LOOP(cl_fetch_add);
	case CL_XCHG:
		CL_LOOP(cl_xchg);
	case CL_CMPXCHG:
		CL_LOOP(cl_cmpxchg);
	case CL_LOAD_CMPXCHG:
		CL_LOOP(cl_load_cmpxchg);
	case CL_LOAD_STORE:
		CL_LOOP(cl_load_store);
	}
}

/* load_store loses updates by nature; the others must not */
static int cl_check(const struct env *env, const void *params, const void *shared,
		    const struct worker *workers, const uint64_t *ops, struct err *err)
{
	const struct cl_shared *s = shared;
	const struct cl_params *p = params;
	const struct cl_worker *me;
	long value = atomic_long_read(&s->value), expected = 0;
	int i;

	for (i = 0; i < env->nr_workers; i++) {
		me = workers[i].priv;
		expected += p->op == CL_XCHG ? me->sum : (long)ops[i];
	}
	if (p->op == CL_LOAD_STORE ? value > expected || (value <= 0 && expected > 0)
				   : value != expected)
		return err_set(err, -EUCLEAN, "the line holds %ld after %ld updates", value,
			       expected);
	return 0;
}

static void cl_read_metrics(const struct env *env, const void *params, const void *shared,
			    const struct worker *workers, const uint64_t *ops, double *values)
{
	uint64_t nr_attempts = 0, nr_ops = 0;
	const struct cl_worker *me;
	int i;

	for (i = 0; i < env->nr_workers; i++) {
		me = workers[i].priv;
		nr_attempts += me->nr_attempts;
		nr_ops += ops[i];
	}
	values[0] = nr_attempts && nr_ops ? (double)nr_attempts / nr_ops : NAN;
}

const struct experiment contended_line_experiment = {
	.name = "contended_line",
	.summary = "the physical limit: atomics on one shared line",
	.question = "How many updates per second can one shared line take here at most?",
	.op = "one successful update of the line",
	.unit = "updates",
	.source = "",
	.min_workers = 1,
	.params = cl_params_table,
	.params_size = sizeof(struct cl_params),
	.metrics = cl_metrics,
	.setup = cl_setup,
	.run = cl_run,
	.check = cl_check,
	.read_metrics = cl_read_metrics,
};
