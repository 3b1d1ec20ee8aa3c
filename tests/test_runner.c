/* SPDX-License-Identifier: MIT */
/* The runner, with experiments made to misbehave. No test here asserts a time. */
#include "../bench/bench_private.h"
#include "test.h"

#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>

static struct topo *topo;
static struct cpulist cpus; /* all usable ones */

static int load_machine(void **state)
{
	struct err err = ERR_INIT;

	if (topo_load(&topo, NULL, &err) || topo_place(topo, "cores-first", 0, &cpus, &err)) {
		print_error("%s\n", err.msg);
		return -1;
	}
	return 0;
}

static int free_machine(void **state)
{
	cpulist_free(&cpus);
	topo_free(topo);
	return 0;
}

/* ------------------------------------------------------------ experiments of the test */

enum mood { MOOD_COUNT, MOOD_SLEEP, MOOD_WANDER, MOOD_LOSE, MOOD_REFUSE_SETUP, MOOD_REFUSE_INIT };

struct mood_params {
	int64_t mood;
};

static const struct param mood_params_table[] = {
	{"mood", "", "how it misbehaves", 0, 0, MOOD_REFUSE_INIT, 0, NULL, 0}, {NULL}};

static atomic_long nr_done;
static char allowed[64][64]; /* Cpus_allowed_list of each worker's thread */

static int mood_setup(const struct env *env, const void *params, struct worker *workers,
		      void **shared, struct err *err)
{
	const struct mood_params *p = params;

	if (p->mood == MOOD_REFUSE_SETUP)
		return err_set(err, -ENOMEM, "setup refuses");
	*shared = env_alloc(env, 64, 64);
	atomic_store(&nr_done, 0);
	return *shared ? 0 : -ENOMEM;
}

static int mood_init(void *shared, const void *params, struct worker *w, struct err *err)
{
	const struct mood_params *p = params;
	char path[64], line[256];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/task/%ld/status", syscall(SYS_gettid));
	f = fopen(path, "r");
	while (f && fgets(line, sizeof(line), f))
		if (w->idx < 64)
			sscanf(line, "Cpus_allowed_list: %63s", allowed[w->idx]);
	if (f)
		fclose(f);
	return p->mood == MOOD_REFUSE_INIT && w->idx ? err_set(err, -EIO, "worker refuses") : 0;
}

static void mood_run(void *shared, const void *params, struct worker *w, uint64_t nr_ops)
{
	const struct mood_params *p = params;
	cpu_set_t set;
	uint64_t i;

	for (i = 0; i < nr_ops; i++) {
		if (p->mood == MOOD_SLEEP)
			usleep(1000);
		if (p->mood == MOOD_WANDER) {
			CPU_ZERO(&set);
			CPU_SET(cpus.cpu[w->cpu == cpus.cpu[0]], &set);
			sched_setaffinity(0, sizeof(set), &set);
			usleep(100);
		}
		atomic_fetch_add(&nr_done, 1);
	}
}

static int mood_check(const struct env *env, const void *params, const void *shared,
		      const struct worker *workers, const uint64_t *ops, struct err *err)
{
	const struct mood_params *p = params;
	uint64_t sum = 0;
	int i;

	for (i = 0; i < env->nr_workers; i++)
		sum += ops[i];
	if (p->mood == MOOD_LOSE)
		return err_set(err, -EUCLEAN, "an operation was lost");
	return sum == (uint64_t)atomic_load(&nr_done)
		       ? 0
		       : err_set(err, -EUCLEAN, "%ld done, %lu counted", atomic_load(&nr_done),
				 sum);
}

static const struct experiment mood_experiment = {
	.name = "mood",
	.question = "?",
	.min_workers = 1,
	.params = mood_params_table,
	.params_size = sizeof(struct mood_params),
	.setup = mood_setup,
	.worker_init = mood_init,
	.run = mood_run,
	.check = mood_check,
};

/* a plan of @nr cases of one mood each, case i on workers[i] CPUs */
static struct plan make_plan(int nr, const int *moods, const int *workers)
{
	struct plan plan = {.window_ns = 4000000,
			    .warmup_ns = 1000000,
			    .min_blocks = 1000,
			    .max_blocks = 3,
			    .target = 0.01,
			    .seed = 7};
	struct cpulist first;
	int i;

	plan.cases = calloc(nr, sizeof(*plan.cases));
	plan.nr_cases = nr;
	for (i = 0; i < nr; i++) {
		first = (struct cpulist){workers[i], cpus.cpu};
		plan.cases[i].exp = &mood_experiment;
		plan.cases[i].params = malloc(sizeof(struct mood_params));
		((struct mood_params *)plan.cases[i].params)->mood = moods[i];
		cpulist_copy(&plan.cases[i].cpus, &first);
		topo_home(topo, "local", &first, &plan.cases[i].home_node, NULL, 0, NULL);
	}
	return plan;
}

struct log {
	int nr, idx[256], block[256];
	unsigned marks[256];
	int stop_after, nr_contexts, nr_block_ends, fail_at;
	struct bench_context context;
};

static int log_sample(void *ctx, int idx, const struct sample *s, struct err *err)
{
	struct log *l = ctx;

	if (l->nr < 256) {
		l->idx[l->nr] = idx;
		l->block[l->nr] = s->block;
		l->marks[l->nr] = s->marks;
	}
	l->nr++;
	return l->fail_at && l->nr == l->fail_at ? err_set(err, -EIO, "the hook refuses") : 0;
}

static int log_block_end(void *ctx, const struct bench_progress *p, struct err *err)
{
	((struct log *)ctx)->nr_block_ends++;
	return 0;
}

static bool log_stop(void *ctx)
{
	struct log *l = ctx;

	return l->stop_after && l->nr >= l->stop_after;
}

static void log_context(void *ctx, const struct bench_context *c)
{
	struct log *l = ctx;

	l->nr_contexts++;
	l->context = *c;
}

static int run(const struct plan *plan, struct log *l, struct err *err)
{
	struct bench_hooks hooks = {.sample = log_sample,
				    .block_end = log_block_end,
				    .stop = log_stop,
				    .context = log_context,
				    .ctx = l};

	return bench_run(topo, plan, &hooks, err);
}

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

/* 160 threads on the CPUs there are: the start and the end must neither hang nor lose a count */
static void many_threads_on_few_cpus_start_and_end(void **state)
{
	static const int moods[1], workers[1] = {1};
	struct plan plan = make_plan(1, moods, workers);
	struct worker_slot *slots = aligned_alloc(128, 160 * sizeof(*slots));
	struct cpulist many = CPULIST_INIT;
	struct err err = ERR_INIT;
	struct crew *crew;
	long total;
	int i, round;

	for (i = 0; i < 160; i++)
		assert_int_equal(cpulist_add(&many, cpus.cpu[i % (cpus.nr < 2 ? 1 : 2)]), 0);
	assert_ok(crew_open(&crew, &many, &err), &err);
	for (round = 0; round < 3; round++) {
		struct job job = {.body = window_body,
				  .c = &plan.cases[0],
				  .nr_workers = 160,
				  .warmup_ns = 100000,
				  .window_ns = 1000000};

		for (i = 0; i < 160; i++)
			slots[i] = (struct worker_slot){.w = {.idx = i, .cpu = many.cpu[i]}};
		atomic_store(&nr_done, 0);
		crew_run(crew, &job, &many, slots);
		for (i = 0, total = 0; i < 160; i++)
			total += slots[i].ops_total;
		assert_int_equal(total, atomic_load(&nr_done));
	}
	crew_close(crew);
	cpulist_free(&many);
	free(slots);
	plan_free(&plan);
}

/* ------------------------------------------------------------ sums over workers */

static struct sample sum(const int64_t (*t)[3], int nr, double resolution)
{
	struct worker_slot *slots = aligned_alloc(128, nr * sizeof(*slots));
	struct sample s = {0};
	int i;

	for (i = 0; i < nr; i++)
		slots[i] = (struct worker_slot){
			.start_ns = t[i][0], .end_ns = t[i][1], .ops = t[i][2]};
	sample_from_slots(slots, nr, resolution, &s);
	free(slots);
	return s;
}

static void fairness_and_overlap_by_hand(void **state)
{
	static const int64_t equal[][3] = {{0, 1000, 50}, {0, 1000, 50}};
	static const int64_t one_sided[][3] = {{0, 1000, 100}, {0, 1000, 0}};
	static const int64_t apart[][3] = {{0, 1000, 10}, {2000, 3000, 10}};
	static const int64_t alone[][3] = {{500, 1500, 10}};
	struct sample s;

	s = sum(equal, 2, 1);
	assert_true(s.rate == 1e8 && s.jain == 1 && s.overlap == 1 && s.marks == 0 && s.ops == 100);
	s = sum(one_sided, 2, 1);
	assert_true(s.jain == 0.5 && s.slowest == 0 && s.fastest == 1e8);
	/* windows that never meet: an overlap of nothing, not a huge unsigned number */
	s = sum(apart, 2, 1);
	assert_true(s.overlap == 0 && s.marks == MARK_OVERLAP);
	s = sum(alone, 1, 1);
	assert_true(s.overlap == 1 && s.jain == 1 && s.marks == 0);
	/* a clock of 40 ns cannot time a window of 1000 ns */
	s = sum(equal, 2, 40);
	assert_true(s.marks == MARK_CLOCK);
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
		cmocka_unit_test(a_worker_that_was_switched_out_is_marked),
		cmocka_unit_test(latency_is_of_one_worker_throughput_of_all),
		cmocka_unit_test(a_window_lasts_as_long_as_asked),
		cmocka_unit_test(a_topology_that_is_not_this_system_is_refused),
		cmocka_unit_test(a_cpu_that_does_not_exist_is_named),
		cmocka_unit_test(many_threads_on_few_cpus_start_and_end),
		cmocka_unit_test(fairness_and_overlap_by_hand),
		cmocka_unit_test(context_says_what_the_clock_and_the_work_are),
	};

	return cmocka_run_group_tests_name("runner", tests, load_machine, free_machine);
}
