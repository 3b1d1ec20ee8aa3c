/* SPDX-License-Identifier: MIT */
/* The published cases: every row is one of its experiment's, a plan of them, and their report. */
#include "report_fixture.h"

#include <math.h>

#define FOR_EACH_CASE(c)   for ((c) = bench_published_cases; (c)->name; (c)++)
#define FOR_EACH_ROW(r, c) for ((r) = (c)->rows; (r)->name; (r)++)

static struct topo *topo;

static int load(void **state)
{
	struct err err = ERR_INIT;

	return topo_load(&topo, "Package:2 Core:4 PU:1", &err);
}

static int unload(void **state)
{
	topo_free(topo);
	return 0;
}

static void *row_params(const struct bench_published_case *c, const struct bench_published_row *r)
{
	const struct experiment *exp = experiment_find(c->experiment, NULL);
	struct err err = ERR_INIT;
	void *params;

	assert_non_null(exp);
	params = calloc(1, exp->params_size);
	if (bench_published_params(c, r, params, &err))
		fail_msg("%s, row '%s': %s", c->name, r->name, err.msg);
	return params;
}

static void the_five_of_the_design(void **state)
{
	static const char *const names[] = {"s0", "s1", "s2", "s3", "s4"};
	int i;

	for (i = 0; i < 5; i++)
		assert_string_equal(bench_published_cases[i].name, names[i]);
	assert_null(bench_published_cases[5].name);
	assert_ptr_equal(bench_published_find("s3"), &bench_published_cases[3]);
	assert_null(bench_published_find("s"));
	assert_null(experiment_find("s0", NULL));
}

static void every_row_is_in_the_table_of_its_experiment(void **state)
{
	const struct bench_published_case *c;
	const struct bench_published_row *r;
	struct err err = ERR_INIT;
	void *params;
	int nr_bases;

	FOR_EACH_CASE(c)
	{
		assert_true(c->title && c->machine && c->load && c->source && c->unit);
		nr_bases = 0;
		FOR_EACH_ROW(r, c)
		{
			params = row_params(c, r);
			assert_ok(experiment_find(c->experiment, NULL)->validate(params, 2, &err),
				  &err);
			free(params);
			nr_bases += r->base;
			assert_true(!r->base || r->change == 0);
			assert_true(isnan(r->value[0]) == isnan(r->value[1]));
			assert_true(isnan(r->value[0]) || r->value[0] <= r->value[1]);
		}
		assert_int_equal(nr_bases, 1);
		assert_true(bench_published_base(c)->base);
	}
}

/* a published change is what the published values give, where both are rates */
static void changes_agree_with_values(void **state)
{
	static const char *const rates[] = {"s0", "s2"};
	const struct bench_published_case *c;
	const struct bench_published_row *r;
	double base, change;
	int i, nr = 0;

	for (i = 0; i < 2; i++) {
		c = bench_published_find(rates[i]);
		base = bench_published_base(c)->value[0];
		FOR_EACH_ROW(r, c)
		{
			change = 100 * (r->value[0] / base - 1);
			if (isnan(change) || isnan(r->change))
				continue;
			assert_true(fabs(change - r->change) < 0.2);
			nr++;
		}
	}
	assert_int_equal(nr, 6 + 6);
}

/* what a fit changes is a parameter in its range, no row sets it, and at most two are fitted */
static void fits_leave_the_rows_alone(void **state)
{
	const struct bench_published_case *c;
	const struct bench_published_row *r;
	const struct param *p;
	void *params;
	int i;

	FOR_EACH_CASE(c)
	{
		for (i = 0; i < BENCH_PUBLISHED_FITS && c->fit[i].name; i++) {
			p = params_find(experiment_find(c->experiment, NULL), c->fit[i].name, NULL);
			assert_non_null(p);
			assert_non_null(c->fit[i].why);
			assert_in_range(c->fit[i].value, p->min, p->max);
			FOR_EACH_ROW(r, c)
			{
				params = row_params(c, r);
				assert_int_equal(param_get(p, params), c->fit[i].value);
				free(params);
			}
			assert_false(bench_published_tells_apart(c, c->fit[i].name));
		}
	}
	assert_int_equal(bench_published_find("s2")->fit[0].value,
			 llround(10240 * 8 / 15722e6 * 1e9));
	assert_int_equal(bench_published_find("s0")->fit[0].value,
			 llround(65536 * 8 / 21694.8e6 * 1e9));
}

/* ---------------------------------------------------------------------------- plans */

static int build(const char *name, const char *set, const char *workers, struct plan *plan,
		 struct err *err)
{
	struct plan_spec spec = {.experiments = &name,
				 .nr_experiments = 1,
				 .sets = &set,
				 .nr_sets = set != NULL,
				 .workers = workers};

	*err = (struct err)ERR_INIT;
	return plan_build(topo, &spec, plan, err);
}

static int64_t value(const struct plan *plan, int idx, const char *name)
{
	const struct bench_case *c = &plan->cases[idx];

	return param_get(params_find(c->exp, name, NULL), c->params);
}

static void a_case_is_its_rows_on_all_workers(void **state)
{
	static const int nr_rows[] = {6, 2, 6, 2, 2}; /* s2: with 72 clients a row is the same */
	struct plan plan;
	struct err err;
	int i, k;

	for (i = 0; i < 5; i++) {
		assert_ok(build(bench_published_cases[i].name, NULL, NULL, &plan, &err), &err);
		assert_int_equal(plan.nr_cases, nr_rows[i]);
		for (k = 0; k < plan.nr_cases; k++) {
			assert_int_equal(plan.cases[k].cpus.nr, 8);
			assert_string_equal(plan.cases[k].exp->name,
					    bench_published_cases[i].experiment);
		}
		plan_free(&plan);
	}
}

static void sets_are_for_all_rows(void **state)
{
	struct plan plan;
	struct err err;
	int i;

	assert_ok(build("s2", "work_ns=7,0", "2,4", &plan, &err), &err);
	assert_int_equal(plan.nr_cases, 6 * 2 * 2);
	for (i = 0; i < plan.nr_cases; i++) {
		assert_int_equal(value(&plan, i, "work_ns"), i / 2 % 2 ? 0 : 7);
		assert_int_equal(value(&plan, i, "message_bytes"),
				 bench_published_find("s2")->fit[1].value);
		assert_int_equal(value(&plan, i, "depth"), 3);
	}
	plan_free(&plan);
}

/* what rows differ in: the case's load, with what was asked for, published or not */
static void another_row_can_be_asked_for(void **state)
{
	struct plan plan;
	struct err err;
	int i;

	assert_ok(build("s2", "batch=48,96", NULL, &plan, &err), &err);
	assert_int_equal(plan.nr_cases, 2);
	for (i = 0; i < 2; i++) {
		assert_int_equal(value(&plan, i, "batch"), i ? 96 : 48);
		assert_int_equal(value(&plan, i, "work_ns"), 5211);
		assert_int_equal(value(&plan, i, "message_bytes"),
				 bench_published_find("s2")->fit[1].value);
	}
	plan_free(&plan);
}

static void what_a_case_cannot_be_is_refused(void **state)
{
	struct plan plan;
	struct err err;

	assert_refused(build("s2", NULL, "3", &plan, &err), -EINVAL, "3 is an odd number", &err);
	assert_refused(build("s1", "wrok_ns=1", NULL, &plan, &err), -EINVAL, "work_ns", &err);
	assert_refused(build("s9", NULL, NULL, &plan, &err), -EINVAL, "unknown experiment 's9'",
		       &err);
}

/* --------------------------------------------------------------------------- report */

/* a record of s2 in which each row's rate is what was published */
static struct results *published_record(const char *command, const char *set)
{
	const struct bench_published_case *c = bench_published_find("s2");
	static const double rates[] = {15722, 4792, 9300, 11341, 13521, 13772};
	struct sample sample = {.window_ns = 1e6, .ops = 1000, .jain = 1, .overlap = 1};
	struct err err = ERR_INIT;
	struct results *r;
	struct plan plan;
	int i, block;

	for (i = 0; i < EXPERIMENT_MAX_METRICS; i++)
		sample.metrics[i] = NAN;
	assert_ok(build(c->name, set, NULL, &plan, &err), &err);
	assert_ok(results_new(&r, topo, &plan, command, &err), &err);
	for (block = 0; block < 9; block++) {
		for (i = 0; i < plan.nr_cases; i++) {
			sample.block = block;
			sample.rate = rates[i] * (1000 + block);
			sample.slowest = sample.fastest = sample.rate / 8;
			assert_ok(results_add_sample(r, i, &sample, &err), &err);
		}
	}
	plan_free(&plan);
	return r;
}

static void the_report_sets_measured_beside_published(void **state)
{
	struct results *r = published_record("chargeline run s2", NULL);
	char *text = report_as(r, report_text), *part;

	assert_mail(text);
	part = between(text, "Published case s2: ratio between rows", "\n\n");
	assert_says(part, "8 workers here");
	assert_says(part, "packed, batch 32               ");
	assert_says(part, "-69.5%");
	assert_says(part, "-12.4%");
	assert_says(part, "-73.7%");
	/* the ratio is what the rates were made of, within its own interval */
	assert_says(part, "-69.5%  -69.5%");
	assert_says(part, "-40.8%  -40.8%");
	assert_silent(part, "not measured");
	assert_says(text, "not published, set to begin with: work_ns=5211");
	assert_silent(text, "the case has");
	free(part);
	free(text);
	results_free(r);
}

static void the_report_says_what_is_not_as_in_the_case(void **state)
{
	struct results *r = published_record("chargeline run --set depth=4 s2 -o x", "depth=4");
	char *text = report_as(r, report_text);

	assert_says(text, "depth=4 here, the case has 3");
	free(text);
	results_free(r);
}

/* the same parameters without the name of the case: somebody's own sweep */
static void other_runs_are_no_published_case(void **state)
{
	struct results *r = published_record("chargeline run charge_path -o s2.json", NULL);
	char *text = report_as(r, report_text);

	assert_silent(text, "Published case");
	free(text);
	results_free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_five_of_the_design),
		cmocka_unit_test(every_row_is_in_the_table_of_its_experiment),
		cmocka_unit_test(changes_agree_with_values),
		cmocka_unit_test(fits_leave_the_rows_alone),
		cmocka_unit_test(a_case_is_its_rows_on_all_workers),
		cmocka_unit_test(sets_are_for_all_rows),
		cmocka_unit_test(another_row_can_be_asked_for),
		cmocka_unit_test(what_a_case_cannot_be_is_refused),
		cmocka_unit_test(the_report_sets_measured_beside_published),
		cmocka_unit_test(the_report_says_what_is_not_as_in_the_case),
		cmocka_unit_test(other_runs_are_no_published_case),
	};

	return run_group("cases", tests, load, unload);
}
