/* SPDX-License-Identifier: MIT */
/* charge_path on one thread, with every access reported: counts by hand, broken invariants. */
#define KATOMIC_HOOKED
#include "../bench/charge_path.c"
#include "../bench/memcg_stock_lines.c"
#include "../bench/page_counter_tree.c"

#include "by_hand.h"

static struct cp_params params;
static struct by_hand b;
static struct cp_shared *s; /* its shared memory */
static long nr_accesses;

void katomic_relax(void)
{
}

void katomic_hook(enum katomic_access access, const volatile void *addr, size_t size)
{
	nr_accesses++;
}

static void set(const char *name, int64_t value)
{
	const struct param *p = cp_params_table;

	while (strcmp(p->name, name))
		assert_non_null((++p)->name);
	assert_in_range(value, p->min, p->max);
	*(int64_t *)((char *)&params + p->off) = value;
}

/* defaults but for "name", value, ..., NULL */
static void defaults_but(const char *name, ...)
{
	va_list values;

	by_hand_defaults(&charge_path_experiment, &params);
	va_start(values, name);
	for (; name; name = va_arg(values, const char *))
		set(name, va_arg(values, int));
	va_end(values);
}

static void start(int nr_workers)
{
	by_hand_open(&b, &charge_path_experiment, &params, nr_workers);
	s = b.shared;
}

static struct cp_worker *worker(int idx)
{
	return b.w[idx].priv;
}

static long usage(int leaf, int level)
{
	struct page_counter_reading r;

	s->tree.ops->read(page_counter_tree_level(&s->tree, leaf, level), &r);
	return r.usage - PAGE_COUNTER_RESIDENT;
}

/* ------------------------------------------------------------------- one worker */

static void same_cpu_reaches_the_counters_once(void **state)
{
	defaults_but("pages", 1, "batch", 64, NULL);
	start(1);
	by_hand_run(&b, 0, 1000);
	assert_metric(&b, "shared_updates", 1.0 / 1000);
	assert_metric(&b, "hit_rate", 999.0 / 1000);
	assert_metric(&b, "stat_writes", 0);
	assert_true(isnan(by_hand_metric(&b, "raises")));
	assert_int_equal(usage(0, 0), 64);
	assert_int_equal(usage(0, 2), 64);
}

/* 64 pages in batches of 32: two charges; the 33rd page given back is one too many */
static void a_burst_over_the_batch_reaches_them_again(void **state)
{
	static const int layouts_[] = {STOCK_SINGLE, STOCK_SEVEN_8BIT, STOCK_SEVEN_WIDE};
	int i;

	for (i = 0; i < 3; i++) {
		defaults_but("batch", 32, "burst", 64, "slot_layout", layouts_[i], NULL);
		start(1);
		by_hand_run(&b, 0, 64);
		assert_metric(&b, "shared_updates", 3.0 / 64);
		assert_metric(&b, "hit_rate", 62.0 / 64);
		assert_int_equal(usage(0, 0), 31);
		by_hand_close();
	}
	/* trim gives back 33 - 16 and keeps 16; 31 more: 33 again at the 17th */
	defaults_but("batch", 32, "burst", 64, "overflow", STOCK_TRIM, NULL);
	start(1);
	by_hand_run(&b, 0, 64);
	assert_metric(&b, "shared_updates", 4.0 / 64);
	assert_int_equal(usage(0, 0), 30);
}

/* 4 pages a message, one by one: a miss in 16 messages; every uncharge goes to the counters */
static void user_memory_is_uncharged_from_the_counters(void **state)
{
	defaults_but("pages", 4, "batch", 64, "uncharge_to", STOCK_TO_COUNTERS, NULL);
	start(1);
	by_hand_run(&b, 0, 100);
	assert_metric(&b, "shared_updates", (400 + 7) / 100.0);
	assert_metric(&b, "hit_rate", 393.0 / 400);
}

static void charging_off_touches_nothing(void **state)
{
	int source, stats, level;

	for (source = CP_PAGE; source <= CP_SOCKET; source++) {
		for (stats = 0; stats <= CP_STATS_HIERARCHICAL_GUARDED; stats++) {
			defaults_but("charging", CP_OFF, "source", source, "stats", stats,
				     "flush_every", 10, NULL);
			start(1);
			nr_accesses = 0;
			by_hand_run(&b, 0, 100);
			/* a socket's own account goes on */
			assert_true(source == CP_SOCKET || nr_accesses == 0);
			assert_metric(&b, "shared_updates", 0);
			assert_metric(&b, "stat_writes", 0);
			assert_true(isnan(by_hand_metric(&b, "hit_rate")));
			for (level = 0; level < 3; level++)
				assert_int_equal(usage(0, level), 0);
			if (source == CP_SOCKET)
				assert_metric(&b, "raises", 1);
			by_hand_close();
		}
	}
}

static void sockets_raise_by_their_reclaim_rule(void **state)
{
	/* 10,240 bytes: 3 pages, given back at once; one update: the stock takes them back */
	defaults_but("source", CP_SOCKET, NULL);
	start(1);
	by_hand_run(&b, 0, 1000);
	assert_metric(&b, "raises", 1);
	assert_metric(&b, "shared_updates", 1.0 / 1000);
	by_hand_close();
	/* with a threshold each socket keeps its 3 pages */
	defaults_but("source", CP_SOCKET, "reclaim", CP_64K, "sockets", 5, NULL);
	start(1);
	by_hand_run(&b, 0, 1000);
	assert_metric(&b, "raises", 5.0 / 1000);
	assert_metric(&b, "hit_rate", 4.0 / 5);
	by_hand_close();
	defaults_but("source", CP_SOCKET, "reclaim", CP_2M_KEEP_1M, "sockets", 1, NULL);
	start(1);
	by_hand_run(&b, 0, 1000);
	assert_metric(&b, "raises", 1.0 / 1000);
}

/* two updates per message, of one page each */
static void statistics_are_written_by_their_rule(void **state)
{
	static const struct {
		int rule, writes;
	} known[] = {
		{CP_STATS_OFF, 0},
		{CP_STATS_UNCONDITIONAL, 20}, /* over 10: the 11th of 220 */
		/* until they are over the threshold: one batch, or 10 updates, per CPU */
		{CP_STATS_GUARDED, 2},
		{CP_STATS_HIERARCHICAL, 2 * 3},
		{CP_STATS_HIERARCHICAL_GUARDED, 2 * 3},
	};
	size_t i;

	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		defaults_but("stats", known[i].rule, "stats_batch", 10, "flush_every", 0, NULL);
		start(1);
		by_hand_run(&b, 0, 110);
		assert_metric(&b, "stat_writes", known[i].writes / 110.0);
		by_hand_close();
	}
}

static void a_flush_folds_into_the_root(void **state)
{
	defaults_but("stats", CP_STATS_HIERARCHICAL, "burst", 10, "flush_every", 7, NULL);
	start(1);
	by_hand_run(&b, 0, 7);
	assert_int_equal(READ_ONCE(s->vmstats.root->vmstats->state), 7);
	assert_int_equal(worker(0)->account.nr_flushes, 1);
	by_hand_run(&b, 0, 13);
	assert_metric(&b, "shared_updates", 1.0 / 20);
}

static void work_is_done_on_both_sides(void **state)
{
	defaults_but("work_ns", 100, NULL);
	start(1);
	by_hand_run(&b, 0, 10);
	assert_int_equal(by_hand_work_ns, 1000);
	by_hand_close();
	defaults_but("work_ns", 100, "uncharge", CP_OTHER_CPU, NULL);
	start(2);
	by_hand_run(&b, 0, 8);
	by_hand_run(&b, 1, 8);
	assert_int_equal(by_hand_work_ns, 1600);
}

/* protection set at the top level is constant: nothing but that level knows of it */
static void protection_is_where_it_was_set(void **state)
{
	struct page_counter_reading r;
	int level;

	defaults_but("depth", 4, "protection", PAGE_COUNTER_UNCONDITIONAL, "protection_level", 2,
		     NULL);
	start(1);
	by_hand_run(&b, 0, 100);
	assert_metric(&b, "shared_updates", 1.0 / 100);
	for (level = 0; level < 4; level++) {
		s->tree.ops->read(page_counter_tree_level(&s->tree, 0, level), &r);
		assert_int_equal(r.min_usage, level == 2 ? PAGE_COUNTER_RESIDENT / 2 : 0);
	}
}

/* ------------------------------------------------------------------ two and more */

static void the_other_cpu_uncharges_what_was_handed_over(void **state)
{
	defaults_but("uncharge", CP_OTHER_CPU, "batch", 32, "sockets", 64, NULL);
	start(2);
	by_hand_run(&b, 0, 64);
	assert_int_equal(usage(0, 0), 64);
	by_hand_run(&b, 1, 64);
	assert_metric(&b, "shared_updates", 3.0 / 64);
	assert_metric(&b, "hit_rate", 62.0 / 64);
	assert_int_equal(usage(0, 0), 31);
}

static void who_is_left_alone_gives_up_and_loses_nothing(void **state)
{
	int source;

	for (source = CP_PAGE; source <= CP_SOCKET; source++) {
		defaults_but("uncharge", CP_OTHER_CPU, "source", source, "burst", 3, "sockets", 5,
			     "stats", CP_STATS_GUARDED, NULL);
		start(2);
		b.over = 1;
		by_hand_run(&b, 0, 100);
		assert_int_equal(worker(0)->nr_charged, 15);
		by_hand_run(&b, 1, 100);
		assert_int_equal(worker(1)->nr_uncharged, 15);
		assert_true(worker(0)->gave_up && worker(1)->gave_up);
		by_hand_metric(&b, "shared_updates");
		by_hand_close();
	}
}

static void private_memcgs_are_shared_by_the_two_of_a_pair(void **state)
{
	defaults_but("uncharge", CP_OTHER_CPU, "memcgs", CP_PER_WORKER, "stats",
		     CP_STATS_HIERARCHICAL, NULL);
	start(4);
	assert_int_equal(s->tree.nr_leaves, 2);
	assert_ptr_equal(worker(0)->memcg, worker(1)->memcg);
	assert_ptr_not_equal(worker(1)->memcg, worker(2)->memcg);
	by_hand_run(&b, 0, 8);
	by_hand_run(&b, 2, 5);
	by_hand_run(&b, 3, 2);
	assert_int_equal(usage(0, 0), 64);
	assert_int_equal(usage(1, 0), 64);
	assert_int_equal(usage(0, 2), 128);
	by_hand_metric(&b, "shared_updates");
}

/* every combination of variants is selectable, and loses nothing while messages are under way */
static void every_variant_loses_nothing(void **state)
{
	int layout, rule, kind, i;

	for (layout = STOCK_SINGLE; layout <= STOCK_SEVEN_WIDE; layout++) {
		for (rule = 0; rule <= CP_STATS_HIERARCHICAL_GUARDED; rule++) {
			for (kind = 0; kind < 16; kind++) {
				defaults_but("slot_layout", layout, "stats", rule, "source",
					     kind & 1, "uncharge", kind >> 1 & 1, "memcgs",
					     kind >> 2 & 1, "overflow", kind >> 3, "batch", 16,
					     "stats_batch", 5, "flush_every", 17, "burst", 3,
					     "pages", 3, NULL);
				start(4);
				by_hand_run(&b, 0, 3);
				for (i = 0; i < 40; i++)
					by_hand_run(&b, i % 4, 18);
				by_hand_run(&b, 2, 4);
				by_hand_metric(&b, "shared_updates");
				by_hand_close();
			}
		}
	}
}

/* ------------------------------------------------------------------- what is found */

static void refused(const char *part)
{
	struct err err;

	assert_refused(by_hand_check(&b, &err), -EUCLEAN, part, &err);
}

static void what_is_lost_is_found(void **state)
{
	struct cp_worker *me;

	defaults_but("source", CP_SOCKET, "stats", CP_STATS_UNCONDITIONAL, "stats_batch", 4, NULL);
	start(1);
	by_hand_run(&b, 0, 50);
	by_hand_metric(&b, "raises");
	me = worker(0);
	b.ops[0]++;
	refused("was asked for 51 operations and did 50");
	b.ops[0]--;
	me->nr_uncharged--;
	refused("messages charged");
	me->nr_uncharged++;
	me->socket[2].sk_forward_alloc += SK_PAGE_SIZE;
	refused("the protocol counts");
	me->socket[2].sk_forward_alloc -= SK_PAGE_SIZE;
	me->stats->block[0].state++;
	refused("the statistics of memcg 0");
	me->stats->block[0].state--;
	me->account.moved[0]++;
	refused("shared counts of level 0");
	me->account.moved[0]--;
	s->vmstats.root->vmstats->state++;
	refused("folded in the root");
	s->vmstats.root->vmstats->state--;
	tree_uncharge(&s->tree, 0, 1);
	refused("usage of level 0");
	s->tree.ops->charge(s->tree.leaf[0], 1, PAGE_COUNTER_OFF);
	by_hand_metric(&b, "raises");
}

static void what_cannot_be_is_refused(void **state)
{
	struct err err;

	defaults_but("uncharge", CP_OTHER_CPU, NULL);
	assert_refused(cp_validate(&params, 3, &err), -EINVAL, "3 is an odd number", &err);
	assert_int_equal(cp_validate(&params, 4, &err), 0);
	defaults_but("batch", 128, NULL);
	assert_refused(cp_validate(&params, 1, &err), -EINVAL, "127 is the most", &err);
	defaults_but("batch", 128, "slot_layout", STOCK_SINGLE, NULL);
	assert_int_equal(cp_validate(&params, 1, &err), 0);
	defaults_but("protection", PAGE_COUNTER_CONDITIONAL, "protection_level", 2, NULL);
	assert_refused(cp_validate(&params, 1, &err), -EINVAL, "depth of at least 4", &err);
	defaults_but("memcgs", CP_PER_WORKER, "depth", 1, NULL);
	assert_refused(cp_validate(&params, 1, &err), -EINVAL, "the root alone", &err);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_teardown(name, by_hand_end)
	const struct CMUnitTest tests[] = {
		TEST(same_cpu_reaches_the_counters_once),
		TEST(a_burst_over_the_batch_reaches_them_again),
		TEST(user_memory_is_uncharged_from_the_counters),
		TEST(charging_off_touches_nothing),
		TEST(sockets_raise_by_their_reclaim_rule),
		TEST(statistics_are_written_by_their_rule),
		TEST(a_flush_folds_into_the_root),
		TEST(work_is_done_on_both_sides),
		TEST(protection_is_where_it_was_set),
		TEST(the_other_cpu_uncharges_what_was_handed_over),
		TEST(who_is_left_alone_gives_up_and_loses_nothing),
		TEST(private_memcgs_are_shared_by_the_two_of_a_pair),
		TEST(every_variant_loses_nothing),
		TEST(what_is_lost_is_found),
		TEST(what_cannot_be_is_refused),
	};

	return run_group("charge_path", tests, NULL, NULL);
}
