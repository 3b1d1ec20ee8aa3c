/* SPDX-License-Identifier: MIT */
/* Counters in the windows of the runner: each worker its own, around the window and no more. */
#include "runner_fixture.h"

#include <sys/mman.h>

#include "counters_fixture.h"

#define FAULTS_PER_OP 3

/* every operation touches so many pages for the first time, and works for a while */
static void fault_run(void *shared, const void *params, struct worker *w, uint64_t nr_ops)
{
	long page = sysconf(_SC_PAGESIZE);
	volatile char *p;
	uint64_t i;
	int k;

	for (i = 0; i < nr_ops; i++) {
		p = mmap(NULL, FAULTS_PER_OP * page, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		madvise((void *)p, FAULTS_PER_OP * page, MADV_NOHUGEPAGE);
		for (k = 0; k < FAULTS_PER_OP; k++)
			p[k * page] = 1;
		munmap((void *)p, FAULTS_PER_OP * page);
		atomic_fetch_add(&nr_done, 1);
	}
}

static struct counters *real_counters(void)
{
	struct counters *c = NULL;
	struct err err = ERR_INIT;

	assert_ok(counters_open(&c, topo, "software", false, &err), &err);
	if (counters_info(c, column(c, "task_clock"))->state != COUNTER_COUNTED ||
	    counters_info(c, column(c, "page_faults"))->state != COUNTER_COUNTED) {
		counters_close(c);
		test_skip("the kernel does not let software events be opened");
	}
	return c;
}

static struct plan counted_plan(struct counters *c, int nr_workers, enum mood mood)
{
	const int moods[1] = {mood};
	struct plan plan = make_plan(1, moods, &nr_workers);

	plan.counters = c;
	return plan;
}

/* the machine may be busy with others: the nearest of some windows is the one that says it */
static void task_clock_is_the_window(void **state)
{
	struct counters *c = real_counters();
	int clock = column(c, "task_clock"), i;
	struct plan plan = counted_plan(c, 1, MOOD_COUNT);
	struct bench_session *s;
	struct err err = ERR_INIT;
	struct sample sample;
	double ratio, best = 0;

	plan.window_ns = 2000000;
	assert_ok(bench_open(&s, topo, &plan, &err), &err);
	for (i = 0; i < 1000 && fabs(best - 1) > 0.02; i++) {
		assert_ok(bench_window(s, 0, &sample, &err), &err);
		ratio = sample.counters[clock] * sample.ops / sample.window_ns;
		if (fabs(ratio - 1) < fabs(best - 1))
			best = ratio;
		assert_true(ratio < 1.5); /* of no window is more counted than there was */
	}
	if (fabs(best - 1) > 0.02)
		fail_msg("task clock / window is %g at best", best);
	bench_close(s);
	plan_free(&plan);
	counters_close(c);
}

static void page_faults_are_those_of_the_window(void **state)
{
	if (SHADOW_FAULTS)
		test_skip("the sanitizer has faults of its own");

	struct counters *c = real_counters();
	struct experiment fault = mood_experiment;
	int nr = cpus.nr < 2 ? 1 : 2, faults = column(c, "page_faults"), i;
	struct plan plan = counted_plan(c, nr, MOOD_COUNT);
	struct bench_session *s;
	struct err err = ERR_INIT;
	struct sample sample;
	double least = INFINITY;

	fault.run = fault_run;
	plan.cases[0].exp = &fault;
	assert_ok(bench_open(&s, topo, &plan, &err), &err);
	for (i = 0; i < 8; i++) {
		assert_ok(bench_window(s, 0, &sample, &err), &err);
		assert_true(sample.counters[faults] >= FAULTS_PER_OP);
		if (sample.counters[faults] < least)
			least = sample.counters[faults];
	}
	/* the worker's own: a page or two of stack, when it is new */
	if (least > FAULTS_PER_OP * 1.001)
		fail_msg("%g faults per operation, %d were provoked", least, FAULTS_PER_OP);
	bench_close(s);
	plan_free(&plan);
	counters_close(c);
}

/* a worker that goes to another CPU and is back at the end is found by the count alone */
static void go_and_come_back(void *shared, const void *params, struct worker *w, uint64_t nr_ops)
{
	cpu_set_t set;
	uint64_t i;
	int k;

	for (i = 0; i < nr_ops; i++) {
		for (k = 1; k >= 0; k--) {
			CPU_ZERO(&set);
			CPU_SET(k ? cpus.cpu[w->cpu == cpus.cpu[0]] : w->cpu, &set);
			sched_setaffinity(0, sizeof(set), &set);
		}
		atomic_fetch_add(&nr_done, 1);
	}
}

static void a_migration_in_between_is_marked(void **state)
{
	struct counters *c = real_counters();
	struct experiment wander = mood_experiment;
	struct plan plan = counted_plan(c, 1, MOOD_COUNT);
	struct bench_session *s;
	struct err err = ERR_INIT;
	struct sample sample;

	if (cpus.nr < 2 || counters_info(c, column(c, "migrations"))->state != COUNTER_COUNTED) {
		plan_free(&plan);
		counters_close(c);
		test_skip("one CPU, or migrations cannot be counted");
	}
	wander.run = go_and_come_back;
	plan.cases[0].exp = &wander;
	assert_ok(bench_open(&s, topo, &plan, &err), &err);
	assert_ok(bench_window(s, 0, &sample, &err), &err);
	assert_true(sample.marks & MARK_MIGRATED);
	assert_true(sample.counters[column(c, "migrations")] > 1);
	bench_close(s);
	plan_free(&plan);
	counters_close(c);
}

/* ------------------------------------------------------------------- on a script */

static double seen[256][COUNTERS_MAX];
static int nr_seen;

static int keep_sample(void *ctx, int idx, const struct sample *s, struct err *err)
{
	if (nr_seen < 256)
		memcpy(seen[nr_seen++], s->counters, sizeof(s->counters));
	return log_sample(ctx, idx, s, err);
}

static void sets_take_turns_over_the_windows_of_a_case(void **state)
{
	struct counters *c;
	struct plan plan;
	struct err err = ERR_INIT;
	struct log l = {0};
	struct bench_hooks hooks = {.sample = keep_sample,
				    .stop = log_stop,
				    .block_end = log_block_end,
				    .context = log_context,
				    .ctx = &l};
	int i, cycles, hitm, nr_sets;

	script.most = 2;
	c = opened(&icelake, "core,lines", false);
	nr_sets = counters_nr_sets(c);
	assert_int_equal(nr_sets, 4);
	cycles = column(c, "cycles");
	hitm = column(c, "hitm_remote");
	script.count = 1000;
	plan = counted_plan(c, 1, MOOD_COUNT);
	plan.max_blocks = 100;
	l.stop_after = 12;
	nr_seen = 0;
	assert_int_equal(bench_run(topo, &plan, &hooks, &err), 1);
	assert_int_equal(nr_seen, 12);
	for (i = 0; i < nr_seen; i++) {
		assert_true(isfinite(seen[i][0])); /* software: always */
		assert_int_equal(isfinite(seen[i][cycles]), i % nr_sets == 0);
		assert_false(isfinite(seen[i][cycles]) && isfinite(seen[i][hitm]));
	}
	assert_int_equal(script.nr_open, 0); /* the workers closed what they opened */
	assert_int_equal(script.nr_threads, 0);
	plan_free(&plan);
	counters_close(c);
}

/* results are the same whatever becomes of the counters */
static void a_refused_count_leaves_the_window_alone(void **state)
{
	struct counters *c = opened(&icelake, "core", false);
	struct plan plan = counted_plan(c, 1, MOOD_COUNT);
	struct bench_session *s;
	struct err err = ERR_INIT;
	struct sample sample;

	script.thread_rc = -EIO;
	assert_ok(bench_open(&s, topo, &plan, &err), &err);
	assert_ok(bench_window(s, 0, &sample, &err), &err);
	assert_true(sample.rate > 0 && sample.ops > 0);
	assert_true(isnan(sample.counters[0]) && isnan(sample.counters_share));
	bench_close(s);

	script.thread_rc = 0;
	script.stop_refuses = "::";
	script.stop_code = -EIO;
	assert_ok(bench_open(&s, topo, &plan, &err), &err);
	assert_ok(bench_window(s, 0, &sample, &err), &err);
	assert_true(sample.rate > 0 && isnan(sample.counters[0]));
	bench_close(s);
	assert_state(c, "cycles", COUNTER_NOT_COUNTED, "does not go on");
	plan_free(&plan);
	counters_close(c);
}

static void without_counters_nothing_is_counted(void **state)
{
	struct plan plan = counted_plan(NULL, 1, MOOD_COUNT);
	struct err err = ERR_INIT;
	struct log l = {.stop_after = 1};

	assert_int_equal(run(&plan, &l, &err), 1);
	assert_int_equal(l.nr, 1);
	plan_free(&plan);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, begin_script, end_script)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(task_clock_is_the_window),
		TEST(page_faults_are_those_of_the_window),
		TEST(a_migration_in_between_is_marked),
		TEST(sets_take_turns_over_the_windows_of_a_case),
		TEST(a_refused_count_leaves_the_window_alone),
		TEST(without_counters_nothing_is_counted),
	};

	return run_group("tests", tests, load_machine, free_machine);
}
