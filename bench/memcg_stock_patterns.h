/* SPDX-License-Identifier: MIT */
/*
 * memcg_stock_patterns.h - who charges and uncharges what, in which order
 *
 * A worker has a role, which follows from the pattern; requests and pages are numbered from 0, and
 * number p is for memcg p mod memcgs. One operation of
 *
 *   request_response   charges 1 page, then uncharges 2: one page of the working set is given back
 *   stream             is one page charged or one page uncharged: a burst of pages is charged, then
 *                      the same pages are uncharged in the same order
 *   producer_consumer  of an even worker is one page charged and handed on to the worker after it,
 *                      of an odd one a page taken over and uncharged. An odd last worker streams
 *   mixed              is one charge or one uncharge of 1, 2, 4, 8, 16 or 32 pages: all six sizes
 *                      in random order, again until a burst of pages is charged; then as many of
 *                      each, in other orders, are uncharged
 *
 *   the line of a producer    nr handed on ........                                              |
 *   the line of a consumer    nr taken over .......                                              |
 *
 * The other side reads a line again only when what it knows of it is used up: a consumer has no
 * page left, a producer is a burst ahead.
 *
 * Included by memcg_stock.c alone.
 */
#ifndef BENCH_MEMCG_STOCK_PATTERNS_H
#define BENCH_MEMCG_STOCK_PATTERNS_H

#include "memcg_stock.h"

#define SPINS_PER_LOOK 4096 /* polls between two looks at worker_over() */
#define MIXED_SIZES    6

enum ms_role { MS_REQUEST_RESPONSE, MS_STREAM, MS_PRODUCER, MS_CONSUMER, MS_MIXED };

/* the order of pattern=mixed; check() goes through it again */
struct mixed {
	uint64_t rng;
	unsigned int half, at;	 /* requests of half a round; of the round's two halves, the next */
	unsigned int first, now; /* memcg of size 1: in the first six of the round, in this six */
	unsigned char order[MIXED_SIZES];
};

struct mixed_request {
	bool charge;
	unsigned int memcg, nr_pages;
};

struct ms_worker {
	struct stock_cpu cpu;
	enum ms_role role;
	unsigned int nr_memcgs, to_charge, to_uncharge; /* memcgs of the next page each way */
	int64_t burst, nr_left; /* stream: pages left of this half of the burst */
	bool uncharging;	/* stream: the second half */
	/* producer and consumer */
	long *mine;
	const long *partner;
	long nr_moved, nr_known; /* pages handed on or taken over; what the partner last said */
	bool gave_up;
	/* remote drain */
	int64_t drain_every, until_drain; /* operations; 0 never */
	struct stock_lines right;
	void *const *right_memcg;
	struct mixed mixed;
};

static inline void mixed_init(struct mixed *m, uint64_t seed, unsigned int burst)
{
	unsigned int i, pages = (1U << MIXED_SIZES) - 1;

	*m = (struct mixed){.rng = seed, .half = (burst + pages - 1) / pages * MIXED_SIZES};
	for (i = 0; i < MIXED_SIZES; i++)
		m->order[i] = i;
}

/* six of a kind begin: another order, and their memcgs, which are the same in both halves */
static inline void mixed_begin(struct mixed *m, unsigned int nr_memcgs)
{
	uint64_t random = stats_rng(&m->rng);
	unsigned char size;
	int i, k;

	for (i = MIXED_SIZES - 1; i > 0; i--, random >>= 12) {
		k = (random & 0xfff) * (i + 1) >> 12;
		size = m->order[i];
		m->order[i] = m->order[k];
		m->order[k] = size;
	}
	if (m->at == 2 * m->half) {
		m->at = 0;
		m->first = (m->first + m->half) % nr_memcgs;
	}
	m->now = (m->first + m->at % m->half) % nr_memcgs;
}

static inline struct mixed_request mixed_next(struct mixed *m, unsigned int nr_memcgs)
{
	unsigned int size;

	if (m->at % MIXED_SIZES == 0)
		mixed_begin(m, nr_memcgs);
	size = m->order[m->at % MIXED_SIZES];
	return (struct mixed_request){.charge = m->at++ < m->half,
				      .memcg = (m->now + size) % nr_memcgs,
				      .nr_pages = 1U << size};
}

/* --------------------------------------------------------------------------- steps */

static inline int next_memcg(const struct ms_worker *me, unsigned int *memcg)
{
	unsigned int now = *memcg;

	*memcg = now + 1 < me->nr_memcgs ? now + 1 : 0;
	return now;
}

STOCK_INLINE void step_request_response(enum stock_layout layout, struct ms_worker *me)
{
	int memcg = next_memcg(me, &me->to_charge);

	stock_charge(layout, &me->cpu, memcg, 1);
	stock_uncharge(layout, &me->cpu, memcg, 2);
}

STOCK_INLINE void step_stream(enum stock_layout layout, struct ms_worker *me)
{
	if (me->uncharging)
		stock_uncharge(layout, &me->cpu, next_memcg(me, &me->to_uncharge), 1);
	else
		stock_charge(layout, &me->cpu, next_memcg(me, &me->to_charge), 1);
	if (!--me->nr_left) {
		me->nr_left = me->burst;
		me->uncharging = !me->uncharging;
	}
}

STOCK_INLINE void step_mixed(enum stock_layout layout, struct ms_worker *me)
{
	struct mixed_request r = mixed_next(&me->mixed, me->nr_memcgs);

	if (r.charge)
		stock_charge(layout, &me->cpu, r.memcg, r.nr_pages);
	else
		stock_uncharge(layout, &me->cpu, r.memcg, r.nr_pages);
}

/* until the partner has moved @nr pages; false when it has left for good */
static inline bool wait_for_partner(struct ms_worker *me, const struct worker *w, long nr)
{
	unsigned int polls = 0;

	while (me->nr_known < nr) {
		me->nr_known = smp_load_acquire(me->partner);
		if (++polls % SPINS_PER_LOOK == 0 && worker_over(w) && me->nr_known < nr)
			return false;
	}
	return true;
}

STOCK_INLINE bool step_producer(enum stock_layout layout, struct ms_worker *me,
				const struct worker *w)
{
	if (!wait_for_partner(me, w, me->nr_moved - me->burst + 1))
		return false;
	stock_charge(layout, &me->cpu, next_memcg(me, &me->to_charge), 1);
	smp_store_release(me->mine, ++me->nr_moved);
	return true;
}

STOCK_INLINE bool step_consumer(enum stock_layout layout, struct ms_worker *me,
				const struct worker *w)
{
	if (!wait_for_partner(me, w, me->nr_moved + 1))
		return false;
	stock_uncharge(layout, &me->cpu, next_memcg(me, &me->to_uncharge), 1);
	smp_store_release(me->mine, ++me->nr_moved);
	return true;
}

/* between two operations */
STOCK_INLINE void drain_remotely(enum stock_layout layout, struct ms_worker *me)
{
	if (!--me->until_drain) {
		me->until_drain = me->drain_every;
		stock_ask(layout, &me->cpu, &me->right, me->right_memcg);
	}
	stock_serve(layout, &me->cpu);
}

/* ---------------------------------------------------------------------------- loops */

#define MS_LOOP(step)                               \
	for (; nr_ops; nr_ops--) {                  \
		if (work_ns)                        \
			cpu_work_ns(work_ns);       \
		step;                               \
		if (me->drain_every)                \
			drain_remotely(layout, me); \
	}                                           \
	break

#define MS_LOOP_OR_GIVE_UP(step)    \
	MS_LOOP(if (!(step)) {      \
		me->gave_up = true; \
		return;             \
	})

STOCK_INLINE void run_role(enum stock_layout layout, struct ms_worker *me, const struct worker *w,
			   int64_t work_ns, uint64_t nr_ops)
{
	switch (me->role) {
	case MS_REQUEST_RESPONSE:
		MS_LOOP(step_request_response(layout, me));
	case MS_STREAM:
		MS_LOOP(step_stream(layout, me));
	case MS_PRODUCER:
		MS_LOOP_OR_GIVE_UP(step_producer(layout, me, w));
	case MS_CONSUMER:
		MS_LOOP_OR_GIVE_UP(step_consumer(layout, me, w));
	case MS_MIXED:
		MS_LOOP(step_mixed(layout, me));
	}
}

#endif
