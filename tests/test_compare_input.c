/* SPDX-License-Identifier: MIT */
/* Sides that do not match, files with holes, and how a comparison is written. */
#include "compare_fixture.h"

#include <jansson.h>
#include <math.h>

#include "golden.h"

static struct synth four = FOUR_CASES;

static struct results *side_a(void)
{
	return run_at(four, 1, 21);
}

static struct results *side_b(void)
{
	return run_at(four, 2, 22);
}

static void says(struct compare *c, const char *part)
{
	char *text = compared(c, compare_text);

	assert_mail(text);
	assert_says(text, part);
	free(text);
}

static json_t *tree_of(const struct compare *c)
{
	char *text = compared(c, compare_json);
	json_error_t error;
	json_t *tree = json_loads(text, JSON_REJECT_DUPLICATES, &error);

	if (!tree)
		fail_msg("not JSON: %s in %s", error.text, text);
	free(text);
	return tree;
}

/* ------------------------------------------------------------- what differs is said */

static void test_warnings(void **state)
{
	struct results *b = side_b();
	struct compare *c;

	synth_set(&b->machine.class_name, "spr-2s56c2t-2n");
	synth_set(&b->machine.kernel, "6.12.0");
	synth_set(&b->machine.hostname, "other");
	synth_set(&b->build.compiler, "clang 14.0.6");
	b->window_ns = 5000000;
	b->complete = false;
	b->cases[1].cpus.cpu[1] = 7;
	c = compare_two(side_a(), b);
	says(c, "- the machine class differs: 'icx-1s2c1t-1n' in A, 'spr-2s56c2t-2n' in B");
	says(c, "- the kernel differs: '6.1.0-37-amd64' in A, '6.12.0' in B");
	says(c, "- the host differs: 'testhost' in A, 'other' in B");
	says(c, "- the compiler differs: 'gcc 12.2.0' in A, 'clang 14.0.6' in B");
	says(c, "- the window differs: '20 ms' in A, '5 ms' in B");
	says(c, "- 1 of 1 runs of B was interrupted");
	says(c, "- 1 case ran on other CPUs");
	assert_true(row_of(c, 32)->other_cpus && !row_of(c, 64)->other_cpus);
	compare_free(c);
	c = compare_two(side_a(), side_b());
	{
		char *text = compared(c, compare_text);

		assert_silent(text, "Beware");
		assert_silent(text, "one side only");
		free(text);
	}
	compare_free(c);
}

static void test_both_sides_mix(void **state)
{
	struct compare *c = compare_empty();
	struct results *r;
	int side;

	for (side = 0; side < 2; side++) {
		add(c, side, run_at(four, side, side + 1));
		r = run_at(four, side + 5, side + 6);
		synth_set(&r->machine.kernel, "6.12.0");
		add(c, side, r);
	}
	make(c, COMPARE_FAIL_OVER);
	says(c, "- both sides mix kernels: '6.1.0-37-amd64', '6.12.0'");
	compare_free(c);
}

static void test_one_side_only(void **state)
{
	static const int more[] = {16, 32, 64, 256, -1};
	struct synth s = FOUR_CASES;
	struct compare *c;
	json_t *tree, *only;
	int nr;

	s.batches = more;
	c = compare_two(side_a(), run_at(s, 2, 3));
	compare_rows(c, &nr);
	assert_int_equal(nr, 3);
	says(c, "Only A has 1 case:\n\n- page_counter batch=128, 2 workers\n");
	says(c, "Only B has 1 case:\n\n- page_counter batch=256, 2 workers\n");
	says(c, "- page_counter: the parameter batch differs: '16', '32', '64', '128' in A, '16', "
		"'32', '64',");
	tree = tree_of(c);
	only = json_array_get(json_object_get(tree, "only_b"), 0);
	assert_string_equal(
		json_string_value(json_object_get(json_object_get(only, "params"), "batch")),
		"256");
	assert_int_equal(json_array_size(json_object_get(tree, "only_a")), 1);
	json_decref(tree);
	compare_free(c);
}

static void test_nothing_in_common(void **state)
{
	struct synth s = FOUR_CASES;
	struct compare *c;

	s.depth = 2;
	c = compare_two(side_a(), run_at(s, 2, 3));
	assert_false(compare_tells(c) || compare_regressed(c));
	says(c, "Nothing can be compared: no case is on both sides.");
	says(c, "the parameter depth differs: '3' in A, '2' in B");
	json_decref(tree_of(c));
	compare_free(c);
}

static void test_refusals(void **state)
{
	struct compare *c = compare_empty();
	struct results *r = side_b();
	struct err err = ERR_INIT;

	assert_refused(compare_make(c, 0, &err), -EINVAL, "side A has no result", &err);
	add(c, COMPARE_A, side_a());
	assert_refused(compare_make(c, 0, &err), -EINVAL, "side B has no result", &err);
	synth_set(&r->machine.class_name, "spr-2s56c2t-2n");
	assert_refused(compare_add(c, COMPARE_A, r, &err), -EINVAL,
		       "two machine classes, 'icx-1s2c1t-1n' and 'spr-2s56c2t-2n'", &err);
	results_free(r);
	compare_free(c);
	compare_free(NULL);
}

/* ------------------------------------------------------------------ files with holes */

static void test_all_windows_marked(void **state)
{
	struct results *b = side_b();
	struct compare *c;

	synth_spoil(b, "batch", 64, MARK_SWITCHED, 0);
	c = compare_two(side_a(), b);
	assert_int_equal(row_of(c, 64)->rate.verdict, COMPARE_CANNOT_TELL);
	assert_int_equal(row_of(c, 64)->nr_marked[1], 20);
	assert_int_equal(row_of(c, 32)->rate.verdict, COMPARE_NONE_SEEN);
	says(c, "- 1 case is without an undisturbed window on one side: no verdict");
	says(c, "No regression over 3% is seen in the 3 of 4 cases that tell.");
	json_decref(tree_of(c));
	compare_free(c);
	b = side_b();
	synth_spoil(b, NULL, 0, MARK_SWITCHED, 0);
	c = compare_two(side_a(), b);
	assert_false(compare_tells(c));
	says(c, "Cannot tell: in none of 4 cases do both sides have enough undisturbed windows.");
	compare_free(c);
}

static void test_one_sample(void **state)
{
	struct results *a = side_a(), *b = side_b();
	struct compare *c;

	synth_cut(a, 1);
	plant(b, 0, 0.5);
	c = compare_two(a, b);
	assert_int_equal(row_of(c, 64)->rate.verdict, COMPARE_CANNOT_TELL);
	assert_true(isnan(row_of(c, 64)->rate.p) && isinf(row_of(c, 64)->rate.ratio.hi));
	assert_false(compare_tells(c) || compare_regressed(c));
	says(c, "- 4 cases have fewer than 5 values on one side: no interval, no verdict");
	json_decref(tree_of(c));
	compare_free(c);
}

/* 5 and 5 values have a p of 0.0079 at least, which 7 rows make more than 5% */
static void test_too_few_for_so_many_rows(void **state)
{
	static const int rows_6[] = {1, 2, 4, 8, 16, 32, -1},
			 rows_7[] = {1, 2, 4, 8, 16, 32, 64, -1};
	struct synth s = FOUR_CASES;
	struct compare *c;
	struct results *b;

	s.blocks = 5;
	s.batches = rows_6;
	b = run_at(s, 2, 2);
	plant(b, 0, 0.5);
	c = compare_two(run_at(s, 1, 1), b);
	assert_int_equal(row_of(c, 16)->rate.verdict, COMPARE_SLOWER);
	compare_free(c);
	s.batches = rows_7;
	b = run_at(s, 2, 2);
	plant(b, 0, 0.5);
	c = compare_two(run_at(s, 1, 1), b);
	assert_int_equal(row_of(c, 16)->rate.verdict, COMPARE_CANNOT_TELL);
	assert_false(compare_tells(c));
	says(c, "- 7 cases have so few values that among 7 rows not even the clearest difference");
	compare_free(c);
}

static void test_zero_throughput(void **state)
{
	struct results *a = side_a(), *b = side_b();
	const struct compare_row *row;
	struct compare *c;
	int i;

	synth_spoil(b, "batch", 64, 0, 0);
	synth_spoil(a, "batch", 32, 0, 0);
	synth_spoil(a, "batch", 16, 0, 0);
	synth_spoil(b, "batch", 16, 0, 0);
	/* half of the windows, and one more: the median is 0, but not every value */
	for (i = 0; i < 11; i++)
		b->cases[3].samples[i].rate = 0;
	c = compare_two(a, b);
	row = row_of(c, 64);
	assert_int_equal(row->rate.verdict, COMPARE_SLOWER);
	assert_true(row->regression && row->nr_zero[1] == 20 && !row->rate.ratio.n);
	assert_int_equal(row_of(c, 32)->rate.verdict, COMPARE_FASTER);
	assert_int_equal(row_of(c, 16)->rate.verdict, COMPARE_NONE_SEEN);
	assert_true(row_of(c, 128)->regression);
	says(c, "page_counter batch=64, 2 workers: -100% ?, p <0.0001");
	says(c, "in 4 cases nothing got done in some windows");
	says(c, "from 0");
	json_decref(tree_of(c));
	compare_free(c);
}

/* ten of twenty windows do nothing: the interval of the others does not show it, the ranks do */
static void test_some_windows_of_nothing(void **state)
{
	struct results *b = side_b();
	struct compare *c;
	int i;

	for (i = 0; i < 10; i++)
		b->cases[2].samples[i].rate = 0;
	c = compare_two(side_a(), b);
	assert_int_equal(row_of(c, 64)->rate.verdict, COMPARE_SLOWER);
	assert_int_equal(row_of(c, 64)->nr_zero[1], 10);
	compare_free(c);
}

static void test_metrics(void **state)
{
	struct results *a = side_a(), *b = side_b();
	const struct compare_row *row;
	struct compare *c;
	int i, k;

	for (k = 0; k < 20; k++) {
		b->cases[2].samples[k].metrics[0] *= 1.5;
		b->cases[1].samples[k].metrics[0] = NAN;
	}
	/* B counts them in the other order, and one more */
	for (i = 0; i < b->nr_cases; i++) {
		b->cases[i].metrics =
			realloc(b->cases[i].metrics, 3 * sizeof(struct result_metric));
		b->cases[i].metrics[2] = b->cases[i].metrics[0];
		b->cases[i].metrics[0] =
			(struct result_metric){strdup("fresh"), strdup("per page")};
		b->cases[i].nr_metrics = 3;
		for (k = 0; k < 20; k++) {
			b->cases[i].samples[k].metrics[2] = b->cases[i].samples[k].metrics[0];
			b->cases[i].samples[k].metrics[0] = 7;
		}
	}
	c = compare_two(a, b);
	row = row_of(c, 64);
	assert_int_equal(row->metrics[0].verdict, COMPARE_FASTER);
	assert_float_equal(row->metrics[0].ratio.mid, 1.5, 1e-9);
	assert_int_equal(row_of(c, 16)->metrics[0].verdict, COMPARE_NONE_SEEN);
	assert_int_equal(row_of(c, 32)->metrics[0].verdict, COMPARE_CANNOT_TELL);
	assert_int_equal(row_of(c, 32)->metrics[0].n[1], 0);
	assert_int_equal(row->metrics[1].n[0], 0);
	assert_false(compare_regressed(c));
	says(c, "What else differs");
	says(c, "shared_updates per page");
	says(c, "- 1 metric of a case is without a value on one side: left out");
	json_decref(tree_of(c));
	compare_free(c);
}

static void test_hostile_text(void **state)
{
	struct results *a = side_a(), *b = side_b();
	struct compare *c;

	synth_set(&b->machine.kernel, "6.1 \"<script>\" \x01\xff");
	synth_set(&b->build.flags, "");
	synth_set(&a->started, "");
	b->path = strdup("a\nb");
	c = compare_two(a, b);
	says(c, "<script>");
	json_decref(tree_of(c));
	compare_free(c);
}

/* -------------------------------------------------------------------------- written */

static struct compare *for_golden(void)
{
	struct compare *c = compare_empty();
	struct results *b = side_b();

	plant(b, 64, 0.95);
	plant(b, 128, 1.1);
	synth_spoil(b, "batch", 16, MARK_SWITCHED, 0);
	synth_set(&b->machine.kernel, "6.12.0");
	b->path = strdup("new.json");
	add(c, COMPARE_A, side_a());
	add(c, COMPARE_B, b);
	assert_int_equal(compare_leave_out(c, COMPARE_B, "file 'bad.json': is no JSON"), 0);
	make(c, COMPARE_FAIL_OVER);
	return c;
}

static void test_golden(void **state)
{
	struct compare *c = for_golden();
	char *text = compared(c, compare_text), *json = compared(c, compare_json);
	char *markdown = compared(c, compare_markdown);

	assert_mail(text);
	check_golden("compare.txt", text);
	check_golden("compare.json", json);
	check_golden("compare.md", markdown);
	free(markdown);
	free(text);
	free(json);
	compare_free(c);
}

static void test_json(void **state)
{
	struct compare *c = for_golden();
	json_t *tree = tree_of(c), *row, *rate;

	assert_true(json_is_true(json_object_get(tree, "regression")));
	assert_true(json_is_true(json_object_get(tree, "tells")));
	assert_int_equal(json_array_size(json_object_get(tree, "cases")), 4);
	row = json_array_get(json_object_get(tree, "cases"), 2);
	rate = json_object_get(row, "rate");
	assert_true(json_is_true(json_object_get(row, "regression")));
	assert_string_equal(json_string_value(json_object_get(rate, "verdict")), "slower");
	assert_true(json_is_null(json_object_get(rate, "could_hide")));
	rate = json_object_get(json_array_get(json_object_get(tree, "cases"), 1), "rate");
	assert_string_equal(json_string_value(json_object_get(rate, "verdict")),
			    "no difference seen");
	assert_true(json_real_value(json_object_get(rate, "could_hide")) > 0.001);
	rate = json_object_get(json_array_get(json_object_get(tree, "cases"), 0), "rate");
	assert_true(json_is_null(json_object_get(rate, "b")) &&
		    json_is_null(json_object_get(rate, "ratio")) &&
		    json_is_null(json_object_get(rate, "p")));
	json_decref(tree);
	compare_free(c);
}

static void test_full_disk(void **state)
{
	struct compare *c = for_golden();
	FILE *full = fopen("/dev/full", "w");

	if (!full)
		test_skip("no /dev/full here");
	setvbuf(full, NULL, _IONBF, 0);
	assert_int_equal(compare_json(c, full), -EIO);
	clearerr(full);
	assert_int_equal(compare_text(c, full), -EIO);
	fclose(full);
	compare_free(c);
}

int main(void)
{
	const struct CMUnitTest compare_input[] = {
		cmocka_unit_test(test_warnings),
		cmocka_unit_test(test_both_sides_mix),
		cmocka_unit_test(test_one_side_only),
		cmocka_unit_test(test_nothing_in_common),
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_all_windows_marked),
		cmocka_unit_test(test_one_sample),
		cmocka_unit_test(test_too_few_for_so_many_rows),
		cmocka_unit_test(test_zero_throughput),
		cmocka_unit_test(test_some_windows_of_nothing),
		cmocka_unit_test(test_metrics),
		cmocka_unit_test(test_hostile_text),
		cmocka_unit_test(test_golden),
		cmocka_unit_test(test_json),
		cmocka_unit_test(test_full_disk),
	};

	return run_tests(compare_input);
}
