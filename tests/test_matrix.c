/* SPDX-License-Identifier: MIT */
#include "golden.h"
#include "matrix_fixture.h"

#include <locale.h>

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
	assert_silent(html, "no number");
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

static void test_asymmetry(void **state)
{
	static const double half[] = {5, 15};
	struct results *r;
	char *text;
	int i;

	for (i = 0; i < 2; i++) {
		r = pairs_record(1);
		add_pair(r, "cas", "local", 0, 1, "same-node");
		add_windows(r, 100 - half[i]);
		add_pair(r, "cas", "local", 1, 0, "same-node");
		add_windows(r, 100 + half[i]);
		text = report_as(r, report_text);
		assert_says(text, i ? " 2         30%\n" : " 2         10%\n");
		assert_true(i == !!strstr(text, "- same-node is lopsided: the two directions of a "
						"pair differ by 30%"));
		free(text);
		text = csv_of(r, NULL);
		assert_string_equal(text, ",\n100.000,\n");
		free(text);
		results_free(r);
	}
}

/* one direction only is a number; numbers that no machine has break nothing */
static void test_odd_numbers(void **state)
{
	struct results *r = pairs_record(2);
	char *csv;

	add_pair(r, "cas", "local", 2, 0, "same-core");
	add_windows(r, 7.25);
	add_pair(r, "cas", "local", 0, 1, "same-node");
	add_window(r, 0, 1e15, 0);
	add_pair(r, "cas", "local", 1, 2, "same-node");
	add_window(r, 0, 1e-299, 0);
	csv = csv_of(r, NULL);
	assert_string_equal(csv, ",,\n1000000000000000,,\n7.250,0.000,\n");
	free(csv);
	check_all(r);
	r->cases[1].samples[0].rate = 1e-290;
	check_all(r);
	r->cases[1].samples[0].rate = 5e-324;
	check_all(r);
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

/* --------------------------------------------------------------------- hidden nodes (C8) */

static void spoil_relation(struct results *r, const char *from, const char *to)
{
	int i;

	for (i = 0; i < r->nr_cases; i++)
		if (!strcmp(r->cases[i].relation, from))
			synth_set(&r->cases[i].relation, to);
}

static void says_hidden(struct results *r, const char *part)
{
	char *text = report_as(r, report_text);

	if (part)
		assert_says(text, part);
	else
		assert_silent(text, "hidden");
	free(text);
}

static void test_hidden_nodes(void **state)
{
	struct results *r = pairs_record(4);

	planted_all(r, "cas", 4);
	says_hidden(r,
		    "- Nodes are hidden: the system shows one NUMA node, but in it same-l3 takes "
		    "25.");
	r->machine.numa_nodes = 2;
	says_hidden(r, NULL);
	r->machine.numa_nodes = 1;
	r->machine.restricted = true;
	says_hidden(r, NULL);
	r->machine.restricted = false;
	synth_set(&r->machine.class_name, "adl-1s4c2t-1n-hybrid2+2");
	says_hidden(r, NULL);
	results_free(r);
}

/* D8: nothing names the L3 caches; latency alone shows the groups */
static void test_hidden_nodes_without_l3(void **state)
{
	struct results *r = pairs_record(4);

	planted_all(r, "cas", 4);
	spoil_relation(r, "same-l3", "same-node");
	r->machine.l3_caches = 0;
	says_hidden(r, "names no cache that parts it, but its");
	says_hidden(r, "2 groups of CPUs are near each other");
	results_free(r);
}

/* two kinds of numbers that no grouping of CPUs explains are no hidden nodes */
static void test_noise_hides_no_nodes(void **state)
{
	struct results *r = pairs_record(4);
	char *text;
	int a, b;

	for (a = 0; a < 8; a++) {
		for (b = 0; b < 8; b++) {
			if (a == b)
				continue;
			add_pair(r, "cas", "local", a, b, "same-node");
			add_windows(r, (a * 5 + b * 3) % 7 < 3 ? 40 : 120);
		}
	}
	r->machine.l3_caches = 0;
	says_hidden(r, NULL);
	text = report_as(r, report_text);
	assert_says(text, "same-node is two groups: ");
	free(text);
	results_free(r);
}

/* a hybrid machine: cores of one cluster, cores of two kinds */
static void test_hybrid_relations(void **state)
{
	struct results *r = pairs_record(4);
	char *text;

	planted_all(r, "cas", 4);
	spoil_relation(r, "same-core", "same-package");
	synth_set(&r->cases[0].relation, "cross-package");
	free(r->cases[1].relation);
	r->cases[1].relation = NULL;
	synth_set(&r->machine.class_name, "adl-1s4c2t-1n-hybrid2+2");
	text = report_as(r, report_text);
	assert_says(text, "\n  same-package ");
	assert_says(text, "\n  cross-package ");
	assert_says(text, "\n  unknown ");
	free(text);
	check_all(r);
	results_free(r);
}

/* ------------------------------------------------------------------------------ CSV */

static void test_csv_refused(void **state)
{
	struct synth s = SYNTH_DEFAULT;
	struct results *r = synth_results(&s);

	csv_refused(r, NULL, -ENOENT, "there is no core_to_core to write");
	results_free(r);
	r = pairs_record(2);
	planted_all(r, "read", 2);
	csv_refused(r, "cas", -ENOENT, "protocol 'cas' was not measured, these were: read");
	csv_refused(r, "rd", -ENOENT, "protocol 'rd'");
	results_free(r);
}

static void test_csv_round_trip(void **state)
{
	static double back[160 * 160];
	struct results *r = pairs_record(80);
	char *csv;
	double ns;
	int i, j;

	planted_all(r, "cas", 80);
	csv = csv_of(r, NULL);
	assert_int_equal(csv_read(csv, back, 160), 160);
	for (i = 0; i < 160; i++) {
		for (j = 0; j < 160; j++) {
			ns = (planted_ns(80, i, j) + planted_ns(80, j, i)) / 2;
			if (j < i)
				assert_true(fabs(back[i * 160 + j] - ns) < 0.00051);
			else
				assert_true(isnan(back[i * 160 + j]));
		}
	}
	free(csv);
	results_free(r);
}

/* measured matrices of real machines go in and come out */
static void test_csv_of_real_machines(void **state)
{
	static const char *const names[] = {"elbrus8c-4s8c1t", "m1ultra-1s20c1t",
					    "zen2-7302-2s16c2t", "icx-8375c-2s32c2t"};
	static double in[128 * 128], back[128 * 128];
	char path[512], *text = NULL, *csv;
	struct results *r;
	int i, k, n;

	if (!test_shared())
		test_skip("../shared is not there");
	for (k = 0; k < 4; k++) {
		snprintf(path, sizeof(path), "%s/machines/%s.csv", test_shared(), names[k]);
		text = read_file(path);
		n = csv_read(text, in, 128);
		free(text);
		assert_true(n >= 20);
		r = pairs_record(n / 2);
		r->machine.pus = n;
		for (i = 0; i < n * n; i++) {
			if (isnan(in[i / n * 128 + i % n]))
				continue;
			add_pair(r, "cas", "local", i / n, i % n, "same-node");
			add_windows(r, in[i / n * 128 + i % n]);
		}
		csv = csv_of(r, "cas");
		assert_int_equal(csv_read(csv, back, 128), n);
		for (i = 0; i < n * n; i++) {
			if (isnan(in[i / n * 128 + i % n]))
				assert_true(isnan(back[i / n * 128 + i % n]));
			else
				assert_true(fabs(in[i / n * 128 + i % n] -
						 back[i / n * 128 + i % n]) < 0.00051);
		}
		free(csv);
		results_free(r);
	}
}

static void test_csv_decimal_comma(void **state)
{
	static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "de_DE", "fr_FR.UTF-8"};
	struct results *r = golden_pairs();
	char *plain = csv_of(r, "cas"), *comma;
	int i;

	for (i = 0; i < 4 && !setlocale(LC_ALL, names[i]); i++)
		;
	comma = csv_of(r, "cas");
	setlocale(LC_ALL, "C");
	assert_string_equal(comma, plain);
	free(comma);
	free(plain);
	results_free(r);
	if (i == 4)
		test_skip("no locale with a decimal comma is installed");
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
		cmocka_unit_test(test_asymmetry),
		cmocka_unit_test(test_odd_numbers),
		cmocka_unit_test(test_homes_stay_apart),
		cmocka_unit_test(test_two_machines),
		cmocka_unit_test(test_markup_is_text),
		cmocka_unit_test(test_hidden_nodes),
		cmocka_unit_test(test_hidden_nodes_without_l3),
		cmocka_unit_test(test_noise_hides_no_nodes),
		cmocka_unit_test(test_hybrid_relations),
		cmocka_unit_test(test_csv_refused),
		cmocka_unit_test(test_csv_round_trip),
		cmocka_unit_test(test_csv_of_real_machines),
		cmocka_unit_test(test_csv_decimal_comma),
	};

	return run_tests(tests);
}
