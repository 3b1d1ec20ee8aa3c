/* SPDX-License-Identifier: MIT */
/* vmstats_flush on one thread, with every access reported: counts by hand, broken invariants. */
#define KATOMIC_HOOKED
#include "../bench/vmstats_flush.c"

#include "by_hand.h"

static struct vmf_params params;
static struct by_hand b;
static struct vmstats *v; /* its shared memory */

/* the lines that one update touches, each once, and its atomics */
static uintptr_t lines[64];
static int nr_lines, nr_atomics;
static bool watching;

void katomic_hook(enum katomic_access access, const volatile void *addr, size_t size)
{
	int i;

	for (i = 0; i < nr_lines; i++)
		if (lines[i] == (uintptr_t)addr / 64)
			break;
	if (watching && i == nr_lines)
		lines[nr_lines++] = (uintptr_t)addr / 64;
	nr_atomics += watching && (access == KATOMIC_ADD || access == KATOMIC_POST);
}

static int lines_of_one_update(void)
{
	nr_lines = nr_atomics = 0;
	watching = true;
	by_hand_run(&b, 0, 1);
	watching = false;
	assert_int_equal(nr_atomics, 0);
	return nr_lines;
}

/* defaults but for what is named here; worker 0 flushes only if a test says so */
static void start(int rule, int batch, int depth, int nr_workers)
{
	params.rule = rule;
	params.batch = batch;
	params.depth = depth;
	by_hand_open(&b, &vmstats_flush_experiment, &params, nr_workers);
	v = b.shared;
}

static int defaults(void **state)
{
	by_hand_defaults(&vmstats_flush_experiment, &params);
	params.flush_every = 0;
	return 0;
}

static struct vmf_worker *worker(int idx)
{
	return b.w[idx].priv;
}

static uint64_t nr_writes(int idx)
{
	return worker(idx)->account.nr_shared_writes;
}

/* kernel-facts 3 and field reports K1, K2 */
static void thresholds_of_big_machines(void **state)
{
	static const struct {
		int policy, cpus, page_size;
		double updates, mib;
	} table[] = {
		{VMSTATS_LINEAR, 160, 0, 10240, 40},   {VMSTATS_LINEAR, 256, 0, 16384, 64},
		{VMSTATS_LINEAR, 128, 0, 8192, 32},    {VMSTATS_LINEAR, 128, 2, 8192, 512},
		{VMSTATS_LINEAR, 1024, 0, 65536, 256}, {VMSTATS_LOG2, 1024, 0, 704, 2.75},
		{VMSTATS_LOG2, 1, 0, 64, 0.25},	       {VMSTATS_LOG2, 160, 0, 512, 2},
		{VMSTATS_SQRT, 72, 0, 512, 2},	       {VMSTATS_SQRT, 128, 0, 704, 2.75},
		{VMSTATS_SQRT, 144, 0, 768, 3},	       {VMSTATS_SQRT, 160, 0, 768, 3},
		{VMSTATS_SQRT, 192, 0, 832, 3.25},     {VMSTATS_SQRT, 1, 0, 64, 0.25},
	};
	size_t i;

	for (i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		params.threshold = table[i].policy;
		params.cpus = table[i].cpus;
		params.page_size = table[i].page_size;
		start(VMSTATS_HIERARCHICAL, 64, 3, 1);
		by_hand_run(&b, 0, 1);
		assert_metric(&b, "threshold", table[i].updates);
		assert_metric(&b, "threshold_mib", table[i].mib);
		assert_int_equal(v->threshold, table[i].updates);
		by_hand_close();
		/* the same in batches */
		start(VMSTATS_GLOBAL_GUARDED, 64, 3, 1);
		assert_int_equal(v->threshold, table[i].updates / 64);
		by_hand_close();
		start(VMSTATS_HIERARCHICAL, 32, 3, 1);
		assert_int_equal(v->threshold, table[i].updates / 2);
		by_hand_close();
	}
}

/* a smaller threshold leaves what CPUs count for themselves: 704 + 1024 x 63 */
static void bounds_of_staleness(void **state)
{
	params.cpus = 1024;
	params.threshold = VMSTATS_LOG2;
	start(VMSTATS_HIERARCHICAL, 64, 3, 1);
	assert_metric(&b, "staleness_bound", 704 + 1024 * 63);
	by_hand_close();
	/* in batches of 65 updates, and 64 may wait on every CPU */
	start(VMSTATS_GLOBAL_GUARDED, 64, 3, 1);
	assert_metric(&b, "staleness_bound", 11 * 65 + 1024 * 64);
}

/* ---------------------------------------------------------------- shared writes */

/* "exceeds": one write per batch + 1 updates, for ever */
static void unconditional_writes_per_batch_and_one(void **state)
{
	start(VMSTATS_GLOBAL_UNCONDITIONAL, 64, 3, 1);
	by_hand_run(&b, 0, 64);
	assert_int_equal(nr_writes(0), 0);
	by_hand_run(&b, 0, 1);
	assert_int_equal(nr_writes(0), 1);
	by_hand_run(&b, 0, 65 * 99);
	assert_int_equal(nr_writes(0), 100);
	assert_int_equal(v->stats_flush_threshold.counter, 100);
	assert_metric(&b, "shared_writes", 1 / 65.0);
	by_hand_close();
	/* a batch of 1: two updates are two batches */
	start(VMSTATS_GLOBAL_UNCONDITIONAL, 1, 3, 1);
	by_hand_run(&b, 0, 100);
	assert_int_equal(nr_writes(0), 50);
	assert_int_equal(v->stats_flush_threshold.counter, 100);
}

/* threshold 4: the fifth write is the last until a flush */
static void guarded_stops_when_a_flush_is_due(void **state)
{
	params.cpus = 4;
	start(VMSTATS_GLOBAL_GUARDED, 64, 3, 1);
	by_hand_run(&b, 0, 65 * 5);
	assert_int_equal(nr_writes(0), 5);
	by_hand_run(&b, 0, 65 * 1000);
	assert_int_equal(nr_writes(0), 5);
	vmstats_flush(v, &worker(0)->account);
	by_hand_run(&b, 0, 65 * 1000);
	assert_int_equal(nr_writes(0), 10);
}

/* "reaches": depth writes per batch updates, until over 4 batches at every level */
static void hierarchical_writes_every_level(void **state)
{
	int rule, depth;

	params.cpus = 4;
	for (rule = VMSTATS_HIERARCHICAL; rule <= VMSTATS_HIERARCHICAL_GUARDED; rule++) {
		for (depth = 1; depth <= VMSTATS_MAX_DEPTH; depth++) {
			start(rule, 64, depth, 1);
			by_hand_run(&b, 0, 63);
			assert_int_equal(nr_writes(0), 0);
			by_hand_run(&b, 0, 1);
			assert_int_equal(nr_writes(0), depth);
			by_hand_run(&b, 0, 64 * 4);
			assert_int_equal(nr_writes(0), 5 * depth);
			by_hand_run(&b, 0, 64 * 1000);
			assert_int_equal(nr_writes(0), 5 * depth);
			assert_int_equal(v->root->vmstats->stats_updates.counter, 5 * 64);
			by_hand_metric(&b, "shared_writes");
			by_hand_close();
		}
	}
}

/* with a memcg each, the leaf's count has one writer and the root's has them all: the root is over
 * the threshold of 2 batches after 3 batches of both workers together, a leaf after 3 of its own */
static void ancestors_count_for_all_children(void **state)
{
	params.memcgs = VMF_PER_WORKER;
	start(VMSTATS_HIERARCHICAL, 64, 2, 2);
	by_hand_run(&b, 0, 64 * 2);
	by_hand_run(&b, 1, 64 * 10);
	assert_int_equal(nr_writes(0), 2 * 2);
	assert_int_equal(nr_writes(1), 3 + 1);
	by_hand_metric(&b, "shared_writes");
}

/* 3 lines a level by way of the memcgs, 1 by way of the CPU's own blocks (3N become N + 1), of
 * 3 levels; over the threshold the newest rule reads the leaf's count and no more */
static void lines_of_an_update(void **state)
{
	static const struct {
		int rule, below, over;
	} table[] = {
		{VMSTATS_GLOBAL_UNCONDITIONAL, 2, 2}, {VMSTATS_GLOBAL_GUARDED, 2, 2},
		{VMSTATS_HIERARCHICAL, 9, 9},	      {VMSTATS_HIERARCHICAL_CACHED, 4, 4},
		{VMSTATS_HIERARCHICAL_GUARDED, 7, 3},
	};
	size_t i;

	for (i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		start(table[i].rule, 64, 3, 1);
		assert_int_equal(lines_of_one_update(), 1 + table[i].below);
		by_hand_run(&b, 0, 65 * 15);
		assert_int_equal(lines_of_one_update(), 1 + table[i].over);
		by_hand_close();
	}
}

/* every rule and depth: what is folded goes to all levels, what is not is still there */
static void a_flush_folds_into_all_levels(void **state)
{
	int rule, memcgs;

	params.flush_every = 1000;
	for (rule = 0; rule <= VMSTATS_HIERARCHICAL_GUARDED; rule++) {
		for (memcgs = VMF_SHARED; memcgs <= VMF_PER_WORKER; memcgs++) {
			params.memcgs = memcgs;
			start(rule, 64, 4, 3);
			by_hand_run(&b, 2, 300);
			by_hand_run(&b, 1, 200);
			by_hand_run(&b, 0, 999);
			assert_int_equal(v->root->vmstats->state, 0);
			by_hand_run(&b, 0, 11);
			assert_int_equal(v->root->vmstats->state, 1500);
			assert_int_equal(v->leaf[0]->vmstats->state,
					 memcgs == VMF_SHARED ? 1500 : 1000);
			assert_int_equal(not_folded(v), 10);
			assert_metric(&b, "worst_staleness", 1500);
			assert_metric(&b, "flushes", 1e6 / 1510);
			by_hand_close();
		}
	}
}

/* the global rules leave the CPUs' counts where they are, the hierarchical ones reset them */
static void what_a_flush_resets(void **state)
{
	params.flush_every = 100;
	start(VMSTATS_GLOBAL_UNCONDITIONAL, 64, 2, 1);
	by_hand_run(&b, 0, 100);
	assert_int_equal(v->stats_flush_threshold.counter, 0);
	assert_int_equal(v->cpu[0]->stats_updates, 35);
	by_hand_close();
	start(VMSTATS_HIERARCHICAL, 64, 2, 1);
	by_hand_run(&b, 0, 100);
	assert_int_equal(v->root->vmstats->stats_updates.counter, 0);
	assert_int_equal(v->cpu[0]->block[0].stats_updates | v->cpu[0]->block[1].stats_updates, 0);
}

static void a_second_flusher_leaves(void **state)
{
	params.flush_every = 100;
	start(VMSTATS_HIERARCHICAL, 64, 2, 1);
	v->flush_lock = 1;
	by_hand_run(&b, 0, 100);
	assert_int_equal(not_folded(v), 100);
	v->flush_lock = 0;
	by_hand_run(&b, 0, 100);
	assert_int_equal(not_folded(v), 0);
}

/* a reader who looks after every update flushes at the first one beyond the bound, not before */
static void a_reader_flushes_when_the_bound_is_passed(void **state)
{
	int rule, batch;
	long bound;

	params.readers = 1;
	params.read_every = 1;
	params.cpus = 1;
	for (rule = 0; rule <= VMSTATS_HIERARCHICAL_GUARDED; rule++) {
		for (batch = 1; batch <= 64; batch += 63) {
			start(rule, batch, 3, 1);
			bound = by_hand_metric(&b, "staleness_bound");
			by_hand_run(&b, 0, bound);
			assert_int_equal(not_folded(v), bound);
			assert_int_equal(worker(0)->seen, 0);
			by_hand_run(&b, 0, 1);
			assert_int_equal(not_folded(v), 0);
			assert_int_equal(worker(0)->seen, bound + 1);
			by_hand_run(&b, 0, 10000);
			assert_metric(&b, "worst_staleness", bound + 1);
			by_hand_close();
		}
	}
}

/* a flush that met an update between child and parent: the newest rule's root is never due */
static void a_parent_that_lags_is_never_due(void **state)
{
	int rule;

	params.readers = 1;
	params.read_every = 1;
	for (rule = VMSTATS_HIERARCHICAL; rule <= VMSTATS_HIERARCHICAL_GUARDED; rule++) {
		start(rule, 64, 2, 1);
		by_hand_run(&b, 0, 1);
		v->cpu[0]->block[1].stats_updates = 0;
		by_hand_run(&b, 0, 10000);
		assert_int_equal(worker(0)->seen > 0, rule != VMSTATS_HIERARCHICAL_GUARDED);
		by_hand_close();
	}
}

/* the last workers read; nobody else flushes; updates take their local work, reads take none */
static void readers_are_the_last_workers(void **state)
{
	params.work_ns = 7;
	params.readers = 1;
	params.read_every = 10;
	start(VMSTATS_GLOBAL_GUARDED, 64, 3, 2);
	by_hand_run(&b, 0, 10000);
	assert_int_equal(not_folded(v), 10000);
	by_hand_run(&b, 1, 9);
	assert_int_equal(not_folded(v), 10009);
	by_hand_run(&b, 1, 1);
	assert_int_equal(not_folded(v), 0);
	assert_int_equal(by_hand_work_ns, 7 * 10010);
}

/* ------------------------------------------------------------- refused and broken */

static void combinations_that_make_no_sense(void **state)
{
	struct err err;

	params.memcgs = VMF_PER_WORKER;
	params.depth = 1;
	assert_refused(vmf_validate(&params, 2, &err), -EINVAL, "depth of at least 2", &err);
	params.depth = 2;
	params.readers = 3;
	assert_refused(vmf_validate(&params, 2, &err), -EINVAL, "more than the 2 workers", &err);
}

static void lost_updates_are_found(void **state)
{
	struct err err;

	params.flush_every = 500;
	start(VMSTATS_HIERARCHICAL_GUARDED, 64, 3, 2);
	by_hand_run(&b, 1, 700);
	by_hand_run(&b, 0, 700);
	assert_ok(by_hand_check(&b, &err), &err);
	v->cpu[1]->block[0].state--; /* an update by two writers at once */
	assert_refused(by_hand_check(&b, &err), -EUCLEAN, "1200 updates are folded in level 0",
		       &err);
	v->cpu[1]->block[0].state++;
	v->leaf[0]->parent->vmstats->state -= 3; /* a flush that forgot a child */
	assert_refused(by_hand_check(&b, &err), -EUCLEAN, "1197 updates are folded in level 1",
		       &err);
	v->leaf[0]->parent->vmstats->state += 3;
	worker(1)->seen = 1201;
	assert_refused(by_hand_check(&b, &err), -EUCLEAN, "worker 1 read 1201 updates", &err);
}

static void lost_counts_are_found(void **state)
{
	struct err err;

	start(VMSTATS_HIERARCHICAL, 64, 2, 2);
	by_hand_run(&b, 0, 640);
	assert_ok(by_hand_check(&b, &err), &err);
	v->root->vmstats->stats_updates.counter -= 64; /* an addition that was not atomic */
	assert_refused(by_hand_check(&b, &err), -EUCLEAN,
		       "counts of level 1 hold 128, 192 were added", &err);
	by_hand_close();

	start(VMSTATS_GLOBAL_GUARDED, 64, 2, 2);
	by_hand_run(&b, 0, 650);
	assert_ok(by_hand_check(&b, &err), &err);
	v->threshold = 0; /* as if nobody had looked before adding: 3, and each CPU may add 1 */
	assert_refused(by_hand_check(&b, &err), -EUCLEAN, "hold 3, the guard allows 2", &err);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(test) cmocka_unit_test_setup_teardown(test, defaults, by_hand_end)
		T(thresholds_of_big_machines),
		T(bounds_of_staleness),
		T(unconditional_writes_per_batch_and_one),
		T(guarded_stops_when_a_flush_is_due),
		T(hierarchical_writes_every_level),
		T(ancestors_count_for_all_children),
		T(lines_of_an_update),
		T(a_flush_folds_into_all_levels),
		T(what_a_flush_resets),
		T(a_second_flusher_leaves),
		T(a_reader_flushes_when_the_bound_is_passed),
		T(a_parent_that_lags_is_never_due),
		T(readers_are_the_last_workers),
		T(combinations_that_make_no_sense),
		T(lost_updates_are_found),
		T(lost_counts_are_found)};

	return run_tests(tests);
}
