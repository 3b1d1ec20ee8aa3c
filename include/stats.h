/* SPDX-License-Identifier: MIT */
/*
 * stats.h - medians and intervals: how sure a number is
 *
 * All functions are pure: same input, same output to the bit (the bootstrap draws from its own
 * generator, seeded by the caller). NaN never comes out of finite input; absent is said by the
 * return value. No function changes its input arrays.
 *
 * Threads: any number of calls at once.
 */
#ifndef CHARGELINE_STATS_H
#define CHARGELINE_STATS_H

#include <stdint.h>

/* An estimate with its two-sided 95% interval. n is the number of values behind it. */
struct estimate {
	double mid, lo, hi;
	int n;
};

#define STATS_CONFIDENCE 0.95
#define STATS_MIN_N	 5 /* fewer values: a median, but no interval (lo = -inf, hi = +inf) */

/* splitmix64 (Steele, Lea, Flood 2014): one step, and an unbiased number below @n (n > 0) */
uint64_t stats_rng(uint64_t *state);
uint64_t stats_rng_below(uint64_t *state, uint64_t n);

/* median of @n > 0 values; the mean of the middle two when n is even */
double stats_median(const double *x, int n);

/* p in [0, 1], linear between order statistics (R type 7, numpy's default), n > 0 */
double stats_quantile(const double *x, int n, double p);

/* sample mean and standard deviation (n - 1); sd is 0 for n == 1 */
double stats_mean(const double *x, int n);
double stats_sd(const double *x, int n);

/*
 * stats_median_ci - the median with a bootstrap interval
 * Percentiles of the medians of 1000 resamples, widened for few values as Student's t is (the plain
 * ones would hold the true median of 7 values in 87.5% of the cases; these in 94-98%, from 5 up).
 * About 0.1 ms for 30 values. For n < STATS_MIN_N the interval is infinite: too few values can
 * exclude nothing. Returns 0, or with @out untouched -EINVAL for n <= 0, -ENOMEM.
 */
int stats_median_ci(const double *x, int n, uint64_t seed, struct estimate *out);

/*
 * stats_ratio_ci - the median of paired ratios a[i] / b[i], with its interval
 * The pairs are windows of the same block, so drift that hits both cancels. All values > 0;
 * pairs with a value that is not are left out, out->n is what remains. The work is done on
 * logarithms, so a / b and b / a give reciprocal answers, and of an even number of pairs the middle
 * is the geometric mean of two. Errors as above (no usable pair: -EINVAL).
 */
int stats_ratio_ci(const double *a, const double *b, int n, uint64_t seed, struct estimate *out);

/* half the width of the interval relative to its middle: 0.02 means +-2%; infinite for n < 5 and
 * when the middle is 0 */
double stats_rel_halfwidth(const struct estimate *e);

/* Jain's fairness index of @n > 0 values >= 0: 1 all equal, 1/n one has all; 0 if all are 0 */
double stats_jain(const double *x, int n);

/* the same from the sum of the values and of their squares, for who has added them up anyway */
static inline double stats_jain_sums(double sum, double squares, int n)
{
	return squares > 0 ? sum * sum / (n * squares) : 0;
}

#endif
