/* SPDX-License-Identifier: MIT */
/* Reports of any experiment, of many files, of records with anything missing or hostile in them. */
#include "report_fixture.h"

#include <math.h>

/* --------------------------------------------------------------------- other experiments */

static void add_line_case(struct results *r, int op, int distance, int workers)
{
	static const char *const ops[] = {"fetch_add", "xchg", "cmpxchg"};
	struct result_case *c;
	int i;

	r->cases = realloc(r->cases, (r->nr_cases + 1) * sizeof(*r->cases));
	c = &r->cases[r->nr_cases++];
	*c = (struct result_case){
		.experiment = strdup("contended_thing"),
		.params = calloc(3, sizeof(*c->params)),
		.nr_workers = workers,
		.placement = strdup("0-3,8,12-15,20,22,24,26,28,30,32,34,36,38,40,42,44,46,48"),
		.home = strdup("node-1"),
		.metrics = calloc(1, sizeof(*c->metrics)),
		.nr_metrics = 1,
	};
	c->metrics[0] = (struct result_metric){strdup("retries"), strdup("per op")};
	synth_param(c, "op", op, ops[op]);
	synth_param(c, "distance", distance, NULL);
	synth_param(c, "padding", 64, NULL);
	for (i = 0; i < 6; i++)
		synth_window(r, r->nr_cases - 1, i, 1e7 * (op + 1) + i * 1e4, workers);
}

static void test_generic_table(void **state)
{
	struct results *r = synth_record();
	char *text, *part;
	int op;

	for (op = 0; op < 3; op++) {
		add_line_case(r, op, 0, 2);
		add_line_case(r, op, 128, 2);
	}
	text = report_as(r, report_text);
	/* no case has a batch: nothing is said of one */
	assert_silent(text, "Recommended batch");
	part = between(text, "Cases\n", "How to read");
	assert_says(part, "In all of them: padding=64, placement 0-3,8,12-15");
	assert_says(part, "op         distance  workers   operations/s   index");
	assert_says(part, "cmpxchg         128        2  30.0 M +-");
	assert_silent(part, "  padding");
	free(part);
	free(text);
	check_all(r);
	results_free(r);
}

static void test_depth_sweep_is_a_table(void **state)
{
	static const int one[] = {64, -1}, works[] = {0, -1};
	struct synth s = SYNTH_DEFAULT;
	struct results *r = synth_record();
	char *text, *part;

	s.batches = one;
	s.works = works;
	for (s.depth = 1; s.depth <= 3; s.depth++)
		synth_cases(r, &s);
	synth_windows(r, &s, 0);
	text = report_as(r, report_text);
	assert_says(text, "None: nothing to pick from: only one batch (64) was measured.");
	part = between(text, "Cases\n", "How to read");
	assert_says(part, "depth  workers       pages/s");
	free(part);
	free(text);
	check_all(r);
	results_free(r);
}

/* what the grid does not take is not lost */
static void test_other_settings_are_shown(void **state)
{
	static const int few[] = {8, 16, -1};
	struct synth s = SYNTH_DEFAULT;
	struct results *r = synth_record();
	char *text;

	synth_cases(r, &s);
	s.depth = 1;
	s.batches = few;
	synth_cases(r, &s);
	add_line_case(r, 0, 0, 2);
	synth_windows(r, &s, 0);
	text = report_as(r, report_text);
	assert_says(text, "Picked from the cases with depth=3");
	assert_says(text, "In all of them: layout=v6_15, depth=1");
	assert_says(text, "contended_thing");
	free(text);
	check_all(r);
	results_free(r);
}

static void test_windows_without_work_are_counted(void **state)
{
	struct synth s = SYNTH_DEFAULT;
	struct results *r = synth_results(&s);
	char *text;

	r->cases[1].samples[2].rate = 0;
	text = report_as(r, report_text);
	assert_says(text,
		    "- In 1 undisturbed window nothing got done: in the medians, but in no ratio.");
	free(text);
	results_free(r);
}

/* ------------------------------------------------------------------ anything may come in */

static void test_markup_is_shown_as_text(void **state)
{
	struct synth s = SYNTH_DEFAULT;
	struct results *r = synth_results(&s);
	char *html, *text;

	synth_set(&r->machine.hostname, "<script>alert('x')</script>&\"");
	synth_set(&r->machine.model, "Xeon\xc2\xae \xff\x1b[31m\xc3 \xe2\x82\xac \xed\xa0\x80\tx");
	synth_set(&r->command, "chargeline run -o '<b>.json' --set layout=\"a\" && true");
	results_add_warning(r, "</li></ul><img onerror=x>");
	html = report_as(r, report_html);
	assert_page(html);
	assert_says(html, "host &lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&amp;&quot;");
	assert_says(html, "&lt;/li&gt;&lt;/ul&gt;&lt;img onerror=x&gt;");
	assert_says(html, "Xeon\xc2\xae &#xfffd;&#xfffd;[31m&#xfffd; \xe2\x82\xac ");
	assert_silent(html, "\x1b");
	assert_silent(html, "<b>");
	text = report_as(r, report_text);
	assert_mail(text);
	assert_says(text, "host <script>alert('x')</script>&\"");
	assert_says(text, "Xeon? ??[31m? ? ");
	free(html);
	free(text);
	results_free(r);
}

static void test_long_texts_stay_inside(void **state)
{
	struct synth s = SYNTH_DEFAULT;
	struct results *r = synth_results(&s);
	char longer[1001], *text;

	memset(longer, 'x', 1000);
	longer[1000] = '\0';
	synth_set(&r->machine.model, longer);
	synth_set(&r->machine.hostname, longer);
	longer[300] = ' ';
	synth_set(&r->command, longer);
	results_add_warning(r, longer);
	check_all(r);
	/* a command that goes on can be pasted: the lines joined are the command */
	text = report_as(r, report_text);
	assert_says(text, "xx\\\n  xx");
	free(text);
	results_free(r);
}

static void test_wide_tables_are_split(void **state)
{
	static const int layouts[] = {0, 1, 2, 3, 4, -1},
			 works[] = {0, 100, 250, 500, 1000, 2000, 4000, 8000, -1};
	struct synth s = SYNTH_DEFAULT;
	struct results *r;

	s.layouts = layouts;
	s.works = works;
	s.workers = synth_some_workers;
	s.blocks = 6;
	r = synth_results(&s);
	check_all(r);
	results_free(r);
}

/* every way in which a number may be missing, in every format */
static void test_never_nan(void **state)
{
	static const int blocks[] = {0, 1, 2, 4, 5, 9};
	static const unsigned marks[] = {0, MARK_NODE};
	struct synth s = SYNTH_DEFAULT;
	struct results *r;
	int i, k, m;

	s.layouts = synth_all_layouts;
	s.workers = synth_some_workers;
	for (i = 0; i < 6; i++) {
		s.blocks = blocks[i];
		for (m = 0; m < 2; m++) {
			r = synth_results(&s);
			check_all(r);
			synth_spoil(r, "batch", 8, marks[m], 0);
			check_all(r);
			synth_spoil(r, "layout", 0, marks[m], 0);
			check_all(r);
			synth_spoil(r, NULL, 0, marks[m], 0);
			for (k = 0; k < r->nr_cases && s.blocks; k++) {
				r->cases[k].samples[0].jain = NAN;
				r->cases[k].samples[0].slowest = 0;
				r->cases[k].samples[0].fastest = 0;
			}
			check_all(r);
			results_free(r);
		}
	}
}

static void test_empty_record(void **state)
{
	struct results *r = synth_record(), bare = {.complete = true};
	char *text;

	check_all(r);
	text = report_as(r, report_text);
	assert_says(text, "No window was measured");
	free(text);
	results_free(r);
	/* not even strings */
	check_all(&bare);
}

static void test_many_files(void **state)
{
	struct synth s = SYNTH_DEFAULT;
	struct results *a = synth_results(&s), *b;
	const struct results *all[] = {a, NULL};
	struct err err = ERR_INIT;
	struct report *rep;
	char *text;

	s.seed = 2;
	b = synth_results(&s);
	synth_set(&b->started, "2026-12-01T00:00:00Z");
	all[1] = b;
	rep = build_many(all, 2);
	text = written(rep, report_text);
	assert_says(text, "2 result files");
	assert_says(text, "56 cases in 40 blocks");
	free(text);
	report_free(rep);
	all[1] = a;
	rep = build_many(all, 2);
	text = written(rep, report_text);
	assert_says(text, "was given before: it is used once");
	free(text);
	report_free(rep);
	synth_set(&b->machine.class_name, "zen5-1s8c2t-1n");
	all[1] = b;
	assert_refused(report_build(all, 2, NULL, &rep, &err), -EINVAL, "'zen5-1s8c2t-1n'", &err);
	assert_refused(report_build(all, 0, NULL, &rep, &err), -EINVAL, "no result file", &err);
	results_free(a);
	results_free(b);
	report_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_generic_table),
		cmocka_unit_test(test_depth_sweep_is_a_table),
		cmocka_unit_test(test_other_settings_are_shown),
		cmocka_unit_test(test_windows_without_work_are_counted),
		cmocka_unit_test(test_markup_is_shown_as_text),
		cmocka_unit_test(test_long_texts_stay_inside),
		cmocka_unit_test(test_wide_tables_are_split),
		cmocka_unit_test(test_never_nan),
		cmocka_unit_test(test_empty_record),
		cmocka_unit_test(test_many_files),
	};

	return run_tests(tests);
}
