/* SPDX-License-Identifier: MIT */
/* The runner's parts: its memory, its threads, its sums. */
#include "runner_fixture.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/wait.h>

/* ------------------------------------------------------------------- memory */

static const void *line_seen[8];
static int nr_lines_seen;

static int keep_setup(const struct env *env, const void *params, struct worker *workers,
		      void **shared, struct err *err)
{
	const struct mood_params *p = params;
	long *line = p->mood ? env_keep(env, 64) : env_alloc(env, 64, 64);

	assert_non_null(line);
	assert_int_equal(*line, 0);
	*line = 1;
	line_seen[nr_lines_seen++] = line;
	*shared = line;
	atomic_store(&nr_done, 0);
	return 0;
}

/* a kept line is the same in every window, and cleared each time (field report C2: fresh or not) */
static void a_kept_line_outlives_the_window(void **state)
{
	struct experiment keep = mood_experiment;
	static const int moods[1] = {1}, workers[1] = {1};
	struct plan plan = make_plan(1, moods, workers);
	struct bench_session *s;
	struct err err = ERR_INIT;
	struct sample sample;
	int i;

	keep.setup = keep_setup;
	plan.cases[0].exp = &keep;
	nr_lines_seen = 0;
	assert_ok(bench_open(&s, topo, &plan, &err), &err);
	for (i = 0; i < 4; i++)
		assert_ok(bench_window(s, 0, &sample, &err), &err);
	bench_close(s);
	for (i = 1; i < 4; i++)
		assert_ptr_equal(line_seen[i], line_seen[0]);
	plan_free(&plan);
}

/* as containers do: the memory policy calls answer EPERM */
static int refuse_memory_policy(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mbind, 3, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_move_pages, 2, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_get_mempolicy, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
	};
	struct sock_fprog program = {sizeof(code) / sizeof(code[0]), code};

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

/* 0: measured, and said that memory is not verified; 77: no filter here; else what was wrong */
static int measure_without_memory_policy(void)
{
	static const int moods[1], workers[1] = {1};
	struct plan plan = make_plan(1, moods, workers);
	struct err err = ERR_INIT;
	struct log l = {0};

	if (refuse_memory_policy())
		return 77;
	plan.max_blocks = 2;
	if (run(&plan, &l, &err))
		return 2;
	if (l.nr < 2 || l.marks[0] & MARK_NODE)
		return 3;
	if (l.context.memory_verified || !*l.context.memory_note)
		return 4;
	return strstr(l.context.memory_note, "first touch") ? 0 : 5;
}

/* field report D10: placed by first touch, "not verified" in the data, nothing fails */
static void refused_memory_calls_are_said_and_survived(void **state)
{
	int status;
	pid_t pid = fork();

	if (!pid)
		_exit(measure_without_memory_policy());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == 77)
		test_skip("no seccomp filter can be set here");
	assert_int_equal(WEXITSTATUS(status), 0);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_kept_line_outlives_the_window),
		cmocka_unit_test(refused_memory_calls_are_said_and_survived),
		cmocka_unit_test(many_threads_on_few_cpus_start_and_end),
		cmocka_unit_test(fairness_and_overlap_by_hand),
	};

	return run_group("runner_parts", tests, load_machine, free_machine);
}
