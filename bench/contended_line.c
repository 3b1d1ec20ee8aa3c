/* SPDX-License-Identifier: MIT */
/*
 * contended_line - the physical limit: one shared line, one atomic after another
 *
 *   value                                                                   |
 *
 * Nothing but the line itself is touched, so no counter that lives on one line can be faster.
 *
 * With log=1 every worker keeps the tickets that its fetch_add returned, from ticket log_after on,
 * in memory of its own: a sample of the window, from which follows how many operations a CPU does
 * before the line leaves it, and how many visits a cluster or a socket gets (ticket_log.h). It
 * costs a comparison and, until the log is full, a local store per operation, so a logged case's
 * rate is that of the logged loop.
 */
#include "experiment.h"

#include <math.h>

#include "bench.h"
#include "katomic.h"
#include "ticket_log.h"

enum cl_op {
	CL_FETCH_ADD,
	CL_XCHG,
	CL_CMPXCHG,
	CL_LOAD_CMPXCHG,
	CL_LOAD_STORE,
	CL_ADD,
	CL_CAS_LOOP
};

struct cl_params {
	int64_t op, work_ns, log, log_after;
};

struct cl_worker {
	uint64_t nr_attempts;	/* cmpxchg forms: successes and failures */
	long sum;		/* of what the worker added, for the invariant */
	long last;		/* the value seen last: the first guess of op=cmpxchg */
	struct ticket_log *log; /* NULL: none is kept */
	/* of worker 0 in a logged case: everybody's logs, and room for all tickets together */
	const struct ticket_log **logs;
	int16_t *owner;
};

struct cl_shared {
	atomic_long_t value __attribute__((aligned(64)));
};

static void cl_fetch_add(struct cl_shared *s, struct cl_worker *me)
{
	atomic_long_fetch_add(1, &s->value);
}

/* nobody waits for the value: a line that is far away need not stop the core */
static void cl_add(struct cl_shared *s, struct cl_worker *me)
{
	atomic_long_add(1, &s->value);
}

static void cl_logged_fetch_add(struct cl_shared *s, struct cl_worker *me, long after)
{
	struct ticket_log *log = me->log;

	me->last = atomic_long_fetch_add(1, &s->value);
	if (log->nr < TICKET_LOG_MAX && me->last >= after)
		log->ticket[log->nr++] = me->last;
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

/* the kernel's and the compilers' way: one load, then what each failure returned */
static void cl_cas_loop(struct cl_shared *s, struct cl_worker *me)
{
	long old = atomic_long_read(&s->value);

	do {
		me->nr_attempts++;
	} while (!atomic_long_try_cmpxchg(&s->value, &old, old + 1));
}

static void cl_load_store(struct cl_shared *s, struct cl_worker *me)
{
	atomic_long_set(&s->value, atomic_long_read(&s->value) + 1);
}

static const char *const op_names[] = {"fetch_add",  "xchg", "cmpxchg",	 "load_cmpxchg",
				       "load_store", "add",  "cas_loop", NULL};
static const struct param cl_params_table[] = {
	{"op", "", "what every worker does to the line", CL_FETCH_ADD, 0, CL_CAS_LOOP, 0, op_names,
	 offsetof(struct cl_params, op)},
	{"work_ns", "ns", "local work per operation", 0, 0, 1000000, 0, NULL,
	 offsetof(struct cl_params, work_ns)},
	{"log", "",
	 "1: keep the tickets of op=fetch_add, 4096 per worker; costs a local store each", 0, 0, 1,
	 0, NULL, offsetof(struct cl_params, log)},
	{"log_after", "tickets", "the first ticket kept; by 10000 all workers are under way", 10000,
	 0, 1000000000, 0, NULL, offsetof(struct cl_params, log_after)},
	{NULL}};

static const struct metric cl_metrics[] = {
	{"attempts", "per operation",
	 "compare-exchanges tried per success; none for other operations"},
	{"visit_ops", "per visit", "log=1: operations of a CPU before the line leaves it"},
	{"cluster_visits", "per cluster",
	 "log=1: visits before the line leaves a cluster (L3); none: there is one"},
	{"socket_visits", "per socket",
	 "log=1: visits before the line leaves a socket; none: there is one"},
	{NULL}};

static int cl_validate(const void *params, int nr_workers, struct err *err)
{
	const struct cl_params *p = params;

	if (p->log && p->op != CL_FETCH_ADD)
		return err_set(err, -EINVAL,
			       "log=1 goes with op=fetch_add: '%s' returns no tickets",
			       op_names[p->op]);
	if (p->log && nr_workers > INT16_MAX)
		return err_set(err, -EINVAL, "log=1 on %d workers: %d at most", nr_workers,
			       INT16_MAX);
	return 0;
}

static bool make_logs(const struct env *env, const struct worker *workers)
{
	struct cl_worker *first = workers[0].priv, *me;
	size_t nr = env->nr_workers;
	int i;

	first->logs = env_alloc_worker(env, 0, sizeof(*first->logs) * nr, 64);
	first->owner = env_alloc_worker(env, 0, sizeof(*first->owner) * TICKET_LOG_MAX * nr, 64);
	for (i = 0; first->logs && i < env->nr_workers; i++) {
		me = workers[i].priv;
		me->log = env_alloc_worker(env, i, sizeof(*me->log), 64);
		first->logs[i] = me->log;
		if (!me->log)
			return false;
	}
	return first->logs && first->owner;
}

static int cl_setup(const struct env *env, const void *params, struct worker *workers,
		    void **shared, struct err *err)
{
	const struct cl_params *p = params;
	int i;

	*shared = env_alloc(env, sizeof(struct cl_shared), 64);
	for (i = 0; *shared && i < env->nr_workers; i++) {
		workers[i].priv = env_alloc_worker(env, i, sizeof(struct cl_worker), 64);
		if (!workers[i].priv)
			*shared = NULL;
	}
	if (*shared && p->log && !make_logs(env, workers))
		*shared = NULL;
	return *shared ? 0 : err_set(err, -ENOMEM, "out of memory");
}

#define CL_LOOP(step, ...)                    \
	for (; nr_ops; nr_ops--) {            \
		if (work_ns)                  \
			cpu_work_ns(work_ns); \
		step(s, me, ##__VA_ARGS__);   \
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
		if (p->log) {
			CL_LOOP(cl_logged_fetch_add, p->log_after);
		}
		CL_LOOP(cl_fetch_add);
	case CL_XCHG:
		CL_LOOP(cl_xchg);
	case CL_CMPXCHG:
		CL_LOOP(cl_cmpxchg);
	case CL_LOAD_CMPXCHG:
		CL_LOOP(cl_load_cmpxchg);
	case CL_LOAD_STORE:
		CL_LOOP(cl_load_store);
	case CL_ADD:
		CL_LOOP(cl_add);
	case CL_CAS_LOOP:
		CL_LOOP(cl_cas_loop);
	}
}

/* what the logs say; -EUCLEAN: a ticket is missing, or was got twice */
static int find_visits(const struct env *env, const struct worker *workers, struct visits *out,
		       struct err *err)
{
	const struct cl_worker *first = workers[0].priv;

	return visits_from_tickets(first->logs, env->nr_workers, env->cluster, env->socket,
				   first->owner, out, err);
}

/* load_store loses updates by nature; the others must not */
static int cl_check(const struct env *env, const void *params, const void *shared,
		    const struct worker *workers, const uint64_t *ops, struct err *err)
{
	const struct cl_shared *s = shared;
	const struct cl_params *p = params;
	const struct cl_worker *me;
	long value = atomic_long_read(&s->value), expected = 0;
	struct visits visits;
	int i;

	for (i = 0; i < env->nr_workers; i++) {
		me = workers[i].priv;
		expected += p->op == CL_XCHG ? me->sum : (long)ops[i];
	}
	if (p->op == CL_LOAD_STORE ? value > expected || (value <= 0 && expected > 0)
				   : value != expected)
		return err_set(err, -EUCLEAN, "the line holds %ld after %ld updates", value,
			       expected);
	return p->log ? find_visits(env, workers, &visits, err) : 0;
}

static void cl_read_metrics(const struct env *env, const void *params, const void *shared,
			    const struct worker *workers, const uint64_t *ops, double *values)
{
	struct visits visits = {0, NAN, NAN, NAN};
	uint64_t nr_attempts = 0, nr_ops = 0;
	const struct cl_params *p = params;
	const struct cl_worker *me;
	int i;

	for (i = 0; i < env->nr_workers; i++) {
		me = workers[i].priv;
		nr_attempts += me->nr_attempts;
		nr_ops += ops[i];
	}
	if (p->log)
		find_visits(env, workers, &visits, NULL);
	values[0] = nr_attempts && nr_ops ? (double)nr_attempts / nr_ops : NAN;
	values[1] = visits.ops_per_visit;
	values[2] = visits.visits_per_cluster;
	values[3] = visits.visits_per_socket;
}

static void cl_describe(const void *shared, field_teller tell, void *ctx)
{
	const struct cl_shared *s = shared;

	tell(ctx, &s->value, sizeof(s->value), "value");
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
	.validate = cl_validate,
	.setup = cl_setup,
	.run = cl_run,
	.check = cl_check,
	.read_metrics = cl_read_metrics,
	.describe = cl_describe,
};
