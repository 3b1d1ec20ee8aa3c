/* SPDX-License-Identifier: MIT */
/* The stock's lines when nothing is charged: how large they are, where, and what they hold. */
#include "memcg_stock.h"

#include <stdio.h>

const char *const stock_layout_names[] = {"single",	      "seven_8bit",  "seven_wide",
					  "array_of_structs", "per_counter", NULL};
const char *const stock_overflow_names[] = {"drain", "trim", NULL};
const char *const stock_eviction_names[] = {"round_robin", "random", NULL};
const char *const stock_blocks_names[] = {"aligned", "packed", NULL};
const char *const stock_uncharge_names[] = {"stock", "counters", NULL};

static bool has_slots(enum stock_layout layout)
{
	return layout != STOCK_SINGLE && layout != STOCK_PER_COUNTER;
}

int stock_validate(const struct stock_config *c, struct err *err)
{
	if (c->layout == STOCK_SEVEN_8BIT && c->nr_slots > STOCK_MAX_SLOTS_8BIT)
		return err_set(err, -EINVAL,
			       "slots=%d do not fit seven_8bit: lock, counts and pointers of %d "
			       "slots fill its line",
			       c->nr_slots, STOCK_MAX_SLOTS_8BIT);
	if (c->layout == STOCK_SEVEN_8BIT && c->batch > STOCK_MAX_BATCH_8BIT)
		return err_set(
			err, -EINVAL,
			"batch=%u does not fit seven_8bit: the sum of two stored counts must "
			"fit 8 bits, so %d is the most; seven_wide has no such limit",
			c->batch, STOCK_MAX_BATCH_8BIT);
	if (!has_slots(c->layout) && c->nr_slots != STOCK_SLOTS)
		return err_set(err, -EINVAL, "slots=%d: slot_layout=%s leaves no choice of slots",
			       c->nr_slots, stock_layout_names[c->layout]);
	return 0;
}

static size_t tail_offset(const struct stock_config *c)
{
	switch (c->layout) {
	case STOCK_SINGLE:
		return offsetof(struct stock_single, tail);
	case STOCK_SEVEN_8BIT:
		return offsetof(struct stock_seven_8bit, tail);
	case STOCK_SEVEN_WIDE:
		return STOCK_WIDE_TAIL(c->nr_slots);
	case STOCK_ARRAY_OF_STRUCTS:
		return STOCK_STRUCTS_TAIL(c->nr_slots);
	case STOCK_PER_COUNTER:
		break;
	}
	return 0;
}

void *stock_block(const struct env *env, const struct stock_config *c, int idx, void **packed)
{
	size_t size = tail_offset(c) + sizeof(struct stock_tail);

	if (c->layout == STOCK_PER_COUNTER)
		size = c->nr_memcgs * sizeof(unsigned int);
	if (c->blocks == STOCK_ALIGNED)
		return env_alloc_worker(env, idx, size, 64);
	if (!*packed)
		*packed = env_alloc(env, size * env->nr_workers, 64);
	return *packed ? (char *)*packed + idx * size : NULL;
}

void stock_init(struct stock_cpu *cpu, const struct stock_config *c, void *block,
		const struct page_counter_tree *tree, void *const *memcg, uint64_t seed)
{
	*cpu = (struct stock_cpu){.tree = tree,
				  .memcg = memcg,
				  .batch = c->batch,
				  .low = c->batch / 2,
				  .call_ns = c->call_ns,
				  .trim = c->overflow == STOCK_TRIM,
				  .random = c->eviction == STOCK_RANDOM,
				  .to_counters = c->uncharge_to == STOCK_TO_COUNTERS,
				  .rng = seed};
	cpu->lines.block = block;
	cpu->lines.nr_slots = c->layout == STOCK_PER_COUNTER ? c->nr_memcgs : c->nr_slots;
	if (c->layout == STOCK_SEVEN_WIDE)
		cpu->lines.cached = (void **)((char *)block + STOCK_WIDE_CACHED(c->nr_slots));
	if (c->layout != STOCK_PER_COUNTER)
		cpu->lines.tail = (struct stock_tail *)((char *)block + tail_offset(c));
}

int stock_count(enum stock_layout layout, const struct stock_cpu *cpu, int nr_memcgs, long *pages,
		struct err *err)
{
	const struct stock_lines *l = &cpu->lines;
	bool seen[STOCK_MAX_MEMCGS] = {0};
	unsigned int stored;
	void *cached;
	int i, k;

	for (i = 0; i < stock_nr_slots(layout, l); i++) {
		stored = stock_nr_pages(layout, l, i);
		k = i;
		if (layout != STOCK_PER_COUNTER) {
			cached = READ_ONCE(*stock_cached(layout, l, i));
			for (k = 0; k < nr_memcgs && cpu->memcg[k] != cached; k++)
				;
			if (!cached && !stored)
				continue;
		}
		if (k == nr_memcgs)
			return err_set(err, -EUCLEAN, "slot %d stores %u pages of no memcg", i,
				       stored);
		if (seen[k])
			return err_set(err, -EUCLEAN, "memcg %d is in two slots", k);
		if (stored > cpu->batch)
			return err_set(err, -EUCLEAN,
				       "memcg %d has %u pages in a stock, batch is %u", k, stored,
				       cpu->batch);
		seen[k] = true;
		pages[k] += stored;
	}
	return 0;
}

struct telling {
	field_teller tell;
	void *ctx;
	int idx;
};

static void tell_part(const struct telling *t, const volatile void *field, size_t size,
		      const char *name)
{
	char text[48];

	snprintf(text, sizeof(text), "stock[%d].%s", t->idx, name);
	t->tell(t->ctx, field, size, text);
}

#define TELL_PART(t, field, name) tell_part(t, &(field), sizeof(field), name)

static void tell_slots(const struct telling *t, enum stock_layout layout,
		       const struct stock_lines *l)
{
	const struct stock_array_of_structs *structs = l->block;
	const struct stock_seven_wide *wide = l->block;
	const struct stock_seven_8bit *bytes = l->block;
	const struct stock_single *single = l->block;

	switch (layout) {
	case STOCK_SINGLE:
		TELL_PART(t, single->nr_pages, "nr_pages");
		TELL_PART(t, single->cached, "cached");
		break;
	case STOCK_SEVEN_8BIT:
		TELL_PART(t, bytes->nr_pages, "nr_pages");
		TELL_PART(t, bytes->cached, "cached");
		break;
	case STOCK_SEVEN_WIDE:
		tell_part(t, wide->nr_pages, l->nr_slots * sizeof(*wide->nr_pages), "nr_pages");
		tell_part(t, l->cached, l->nr_slots * sizeof(*l->cached), "cached");
		break;
	case STOCK_ARRAY_OF_STRUCTS:
		tell_part(t, structs->slot, l->nr_slots * sizeof(*structs->slot), "slot");
		break;
	case STOCK_PER_COUNTER:
		tell_part(t, l->block, l->nr_slots * sizeof(unsigned int), "nr_pages");
		break;
	}
}

void stock_describe(enum stock_layout layout, const struct stock_lines *l, int idx,
		    field_teller tell, void *ctx)
{
	const struct telling t = {tell, ctx, idx};

	if (layout != STOCK_PER_COUNTER)
		TELL_PART(&t, *(unsigned char *)l->block, "lock");
	tell_slots(&t, layout, l);
	if (l->tail) {
		TELL_PART(&t, l->tail->flags, "flags");
		TELL_PART(&t, l->tail->evict, "evict");
	}
}
