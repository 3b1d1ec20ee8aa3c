/* SPDX-License-Identifier: MIT */
/*
 * vmstats_flush - what it costs to know when the statistics of a cgroup need a flush
 *
 * One operation is one update of one page by one worker. The second count of updates, the rules
 * that write it, and a picture of their lines are in vmstats_flush.h; threshold= says when it is
 * large enough for a reader to flush.
 *
 * Time has no part in a run, so that the model can run it as well. The kernel's flush every 2 s is
 * flush_every: after so many of its own updates worker 0 flushes, whatever the threshold says. A
 * reader is a worker (the last ones) that reads the root's memory.stat after every read_every of
 * its own updates, and flushes then if one is due. Reads are not operations: the rate is of
 * updates.
 *
 * staleness_bound is what a reader may miss without flushing: updates that reach the threshold
 * exactly, and on every CPU a count that has not been moved yet. The CPUs' counts are outside the
 * threshold, so a smaller threshold leaves them. It holds for the memcg that is updated, and
 * between flushes: updates during a flush may go uncounted, and with hierarchical_guarded that can
 * silence all readers of the root (vmstats_flush.h). worst_staleness is what a flush really found,
 * or what was left at the end: without readers only flush_every limits it.
 */
#include "experiment.h"

#include <math.h>

#include "bench.h"
#include "vmstats_flush.h"

enum vmf_memcgs { VMF_SHARED, VMF_PER_WORKER };

struct vmf_params {
	int64_t rule, threshold, batch, depth, cpus, page_size, memcgs;
	int64_t flush_every, readers, read_every, work_ns;
};

struct vmf_worker {
	struct vmstats_cpu *cpu;
	struct mem_cgroup *memcg;
	/* own updates until the next flush and the next read; 0 or less: there is none */
	int64_t flush_in, read_in;
	long seen; /* what memory.stat said last */
	struct vmstats_account account;
};

static const char *const rule_names[] = {"global_unconditional", "global_guarded",
					 "hierarchical",	 "hierarchical_cached",
					 "hierarchical_guarded", NULL};
static const char *const policy_names[] = {"linear", "log2", "sqrt", NULL};
static const char *const page_size_names[] = {"4k", "16k", "64k", NULL};
static const char *const memcgs_names[] = {"shared", "per_worker", NULL};

#define VMF_OFF(field) offsetof(struct vmf_params, field)
static const struct param vmf_params_table[] = {
	{"rule", "", "who writes the shared count of updates, and when",
	 VMSTATS_GLOBAL_UNCONDITIONAL, 0, VMSTATS_HIERARCHICAL_GUARDED, 0, rule_names,
	 VMF_OFF(rule)},
	{"threshold", "",
	 "a flush is due over batch x CPUs, x (log2(CPUs) + 1), x int_sqrt(CPUs + 2)",
	 VMSTATS_LINEAR, 0, VMSTATS_SQRT, 0, policy_names, VMF_OFF(threshold)},
	{"batch", "updates", "counted by a CPU before it writes a shared line", 64, 1, 1024, 0,
	 NULL, VMF_OFF(batch)},
	{"depth", "levels", "memcgs from the updated one to the root, both included", 3, 1,
	 VMSTATS_MAX_DEPTH, 0, NULL, VMF_OFF(depth)},
	{"cpus", "CPUs", "that the threshold counts; 0: the workers of this run", 0, 0, 8192, 0,
	 NULL, VMF_OFF(cpus)},
	{"page_size", "", "of a page, where updates are stated in MiB", 0, 0, 2, 0, page_size_names,
	 VMF_OFF(page_size)},
	{"memcgs", "", "all workers update one memcg, or each one of its own", VMF_SHARED, 0,
	 VMF_PER_WORKER, 0, memcgs_names, VMF_OFF(memcgs)},
	{"flush_every", "updates", "of worker 0 from one periodic flush to the next; 0: none",
	 1000000, 0, 1000000000, 0, NULL, VMF_OFF(flush_every)},
	{"readers", "workers", "that also read memory.stat, and flush when that is due", 0, 0, 4096,
	 0, NULL, VMF_OFF(readers)},
	{"read_every", "updates", "of a reader from one read to the next", 1000, 1, 1000000000, 0,
	 NULL, VMF_OFF(read_every)},
	{"work_ns", "ns", "local work per update: the demand; 0 saturates", 0, 0, 1000000, 0, NULL,
	 VMF_OFF(work_ns)},
	{NULL}};

static const struct metric vmf_metrics[] = {
	{"shared_writes", "per update", "atomic additions to shared counts; flushes not included"},
	{"flushes", "per million updates", "by worker 0 and by readers"},
	{"threshold", "updates", "over so many a reader flushes, as the kernel states it"},
	{"threshold_mib", "MiB", "the same, if every update is one page"},
	{"staleness_bound", "updates",
	 "not folded, and yet no flush due: threshold and CPUs' counts"},
	{"worst_staleness", "updates", "most that a flush found not folded, or left at the end"},
	{NULL}};

static int vmf_validate(const void *params, int nr_workers, struct err *err)
{
	const struct vmf_params *p = params;

	if (p->memcgs == VMF_PER_WORKER && p->depth < 2)
		return err_set(err, -EINVAL,
			       "memcgs=per_worker needs depth of at least 2: depth=1 is the root "
			       "alone");
	if (p->readers > nr_workers)
		return err_set(err, -EINVAL, "readers=%lld are more than the %d workers",
			       (long long)p->readers, nr_workers);
	return 0;
}

static long counted_cpus(const struct vmf_params *p, int nr_workers)
{
	return p->cpus ? p->cpus : nr_workers;
}

static int vmf_setup(const struct env *env, const void *params, struct worker *workers,
		     void **shared, struct err *err)
{
	const struct vmf_params *p = params;
	struct vmstats *v = env_alloc(env, sizeof(*v), 64);
	struct vmf_worker *me;
	int i;

	if (!v)
		return err_set(err, -ENOMEM, "out of memory");
	*shared = v;
	v->rule = p->rule;
	v->depth = p->depth;
	v->nr_leaves = p->memcgs == VMF_PER_WORKER ? env->nr_workers : 1;
	v->batch = p->batch;
	v->threshold = vmstats_factor(p->threshold, counted_cpus(p, env->nr_workers)) *
		       (vmstats_is_global(p->rule) ? 1 : p->batch);
	if (vmstats_make(v, env))
		return err_set(err, -ENOMEM, "out of memory");
	for (i = 0; i < env->nr_workers; i++) {
		me = workers[i].priv = env_alloc_worker(env, i, sizeof(*me), 64);
		if (!me)
			return err_set(err, -ENOMEM, "out of memory");
		me->cpu = v->cpu[i];
		me->memcg = vmstats_leaf(v, i);
		me->flush_in = i == 0 ? p->flush_every : 0;
		me->read_in = i >= env->nr_workers - p->readers ? p->read_every : 0;
	}
	return 0;
}

/* a copy per rule: a rule that is looked up would cost as much as an update */
static inline __attribute__((always_inline)) void vmf_loop(struct vmstats *v,
							   const struct vmf_params *p,
							   struct vmf_worker *me, uint64_t nr_ops,
							   enum vmstats_rule rule)
{
	int64_t flush_in = me->flush_in, read_in = me->read_in;
	const int64_t work_ns = p->work_ns;

	for (; nr_ops; nr_ops--) {
		if (work_ns)
			cpu_work_ns(work_ns);
		vmstats_update(v, me->cpu, me->memcg, 1, rule, &me->account);
		if (--flush_in == 0) {
			vmstats_flush(v, &me->account);
			flush_in = p->flush_every;
		}
		if (--read_in == 0) {
			me->seen = vmstats_read(v, &me->account);
			read_in = p->read_every;
		}
	}
	me->flush_in = flush_in;
	me->read_in = read_in;
}

#define VMF_CASE(rule)                                      \
	case rule:                                          \
		vmf_loop(shared, params, me, nr_ops, rule); \
		break

static void vmf_run(void *shared, const void *params, struct worker *w, uint64_t nr_ops)
{
	struct vmf_worker *me = w->priv;

	switch ((enum vmstats_rule)((const struct vmf_params *)params)->rule) {
		VMF_CASE(VMSTATS_GLOBAL_UNCONDITIONAL);
		VMF_CASE(VMSTATS_GLOBAL_GUARDED);
		VMF_CASE(VMSTATS_HIERARCHICAL);
		VMF_CASE(VMSTATS_HIERARCHICAL_CACHED);
		VMF_CASE(VMSTATS_HIERARCHICAL_GUARDED);
	}
}

/* what the CPUs counted and no flush has folded */
static long not_folded(const struct vmstats *v)
{
	const struct memcg_vmstats_percpu *block;
	long sum = 0;
	int i, level;

	for (i = 0; i < v->nr_cpus; i++) {
		for (level = 0; level < v->depth; level++) {
			block = &v->cpu[i]->block[level];
			sum += READ_ONCE(block->state) - READ_ONCE(block->state_prev);
		}
	}
	return sum;
}

static long moved_to(const struct worker *workers, int nr_workers, int level)
{
	long sum = 0;
	int i;

	for (i = 0; i < nr_workers; i++)
		sum += ((const struct vmf_worker *)workers[i].priv)->account.moved[level];
	return sum;
}

/*
 * The shared counts of a level, together: what was added to them and no flush has reset. A guard
 * lets no count pass the threshold but by those who looked before it did, each of them once.
 */
static int check_counts(const struct vmstats *v, int level, int nr_counts, long sum, long moved,
			uint64_t nr_flushes, struct err *err)
{
	long step = vmstats_is_global(v->rule) ? (v->batch + 1) / v->batch : v->batch;
	long most = nr_counts * v->threshold + v->nr_cpus * step;

	if (sum < 0 || sum > moved || (!nr_flushes && sum != moved))
		return err_set(err, -EUCLEAN,
			       "shared counts of level %d hold %ld, %ld were added and reset %llu "
			       "times",
			       level, sum, moved, (unsigned long long)nr_flushes);
	if (v->rule != VMSTATS_GLOBAL_UNCONDITIONAL && sum > most)
		return err_set(err, -EUCLEAN,
			       "shared counts of level %d hold %ld, the guard allows %ld", level,
			       sum, most);
	return 0;
}

static int check_level(const struct vmstats *v, const struct worker *workers, int level,
		       uint64_t nr_ops, uint64_t nr_flushes, struct err *err)
{
	int nr_memcgs = level ? 1 : v->nr_leaves, i, k;
	long folded = 0, counts = 0, left = not_folded(v);
	const struct mem_cgroup *memcg;

	for (i = 0; i < nr_memcgs; i++) {
		for (memcg = v->leaf[i], k = 0; k < level; k++)
			memcg = memcg->parent;
		folded += READ_ONCE(memcg->vmstats->state);
		counts += atomic_long_read(&memcg->vmstats->stats_updates);
	}
	if (folded + left != (long)nr_ops)
		return err_set(err, -EUCLEAN,
			       "%ld updates are folded in level %d and %ld are not, the workers "
			       "made %llu",
			       folded, level, left, (unsigned long long)nr_ops);
	if (vmstats_is_global(v->rule))
		return 0;
	return check_counts(v, level, nr_memcgs, counts, moved_to(workers, v->nr_cpus, level),
			    nr_flushes, err);
}

static int vmf_check(const struct env *env, const void *params, const void *shared,
		     const struct worker *workers, const uint64_t *ops, struct err *err)
{
	const struct vmstats *v = shared;
	uint64_t nr_ops = 0, nr_flushes = 0;
	const struct vmf_worker *me;
	long folded = READ_ONCE(v->root->vmstats->state);
	int i, rc = 0;

	for (i = 0; i < env->nr_workers; i++) {
		me = workers[i].priv;
		nr_ops += ops[i];
		nr_flushes += me->account.nr_flushes;
		if (me->seen > folded)
			return err_set(err, -EUCLEAN,
				       "worker %d read %ld updates, only %ld are folded", i,
				       me->seen, folded);
	}
	for (i = 0; i < v->depth && !rc; i++)
		rc = check_level(v, workers, i, nr_ops, nr_flushes, err);
	if (!rc && vmstats_is_global(v->rule))
		rc = check_counts(v, 0, 1, atomic_long_read(&v->stats_flush_threshold),
				  moved_to(workers, v->nr_cpus, 0), nr_flushes, err);
	return rc;
}

/* no flush due: the threshold is reached and not passed, and each CPU's count is full */
static double staleness_bound(const struct vmf_params *p, long factor, long nr_cpus)
{
	/* batch + 1 updates are a move of one batch, or of two where batch is 1 */
	long step = (p->batch + 1) / p->batch, moves = factor / step;

	if (!vmstats_is_global(p->rule))
		return (double)p->batch * factor + (double)(p->batch - 1) * nr_cpus;
	return (double)(p->batch + 1) * moves + (double)p->batch * nr_cpus;
}

static void vmf_read_metrics(const struct env *env, const void *params, const void *shared,
			     const struct worker *workers, const uint64_t *ops, double *values)
{
	const struct vmf_params *p = params;
	long nr_cpus = counted_cpus(p, env->nr_workers);
	long factor = vmstats_factor(p->threshold, nr_cpus), worst = not_folded(shared);
	uint64_t nr_writes = 0, nr_flushes = 0, nr_ops = 0;
	const struct vmf_worker *me;
	int i;

	for (i = 0; i < env->nr_workers; i++) {
		me = workers[i].priv;
		nr_writes += me->account.nr_shared_writes;
		nr_flushes += me->account.nr_flushes;
		worst = me->account.worst > worst ? me->account.worst : worst;
		nr_ops += ops[i];
	}
	values[0] = nr_ops ? (double)nr_writes / nr_ops : NAN;
	values[1] = nr_ops ? 1e6 * nr_flushes / nr_ops : NAN;
	values[2] = (double)p->batch * factor;
	values[3] = values[2] * (4 << 2 * p->page_size) / 1024;
	values[4] =
		staleness_bound(p, factor, nr_cpus > env->nr_workers ? nr_cpus : env->nr_workers);
	values[5] = worst;
}

static void vmf_describe(const void *shared, field_teller tell, void *ctx)
{
	vmstats_describe(shared, tell, ctx);
}

const struct experiment vmstats_flush_experiment = {
	.name = "vmstats_flush",
	.summary = "counting the updates of cgroup statistics until a flush is due",
	.question =
		"What does an update of cgroup statistics cost here, and how stale may a reader "
		"find them?",
	.op = "one page added to the statistics of a memcg; reads and flushes are not counted",
	.unit = "updates",
	.source = "mm/memcontrol.c of 5.19, of July 2022 (6.0), of 6.8 with its fix, and of 2026",
	.min_workers = 1,
	.params = vmf_params_table,
	.params_size = sizeof(struct vmf_params),
	.metrics = vmf_metrics,
	.validate = vmf_validate,
	.setup = vmf_setup,
	.run = vmf_run,
	.check = vmf_check,
	.read_metrics = vmf_read_metrics,
	.describe = vmf_describe,
};
