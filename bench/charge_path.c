/* SPDX-License-Identifier: MIT */
/*
 * charge_path - the whole way of a charge, from a page or a socket to the statistics
 *
 *   socket (or page) -> stock of this CPU -> page_counter tree -> statistics of the memcg
 *
 *   per socket   [ sk_forward_alloc                        ]   with the message, both CPUs
 *   per CPU      [ reserve ] [ lock, counts, memcgs ] [ stats_updates, state ]
 *   shared       [ memory_allocated ]   one line for all
 *                [ leaf usage ... ] [ above ... ] [ root ... ]   once per batch and level
 *                [ stats_flush_threshold, or stats_updates per memcg ]   once per stats_batch
 *
 * Lines and rules of each part are in its own header; charge_path_steps.h has their order. A
 * message is one operation's worth of memory: `pages` pages charged at once (source=page), or
 * message_bytes of a socket, whose sk_forward_alloc decides how many pages that is (source=socket).
 *
 *   uncharge=same_cpu   a burst of messages is charged, then uncharged: an operation is a message
 *   uncharge=other_cpu  worker 2k charges, worker 2k + 1 uncharges: a message is two operations,
 *                       one of each side. Messages change hands by the burst, each worker's count
 *                       of bursts on a line of its own; `sockets` bursts may be under way
 *
 * Both sides do work_ns of local work per operation. charging=off is the root cgroup, which
 * nobody charges: sockets still keep their own account, the rest is not touched.
 *
 * The multi-slot stocks have the kernel's seven slots. Of the layouts, array_of_structs and
 * per_counter are left to memcg_stock; of the rules, hierarchical_cached is left to vmstats_flush.
 */
#include "experiment.h"

#include <math.h>
#include <stdlib.h>

#include "charge_path_check.h"

static const char *const source_names[] = {"page", "socket", NULL};
static const char *const reclaim_names[] = {"zero", "64k", "2m_keep_1m", NULL};
static const char *const css_names[] = {"beside", "apart", NULL};
static const char *const charging_names[] = {"on", "off", NULL};
static const char *const slot_layout_names[] = {"single", "seven_8bit", "seven_wide", NULL};
static const char *const stats_names[] = {"off",	  "global_unconditional", "global_guarded",
					  "hierarchical", "hierarchical_guarded", NULL};
static const char *const memcgs_names[] = {"shared", "per_worker", NULL};
static const char *const uncharge_names[] = {"same_cpu", "other_cpu", NULL};

#define CP_OFFSET(field) offsetof(struct cp_params, field)
static const struct param cp_params_table[] = {
	{"source", "", "what is charged: pages, or messages of a socket", CP_PAGE, 0, CP_SOCKET, 0,
	 source_names, CP_OFFSET(source)},
	{"pages", "pages", "source=page: charged one by one per message", 1, 1, 64, 0, NULL,
	 CP_OFFSET(pages)},
	{"message_bytes", "bytes", "source=socket: charged per message, its truesize", 10240, 1,
	 1 << 20, 0, NULL, CP_OFFSET(message_bytes)},
	{"charge_bytes", "bytes", "source=socket: a message is charged in pieces of this size",
	 1 << 20, 1, 1 << 20, 0, NULL, CP_OFFSET(charge_bytes)},
	{"free_bytes", "bytes", "source=socket: a message is freed in pieces of this size", 1 << 20,
	 1, 1 << 20, 0, NULL, CP_OFFSET(free_bytes)},
	{"reclaim", "",
	 "source=socket: free bytes at which pages go back: any whole page, 64 KiB, 2 MiB", CP_ZERO,
	 0, CP_2M_KEEP_1M, 0, reclaim_names, CP_OFFSET(reclaim)},
	{"charging", "", "off: the root cgroup, nothing is charged to a memcg", CP_ON, 0, CP_OFF, 0,
	 charging_names, CP_OFFSET(charging)},
	{"layout", "", "struct page_counter of which release", PAGE_COUNTER_V6_15, 0,
	 PAGE_COUNTER_V6_15, 0, page_counter_layout_names, CP_OFFSET(layout)},
	{"base_offset", "bytes", "of the counter in its line; rounded up for aligned layouts", 16,
	 0, 56, 8, NULL, CP_OFFSET(base_offset)},
	{"css", "", "css.parent lies in the 8 bytes before the counter, or on a line of its own",
	 CP_CSS_BESIDE, 0, CP_CSS_APART, 0, css_names, CP_OFFSET(css)},
	{"depth", "levels", "from the leaf to the root, both included", 3, 1,
	 PAGE_COUNTER_MAX_DEPTH, 0, NULL, CP_OFFSET(depth)},
	{"protection", "", "how protected usage is handed to the parent", PAGE_COUNTER_OFF, 0,
	 PAGE_COUNTER_CONDITIONAL, 0, page_counter_rule_names, CP_OFFSET(protection)},
	{"protection_level", "level", "where min and low are set; 0 is the leaf", 0, 0,
	 PAGE_COUNTER_MAX_DEPTH - 2, 0, NULL, CP_OFFSET(protection_level)},
	{"batch", "pages", "charged at once, and the most that a stock has", 64, 1, 1024, 0, NULL,
	 CP_OFFSET(batch)},
	{"slot_layout", "", "where a CPU's stock keeps memcgs and counts", STOCK_SEVEN_8BIT, 0,
	 STOCK_SEVEN_WIDE, 0, slot_layout_names, CP_OFFSET(slot_layout)},
	{"overflow", "", "over the batch, all stored pages go back, or all but half a batch",
	 STOCK_DRAIN, 0, STOCK_TRIM, 0, stock_overflow_names, CP_OFFSET(overflow)},
	{"uncharge_to", "", "stock: as sockets do; counters: as user memory does", STOCK_TO_STOCK,
	 0, STOCK_TO_COUNTERS, 0, stock_uncharge_names, CP_OFFSET(uncharge_to)},
	{"stats", "", "who writes the shared count of statistics updates, and when", CP_STATS_OFF,
	 0, CP_STATS_HIERARCHICAL_GUARDED, 0, stats_names, CP_OFFSET(stats)},
	{"stats_batch", "updates", "counted by a CPU before it writes a shared line", 64, 1, 1024,
	 0, NULL, CP_OFFSET(stats_batch)},
	{"flush_every", "operations",
	 "of worker 0 from one flush of statistics to the next; 0: none", 1000000, 0, 1000000000, 0,
	 NULL, CP_OFFSET(flush_every)},
	{"memcgs", "", "one leaf for all, or one per worker (other_cpu: per two workers)",
	 CP_SHARED, 0, CP_PER_WORKER, 0, memcgs_names, CP_OFFSET(memcgs)},
	{"uncharge", "", "who uncharges: the CPU that charged, or its neighbour", CP_SAME_CPU, 0,
	 CP_OTHER_CPU, 0, uncharge_names, CP_OFFSET(uncharge)},
	{"burst", "messages", "charged before they are uncharged or handed over", 1, 1, 64, 0, NULL,
	 CP_OFFSET(burst)},
	{"sockets", "per worker", "used in turn; other_cpu: also the bursts that may be under way",
	 8, 1, 64, 0, NULL, CP_OFFSET(sockets)},
	{"call_ns", "ns",
	 "local work of a charge or uncharge call; the kernel's interrupts off and on", 0, 0, 10000,
	 0, NULL, CP_OFFSET(call_ns)},
	{"work_ns", "ns", "local work per operation, on both sides; 0 saturates", 0, 0, 1000000, 0,
	 NULL, CP_OFFSET(work_ns)},
	{NULL}};

static const struct metric cp_metrics[] = {
	{"shared_updates", "per message", "charges and uncharges of the shared counters"},
	{"stat_writes", "per message", "atomic additions to shared counts of statistics updates"},
	{"hit_rate", "of charges", "charges that the stock served; none: nothing was charged"},
	{"raises", "per message", "a socket had to take pages; none: source=page"},
	{NULL}};

/* ---------------------------------------------------------------------------- setup */

static struct stock_config stock_config(const struct cp_params *p)
{
	return (struct stock_config){.layout = p->slot_layout,
				     .overflow = p->overflow,
				     .eviction = STOCK_ROUND_ROBIN,
				     .blocks = STOCK_ALIGNED,
				     .uncharge_to = p->uncharge_to,
				     .nr_slots = STOCK_SLOTS,
				     .nr_memcgs = 1,
				     .batch = p->batch,
				     .call_ns = p->call_ns};
}

static int cp_validate(const void *params, int nr_workers, struct err *err)
{
	const struct cp_params *p = params;
	struct stock_config c = stock_config(p);

	if (p->uncharge == CP_OTHER_CPU && nr_workers % 2)
		return err_set(err, -EINVAL,
			       "uncharge=other_cpu needs workers in pairs, %d is an odd number",
			       nr_workers);
	if (p->protection != PAGE_COUNTER_OFF && p->protection_level >= p->depth - 1)
		return err_set(
			err, -EINVAL,
			"protection_level=%lld needs depth of at least %lld: the root counter "
			"has no parent and protects nothing",
			(long long)p->protection_level, (long long)p->protection_level + 2);
	if (p->memcgs == CP_PER_WORKER && p->depth < 2)
		return err_set(err, -EINVAL,
			       "memcgs=per_worker needs depth of at least 2: depth=1 is the root "
			       "alone");
	return stock_validate(&c, err);
}

static int make_tree(const struct env *env, const struct cp_params *p, struct cp_shared *s,
		     struct err *err)
{
	const struct page_counter_config config = {.layout = p->layout,
						   .rule = p->protection,
						   .depth = p->depth,
						   .nr_leaves = leaf_of(p, env->nr_workers - 1) + 1,
						   .base_offset = p->base_offset,
						   .css_apart = p->css == CP_CSS_APART};
	int i, rc = page_counter_tree_make(&s->tree, env, &config, err);

	if (rc || p->protection == PAGE_COUNTER_OFF)
		return rc;
	/* less than the working set: protection is constant, as for a cgroup in full use */
	for (i = 0; i < (p->protection_level ? 1 : s->tree.nr_leaves); i++)
		s->tree.ops->set_protection(
			page_counter_tree_level(&s->tree, i, p->protection_level),
			PAGE_COUNTER_RESIDENT / 2);
	return 0;
}

static int make_stats(const struct env *env, const struct cp_params *p, struct vmstats *v)
{
	static const enum vmstats_rule rules[] = {
		[CP_STATS_UNCONDITIONAL] = VMSTATS_GLOBAL_UNCONDITIONAL,
		[CP_STATS_GUARDED] = VMSTATS_GLOBAL_GUARDED,
		[CP_STATS_HIERARCHICAL] = VMSTATS_HIERARCHICAL,
		[CP_STATS_HIERARCHICAL_GUARDED] = VMSTATS_HIERARCHICAL_GUARDED};
	int i, rc;

	if (!has_stats(p))
		return 0;
	v->rule = rules[p->stats];
	v->depth = p->depth;
	v->nr_leaves = p->memcgs == CP_PER_WORKER ? env->nr_workers : 1;
	v->batch = p->stats_batch;
	v->threshold = vmstats_factor(VMSTATS_LINEAR, env->nr_workers) *
		       (vmstats_is_global(v->rule) ? 1 : p->stats_batch);
	rc = vmstats_make(v, env);
	/* two workers that share a memcg: the second has the first one's */
	for (i = 1; i < v->nr_leaves && !rc && p->uncharge == CP_OTHER_CPU; i += 2) {
		v->leaf[i] = v->leaf[i - 1];
		v->cpu[i]->block[0].vmstats = v->leaf[i]->vmstats;
	}
	return rc;
}

static void set_protocol(struct sk_proto *proto, const struct cp_params *p)
{
	static const int reclaim_at[] = {SK_PAGE_SIZE, 1 << 16, 1 << 21};

	proto->sysctl_mem = LONG_MAX / SK_PAGE_SIZE;
	proto->reserve_pages = 256;
	proto->reclaim_at = reclaim_at[p->reclaim];
	proto->reclaim_chunk = p->reclaim == CP_2M_KEEP_1M ? 1 << 20 : 0;
}

/* the charging worker has the sockets; the other one its view of them */
static int set_hand_over(const struct env *env, const struct cp_params *p, struct worker *workers,
			 int idx)
{
	struct cp_worker *me = workers[idx].priv, *charger;

	me->to = env_alloc_worker(env, idx, sizeof(*me->to), 64);
	if (!me->to)
		return -ENOMEM;
	if (!cp_is_uncharger(p, idx)) {
		me->may_be_ahead = p->sockets;
		me->socket = env_alloc_worker(env, idx, p->sockets * sizeof(*me->socket), 128);
		return me->socket ? 0 : -ENOMEM;
	}
	charger = workers[idx - 1].priv;
	charger->from = me->to;
	me->from = charger->to;
	me->socket = charger->socket;
	return 0;
}

static int set_worker(const struct env *env, const struct cp_params *p, struct cp_shared *s,
		      struct worker *workers, int idx)
{
	struct cp_worker *me = env_alloc_worker(env, idx, sizeof(*me), 64);
	struct stock_config c = stock_config(p);
	void *packed = NULL, *block = stock_block(env, &c, idx, &packed);

	workers[idx].priv = s->worker[idx] = me;
	if (!me || !block)
		return -ENOMEM;
	stock_init(&me->stock, &c, block, &s->tree, &s->tree.leaf[leaf_of(p, idx)],
		   ~workers[idx].rng);
	if (has_stats(p)) {
		me->stats = s->vmstats.cpu[idx];
		me->memcg = vmstats_leaf(&s->vmstats, idx);
		me->flush_in = idx ? 0 : p->flush_every;
	}
	return set_hand_over(env, p, workers, idx);
}

static int cp_setup(const struct env *env, const void *params, struct worker *workers,
		    void **shared, struct err *err)
{
	struct cp_shared *s = env_alloc(env, sizeof(*s), 128);
	const struct cp_params *p = params;
	int i, rc;

	if (!s)
		return err_set(err, -ENOMEM, "out of memory");
	*shared = s;
	s->worker = env_alloc(env, env->nr_workers * sizeof(*s->worker), 64);
	if (!s->worker)
		return err_set(err, -ENOMEM, "out of memory");
	s->nr_workers = env->nr_workers;
	s->nr_sockets = p->sockets;
	s->slot_layout = p->slot_layout;
	s->has_stats = has_stats(p);
	set_protocol(&s->proto, p);
	rc = make_tree(env, p, s, err);
	if (!rc)
		rc = make_stats(env, p, &s->vmstats);
	for (i = 0; i < env->nr_workers && !rc; i++)
		rc = set_worker(env, p, s, workers, i);
	return rc ? err_set(err, rc, "out of memory") : 0;
}

static void cp_run(void *shared, const void *params, struct worker *w, uint64_t nr_ops)
{
	const struct cp_params *p = params;

	if (p->slot_layout == STOCK_SINGLE)
		cp_run_layout(STOCK_SINGLE, shared, p, w, nr_ops);
	else if (p->slot_layout == STOCK_SEVEN_8BIT)
		cp_run_layout(STOCK_SEVEN_8BIT, shared, p, w, nr_ops);
	else
		cp_run_layout(STOCK_SEVEN_WIDE, shared, p, w, nr_ops);
}

/* ---------------------------------------------------------------------------- check */

static int cp_check(const struct env *env, const void *params, const void *shared,
		    const struct worker *workers, const uint64_t *ops, struct err *err)
{
	const struct cp_params *p = params;
	const struct cp_shared *s = shared;
	long *pages = calloc(s->tree.nr_leaves, sizeof(*pages)), held = 0, all = 0;
	int i, rc = pages ? 0 : err_set(err, -ENOMEM, "out of memory");

	for (i = 0; i < env->nr_workers && !rc; i++) {
		rc = check_operations(p, workers, i, ops[i], err);
		if (rc || cp_is_uncharger(p, i))
			continue;
		rc = count_held(p, workers, i, &held, err);
		all += held;
		if (p->charging == CP_ON)
			pages[leaf_of(p, i)] += held;
	}
	if (!rc)
		rc = check_protocol(env, s, workers, p->source == CP_SOCKET ? all : 0, err);
	if (!rc)
		rc = check_charges(env, p, s, workers, pages, err);
	free(pages);
	return rc;
}

static void cp_read_metrics(const struct env *env, const void *params, const void *shared,
			    const struct worker *workers, const uint64_t *ops, double *values)
{
	double messages = 0, updates = 0, writes = 0, charges = 0, misses = 0, raises = 0;
	const struct cp_params *p = params;
	const struct cp_worker *me;
	int i;

	for (i = 0; i < env->nr_workers; i++) {
		me = workers[i].priv;
		messages += me->nr_charged;
		updates += me->stock.nr_updates;
		writes += me->account.nr_shared_writes;
		charges += me->stock.nr_charges;
		misses += me->stock.nr_misses;
		raises += me->sk.nr_raises;
	}
	values[0] = messages ? updates / messages : NAN;
	values[1] = messages ? writes / messages : NAN;
	values[2] = charges ? (charges - misses) / charges : NAN;
	values[3] = messages && p->source == CP_SOCKET ? raises / messages : NAN;
}

static void cp_describe(const void *shared, field_teller tell, void *ctx)
{
	const struct cp_shared *s = shared;
	const struct cp_worker *me;
	char name[48];
	int i, k;

	page_counter_tree_describe(&s->tree, tell, ctx);
	sk_describe_proto(&s->proto, tell, ctx);
	if (s->has_stats)
		vmstats_describe(&s->vmstats, tell, ctx);
	for (i = 0; i < s->nr_workers; i++) {
		me = s->worker[i];
		stock_describe(s->slot_layout, &me->stock.lines, i, tell, ctx);
		snprintf(name, sizeof(name), "worker[%d].per_cpu_fw_alloc", i);
		tell(ctx, &me->sk.per_cpu_fw_alloc, sizeof(me->sk.per_cpu_fw_alloc), name);
		snprintf(name, sizeof(name), "worker[%d].nr_bursts", i);
		tell(ctx, me->to, sizeof(*me->to), name);
		for (k = 0; k < s->nr_sockets && me->may_be_ahead; k++)
			sk_describe_socket(&me->socket[k], i, k, tell, ctx);
	}
}

const struct experiment charge_path_experiment = {
	.name = "charge_path",
	.summary = "the composed path: socket or page, stock, page_counter tree, statistics",
	.question = "What does the whole way of a charge cost here, and which of its parts is to "
		    "blame?",
	.op = "one message charged and uncharged; one of the two where each has its own CPU",
	.unit = "messages",
	.source = "net/core/sock.c, mm/memcontrol.c and mm/page_counter.c of 5.19 to mid-2026: the "
		  "parts' own sources",
	.min_workers = 1,
	.params = cp_params_table,
	.params_size = sizeof(struct cp_params),
	.metrics = cp_metrics,
	.validate = cp_validate,
	.setup = cp_setup,
	.run = cp_run,
	.check = cp_check,
	.read_metrics = cp_read_metrics,
	.describe = cp_describe,
};
