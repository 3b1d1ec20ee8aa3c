/* SPDX-License-Identifier: MIT */
/* Counters on a scripted backend: every way in which a count can fail to be one. */
#include "counters_fixture.h"

#define OPS 1000.0

static double values[COUNTERS_MAX];

/* one window of @set on @nr threads; the least share */
static double window(struct counters *c, int set, int nr)
{
	struct counter_thread *t[8] = {NULL};
	struct err err = ERR_INIT;
	double share;
	int i;

	for (i = 0; i < nr; i++) {
		assert_ok(counters_thread_open(c, &t[i], &err), &err);
		counters_start(t[i], set);
		counters_stop(t[i]);
	}
	share = counters_values(c, t, nr, OPS, values);
	for (i = 0; i < nr; i++)
		counters_thread_close(t[i]);
	return share;
}

static double value(struct counters *c, const char *name)
{
	return values[column(c, name)];
}

/* --------------------------------------------------------------------- counting */

static void values_are_per_operation(void **state)
{
	struct counters *c = opened(&icelake, "core,lines", false);

	script.count = 500;
	assert_true(window(c, 0, 1) == 1);
	assert_true(value(c, "cycles") == 0.5);
	assert_true(value(c, "ipc") == 1);
	assert_true(value(c, "page_faults") == 16 / OPS);
	assert_state(c, "cycles", COUNTER_COUNTED, "");
	counters_close(c);
}

/* cycles and instructions are one event each, whoever asks for them */
static void sets_fit_the_counters_and_take_turns(void **state)
{
	struct counters *c;
	int i, k, nr, seen[COUNTERS_MAX] = {0};

	script.most = 2;
	c = opened(&icelake, "core,lines,misses,order", false);
	assert_int_equal(counters_nr_sets(c), 6); /* 12 events, two at a time; ipc takes none */
	script.count = 100;
	for (i = 0; i < counters_nr_sets(c); i++) {
		window(c, i, 1);
		for (k = 0, nr = 0; k < counters_nr(c); k++) {
			seen[k] += isfinite(values[k]);
			nr += isfinite(values[k]);
		}
		assert_in_range(nr, 4 + 2, 4 + 3); /* the software events are in every set */
	}
	for (k = 0; k < counters_nr(c); k++)
		assert_int_equal(seen[k], k < 4 ? 6 : 1);
	counters_close(c);
}

static void a_metric_of_two_events_is_their_sum(void **state)
{
	const struct counter_machine skylake = {.uarch = "skx"};
	struct counters *c = opened(&skylake, "snoops_answered_modified", false);

	script.count = 300;
	window(c, 0, 1);
	assert_true(value(c, "snoops_answered_modified") == 0.6);
	assert_string_equal(counters_info(c, 4)->formula,
			    "(skx::CORE_SNOOP_RESPONSE:RSP_IFWDM + "
			    "skx::CORE_SNOOP_RESPONSE:RSP_SFWDM) / operations");
	counters_close(c);
}

/* field report A6: each thread has counters of its own */
static void eight_threads_count_eight_times_as_much(void **state)
{
	struct counters *c = opened(&icelake, "core", false);
	double one;

	script.count = 250;
	window(c, 0, 1);
	one = value(c, "instructions");
	window(c, 0, 8);
	assert_true(value(c, "instructions") == 8 * one);
	counters_close(c);
}

static void nothing_done_is_no_quotient(void **state)
{
	struct counters *c = opened(&icelake, "core", false);
	struct counter_thread *t;
	int i;

	script.count = 0;
	assert_int_equal(counters_thread_open(c, &t, NULL), 0);
	counters_start(t, 0);
	counters_stop(t);
	counters_values(c, &t, 1, 0, values);
	for (i = 0; i < counters_nr(c); i++) /* field report A16 */
		assert_true(isnan(values[i]));
	counters_thread_close(t);
	counters_close(c);
}

/* -------------------------------------------------------------------- refusals */

static void an_unknown_event_is_not_supported(void **state)
{
	struct counters *c;

	script.add_refuses = "REMOTE_HITM";
	script.add_code = -ENOENT;
	c = opened(&icelake, "core,lines", false);
	assert_state(c, "hitm_remote", COUNTER_NOT_SUPPORTED, "REMOTE_HITM is refused");
	assert_state(c, "hitm_local", COUNTER_COUNTED, "");
	window(c, 0, 1);
	assert_true(isnan(value(c, "hitm_remote")));
	counters_close(c);
}

/* field reports A2, O1: it resolves, it is added, and cannot be started */
static void an_event_that_cannot_be_started_is_not_supported(void **state)
{
	struct counters *c;

	script.start_refuses = "CYCLES";
	script.start_code = -ENOENT;
	c = opened(&icelake, "core", false);
	assert_state(c, "cycles", COUNTER_NOT_SUPPORTED, "CYCLES does not go on");
	assert_state(c, "ipc", COUNTER_NOT_SUPPORTED, "");
	assert_state(c, "instructions", COUNTER_COUNTED, "");
	counters_close(c);
}

static void an_event_that_stands_still_is_not_supported(void **state)
{
	struct counters *c;

	script.odd = "INSTRUCTIONS";
	c = opened(&icelake, "core", false);
	assert_state(c, "instructions", COUNTER_NOT_SUPPORTED, "stood still in a known loop");
	assert_state(c, "cycles", COUNTER_COUNTED, "");
	counters_close(c);
}

static void a_count_that_cannot_be_is_not_supported(void **state)
{
	struct counters *c;

	script.odd = "XSNP_HITM";
	script.odd_value = 1LL << 46;
	c = opened(&icelake, "lines", false);
	assert_state(c, "hitm_local", COUNTER_NOT_SUPPORTED, "more than can have happened");
	counters_close(c);
}

/* user space alone would give 0 switches: a false number, not a right one */
static void switches_that_are_not_seen_are_not_supported(void **state)
{
	struct counters *c;

	script.odd = "CONTEXT-SWITCHES";
	c = opened(&icelake, "software", false);
	assert_state(c, "context_switches", COUNTER_NOT_SUPPORTED,
		     "in the kernel is not permitted");
	assert_state(c, "context_switches", COUNTER_NOT_SUPPORTED, "perf_event_paranoid 4");
	assert_state(c, "page_faults", COUNTER_COUNTED, "");
	counters_close(c);
}

static void permission_names_its_remedy(void **state)
{
	struct counters *c;

	script.add_refuses = "::";
	script.add_code = -EACCES;
	c = opened(&icelake, "core", false);
	assert_state(c, "task_clock", COUNTER_NOT_SUPPORTED, "perf_event_paranoid 4: lower it");
	assert_state(c, "cycles", COUNTER_NOT_SUPPORTED, "perf_event_paranoid 4: lower it");
	window(c, 0, 2); /* counts nothing, and does not mind */
	assert_true(isnan(value(c, "cycles")));
	counters_close(c);
}

static void a_machine_without_counters_says_so(void **state)
{
	struct counter_machine guest = {.uarch = "icx", .no_pmu = "give the guest a virtual PMU"};
	struct counters *c;

	script.most = 0;
	c = opened(&guest, "core,lines", false);
	assert_state(c, "cycles", COUNTER_NOT_SUPPORTED, "give the guest a virtual PMU");
	assert_state(c, "hitm_remote", COUNTER_NOT_SUPPORTED, "give the guest a virtual PMU");
	assert_state(c, "task_clock", COUNTER_COUNTED, "");
	window(c, 0, 1);
	assert_true(isfinite(value(c, "task_clock")));
	counters_close(c);
}

/* too many events for the counters, even alone: could be, was not */
static void no_free_counter_is_not_counted(void **state)
{
	struct counters *c;

	script.most = 1;
	c = opened(&icelake, "core", false);
	assert_state(c, "ipc", COUNTER_NOT_COUNTED, "2 events on 1 counters");
	assert_state(c, "ipc", COUNTER_NOT_COUNTED, "nmi_watchdog on (1)");
	assert_state(c, "cycles", COUNTER_COUNTED, "");
	assert_int_equal(counters_nr_sets(c), 3);
	counters_close(c);
}

static void a_backend_that_does_not_open_is_replaced(void **state)
{
	struct counters *c = NULL;
	struct err err = ERR_INIT;

	script.open_rc = -EOPNOTSUPP;
	assert_ok(counters_open_with(&c, &icelake, &scripted, NULL, "core", false, &err), &err);
	assert_state(c, "task_clock", COUNTER_NOT_SUPPORTED, "the script does not open");
	assert_string_equal(counters_backend(c), "none");
	window(c, 0, 1);
	assert_true(isnan(value(c, "task_clock")));
	counters_close(c);

	assert_ok(
		counters_open_with(&c, &icelake, &scripted, &perf_backend, "software", false, &err),
		&err);
	assert_string_equal(counters_backend(c), "perf_event_open");
	assert_string_equal(counters_note(c), "the script does not open");
	counters_close(c);
}

static void a_thread_that_is_refused_counts_nothing(void **state)
{
	struct counters *c = opened(&icelake, "core", false);

	script.thread_rc = -EIO;
	window(c, 0, 1);
	assert_true(isnan(value(c, "cycles")) && isnan(value(c, "task_clock")));
	assert_state(c, "cycles", COUNTER_NOT_COUNTED, "the script has no threads");
	counters_close(c);
}

static void a_hybrid_processor_is_said(void **state)
{
	struct counter_machine hybrid = {.uarch = "adl", .hybrid = true};
	struct counters *c = opened(&hybrid, "core", false);

	assert_state(c, "cycles", COUNTER_NOT_SUPPORTED, "hybrid processor");
	assert_state(c, "task_clock", COUNTER_COUNTED, "");
	counters_close(c);
}

static void an_unknown_processor_has_what_all_have(void **state)
{
	struct counter_machine other = {.uarch = "intel-6-250"};
	struct counters *c = opened(&other, "core,lines", false);

	assert_state(c, "instructions", COUNTER_COUNTED, "");
	assert_state(c, "hitm_local", COUNTER_NOT_SUPPORTED, "is known on 'intel-6-250'");
	counters_close(c);
}

/* ------------------------------------------------------------------- in windows */

static void overflow_is_no_number(void **state)
{
	struct counters *c = opened(&icelake, "core", false);

	script.count = -5;
	window(c, 0, 1);
	assert_true(isnan(value(c, "cycles")) && isnan(value(c, "ipc")));
	assert_true(isfinite(value(c, "page_faults")));
	assert_state(c, "cycles", COUNTER_NOT_COUNTED, "overflowed");
	counters_close(c);
	script.window = false;
	c = opened(&icelake, "core", false);
	script.count = 1LL << 48;
	window(c, 0, 1);
	assert_true(isnan(value(c, "cycles")));
	script.count = 700;
	window(c, 0, 1); /* the next window is a number again */
	assert_true(value(c, "cycles") == 0.7);
	assert_state(c, "cycles", COUNTER_COUNTED, "overflowed");
	counters_close(c);
}

static void a_failing_stop_is_no_number(void **state)
{
	struct counters *c = opened(&icelake, "core", false);

	script.stop_refuses = "CYCLES";
	script.stop_code = -EIO;
	window(c, 0, 1);
	assert_true(isnan(value(c, "cycles")) && isnan(value(c, "task_clock")));
	assert_state(c, "cycles", COUNTER_NOT_COUNTED, "CYCLES does not go on");
	script.stop_refuses = NULL;
	script.start_refuses = "CYCLES";
	script.start_code = -EIO;
	script.count = 1;
	window(c, 0, 1);
	assert_true(isnan(value(c, "cycles")));
	counters_close(c);
}

/* field reports A5, A8: another user takes the counters for a part of the time */
static void a_part_of_the_time_is_no_count(void **state)
{
	struct counters *c = opened(&icelake, "core", false);

	script.share = 0.6;
	script.count = 100;
	window(c, 0, 1);
	assert_true(isnan(value(c, "cycles")));
	assert_state(c, "cycles", COUNTER_NOT_COUNTED, "another user of the counters");
	counters_close(c);

	script.share = 0.6;
	script.window = false;
	c = opened(&icelake, "core", false); /* and found by the probe */
	assert_state(c, "cycles", COUNTER_NOT_COUNTED, "another user of the counters");
	counters_close(c);
}

/* field reports A3, A5 */
static void multiplexing_is_asked_for_and_marked(void **state)
{
	struct counters *c;

	script.most = 1;
	c = opened(&icelake, "core,lines,misses,order", true);
	assert_int_equal(counters_nr_sets(c), 1);
	assert_true(counters_multiplexed(c));
	script.share = 0.25;
	script.count = 4000;
	assert_true(window(c, 0, 1) == 0.25);
	assert_true(value(c, "cycles") == 4);
	script.share = 0;
	assert_true(isnan(window(c, 0, 1)));
	assert_true(isnan(value(c, "cycles")));
	assert_state(c, "cycles", COUNTER_COUNTED, "no share of the time");
	counters_close(c);
}

static void software_is_told_per_thread(void **state)
{
	struct counters *c = opened(&icelake, "core", false);
	struct counter_thread *t;
	struct counter_software s;

	assert_int_equal(counters_thread_open(c, &t, NULL), 0);
	s = counters_software(t);
	assert_true(isnan(s.migrations)); /* no window yet */
	counters_start(t, 0);
	counters_stop(t);
	s = counters_software(t);
	assert_true(s.task_clock_ns > 0 && s.page_faults == 16 && s.context_switches == 1 &&
		    s.migrations == 0);
	counters_thread_close(t);
	counters_close(c);
}

/* ----------------------------------------------------------------------- choices */

static void choices_are_parsed(void **state)
{
	struct counters *c = NULL;
	struct err err = ERR_INIT;
	char many[600] = "";
	int i;

	assert_int_equal(counters_open_with(&c, &icelake, &scripted, NULL, "none", false, &err), 0);
	assert_null(c);
	assert_refused(counters_open_with(&c, &icelake, &scripted, NULL, "cyclse", false, &err),
		       -EINVAL, "nearest is 'cycles'", &err);
	assert_refused(counters_open_with(&c, &icelake, &scripted, NULL, "core,none", false, &err),
		       -EINVAL, "'none' cannot be chosen with", &err);
	assert_refused(counters_open_with(&c, &icelake, &scripted, NULL, "", false, &err), -EINVAL,
		       "no counter is named", &err);
	assert_refused(counters_open_with(&c, &icelake, &scripted, NULL, "core,,", false, &err),
		       -EINVAL, "unknown counter ''", &err);
	assert_refused(counters_open_with(&c, &icelake, &scripted, NULL, "rabbit", false, &err),
		       -EINVAL, "unknown counter 'rabbit'", &err);
	for (i = 0; i < 40; i++)
		snprintf(many + strlen(many), sizeof(many) - strlen(many), "%sr%x", i ? "," : "",
			 i + 1);
	assert_refused(counters_open_with(&c, &icelake, &scripted, NULL, many, false, &err),
		       -EINVAL, "more than 32 counters", &err);

	c = opened(&icelake, "cycles,cycles,r02c3,icx::MACHINE_CLEARS:COUNT", false);
	assert_int_equal(counters_nr(c), 4 + 3);
	assert_string_equal(counters_info(c, 5)->name, "r02c3");
	assert_string_equal(counters_info(c, 6)->formula, "icx::MACHINE_CLEARS:COUNT / operations");
	counters_close(c);
}

/* the default choice, and all there is, fit on every processor that is known */
static void every_processor_fits(void **state)
{
	static const struct native_table *const tables[] = {native_intel, native_amd, native_arm};
	struct counter_machine m = {.uarch = ""};
	const struct native_table *t;
	int i;

	for (i = 0; i < 3; i++)
		for (t = tables[i]; t->uarch; t++) {
			snprintf(m.uarch, sizeof(m.uarch), "%s", t->uarch);
			counters_close(opened(&m, NULL, false));
			script.window = false;
			counters_close(opened(&m, "all", false));
			script.window = false;
		}
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, begin_script, end_script)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(values_are_per_operation),
		TEST(sets_fit_the_counters_and_take_turns),
		TEST(a_metric_of_two_events_is_their_sum),
		TEST(eight_threads_count_eight_times_as_much),
		TEST(nothing_done_is_no_quotient),
		TEST(an_unknown_event_is_not_supported),
		TEST(an_event_that_cannot_be_started_is_not_supported),
		TEST(an_event_that_stands_still_is_not_supported),
		TEST(a_count_that_cannot_be_is_not_supported),
		TEST(switches_that_are_not_seen_are_not_supported),
		TEST(permission_names_its_remedy),
		TEST(a_machine_without_counters_says_so),
		TEST(no_free_counter_is_not_counted),
		TEST(a_backend_that_does_not_open_is_replaced),
		TEST(a_thread_that_is_refused_counts_nothing),
		TEST(a_hybrid_processor_is_said),
		TEST(an_unknown_processor_has_what_all_have),
		TEST(overflow_is_no_number),
		TEST(a_failing_stop_is_no_number),
		TEST(a_part_of_the_time_is_no_count),
		TEST(multiplexing_is_asked_for_and_marked),
		TEST(software_is_told_per_thread),
		TEST(choices_are_parsed),
		TEST(every_processor_fits),
	};

	return run_tests(tests);
}
