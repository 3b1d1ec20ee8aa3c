/* SPDX-License-Identifier: MIT */
/*
 * vmstats_flush.h - statistics of memory cgroups: counted per CPU, folded by a flush
 *
 * An update adds pages to a counter of its CPU, so nobody sees it before a flush has visited every
 * CPU and folded what it found into the cgroup and its ancestors. A flush is expensive, so updates
 * are counted a second time, by stats_updates: a reader flushes only when that is over a threshold.
 * The rules differ in who writes this second count, and when. Lines, 64 bytes, "|" is a line's end:
 *
 *   shared     global rules   stats_flush_threshold                              |
 *   per memcg  mem_cgroup     parent                                             |
 *                             vmstats_percpu   vmstats                           |
 *              vmstats        state                                              |
 *                             state_pending    stats_updates                     |
 *   per CPU    global rules   stats_updates                                      |
 *   per CPU    vmstats_percpu stats_updates    parent   vmstats                  |
 *   and memcg                 state                                              |
 *                             state_prev                                         |
 *
 *   rule                  one update of n pages writes, beside its CPU's state of the memcg
 *   global_unconditional  (5.19) stats_updates of the CPU, for all memcgs; when that exceeds batch,
 *                         count / batch is added to stats_flush_threshold: the count is in batches
 *   global_guarded        (July 2022) the same, but a stats_flush_threshold that is over the
 *                         threshold already is only read
 *   hierarchical          (8d59d2214c23, 6.8) from the memcg to the root, at each level: the CPU's
 *                         stats_updates; when that reaches batch it goes to the memcg's own atomic,
 *                         unless that is over the threshold. Three lines per level: the memcg's
 *                         parent, its vmstats_percpu, the CPU's block
 *   hierarchical_cached   (9cee7e8ef3e3) the same, but the CPU's blocks point at each other: a line
 *                         per level
 *   hierarchical_guarded  (newest) cached, and an atomic over the threshold, looked at before
 *                         anything is counted, ends the walk: all ancestors are due as well
 *
 * A flush resets the shared counts with a plain store, and the hierarchical rules' per-CPU counts
 * from another CPU: an update that runs meanwhile may be missing from the second count, never from
 * the statistics, whose counters have one writer each. The global rules leave per-CPU counts alone.
 * A child is reset before its parent, so the parent's count may come to lag behind the child's.
 * Where a child over the threshold ends the walk, the parent then never gets there: who reads the
 * parent finds no flush due, however much is missing, until the periodic flush.
 *
 * What stands in for more: one item of statistics (the kernel's state[] has dozens), and the flush
 * visits every CPU's own branch where the kernel keeps a list of those that changed. A flusher that
 * meets another one leaves; since 6.8 the kernel's would wait for it.
 *
 * Facts: mm/memcontrol.c of 5.19, 6.8 and 2026. Offsets are ours except what shares a line above.
 * Threads: vmstats_make() in setup; an update by the worker whose @cpu it is; the rest by anybody.
 * Private to bench/: vmstats_flush measures it, charge_path composes it.
 */
#ifndef BENCH_VMSTATS_FLUSH_H
#define BENCH_VMSTATS_FLUSH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "experiment.h"

#include "katomic.h"

#define VMSTATS_MAX_DEPTH 6
#define VMSTATS_LINE	  __attribute__((aligned(64)))

enum vmstats_rule {
	VMSTATS_GLOBAL_UNCONDITIONAL,
	VMSTATS_GLOBAL_GUARDED,
	VMSTATS_HIERARCHICAL,
	VMSTATS_HIERARCHICAL_CACHED,
	VMSTATS_HIERARCHICAL_GUARDED,
};

/* how the threshold grows with the number of CPUs (the last two: proposals of 2026) */
enum vmstats_policy { VMSTATS_LINEAR, VMSTATS_LOG2, VMSTATS_SQRT };

struct memcg_vmstats {
	long state VMSTATS_LINE;	 /* folded */
	long state_pending VMSTATS_LINE; /* folded in a child, not yet here */
	atomic_long_t stats_updates;
};

struct memcg_vmstats_percpu {
	unsigned int stats_updates VMSTATS_LINE;
	struct memcg_vmstats_percpu *parent;
	struct memcg_vmstats *vmstats;
	long state VMSTATS_LINE;
	long state_prev VMSTATS_LINE; /* of state, the part that is folded; the flusher's */
};

struct mem_cgroup {
	struct mem_cgroup *parent VMSTATS_LINE;
	size_t vmstats_percpu VMSTATS_LINE; /* an offset in every CPU's area */
	struct memcg_vmstats *vmstats;
};

/* a CPU's area: the block of level i is that of its own memcg's i-th ancestor */
struct vmstats_cpu {
	unsigned int stats_updates VMSTATS_LINE;
	struct memcg_vmstats_percpu block[VMSTATS_MAX_DEPTH];
};

struct vmstats {
	enum vmstats_rule rule;
	int depth, nr_cpus, nr_leaves;
	unsigned int batch;
	long threshold; /* over it a flush is due: batches for global rules, else updates */
	struct vmstats_cpu **cpu; /* nr_cpus */
	struct mem_cgroup **leaf; /* nr_leaves: 1, or one per CPU */
	struct mem_cgroup *root;  /* the leaf itself when depth is 1 */
	atomic_long_t stats_flush_threshold __attribute__((aligned(128)));
	int flush_lock __attribute__((aligned(128)));
};

/* ours, private to a worker: what it did */
struct vmstats_account {
	uint64_t nr_shared_writes, nr_flushes;
	long moved[VMSTATS_MAX_DEPTH]; /* to shared counts, by level; a global one is level 0 */
	long worst;		       /* most updates that one of its flushes found not folded */
};

static inline bool vmstats_is_global(enum vmstats_rule rule)
{
	return rule == VMSTATS_GLOBAL_UNCONDITIONAL || rule == VMSTATS_GLOBAL_GUARDED;
}

/* batches that make a flush due on @nr_cpus CPUs; times batch: updates */
static inline long vmstats_factor(enum vmstats_policy policy, long nr_cpus)
{
	long root = 1;

	if (policy == VMSTATS_LINEAR)
		return nr_cpus;
	if (policy == VMSTATS_LOG2)
		return 8 * (long)sizeof(long) - __builtin_clzl(nr_cpus);
	while ((root + 1) * (root + 1) <= nr_cpus + 2)
		root++;
	return root;
}

/* the memcg that a CPU updates */
static inline struct mem_cgroup *vmstats_leaf(const struct vmstats *v, int cpu)
{
	return v->leaf[v->nr_leaves > 1 ? cpu : 0];
}

static inline struct memcg_vmstats_percpu *vmstats_block(struct vmstats_cpu *cpu,
							 const struct mem_cgroup *memcg)
{
	return (void *)((char *)cpu + READ_ONCE(memcg->vmstats_percpu));
}

/* -------------------------------------------------------------------- update */

static inline void vmstats_move(atomic_long_t *to, long count, int level,
				struct vmstats_account *account)
{
	atomic_long_add(count, to);
	account->nr_shared_writes++;
	account->moved[level] += count;
}

static inline bool vmstats_over(const struct vmstats *v, const atomic_long_t *count)
{
	return atomic_long_read(count) > v->threshold;
}

static inline unsigned int vmstats_count(unsigned int *stats_updates, unsigned int nr)
{
	nr += READ_ONCE(*stats_updates);
	WRITE_ONCE(*stats_updates, nr);
	return nr;
}

static inline void vmstats_count_global(struct vmstats *v, struct vmstats_cpu *cpu, unsigned int nr,
					bool guarded, struct vmstats_account *account)
{
	unsigned int count = vmstats_count(&cpu->stats_updates, nr);

	if (count <= v->batch)
		return;
	if (!guarded || !vmstats_over(v, &v->stats_flush_threshold))
		vmstats_move(&v->stats_flush_threshold, count / v->batch, 0, account);
	WRITE_ONCE(cpu->stats_updates, 0);
}

static inline void vmstats_count_up(struct vmstats *v, struct vmstats_cpu *cpu,
				    const struct mem_cgroup *memcg, unsigned int nr,
				    struct vmstats_account *account)
{
	struct memcg_vmstats_percpu *block;
	struct memcg_vmstats *vmstats;
	unsigned int count;
	int level;

	for (level = 0; memcg; memcg = READ_ONCE(memcg->parent), level++) {
		block = vmstats_block(cpu, memcg);
		count = vmstats_count(&block->stats_updates, nr);
		if (count < v->batch)
			continue;
		vmstats = READ_ONCE(memcg->vmstats);
		if (!vmstats_over(v, &vmstats->stats_updates))
			vmstats_move(&vmstats->stats_updates, count, level, account);
		WRITE_ONCE(block->stats_updates, 0);
	}
}

static inline void vmstats_count_up_cached(struct vmstats *v, struct memcg_vmstats_percpu *block,
					   unsigned int nr, bool test_first,
					   struct vmstats_account *account)
{
	struct memcg_vmstats *vmstats;
	unsigned int count;
	int level;

	for (level = 0; block; block = READ_ONCE(block->parent), level++) {
		if (test_first && vmstats_over(v, &READ_ONCE(block->vmstats)->stats_updates))
			return;
		count = vmstats_count(&block->stats_updates, nr);
		if (count < v->batch)
			continue;
		vmstats = READ_ONCE(block->vmstats);
		if (test_first || !vmstats_over(v, &vmstats->stats_updates))
			vmstats_move(&vmstats->stats_updates, count, level, account);
		WRITE_ONCE(block->stats_updates, 0);
	}
}

/*
 * vmstats_update - @nr_pages more (or fewer) pages of a kind in @memcg
 * @cpu: of the caller; @memcg: vmstats_leaf() of it; @rule: v->rule, a constant in a hot loop
 */
static inline void vmstats_update(struct vmstats *v, struct vmstats_cpu *cpu,
				  struct mem_cgroup *memcg, long nr_pages, enum vmstats_rule rule,
				  struct vmstats_account *account)
{
	struct memcg_vmstats_percpu *block = vmstats_block(cpu, memcg);
	unsigned int nr = nr_pages < 0 ? -nr_pages : nr_pages;

	WRITE_ONCE(block->state, READ_ONCE(block->state) + nr_pages);
	if (vmstats_is_global(rule))
		vmstats_count_global(v, cpu, nr, rule == VMSTATS_GLOBAL_GUARDED, account);
	else if (rule == VMSTATS_HIERARCHICAL)
		vmstats_count_up(v, cpu, memcg, nr, account);
	else
		vmstats_count_up_cached(v, block, nr, rule == VMSTATS_HIERARCHICAL_GUARDED,
					account);
}

/* --------------------------------------------------------------------- flush */

/* one CPU's branch, leaf first; returns what was not folded */
static inline long vmstats_flush_cpu(struct vmstats *v, int cpu)
{
	struct mem_cgroup *memcg = vmstats_leaf(v, cpu), *parent;
	struct memcg_vmstats *vmstats, *above;
	struct memcg_vmstats_percpu *block;
	long state, delta, pending, found = 0;

	for (; memcg; memcg = parent) {
		block = vmstats_block(v->cpu[cpu], memcg);
		vmstats = READ_ONCE(memcg->vmstats);
		parent = READ_ONCE(memcg->parent);
		pending = READ_ONCE(vmstats->state_pending);
		if (pending)
			WRITE_ONCE(vmstats->state_pending, 0);
		state = READ_ONCE(block->state);
		delta = state - READ_ONCE(block->state_prev);
		if (delta)
			WRITE_ONCE(block->state_prev, state);
		found += delta;
		delta += pending;
		if (delta)
			WRITE_ONCE(vmstats->state, READ_ONCE(vmstats->state) + delta);
		if (delta && parent) {
			above = READ_ONCE(parent->vmstats);
			WRITE_ONCE(above->state_pending, READ_ONCE(above->state_pending) + delta);
		}
		if (vmstats_is_global(v->rule))
			continue;
		WRITE_ONCE(block->stats_updates, 0);
		if (atomic_long_read(&vmstats->stats_updates))
			atomic_long_set(&vmstats->stats_updates, 0);
	}
	return found;
}

/* the whole tree; nothing when somebody else is at it */
static inline void vmstats_flush(struct vmstats *v, struct vmstats_account *account)
{
	int unlocked = 0, i;
	long found = 0;

	if (READ_ONCE(v->flush_lock) || !try_cmpxchg(&v->flush_lock, &unlocked, 1))
		return;
	for (i = 0; i < v->nr_cpus; i++)
		found += vmstats_flush_cpu(v, i);
	if (vmstats_is_global(v->rule))
		atomic_long_set(&v->stats_flush_threshold, 0);
	smp_store_release(&v->flush_lock, 0);
	account->nr_flushes++;
	if (found > account->worst)
		account->worst = found;
}

/* memory.stat of the root: what it says, after a flush when one is due */
static inline long vmstats_read(struct vmstats *v, struct vmstats_account *account)
{
	struct memcg_vmstats *root = READ_ONCE(v->root->vmstats);

	if (vmstats_over(v, vmstats_is_global(v->rule) ? &v->stats_flush_threshold
						       : &root->stats_updates))
		vmstats_flush(v, account);
	return READ_ONCE(root->state);
}

/* ---------------------------------------------------------------------- setup */

static inline struct mem_cgroup *vmstats_new(const struct env *env, int level,
					     struct mem_cgroup *parent)
{
	struct mem_cgroup *memcg = env_alloc(env, sizeof(*memcg), 64);

	if (!memcg)
		return NULL;
	memcg->vmstats = env_alloc(env, sizeof(*memcg->vmstats), 64);
	memcg->vmstats_percpu =
		offsetof(struct vmstats_cpu, block) + level * sizeof(struct memcg_vmstats_percpu);
	memcg->parent = parent;
	return memcg->vmstats ? memcg : NULL;
}

/* the area of a CPU: its own blocks point at each other */
static inline struct vmstats_cpu *vmstats_new_cpu(const struct env *env, const struct vmstats *v,
						  int cpu)
{
	struct vmstats_cpu *area = env_alloc_worker(env, cpu, sizeof(*area), 64);
	struct mem_cgroup *memcg;
	int level = 0;

	for (memcg = area ? vmstats_leaf(v, cpu) : NULL; memcg; memcg = memcg->parent, level++) {
		area->block[level].vmstats = memcg->vmstats;
		area->block[level].parent = memcg->parent ? &area->block[level + 1] : NULL;
	}
	return area;
}

/*
 * vmstats_make - a tree with one leaf, or with a leaf per CPU, and every CPU's area
 * @v: zeroed, on the home node, with rule, depth, nr_leaves, batch and threshold set. 0 or -ENOMEM.
 */
static inline int vmstats_make(struct vmstats *v, const struct env *env)
{
	struct mem_cgroup *parent = NULL;
	int i;

	v->nr_cpus = env->nr_workers;
	v->cpu = env_alloc(env, sizeof(*v->cpu) * v->nr_cpus, 64);
	v->leaf = env_alloc(env, sizeof(*v->leaf) * v->nr_leaves, 64);
	if (!v->cpu || !v->leaf)
		return -ENOMEM;
	for (i = v->depth - 1; i > 0; i--) {
		parent = vmstats_new(env, i, parent);
		if (!parent)
			return -ENOMEM;
		v->root = v->root ? v->root : parent;
	}
	for (i = 0; i < v->nr_leaves; i++) {
		v->leaf[i] = vmstats_new(env, 0, parent);
		if (!v->leaf[i])
			return -ENOMEM;
	}
	v->root = v->root ? v->root : v->leaf[0];
	for (i = 0; i < v->nr_cpus; i++) {
		v->cpu[i] = vmstats_new_cpu(env, v, i);
		if (!v->cpu[i])
			return -ENOMEM;
	}
	return 0;
}

/* ----------------------------------------------------------- names, for the model */

#define VMSTATS_TELL(field, form, ...)                           \
	do {                                                     \
		snprintf(name, sizeof(name), form, __VA_ARGS__); \
		tell(ctx, &(field), sizeof(field), name);        \
	} while (0)

static inline void vmstats_describe_memcg(const struct mem_cgroup *memcg, int level,
					  field_teller tell, void *ctx)
{
	const struct memcg_vmstats *vmstats = memcg->vmstats;
	char name[48];

	VMSTATS_TELL(memcg->parent, "%d:memcg.parent", level);
	VMSTATS_TELL(memcg->vmstats_percpu, "%d:memcg.vmstats_percpu", level);
	VMSTATS_TELL(memcg->vmstats, "%d:memcg.vmstats", level);
	VMSTATS_TELL(vmstats->state, "%d:vmstats.state", level);
	VMSTATS_TELL(vmstats->state_pending, "%d:vmstats.state_pending", level);
	VMSTATS_TELL(vmstats->stats_updates, "%d:vmstats.stats_updates", level);
}

static inline void vmstats_describe_cpu(const struct vmstats *v, int cpu, field_teller tell,
					void *ctx)
{
	const struct vmstats_cpu *area = v->cpu[cpu];
	const struct memcg_vmstats_percpu *block;
	char name[48];
	int level;

	VMSTATS_TELL(area->stats_updates, "cpu[%d].stats_updates", cpu);
	for (level = 0; level < v->depth; level++) {
		block = &area->block[level];
		VMSTATS_TELL(block->stats_updates, "cpu[%d].%d:stats_updates", cpu, level);
		VMSTATS_TELL(block->parent, "cpu[%d].%d:parent", cpu, level);
		VMSTATS_TELL(block->vmstats, "cpu[%d].%d:vmstats", cpu, level);
		VMSTATS_TELL(block->state, "cpu[%d].%d:state", cpu, level);
		VMSTATS_TELL(block->state_prev, "cpu[%d].%d:state_prev", cpu, level);
	}
}

/* "0:vmstats.stats_updates", "cpu[3].0:state": level and field, of a memcg or of a CPU's block */
static inline void vmstats_describe(const struct vmstats *v, field_teller tell, void *ctx)
{
	const struct mem_cgroup *memcg;
	int i;

	tell(ctx, &v->stats_flush_threshold, sizeof(v->stats_flush_threshold),
	     "stats_flush_threshold");
	tell(ctx, &v->flush_lock, sizeof(v->flush_lock), "flush_lock");
	for (i = 0; i < v->nr_leaves; i++)
		if (!i || v->leaf[i] != v->leaf[i - 1])
			vmstats_describe_memcg(v->leaf[i], 0, tell, ctx);
	for (i = 1, memcg = v->leaf[0]->parent; memcg; memcg = memcg->parent, i++)
		vmstats_describe_memcg(memcg, i, tell, ctx);
	for (i = 0; i < v->nr_cpus; i++)
		vmstats_describe_cpu(v, i, tell, ctx);
}

#undef VMSTATS_TELL

#endif
