/* SPDX-License-Identifier: MIT */
/*
 * memcg_stock_ops.h - consume, refill, drain, charge and uncharge, for every layout
 *
 * Included by memcg_stock.h, which is the manual. The layout is a constant where these are called,
 * so that each of them becomes the code of one layout.
 *
 *   stock_charge(), stock_uncharge()   what a charge path calls
 *   stock_ask(), stock_serve()         a drain that another CPU wants
 *   stock_consume(), stock_refill(), stock_drain_all()   the parts
 */
#ifndef BENCH_MEMCG_STOCK_OPS_H
#define BENCH_MEMCG_STOCK_OPS_H

#define STOCK_INLINE static inline __attribute__((always_inline))

/* ------------------------------------------------------------- the shared counters */

static inline bool stock_charge_counters(struct stock_cpu *cpu, void *memcg, unsigned int nr_pages)
{
	cpu->nr_updates++;
	return cpu->tree->ops->try_charge(memcg, nr_pages, cpu->tree->rule);
}

static inline void stock_uncharge_counters(struct stock_cpu *cpu, void *memcg,
					   unsigned int nr_pages)
{
	cpu->nr_updates++;
	cpu->tree->ops->uncharge(memcg, nr_pages, cpu->tree->rule);
}

/* stored pages go back */
static inline void stock_give_back(struct stock_cpu *cpu, void *memcg, unsigned int nr_pages)
{
	cpu->nr_drains++;
	stock_uncharge_counters(cpu, memcg, nr_pages);
}

/* --------------------------------------------------------------------- slot by slot */

STOCK_INLINE unsigned int stock_nr_pages(enum stock_layout layout, const struct stock_lines *l,
					 int i)
{
	switch (layout) {
	case STOCK_SINGLE:
		return READ_ONCE(((struct stock_single *)l->block)->nr_pages);
	case STOCK_SEVEN_8BIT:
		return READ_ONCE(((struct stock_seven_8bit *)l->block)->nr_pages[i]);
	case STOCK_SEVEN_WIDE:
		return READ_ONCE(((struct stock_seven_wide *)l->block)->nr_pages[i]);
	case STOCK_ARRAY_OF_STRUCTS:
		return READ_ONCE(((struct stock_array_of_structs *)l->block)->slot[i].nr_pages);
	case STOCK_PER_COUNTER:
		break;
	}
	return READ_ONCE(((unsigned int *)l->block)[i]);
}

STOCK_INLINE void stock_set_nr_pages(enum stock_layout layout, const struct stock_lines *l, int i,
				     unsigned int nr_pages)
{
	switch (layout) {
	case STOCK_SINGLE:
		WRITE_ONCE(((struct stock_single *)l->block)->nr_pages, nr_pages);
		break;
	case STOCK_SEVEN_8BIT:
		WRITE_ONCE(((struct stock_seven_8bit *)l->block)->nr_pages[i], nr_pages);
		break;
	case STOCK_SEVEN_WIDE:
		WRITE_ONCE(((struct stock_seven_wide *)l->block)->nr_pages[i], nr_pages);
		break;
	case STOCK_ARRAY_OF_STRUCTS:
		WRITE_ONCE(((struct stock_array_of_structs *)l->block)->slot[i].nr_pages, nr_pages);
		break;
	case STOCK_PER_COUNTER: /* by stock_exchange() */
		break;
	}
}

STOCK_INLINE void **stock_cached(enum stock_layout layout, const struct stock_lines *l, int i)
{
	switch (layout) {
	case STOCK_SINGLE:
		return &((struct stock_single *)l->block)->cached;
	case STOCK_SEVEN_8BIT:
		return &((struct stock_seven_8bit *)l->block)->cached[i];
	case STOCK_ARRAY_OF_STRUCTS:
		return &((struct stock_array_of_structs *)l->block)->slot[i].cached;
	case STOCK_SEVEN_WIDE:
	case STOCK_PER_COUNTER: /* has none */
		break;
	}
	return &l->cached[i];
}

STOCK_INLINE int stock_nr_slots(enum stock_layout layout, const struct stock_lines *l)
{
	return layout == STOCK_SINGLE ? 1 : l->nr_slots;
}

/* a local lock: no other CPU takes it, so it is never waited for */
STOCK_INLINE void stock_lock(const struct stock_lines *l, unsigned char held)
{
	WRITE_ONCE(*(unsigned char *)l->block, held);
}

STOCK_INLINE void stock_drain_slot(enum stock_layout layout, struct stock_cpu *cpu, int i)
{
	void **cached = stock_cached(layout, &cpu->lines, i);
	void *memcg = READ_ONCE(*cached);
	unsigned int stored;

	if (!memcg)
		return;
	stored = stock_nr_pages(layout, &cpu->lines, i);
	if (stored) {
		stock_give_back(cpu, memcg, stored);
		stock_set_nr_pages(layout, &cpu->lines, i, 0);
	}
	WRITE_ONCE(*cached, NULL);
}

STOCK_INLINE bool stock_slots_consume(enum stock_layout layout, struct stock_cpu *cpu, void *memcg,
				      unsigned int nr_pages)
{
	const struct stock_lines *l = &cpu->lines;
	const int nr_slots = stock_nr_slots(layout, l);
	unsigned int stored;
	bool done = false;
	int i;

	stock_lock(l, 1);
	for (i = 0; i < nr_slots; i++) {
		if (READ_ONCE(*stock_cached(layout, l, i)) != memcg)
			continue;
		stored = stock_nr_pages(layout, l, i);
		done = stored >= nr_pages;
		if (done)
			stock_set_nr_pages(layout, l, i, stored - nr_pages);
		break;
	}
	stock_lock(l, 0);
	return done;
}

/* the memcg is in slot @i */
STOCK_INLINE void stock_add(enum stock_layout layout, struct stock_cpu *cpu, int i, void *memcg,
			    unsigned int nr_pages)
{
	unsigned int sum = stock_nr_pages(layout, &cpu->lines, i) + nr_pages;

	if (sum > cpu->batch && cpu->trim) {
		stock_give_back(cpu, memcg, sum - cpu->low);
		stock_set_nr_pages(layout, &cpu->lines, i, cpu->low);
		return;
	}
	stock_set_nr_pages(layout, &cpu->lines, i, sum);
	if (sum > cpu->batch)
		stock_drain_slot(layout, cpu, i);
}

/* the slot that a new memcg gets when none is empty */
STOCK_INLINE int stock_evict(enum stock_layout layout, struct stock_cpu *cpu)
{
	int nr_slots = stock_nr_slots(layout, &cpu->lines), i;

	cpu->nr_evictions++;
	if (layout == STOCK_SINGLE) {
		i = 0;
	} else if (cpu->random) {
		i = stats_rng_below(&cpu->rng, nr_slots);
	} else {
		i = READ_ONCE(cpu->lines.tail->evict);
		WRITE_ONCE(cpu->lines.tail->evict, i + 1 < nr_slots ? i + 1 : 0);
	}
	stock_drain_slot(layout, cpu, i);
	return i;
}

STOCK_INLINE void stock_slots_refill(enum stock_layout layout, struct stock_cpu *cpu, void *memcg,
				     unsigned int nr_pages)
{
	const struct stock_lines *l = &cpu->lines;
	const int nr_slots = stock_nr_slots(layout, l);
	int i, empty = -1;
	void *cached;

	stock_lock(l, 1);
	for (i = 0; i < nr_slots; i++) {
		cached = READ_ONCE(*stock_cached(layout, l, i));
		if (cached == memcg)
			break;
		if (!cached && empty < 0)
			empty = i;
	}
	if (i < nr_slots) {
		stock_add(layout, cpu, i, memcg, nr_pages);
	} else {
		if (empty < 0)
			empty = stock_evict(layout, cpu);
		WRITE_ONCE(*stock_cached(layout, l, empty), memcg);
		stock_set_nr_pages(layout, l, empty, nr_pages);
	}
	stock_lock(l, 0);
}

/* ---------------------------------------------------------------- one atomic a counter */

/* the owner's side: fully ordered, as the kernel's try_cmpxchg. @old becomes what is there */
STOCK_INLINE bool stock_exchange(const struct stock_lines *l, int memcg, unsigned int *old,
				 unsigned int new)
{
	return try_cmpxchg(&((unsigned int *)l->block)[memcg], old, new);
}

STOCK_INLINE bool stock_counter_consume(struct stock_cpu *cpu, int memcg, unsigned int nr_pages)
{
	unsigned int old = stock_nr_pages(STOCK_PER_COUNTER, &cpu->lines, memcg);

	while (old >= nr_pages)
		if (stock_exchange(&cpu->lines, memcg, &old, old - nr_pages))
			return true;
	return false;
}

STOCK_INLINE void stock_counter_refill(struct stock_cpu *cpu, int memcg, unsigned int nr_pages)
{
	unsigned int old = stock_nr_pages(STOCK_PER_COUNTER, &cpu->lines, memcg), sum, keep;

	do {
		sum = old + nr_pages;
		keep = sum <= cpu->batch ? sum : cpu->trim ? cpu->low : 0;
	} while (!stock_exchange(&cpu->lines, memcg, &old, keep));
	if (sum != keep)
		stock_give_back(cpu, cpu->memcg[memcg], sum - keep);
}

/* @l: this CPU's or another's; whoever exchanges the count has the pages, and gives them back */
STOCK_INLINE void stock_counter_drain(struct stock_cpu *cpu, const struct stock_lines *l,
				      void *const *memcg)
{
	unsigned int stored;
	int i;

	for (i = 0; i < l->nr_slots; i++) {
		stored = xchg(&((unsigned int *)l->block)[i], 0);
		if (stored)
			stock_give_back(cpu, memcg[i], stored);
	}
}

/* ----------------------------------------------------------------------- any layout */

STOCK_INLINE bool stock_consume(enum stock_layout layout, struct stock_cpu *cpu, int memcg,
				unsigned int nr_pages)
{
	if (nr_pages > cpu->batch)
		return false;
	if (layout == STOCK_PER_COUNTER)
		return stock_counter_consume(cpu, memcg, nr_pages);
	return stock_slots_consume(layout, cpu, cpu->memcg[memcg], nr_pages);
}

STOCK_INLINE void stock_refill(enum stock_layout layout, struct stock_cpu *cpu, int memcg,
			       unsigned int nr_pages)
{
	if (nr_pages > cpu->batch)
		stock_uncharge_counters(cpu, cpu->memcg[memcg], nr_pages);
	else if (layout == STOCK_PER_COUNTER)
		stock_counter_refill(cpu, memcg, nr_pages);
	else
		stock_slots_refill(layout, cpu, cpu->memcg[memcg], nr_pages);
}

/* false: over a limit, nothing is charged */
STOCK_INLINE bool stock_charge(enum stock_layout layout, struct stock_cpu *cpu, int memcg,
			       unsigned int nr_pages)
{
	unsigned int nr_ahead = nr_pages < cpu->batch ? cpu->batch : nr_pages;

	if (cpu->call_ns)
		cpu_work_ns(cpu->call_ns);
	cpu->nr_charges++;
	if (stock_consume(layout, cpu, memcg, nr_pages))
		return true;
	cpu->nr_misses++;
	if (!stock_charge_counters(cpu, cpu->memcg[memcg], nr_ahead))
		return nr_ahead > nr_pages &&
		       stock_charge_counters(cpu, cpu->memcg[memcg], nr_pages);
	if (nr_ahead > nr_pages)
		stock_refill(layout, cpu, memcg, nr_ahead - nr_pages);
	cpu->nr_over_high += tree_over_high(cpu->tree, cpu->memcg[memcg]);
	return true;
}

STOCK_INLINE void stock_uncharge(enum stock_layout layout, struct stock_cpu *cpu, int memcg,
				 unsigned int nr_pages)
{
	if (cpu->call_ns)
		cpu_work_ns(cpu->call_ns);
	if (cpu->to_counters)
		stock_uncharge_counters(cpu, cpu->memcg[memcg], nr_pages);
	else
		stock_refill(layout, cpu, memcg, nr_pages);
}

/* --------------------------------------------------------------------- remote drain */

STOCK_INLINE void stock_drain_all(enum stock_layout layout, struct stock_cpu *cpu)
{
	int i;

	if (layout == STOCK_PER_COUNTER) {
		stock_counter_drain(cpu, &cpu->lines, cpu->memcg);
		return;
	}
	stock_lock(&cpu->lines, 1);
	for (i = 0; i < stock_nr_slots(layout, &cpu->lines); i++)
		stock_drain_slot(layout, cpu, i);
	stock_lock(&cpu->lines, 0);
}

/* what the owner finds on line 1 between two requests, where the kernel would run queued work */
STOCK_INLINE void stock_serve(enum stock_layout layout, struct stock_cpu *cpu)
{
	if (layout == STOCK_PER_COUNTER || !READ_ONCE(cpu->lines.tail->flags))
		return;
	stock_drain_all(layout, cpu);
	xchg(&cpu->lines.tail->flags, 0);
}

STOCK_INLINE bool stock_holds_pages(enum stock_layout layout, const struct stock_lines *l)
{
	int i;

	for (i = 0; i < stock_nr_slots(layout, l); i++)
		if (READ_ONCE(*stock_cached(layout, l, i)) && stock_nr_pages(layout, l, i))
			return true;
	return false;
}

/* @other: the stock to drain, @memcg: its memcgs. At most one request is under way */
STOCK_INLINE void stock_ask(enum stock_layout layout, struct stock_cpu *cpu,
			    const struct stock_lines *other, void *const *memcg)
{
	if (layout == STOCK_PER_COUNTER) {
		cpu->nr_asked++;
		stock_counter_drain(cpu, other, memcg);
	} else if (!READ_ONCE(other->tail->flags) && stock_holds_pages(layout, other) &&
		   !xchg(&other->tail->flags, 1)) {
		cpu->nr_asked++;
	}
}

#endif
