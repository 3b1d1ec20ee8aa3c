/* SPDX-License-Identifier: MIT */
/*
 * page_counter - what one hierarchical charge costs, by layout, batch and depth
 *
 * One operation is one page: local work, then a page from the worker's stock. The stock is filled
 * by try_charge(batch) on the shared counters, and pages are given back by uncharge(batch), so both
 * shared updates are paid once per batch, each of them on `depth` lines.
 */
#include "experiment.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>

#include "bench.h"
#include "page_counter.h"

#define PC_MAX_DEPTH 6
#define PC_UNLIMITED (LONG_MAX / 4096)
/* pages that are there before the workers start: usage moves on top of a working set, so that
 * protection is constant, as it is for a cgroup that uses more than its memory.min */
#define PC_RESIDENT (1L << 20)

enum pc_layout { PC_PACKED_5_19, PC_ALIGNED_2022_TEST, PC_PADDED_2022, PC_V6_12, PC_V6_15 };
enum pc_protection {
	PC_PROTECTION_OFF,
	PC_PROTECTION_UNCONDITIONAL,
	PC_PROTECTION_CONDITIONAL,
};
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

struct pc_level {
	long usage, min_usage, low_usage, children_min_usage, children_low_usage;
	unsigned long failcnt;
};

struct pc_shared {
	const struct pc_ops *ops;
	void *level[PC_MAX_DEPTH]; /* leaf first */
	int depth;
};

struct pc_ops {
	size_t size, align;
	void (*init)(struct pc_shared *s, const struct pc_params *p, int nr_workers);
	void (*run)(struct pc_shared *s, const struct pc_params *p, struct pc_worker *me,
		    uint64_t nr_ops);
	void (*read)(const struct pc_shared *s, int level, struct pc_level *out);
};

/* half of what the workers hold at most fits under the limit */
static unsigned long pc_limit(const struct pc_params *p, int nr_workers)
{
	return PC_RESIDENT + (nr_workers * p->batch + 1) / 2;
}

/* steady: a peak that was reached long ago; growth: every charge sets a new one */
static unsigned long pc_first_watermark(const struct pc_params *p, int nr_workers)
{
	return p->phase == PC_PHASE_GROWTH ? PC_RESIDENT : PC_RESIDENT + 4 * nr_workers * p->batch;
}

/*
 * The protected part of usage is min(usage, limit). The 5.19 rule exchanges it on every call once
 * protection is set; the rule of cfdab60bfa66 reads first and exchanges only what differs.
 */
static inline long pc_protected_delta(unsigned long limit, atomic_long_t *own, unsigned long usage,
				      enum pc_protection rule)
{
	unsigned long old = atomic_long_read(own);
	unsigned long now = usage < limit ? usage : limit;

	if (rule == PC_PROTECTION_UNCONDITIONAL ? !limit && !old : now == old)
		return 0;
	return now - atomic_long_xchg(own, now);
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

#define PC_LAYOUT packed_5_19
#include "page_counter_tmpl.h"
#define PC_LAYOUT aligned_2022_test
#include "page_counter_tmpl.h"
#define PC_LAYOUT padded_2022
#include "page_counter_tmpl.h"
#define PC_LAYOUT v6_12
#define PC_LOCAL_WATERMARK
#include "page_counter_tmpl.h"
#define PC_LAYOUT v6_15
#define PC_LOCAL_WATERMARK
#define PC_FLAGS
#include "page_counter_tmpl.h"

static const struct pc_ops *const pc_layouts[] = {
	[PC_PACKED_5_19] = &packed_5_19_ops,
	[PC_ALIGNED_2022_TEST] = &aligned_2022_test_ops,
	[PC_PADDED_2022] = &padded_2022_ops,
	[PC_V6_12] = &v6_12_ops,
	[PC_V6_15] = &v6_15_ops,
};

static const char *const layout_names[] = {
	"packed_5_19", "aligned_2022_test", "padded_2022", "v6_12", "v6_15", NULL};
static const char *const protection_names[] = {"off", "unconditional", "conditional", NULL};
static const char *const limit_names[] = {"none", "hit", NULL};
static const char *const phase_names[] = {"steady", "growth", NULL};
static const char *const uncharge_names[] = {"same_cpu", "other_cpu", NULL};

#define PC_OFF(field) offsetof(struct pc_params, field)
static const struct param pc_params_table[] = {
	{"layout", "", "struct page_counter of which release", PC_V6_15, 0, PC_V6_15, 0,
	 layout_names, PC_OFF(layout)},
	{"batch", "pages", "pages charged by one shared update (MEMCG_CHARGE_BATCH)", 64, 1, 1024,
	 0, NULL, PC_OFF(batch)},
	{"depth", "levels", "counters from the leaf to the root, both included", 3, 1, PC_MAX_DEPTH,
	 0, NULL, PC_OFF(depth)},
	{"work_ns", "ns", "local work per page: the demand; 0 saturates the counters", 0, 0,
	 1000000, 0, NULL, PC_OFF(work_ns)},
	{"base_offset", "bytes", "of the counter in its line; rounded up for aligned layouts", 16,
	 0, 56, 8, NULL, PC_OFF(base_offset)},
	{"protection", "", "memory.min and memory.low: off, or set with this exchange rule",
	 PC_PROTECTION_OFF, 0, PC_PROTECTION_CONDITIONAL, 0, protection_names, PC_OFF(protection)},
	{"protection_level", "level", "where min and low are set; 0 is the leaf", 0, 0,
	 PC_MAX_DEPTH - 2, 0, NULL, PC_OFF(protection_level)},
	{"limit", "",
	 "hit: memory.max fits half of what the workers want, charges fail and roll back",
	 PC_LIMIT_NONE, 0, PC_LIMIT_HIT, 0, limit_names, PC_OFF(limit)},
	{"limit_level", "level", "where the limit is set; 0 is the leaf", 0, 0, PC_MAX_DEPTH - 1, 0,
	 NULL, PC_OFF(limit_level)},
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

	if (p->protection != PC_PROTECTION_OFF && p->protection_level >= p->depth - 1)
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

static int pc_setup(const struct env *env, const void *params, struct worker *workers,
		    void **shared, struct err *err)
{
	const struct pc_params *p = params;
	const struct pc_ops *ops = pc_layouts[p->layout];
	size_t offset = (p->base_offset + ops->align - 1) & ~(ops->align - 1);
	struct pc_shared *s = env_alloc(env, sizeof(*s), 64);
	struct pc_worker *me;
	char *base;
	int i;

	if (!s)
		return err_set(err, -ENOMEM, "out of memory");
	s->ops = ops;
	s->depth = p->depth;
	/* a page each: struct mem_cgroup is allocated on its own, 2-4 KiB aligned (kernel-facts 1.2) */
	for (i = 0; i < p->depth; i++) {
		base = env_alloc(env, offset + ops->size, 4096);
		if (!base)
			return err_set(err, -ENOMEM, "out of memory");
		s->level[i] = base + offset;
	}
	ops->init(s, p, env->nr_workers);

	for (i = 0; i < env->nr_workers; i++) {
		workers[i].priv = env_alloc_worker(env, i, sizeof(struct pc_worker), 64);
		if (!workers[i].priv)
			return err_set(err, -ENOMEM, "out of memory");
	}
	for (i = 0; i < env->nr_workers && p->uncharge == PC_UNCHARGE_OTHER_CPU; i++) {
		me = workers[i].priv;
		me->to = env_alloc_worker(env, i, sizeof(*me->to), 64);
		if (!me->to)
			return err_set(err, -ENOMEM, "out of memory");
		((struct pc_worker *)workers[(i + 1) % env->nr_workers].priv)->from = me->to;
	}
	*shared = s;
	return 0;
}

static void pc_run(void *shared, const void *params, struct worker *w, uint64_t nr_ops)
{
	struct pc_shared *s = shared;

	s->ops->run(s, params, w->priv, nr_ops);
}

/*
 * Nothing is lost: at every level usage is what was there before + pages in use + pages in stocks,
 * and a parent's children's protection is the sum of its children's.
 */
static int pc_check(const struct env *env, const void *params, const void *shared,
		    const struct worker *workers, const uint64_t *ops, struct err *err)
{
	const struct pc_shared *s = shared;
	const struct pc_worker *me;
	struct pc_level level, below = {0};
	long expected = PC_RESIDENT;
	int i;

	for (i = 0; i < env->nr_workers; i++) {
		me = workers[i].priv;
		expected += (long)(ops[i] - me->nr_failed) + me->stock - me->nr_uncharged;
	}
	for (i = 0; i < s->depth; i++) {
		s->ops->read(s, i, &level);
		if (level.usage != expected)
			return err_set(
				err, -EUCLEAN,
				"usage of level %d is %ld pages, the workers account for %ld", i,
				level.usage, expected);
		if (i && (level.children_min_usage != below.min_usage ||
			  level.children_low_usage != below.low_usage))
			return err_set(
				err, -EUCLEAN,
				"level %d has %ld/%ld protected pages of its children, they have "
				"%ld/%ld",
				i, level.children_min_usage, level.children_low_usage,
				below.min_usage, below.low_usage);
		below = level;
	}
	return 0;
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
};
