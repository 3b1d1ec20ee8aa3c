/* SPDX-License-Identifier: MIT */
/* memcg_stock: known counts, what is refused, and that no page is lost. */
#include "memcg_stock_fixture.h"

/* what @nr operations of one worker count, after @warm that do not */
static struct stock_cpu counts_of(const char *sets, uint64_t warm, uint64_t nr)
{
	struct stock_cpu before, *cpu;
	struct bare b;

	bare_open(&b, 1, sets);
	bare_run(&b, 0, warm);
	before = b.me->cpu;
	bare_run(&b, 0, nr);
	cpu = &b.me->cpu;
	before.nr_charges = cpu->nr_charges - before.nr_charges;
	before.nr_misses = cpu->nr_misses - before.nr_misses;
	before.nr_updates = cpu->nr_updates - before.nr_updates;
	before.nr_evictions = cpu->nr_evictions - before.nr_evictions;
	before.nr_drains = cpu->nr_drains - before.nr_drains;
	bare_close(&b);
	return before;
}

/* -------------------------------------------------------------- known counts */

/* request and response: drain pays for every pair, trim for one in batch/2 + 1 (rounded up) */
static void pairs(const char *layout, int batch)
{
	const int rare = (batch + 1) / 2 + 1;
	struct stock_cpu drain, trim;
	char sets[128];

	snprintf(sets, sizeof(sets), "slot_layout=%s batch=%d", layout, batch);
	drain = counts_of(sets, 0, 1000);
	assert_int_equal(drain.nr_updates, 2000);
	assert_int_equal(drain.nr_misses, 1000);
	assert_int_equal(drain.nr_drains, 1000);
	snprintf(sets, sizeof(sets), "slot_layout=%s batch=%d overflow=trim", layout, batch);
	trim = counts_of(sets, 1, 100 * rare);
	assert_int_equal(trim.nr_updates, 100);
	assert_int_equal(trim.nr_misses, 0);
	assert_int_equal(trim.nr_drains, 100);
	assert_int_equal(trim.nr_evictions + drain.nr_evictions, 0);
	if (batch % 2 == 0) /* 66, 34 and 130 times fewer, at 64, 32 and 128 */
		assert_int_equal(2 * rare, batch + 2);
}

static void trim_pays_once_in_half_a_batch(void **state)
{
	size_t i;

	for (i = 0; i < NR_LAYOUTS; i++) {
		pairs(all_layouts[i], 64);
		pairs(all_layouts[i], 32);
		if (i != STOCK_SEVEN_8BIT)
			pairs(all_layouts[i], 128);
	}
	pairs("seven_8bit", 127);
}

static void metrics_are_per_operation(void **state)
{
	struct bare b;
	double values[4];

	bare_open(&b, 1, "overflow=trim");
	bare_run(&b, 0, 33000);
	ms_read_metrics(&b.env, &b.params, b.shared, b.w, b.ops, values);
	assert_true(fabs(values[0] - 1) < 1e-4);
	assert_true(fabs(values[1] - 1. / 33) < 1e-4);
	assert_true(values[2] == 0 && fabs(values[3] - 1. / 33) < 1e-4);
	bare_close(&b);
	bare_open(&b, 1, "pattern=stream memcgs=8 burst=1");
	bare_run(&b, 0, 10000);
	ms_read_metrics(&b.env, &b.params, b.shared, b.w, b.ops, values);
	assert_true(values[0] == 0 && fabs(values[1] - 1) < 2e-3);
	assert_true(fabs(values[2] - 0.5) < 2e-3 && fabs(values[3] - 0.5) < 2e-3);
	bare_close(&b);
}

static void eight_memcgs_thrash_seven_slots(void **state)
{
	struct stock_cpu c = counts_of("pattern=stream memcgs=7", 14, 10000);

	assert_int_equal(c.nr_evictions, 0);
	assert_true(c.nr_misses * 20 < c.nr_charges);
	c = counts_of("pattern=stream memcgs=8", 8, 10000);
	assert_int_equal(c.nr_evictions, 10000);
	assert_int_equal(c.nr_misses, c.nr_charges);
	assert_int_equal(c.nr_drains, 10000);
	c = counts_of("pattern=stream memcgs=8 eviction=random", 8, 10000);
	assert_in_range(c.nr_evictions, 1000, 9000);
	assert_true(c.nr_misses < c.nr_charges);
}

static void slots_are_as_many_as_asked(void **state)
{
	static const char *const layouts[] = {"seven_wide", "array_of_structs", "seven_8bit"};
	char sets[128];
	int i, slots;

	for (i = 0; i < 3; i++) {
		for (slots = 1; slots <= (i == 2 ? 7 : 15); slots++) {
			snprintf(sets, sizeof(sets),
				 "pattern=stream slot_layout=%s slots=%d memcgs=%d", layouts[i],
				 slots, slots);
			assert_int_equal(counts_of(sets, 0, 5000).nr_evictions, 0);
			snprintf(sets, sizeof(sets),
				 "pattern=stream slot_layout=%s slots=%d memcgs=%d burst=320",
				 layouts[i], slots, slots + 1);
			/* where a burst turns, a memcg may come again at once */
			assert_in_range(counts_of(sets, 16, 5000).nr_evictions, 4900, 5000);
		}
	}
	assert_int_equal(
		counts_of("pattern=stream slot_layout=per_counter memcgs=32", 0, 5000).nr_evictions,
		0);
}

static void two_memcgs_thrash_a_single_slot(void **state)
{
	struct stock_cpu c =
		counts_of("pattern=stream slot_layout=single memcgs=2 burst=8", 16, 1600);

	assert_int_equal(c.nr_evictions, 1600);
	assert_int_equal(c.nr_drains, 1600);
	/* and a charge of a batch for each of 800 pages */
	assert_int_equal(c.nr_misses, 800);
	assert_int_equal(c.nr_updates, 2400);
}

/* user memory: the charge is from the stock, the uncharge is not */
static void uncharge_to_the_counters(void **state)
{
	struct stock_cpu c;
	char sets[128];
	size_t i;

	for (i = 0; i < NR_LAYOUTS; i++) {
		snprintf(sets, sizeof(sets), "slot_layout=%s uncharge_to=counters", all_layouts[i]);
		c = counts_of(sets, 0, 6400);
		assert_int_equal(c.nr_misses, 100);
		assert_int_equal(c.nr_updates, 6400 + 100);
		assert_int_equal(c.nr_drains, 0);
	}
}

/* a size over the batch is charged and uncharged as it is, past the stock */
static void sizes_over_the_batch_pass_by(void **state)
{
	struct stock_cpu c = counts_of("pattern=mixed batch=1 burst=63", 0, 1200);

	assert_int_equal(c.nr_charges, 600);
	/* sizes 2 to 32: one update each way; size 1 stays in the stock after its first charge */
	assert_int_equal(c.nr_updates, 2 * 500 + 1);
	/* all six sizes together are 63 pages */
	c = counts_of("pattern=mixed batch=64 burst=63", 12, 1200);
	assert_int_equal(c.nr_updates, 0);
	c = counts_of("pattern=mixed batch=64", 60, 1200);
	assert_in_range(c.nr_updates, 120, 600);
}

/* -------------------------------------------------------------------- refused */

static int refusal(struct bare *b, const char *sets)
{
	bare_params(b, sets);
	return ms_validate(&b->params, 2, &b->err);
}

static void what_does_not_fit_is_refused(void **state)
{
	struct bare b;

	assert_refused(refusal(&b, "batch=128"), -EINVAL, "must fit 8 bits, so 127", &b.err);
	assert_refused(refusal(&b, "slots=8"), -EINVAL, "7 slots fill its line", &b.err);
	assert_refused(refusal(&b, "slot_layout=single slots=3"), -EINVAL, "no choice of slots",
		       &b.err);
	assert_refused(refusal(&b, "slot_layout=per_counter slots=8"), -EINVAL,
		       "no choice of slots", &b.err);
	assert_int_equal(refusal(&b, "batch=127 slots=3"), 0);
	assert_int_equal(refusal(&b, "slot_layout=single batch=1024"), 0);
	assert_int_equal(refusal(&b, "slot_layout=seven_wide batch=1024 slots=15"), 0);
	assert_int_equal(refusal(&b, "slot_layout=array_of_structs slots=15 memcgs=32"), 0);
}

/* ------------------------------------------------------ producer and consumer */

static void pages_are_handed_over(void **state)
{
	struct ms_worker *consumer, *last;
	struct bare b;

	bare_open(&b, 3, "pattern=producer_consumer memcgs=3 sharing=private burst=10");
	consumer = worker(&b, 1);
	last = worker(&b, 2);
	assert_int_equal(b.me->role, MS_PRODUCER);
	assert_int_equal(consumer->role, MS_CONSUMER);
	assert_int_equal(last->role, MS_STREAM);
	assert_ptr_equal(b.me->cpu.memcg, consumer->cpu.memcg);
	assert_ptr_equal(last->cpu.memcg, b.me->cpu.memcg + 3);
	bare_run(&b, 0, 10);
	bare_run(&b, 1, 7);
	bare_run(&b, 2, 25);
	assert_int_equal(b.me->cpu.nr_charges, 10);
	assert_int_equal(consumer->cpu.nr_charges, 0);
	assert_ok(bare_check(&b), &b.err);
	/* an operation that nobody dropped is missing */
	b.ops[1]++;
	assert_refused(bare_check(&b), -EUCLEAN, "worker 1 was asked for 8 operations and did 7",
		       &b.err);
	b.ops[1]--;
	/* a page that nobody handed on */
	consumer->nr_moved += 4;
	b.ops[1] += 4;
	assert_refused(bare_check(&b), -EUCLEAN, "worker 1 took over 11 of 10 pages", &b.err);
	consumer->nr_moved -= 4;
	b.ops[1] -= 4;
	bare_run(&b, 0, 7);
	/* the partner has left: what is left of the operations is dropped */
	b.over = 1;
	bare_run(&b, 0, 5);
	assert_int_equal(b.me->nr_moved, 17);
	bare_run(&b, 1, 100);
	assert_int_equal(consumer->nr_moved, 17);
	bare_close(&b);
}

/* --------------------------------------------------------------- the invariant */

static void lost_pages_are_found(void **state)
{
	struct bare b;
	size_t i;
	char sets[96];

	for (i = 0; i < NR_LAYOUTS; i++) {
		snprintf(sets, sizeof(sets), "slot_layout=%s overflow=trim", all_layouts[i]);
		bare_open(&b, 1, sets);
		bare_run(&b, 0, 10);
		assert_ok(bare_check(&b), &b.err);
		if (i == STOCK_PER_COUNTER)
			*(unsigned int *)b.me->cpu.lines.block -= 1;
		else
			stock_set_nr_pages(i, &b.me->cpu.lines, 0,
					   stock_nr_pages(i, &b.me->cpu.lines, 0) - 1);
		assert_refused(bare_check(&b), -EUCLEAN, "usage of level 0", &b.err);
		arena_close(b.env.arena);
	}
}

static void a_stock_out_of_order_is_found(void **state)
{
	struct stock_seven_8bit *block;
	struct bare b;

	bare_open(&b, 1, "overflow=trim");
	bare_run(&b, 0, 10);
	block = b.me->cpu.lines.block;
	block->cached[3] = block->cached[0];
	assert_refused(bare_check(&b), -EUCLEAN, "memcg 0 is in two slots", &b.err);
	block->cached[3] = NULL;
	block->nr_pages[3] = 1;
	assert_refused(bare_check(&b), -EUCLEAN, "slot 3 stores 1 pages of no memcg", &b.err);
	block->nr_pages[3] = 0;
	block->nr_pages[0] = 65;
	assert_refused(bare_check(&b), -EUCLEAN, "65 pages in a stock, batch is 64", &b.err);
	arena_close(b.env.arena);
}

/* a round of sizes gives back what it took, memcg by memcg, and no two rounds are alike */
static void mixed_sizes_balance(void **state)
{
	long half[5] = {0}, round[5] = {0}, charged = 0;
	struct mixed_request r;
	char orders[2][31];
	struct bare b;
	struct mixed m;
	int i, k;

	bare_params(&b, "pattern=mixed memcgs=5");
	replay_mixed(&b.params, 9, 30, half);
	replay_mixed(&b.params, 9, 60, round);
	for (i = 0; i < 5; i++) {
		assert_true(half[i] > 0);
		assert_int_equal(round[i], 0);
		charged += half[i];
	}
	assert_int_equal(charged, 5 * 63); /* the first multiple that is a burst of 256 */
	mixed_init(&m, 9, 256);
	for (k = 0; k < 2; k++) {
		for (i = 0; i < 30; i++) {
			r = mixed_next(&m, 5);
			orders[k][i] = r.nr_pages;
			assert_int_equal(r.charge, !k);
		}
		orders[k][30] = 0;
	}
	assert_string_not_equal(orders[0], orders[1]);
}

/* chunks of any size, and a mismatch of one operation, in every pattern */
static void a_lost_operation_is_found(void **state)
{
	static const char *const patterns[] = {"request_response", "stream", "mixed"};
	static const uint64_t chunks[] = {1, 2, 5, 64, 1000, 3};
	char sets[96];
	struct bare b;
	size_t i, k;

	for (i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++) {
		snprintf(sets, sizeof(sets), "pattern=%s memcgs=5 burst=7", patterns[i]);
		bare_open(&b, 1, sets);
		for (k = 0; k < sizeof(chunks) / sizeof(chunks[0]); k++) {
			bare_run(&b, 0, chunks[k]);
			assert_ok(bare_check(&b), &b.err);
		}
		b.ops[0]++;
		assert_refused(bare_check(&b), -EUCLEAN, "the workers account for", &b.err);
		arena_close(b.env.arena);
	}
}

static void run_plan(const char *const *sets, int nr_sets, int least_cases)
{
	const char *const names[] = {"memcg_stock"};
	struct plan_spec spec = {.experiments = names,
				 .nr_experiments = 1,
				 .sets = sets,
				 .nr_sets = nr_sets,
				 .workers = "all",
				 .window_ns = 500000};
	struct err err = ERR_INIT;
	struct bench_session *s;
	struct sample sample;
	struct plan plan;
	int i, k;

	assert_ok(plan_build(topo, &spec, &plan, &err), &err);
	assert_true(plan.nr_cases >= least_cases);
	assert_ok(bench_open(&s, topo, &plan, &err), &err);
	for (i = 0; i < plan.nr_cases; i++) {
		assert_ok(bench_window(s, i, &sample, &err), &err);
		assert_true(sample.ops > 0);
		for (k = 0; ms_metrics[k].name; k++)
			assert_false(isinf(sample.metrics[k]) || sample.metrics[k] < 0);
		assert_false(sample.metrics[0] > 1);
	}
	bench_close(s);
	plan_free(&plan);
}

#define ALL_LAYOUTS "slot_layout=single,seven_8bit,seven_wide,array_of_structs,per_counter"
#define RUN_PLAN(least, ...)                                                                   \
	run_plan((const char *const[]){ALL_LAYOUTS, __VA_ARGS__},                              \
		 1 + (int)(sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *)), \
		 least)

static void nothing_is_lost_on_all_cpus(void **state)
{
	RUN_PLAN(80, "pattern=request_response,stream,producer_consumer,mixed",
		 "sharing=shared,private", "remote_drain=1,7", "memcgs=1,9");
	RUN_PLAN(80, "overflow=trim", "pattern=request_response,producer_consumer,mixed",
		 "blocks=packed", "remote_drain=0,3", "eviction=random", "memcgs=1,32",
		 "uncharge_to=stock,counters", "burst=1,300");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(trim_pays_once_in_half_a_batch),
		cmocka_unit_test(metrics_are_per_operation),
		cmocka_unit_test(eight_memcgs_thrash_seven_slots),
		cmocka_unit_test(slots_are_as_many_as_asked),
		cmocka_unit_test(two_memcgs_thrash_a_single_slot),
		cmocka_unit_test(uncharge_to_the_counters),
		cmocka_unit_test(sizes_over_the_batch_pass_by),
		cmocka_unit_test(what_does_not_fit_is_refused),
		cmocka_unit_test(pages_are_handed_over),
		cmocka_unit_test(lost_pages_are_found),
		cmocka_unit_test(a_stock_out_of_order_is_found),
		cmocka_unit_test(mixed_sizes_balance),
		cmocka_unit_test(a_lost_operation_is_found),
		cmocka_unit_test(nothing_is_lost_on_all_cpus),
	};

	return run_group("memcg_stock", tests, load_machine, free_machine);
}
