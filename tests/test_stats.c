/* SPDX-License-Identifier: MIT */
#include "test.h"

#include <math.h>
#include <stdbool.h>

#include "stats.h"

#define NR(a) ((int)(sizeof(a) / sizeof((a)[0])))

static void assert_near(double got, double want, double tolerance)
{
	if (!(fabs(got - want) <= tolerance * fmax(1, fabs(want))))
		fail_msg("got %.17g, want %.17g", got, want);
}

/* ------------------------------------- values from numpy 1.24.2, Debian's python3-numpy */

static const double five[] = {3.0, 1.0, 2.0, 10.0, 4.0};
static const double even[] = {4.0, -1.5, 2.25, 0.0};
static const double rates[] = {
	10000615.096, 10150493.955, 9863866.189, 9564472.965,  9775229.206,  9516268.096,
	10030117.062, 10693069.863, 9756900.391, 9694525.532,  10247944.978, 10180045.121,
	10052846.271, 9545422.219,  9985384.779, 10353765.321, 9349981.509,  9773789.921,
	9093173.398,  9375577.838,  9120260.261, 9883142.584,  9385939.475,  10136556.156,
	10078683.484, 9906969.96,   8817576.927, 9734248.578,  9975778.908,  10056815.283};
static const double negative[] = {-6.060272, -3.955507, -4.957038, -4.617674, -0.878203, -4.615069,
				  -3.065043, -1.23122,	-4.167201, -3.223404, -2.779072, -2.872436,
				  -5.450112, -2.84772,	-0.282353, -6.094289, -1.281235};
static const double ties[] = {2.0, 2.0, 2.0, 1.0, 1.0, 3.0, 3.0, 3.0, 3.0, 2.0};

static const double places[] = {0, 0.025, 0.25, 0.5, 0.9, 0.975, 1};

/* mean, std(ddof=1), quantile(places) */
static const struct {
	const double *x;
	int n;
	double mean, sd, quantiles[NR(places)];
} stored[] = {
	{five, 5, 4.0, 3.5355339059327378, {1.0, 1.1, 2.0, 3.0, 7.6, 9.4, 10.0}},
	{even, 4, 1.1875, 2.42706097986845, {-1.5, -1.3875, -0.375, 1.125, 3.475, 3.86875, 4.0}},
	{rates,
	 30,
	 9803315.377533333,
	 405728.3767601053,
	 {8817576.927, 9017384.368475, 9550184.9055, 9873504.3865, 10186835.1067, 10447074.07005,
	  10693069.863}},
	{negative,
	 17,
	 -3.43399105882353,
	 1.78858286935511,
	 {-6.094289, -6.0806822, -4.617674, -3.223404, -1.0900132, -0.520693, -0.282353}},
	{ties, 10, 2.2, 0.7888106377466155, {1.0, 1.0, 2.0, 2.0, 3.0, 3.0, 3.0}},
};

static void test_against_numpy(void **state)
{
	int i, k;

	for (i = 0; i < NR(stored); i++) {
		assert_near(stats_mean(stored[i].x, stored[i].n), stored[i].mean, 1e-9);
		assert_near(stats_sd(stored[i].x, stored[i].n), stored[i].sd, 1e-9);
		assert_near(stats_median(stored[i].x, stored[i].n), stored[i].quantiles[3], 1e-9);
		for (k = 0; k < NR(places); k++)
			assert_near(stats_quantile(stored[i].x, stored[i].n, places[k]),
				    stored[i].quantiles[k], 1e-9);
	}
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void test_quantile_by_sorting(void **state)
{
	double x[101], sorted[101] = {0};
	uint64_t rng = 3;
	int round, n, i, k;

	for (round = 0; round < 200; round++) {
		n = 1 + stats_rng_below(&rng, 101);
		for (i = 0; i < n; i++)
			x[i] = sorted[i] = (double)stats_rng_below(&rng, 40) - 20;
		qsort(sorted, n, sizeof(*sorted), by_value);
		for (k = 0; k < n; k++)
			assert_near(stats_quantile(x, n, n > 1 ? k / (n - 1.0) : 0), sorted[k],
				    1e-12);
	}
}

static void test_extremes_stay_numbers(void **state)
{
	static const double one[] = {42}, zeros[] = {0.0, -0.0, 0.0, -0.0, 0.0};
	static const double huge[] = {1.7e308, -1.7e308, 1.7e308, 1.6e308, 1.7e308, 1.6e308};
	struct estimate e;

	assert_near(stats_median(one, 1), 42, 0);
	assert_near(stats_quantile(one, 1, 0.9), 42, 0);
	assert_near(stats_sd(one, 1), 0, 0);
	assert_near(stats_median(huge, 6) / 1e308, 1.65, 1e-12);
	assert_false(isnan(stats_quantile(huge, 6, 0.1)) || isnan(stats_sd(huge, 6)));
	assert_int_equal(stats_median_ci(zeros, 5, 1, &e), 0);
	assert_near(e.mid, 0, 0);
	assert_near(e.hi - e.lo, 0, 0);
	assert_true(isinf(stats_rel_halfwidth(&e)));
}

/* ------------------------------------------------------------------- intervals */

static void test_few_values_exclude_nothing(void **state)
{
	double x[] = {3, 1, 2, 4}, y[] = {1, 1, 1, 1};
	struct estimate e;

	assert_int_equal(stats_median_ci(x, 4, 1, &e), 0);
	assert_near(e.mid, 2.5, 1e-12);
	assert_true(e.n == 4 && isinf(e.lo) && e.lo < 0 && isinf(e.hi) && e.hi > 0);
	assert_true(isinf(stats_rel_halfwidth(&e)));
	assert_int_equal(stats_ratio_ci(x, y, 4, 1, &e), 0);
	assert_near(e.mid, sqrt(6), 1e-12);
	assert_true(e.n == 4 && isinf(e.lo) && e.lo < 0 && isinf(e.hi) && e.hi > 0);
}

static void test_nothing_is_refused(void **state)
{
	static const double zero[] = {0, -1, NAN, INFINITY, 1};
	static const double b[] = {1, 1, 1, 1, 0};
	struct estimate e = {1, 2, 3, 4};

	assert_int_equal(stats_median_ci(b, 0, 1, &e), -EINVAL);
	assert_int_equal(stats_median_ci(b, -1, 1, &e), -EINVAL);
	assert_int_equal(stats_ratio_ci(zero, b, 5, 1, &e), -EINVAL);
	assert_int_equal(stats_ratio_ci(b, b, 0, 1, &e), -EINVAL);
	assert_true(e.mid == 1 && e.lo == 2 && e.hi == 3 && e.n == 4);
}

static void test_unusable_pairs_are_left_out(void **state)
{
	static const double a[] = {2, 0, 2, NAN, 2, 2, INFINITY, 2}, b[] = {1, 1, 1, 1, 1, 1, 1, 1};
	struct estimate e;

	assert_int_equal(stats_ratio_ci(a, b, 8, 1, &e), 0);
	assert_int_equal(e.n, 5);
	assert_near(e.mid, 2, 1e-12);
	assert_near(e.lo, 2, 1e-12);
	assert_near(e.hi, 2, 1e-12);
}

static void test_same_seed_same_bits(void **state)
{
	struct estimate a, b, c;
	double copy[30];

	memcpy(copy, rates, sizeof(copy));
	assert_int_equal(stats_median_ci(copy, 30, 99, &a), 0);
	assert_int_equal(stats_median_ci(copy, 30, 99, &b), 0);
	assert_int_equal(stats_median_ci(copy, 30, 100, &c), 0);
	assert_memory_equal(copy, rates, sizeof(copy));
	assert_memory_equal(&a.lo, &b.lo, sizeof(a.lo));
	assert_memory_equal(&a.hi, &b.hi, sizeof(a.hi));
	assert_true(a.lo <= a.mid && a.mid <= a.hi);
	assert_true(a.lo != c.lo || a.hi != c.hi);
}

/*
 * For odd n the bootstrap distribution of the median is known: P(median* <= k-th value) is the
 * chance that at least (n + 1) / 2 of n draws fall on the k lowest, Binomial(n, k / n). For n = 15
 * and the widened tail of 1.32% scipy's binom puts the ends on the 4th value and the 12th. For
 * n = 30 scipy.stats.bootstrap with 400000 resamples at confidence 1 - 2 * 1.875% gives 9694526 and
 * 10028715.
 */
static void test_interval_is_the_bootstrap(void **state)
{
	double sorted[15];
	struct estimate e;
	uint64_t seed;

	memcpy(sorted, rates, sizeof(sorted));
	qsort(sorted, 15, sizeof(*sorted), by_value);
	for (seed = 0; seed < 20; seed++) {
		assert_int_equal(stats_median_ci(rates, 15, seed, &e), 0);
		assert_near(e.mid, sorted[7], 0);
		assert_near(e.lo, sorted[3], 0.002);
		assert_near(e.hi, sorted[11], 0.002);
		assert_int_equal(stats_median_ci(rates, 30, seed, &e), 0);
		assert_near(e.lo, 9694525.532, 0.008);
		assert_near(e.hi, 10028715.1895, 0.008);
	}
}

static double normal(uint64_t *rng)
{
	double u = (stats_rng(rng) >> 11) * 0x1p-53, v = (stats_rng(rng) >> 11) * 0x1p-53;

	return sqrt(-2 * log(1 - u)) * cos(2 * M_PI * v);
}

/* how many of 300 experiments whose truth is known have it inside their interval */
static int covered(int n, bool ratio)
{
	double a[64], b[64], drift, truth = ratio ? 1.25 : 1e7;
	uint64_t rng = n + ratio;
	struct estimate e;
	int round, i, hits = 0;

	for (round = 0; round < 300; round++) {
		for (i = 0; i < n; i++) {
			drift = 1e7 * (1 + 0.01 * i); /* hits both of a pair alike */
			a[i] = exp(0.05 * normal(&rng)) * (ratio ? 1.25 * drift : 1e7);
			b[i] = exp(0.02 * normal(&rng)) * drift;
		}
		assert_int_equal(ratio ? stats_ratio_ci(a, b, n, round, &e)
				       : stats_median_ci(a, n, round, &e),
				 0);
		hits += e.lo <= truth && truth <= e.hi;
	}
	return hits;
}

static void test_coverage(void **state)
{
	static const int sizes[] = {5, 7, 10, 15, 30, 64};
	int i, ratio, hits;

	for (i = 0; i < NR(sizes); i++) {
		for (ratio = 0; ratio < 2; ratio++) {
			hits = covered(sizes[i], ratio);
			if (hits < 270 || hits > 297)
				fail_msg("n %d: truth inside in %d of 300", sizes[i], hits);
		}
	}
}

static void test_ratio_is_reciprocal(void **state)
{
	struct estimate ab, ba;
	double b[30];
	uint64_t rng = 5;
	int i, n;

	for (i = 0; i < 30; i++)
		b[i] = rates[i] / (1.5 + 0.1 * normal(&rng));
	for (n = 5; n <= 30; n++) {
		assert_int_equal(stats_ratio_ci(rates, b, n, n, &ab), 0);
		assert_int_equal(stats_ratio_ci(b, rates, n, n, &ba), 0);
		assert_near(ab.mid * ba.mid, 1, 1e-12);
		assert_near(ab.lo * ba.hi, 1, 1e-12);
		assert_near(ab.hi * ba.lo, 1, 1e-12);
		assert_true(ab.lo > 1.2 && ab.hi < 1.8 && ab.lo < ab.hi);
	}
}

static void test_rel_halfwidth(void **state)
{
	struct estimate e = {50, 49, 51, 10}, minus = {-50, -51, -49, 10}, few = {50, 49, 51, 4};

	assert_near(stats_rel_halfwidth(&e), 0.02, 1e-12);
	assert_near(stats_rel_halfwidth(&minus), 0.02, 1e-12);
	assert_true(isinf(stats_rel_halfwidth(&few)));
}

/* ----------------------------------------------------------------- the others */

static double jain(const double *x, int n)
{
	struct stats_spread s = STATS_SPREAD_INIT;
	int i;

	for (i = 0; i < n; i++)
		stats_spread_add(&s, x[i]);
	return stats_jain(&s);
}

static void test_spread(void **state)
{
	static const double equal[] = {5, 5, 5, 5}, one[] = {0, 0, 7, 0}, none[] = {0, 0, 0, 0};
	static const double two_one[] = {2, 1};
	struct stats_spread s = STATS_SPREAD_INIT;

	assert_near(jain(equal, 4), 1, 1e-12);
	assert_near(jain(one, 4), 0.25, 1e-12);
	assert_near(jain(none, 4), 0, 0);
	assert_near(jain(two_one, 2), 0.9, 1e-12);
	stats_spread_add(&s, 2);
	stats_spread_add(&s, 7);
	stats_spread_add(&s, 3);
	assert_true(s.slowest == 2 && s.fastest == 7 && s.sum == 12 && s.squares == 62 && s.n == 3);
}

static void test_rng(void **state)
{
	/* the first outputs of the published splitmix64.c for state 1234567 */
	static const uint64_t want[] = {6457827717110365317u, 3203168211198807973u,
					9817491932198370423u, 4593380528125082431u,
					16408922859458223821u};
	int counts[7] = {0}, i;
	uint64_t rng = 1234567;

	for (i = 0; i < NR(want); i++)
		assert_true(stats_rng(&rng) == want[i]);
	for (i = 0; i < 70000; i++)
		counts[stats_rng_below(&rng, 7)]++;
	for (i = 0; i < 7; i++)
		assert_in_range(counts[i], 9500, 10500);
	for (i = 0; i < 1000; i++) {
		assert_true(stats_rng_below(&rng, 1) == 0);
		assert_true(stats_rng_below(&rng, (1ULL << 63) + 1) <= 1ULL << 63);
	}
}

int main(void)
{
	const struct CMUnitTest stats[] = {
		cmocka_unit_test(test_against_numpy),
		cmocka_unit_test(test_quantile_by_sorting),
		cmocka_unit_test(test_extremes_stay_numbers),
		cmocka_unit_test(test_few_values_exclude_nothing),
		cmocka_unit_test(test_nothing_is_refused),
		cmocka_unit_test(test_unusable_pairs_are_left_out),
		cmocka_unit_test(test_same_seed_same_bits),
		cmocka_unit_test(test_interval_is_the_bootstrap),
		cmocka_unit_test(test_coverage),
		cmocka_unit_test(test_ratio_is_reciprocal),
		cmocka_unit_test(test_rel_halfwidth),
		cmocka_unit_test(test_spread),
		cmocka_unit_test(test_rng),
	};

	return run_tests(stats);
}
