/* SPDX-License-Identifier: MIT */
/*
 * core_to_core - how long a line takes from one CPU to another
 *
 *   protocol cas    turn ........                                           |
 *   protocol read   to_second ...                                           |
 *                   to_first ....                                           |
 *
 * A line bounces between two CPUs, and one operation is one hand-over: request and data, one way.
 * The two protocols measure different things, so their names stay with the numbers:
 *
 *   cas   both sides compare-exchange one line until it is their turn, what the pingpong of
 *         multichase and "c2clat -w" do; a waiting side keeps asking for ownership
 *   read  one line each way, written by one side and polled by the other, what c2clat does by
 *         default; a waiting side only reads
 *
 * Which line it is matters: its home slice is near one CPU and far from another (on Zen one line for
 * all pairs gave wrong matrices). So every window takes a fresh page, and the median is over lines;
 * lines=reused keeps one, for the shape that a single line shows.
 *
 * The rate of a case is hand-overs per second, both directions together, so the latency is its
 * inverse. The pair is ordered: worker 0 begins, and the home of the line is chosen from its CPU.
 */
#include "experiment.h"

#include "bench.h"
#include "katomic.h"

#define SPINS_PER_LOOK 4096 /* polls between two looks at worker_over() */

enum c2c_protocol { C2C_CAS, C2C_READ };
enum c2c_lines { C2C_FRESH, C2C_REUSED };

struct c2c_params {
	int64_t protocol, lines;
};

struct c2c_worker {
	long nr_done;
};

struct c2c_shared {
	long turn __attribute__((aligned(128)));      /* cas: the worker that may go; starts at 0 */
	long to[2][16] __attribute__((aligned(128))); /* read: [i][0] is written by worker i */
};

static const char *const lines_names[] = {"fresh", "reused", NULL};
static const char *const protocol_names[] = {"cas", "read", NULL};
static const struct param c2c_params_table[] = {
	{"protocol", "", "cas: both sides compare-exchange one line; read: a line each way, polled",
	 C2C_CAS, 0, C2C_READ, 0, protocol_names, offsetof(struct c2c_params, protocol)},
	{"lines", "", "fresh: another page for every window; reused: one line for all pairs",
	 C2C_FRESH, 0, C2C_REUSED, 0, lines_names, offsetof(struct c2c_params, lines)},
	{NULL}};

static int c2c_setup(const struct env *env, const void *params, struct worker *workers,
		     void **shared, struct err *err)
{
	const struct c2c_params *p = params;
	int i;

	*shared = p->lines == C2C_REUSED ? env_keep(env, sizeof(struct c2c_shared))
					 : env_alloc(env, sizeof(struct c2c_shared), 128);
	for (i = 0; *shared && i < env->nr_workers; i++) {
		workers[i].priv = env_alloc_worker(env, i, sizeof(struct c2c_worker), 64);
		if (!workers[i].priv)
			*shared = NULL;
	}
	return *shared ? 0 : err_set(err, -ENOMEM, "out of memory");
}

/* waits for @cond; false when the partner has left for good */
#define WAIT_FOR(cond)                                                        \
	({                                                                    \
		unsigned polls_ = 0;                                          \
		bool met_;                                                    \
		while (!(met_ = (cond)))                                      \
			if (++polls_ % SPINS_PER_LOOK == 0 && worker_over(w)) \
				break;                                        \
		met_;                                                         \
	})

static inline bool take_turn(struct c2c_shared *s, long mine)
{
	long expected = mine;

	return try_cmpxchg(&s->turn, &expected, 1 - mine);
}

static void run_cas(struct c2c_shared *s, struct worker *w, struct c2c_worker *me, uint64_t nr_ops)
{
	for (; nr_ops; nr_ops--, me->nr_done++)
		if (!WAIT_FOR(take_turn(s, w->idx)))
			return;
}

/* the first says n and waits for the answer n; the second waits for n and answers */
static void run_read(struct c2c_shared *s, struct worker *w, struct c2c_worker *me, uint64_t nr_ops)
{
	long *mine = &s->to[w->idx][0], *other = &s->to[1 - w->idx][0];

	for (; nr_ops; nr_ops--) {
		if (w->idx == 0)
			smp_store_release(mine, me->nr_done + 1);
		if (!WAIT_FOR(smp_load_acquire(other) == me->nr_done + 1))
			return;
		me->nr_done++;
		if (w->idx == 1)
			smp_store_release(mine, me->nr_done);
	}
}

static void c2c_run(void *shared, const void *params, struct worker *w, uint64_t nr_ops)
{
	const struct c2c_params *p = params;

	if (p->protocol == C2C_CAS)
		run_cas(shared, w, w->priv, nr_ops);
	else
		run_read(shared, w, w->priv, nr_ops);
}

/* the line went to and fro: the two sides' hand-overs differ by one at most, and none that was
 * counted is missing but those dropped at the end */
static int c2c_check(const struct env *env, const void *params, const void *shared,
		     const struct worker *workers, const uint64_t *ops, struct err *err)
{
	const struct c2c_worker *a = workers[0].priv, *b = workers[1].priv;
	const struct c2c_params *p = params;
	const struct c2c_shared *s = shared;
	long ahead = a->nr_done - b->nr_done;

	if (p->protocol == C2C_CAS ? ahead != READ_ONCE(s->turn) : ahead < -1 || ahead > 0)
		return err_set(err, -EUCLEAN,
			       "the two sides handed the line over %ld and %ld times", a->nr_done,
			       b->nr_done);
	if (a->nr_done > (long)ops[0] || b->nr_done > (long)ops[1])
		return err_set(err, -EUCLEAN, "more hand-overs than were asked for");
	return 0;
}

static int c2c_validate(const void *params, int nr_workers, struct err *err)
{
	return nr_workers == 2 ? 0
			       : err_set(err, -EINVAL, "a line bounces between two workers, not %d",
					 nr_workers);
}

static void c2c_describe(const void *shared, field_teller tell, void *ctx)
{
	const struct c2c_shared *s = shared;

	tell(ctx, &s->turn, sizeof(s->turn), "turn");
	tell(ctx, &s->to[0][0], sizeof(s->to[0][0]), "to_second");
	tell(ctx, &s->to[1][0], sizeof(s->to[1][0]), "to_first");
}

const struct experiment core_to_core_experiment = {
	.name = "core_to_core",
	.summary = "latency of a line from one CPU to another, for every pair",
	.question = "How long does a modified line take from one CPU to another?",
	.op = "one hand-over of the line, one way",
	.unit = "hand-overs",
	.source = "",
	.min_workers = 2,
	.pairs = true,
	.params = c2c_params_table,
	.params_size = sizeof(struct c2c_params),
	.validate = c2c_validate,
	.setup = c2c_setup,
	.run = c2c_run,
	.check = c2c_check,
	.describe = c2c_describe,
};
