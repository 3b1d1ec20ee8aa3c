/* SPDX-License-Identifier: MIT */
/* Fractions of the limit of one line, from planted rates. */
#include "limit_fixture.h"

#define BLOCKS 10

/* of block @b: the drift hits all cases alike, so fractions stay */
static double drift(int b)
{
	return 1 + 0.05 * (b % 3);
}

static void add_windows(struct results *r, double rate, double a, double b)
{
	const double metrics[] = {a, b};
	int i;

	for (i = 0; i < BLOCKS; i++)
		add_window(r, i, rate * drift(i), metrics, r->cases[r->nr_cases - 1].nr_metrics);
}

static void add_limit(struct results *r, int workers, double rate)
{
	add_case(r, "contended_line", workers);
	add_param(r, "op", 0, "fetch_add");
	add_param(r, "work_ns", 0, NULL);
	add_param(r, "log", 0, NULL);
	add_windows(r, rate, 0, 0);
}

/* @updates per page */
static void add_counter(struct results *r, int workers, int batch, double rate, double updates)
{
	add_case(r, "page_counter", workers);
	add_param(r, "batch", batch, NULL);
	add_param(r, "depth", 3, NULL);
	add_param(r, "work_ns", 0, NULL);
	add_metric(r, "shared_updates", "per page");
	add_windows(r, rate, updates, 0);
}

static void says(struct results *r, const char *part)
{
	char *text = report_as(r, report_html);

	check_all(r);
	assert_says(text, part);
	free(text);
}

static void silent(struct results *r, const char *part)
{
	char *text = report_as(r, report_html);

	check_all(r);
	assert_silent(text, part);
	free(text);
}

static void a_charge_updates_each_of_its_lines_once(void **state)
{
	struct results *r = synth_record();

	add_limit(r, 2, 40e6);
	/* 48 M pages/s, 2 / 8 calls per page: 12 M updates of each of the 3 lines: 0.3 of 40 M */
	add_counter(r, 2, 8, 48e6, 0.25);
	/* 64 M pages/s, 2 / 64: 2 M updates: 0.05 */
	add_counter(r, 2, 64, 64e6, 2.0 / 64);
	says(r, "0.300 [0.300,0.300]");
	says(r, ">0.050<");
	says(r, ">batch 8<");
	silent(r, "above the limit");
	silent(r, "without a limit beside them");
	results_free(r);
}

/* every update of statistics of a hierarchical rule is counted with all its levels */
static void written_levels_are_lines_of_their_own(void **state)
{
	static const char *const rules[] = {"hierarchical_guarded", "global_guarded"};
	struct results *r;
	int i;

	for (i = 0; i < 2; i++) {
		r = synth_record();
		add_limit(r, 2, 20e6);
		add_case(r, "vmstats_flush", 2);
		add_param(r, "rule", 0, rules[i]);
		add_param(r, "depth", 4, NULL);
		add_metric(r, "shared_writes", "per update");
		add_windows(r, 40e6, 0.2, 0);
		says(r, i ? "0.400 [0.400,0.400]" : "0.100 [0.100,0.100]");
		results_free(r);
	}
}

/* where a message is two operations, updates per message count half */
static void messages_may_be_parts_of_operations(void **state)
{
	struct results *r = synth_record();

	add_limit(r, 2, 20e6);
	add_case(r, "sk_forward_alloc", 2);
	add_param(r, "sockets", 8, NULL);
	add_metric(r, "shared_updates", "per message");
	add_metric(r, "messages", "per operation");
	add_windows(r, 10e6, 2, 0.5);
	says(r, "0.500 [0.500,0.500]");
	results_free(r);
}

/* of several lines the busiest; of the two sides of a message each does an operation */
static void the_busiest_line_counts(void **state)
{
	struct results *r;
	int i;

	for (i = 0; i < 4; i++) {
		r = synth_record();
		add_limit(r, 2, 20e6);
		add_case(r, "charge_path", 2);
		add_param(r, "stats", 0, i & 1 ? "hierarchical" : "global_unconditional");
		add_param(r, "depth", 4, NULL);
		add_param(r, "uncharge", 0, i & 2 ? "other_cpu" : "same_cpu");
		add_metric(r, "shared_updates", "per message");
		add_metric(r, "stat_writes", "per message");
		add_windows(r, 8e6, 0.5, 1.5);
		says(r, (const char *const[]){"0.600 [", "0.200 [", "0.300 [", "0.100 ["}[i]);
		results_free(r);
	}
}

static void what_exceeds_the_limit_is_said(void **state)
{
	struct results *r = synth_record();

	add_limit(r, 2, 10e6);
	add_counter(r, 2, 8, 48e6, 0.25);
	add_counter(r, 2, 64, 64e6, 2.0 / 64);
	says(r, "1 case is above the limit, 1 of them by more than the interval: most by "
		"page_counter, 2 workers (batch 8), at 1.200 [1.200,1.200] of it.");
	results_free(r);
}

static void small_fractions_are_not_nothing(void **state)
{
	struct results *r = synth_record();

	add_limit(r, 2, 40e6);
	add_counter(r, 2, 8, 1e3, 0.25);
	says(r, "&lt;0.001");
	silent(r, "0.000");
	results_free(r);
}

static void only_the_same_workers_are_a_limit(void **state)
{
	struct results *r = synth_record();

	add_limit(r, 1, 100e6);
	add_counter(r, 1, 8, 48e6, 0.25);
	add_counter(r, 2, 8, 48e6, 0.25);
	says(r, "placement and home: 1.");
	says(r, "0.120 [0.120,0.120]");
	results_free(r);
	/* with local work, or with a log, it is no limit */
	r = synth_record();
	add_limit(r, 2, 40e6);
	add_counter(r, 2, 8, 48e6, 0.25);
	r->cases[0].params[1].value = 100;
	silent(r, "id=\"limit\"");
	r->cases[0].params[1].value = 0;
	says(r, "id=\"limit\"");
	r->cases[0].params[2].value = 1;
	silent(r, "id=\"limit\"");
	results_free(r);
}

static void disturbed_windows_give_no_fraction(void **state)
{
	struct results *r = synth_record();
	int i;

	add_limit(r, 2, 40e6);
	add_counter(r, 2, 8, 48e6, 0.25);
	for (i = 0; i < BLOCKS; i++)
		r->cases[i & 1].samples[i].marks = MARK_STEAL;
	says(r, "no undisturbed windows of one and the same block");
	results_free(r);
	r = synth_record();
	add_limit(r, 2, 40e6);
	add_counter(r, 2, 8, 48e6, 0.25);
	synth_cut(r, 3);
	says(r, "0.300 ?");
	results_free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_charge_updates_each_of_its_lines_once),
		cmocka_unit_test(written_levels_are_lines_of_their_own),
		cmocka_unit_test(messages_may_be_parts_of_operations),
		cmocka_unit_test(the_busiest_line_counts),
		cmocka_unit_test(small_fractions_are_not_nothing),
		cmocka_unit_test(what_exceeds_the_limit_is_said),
		cmocka_unit_test(only_the_same_workers_are_a_limit),
		cmocka_unit_test(disturbed_windows_give_no_fraction),
	};

	return run_tests(tests);
}
