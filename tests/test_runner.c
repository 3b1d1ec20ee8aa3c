/* SPDX-License-Identifier: MIT */
/* The runner: blocks, windows and marks. No test here asserts a time. */
#include "runner_fixture.h"

/* the first window of each case in each block, in the order they were taken */
static int first_visits(const struct log *l, int block, int *order)
{
	int i, nr = 0;

	for (i = 0; i < l->nr && i < 256; i++)
		if (l->block[i] == block && !(nr && order[nr - 1] == l->idx[i]))
			order[nr++] = l->idx[i];
	return nr;
}

#define NEED_TWO_CPUS()                              \
	do {                                         \
		if (cpus.nr < 2)                     \
			test_skip("needs two CPUs"); \
	} while (0)

/* --------------------------------------------------------------------- tests */

static void every_block_visits_every_case_in_its_own_order(void **state)
{
	static const int moods[8], workers[8] = {1, 1, 1, 1, 1, 1, 1, 1};
	struct plan plan = make_plan(8, moods, workers);
	struct log a = {0}, b = {0};
	int first[256], second[256], again[256], i, sum = 0;
	struct err err = ERR_INIT;

	assert_ok(run(&plan, &a, &err), &err);
	assert_ok(run(&plan, &b, &err), &err);
	assert_int_equal(a.nr_block_ends, 3);
	assert_int_equal(a.nr_contexts, 2);
	assert_int_equal(first_visits(&a, 0, first), 8);
	assert_int_equal(first_visits(&a, 1, second), 8);
	assert_int_equal(first_visits(&b, 0, again), 8);
	for (i = 0; i < 8; i++)
		sum += first[i];
	assert_int_equal(sum, 28);
	assert_memory_equal(first, again, 8 * sizeof(int));
	assert_memory_not_equal(first, second, 8 * sizeof(int));
	plan_free(&plan);
}

static void windows_that_were_done_are_not_done_again(void **state)
{
	static const int moods[3], workers[3] = {1, 1, 1};
	struct plan plan = make_plan(3, moods, workers);
	struct sample done[2] = {{.block = 0, .rate = 1}, {.block = 1, .marks = MARK_STEAL}};
	struct err err = ERR_INIT;
	struct log l = {0};
	int i;

	plan.cases[1].done = done;
	plan.cases[1].nr_done = 2;
	assert_ok(run(&plan, &l, &err), &err);
	for (i = 0; i < l.nr; i++)
		if (l.idx[i] == 1)
			assert_int_equal(l.block[i], 2);
	plan_free(&plan);
}

/* a case closes when its interval is narrow enough; two values are never enough for that */
static void narrow_cases_close_early(void **state)
{
	static const int moods[2], workers[2] = {1, 1};
	struct plan plan = make_plan(2, moods, workers);
	struct sample done[8] = {{0}};
	struct err err = ERR_INIT;
	struct log l = {0};
	int i;

	for (i = 0; i < 8; i++)
		done[i] = (struct sample){.block = i, .rate = 100};
	plan.cases[0].done = done;
	plan.cases[0].nr_done = 8;
	plan.min_blocks = 7;
	plan.max_blocks = 12;
	assert_ok(run(&plan, &l, &err), &err);
	for (i = 0; i < l.nr; i++)
		assert_int_equal(l.idx[i], 1);
	plan_free(&plan);
}

static void stop_and_budget_end_a_run(void **state)
{
	static const int moods[2], workers[2] = {1, 1};
	struct plan plan = make_plan(2, moods, workers);
	struct err err = ERR_INIT;
	struct log l = {.stop_after = 3};

	plan.max_blocks = 100000;
	assert_int_equal(run(&plan, &l, &err), 1);
	assert_int_equal(l.nr, 3);
	l = (struct log){0};
	plan.budget_ns = 60000000;
	assert_ok(run(&plan, &l, &err), &err);
	assert_true(l.nr > 0 && l.nr < 1000);
	plan_free(&plan);
}

static void a_broken_invariant_gives_no_number(void **state)
{
	static const int moods[1] = {MOOD_LOSE}, workers[1] = {1};
	struct plan plan = make_plan(1, moods, workers);
	struct log l = {0};
	struct err err;

	assert_refused(run(&plan, &l, &err), -EUCLEAN,
		       "mood mood=3 1 worker: an operation was lost", &err);
	assert_int_equal(l.nr, 0);
	plan_free(&plan);
}

static void refusals_of_hooks_come_back(void **state)
{
	static const int setup[1] = {MOOD_REFUSE_SETUP}, init[1] = {MOOD_REFUSE_INIT}, one[1] = {1},
			 two[1] = {2}, good[1] = {MOOD_COUNT};
	struct plan plan = make_plan(1, setup, one);
	struct log l = {.fail_at = 2};
	struct err err;

	assert_refused(run(&plan, &l, &err), -ENOMEM, "setup refuses", &err);
	plan_free(&plan);
	plan = make_plan(1, good, one);
	assert_refused(run(&plan, &l, &err), -EIO, "the hook refuses", &err);
	plan_free(&plan);
	NEED_TWO_CPUS();
	plan = make_plan(1, init, two);
	assert_refused(run(&plan, &l, &err), -EIO, "worker refuses", &err);
	assert_int_equal(atomic_load(&nr_done), 0);
	plan_free(&plan);
}

/* each worker's thread may run on its one CPU and on no other, and that is the one in the record */
static void workers_are_pinned_to_the_cpu_they_report(void **state)
{
	int moods[1] = {MOOD_COUNT}, workers[1] = {cpus.nr < 64 ? cpus.nr : 64}, i;
	struct plan plan = make_plan(1, moods, workers);
	struct err err = ERR_INIT;
	struct log l = {0};
	char want[16];

	memset(allowed, 0, sizeof(allowed));
	plan.max_blocks = 1;
	assert_ok(run(&plan, &l, &err), &err);
	for (i = 0; i < workers[0]; i++) {
		snprintf(want, sizeof(want), "%d", cpus.cpu[i]);
		assert_string_equal(allowed[i], want);
	}
	plan_free(&plan);
}

static void a_worker_that_left_its_cpu_is_marked(void **state)
{
	static const int moods[1] = {MOOD_WANDER}, workers[1] = {1};
	struct plan plan = make_plan(1, moods, workers);
	struct err err = ERR_INIT;
	struct log l = {0};

	if (cpus.nr < 2 || cpus.cpu[0] >= CPU_SETSIZE || cpus.cpu[1] >= CPU_SETSIZE) {
		plan_free(&plan);
		test_skip("needs two CPUs");
	}
	plan.max_blocks = 1;
	assert_ok(run(&plan, &l, &err), &err);
	assert_true(l.nr == 3); /* tried again, and never undisturbed */
	assert_true(l.marks[0] & MARK_MIGRATED);
	plan_free(&plan);
}

static void a_worker_that_lost_its_binding_is_marked_and_bound_again(void **state)
{
	static const int moods[2] = {MOOD_UNBIND, MOOD_COUNT}, workers[2] = {1, 1};
	struct plan plan = make_plan(2, moods, workers);
	struct bench_session *s;
	struct err err = ERR_INIT;
	struct sample sample;
	char want[16];

	if (cpus.nr < 2 || cpus.cpu[0] >= CPU_SETSIZE || cpus.cpu[1] >= CPU_SETSIZE) {
		plan_free(&plan);
		test_skip("needs two CPUs");
	}
	assert_ok(bench_open(&s, topo, &plan, &err), &err);
	assert_ok(bench_window(s, 0, &sample, &err), &err);
	assert_true(sample.marks & MARK_MIGRATED);
	assert_ok(bench_window(s, 1, &sample, &err), &err);
	assert_false(sample.marks & MARK_MIGRATED);
	snprintf(want, sizeof(want), "%d", cpus.cpu[0]);
	assert_string_equal(allowed[0], want);
	bench_close(s);
	plan_free(&plan);
}

static atomic_bool rival_ends;

static void *rival(void *arg)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpus.cpu[0], &set);
	sched_setaffinity(0, sizeof(set), &set);
	while (!atomic_load(&rival_ends))
		;
	return NULL;
}

/* somebody else computes on the worker's CPU */
static void a_worker_that_was_switched_out_is_marked(void **state)
{
	static const int moods[1], workers[1] = {1};
	struct plan plan = make_plan(1, moods, workers);
	struct err err = ERR_INIT;
	struct log l = {0};
	pthread_t thread;
	int i, marked = 0;

	if (cpus.cpu[0] >= CPU_SETSIZE)
		test_skip("the first CPU's number is too large for this test");
	plan.window_ns = 60000000;
	plan.max_blocks = 2;
	atomic_store(&rival_ends, false);
	assert_int_equal(pthread_create(&thread, NULL, rival, NULL), 0);
	assert_ok(run(&plan, &l, &err), &err);
	atomic_store(&rival_ends, true);
	pthread_join(thread, NULL);
	for (i = 0; i < l.nr; i++)
		marked += (l.marks[i] & MARK_SWITCHED) != 0;
	assert_true(marked > 0);
	plan_free(&plan);
}

/* operations that sleep take as long with two workers as with one: the total doubles, the latency
 * does not, whatever a library makes of "time" (field report B1) */
static void latency_is_of_one_worker_throughput_of_all(void **state)
{
	static const int moods[2] = {MOOD_SLEEP, MOOD_SLEEP}, workers[2] = {1, 2};
	struct plan plan;
	struct bench_session *s;
	struct err err = ERR_INIT;
	struct sample one, two;

	NEED_TWO_CPUS();
	plan = make_plan(2, moods, workers);
	plan.window_ns = 60000000;
	assert_ok(bench_open(&s, topo, &plan, &err), &err);
	assert_ok(bench_window(s, 0, &one, &err), &err);
	assert_ok(bench_window(s, 1, &two, &err), &err);
	bench_close(s);
	assert_true(two.rate / one.rate > 1.5 && two.rate / one.rate < 2.5);
	assert_true(two.slowest / one.slowest > 0.7 && two.slowest / one.slowest < 1.4);
	plan_free(&plan);
}

/* ends by time, never by a count, also for the cheapest operation (field report B3) */
static void a_window_lasts_as_long_as_asked(void **state)
{
	static const int moods[1], workers[1] = {1};
	struct plan plan = make_plan(1, moods, workers);
	struct bench_session *s;
	struct err err = ERR_INIT;
	struct sample sample;

	plan.window_ns = 50000000;
	assert_ok(bench_open(&s, topo, &plan, &err), &err);
	assert_ok(bench_window(s, 0, &sample, &err), &err);
	bench_close(s);
	/* at least the window, less what the warm-up's last chunk took of it */
	assert_true(sample.window_ns > 45e6);
	assert_true(fabs(sample.rate * sample.window_ns / 1e9 - sample.ops) <
		    sample.ops * 1e-6 + 1);
	plan_free(&plan);
}

static void a_topology_that_is_not_this_system_is_refused(void **state)
{
	static const int moods[1], workers[1] = {1};
	struct plan plan = make_plan(1, moods, workers);
	struct bench_session *s;
	struct topo *other;
	struct err err = ERR_INIT;

	assert_ok(topo_load(&other, "Package:2 Core:4 PU:2", &err), &err);
	assert_refused(bench_open(&s, other, &plan, &err), -EOPNOTSUPP, "is not this system", &err);
	topo_free(other);
	plan_free(&plan);
}

static void a_cpu_that_does_not_exist_is_named(void **state)
{
	static const int moods[1], workers[1] = {1};
	struct plan plan = make_plan(1, moods, workers);
	struct bench_session *s;
	struct err err = ERR_INIT;

	plan.cases[0].cpus.cpu[0] = 60000;
	assert_refused(bench_open(&s, topo, &plan, &err), -EOPNOTSUPP, "CPU 60000", &err);
	plan_free(&plan);
}

static void context_says_what_the_clock_and_the_work_are(void **state)
{
	static const int moods[1], workers[1] = {1};
	struct plan plan = make_plan(1, moods, workers);
	struct bench_context context;
	struct bench_session *s;
	struct err err = ERR_INIT;

	assert_ok(bench_open(&s, topo, &plan, &err), &err);
	bench_session_context(s, &context);
	assert_true(context.clock_read_ns > 0 && context.clock_resolution_ns > 0);
	assert_true(context.work_error >= 0 && isfinite(context.work_error));
	bench_close(s);
	plan_free(&plan);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_block_visits_every_case_in_its_own_order),
		cmocka_unit_test(windows_that_were_done_are_not_done_again),
		cmocka_unit_test(narrow_cases_close_early),
		cmocka_unit_test(stop_and_budget_end_a_run),
		cmocka_unit_test(a_broken_invariant_gives_no_number),
		cmocka_unit_test(refusals_of_hooks_come_back),
		cmocka_unit_test(workers_are_pinned_to_the_cpu_they_report),
		cmocka_unit_test(a_worker_that_left_its_cpu_is_marked),
		cmocka_unit_test(a_worker_that_lost_its_binding_is_marked_and_bound_again),
		cmocka_unit_test(a_worker_that_was_switched_out_is_marked),
		cmocka_unit_test(latency_is_of_one_worker_throughput_of_all),
		cmocka_unit_test(a_window_lasts_as_long_as_asked),
		cmocka_unit_test(a_topology_that_is_not_this_system_is_refused),
		cmocka_unit_test(a_cpu_that_does_not_exist_is_named),
		cmocka_unit_test(context_says_what_the_clock_and_the_work_are),
	};

	return run_group("runner", tests, load_machine, free_machine);
}
