/* SPDX-License-Identifier: MIT */
#include "results_fixture.h"

/* "Package:2 L3Cache:1 Core:2 PU:2": 0 and 1 are one core, 0..3 one package */
static const char *const pairs[] = {"0,1", "1,0", "0,2", "4,3", "0-2"};

static struct results *pair_results(const struct experiment *exp)
{
	struct err err = ERR_INIT;
	struct results *r;
	struct plan plan;
	int i;

	make_plan(&plan);
	for (i = 0; i < plan.nr_cases; i++)
		cpulist_free(&plan.cases[i].cpus);
	plan.cases = realloc(plan.cases, NR(pairs) * sizeof(*plan.cases));
	plan.nr_cases = NR(pairs);
	for (i = 0; i < NR(pairs); i++) {
		plan.cases[i] = (struct bench_case){.exp = exp,
						    .params = &all_params[0],
						    .placement = "compact",
						    .home = "local"};
		assert_ok(cpulist_parse(pairs[i], &plan.cases[i].cpus, &err), &err);
	}
	assert_ok(results_new(&r, topo, &plan, NULL, &err), &err);
	drop_plan(&plan);
	return r;
}

static void assert_relations(const struct results *r)
{
	assert_string_equal(r->cases[0].relation, "same-core");
	assert_string_equal(r->cases[1].relation, "same-core");
	assert_string_equal(r->cases[2].relation, "same-node");
	assert_string_equal(r->cases[3].relation, "cross-package");
	assert_null(r->cases[4].relation);
	/* of CPUs 0 to 4 */
	assert_int_equal(r->nr_pairs[TOPO_SAME_CORE], 4);
	assert_int_equal(r->nr_pairs[TOPO_SAME_L3], 0);
	assert_int_equal(r->nr_pairs[TOPO_SAME_NODE], 8);
	assert_int_equal(r->nr_pairs[TOPO_CROSS_PACKAGE], 8);
}

static void test_relation_of_pairs(void **state)
{
	static struct experiment exp;
	struct results *r, *back;

	exp = fake;
	exp.pairs = true;
	r = pair_results(&exp);
	assert_relations(r);
	save(r, in_dir("r.json"));
	back = load(in_dir("r.json"));
	assert_relations(back);
	results_free(r);
	results_free(back);
}

static void test_no_relation_without_pairs(void **state)
{
	struct results *r = pair_results(&fake);
	size_t size;
	char *data;
	int i;

	for (i = 0; i < r->nr_cases; i++)
		assert_null(r->cases[i].relation);
	save(r, in_dir("r.json"));
	data = slurp(in_dir("r.json"), &size);
	assert_non_null(strstr(data, "\"pairs\":null,\n\"pairs_reason\":\"no case is a pair"));
	assert_non_null(
		strstr(data, "\"relation\":null,\"relation_reason\":\"not a pair of CPUs\""));
	free(data);
	results_free(r);
}

/* @from becomes @to, which is as long or shorter; the rest is filled with blanks */
static char *changed(const char *from, const char *to)
{
	size_t size;
	char *data = slurp(in_dir("r.json"), &size), *at = strstr(data, from);

	assert_non_null(at);
	assert_true(strlen(to) <= strlen(from));
	memset(at, ' ', strlen(from));
	memcpy(at, to, strlen(to));
	write_file(in_dir("bad.json"), data, size);
	return data;
}

static void test_relations_are_checked(void **state)
{
	static const struct {
		const char *from, *to, *part;
	} cases[] = {
		{"\"relation\":\"same-node\"", "\"relation\":\"near\"",
		 "cases[2].relation is not the name of a relation"},
		{"\"relation\":\"same-node\"", "\"relation\":7", "cases[2].relation is not a text"},
		{"\"relation\":null", "\"relation\":{}", "cases[4].relation is not a text"},
		{"\"cross-package\":8}", "\"same-l3\":\"x\"}",
		 "pairs.same-l3 is not a whole number"},
		{"\"cross-package\":8}", "\"same-l3\":-1}", "pairs.same-l3 is -1, outside"},
		{"\"workers\":2", "\"workers\":3", "cases[0].cpus has 2 CPUs for 3 workers"},
	};
	static struct experiment exp;
	struct results *r, *none;
	struct err err;
	int i;

	exp = fake;
	exp.pairs = true;
	r = pair_results(&exp);
	save(r, in_dir("r.json"));
	results_free(r);
	for (i = 0; i < NR(cases); i++) {
		free(changed(cases[i].from, cases[i].to));
		assert_refused(results_load(&none, in_dir("bad.json"), &err), -EBADMSG,
			       cases[i].part, &err);
	}
}

/* files from before there were pairs */
static void test_both_may_be_missing(void **state)
{
	static struct experiment exp;
	struct results *r, *back;
	size_t size;
	char *data, *at;

	exp = fake;
	exp.pairs = true;
	r = pair_results(&exp);
	save(r, in_dir("r.json"));
	results_free(r);
	data = slurp(in_dir("r.json"), &size);
	while ((at = strstr(data, "\"relation\":")))
		memcpy(at, "\"_elation\":", 11);
	at = strstr(data, "\"pairs\":");
	memcpy(at, "\"_airs\":", 8);
	write_file(in_dir("old.json"), data, size);
	free(data);
	back = load(in_dir("old.json"));
	assert_null(back->cases[0].relation);
	assert_int_equal(back->nr_pairs[TOPO_SAME_CORE], 0);
	results_free(back);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_relation_of_pairs),
		TEST(test_no_relation_without_pairs),
		TEST(test_relations_are_checked),
		TEST(test_both_may_be_missing),
	};

	return run_result_tests(tests);
}
