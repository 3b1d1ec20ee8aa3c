/* SPDX-License-Identifier: MIT */
/* libbenchmark's front end as a whole, on a scripted runner */
#include "gbench_fake.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

static void test_bad_options(void **state)
{
	static const char *const bad[] = {"--benchmark_fliter=x", "--benchmark_filter=a(b",
					  "--benchmark_filter=nothing", "--help"};
	struct err err;
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_refused(BENCH(&err, bad[i]), -EINVAL, "", &err);
		assert_string_equal(said, "");
		assert_string_equal(noted, "");
		assert_int_equal(fake.nr_open, 0);
	}
}

static void test_filter(void **state)
{
	struct err err;

	assert_int_equal(BENCH(&err, "--benchmark_list_tests", "--benchmark_filter=batch=32"), 0);
	assert_string_equal(said, "fake/layout=packed/batch=32/workers:1\n"
				  "fake/layout=padded/batch=32/workers:1\n");
	BENCH(&err, "--benchmark_list_tests", "--benchmark_filter=-packed|workers:8$");
	assert_string_equal(said, "fake/layout=padded/batch=32/workers:1\n");
	BENCH(&err, "--benchmark_list_tests=true", "--benchmark_filter=all");
	assert_non_null(strstr(said, "workers:8\n"));
	assert_refused(BENCH(&err, "--benchmark_filter=a(b"), -EINVAL, "not a regular expression",
		       &err);
	assert_refused(BENCH(&err, "--benchmark_filter=nothing"), -EINVAL,
		       "matches none of the 3 cases, such as 'fake/layout=packed", &err);
	assert_int_equal(fake.nr_open, 0);
}

/* --------------------------------------------------------------------- numbers */

static void test_json_display(void **state)
{
	json_t *file, *c, *run;
	struct err err;

	fake.window = steady;
	snprintf(plan.note, sizeof(plan.note), "a \"note\"\twith a tab");
	fake.memory_note = "not verified";
	assert_int_equal(BENCH(&err, "--benchmark_format=json", "--benchmark_min_time=0.5",
			       "--benchmark_min_warmup_time=0.25",
			       "--benchmark_context=what=\x01 tab\there,who=me"),
			 0);
	assert_string_equal(noted, "");
	assert_int_equal(fake.window_ns, 500000000);
	assert_int_equal(fake.warmup_ns, 250000000);
	assert_int_equal(plan.window_ns, 20000000);
	file = parse(said);
	c = json_object_get(file, "context");
	assert_string_equal(text_of(c, "what"), "\x01 tab\there");
	assert_string_equal(text_of(c, "who"), "me");
	assert_non_null(strstr(text_of(c, "executable"), "test_gbench"));
	assert_string_equal(text_of(c, "library_version"), gbench_version());
	assert_true(number_of(c, "num_cpus") > 0);
	assert_true(json_is_null(json_object_get(c, "machine_class"))); /* no topology given */
	assert_non_null(json_object_get(c, "cpu_scaling_enabled"));
	assert_true(number_of(c, "window_ns") == 500000000);
	assert_string_equal(json_string_value(entry(file, "notes", 0)), "a \"note\"\twith a tab");
	assert_string_equal(json_string_value(entry(file, "notes", 1)), "not verified");
	assert_int_equal(count(file, "benchmarks"), NR);
	assert_int_equal(count(file, "errors"), 0);

	/* one worker and eight: the same time of an operation, eight times the rate (B1) */
	run = entry(file, "benchmarks", 0);
	assert_string_equal(text_of(run, "name"), "fake/layout=packed/batch=32/workers:1");
	assert_string_equal(text_of(run, "time_unit"), "ns");
	assert_close(number_of(run, "real_time"), 1e6);
	assert_close(number_of(run, "cpu_time"), 1e6);
	assert_true(number_of(run, "items_per_second") == 1000);
	assert_true(number_of(run, "shared_updates") == 0.5);
	run = entry(file, "benchmarks", 2);
	assert_close(number_of(run, "real_time"), 1e6);
	assert_true(number_of(run, "items_per_second") == 8000);
	assert_true(number_of(run, "workers") == 8);
	assert_true(number_of(run, "threads") == 8);
	assert_true(number_of(run, "iterations") == 160);
	json_decref(file);
}

static void test_console(void **state)
{
	struct err err;

	fake.window = steady;
	assert_int_equal(BENCH(&err, "--benchmark_repetitions=2", "--benchmark_time_unit=us"), 0);
	assert_non_null(strstr(said, "fake/layout=packed/batch=32/workers:1"));
	assert_non_null(strstr(said, "workers:8_median"));
	assert_non_null(strstr(said, "1000 us"));
	assert_null(strstr(said, "manual_time"));
	assert_null(strstr(said, "nan"));
	assert_null(strstr(said, "\033["));
	assert_null(strstr(noted, "DEBUG"));
	assert_non_null(strstr(noted, "20 ms"));
	BENCH(&err, "--benchmark_counters_tabular", "--benchmark_color=true");
	assert_non_null(strstr(said, "\033["));
	assert_non_null(strstr(said, " shared_updates"));
}

static void test_aggregates(void **state)
{
	json_t *display, *file, *run;
	struct err err;
	int i;

	fake.window = steady;
	assert_int_equal(BENCH(&err, "--benchmark_repetitions=5", "--benchmark_format=json",
			       "--benchmark_filter=packed", "--benchmark_display_aggregates_only",
			       out_option("a.json")),
			 0);
	display = parse(said);
	assert_int_equal(count(display, "benchmarks"), 4);
	file = parse_file(in_dir("a.json"));
	assert_int_equal(count(file, "benchmarks"), 9);
	for (i = 0; i < 5; i++)
		assert_true(number_of(entry(file, "benchmarks", i), "repetition_index") == i);
	run = entry(file, "benchmarks", 5);
	assert_string_equal(text_of(run, "aggregate_name"), "mean");
	assert_string_equal(text_of(run, "name"), "fake/layout=packed/batch=32/workers:1_mean");
	assert_string_equal(text_of(run, "run_name"), "fake/layout=packed/batch=32/workers:1");
	assert_close(number_of(run, "real_time"), 1e6);
	assert_true(number_of(run, "shared_updates") == 2.5);
	assert_true(number_of(run, "iterations") == 5);
	run = entry(file, "benchmarks", 7);
	assert_string_equal(text_of(run, "aggregate_name"), "stddev");
	assert_close(number_of(run, "shared_updates"), sqrt(2.5));
	run = entry(file, "benchmarks", 8);
	assert_string_equal(text_of(run, "aggregate_unit"), "percentage");
	assert_close(number_of(run, "shared_updates"), sqrt(2.5) / 2.5);
	/* no window was discarded: 0 / 0 */
	assert_true(json_is_null(json_object_get(run, "discarded_windows")));
	json_decref(display);
	json_decref(file);

	BENCH(&err, "--benchmark_repetitions=3", "--benchmark_format=json",
	      "--benchmark_report_aggregates_only", out_option("a.json"));
	display = parse(said);
	file = parse_file(in_dir("a.json"));
	assert_int_equal(count(display, "benchmarks"), 4 * NR);
	assert_int_equal(count(file, "benchmarks"), 4 * NR);
	json_decref(display);
	json_decref(file);
}

static void test_interleaving(void **state)
{
	int i, changes = 0, of[NR] = {0};
	struct err err;

	fake.window = steady;
	BENCH(&err, "--benchmark_repetitions=40", "--benchmark_format=json");
	for (i = 1; i < 120; i++)
		changes += fake.order[i] != fake.order[i - 1];
	assert_int_equal(changes, NR - 1);
	fake.nr_windows = changes = 0;
	BENCH(&err, "--benchmark_repetitions=40", "--benchmark_enable_random_interleaving");
	assert_int_equal(fake.nr_windows, 120);
	for (i = 0; i < 120; i++) {
		of[fake.order[i]]++;
		changes += i && fake.order[i] != fake.order[i - 1];
	}
	for (i = 0; i < NR; i++)
		assert_int_equal(of[i], 40);
	assert_true(changes > 20); /* fewer by chance: once in 10^20 runs */
}

/* --------------------------------------------------------------------- trouble */

/* the first window of each case is disturbed, and all of case 1 */
static int disturbed(int idx, int nr, struct sample *out, struct err *err)
{
	static int seen[NR];

	if (!nr)
		memset(seen, 0, sizeof(seen));
	steady(idx, nr, out, err);
	if (idx == 1)
		out->marks = seen[1] ? MARK_STEAL : MARK_SWITCHED;
	else if (seen[idx] < 1)
		out->marks = MARK_OVERLAP;
	seen[idx]++;
	return 0;
}

static void test_marks(void **state)
{
	json_t *file, *run;
	struct err err;

	fake.window = disturbed;
	assert_int_equal(BENCH(&err, "--benchmark_format=json"), 0);
	file = parse(said);
	assert_int_equal(fake.nr_windows, 2 + 3 + 2);
	assert_int_equal(count(file, "benchmarks"), 2);
	assert_true(number_of(entry(file, "benchmarks", 0), "discarded_windows") == 1);
	assert_int_equal(count(file, "errors"), 1);
	run = entry(file, "errors", 0);
	assert_string_equal(text_of(run, "name"), "fake/layout=padded/batch=32/workers:1");
	assert_true(json_is_true(json_object_get(run, "error_occurred")));
	assert_string_equal(text_of(run, "error_message"),
			    "disturbed in each of 3 windows: switched, steal");
	assert_true(json_is_null(json_object_get(run, "real_time")));
	json_decref(file);

	fake.nr_windows = 0;
	BENCH(&err, "--benchmark_filter=padded");
	assert_non_null(strstr(said, "ERROR OCCURRED: 'disturbed in each of 3 windows"));
}

/* the first repetition has no number: the library's own aggregates would crash (1.7.1) */
static int first_fails(int idx, int nr, struct sample *out, struct err *err)
{
	steady(idx, nr, out, err);
	if (nr < 3)
		out->marks = MARK_STEAL;
	if (nr == 4)
		out->metrics[0] = NAN;
	if (nr == 5)
		out->ops = 0;
	return 0;
}

static void test_repetitions_without_numbers(void **state)
{
	json_t *file;
	struct err err;

	fake.window = first_fails;
	assert_int_equal(BENCH(&err, "--benchmark_format=json", "--benchmark_repetitions=5",
			       "--benchmark_report_aggregates_only", "--benchmark_filter=packed"),
			 0);
	file = parse(said);
	assert_int_equal(count(file, "errors"), 2); /* never hidden */
	assert_true(number_of(entry(file, "errors", 0), "repetition_index") == 0);
	assert_non_null(strstr(text_of(entry(file, "errors", 1), "error_message"), "no operation"));
	assert_int_equal(count(file, "benchmarks"), 4);
	assert_true(number_of(entry(file, "benchmarks", 0), "iterations") == 3);
	assert_true(json_is_null(json_object_get(entry(file, "benchmarks", 0), "shared_updates")));
	json_decref(file);
	fake.nr_windows = 0;
	BENCH(&err, "--benchmark_repetitions=5", "--benchmark_filter=packed");
	assert_null(strstr(said, "nan"));
	assert_null(strstr(said, "inf"));
}

static int broken(int idx, int nr, struct sample *out, struct err *err)
{
	if (idx == 0)
		return err_set(err, -EUCLEAN, "fake: 3 pages are lost");
	return steady(idx, nr, out, err);
}

static void test_invariant(void **state)
{
	json_t *file;
	struct err err;

	fake.window = broken;
	assert_refused(BENCH(&err, "--benchmark_format=json", out_option("broken.json")), -EUCLEAN,
		       "3 pages are lost", &err);
	file = parse_file(in_dir("broken.json")); /* the other cases have their numbers */
	assert_int_equal(count(file, "benchmarks"), 2);
	assert_string_equal(text_of(entry(file, "errors", 0), "error_message"),
			    "fake: 3 pages are lost");
	json_decref(file);
}

/* case 0 is measured, then the machine is taken away */
static int dying(int idx, int nr, struct sample *out, struct err *err)
{
	if (idx == 1)
		return err_set(err, -EAGAIN, "threads cannot be made");
	assert_int_equal(idx, 0);
	return steady(idx, nr, out, err);
}

static void put(const char *path, const char *what)
{
	FILE *f = fopen(path, "w");

	fputs(what, f);
	fclose(f);
}

static void test_runner_error(void **state)
{
	char text[64] = "";
	json_t *file;
	struct err err;
	FILE *f;

	fake.window = dying;
	put(in_dir("old.json"), "earlier results");
	assert_refused(BENCH(&err, "--benchmark_repetitions=2", out_option("old.json")), -EAGAIN,
		       "old.json.part' holds what was measured before this: threads cannot", &err);
	f = fopen(in_dir("old.json"), "r");
	assert_non_null(fgets(text, sizeof(text), f));
	fclose(f);
	assert_string_equal(text, "earlier results");
	file = parse_file(in_dir("old.json.part"));
	assert_int_equal(count(file, "benchmarks"), 6);
	json_decref(file);
}

/* a run that is killed at any window leaves a whole document */
static int looking(int idx, int nr, struct sample *out, struct err *err)
{
	json_t *file = parse_file(in_dir("live.json.part"));

	assert_int_equal(count(file, "benchmarks") + count(file, "errors"), nr / 3);
	json_decref(file);
	steady(idx, nr, out, err);
	if (idx == 1)
		out->marks = MARK_STEAL;
	else if (nr % 3 < 2)
		out->marks = MARK_NODE;
	return 0;
}

static void test_file_while_running(void **state)
{
	json_t *file;
	struct err err;

	fake.window = looking;
	assert_int_equal(BENCH(&err, out_option("live.json")), 0);
	assert_int_equal(access(in_dir("live.json.part"), F_OK), -1);
	file = parse_file(in_dir("live.json"));
	assert_int_equal(count(file, "benchmarks"), 2);
	assert_int_equal(count(file, "errors"), 1);
	json_decref(file);
}

static void test_files_refused(void **state)
{
	struct err err;

	fake.window = steady;
	assert_refused(BENCH(&err, "--benchmark_out=/nowhere/x.json"), -ENOENT, "/nowhere/x.json",
		       &err);
	assert_refused(BENCH(&err, "--benchmark_out=/tmp"), -EISDIR, "'/tmp'", &err);
	assert_int_equal(fake.nr_windows, 0);
	assert_refused(BENCH(&err, "--benchmark_out=/dev/full"), -ENOSPC,
		       "cannot write /dev/full: No space", &err);
	assert_true(fake.nr_windows < NR); /* nothing is measured that cannot be kept */
	fake.nr_windows = 0;
	assert_int_equal(BENCH(&err, "--benchmark_out=/dev/null", "--benchmark_out_format=console"),
			 0);
}

/* stands for a full disk: what fitted stays readable */
static void test_file_too_large(void **state)
{
	struct rlimit was, small = {12000, 12000};
	json_t *file;
	struct err err;
	int rc;

	fake.window = steady;
	put(in_dir("full.json"), "earlier results");
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &was);
	small.rlim_max = was.rlim_max;
	setrlimit(RLIMIT_FSIZE, &small);
	rc = BENCH(&err, "--benchmark_repetitions=60", "--benchmark_display_aggregates_only",
		   out_option("full.json"));
	setrlimit(RLIMIT_FSIZE, &was);
	assert_int_equal(rc, -EFBIG);
	assert_non_null(strstr(err.msg, "full.json.part: File too large"));
	file = parse_file(in_dir("full.json.part"));
	assert_in_range(count(file, "benchmarks"), 5, 40);
	json_decref(file);
	assert_int_equal(access(in_dir("full.json"), R_OK), 0);
}

static void test_console_file(void **state)
{
	char text[4096];
	struct err err;

	fake.window = steady;
	BENCH(&err, "--benchmark_format=json", "--benchmark_out_format=console",
	      out_option("t.txt"));
	json_decref(parse(said));
	slurp(fopen(in_dir("t.txt"), "r"), text, sizeof(text));
	assert_non_null(strstr(text, "Benchmark "));
	assert_non_null(strstr(text, "workers:8 "));
}

/* flags of one call are not left behind for the next */
static void test_calls_are_independent(void **state)
{
	struct stat st;
	struct err err;

	fake.window = steady;
	assert_int_equal(BENCH(&err, "--benchmark_repetitions=3", "--benchmark_filter=packed"), 0);
	assert_int_equal(fake.nr_windows, 3);
	fake.nr_windows = 0;
	assert_int_equal(BENCH(&err, "--benchmark_filter=packed"), 0);
	assert_int_equal(fake.nr_windows, 1);
	assert_int_equal(stat("/proc/self/task", &st), 0);
	assert_int_equal(st.st_nlink, 3); /* ".", ".." and one thread */
}

int main(void)
{
	const struct CMUnitTest gbench[] = {
		cmocka_unit_test_setup(test_bad_options, setup),
		cmocka_unit_test_setup(test_filter, setup),
		cmocka_unit_test_setup(test_json_display, setup),
		cmocka_unit_test_setup(test_console, setup),
		cmocka_unit_test_setup(test_aggregates, setup),
		cmocka_unit_test_setup(test_interleaving, setup),
		cmocka_unit_test_setup(test_marks, setup),
		cmocka_unit_test_setup(test_repetitions_without_numbers, setup),
		cmocka_unit_test_setup(test_invariant, setup),
		cmocka_unit_test_setup(test_runner_error, setup),
		cmocka_unit_test_setup(test_file_while_running, setup),
		cmocka_unit_test_setup(test_files_refused, setup),
		cmocka_unit_test_setup(test_file_too_large, setup),
		cmocka_unit_test_setup(test_console_file, setup),
		cmocka_unit_test_setup(test_calls_are_independent, setup),
	};
	char command[128];
	int failed;

	snprintf(dir, sizeof(dir), "/tmp/test_gbench.XXXXXX");
	if (!mkdtemp(dir))
		return 1;
	failed = run_tests(gbench);
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return system(command) || failed;
}
