/* SPDX-License-Identifier: MIT */
/* What the latencies say of the machine: hidden nodes (C8), classes that are none, two directions. */
#include "matrix_fixture.h"

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_asymmetry),
		cmocka_unit_test(test_hidden_nodes),
		cmocka_unit_test(test_hidden_nodes_without_l3),
		cmocka_unit_test(test_noise_hides_no_nodes),
		cmocka_unit_test(test_hybrid_relations),
	};

	return run_tests(tests);
}
