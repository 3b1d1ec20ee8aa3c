/* SPDX-License-Identifier: MIT */
/* A profile from a record: what was planted comes out, what is missing is named. */
#include "report.h"
#include "sim.h"
#include "test.h"

#include <math.h>

#define FOUR "Package:2 [NUMANode(memory=1GiB)] L3Cache:1 Core:2 PU:1"

#define SIXTEEN "Package:2 [NUMANode(memory=1GiB)] L3Cache:1 Core:8 PU:1"

static struct topo *load_this(const char *topology)
{
	struct err err = ERR_INIT;
	struct topo *t;

	assert_ok(topo_load(&t, topology, &err), &err);
	return t;
}

static struct topo *load(void)
{
	return load_this(FOUR);
}

/* one page on one worker, whatever the counters cost: far more than the model has it take */
#define PAGE_NS 700

/* ns of one operation, all workers together: 20 inside a package, 100 across, an atomic of 5; two
 * workers on one line 8 */
static double planted_ns(const struct bench_case *c)
{
	if (!strcmp(c->exp->name, "contended_line"))
		return c->cpus.nr == 1 ? 5 : 8;
	return c->cpus.cpu[0] / 2 == c->cpus.cpu[1] / 2 ? 20 : 100;
}

/* the same on SIXTEEN, with a leg for each CPU: 40 inside a package, 110 across */
static double legs_ns(int a, int b)
{
	return (a / 8 == b / 8 ? 40 : 110) + 1.5 * (a * 3 % 8) + 1.5 * (b * 3 % 8);
}

static double legs_case_ns(const struct bench_case *c)
{
	if (!strcmp(c->exp->name, "contended_line"))
		return planted_ns(c);
	return legs_ns(c->cpus.cpu[0], c->cpus.cpu[1]);
}

static double with_pages_ns(const struct bench_case *c)
{
	return strcmp(c->exp->name, "page_counter") ? planted_ns(c) : PAGE_NS;
}

/* @skip: the relation whose pairs were not measured; @nr: of core_to_core, contended_line and
 * page_counter the first; @tickets: kept by contended_line, which tell of visits of two operations */
static struct results *make_record_of(const char *topology, int64_t nr_pairs,
				      double (*ns)(const struct bench_case *c), int skip, int nr,
				      bool tickets)
{
	static const int nr_sets[] = {0, 1, 3, 4};
	const char *const names[] = {"core_to_core", "contended_line", "page_counter"};
	const char *const sets[] = {"protocol=cas,read", "op=fetch_add",
				    tickets ? "log=0,1" : "log=0", "batch=32,64"};
	struct plan_spec spec = {.experiments = names,
				 .nr_experiments = nr,
				 .sets = sets,
				 .nr_sets = nr_sets[nr],
				 .nr_pairs = nr_pairs,
				 .workers = "1,2"};
	struct err err = ERR_INIT;
	struct topo *t = load_this(topology);
	struct sample s = {.ops = 1, .window_ns = 1, .jain = 1, .overlap = 1};
	struct results *r;
	struct plan plan;
	int i, k;

	assert_ok(plan_build(t, &spec, &plan, &err), &err);
	assert_ok(results_new(&r, t, &plan, "test", &err), &err);
	for (i = 0; i < plan.nr_cases; i++) {
		if (plan.cases[i].exp->pairs && skip == (ns(&plan.cases[i]) == 100))
			continue;
		for (k = 0; k < 6; k++) {
			s.block = k;
			/* the read protocol must not be taken for the other: it says 7 */
			s.rate = 1e9 / (result_param_text(&r->cases[i], "protocol") &&
							!strcmp(result_param_text(&r->cases[i],
										  "protocol"),
								"read")
						? 7
						: ns(&plan.cases[i]));
			s.slowest = s.fastest = s.rate;
			for (int m = 0; m < EXPERIMENT_MAX_METRICS; m++)
				s.metrics[m] = m < r->cases[i].nr_metrics &&
							       !strcmp(r->cases[i].metrics[m].name,
								       "visit_ops") &&
							       plan.cases[i].cpus.nr == 2
						       ? 2
						       : NAN;
			assert_ok(results_add_sample(r, i, &s, &err), &err);
		}
	}
	plan_free(&plan);
	topo_free(t);
	return r;
}

static struct results *make_record(int skip, int nr)
{
	return make_record_of(FOUR, 0, planted_ns, skip, nr, false);
}

static void the_planted_costs_come_out(void **state)
{
	struct results *r = make_record(-1, 2);
	struct sim_profile *p = NULL;
	struct err err = ERR_INIT;

	assert_ok(profile_from_results(&p, r, load(), &err), &err);
	assert_int_equal(sim_transfer(p, 0, 0, 1), 20000);
	assert_int_equal(sim_transfer(p, 0, 3, 2), 20000);
	assert_int_equal(sim_transfer(p, 0, 1, 2), 100000);
	assert_int_equal(p->costs.rmw, 5000);
	assert_int_equal(p->costs.cross, 100000);
	/* two workers: 8 ns where a hand-over per operation would be 20: w = (20 / 8 - 1) * 5 / 20 */
	assert_true(fabs(p->costs.visit - 0.375) < 1e-9);
	assert_non_null(strstr(p->source, "measured: 'this run', 12 of 12 pairs of CPUs"));
	assert_null(strstr(p->source, "others"));
	sim_profile_free(p);
	results_free(r);
}

/* two operations a visit, 8 ns each: a hand-over takes 16, where core_to_core's polling makes it 20 */
static void tickets_tell_what_a_hand_over_costs(void **state)
{
	struct results *r = make_record_of(FOUR, 0, planted_ns, -1, 2, true);
	struct sim_profile *p = NULL;
	struct err err = ERR_INIT;

	assert_ok(profile_from_results(&p, r, load(), &err), &err);
	assert_int_equal(sim_transfer(p, 0, 0, 1), 16000);
	assert_int_equal(sim_transfer(p, 0, 1, 2), 80000);
	assert_int_equal(p->costs.cross, 80000);
	assert_true(fabs(p->costs.visit - (2 - 1) * 5 / 16.0) < 1e-9);
	assert_non_null(strstr(p->source, "times 0.80"));
	sim_profile_free(p);
	results_free(r);
}

static double predicted_ns(const struct sim_profile *p, const struct bench_case *c)
{
	struct sim_config config = {.profile = p,
				    .experiment = c->exp->name,
				    .params = c->params,
				    .cpus = c->cpus,
				    .seed = 1};
	struct err err = ERR_INIT;
	struct sim_result r;

	assert_ok(sim_run(&config, &r, &err), &err);
	free(r.worker_rate);
	return 1e9 / r.rate;
}

/* one worker of a case that was measured takes as long as it did; two, half of that and no less */
static void what_one_worker_took_is_kept(void **state)
{
	const char *const names[] = {"page_counter"}, *const sets[] = {"batch=32,64"};
	struct plan_spec spec = {.experiments = names,
				 .nr_experiments = 1,
				 .sets = sets,
				 .nr_sets = 1,
				 .workers = "1,2"};
	struct results *r = make_record_of(FOUR, 0, with_pages_ns, -1, 3, false);
	struct topo *t = load();
	struct sim_profile *p = NULL;
	struct err err = ERR_INIT;
	struct plan plan;
	double ns;
	int i;

	assert_ok(plan_build(t, &spec, &plan, &err), &err);
	assert_ok(profile_from_results(&p, r, load(), &err), &err);
	for (i = 0; i < plan.nr_cases; i++) {
		ns = predicted_ns(p, &plan.cases[i]);
		if (plan.cases[i].cpus.nr == 1)
			assert_true(fabs(ns / PAGE_NS - 1) < 0.01);
		else
			assert_true(ns > 0.5 * PAGE_NS && ns < 0.55 * PAGE_NS);
	}
	assert_int_equal(i, 4);
	plan_free(&plan);
	topo_free(t);
	sim_profile_free(p);
	results_free(r);
}

static void what_is_missing_is_named(void **state)
{
	struct sim_profile *p = NULL;
	struct results *r = make_record(1, 2);
	struct err err;

	assert_refused(profile_from_results(&p, r, load(), &err), -EINVAL, "cross-package", &err);
	results_free(r);
	r = make_record(-1, 1);
	assert_refused(profile_from_results(&p, r, load(), &err), -EINVAL,
		       "contended_line op=fetch_add", &err);
	results_free(r);
}

static double worst_ps(const struct sim_profile *p)
{
	double worst = 0, error;
	int i, k;

	for (i = 0; i < 16; i++) {
		for (k = 0; k < 16; k++) {
			error = i == k ? 0 : fabs(sim_transfer(p, 0, i, k) - 1000 * legs_ns(i, k));
			worst = error > worst ? error : worst;
		}
	}
	return worst;
}

/* a record that samples the pairs still gives each of them its own cost */
static void pairs_not_measured_come_from_legs(void **state)
{
	struct results *r = make_record_of(SIXTEEN, 50, legs_case_ns, -1, 2, false);
	struct sim_profile *p = NULL;
	struct err err = ERR_INIT;

	assert_ok(profile_from_results(&p, r, load_this(SIXTEEN), &err), &err);
	assert_true(worst_ps(p) <= 1);
	assert_non_null(strstr(p->source,
			       "100 of 240 pairs of CPUs; the others from legs fitted to "
			       "them, which miss those by 0.00 ns rms"));
	sim_profile_free(p);
	results_free(r);
}

static void too_few_pairs_give_their_median(void **state)
{
	struct results *r = make_record_of(SIXTEEN, 8, legs_case_ns, -1, 2, false);
	struct sim_profile *p = NULL;
	struct err err = ERR_INIT;

	assert_ok(profile_from_results(&p, r, load_this(SIXTEEN), &err), &err);
	assert_true(worst_ps(p) > 1000);
	assert_non_null(strstr(p->source,
			       "16 of 240 pairs of CPUs; the others are medians of their "
			       "relation, too few for legs"));
	sim_profile_free(p);
	results_free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_planted_costs_come_out),
		cmocka_unit_test(tickets_tell_what_a_hand_over_costs),
		cmocka_unit_test(what_one_worker_took_is_kept),
		cmocka_unit_test(what_is_missing_is_named),
		cmocka_unit_test(pairs_not_measured_come_from_legs),
		cmocka_unit_test(too_few_pairs_give_their_median),
	};

	return run_tests(tests);
}
