/* SPDX-License-Identifier: MIT */
/* Rank tests, Holm, and the intervals of many values, against scipy and R and against their promise. */
#include "test.h"

#include <math.h>

#include "stats.h"

#define NR(a) ((int)(sizeof(a) / sizeof((a)[0])))

static void assert_near(double got, double want, double tolerance)
{
	if (!(fabs(got - want) <= tolerance * fmax(1, fabs(want))))
		fail_msg("got %.17g, want %.17g", got, want);
}

/*
 * From scipy 1.10.1, Debian's python3-scipy: mannwhitneyu(method='exact' and 'asymptotic') and
 * wilcoxon(mode='exact', and 'approx' with correction). The exact ones with ties, which scipy does
 * not have, are counts over itertools.combinations and product of scipy's rankdata.
 */
static const double a5[] = {100.001, 100.299, 99.726, 99.109, 99.545};
static const double b6[] = {100.008, 101.06, 102.34, 100.508, 100.38, 101.49};
static const double a12[] = {100.357, 100.105, 99.07, 99.971, 100.695, 98.656,
			     99.542,  98.099,  98.71, 98.158, 99.765,  98.733};
static const double b12[] = {101.271, 101.157, 100.813, 98.483,	 100.461, 100.951,
			     101.113, 99.47,   100.522, 100.021, 100.191, 102.061};
static const double a30[] = {99.192,  99.967,  100.884, 99.416,	 99.888,  100.11, 100.064, 98.775,
			     100.076, 101.359, 98.453,	100.859, 100.119, 99.359, 102.0,   100.762,
			     98.801,  100.075, 100.577, 99.811,	 100.683, 99.933, 100.667, 101.439,
			     99.324,  100.203, 99.537,	100.127, 98.813,  99.421};
static const double b20[] = {100.404, 101.499, 101.745, 99.276,	 99.805,  101.247, 98.608,
			     100.137, 100.503, 101.857, 101.289, 100.273, 100.231, 100.35,
			     102.124, 100.172, 100.296, 100.953, 100.479, 100.403};
static const double t9[] = {1, 2, 2, 3, 3, 3, 4, 5, 5}, u7[] = {2, 3, 4, 4, 5, 6, 6};
static const double t20[] = {8, 10, 9, 12, 11, 10, 11, 9, 12, 10, 11, 7, 11, 7, 6, 9, 8, 10, 14, 8};
static const double u16[] = {10, 11, 12, 11, 11, 12, 12, 9, 11, 11, 9, 12, 9, 13, 11, 11};

static void test_mann_whitney(void **state)
{
	static const struct {
		const double *a, *b;
		int na, nb;
		double u, p;
	} stored[] = {
		{a5, b6, 5, 6, 1, 0.008658008658008658},
		{a12, b12, 12, 12, 23, 0.0036366245142661893},
		{t9, u7, 9, 7, 17.5, 0.15524475524475526},
		{a30, b20, 30, 20, 178, 0.0161256809429352},
		{t20, u16, 20, 16, 90.5, 0.024923043445054485},
	};
	double u, p;
	int i;

	for (i = 0; i < NR(stored); i++) {
		assert_int_equal(stats_mann_whitney(stored[i].a, stored[i].na, stored[i].b,
						    stored[i].nb, &u, &p),
				 0);
		assert_near(u, stored[i].u, 0);
		assert_near(p, stored[i].p, 1e-9);
		assert_int_equal(stats_mann_whitney(stored[i].b, stored[i].nb, stored[i].a,
						    stored[i].na, &u, &p),
				 0);
		assert_near(u, (double)stored[i].na * stored[i].nb - stored[i].u, 0);
		assert_near(p, stored[i].p, 1e-9);
	}
}

static void test_signed_rank(void **state)
{
	static const double ties[] = {1, 1, -1, 2, 2, -3, 0, 4, 5, 5, -2};
	double d[30], w, p;
	int i;

	for (i = 0; i < 12; i++)
		d[i] = a12[i] - b12[i];
	assert_int_equal(stats_signed_rank(d, 12, &w, &p), 0);
	assert_near(w, 7, 0);
	assert_near(p, 0.00927734375, 1e-9);
	assert_int_equal(stats_signed_rank(ties, 11, &w, &p), 0);
	assert_near(w, 41, 0);
	assert_near(p, 0.19140625, 1e-9);
	for (i = 0; i < 30; i++)
		d[i] = round(1000 * (a30[i] - b20[i % 20])) / 1000;
	assert_int_equal(stats_signed_rank(d, 30, &w, &p), 0);
	assert_near(w, 108, 0);
	assert_near(p, 0.010757652306210433, 1e-9);
	for (i = 0; i < 28; i++)
		d[i] = t20[i % 20] - u16[i % 16];
	assert_int_equal(stats_signed_rank(d, 28, &w, &p), 0); /* 25 of them are not 0 */
	assert_near(w, 75.5, 0);
	assert_near(p, 0.0187683175038343, 1e-9);
}

static void test_nothing_to_tell(void **state)
{
	static const double same[40] = {0}, big[] = {INFINITY, 1}, small[] = {-INFINITY, 0};
	double x = -1, p = -1;
	int n;

	for (n = 1; n <= 40; n++) {
		assert_int_equal(stats_mann_whitney(same, n, same, n, &x, &p), 0);
		assert_near(p, 1, 0);
		assert_near(x, n * n / 2.0, 0);
		assert_int_equal(stats_signed_rank(same, n, &x, &p), 0);
		assert_near(p, 1, 0);
	}
	assert_int_equal(stats_mann_whitney(big, 2, small, 2, &x, &p), 0);
	assert_near(p, 1 / 3.0, 1e-12);
	x = p = -1;
	assert_int_equal(stats_mann_whitney(same, 0, same, 1, &x, &p), -EINVAL);
	assert_int_equal(stats_mann_whitney(same, 1, same, 0, &x, &p), -EINVAL);
	assert_int_equal(stats_signed_rank(same, 0, &x, &p), -EINVAL);
	assert_int_equal(stats_medians_ratio_ci(same, 3, a5, 5, 1, &(struct estimate){0}), -EINVAL);
	assert_true(x == -1 && p == -1);
}

/* p.adjust(x, "holm") of R 4.2.2, Debian's r-base-core */
static void test_holm(void **state)
{
	static const double want[] = {0.07, 0.12, 0.15, 0.16, 0.04, 1, 0.16, 1};
	double p[] = {0.01, 0.02, 0.03, 0.04, 0.005, 0.5, 0.04, 0.9}, none = 1;
	int i;

	assert_int_equal(stats_holm(p, NR(p)), 0);
	for (i = 0; i < NR(p); i++)
		assert_near(p[i], want[i], 1e-9);
	assert_int_equal(stats_holm(&none, 0), 0);
}

/* ------------------------------------------------------------------- intervals */

static double uniform(uint64_t *rng)
{
	return (stats_rng(rng) >> 11) * 0x1p-53;
}

static double normal(uint64_t *rng)
{
	double u = uniform(rng), v = uniform(rng);

	return sqrt(-2 * log(1 - u)) * cos(2 * M_PI * v);
}

/* scipy's binom.ppf(0.025, n, 0.5) values are below the lower end, and as many above the upper */
static void test_order_statistics(void **state)
{
	static const struct {
		int n, k;
	} stored[] = {{201, 87}, {1000, 469}, {10000, 4902}, {20001, 9862}};
	double *x = malloc(20001 * sizeof(*x));
	struct estimate e;
	int i, k, n;

	assert_non_null(x);
	for (i = 0; i < NR(stored); i++) {
		n = stored[i].n;
		for (k = 0; k < n; k++)
			x[k] = (k * 7919LL) % n + 1; /* 1..n: 7919 is prime */
		assert_int_equal(stats_median_ci(x, n, 1, &e), 0);
		assert_near(e.lo, stored[i].k, 0);
		assert_near(e.hi, n + 1 - stored[i].k, 0);
		assert_near(e.mid, (n + 1) / 2.0, 0);
		assert_int_equal(e.n, n);
	}
	free(x);
}

/* how many of 400 experiments have the truth inside; a lopsided distribution, median 1.25 times 1 */
static int covered(int na, int nb)
{
	double a[600], b[600];
	uint64_t rng = na * 1000 + nb;
	struct estimate e;
	int round, i, hits = 0;

	for (round = 0; round < 400; round++) {
		for (i = 0; i < na; i++)
			a[i] = 1.25 * exp(0.05 * fabs(normal(&rng)));
		for (i = 0; i < nb; i++)
			b[i] = exp(0.05 * fabs(normal(&rng)));
		if (!na) {
			assert_int_equal(stats_median_ci(b, nb, round, &e), 0);
			hits += e.lo <= exp(0.05 * 0.67448975) && exp(0.05 * 0.67448975) <= e.hi;
			continue;
		}
		assert_int_equal(stats_medians_ratio_ci(a, na, b, nb, round, &e), 0);
		hits += e.lo <= 1.25 && 1.25 <= e.hi;
	}
	return hits;
}

static void test_coverage(void **state)
{
	static const int sizes[][2] = {{0, 201}, {0, 500}, {5, 5},    {7, 20},
				       {20, 20}, {40, 40}, {20, 500}, {300, 600}};
	int i, hits;

	for (i = 0; i < NR(sizes); i++) {
		hits = covered(sizes[i][0], sizes[i][1]);
		if (hits < 372 || hits > 398)
			fail_msg("%d and %d values: truth inside in %d of 400", sizes[i][0],
				 sizes[i][1], hits);
	}
}

static void test_ratio_of_medians(void **state)
{
	double bad[] = {2, 0, 2, NAN, 2, 2, INFINITY, 2}, ones[] = {1, 1, 1, 1, 1};
	struct estimate ab, ba;

	assert_int_equal(stats_medians_ratio_ci(a30, 30, b20, 20, 3, &ab), 0);
	assert_int_equal(stats_medians_ratio_ci(b20, 20, a30, 30, 3, &ba), 0);
	assert_near(ab.mid * ba.mid, 1, 1e-12);
	assert_near(ab.lo * ba.hi, 1, 1e-12);
	assert_near(ab.hi * ba.lo, 1, 1e-12);
	assert_true(ab.lo < ab.mid && ab.mid < ab.hi && ab.n == 20);
	assert_int_equal(stats_medians_ratio_ci(bad, 8, ones, 5, 1, &ab), 0);
	assert_true(ab.n == 5 && ab.lo == 2 && ab.hi == 2 && ab.mid == 2);
	assert_int_equal(stats_medians_ratio_ci(bad, 8, ones, 4, 1, &ab), 0);
	assert_true(ab.n == 4 && isinf(ab.lo) && ab.lo < 0 && isinf(ab.hi) && ab.mid == 2);
}

int main(void)
{
	const struct CMUnitTest ranks[] = {
		cmocka_unit_test(test_mann_whitney),	 cmocka_unit_test(test_signed_rank),
		cmocka_unit_test(test_nothing_to_tell),	 cmocka_unit_test(test_holm),
		cmocka_unit_test(test_order_statistics), cmocka_unit_test(test_coverage),
		cmocka_unit_test(test_ratio_of_medians),
	};

	return run_tests(ranks);
}
