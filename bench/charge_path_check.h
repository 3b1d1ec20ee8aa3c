/* SPDX-License-Identifier: MIT */
/*
 * charge_path_check.h - what must hold in the composed path, part by part
 *
 * What the messages hold is known from the messages and the sockets alone; stock, counters,
 * protocol and statistics are held against it. Included by charge_path.c alone.
 */
#ifndef BENCH_CHARGE_PATH_CHECK_H
#define BENCH_CHARGE_PATH_CHECK_H

#include "charge_path_steps.h"

static bool has_stats(const struct cp_params *p)
{
	return p->charging == CP_ON && p->stats != CP_STATS_OFF;
}

static int leaf_of(const struct cp_params *p, int idx)
{
	if (p->memcgs == CP_SHARED)
		return 0;
	return p->uncharge == CP_OTHER_CPU ? idx / 2 : idx;
}

static int64_t nr_done(const struct cp_params *p, const struct cp_worker *me, int idx)
{
	return cp_is_uncharger(p, idx) ? me->nr_uncharged : me->nr_charged;
}

/* messages of the worker's sockets that are charged now */
static int64_t nr_queued(const struct cp_params *p, const struct worker *workers, int idx)
{
	const struct cp_worker *me = workers[idx].priv, *other = me;

	if (p->uncharge == CP_OTHER_CPU)
		other = workers[idx + 1].priv;
	return me->nr_charged - other->nr_uncharged;
}

/* nothing is missing but what was dropped at the end, and messages are taken over once */
static int check_operations(const struct cp_params *p, const struct worker *workers, int idx,
			    uint64_t ops, struct err *err)
{
	const struct cp_worker *me = workers[idx].priv;
	int64_t done = nr_done(p, me, idx), queued;

	if (done > (int64_t)ops || (done < (int64_t)ops && !me->gave_up))
		return err_set(err, -EUCLEAN,
			       "worker %d was asked for %llu operations and did %lld", idx,
			       (unsigned long long)ops, (long long)done);
	if (cp_is_uncharger(p, idx))
		return 0;
	queued = nr_queued(p, workers, idx);
	if (queued < 0 || queued > p->sockets * p->burst)
		return err_set(err, -EUCLEAN,
			       "%lld messages of worker %d are charged, %lld at most can be",
			       (long long)queued, idx, (long long)p->sockets * p->burst);
	return 0;
}

/* the pages that a charging worker's messages hold, from its messages and sockets alone */
static int count_held(const struct cp_params *p, const struct worker *workers, int idx, long *held,
		      struct err *err)
{
	int64_t nr = nr_queued(p, workers, idx), queued = 0, ahead = 0;
	const struct cp_worker *me = workers[idx].priv;
	int i;

	if (p->source == CP_PAGE) {
		*held = nr * p->pages;
		return 0;
	}
	for (i = 0; i < p->sockets; i++) {
		queued += READ_ONCE(me->socket[i].sk_wmem_queued);
		ahead += READ_ONCE(me->socket[i].sk_forward_alloc);
	}
	*held = (queued + ahead) / SK_PAGE_SIZE;
	if (queued == nr * p->message_bytes && (queued + ahead) % SK_PAGE_SIZE == 0)
		return 0;
	return err_set(err, -EUCLEAN,
		       "sockets of worker %d have %lld bytes queued and %lld ahead, with %lld "
		       "messages charged",
		       idx, (long long)queued, (long long)ahead, (long long)nr);
}

static int check_protocol(const struct env *env, const struct cp_shared *s,
			  const struct worker *workers, long held, struct err *err)
{
	long total = atomic_long_read(&s->proto.memory_allocated);
	int i;

	for (i = 0; i < env->nr_workers; i++)
		total +=
			READ_ONCE(((const struct cp_worker *)workers[i].priv)->sk.per_cpu_fw_alloc);
	return total == held
		       ? 0
		       : err_set(err, -EUCLEAN, "sockets hold %ld pages, the protocol counts %ld",
				 held, total);
}

/* the second count: what was moved to the shared counts of a level is there, or was flushed */
static int check_moved(const struct vmstats *v, int level, long moved, uint64_t nr_flushes,
		       struct err *err)
{
	const struct mem_cgroup *memcg;
	long sum = 0;
	int i, k;

	if (vmstats_is_global(v->rule)) {
		sum = level ? 0 : atomic_long_read(&v->stats_flush_threshold);
	} else {
		for (i = 0; i < (level ? 1 : v->nr_leaves); i++) {
			for (memcg = v->leaf[i], k = 0; k < level; k++)
				memcg = memcg->parent;
			if (!i || v->leaf[i] != v->leaf[i - 1])
				sum += atomic_long_read(&memcg->vmstats->stats_updates);
		}
	}
	if (sum < 0 || sum > moved || (!nr_flushes && sum != moved))
		return err_set(err, -EUCLEAN,
			       "shared counts of level %d hold %ld, %ld were added and reset %llu "
			       "times",
			       level, sum, moved, (unsigned long long)nr_flushes);
	return 0;
}

/* every page that is charged is in the statistics of its memcg, and after a flush in the root's */
static int check_stats(const struct env *env, const struct cp_params *p, const struct cp_shared *s,
		       const struct worker *workers, const long *pages, struct err *err)
{
	const struct vmstats *v = &s->vmstats;
	long all = 0, state, found, folded = READ_ONCE(v->root->vmstats->state), moved;
	const struct cp_worker *me;
	uint64_t nr_flushes = 0;
	int leaf, level, i, rc = 0;

	for (leaf = 0; leaf < s->tree.nr_leaves; leaf++) {
		for (i = 0, found = 0; i < env->nr_workers; i++) {
			if (leaf_of(p, i) != leaf)
				continue;
			state = READ_ONCE(v->cpu[i]->block[0].state);
			folded += state - READ_ONCE(v->cpu[i]->block[0].state_prev);
			found += state;
		}
		all += found;
		if (found != pages[leaf])
			return err_set(err, -EUCLEAN,
				       "the statistics of memcg %d count %ld pages, the workers "
				       "account for %ld",
				       leaf, found, pages[leaf]);
	}
	if (folded != all)
		return err_set(err, -EUCLEAN,
			       "%ld pages are folded in the root or under way, %ld were counted",
			       folded, all);
	for (i = 0; i < env->nr_workers; i++)
		nr_flushes += ((const struct cp_worker *)workers[i].priv)->account.nr_flushes;
	for (level = 0; level < v->depth && !rc; level++) {
		for (i = 0, moved = 0; i < env->nr_workers; i++) {
			me = workers[i].priv;
			moved += me->account.moved[level];
		}
		rc = check_moved(v, level, moved, nr_flushes, err);
	}
	return rc;
}

/* what is charged is in use or in a stock, at every level, and is counted: nothing is lost */
static int check_charges(const struct env *env, const struct cp_params *p,
			 const struct cp_shared *s, const struct worker *workers, long *pages,
			 struct err *err)
{
	const struct cp_worker *me;
	int i, rc = 0;

	if (has_stats(p))
		rc = check_stats(env, p, s, workers, pages, err);
	for (i = 0; i < env->nr_workers && !rc; i++) {
		me = workers[i].priv;
		rc = stock_count(p->slot_layout, &me->stock, 1, &pages[leaf_of(p, i)], err);
	}
	return rc ? rc : page_counter_tree_check(&s->tree, pages, err);
}

#endif
