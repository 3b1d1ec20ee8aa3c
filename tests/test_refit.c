/* SPDX-License-Identifier: MIT */
/* The search for a fitted number: on figures of known shape, and what it says when it cannot. */
#include "../reports/refit.h"
#include "test.h"

#include <math.h>

struct curve {
	double (*f)(double x);
	int nr_points, nr_rounds, stop_at, fail_at;
	int64_t lo, hi, step;
};

static double falling(double x)
{
	return 100 / (1 + x / 300);
}

static double rising(double x)
{
	return x * x;
}

static double steps(double x)
{
	return x < 5 ? 1 : x < 9 ? 2 : 3;
}

static double flat(double x)
{
	return 7;
}

static int eval(void *ctx, const int64_t *x, int nr, double *f, struct err *err)
{
	struct curve *c = ctx;
	int i;

	assert_in_range(nr, 1, REFIT_POINTS);
	c->nr_rounds++;
	if (c->stop_at == c->nr_rounds)
		return 1;
	if (c->fail_at == c->nr_rounds)
		return err_set(err, -EUCLEAN, "it broke");
	for (i = 0; i < nr; i++) {
		assert_in_range(x[i], c->lo, c->hi);
		assert_int_equal((x[i] - c->lo) % (c->step ? c->step : 1), 0);
		f[i] = c->f(x[i]);
		c->nr_points++;
	}
	return 0;
}

static int search(struct curve *c, double target, int64_t *found, struct err *err)
{
	return refit_search(c->lo, c->hi, c->step, target, eval, c, found, err);
}

static void what_was_planted_is_found(void **state)
{
	static const int64_t planted[] = {1, 2, 3, 17, 150, 299, 5211, 77777, 99999, 100000};
	struct err err = ERR_INIT;
	struct curve c;
	int64_t found;
	size_t i;

	for (i = 0; i < sizeof(planted) / sizeof(planted[0]); i++) {
		c = (struct curve){.f = falling, .lo = 1, .hi = 100000};
		assert_ok(search(&c, falling(planted[i]), &found, &err), &err);
		assert_true(fabs((double)(found - planted[i])) <= 0.001 * planted[i]);
		assert_true(c.nr_points <= 40);
		c = (struct curve){.f = rising, .lo = 0, .hi = 100000};
		assert_ok(search(&c, rising(planted[i]), &found, &err), &err);
		assert_true(fabs((double)(found - planted[i])) <= 0.001 * planted[i]);
	}
}

/* small whole numbers, such as pages: each can be the answer, and none between them */
static void whole_numbers_are_exact(void **state)
{
	struct err err = ERR_INIT;
	struct curve c;
	int64_t found, n;

	for (n = 1; n <= 64; n++) {
		c = (struct curve){.f = rising, .lo = 1, .hi = 64};
		assert_ok(search(&c, rising(n) + (n < 64 ? 0.4 : 0), &found, &err), &err);
		assert_int_equal(found, n);
	}
	for (n = 8; n <= 64; n += 8) {
		c = (struct curve){.f = rising, .lo = 8, .hi = 64, .step = 8};
		assert_ok(search(&c, rising(n), &found, &err), &err);
		assert_int_equal(found, n);
	}
	c = (struct curve){.f = steps, .lo = 1, .hi = 20};
	assert_ok(search(&c, 2, &found, &err), &err);
	assert_int_equal(steps(found), 2);
}

static void what_cannot_be_is_said(void **state)
{
	struct curve c = {.f = falling, .lo = 1, .hi = 1000};
	struct err err = ERR_INIT;
	int64_t found = -1;

	assert_refused(search(&c, 1, &found, &err), -ERANGE,
		       "1 is not between what 1 and 1000 give: 99.67 and 23.08", &err);
	assert_refused(search(&c, NAN, &found, &err), -ERANGE, "nan is not between", &err);
	c = (struct curve){.f = flat, .lo = 1, .hi = 1000};
	assert_refused(search(&c, 8, &found, &err), -ERANGE, "7 and 7", &err);
	c = (struct curve){.f = falling, .lo = 1, .hi = 1000, .fail_at = 3};
	assert_refused(search(&c, 50, &found, &err), -EUCLEAN, "it broke", &err);
	c = (struct curve){.f = falling, .lo = 1, .hi = 1000, .stop_at = 2};
	assert_int_equal(search(&c, 50, &found, &err), 1);
	assert_int_equal(found, -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_planted_is_found),
		cmocka_unit_test(whole_numbers_are_exact),
		cmocka_unit_test(what_cannot_be_is_said),
	};

	return run_tests(tests);
}
