/* SPDX-License-Identifier: MIT */
/*
 * The published cases by the model: the rule of the fit holds for every case, a prediction knows
 * nothing of its row but the sets, the figures are right, and a fit is found again.
 */
#include "reproduce.h"
#include "sim.h"
#include "test.h"

#include <math.h>

#include "../reports/published.h"

static struct reproduction *predict(const struct bench_published_case *c, bool refit)
{
	struct reproduction *r = NULL;
	struct err err = ERR_INIT;

	assert_ok(reproduce_predict(&r, &c, 1, refit, NULL, &err), &err);
	assert_int_equal(r->nr, 1);
	return r;
}

static void rows_equal(const struct reproduction *a, const struct reproduction *b)
{
	int i;

	assert_int_equal(a->cases[0].nr_rows, b->cases[0].nr_rows);
	for (i = 0; i < a->cases[0].nr_rows; i++)
		assert_true(a->cases[0].rows[i].predicted == b->cases[0].rows[i].predicted);
}

/* --------------------------------------------------------------------- the fitting rule */

static void at_most_two_numbers_on_two_rows(void **state)
{
	const struct bench_published_case *c;
	const struct bench_published_row *row;
	int i, nr_fits, nr_rows, nr_bases;

	for (c = bench_published_cases; c->name; c++) {
		nr_fits = nr_rows = nr_bases = 0;
		for (i = 0; i < BENCH_PUBLISHED_FITS && c->fit[i].name; i++) {
			nr_fits++;
			if (!c->fit[i].on)
				continue;
			assert_non_null(bench_published_row(c, c->fit[i].on));
			/* by arithmetic, or by a search in a range that holds the stored value */
			if (!(c->fit[i].per_value > 0))
				assert_in_range(c->fit[i].value, c->fit[i].lo, c->fit[i].hi);
		}
		for (row = c->rows; row->name; row++) {
			nr_rows += bench_published_fitted(c, row);
			nr_bases += bench_published_fitted(c, row) && row->base;
		}
		assert_true(nr_fits <= 2);
		assert_true(nr_rows <= 2);
		assert_int_equal(nr_bases, 1);
	}
}

/* what is published of a row, its name and its note can be anything */
static void a_prediction_knows_only_the_sets(void **state)
{
	const struct bench_published_case *s2 = bench_published_find("s2");
	struct bench_published_row rows[16] = {{NULL}};
	struct bench_published_case few = *s2, other = *s2;
	struct reproduction *a, *b;
	int i;

	for (i = 0; i < 15 && s2->rows[i].name; i++) {
		rows[i] = s2->rows[i];
		rows[i].note = "nothing";
		if (!bench_published_fitted(s2, &s2->rows[i]))
			rows[i].name = "another";
		rows[i].value[0] = rows[i].value[1] = 1000 + i;
		rows[i].change = rows[i].base ? 0 : -i;
	}
	other.rows = rows;
	few.nr_workers = other.nr_workers = 8;
	a = predict(&few, false);
	b = predict(&other, false);
	rows_equal(a, b);
	reproduce_free(b);
	/* and that is no test of nothing: other sets, other numbers */
	rows[1].sets = "charging=off";
	b = predict(&other, false);
	assert_true(a->cases[0].rows[1].predicted != b->cases[0].rows[1].predicted);
	reproduce_free(a);
	reproduce_free(b);
}

/* ------------------------------------------------------------------------------ figures */

static struct series of_one(struct window *w, struct sample *s, double rate)
{
	*s = (struct sample){.rate = rate, .metrics = {NAN, 3}};
	*w = (struct window){.s = s, .rate = rate};
	return (struct series){.valid = w, .nr_valid = 1};
}

static double seen(const char *name, enum figure figure, double rate, double base_rate,
		   int64_t work_ns, const char **why)
{
	struct sample s[2];
	struct window w[2];
	struct series row = of_one(&w[0], &s[0], rate), base = of_one(&w[1], &s[1], base_rate);
	const struct seen a = {.s = &row, .work_ns = work_ns, .nr_workers = 10};
	const struct seen b = {.s = base_rate ? &base : NULL, .nr_workers = 10};
	struct estimate e;

	assert_int_equal(figure_seen(bench_published_find(name), figure, &a, &b, &e, why), 0);
	assert_true((e.n == 0) == (**why != 0));
	return e.n ? e.mid : NAN;
}

static void figures_are_what_the_header_says(void **state)
{
	const char *why;

	assert_true(fabs(seen("s2", FIGURE_CHANGE, 30, 100, 0, &why) + 70) < 1e-9);
	assert_true(fabs(seen("s3", FIGURE_FACTOR, 195, 100, 0, &why) - 1.95) < 1e-9);
	/* 10 workers, 60 million operations a second of 100 ns work: 60% of the time is work */
	assert_true(fabs(seen("s3", FIGURE_SHARE, 60e6, 1, 100, &why) - 40) < 1e-9);
	assert_true(seen("s1", FIGURE_COUNT, 1, 1, 0, &why) == 3);
	assert_true(isnan(seen("s3", FIGURE_SHARE, 60e6, 1, 0, &why)));
	assert_non_null(strstr(why, "work_ns=0"));
	assert_true(isnan(seen("s2", FIGURE_CHANGE, 30, 0, 0, &why)));
	assert_non_null(strstr(why, "base"));
}

static void errors_are_defined_for_every_figure(void **state)
{
	const double change[2] = {-69.5, -69.5}, range[2] = {44.6, 57}, factor[2] = {2, 2},
		     none[2] = {NAN, NAN};

	assert_true(fabs(figure_error(FIGURE_CHANGE, change, -60) - 9.5) < 1e-9);
	assert_true(fabs(figure_error(FIGURE_CHANGE, change, -70) + 0.5) < 1e-9);
	assert_true(fabs(figure_error(FIGURE_SHARE, range, 40) + 4.6) < 1e-9);
	assert_true(fabs(figure_error(FIGURE_SHARE, range, 60) - 3) < 1e-9);
	assert_true(figure_error(FIGURE_SHARE, range, 50) == 0);
	assert_true(fabs(figure_error(FIGURE_FACTOR, factor, 1.5) + 25) < 1e-9);
	assert_true(isnan(figure_error(FIGURE_SHARE, none, 50)));
	assert_true(isnan(figure_error(FIGURE_CHANGE, change, NAN)));
	assert_true(isnan(figure_error(FIGURE_FACTOR, none, 1)));
}

/* a case of shares: a share for each row, a factor where a change is published, and what is absent
 * has a reason */
static void a_case_becomes_rows(void **state)
{
	struct reproduction *r = predict(bench_published_find("s3"), false);
	const struct reproduce_case *c = &r->cases[0];
	int i, nr[FIGURE_COUNT + 1] = {0};

	for (i = 0; i < c->nr_rows; i++) {
		nr[c->rows[i].figure]++;
		assert_true(isfinite(c->rows[i].predicted) != !!*c->rows[i].predicted_why);
		assert_true(isfinite(c->rows[i].error_points) != !!*c->rows[i].error_why);
		assert_int_equal(c->rows[i].measured.n, 0);
		assert_true(*c->rows[i].measured_why);
		assert_true(c->rows[i].fitted == c->rows[i].row->base);
	}
	assert_int_equal(nr[FIGURE_SHARE], 2);
	assert_int_equal(nr[FIGURE_FACTOR], 1);
	assert_string_equal(c->machine, "icx-8380");
	assert_int_equal(c->nr_workers, 160);
	reproduce_free(r);
}

/* ---------------------------------------------------------------------- found again */

/* and the stored number has no part in it: planted wrong, it is found, and it is said */
static void a_stored_fit_is_found_again(void **state)
{
	struct bench_published_case planted = *bench_published_find("s3");
	const int64_t stored = planted.fit[0].value;
	const struct reproduce_fit *f;
	struct reproduction *r;

	planted.fit[0].value *= 3;
	r = predict(&planted, true);
	f = &r->cases[0].fit[0];
	assert_true(f->refitted);
	assert_true(f->differs);
	if (fabs((double)(f->found - stored)) > REFIT_TOLERANCE * stored)
		fail_msg("s3: %s=%lld is stored, %lld is found: see 'chargeline reproduce --refit'",
			 f->fit->name, (long long)stored, (long long)f->found);
	reproduce_free(r);
}

/* by arithmetic, and a search on the base against the row that arithmetic was made on; "published"
 * is what the model gives for three levels */
static void two_numbers_on_two_rows(void **state)
{
	struct bench_published_row rows[] = {
		{.name = "free", .sets = "charging=off", .value = {1000, 1000}, .change = NAN},
		{.name = "charged", .sets = "batch=1", .base = true},
		{NULL}};
	struct bench_published_case c = *bench_published_find("s0");
	struct reproduction *r;

	c.rows = rows;
	c.nr_workers = 4;
	c.sets = "uncharge=other_cpu,layout=packed_5_19,slot_layout=single,protection=off";
	c.fit[0] = (struct bench_fit){"work_ns", 500, "x", .on = "free", .per_value = 500e3};
	c.fit[1] = (struct bench_fit){"depth", 3, "x", .on = "charged", .lo = 1, .hi = 6};
	r = predict(&c, false);
	assert_true(r->cases[0].rows[0].predicted > 5);
	rows[1].value[0] = rows[1].value[1] = 1000 / (1 + r->cases[0].rows[0].predicted / 100);
	reproduce_free(r);
	c.fit[0].value = 900;
	c.fit[1].value = 6;
	r = predict(&c, true);
	assert_int_equal(r->cases[0].fit[0].found, 500);
	assert_true(r->cases[0].fit[1].refitted);
	assert_int_equal(r->cases[0].fit[1].found, 3);
	assert_true(r->cases[0].fit[0].differs && r->cases[0].fit[1].differs);
	reproduce_free(r);
}

static void what_cannot_be_fitted_is_said(void **state)
{
	struct bench_published_case c = *bench_published_find("s3");
	const struct bench_published_case *one = &c;
	struct reproduction *r = NULL;
	struct err err = ERR_INIT;

	c.fit[0].on = NULL;
	assert_false(reproduce_can_refit(&c));
	assert_refused(reproduce_predict(&r, &one, 1, true, NULL, &err), -EINVAL,
		       "case s3 has nothing to fit", &err);
	c = *bench_published_find("s3");
	c.nr_workers = 161;
	assert_refused(reproduce_predict(&r, &one, 1, false, NULL, &err), -EINVAL,
		       "has 161 workers, but its machine icx-8380 has 160 CPUs", &err);
	c = *bench_published_find("s3");
	c.model = "icx-8830";
	assert_refused(reproduce_predict(&r, &one, 1, false, NULL, &err), -EINVAL,
		       "nearest is 'icx-8380'", &err);
	/* out of reach: no error, the number has no value and a reason */
	c = *bench_published_find("s3");
	c.fit[0].lo = 5000;
	r = predict(&c, true);
	assert_false(r->cases[0].fit[0].refitted);
	assert_non_null(strstr(r->cases[0].fit[0].why, "44.88 is not between"));
	reproduce_free(r);
}

static bool stop_at_once(void *ctx, const char *what, int nr_done, int nr)
{
	return true;
}

static void stopped_is_absent(void **state)
{
	const struct reproduce_progress progress = {.tell = stop_at_once};
	const struct bench_published_case *all[] = {bench_published_find("s2"),
						    bench_published_find("s3")};
	struct reproduction *r = NULL;
	struct err err = ERR_INIT;
	int i, k, absent = 0;

	assert_int_equal(reproduce_predict(&r, all, 2, true, &progress, &err), 1);
	for (i = 0; i < r->nr; i++)
		for (k = 0; k < r->cases[i].nr_rows; k++)
			if (isnan(r->cases[i].rows[k].predicted)) {
				absent++;
				assert_non_null(strstr(r->cases[i].rows[k].predicted_why,
						       "stopped before"));
			}
	assert_true(absent > 0);
	reproduce_free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(at_most_two_numbers_on_two_rows),
		cmocka_unit_test(a_prediction_knows_only_the_sets),
		cmocka_unit_test(figures_are_what_the_header_says),
		cmocka_unit_test(errors_are_defined_for_every_figure),
		cmocka_unit_test(a_case_becomes_rows),
		cmocka_unit_test(a_stored_fit_is_found_again),
		cmocka_unit_test(two_numbers_on_two_rows),
		cmocka_unit_test(what_cannot_be_fitted_is_said),
		cmocka_unit_test(stopped_is_absent),
	};

	return run_tests(tests);
}
