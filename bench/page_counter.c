/* SPDX-License-Identifier: MIT */
/*
 * page_counter - what one hierarchical charge costs, by layout, batch and depth
 *
 * One operation is one page: local work, then a page from the worker's stock. The stock is filled
 * by try_charge(batch) on the shared counters, and pages are given back by uncharge(batch), so both
 * shared updates are paid once per batch, each of them on `depth` lines.
 */
#include "experiment.h"

#include <math.h>
#include <stdio.h>

#include "bench.h"
#include "katomic.h"
#include "page_counter_tree.h"

enum pc_limit_kind { PC_LIMIT_NONE, PC_LIMIT_HIT };
enum pc_phase { PC_PHASE_STEADY, PC_PHASE_GROWTH };
enum pc_uncharge { PC_UNCHARGE_SAME_CPU, PC_UNCHARGE_OTHER_CPU };

struct pc_params {
	int64_t layout, batch, depth, work_ns, base_offset;
	int64_t protection, protection_level, limit, limit_level, phase, uncharge;
};

struct pc_worker {
	int64_t stock;	      /* pages charged ahead */
	int64_t held;	      /* pages in use, to be given back when they are a batch */
	int64_t nr_uncharged; /* pages that went back to the counters */
	uint64_t nr_calls;    /* charges and uncharges of the shared counters */
	uint64_t nr_failed;   /* operations that got no page */
	/* other_cpu only: cumulated pages handed on, each on a line of its own */
	int64_t *to;
	const int64_t *from;
	int64_t handed, taken_over;
};

struct pc_shared {
	struct page_counter_tree tree;
	int nr_workers;
	const struct pc_worker *worker[];
};

static const char *const limit_names[] = {"none", "hit", NULL};
static const char *const phase_names[] = {"steady", "growth", NULL};
static const char *const uncharge_names[] = {"same_cpu", "other_cpu", NULL};

#define PC_OFF(field) offsetof(struct pc_params, field)
static const struct param pc_params_table[] = {
	{"layout", "", "struct page_counter of which release", PAGE_COUNTER_V6_15, 0,
	 PAGE_COUNTER_V6_15, 0, page_counter_layout_names, PC_OFF(layout)},
	{"batch", "pages", "pages charged by one shared update (MEMCG_CHARGE_BATCH)", 64, 1, 1024,
	 0, NULL, PC_OFF(batch)},
	{"depth", "levels", "counters from the leaf to the root, both included", 3, 1,
	 PAGE_COUNTER_MAX_DEPTH, 0, NULL, PC_OFF(depth)},
	{"work_ns", "ns", "local work per page: the demand; 0 saturates the counters", 0, 0,
	 1000000, 0, NULL, PC_OFF(work_ns)},
	{"base_offset", "bytes", "of the counter in its line; rounded up for aligned layouts", 16,
	 0, 56, 8, NULL, PC_OFF(base_offset)},
	{"protection", "", "memory.min and memory.low: off, or set with this exchange rule",
	 PAGE_COUNTER_OFF, 0, PAGE_COUNTER_CONDITIONAL, 0, page_counter_rule_names,
	 PC_OFF(protection)},
	{"protection_level", "level", "where min and low are set; 0 is the leaf", 0, 0,
	 PAGE_COUNTER_MAX_DEPTH - 2, 0, NULL, PC_OFF(protection_level)},
	{"limit", "",
	 "hit: memory.max fits half of what the workers want, charges fail and roll back",
	 PC_LIMIT_NONE, 0, PC_LIMIT_HIT, 0, limit_names, PC_OFF(limit)},
	{"limit_level", "level", "where the limit is set; 0 is the leaf", 0, 0,
	 PAGE_COUNTER_MAX_DEPTH - 1, 0, NULL, PC_OFF(limit_level)},
	{"phase", "", "growth: nothing is uncharged, every charge writes the watermark",
	 PC_PHASE_STEADY, 0, PC_PHASE_GROWTH, 0, phase_names, PC_OFF(phase)},
	{"uncharge", "", "pages are given back by the CPU that charged them, or by its neighbour",
	 PC_UNCHARGE_SAME_CPU, 0, PC_UNCHARGE_OTHER_CPU, 0, uncharge_names, PC_OFF(uncharge)},
	{NULL}};

static const struct metric pc_metrics[] = {
	{"shared_updates", "per page", "charges and uncharges of the shared counters, per page"},
	{"failed", "per page", "operations that got no page: the limit was hit"},
	{NULL}};

static int pc_validate(const void *params, int nr_workers, struct err *err)
{
	const struct pc_params *p = params;

	if (p->protection != PAGE_COUNTER_OFF && p->protection_level >= p->depth - 1)
		return err_set(
			err, -EINVAL,
			"protection_level=%lld needs depth of at least %lld: the root counter "
			"has no parent and protects nothing",
			(long long)p->protection_level, (long long)p->protection_level + 2);
	if (p->limit == PC_LIMIT_HIT && p->limit_level >= p->depth)
		return err_set(err, -EINVAL, "limit_level=%lld is above the root of depth=%lld",
			       (long long)p->limit_level, (long long)p->depth);
	if (p->limit == PC_LIMIT_HIT && p->phase == PC_PHASE_GROWTH)
		return err_set(err, -EINVAL,
			       "limit=hit and phase=growth exclude each other: "
			       "nothing can grow at its limit");
	return 0;
}

/* limits, protection and watermarks, level by level */
static void set_levels(struct page_counter_tree *t, const struct pc_params *p, int nr_workers)
{
	void *counter;
	int i;

	for (i = 0; i < t->depth; i++) {
		counter = page_counter_tree_level(t, 0, i);
		if (p->phase == PC_PHASE_GROWTH)
			t->ops->set_watermark(counter, PAGE_COUNTER_RESIDENT);
		/* half of what the workers hold at most fits under the limit */
		if (p->limit == PC_LIMIT_HIT && p->limit_level == i)
			t->ops->set_max(counter,
					PAGE_COUNTER_RESIDENT + (nr_workers * p->batch + 1) / 2);
		/* less than the working set: protection is constant, as for a cgroup in full use */
		if (p->protection != PAGE_COUNTER_OFF && p->protection_level == i)
			t->ops->set_protection(counter, PAGE_COUNTER_RESIDENT / 2);
	}
}

static int set_workers(const struct env *env, const struct pc_params *p, struct pc_shared *s,
		       struct worker *workers)
{
	struct pc_worker *me;
	int i;

	s->nr_workers = env->nr_workers;
	for (i = 0; i < env->nr_workers; i++) {
		s->worker[i] = workers[i].priv =
			env_alloc_worker(env, i, sizeof(struct pc_worker), 64);
		if (!workers[i].priv)
			return -ENOMEM;
	}
	for (i = 0; i < env->nr_workers && p->uncharge == PC_UNCHARGE_OTHER_CPU; i++) {
		me = workers[i].priv;
		me->to = env_alloc_worker(env, i, sizeof(*me->to), 64);
		if (!me->to)
			return -ENOMEM;
		((struct pc_worker *)workers[(i + 1) % env->nr_workers].priv)->from = me->to;
	}
	return 0;
}

static int pc_setup(const struct env *env, const void *params, struct worker *workers,
		    void **shared, struct err *err)
{
	const struct pc_params *p = params;
	const struct page_counter_config config = {.layout = p->layout,
						   .rule = p->protection,
						   .depth = p->depth,
						   .nr_leaves = 1,
						   .base_offset = p->base_offset};
	struct pc_shared *s =
		env_alloc(env, sizeof(*s) + sizeof(s->worker[0]) * env->nr_workers, 64);
	int rc;

	if (!s)
		return err_set(err, -ENOMEM, "out of memory");
	*shared = s;
	rc = page_counter_tree_make(&s->tree, env, &config, err);
	if (rc)
		return rc;
	set_levels(&s->tree, p, env->nr_workers);
	return set_workers(env, p, s, workers) ? err_set(err, -ENOMEM, "out of memory") : 0;
}

/* how many pages this worker gives back now: its own, or those that its neighbour handed on */
static inline int64_t pc_give(struct pc_worker *me, int64_t held)
{
	int64_t ready;

	if (!me->from)
		return held;
	me->handed += held;
	smp_store_release(me->to, me->handed);
	ready = smp_load_acquire(me->from) - me->taken_over;
	me->taken_over += ready;
	return ready;
}

static void pc_uncharge(const struct page_counter_tree *t, struct pc_worker *me, int64_t nr_pages)
{
	if (!nr_pages)
		return;
	tree_uncharge(t, 0, nr_pages);
	me->nr_calls++;
	me->nr_uncharged += nr_pages;
}

/* a batch; else, as the kernel's second try, what is needed and nothing ahead; else 0 */
static int64_t pc_charge(const struct page_counter_tree *t, struct pc_worker *me, int64_t batch)
{
	me->nr_calls++;
	if (tree_try_charge(t, 0, batch))
		return batch;
	me->nr_calls++;
	if (tree_try_charge(t, 0, 1))
		return 1;
	me->nr_failed++;
	return 0;
}

static void pc_run(void *shared, const void *params, struct worker *w, uint64_t nr_ops)
{
	const struct page_counter_tree *t = &((struct pc_shared *)shared)->tree;
	const struct pc_params *p = params;
	const int64_t work_ns = p->work_ns, batch = p->batch;
	const bool growing = p->phase == PC_PHASE_GROWTH;
	struct pc_worker *me = w->priv;
	int64_t stock = me->stock, held = me->held;

	for (; nr_ops; nr_ops--) {
		if (work_ns)
			cpu_work_ns(work_ns);
		if (!stock) {
			stock = pc_charge(t, me, batch);
			if (!stock) {
				/* stands for reclaim: what this worker holds goes back */
				pc_uncharge(t, me, held);
				held = 0;
				continue;
			}
		}
		stock--;
		held++;
		if (held >= batch && !growing) {
			pc_uncharge(t, me, pc_give(me, held));
			held = 0;
		}
	}
	me->stock = stock;
	me->held = held;
}

/* pages in use and pages in stocks are what the counters hold */
static int pc_check(const struct env *env, const void *params, const void *shared,
		    const struct worker *workers, const uint64_t *ops, struct err *err)
{
	const struct pc_shared *s = shared;
	const struct pc_worker *me;
	long pages = 0;
	int i;

	for (i = 0; i < env->nr_workers; i++) {
		me = workers[i].priv;
		pages += (long)(ops[i] - me->nr_failed) + me->stock - me->nr_uncharged;
	}
	return page_counter_tree_check(&s->tree, &pages, err);
}

static void pc_read_metrics(const struct env *env, const void *params, const void *shared,
			    const struct worker *workers, const uint64_t *ops, double *values)
{
	uint64_t nr_calls = 0, nr_failed = 0, nr_ops = 0;
	const struct pc_worker *me;
	int i;

	for (i = 0; i < env->nr_workers; i++) {
		me = workers[i].priv;
		nr_calls += me->nr_calls;
		nr_failed += me->nr_failed;
		nr_ops += ops[i];
	}
	values[0] = nr_ops ? (double)nr_calls / nr_ops : NAN;
	values[1] = nr_ops ? (double)nr_failed / nr_ops : NAN;
}

static void pc_describe(const void *shared, field_teller tell, void *ctx)
{
	const struct pc_shared *s = shared;
	char name[40];
	int i;

	page_counter_tree_describe(&s->tree, tell, ctx);
	for (i = 0; i < s->nr_workers && s->worker[i]->to; i++) {
		snprintf(name, sizeof(name), "worker[%d].handed", i);
		tell(ctx, s->worker[i]->to, sizeof(*s->worker[i]->to), name);
	}
}

const struct experiment page_counter_experiment = {
	.name = "page_counter",
	.summary = "hierarchical charge and uncharge of a memory cgroup",
	.question = "What does charging memory to a cgroup cost here, and what do layout and batch "
		    "change?",
	.op = "one page charged and later uncharged, through a stock of batch pages",
	.unit = "pages",
	.source = "mm/page_counter.c and include/linux/page_counter.h of 5.19, 6.1, 6.12, 6.15",
	.min_workers = 1,
	.params = pc_params_table,
	.params_size = sizeof(struct pc_params),
	.metrics = pc_metrics,
	.validate = pc_validate,
	.setup = pc_setup,
	.run = pc_run,
	.check = pc_check,
	.read_metrics = pc_read_metrics,
	.describe = pc_describe,
};
