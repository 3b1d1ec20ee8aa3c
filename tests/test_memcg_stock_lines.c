/* SPDX-License-Identifier: MIT */
/* The stock by its lines: where they are, what each call touches, and the rules of a slot. */
#include "memcg_stock_fixture.h"

/* ---------------------------------------------------------------------- lines */

static void blocks_are_where_they_should_be(void **state)
{
	static const struct {
		const char *sets;
		size_t tail, size;
	} layouts[] = {{"slot_layout=single", 64, 112},
		       {"slot_layout=seven_8bit", 64, 112},
		       {"slot_layout=seven_8bit slots=2", 64, 112},
		       {"slot_layout=seven_wide", 128, 176},
		       {"slot_layout=seven_wide slots=5", 64, 112},
		       {"slot_layout=seven_wide slots=15", 192, 240},
		       {"slot_layout=array_of_structs", 128, 176},
		       {"slot_layout=array_of_structs slots=3", 64, 112},
		       {"slot_layout=array_of_structs slots=15", 256, 304},
		       {"slot_layout=per_counter memcgs=5", 0, 20}};
	const struct stock_lines *l;
	char sets[128];
	struct bare b;
	size_t i;

	for (i = 0; i < sizeof(layouts) / sizeof(layouts[0]); i++) {
		bare_open(&b, 2, layouts[i].sets);
		l = &b.me->cpu.lines;
		assert_int_equal((uintptr_t)l->block % 128, 0);
		assert_int_equal((uintptr_t)worker(&b, 1)->cpu.lines.block % 128, 0);
		if (layouts[i].tail)
			assert_int_equal((char *)l->tail - (char *)l->block, layouts[i].tail);
		else
			assert_null(l->tail);
		bare_close(&b);
		snprintf(sets, sizeof(sets), "%s blocks=packed", layouts[i].sets);
		bare_open(&b, 2, sets);
		assert_int_equal((char *)worker(&b, 1)->cpu.lines.block -
					 (char *)b.me->cpu.lines.block,
				 layouts[i].size);
		bare_close(&b);
	}
}

static void a_hit_touches_one_line(void **state)
{
	struct bare b;

	bare_open(&b, 1, "");
	stock_refill(STOCK_SEVEN_8BIT, &b.me->cpu, 0, 9);
	watch(b.me);
	assert_true(stock_consume(STOCK_SEVEN_8BIT, &b.me->cpu, 0, 1));
	assert_string_equal(seen, "w0 r8 r1 w1 w0");
	watch(NULL);
	arena_close(b.env.arena);
}

/* empty slots may be anywhere: a look-up does not end at one */
static void consume_looks_at_every_slot(void **state)
{
	static const enum stock_layout layouts[] = {STOCK_SEVEN_8BIT, STOCK_SEVEN_WIDE,
						    STOCK_ARRAY_OF_STRUCTS};
	static const char *const lookups[] = {"w0 r8 r16 r24 r32 r40 r48 r56 r7 w7 w0",
					      "w0 r32 r40 r48 r56 r64 r72 r80 r28 w28 w0",
					      "w0 r8 r24 r40 r56 r72 r88 r104 r112 w112 w0"};
	struct stock_cpu *cpu;
	char sets[64];
	struct bare b;
	int i, k;

	for (i = 0; i < 3; i++) {
		snprintf(sets, sizeof(sets), "slot_layout=%s memcgs=7", all_layouts[layouts[i]]);
		bare_open(&b, 1, sets);
		cpu = &b.me->cpu;
		for (k = 0; k < 7; k++)
			stock_refill(layouts[i], cpu, k, 2);
		for (k = 0; k < 6; k++)
			stock_drain_slot(layouts[i], cpu, k);
		watch(b.me);
		assert_true(stock_consume(layouts[i], cpu, 6, 1));
		assert_string_equal(seen, lookups[i]);
		/* nor does a refill take the empty slot before it */
		watch(NULL);
		stock_refill(layouts[i], cpu, 6, 3);
		assert_int_equal(stock_nr_pages(layouts[i], &cpu->lines, 6), 4);
		assert_null(*stock_cached(layouts[i], &cpu->lines, 0));
		assert_int_equal(cpu->nr_evictions, 0);
		arena_close(b.env.arena);
	}
}

static void per_counter_is_one_compare_exchange(void **state)
{
	struct bare b;

	bare_open(&b, 1, "slot_layout=per_counter memcgs=20");
	stock_refill(STOCK_PER_COUNTER, &b.me->cpu, 17, 2);
	watch(b.me);
	assert_true(stock_consume(STOCK_PER_COUNTER, &b.me->cpu, 17, 2));
	assert_string_equal(seen, "r68 c68");
	watch(b.me);
	assert_false(stock_consume(STOCK_PER_COUNTER, &b.me->cpu, 17, 1));
	assert_false(stock_consume(STOCK_PER_COUNTER, &b.me->cpu, 17, 65));
	assert_string_equal(seen, "r68");
	watch(NULL);
	arena_close(b.env.arena);
}

/* ----------------------------------------------------------------- the rules */

static void overflow_drops_the_memcg_or_keeps_half(void **state)
{
	struct stock_lines *l;
	struct bare b;

	bare_open(&b, 1, "batch=127");
	l = &b.me->cpu.lines;
	stock_refill(STOCK_SEVEN_8BIT, &b.me->cpu, 0, 127);
	assert_int_equal(stock_nr_pages(STOCK_SEVEN_8BIT, l, 0), 127);
	stock_refill(STOCK_SEVEN_8BIT, &b.me->cpu, 0, 127); /* 254: the most that 8 bits see */
	assert_null(*stock_cached(STOCK_SEVEN_8BIT, l, 0));
	assert_int_equal(stock_nr_pages(STOCK_SEVEN_8BIT, l, 0), 0);
	assert_int_equal(b.me->cpu.nr_updates, 1);
	arena_close(b.env.arena);

	bare_open(&b, 1, "batch=127 overflow=trim");
	l = &b.me->cpu.lines;
	stock_refill(STOCK_SEVEN_8BIT, &b.me->cpu, 0, 127);
	stock_refill(STOCK_SEVEN_8BIT, &b.me->cpu, 0, 127);
	assert_ptr_equal(*stock_cached(STOCK_SEVEN_8BIT, l, 0), b.me->cpu.memcg[0]);
	assert_int_equal(stock_nr_pages(STOCK_SEVEN_8BIT, l, 0), 63);
	/* more than a batch never enters */
	stock_refill(STOCK_SEVEN_8BIT, &b.me->cpu, 0, 128);
	assert_int_equal(stock_nr_pages(STOCK_SEVEN_8BIT, l, 0), 63);
	assert_int_equal(b.me->cpu.nr_updates, 2);
	assert_int_equal(b.me->cpu.nr_drains, 1);
	arena_close(b.env.arena);
}

static void a_charge_over_the_limit_takes_what_it_needs(void **state)
{
	struct page_counter_tree *t;
	struct bare b;
	size_t i;
	char sets[64];

	for (i = 0; i < NR_LAYOUTS; i++) {
		snprintf(sets, sizeof(sets), "slot_layout=%s", all_layouts[i]);
		bare_open(&b, 1, sets);
		t = &((struct ms_shared *)b.shared)->tree;
		t->ops->set_max(t->leaf[0], PAGE_COUNTER_RESIDENT + 3);
		assert_true(stock_charge(i, &b.me->cpu, 0, 2));
		assert_false(stock_charge(i, &b.me->cpu, 0, 2));
		assert_true(stock_charge(i, &b.me->cpu, 0, 1));
		assert_int_equal(b.me->cpu.nr_updates, 6);
		assert_ok(page_counter_tree_check(t, (long[]){3}, &b.err), &b.err);
		arena_close(b.env.arena);
	}
}

/* -------------------------------------------------------------- remote drain */

static void the_owner_serves_a_drain(void **state)
{
	struct ms_worker *owner;
	struct bare b;
	size_t i;
	char sets[96];

	for (i = 0; i < NR_LAYOUTS; i++) {
		if (i == STOCK_PER_COUNTER)
			continue;
		snprintf(sets, sizeof(sets), "slot_layout=%s remote_drain=2 overflow=trim",
			 all_layouts[i]);
		bare_open(&b, 2, sets);
		owner = worker(&b, 1);
		bare_run(&b, 0, 2); /* the second operation asks a stock that holds nothing */
		assert_int_equal(b.me->cpu.nr_asked, 0);
		bare_run(&b, 1, 1);
		assert_int_equal(stock_nr_pages(i, &owner->cpu.lines, 0), 32);
		bare_run(&b, 0, 4); /* the second request finds the first under way */
		assert_int_equal(b.me->cpu.nr_asked, 1);
		assert_int_equal(owner->cpu.lines.tail->flags, 1);
		assert_int_equal(stock_nr_pages(i, &owner->cpu.lines, 0), 32);
		stock_serve(i, &owner->cpu);
		assert_int_equal(owner->cpu.lines.tail->flags, 0);
		assert_false(stock_holds_pages(i, &owner->cpu.lines));
		assert_int_equal(owner->cpu.nr_drains, 2);
		bare_close(&b);
	}
}

static void per_counter_is_drained_from_afar(void **state)
{
	struct ms_worker *owner;
	struct bare b;

	bare_open(&b, 2,
		  "slot_layout=per_counter memcgs=3 sharing=private remote_drain=1 "
		  "overflow=trim");
	owner = worker(&b, 1);
	owner->drain_every = 0;
	bare_run(&b, 1, 3);
	assert_int_equal(stock_nr_pages(STOCK_PER_COUNTER, &owner->cpu.lines, 2), 32);
	watch(owner);
	stock_ask(STOCK_PER_COUNTER, &b.me->cpu, &b.me->right, b.me->right_memcg);
	assert_string_equal(seen, "x0 x4 x8");
	watch(NULL);
	assert_int_equal(stock_nr_pages(STOCK_PER_COUNTER, &owner->cpu.lines, 2), 0);
	assert_int_equal(b.me->cpu.nr_drains, 3);
	assert_int_equal(owner->cpu.nr_drains, 3); /* its own trims */
	bare_close(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(blocks_are_where_they_should_be),
		cmocka_unit_test(a_hit_touches_one_line),
		cmocka_unit_test(consume_looks_at_every_slot),
		cmocka_unit_test(per_counter_is_one_compare_exchange),
		cmocka_unit_test(overflow_drops_the_memcg_or_keeps_half),
		cmocka_unit_test(a_charge_over_the_limit_takes_what_it_needs),
		cmocka_unit_test(the_owner_serves_a_drain),
		cmocka_unit_test(per_counter_is_drained_from_afar),
	};

	return run_group("memcg_stock_lines", tests, load_machine, free_machine);
}
