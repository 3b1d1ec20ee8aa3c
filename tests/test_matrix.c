/* SPDX-License-Identifier: MIT */
#include "golden.h"
#include "matrix_fixture.h"

/* ---------------------------------------------------------------------------- golden */

/*
 * 8 CPUs with holes in their numbers, two protocols: pairs that were not planned, in one direction
 * only, disturbed, or not reached
 */
static struct results *golden_pairs(void)
{
	static const int cpu[8] = {0, 1, 2, 3, 8, 9, 10, 11};
	struct results *r = pairs_record(8);
	int a, b, p;

	r->machine.cores = 4;
	r->machine.l3_caches = 2;
	synth_set(&r->thinned, "pairs are sampled by relation");
	r->nr_pairs[TOPO_SAME_CORE] = 8;
	r->nr_pairs[TOPO_SAME_L3] = 16;
	r->nr_pairs[TOPO_SAME_NODE] = 32;
	for (p = 0; p < 2; p++) {
		for (a = 0; a < 8; a++) {
			for (b = 0; b < 8; b++) {
				if (a == b || (p && a + b == 7) || (p && a == 5 && b < 3))
					continue;
				planted_pair(r, p ? "read" : "cas", 8, cpu[a], cpu[b]);
			}
		}
	}
	r->cases[3].samples[1].marks = MARK_STEAL;
	for (a = 0; a < BLOCKS; a++)
		r->cases[10].samples[a].marks = MARK_SWITCHED;
	r->cases[60].nr_samples = 0;
	r->cases[61].nr_samples = 2;
	return r;
}

static void test_golden_text(void **state)
{
	struct results *r = golden_pairs();
	char *text = report_as(r, report_text);

	assert_mail(text);
	assert_no_nan(text);
	check_golden("matrix.txt", text);
	free(text);
	results_free(r);
}

static void test_golden_html(void **state)
{
	struct results *r = golden_pairs();
	char *html = report_as(r, report_html);

	assert_page(html);
	assert_no_nan(html);
	check_golden("matrix.html", html);
	free(html);
	results_free(r);
}

static void test_golden_csv(void **state)
{
	struct results *r = golden_pairs();
	char *csv = csv_of(r, "read");

	check_golden("matrix.csv", csv);
	free(csv);
	results_free(r);
}

/* ---------------------------------------------------------------------- what it says */

static void test_two_cpus(void **state)
{
	struct results *r = pairs_record(1);
	char *text, *part;

	planted_all(r, "cas", 1);
	r->machine.l3_caches = 1;
	text = report_as(r, report_text);
	assert_says(text, "Protocol cas, home local: same-core 8.0 ns.\n");
	assert_says(text, "on the node of the first CPU: node 0.");
	assert_says(text, "Exact: all 2 ordered pairs of 2 CPUs\n");
	assert_says(text, "\n     0              8.0 +-");
	assert_silent(text, "Recommended batch");
	assert_silent(text, "At most 2 workers");
	assert_silent(text, "hidden");
	part = between(text, "Core to core", "How to read");
	assert_silent(part, "holes");
	free(part);
	free(text);
	check_all(r);
	results_free(r);
}

static int count(const char *text, const char *part)
{
	int nr = 0;

	for (; (text = strstr(text, part)); text++)
		nr++;
	return nr;
}

/* 25,440 pairs and two protocols are a page, not a table of 50,880 rows */
static void test_160_cpus(void **state)
{
	struct results *r = pairs_record(80);
	char *text, *html;

	planted_all(r, "cas", 80);
	planted_all(r, "read", 80);
	text = report_as(r, report_text);
	html = report_as(r, report_html);
	assert_mail(text);
	assert_page(html);
	assert_true(strlen(html) < 1500000);
	assert_true(count(text, "\n") < 100);
	assert_int_equal(count(html, "<svg viewBox=\"0 0 160 160\""), 2);
	assert_int_equal(count(html, "role=\"img\" aria-label=\"160 x 160 CPUs, 8.0 to"), 1);
	assert_says(html, " ns</span>");
	assert_silent(html, "</span> no number");
	assert_says(text, "Exact: all 25,440 ordered pairs of 160 CPUs");
	assert_silent(text, "\nCases\n");
	free(text);
	free(html);
	results_free(r);
}

/* a batch to pick and pairs in one file: both are there, and the pairs are no rows of "Cases" */
static void test_beside_a_pick(void **state)
{
	struct synth s = SYNTH_DEFAULT;
	struct results *r = synth_results(&s);
	char *text;
	int a, b;

	r->cases =
		realloc(r->cases, 64 * sizeof(*r->cases)); /* 28 so far: add_pair() grows at 32 */
	for (a = 0; a < 2; a++)
		for (b = 0; b < 2; b++)
			if (a != b)
				planted_pair(r, "read", 2, a, b);
	text = report_as(r, report_text);
	assert_says(text, "Recommended batch\n");
	assert_says(text, "\n- Protocol read, home local: same-l3 37.5 ns.\n");
	assert_silent(text, "\nCases\n");
	free(text);
	check_all(r);
	results_free(r);
}

static void test_disturbed_windows_do_not_count(void **state)
{
	struct results *r = pairs_record(1);
	char *csv;
	int i;

	add_pair(r, "cas", "local", 0, 1, "same-core");
	add_windows(r, 50);
	for (i = 0; i < 20; i++)
		add_window(r, BLOCKS + i, 7000, MARK_STEAL);
	csv = csv_of(r, NULL);
	assert_string_equal(csv, ",\n50.000,\n");
	free(csv);
	results_free(r);
}

/* absent stays absent, and why is said */
static void test_absent(void **state)
{
	struct results *r = pairs_record(2);
	char *text;
	int i;

	add_pair(r, "cas", "local", 0, 1, "same-node");
	for (i = 0; i < BLOCKS; i++)
		add_window(r, i, 50, MARK_SWITCHED);
	add_pair(r, "cas", "local", 1, 0, "same-node");
	for (i = 0; i < BLOCKS; i++)
		add_window(r, i, 0, 0);
	add_pair(r, "cas", "local", 1, 2, "same-core");
	text = report_as(r, report_text);
	assert_says(text, "no pair has an undisturbed window");
	assert_says(text, "Pairs without a number: 1, every window was disturbed.");
	assert_says(text, "Pairs without a number: 1, the line did not move.");
	assert_says(text, "Pairs without a number: 1, the run did not come to them.");
	assert_says(text, "Sampled: 3 of 6 ordered pairs of 3 CPUs");
	free(text);
	check_all(r);
	csv_refused(r, NULL, -ENODATA, "no pair of CPUs has an undisturbed window");
	results_free(r);
}

/* C1: where the line lives decides the numbers; they are never mixed */
static void test_homes_stay_apart(void **state)
{
	struct results *r = pairs_record(1);
	char *text;

	add_pair(r, "cas", "node-0", 0, 1, "same-node");
	add_windows(r, 100);
	add_pair(r, "cas", "node-1", 0, 1, "same-node")->home_node = 1;
	add_windows(r, 200);
	add_pair(r, "cas", "node-1", 1, 0, "same-node")->home_node = 1;
	add_windows(r, 200);
	add_pair(r, "cas", "interleave", 1, 0, "same-node")->home_node = -1;
	add_windows(r, 150);
	text = report_as(r, report_text);
	assert_says(text, "Protocol cas, home node-0: same-node 100.0 ns.");
	assert_says(text, "Protocol cas, home node-1: same-node 200.0 ns.");
	assert_says(text, "home node-1: the line lives where it was asked for: node 1.");
	assert_says(text, "home interleave: the lines are dealt round the nodes.");
	assert_int_equal(count(text, "--csv writes this one"), 1);
	free(text);
	text = csv_of(r, "cas");
	assert_string_equal(text, ",\n200.000,\n");
	free(text);
	results_free(r);
}

/* a machine of the same class may number its CPUs differently */
static void test_two_machines(void **state)
{
	struct results *a = pairs_record(2), *b = pairs_record(2);
	const struct results *const all[] = {a, b};
	struct report *rep;
	char *text;

	planted_all(a, "cas", 2);
	synth_set(&b->machine.hostname, "other");
	synth_set(&b->started, "2026-12-01T00:00:00Z");
	add_pair(b, "cas", "local", 0, 1, "same-core");
	add_windows(b, 9);
	add_pair(b, "cas", "local", 0, 2, "same-core");
	add_windows(b, 8);
	rep = build_many(all, 2);
	text = written(rep, report_text);
	assert_says(text, "The pairs are of several hosts, 'testhost' and 'other'");
	assert_says(text, "Pairs left out: 1, to which another file gives another relation");
	assert_says(text, "Medians of 5 to 10 windows.");
	free(text);
	report_free(rep);
	results_free(a);
	results_free(b);
}

static void test_markup_is_text(void **state)
{
	struct results *r = pairs_record(1);
	char *html, *text;

	add_pair(r, "<b>&\"x\"", "node-<i>'", 0, 1, "same-core");
	add_windows(r, 8);
	html = report_as(r, report_html);
	text = report_as(r, report_text);
	assert_page(html);
	assert_silent(html, "<b>");
	assert_silent(html, "<i>");
	assert_says(html, "protocol &lt;b&gt;&amp;&quot;x&quot;, home node-&lt;i&gt;&#39;");
	assert_says(text, "protocol <b>&\"x\", home node-<i>'");
	free(html);
	free(text);
	results_free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_golden_text),
		cmocka_unit_test(test_golden_html),
		cmocka_unit_test(test_golden_csv),
		cmocka_unit_test(test_two_cpus),
		cmocka_unit_test(test_160_cpus),
		cmocka_unit_test(test_beside_a_pick),
		cmocka_unit_test(test_disturbed_windows_do_not_count),
		cmocka_unit_test(test_absent),
		cmocka_unit_test(test_homes_stay_apart),
		cmocka_unit_test(test_two_machines),
		cmocka_unit_test(test_markup_is_text),
	};

	return run_tests(tests);
}
