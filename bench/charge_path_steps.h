/* SPDX-License-Identifier: MIT */
/*
 * charge_path_steps.h - one operation of the composed path, and the loops over it
 *
 * The parts are those of the subjects that measure them one by one: sk_forward_alloc.h,
 * memcg_stock.h on page_counter_tree.h, vmstats_flush.h. Here is only their order, and who does
 * what:
 *
 *   charge    socket: sk_mem_charge(); pages raised, if any    page: n pages
 *             -> stock_charge() -> vmstats_update(+n)
 *   uncharge  socket: sk_mem_uncharge(); pages given back, if any    page: n pages
 *             -> stock_uncharge() -> vmstats_update(-n)
 *
 * The stock's layout is a constant in each loop. The rule of the statistics is one call and a
 * predicted branch away from them, where the kernel has the call alone.
 *
 * Included by charge_path.c alone.
 */
#ifndef BENCH_CHARGE_PATH_STEPS_H
#define BENCH_CHARGE_PATH_STEPS_H

#include "bench.h"
#include "memcg_stock.h"
#include "sk_forward_alloc.h"
#include "vmstats_flush.h"

#define SPINS_PER_LOOK 4096 /* polls between two looks at worker_over() */

enum cp_source { CP_PAGE, CP_SOCKET };
enum cp_reclaim { CP_ZERO, CP_64K, CP_2M_KEEP_1M };
enum cp_charging { CP_ON, CP_OFF };
enum cp_css { CP_CSS_BESIDE, CP_CSS_APART };
enum cp_memcgs { CP_SHARED, CP_PER_WORKER };
enum cp_uncharge { CP_SAME_CPU, CP_OTHER_CPU };
enum cp_stats {
	CP_STATS_OFF,
	CP_STATS_UNCONDITIONAL,
	CP_STATS_GUARDED,
	CP_STATS_HIERARCHICAL,
	CP_STATS_HIERARCHICAL_GUARDED,
};

struct cp_params {
	int64_t source, pages, message_bytes, charge_bytes, free_bytes, reclaim, charging, layout;
	int64_t base_offset, css, depth, protection, protection_level, batch, slot_layout, overflow,
		uncharge_to;
	int64_t stats, stats_batch, flush_every, memcgs, uncharge, burst, sockets, call_ns, work_ns;
};

struct cp_worker;

struct cp_shared {
	struct page_counter_tree tree;
	struct sk_proto proto;
	struct vmstats vmstats;
	/* for describe */
	struct cp_worker **worker;
	int nr_workers, nr_sockets, slot_layout;
	bool has_stats;
};

struct cp_worker {
	struct stock_cpu stock;
	struct sk_cpu sk;
	struct sk_socket *socket; /* with other_cpu the charging worker's */
	struct vmstats_cpu *stats;
	struct mem_cgroup *memcg;
	struct vmstats_account account;
	int64_t at;	     /* the socket in use */
	int64_t nr_in_burst; /* operations of this burst, so far */
	int64_t nr_charged, nr_uncharged, nr_walked;
	int64_t flush_in; /* own operations until the next flush; 0 or less: there is none */
	/* other_cpu: bursts that are done, here and (as last seen) by the partner */
	int64_t nr_bursts, seen, may_be_ahead;
	int64_t *to;
	const int64_t *from;
	bool gave_up;
};

static __attribute__((noinline)) void cp_count(struct cp_shared *s, int64_t rule,
					       struct cp_worker *me, long nr_pages)
{
	switch ((enum cp_stats)rule) {
	case CP_STATS_OFF:
		break;
	case CP_STATS_UNCONDITIONAL:
		vmstats_update(&s->vmstats, me->stats, me->memcg, nr_pages,
			       VMSTATS_GLOBAL_UNCONDITIONAL, &me->account);
		break;
	case CP_STATS_GUARDED:
		vmstats_update(&s->vmstats, me->stats, me->memcg, nr_pages, VMSTATS_GLOBAL_GUARDED,
			       &me->account);
		break;
	case CP_STATS_HIERARCHICAL:
		vmstats_update(&s->vmstats, me->stats, me->memcg, nr_pages, VMSTATS_HIERARCHICAL,
			       &me->account);
		break;
	case CP_STATS_HIERARCHICAL_GUARDED:
		vmstats_update(&s->vmstats, me->stats, me->memcg, nr_pages,
			       VMSTATS_HIERARCHICAL_GUARDED, &me->account);
		break;
	}
}

STOCK_INLINE void cp_charge_pages(enum stock_layout layout, struct cp_shared *s,
				  const struct cp_params *p, struct cp_worker *me, int nr_pages)
{
	if (!nr_pages || p->charging == CP_OFF)
		return;
	stock_charge(layout, &me->stock, 0, nr_pages);
	if (p->stats != CP_STATS_OFF)
		cp_count(s, p->stats, me, nr_pages);
}

STOCK_INLINE void cp_uncharge_pages(enum stock_layout layout, struct cp_shared *s,
				    const struct cp_params *p, struct cp_worker *me, int nr_pages)
{
	if (!nr_pages || p->charging == CP_OFF)
		return;
	stock_uncharge(layout, &me->stock, 0, nr_pages);
	if (p->stats != CP_STATS_OFF)
		cp_count(s, p->stats, me, -(long)nr_pages);
}

STOCK_INLINE void cp_charge(enum stock_layout layout, struct cp_shared *s,
			    const struct cp_params *p, struct cp_worker *me)
{
	struct sk_socket *sk = &me->socket[me->at];
	int64_t left;

	me->nr_charged++;
	if (p->source == CP_PAGE) {
		for (left = p->pages; left; left--)
			cp_charge_pages(layout, s, p, me, 1);
		return;
	}
	for (left = p->message_bytes; left > 0; left -= p->charge_bytes)
		cp_charge_pages(layout, s, p, me,
				sk_mem_charge(&s->proto, &me->sk, sk,
					      left < p->charge_bytes ? left : p->charge_bytes));
}

STOCK_INLINE void cp_uncharge(enum stock_layout layout, struct cp_shared *s,
			      const struct cp_params *p, struct cp_worker *me)
{
	struct sk_socket *sk = &me->socket[me->at];
	int64_t left;
	int nr_pages;

	me->nr_uncharged++;
	if (p->source == CP_PAGE) {
		for (left = p->pages; left; left--)
			cp_uncharge_pages(layout, s, p, me, 1);
		return;
	}
	for (left = p->message_bytes; left > 0; left -= p->free_bytes) {
		nr_pages = sk_mem_uncharge(&s->proto, &me->sk, sk,
					   left < p->free_bytes ? left : p->free_bytes);
		cp_uncharge_pages(layout, s, p, me, nr_pages);
		/* sockets ask whether there is pressure whenever they give pages back */
		if (nr_pages && p->charging == CP_ON)
			me->nr_walked += tree_pressure_walk(&s->tree, *me->stock.memcg);
	}
}

/* ------------------------------------------------------------------------ loops */

/* between two operations; only worker 0 of a run with statistics ever flushes */
static inline void cp_flush_when_due(struct cp_shared *s, const struct cp_params *p,
				     struct cp_worker *me)
{
	if (--me->flush_in)
		return;
	vmstats_flush(&s->vmstats, &me->account);
	me->flush_in = p->flush_every;
}

/* one more operation of the burst; true when that was the last */
static inline bool cp_ends_burst(struct cp_worker *me, const struct cp_params *p)
{
	return ++me->nr_in_burst == p->burst;
}

static inline void cp_next_socket(struct cp_worker *me, const struct cp_params *p)
{
	me->nr_in_burst = 0;
	me->at = me->at + 1 == p->sockets ? 0 : me->at + 1;
}

STOCK_INLINE void cp_run_alone(enum stock_layout layout, struct cp_shared *s,
			       const struct cp_params *p, struct cp_worker *me, uint64_t nr_ops)
{
	const int64_t work_ns = p->work_ns;
	int64_t i;

	for (; nr_ops; nr_ops--) {
		if (work_ns)
			cpu_work_ns(work_ns);
		cp_charge(layout, s, p, me);
		if (cp_ends_burst(me, p)) {
			for (i = 0; i < p->burst; i++)
				cp_uncharge(layout, s, p, me);
			cp_next_socket(me, p);
		}
		cp_flush_when_due(s, p, me);
	}
}

/* until the next burst is this worker's; false when the partner has left for good */
static bool cp_wait_for_burst(struct cp_worker *me, const struct worker *w)
{
	unsigned int polls = 0;

	while (me->seen + me->may_be_ahead <= me->nr_bursts) {
		cpu_relax();
		me->seen = smp_load_acquire(me->from);
		if (++polls % SPINS_PER_LOOK == 0 && worker_over(w))
			return me->seen + me->may_be_ahead > me->nr_bursts;
	}
	return true;
}

STOCK_INLINE void cp_run_side(enum stock_layout layout, struct cp_shared *s,
			      const struct cp_params *p, struct worker *w, uint64_t nr_ops,
			      bool charges)
{
	const int64_t work_ns = p->work_ns;
	struct cp_worker *me = w->priv;

	for (; nr_ops; nr_ops--) {
		if (!me->nr_in_burst && !cp_wait_for_burst(me, w)) {
			me->gave_up = true;
			return;
		}
		if (work_ns)
			cpu_work_ns(work_ns);
		if (charges)
			cp_charge(layout, s, p, me);
		else
			cp_uncharge(layout, s, p, me);
		if (cp_ends_burst(me, p)) {
			cp_next_socket(me, p);
			smp_store_release(me->to, ++me->nr_bursts);
		}
		cp_flush_when_due(s, p, me);
	}
}

static inline bool cp_is_uncharger(const struct cp_params *p, int idx)
{
	return p->uncharge == CP_OTHER_CPU && idx % 2;
}

STOCK_INLINE void cp_run_layout(enum stock_layout layout, struct cp_shared *s,
				const struct cp_params *p, struct worker *w, uint64_t nr_ops)
{
	if (p->uncharge == CP_SAME_CPU)
		cp_run_alone(layout, s, p, w->priv, nr_ops);
	else if (cp_is_uncharger(p, w->idx))
		cp_run_side(layout, s, p, w, nr_ops, false);
	else
		cp_run_side(layout, s, p, w, nr_ops, true);
}

#endif
