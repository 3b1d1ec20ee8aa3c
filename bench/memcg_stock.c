/* SPDX-License-Identifier: MIT */
/*
 * memcg_stock - what the per-CPU stock saves, and when it does not
 *
 * Every worker charges and uncharges through the stock of its CPU (memcg_stock.h, with pictures of
 * the lines) in one of the patterns of memcg_stock_patterns.h. What misses the stock reaches the
 * shared counters, `depth` lines of them.
 *
 *   sharing=shared    all workers charge the same memcgs, the leaves' lines are contended
 *   sharing=private   each worker, or each pair of producer and consumer, has memcgs of its own;
 *                     contended is what is above them
 */
#include "memcg_stock.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"
#include "memcg_stock_patterns.h"

enum ms_pattern { MS_PAIRS, MS_BURSTS, MS_HAND_OVER, MS_SIZES };
enum ms_sharing { MS_SHARED, MS_PRIVATE };

struct ms_params {
	int64_t slot_layout, slots, overflow, eviction, memcgs, sharing, batch, blocks;
	int64_t pattern, burst, uncharge_to, remote_drain;
	int64_t layout, depth, base_offset, call_ns, work_ns;
};

struct ms_shared {
	struct page_counter_tree tree;
	enum stock_layout slot_layout;
	int nr_workers;
	const struct ms_worker **worker;
};

static const char *const pattern_names[] = {"request_response", "stream", "producer_consumer",
					    "mixed", NULL};
static const char *const sharing_names[] = {"shared", "private", NULL};

#define MS_OFF(field) offsetof(struct ms_params, field)
static const struct param ms_params_table[] = {
	{"slot_layout", "",
	 "single: 2009 to 2025; seven_8bit: 2025 on (believed 6.16); per_counter: proposed 2026",
	 STOCK_SEVEN_8BIT, 0, STOCK_PER_COUNTER, 0, stock_layout_names, MS_OFF(slot_layout)},
	{"slots", "memcgs", "that fit a CPU's stock; seven_8bit: at most 7", STOCK_SLOTS, 1,
	 STOCK_MAX_SLOTS, 0, NULL, MS_OFF(slots)},
	{"overflow", "", "over the batch, all stored pages go back, or all but half a batch",
	 STOCK_DRAIN, 0, STOCK_TRIM, 0, stock_overflow_names, MS_OFF(overflow)},
	{"eviction", "", "which memcg makes room for a new one", STOCK_ROUND_ROBIN, 0, STOCK_RANDOM,
	 0, stock_eviction_names, MS_OFF(eviction)},
	{"memcgs", "memcgs", "that each CPU charges in turn", 1, 1, STOCK_MAX_MEMCGS, 0, NULL,
	 MS_OFF(memcgs)},
	{"sharing", "", "all workers charge the same memcgs, or each its own", MS_SHARED, 0,
	 MS_PRIVATE, 0, sharing_names, MS_OFF(sharing)},
	{"batch", "pages", "charged at once, and the most that a memcg has in a stock", 64, 1, 1024,
	 0, NULL, MS_OFF(batch)},
	{"blocks", "", "each CPU's stock on lines of its own, or all of them in one array",
	 STOCK_ALIGNED, 0, STOCK_PACKED, 0, stock_blocks_names, MS_OFF(blocks)},
	{"pattern", "", "request_response charges 1 page and uncharges 2", MS_PAIRS, 0, MS_SIZES, 0,
	 pattern_names, MS_OFF(pattern)},
	{"burst", "pages",
	 "stream, mixed: charged before they are uncharged; producer: ahead at most", 256, 1, 65536,
	 0, NULL, MS_OFF(burst)},
	{"uncharge_to", "", "stock: as sockets and objects do; counters: as user memory does",
	 STOCK_TO_STOCK, 0, STOCK_TO_COUNTERS, 0, stock_uncharge_names, MS_OFF(uncharge_to)},
	{"remote_drain", "operations",
	 "between drains that a worker wants of the next worker's stock; 0: never", 0, 0, 1000000,
	 0, NULL, MS_OFF(remote_drain)},
	{"layout", "", "struct page_counter of which release", PAGE_COUNTER_V6_15, 0,
	 PAGE_COUNTER_V6_15, 0, page_counter_layout_names, MS_OFF(layout)},
	{"depth", "levels", "counters from the leaf to the root, both included", 3, 1,
	 PAGE_COUNTER_MAX_DEPTH, 0, NULL, MS_OFF(depth)},
	{"base_offset", "bytes", "of the counter in its line; rounded up for aligned layouts", 16,
	 0, 56, 8, NULL, MS_OFF(base_offset)},
	{"call_ns", "ns",
	 "local work of a charge or uncharge call; the kernel's interrupts off and on", 0, 0, 10000,
	 0, NULL, MS_OFF(call_ns)},
	{"work_ns", "ns", "local work per operation; 0 saturates", 0, 0, 1000000, 0, NULL,
	 MS_OFF(work_ns)},
	{NULL}};

static const struct metric ms_metrics[] = {
	{"hit_rate", "of charges", "charges that the stock served; none: nothing was charged"},
	{"shared_updates", "per operation", "charges and uncharges of the shared counters"},
	{"evictions", "per operation", "memcgs that had to leave the stock for another"},
	{"drains", "per operation",
	 "stored pages given back: over the batch, evicted, or asked for by another CPU"},
	{NULL}};

/* ---------------------------------------------------------------------------- setup */

static struct stock_config stock_config(const struct ms_params *p)
{
	return (struct stock_config){.layout = p->slot_layout,
				     .overflow = p->overflow,
				     .eviction = p->eviction,
				     .blocks = p->blocks,
				     .uncharge_to = p->uncharge_to,
				     .nr_slots = p->slots,
				     .nr_memcgs = p->memcgs,
				     .batch = p->batch,
				     .call_ns = p->call_ns};
}

static int ms_validate(const void *params, int nr_workers, struct err *err)
{
	struct stock_config c = stock_config(params);

	return stock_validate(&c, err);
}

static enum ms_role role_of(const struct ms_params *p, int idx, int nr_workers)
{
	switch ((enum ms_pattern)p->pattern) {
	case MS_PAIRS:
		return MS_REQUEST_RESPONSE;
	case MS_SIZES:
		return MS_MIXED;
	case MS_HAND_OVER:
		if (idx % 2 || idx + 1 < nr_workers)
			return idx % 2 ? MS_CONSUMER : MS_PRODUCER;
		break;
	case MS_BURSTS:
		break;
	}
	return MS_STREAM;
}

/* the leaf of the first memcg of worker @idx */
static int first_leaf(const struct ms_params *p, int idx)
{
	if (p->sharing == MS_SHARED)
		return 0;
	return (p->pattern == MS_HAND_OVER ? idx / 2 : idx) * p->memcgs;
}

static int set_worker(const struct env *env, const struct ms_params *p, struct ms_shared *s,
		      int idx, struct worker *w, void **packed)
{
	struct stock_config c = stock_config(p);
	struct ms_worker *me = env_alloc_worker(env, idx, sizeof(*me), 64);
	void *block = stock_block(env, &c, idx, packed);

	w->priv = me;
	s->worker[idx] = me;
	if (!me || !block)
		return -ENOMEM;
	stock_init(&me->cpu, &c, block, &s->tree, &s->tree.leaf[first_leaf(p, idx)], ~w->rng);
	me->role = role_of(p, idx, env->nr_workers);
	me->nr_memcgs = p->memcgs;
	me->burst = me->nr_left = p->burst;
	me->drain_every = me->until_drain = p->remote_drain;
	mixed_init(&me->mixed, w->rng, p->burst);
	me->mine = env_alloc_worker(env, idx, sizeof(*me->mine), 64);
	return me->mine ? 0 : -ENOMEM;
}

static void know_next(struct ms_worker *me, struct ms_worker *next)
{
	me->right = next->cpu.lines;
	me->right_memcg = next->cpu.memcg;
	if (me->role == MS_PRODUCER) {
		me->partner = next->mine;
		next->partner = me->mine;
	}
}

static int ms_setup(const struct env *env, const void *params, struct worker *workers,
		    void **shared, struct err *err)
{
	const struct ms_params *p = params;
	struct page_counter_config tree = {.layout = p->layout,
					   .rule = PAGE_COUNTER_OFF,
					   .depth = p->depth,
					   .nr_leaves =
						   first_leaf(p, env->nr_workers - 1) + p->memcgs,
					   .base_offset = p->base_offset};
	struct ms_shared *s = env_alloc(env, sizeof(*s), 64);
	void *packed = NULL;
	int i, rc;

	*shared = s;
	if (!s)
		return err_set(err, -ENOMEM, "out of memory");
	s->slot_layout = p->slot_layout;
	s->nr_workers = env->nr_workers;
	s->worker = env_alloc(env, sizeof(*s->worker) * env->nr_workers, 64);
	rc = s->worker ? page_counter_tree_make(&s->tree, env, &tree, err) : -ENOMEM;
	for (i = 0; i < env->nr_workers && !rc; i++)
		rc = set_worker(env, p, s, i, &workers[i], &packed);
	for (i = 0; i < env->nr_workers && !rc; i++)
		know_next(workers[i].priv, workers[(i + 1) % env->nr_workers].priv);
	return rc ? err_set(err, rc, "out of memory") : 0;
}

/* not inlined: unoptimized, the frames of five layouts in one exceed a simulated CPU's stack */
#define MS_RUN(layout)                                                                        \
	static __attribute__((noinline)) void run_##layout(struct worker *w, int64_t work_ns, \
							   uint64_t nr_ops)                   \
	{                                                                                     \
		run_role(layout, w->priv, w, work_ns, nr_ops);                                \
	}

MS_RUN(STOCK_SINGLE)
MS_RUN(STOCK_SEVEN_8BIT)
MS_RUN(STOCK_SEVEN_WIDE)
MS_RUN(STOCK_ARRAY_OF_STRUCTS)
MS_RUN(STOCK_PER_COUNTER)

#define MS_CASE(layout)                              \
	case layout:                                 \
		run_##layout(w, p->work_ns, nr_ops); \
		break

static void ms_run(void *shared, const void *params, struct worker *w, uint64_t nr_ops)
{
	const struct ms_params *p = params;

	switch ((enum stock_layout)p->slot_layout) {
		MS_CASE(STOCK_SINGLE);
		MS_CASE(STOCK_SEVEN_8BIT);
		MS_CASE(STOCK_SEVEN_WIDE);
		MS_CASE(STOCK_ARRAY_OF_STRUCTS);
		MS_CASE(STOCK_PER_COUNTER);
	}
}

/* ---------------------------------------------------------------------------- check */

/* how many of the numbers 0 .. @nr - 1 are for @memcg */
static long share_of(uint64_t nr, int memcg, int nr_memcgs)
{
	return nr / nr_memcgs + ((uint64_t)memcg < nr % nr_memcgs);
}

static void replay_mixed(const struct ms_params *p, uint64_t seed, uint64_t nr, long *pages)
{
	struct mixed_request r;
	struct mixed m;

	for (mixed_init(&m, seed, p->burst); nr; nr--) {
		r = mixed_next(&m, p->memcgs);
		pages[r.memcg] += r.charge ? (long)r.nr_pages : -(long)r.nr_pages;
	}
}

/* what @nr operations of a role leave charged: from the pattern alone, whatever the stock did */
static void account(const struct ms_params *p, enum ms_role role, uint64_t seed, uint64_t nr,
		    long *pages)
{
	uint64_t charged = 0, uncharged = 0, burst = p->burst;
	int k;

	switch (role) {
	case MS_REQUEST_RESPONSE:
		uncharged = nr;
		break;
	case MS_STREAM:
		charged = uncharged = nr / (2 * burst) * burst;
		nr %= 2 * burst;
		charged += nr < burst ? nr : burst;
		uncharged += nr > burst ? nr - burst : 0;
		break;
	case MS_PRODUCER:
		charged = nr;
		break;
	case MS_CONSUMER:
		uncharged = nr;
		break;
	case MS_MIXED:
		replay_mixed(p, seed, nr, pages);
		return;
	}
	for (k = 0; k < p->memcgs; k++)
		pages[k] += share_of(charged, k, p->memcgs) - share_of(uncharged, k, p->memcgs);
}

/* operations that were done: a producer and a consumer drop some when their partner has left */
static uint64_t nr_done(const struct ms_worker *me, uint64_t ops)
{
	return me->role == MS_PRODUCER || me->role == MS_CONSUMER ? (uint64_t)me->nr_moved : ops;
}

/* none but those are missing, and a page is taken over once, after it was handed on */
static int check_hand_over(const struct worker *workers, int idx, const uint64_t *ops,
			   struct err *err)
{
	const struct ms_worker *me = workers[idx].priv, *consumer;
	uint64_t nr = nr_done(me, ops[idx]);

	if (nr > ops[idx] || (nr < ops[idx] && !me->gave_up))
		return err_set(err, -EUCLEAN,
			       "worker %d was asked for %llu operations and did %llu", idx,
			       (unsigned long long)ops[idx], (unsigned long long)nr);
	if (me->role != MS_PRODUCER)
		return 0;
	consumer = workers[idx + 1].priv;
	if (consumer->nr_moved > me->nr_moved || consumer->nr_moved < me->nr_moved - me->burst)
		return err_set(err, -EUCLEAN,
			       "worker %d took over %ld of %ld pages, with %lld under way at most",
			       idx + 1, consumer->nr_moved, me->nr_moved, (long long)me->burst);
	return 0;
}

/* what is charged is in use or in a stock, at every level: no page is lost */
static int ms_check(const struct env *env, const void *params, const void *shared,
		    const struct worker *workers, const uint64_t *ops, struct err *err)
{
	const struct ms_params *p = params;
	const struct ms_shared *s = shared;
	long *pages = calloc(s->tree.nr_leaves, sizeof(*pages)), *mine;
	const struct ms_worker *me;
	int i, rc = pages ? 0 : err_set(err, -ENOMEM, "out of memory");

	for (i = 0; i < env->nr_workers && !rc; i++) {
		me = workers[i].priv;
		mine = pages + first_leaf(p, i);
		account(p, me->role, workers[i].rng, nr_done(me, ops[i]), mine);
		rc = check_hand_over(workers, i, ops, err);
		if (!rc)
			rc = stock_count(p->slot_layout, &me->cpu, p->memcgs, mine, err);
	}
	if (!rc)
		rc = page_counter_tree_check(&s->tree, pages, err);
	free(pages);
	return rc;
}

static void ms_read_metrics(const struct env *env, const void *params, const void *shared,
			    const struct worker *workers, const uint64_t *ops, double *values)
{
	uint64_t charges = 0, misses = 0, updates = 0, evictions = 0, drains = 0, all = 0;
	const struct ms_worker *me;
	const struct stock_cpu *cpu;
	int i;

	for (i = 0; i < env->nr_workers; i++) {
		me = workers[i].priv;
		cpu = &me->cpu;
		all += nr_done(me, ops[i]);
		charges += cpu->nr_charges;
		misses += cpu->nr_misses;
		updates += cpu->nr_updates;
		evictions += cpu->nr_evictions;
		drains += cpu->nr_drains;
	}
	values[0] = charges ? (double)(charges - misses) / charges : NAN;
	values[1] = all ? (double)updates / all : NAN;
	values[2] = all ? (double)evictions / all : NAN;
	values[3] = all ? (double)drains / all : NAN;
}

static void ms_describe(const void *shared, field_teller tell, void *ctx)
{
	const struct ms_shared *s = shared;
	const struct ms_worker *me;
	char name[40];
	int i;

	page_counter_tree_describe(&s->tree, tell, ctx);
	for (i = 0; i < s->nr_workers; i++) {
		me = s->worker[i];
		stock_describe(s->slot_layout, &me->cpu.lines, i, tell, ctx);
		snprintf(name, sizeof(name), "worker[%d].%s", i,
			 me->role == MS_CONSUMER ? "taken_over" : "handed_on");
		tell(ctx, me->mine, sizeof(*me->mine), name);
	}
}

const struct experiment memcg_stock_experiment = {
	.name = "memcg_stock",
	.summary = "the per-CPU stock of charged pages: slots, eviction, overflow, drains",
	.question = "How often does charging through the per-CPU stock reach the shared counters, "
		    "and what does its layout cost?",
	.op = "one request of the pattern: request_response a page charged and two uncharged; mixed "
	      "a charge or uncharge of 1 to 32 pages; else one page charged or uncharged",
	.unit = "requests",
	.source =
		"mm/memcontrol.c of 6.6 (single slot) and mid-2026 (seven slots), trim as posted in "
		"August 2026, per-counter stock as posted in June 2026 (v4)",
	.min_workers = 1,
	.params = ms_params_table,
	.params_size = sizeof(struct ms_params),
	.metrics = ms_metrics,
	.validate = ms_validate,
	.setup = ms_setup,
	.run = ms_run,
	.check = ms_check,
	.read_metrics = ms_read_metrics,
	.describe = ms_describe,
};
