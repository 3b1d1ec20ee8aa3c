/* SPDX-License-Identifier: MIT */
#include "bench.h"
#include "test.h"

#define NS_PER_MIN 60000000000LL

static const char wide[] = "Package:2 [NUMANode(memory=256GiB)] L3Cache:1(size=60MiB) "
			   "L2Cache:40 Core:1 PU:2(indexes=2*80:80*1)";

static struct topo *topo;

static int load(void **state)
{
	struct err err = ERR_INIT;

	return topo_load(&topo, wide, &err);
}

static int unload(void **state)
{
	topo_free(topo);
	return 0;
}

static int build(const char *const *sets, int nr, const char *workers, struct plan *plan,
		 struct err *err)
{
	struct plan_spec spec = {.sets = sets, .nr_sets = nr, .workers = workers};

	return plan_build(topo, &spec, plan, err);
}

static int64_t value(const struct plan *plan, int idx, const char *name)
{
	const struct bench_case *c = &plan->cases[idx];

	return param_get(params_find(c->exp, name, NULL), c->params);
}

static void sweep_is_the_cross_product_in_table_order(void **state)
{
	const char *const sets[] = {"batch=8,64", "layout=v6_15,packed_5_19"};
	struct err err = ERR_INIT;
	struct plan plan;

	assert_ok(build(sets, 2, "2", &plan, &err), &err);
	assert_int_equal(plan.nr_cases, 4);
	/* layout stands before batch in the table, so batch turns faster */
	assert_int_equal(value(&plan, 0, "layout"), value(&plan, 1, "layout"));
	assert_int_equal(value(&plan, 0, "batch"), 8);
	assert_int_equal(value(&plan, 1, "batch"), 64);
	assert_int_equal(value(&plan, 0, "depth"), 3);
	assert_int_equal(plan.cases[0].cpus.nr, 2);
	plan_free(&plan);
}

static void workers_default_to_doublings_and_all(void **state)
{
	static const int want[] = {1, 2, 4, 8, 16, 32, 64, 128, 160};
	struct err err = ERR_INIT;
	struct plan plan;
	int i;

	assert_ok(build(NULL, 0, NULL, &plan, &err), &err);
	assert_int_equal(plan.nr_cases, 9);
	for (i = 0; i < 9; i++)
		assert_int_equal(plan.cases[i].cpus.nr, want[i]);
	plan_free(&plan);
	assert_ok(build(NULL, 0, "all,3,10-12", &plan, &err), &err);
	assert_int_equal(plan.nr_cases, 5);
	assert_int_equal(plan.cases[0].cpus.nr, 160);
	plan_free(&plan);
}

static void refusals_name_what_and_the_nearest(void **state)
{
	struct err err;
	struct plan plan;

#define REFUSED(set, part) \
	assert_refused(build((const char *const[]){set}, 1, "1", &plan, &err), -EINVAL, part, &err)
	REFUSED("bacth=3", "unknown parameter 'bacth': nearest is 'batch'");
	REFUSED("batch=0", "batch=0 is outside 1..1024 pages");
	REFUSED("batch=1025", "1..1024");
	REFUSED("batch=", "batch: '' is not a whole number");
	REFUSED("batch=8,,9", "is not a whole number");
	REFUSED("batch=8,8", "named twice");
	REFUSED("batch", "is not name=value");
	REFUSED("batch=64k", "'64k' is not a whole number");
	REFUSED("layout=packed", "nearest is 'packed_5_19'");
	REFUSED("base_offset=12", "base_offset=12 is not a multiple of 8 bytes");
	REFUSED("batch=99999999999999999999", "outside");
	assert_refused(build(NULL, 0, "161", &plan, &err), -EOPNOTSUPP, "160 usable CPUs", &err);
	assert_refused(build(NULL, 0, "0", &plan, &err), -EOPNOTSUPP, "0 workers", &err);
	assert_refused(build(NULL, 0, "two", &plan, &err), -EINVAL, "workers: 'two'", &err);
}

static void unknown_experiment_is_named(void **state)
{
	const char *const names[] = {"page_conter"};
	struct plan_spec spec = {.experiments = names, .nr_experiments = 1};
	struct err err;
	struct plan plan;

	assert_refused(plan_build(topo, &spec, &plan, &err), -EINVAL,
		       "unknown experiment 'page_conter': nearest is 'page_counter'", &err);
}

static void impossible_combinations_are_left_out_and_said(void **state)
{
	const char *const some[] = {"protection=off,conditional", "protection_level=1",
				    "depth=2,3"};
	const char *const none[] = {"protection=conditional", "protection_level=4", "depth=2"};
	struct err err = ERR_INIT;
	struct plan plan;

	assert_ok(build(some, 3, "1", &plan, &err), &err);
	assert_int_equal(plan.nr_cases, 3);
	assert_non_null(strstr(plan.note, "1 combinations left out"));
	plan_free(&plan);
	assert_refused(build(none, 3, "1", &plan, &err), -EINVAL, "needs depth of at least 6",
		       &err);
}

static void a_set_applies_to_those_that_know_it(void **state)
{
	const char *const names[] = {"page_counter", "contended_line"};
	const char *const sets[] = {"batch=8,16", "op=xchg"};
	struct plan_spec spec = {.experiments = names,
				 .nr_experiments = 2,
				 .sets = sets,
				 .nr_sets = 2,
				 .workers = "4"};
	struct err err = ERR_INIT;
	struct plan plan;

	assert_ok(plan_build(topo, &spec, &plan, &err), &err);
	assert_int_equal(plan.nr_cases, 3);
	plan_free(&plan);
}

static void explicit_cpus_keep_their_order(void **state)
{
	struct plan_spec spec = {.placement = "159,8-24:8", .workers = "all"};
	struct err err = ERR_INIT;
	struct plan plan;

	assert_ok(plan_build(topo, &spec, &plan, &err), &err);
	assert_int_equal(plan.cases[0].cpus.nr, 4);
	assert_int_equal(plan.cases[0].cpus.cpu[0], 159);
	assert_int_equal(plan.cases[0].cpus.cpu[3], 24);
	plan_free(&plan);
	spec.placement = "0,160";
	assert_refused(plan_build(topo, &spec, &plan, &err), -EINVAL, "160", &err);
}

static void case_text_names_what_differs(void **state)
{
	const char *const sets[] = {"batch=8", "layout=v6_15"};
	struct err err = ERR_INIT;
	struct plan plan;
	char text[100], cut[12];

	assert_ok(build(sets, 2, "1", &plan, &err), &err);
	assert_string_equal(bench_case_text(&plan.cases[0], text, sizeof(text)),
			    "page_counter batch=8 1 worker");
	assert_string_equal(bench_case_text(&plan.cases[0], cut, sizeof(cut)), "page_counte");
	plan_free(&plan);
}

/* ------------------------------------------------------------------ default plan */

static int nr_pairs(const struct plan *plan)
{
	int i, nr = 0;

	for (i = 0; i < plan->nr_cases; i++)
		nr += !strcmp(plan->cases[i].exp->name, "core_to_core");
	return nr;
}

/* all pairs or none: 9 blocks of windows of 20 ms and their warm-up are within 15 s up to 8 CPUs */
static void default_plan_has_pairs_where_they_are_cheap(void **state)
{
	static const struct {
		const char *machine;
		int nr;
	} cases[] = {{"Core:1 PU:1", 0}, {"Core:8 PU:1", 56}, {"Core:9 PU:1", 0}};
	struct err err = ERR_INIT;
	struct topo *few;
	struct plan plan;
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_ok(topo_load(&few, cases[i].machine, &err), &err);
		assert_ok(plan_default(few, 0, 1, &plan, &err), &err);
		assert_int_equal(plan.window_ns, 20000000);
		assert_int_equal(nr_pairs(&plan), cases[i].nr);
		plan_free(&plan);
		topo_free(few);
	}
}

static void default_plan_of_160_cpus_fits_15_minutes(void **state)
{
	struct err err = ERR_INIT;
	struct plan plan;

	assert_ok(plan_default(topo, 0, 1, &plan, &err), &err);
	assert_true(plan_estimate_ns(&plan) <= 15 * NS_PER_MIN);
	assert_true(9 * plan_block_ns(&plan) <= plan.budget_ns);
	assert_int_equal(plan.cases[plan.nr_cases - 1].cpus.nr, 160);
	assert_int_equal(nr_pairs(&plan), 0);
	plan_free(&plan);
}

static void default_plan_of_2_cpus_is_whole_and_fits_3_minutes(void **state)
{
	struct err err = ERR_INIT;
	struct topo *two;
	struct plan plan;

	assert_ok(topo_load(&two, "Package:1 [NUMANode(memory=16GiB)] Core:2 PU:1", &err), &err);
	assert_ok(plan_default(two, 0, 1, &plan, &err), &err);
	/* page_counter and its limit on 1 and 2 workers, the pair in both directions, tickets */
	assert_int_equal(plan.nr_cases, (3 * 7 * 4 + 1) * 2 + 2 + 1);
	assert_int_equal(nr_pairs(&plan), 2);
	assert_string_equal(plan.thinned, "");
	assert_true(plan_estimate_ns(&plan) <= 170000000000LL);
	plan_free(&plan);
	topo_free(two);
}

static bool has(const struct plan *plan, const char *name, int64_t v)
{
	int i;

	for (i = 0; i < plan->nr_cases; i++)
		if (value(plan, i, name) == v)
			return true;
	return false;
}

/* whatever the budget, what the pick needs stays: two layouts, batches to compare, a demand */
static void thinning_says_what_it_leaves_out(void **state)
{
	static const int64_t budgets[] = {60000000000, 30000000000, 10000000000,
					  3000000000,  1000000000,  100000000};
	struct err err = ERR_INIT;
	int64_t before = INT64_MAX;
	struct plan plan;
	size_t i;

	for (i = 0; i < sizeof(budgets) / sizeof(budgets[0]); i++) {
		assert_ok(plan_default(topo, budgets[i], 1, &plan, &err), &err);
		assert_true(plan_block_ns(&plan) <= before);
		before = plan_block_ns(&plan);
		assert_true(*plan.thinned);
		assert_true(has(&plan, "batch", 32) && has(&plan, "batch", 64) &&
			    has(&plan, "batch", 8));
		assert_true(has(&plan, "work_ns", 0) && has(&plan, "work_ns", 1000));
		assert_true(has(&plan, "layout", 0) && has(&plan, "layout", 4));
		assert_true(plan_estimate_ns(&plan) <= budgets[i]);
		plan_free(&plan);
	}
}

/* ------------------------------------------------------------------------ pairs */

static int build_pairs(const struct topo *t, int nr_pairs, int64_t budget_ns, struct plan *plan,
		       struct err *err)
{
	static const char *const names[] = {"core_to_core"};
	struct plan_spec spec = {.experiments = names,
				 .nr_experiments = 1,
				 .nr_pairs = nr_pairs,
				 .budget_ns = budget_ns,
				 .seed = 3};

	return plan_build(t, &spec, plan, err);
}

static int count_relation(const struct topo *t, const struct plan *plan, enum topo_relation r)
{
	const struct cpulist *c;
	int i, nr = 0;

	for (i = 0; i < plan->nr_cases; i++) {
		c = &plan->cases[i].cpus;
		nr += topo_relation(topo_cpu_by_os(t, c->cpu[0]), topo_cpu_by_os(t, c->cpu[1])) ==
		      r;
	}
	return nr;
}

/* every case is a pair, and its reverse is there too, next to it */
static void check_both_directions(const struct plan *plan)
{
	int i;

	assert_int_equal(plan->nr_cases % 2, 0);
	for (i = 0; i < plan->nr_cases; i += 2) {
		assert_int_equal(plan->cases[i].cpus.nr, 2);
		assert_int_equal(plan->cases[i].cpus.cpu[0], plan->cases[i + 1].cpus.cpu[1]);
		assert_int_equal(plan->cases[i].cpus.cpu[1], plan->cases[i + 1].cpus.cpu[0]);
		assert_int_not_equal(plan->cases[i].cpus.cpu[0], plan->cases[i].cpus.cpu[1]);
	}
}

static void pairs_of_160_cpus_fit_two_minutes_by_sampling(void **state)
{
	struct err err = ERR_INIT;
	struct plan plan;
	int smt, node, cross;

	assert_ok(build_pairs(topo, 0, 0, &plan, &err), &err);
	check_both_directions(&plan);
	assert_true(plan_estimate_ns(&plan) <= 2 * NS_PER_MIN);
	assert_true(5 * plan_block_ns(&plan) <= 2 * NS_PER_MIN);
	/* the smallest class is whole: 80 cores have 80 pairs of siblings */
	smt = count_relation(topo, &plan, TOPO_SAME_CORE);
	node = count_relation(topo, &plan, TOPO_SAME_NODE);
	cross = count_relation(topo, &plan, TOPO_CROSS_PACKAGE);
	assert_int_equal(smt, 2 * 80);
	assert_true(node > 1000 && abs(node - cross) <= 2);
	assert_int_equal(smt + node + cross, plan.nr_cases);
	assert_non_null(strstr(plan.thinned, "80 of 80 same-core"));
	assert_non_null(strstr(plan.thinned, "of 6400 cross-package"));
	plan_free(&plan);
}

static void all_pairs_can_be_asked_for(void **state)
{
	struct err err = ERR_INIT;
	struct plan plan;

	assert_ok(build_pairs(topo, PLAN_ALL_PAIRS, 0, &plan, &err), &err);
	assert_int_equal(plan.nr_cases, 160 * 159);
	assert_string_equal(plan.thinned, "");
	check_both_directions(&plan);
	plan_free(&plan);
}

static void a_sample_has_the_size_asked_for(void **state)
{
	struct err err = ERR_INIT;
	struct plan a, b;

	assert_ok(build_pairs(topo, 30, 0, &a, &err), &err);
	assert_ok(build_pairs(topo, 30, 0, &b, &err), &err);
	assert_int_equal(a.nr_cases, 60);
	assert_int_equal(count_relation(topo, &a, TOPO_SAME_CORE), 20);
	assert_int_equal(a.cases[7].cpus.cpu[0], b.cases[7].cpus.cpu[0]);
	plan_free(&a);
	plan_free(&b);
}

/* fewer than there are relations: the nearest ones, and never none */
static void a_small_sample_is_not_empty(void **state)
{
	struct err err = ERR_INIT;
	struct plan plan;
	int nr;

	for (nr = 1; nr <= 7; nr++) {
		assert_ok(build_pairs(topo, nr, 0, &plan, &err), &err);
		assert_int_equal(plan.nr_cases, 2 * nr);
		assert_true(count_relation(topo, &plan, TOPO_SAME_CORE) > 0);
		plan_free(&plan);
	}
}

static void two_cpus_are_one_pair_and_one_is_none(void **state)
{
	struct err err = ERR_INIT;
	struct topo *few;
	struct plan plan;

	assert_ok(topo_load(&few, "Package:1 [NUMANode(memory=16GiB)] Core:2 PU:1", &err), &err);
	assert_ok(build_pairs(few, 0, 0, &plan, &err), &err);
	assert_int_equal(plan.nr_cases, 2);
	plan_free(&plan);
	topo_free(few);
	assert_ok(topo_load(&few, "Package:1 [NUMANode(memory=16GiB)] Core:1 PU:1", &err), &err);
	assert_refused(build_pairs(few, 0, 0, &plan, &err), -EOPNOTSUPP, "needs two CPUs", &err);
	topo_free(few);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sweep_is_the_cross_product_in_table_order),
		cmocka_unit_test(workers_default_to_doublings_and_all),
		cmocka_unit_test(refusals_name_what_and_the_nearest),
		cmocka_unit_test(unknown_experiment_is_named),
		cmocka_unit_test(impossible_combinations_are_left_out_and_said),
		cmocka_unit_test(a_set_applies_to_those_that_know_it),
		cmocka_unit_test(explicit_cpus_keep_their_order),
		cmocka_unit_test(case_text_names_what_differs),
		cmocka_unit_test(default_plan_of_160_cpus_fits_15_minutes),
		cmocka_unit_test(default_plan_has_pairs_where_they_are_cheap),
		cmocka_unit_test(default_plan_of_2_cpus_is_whole_and_fits_3_minutes),
		cmocka_unit_test(thinning_says_what_it_leaves_out),
		cmocka_unit_test(pairs_of_160_cpus_fit_two_minutes_by_sampling),
		cmocka_unit_test(all_pairs_can_be_asked_for),
		cmocka_unit_test(a_small_sample_is_not_empty),
		cmocka_unit_test(a_sample_has_the_size_asked_for),
		cmocka_unit_test(two_cpus_are_one_pair_and_one_is_none),
	};

	return run_group("plan", tests, load, unload);
}
