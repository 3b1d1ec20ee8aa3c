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

#include <math.h>
#include <stdint.h>

/* An estimate with its two-sided 95% interval. n is the number of values behind it. */
struct estimate {
	double mid, lo, hi;
	int n;
};

#define STATS_CONFIDENCE    0.95
#define STATS_MIN_N	    5 /* fewer values: a median, but no interval (lo = -inf, hi = +inf) */
#define STATS_MAX_RESAMPLED 200

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
 * About 0.1 ms for 30 values. Over STATS_MAX_RESAMPLED values it is the two order statistics that
 * hold the median by the binomial distribution in at least 95% of the cases, whatever the values are
 * distributed like, and the seed does nothing: 1000 values need no resampling to be sure. For
 * n < STATS_MIN_N the interval is infinite: too few values can exclude nothing. Returns 0, or with @out untouched -EINVAL for n <= 0, -ENOMEM.
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

/*
 * stats_medians_ratio_ci - the ratio of two medians, median(a) / median(b), of values that do not
 * pair. Both medians get their interval by stats_median_ci() on logarithms; the two are combined as
 * the squares of their distances to the middle (MOVER: Zou, Donner 2008, Stat. Med. 27), so a / b
 * and b / a give reciprocal answers. Values that are not > 0 and finite are left out; out->n is the
 * smaller of the two numbers that remain, and under STATS_MIN_N the interval is infinite. -EINVAL
 * when one side has nothing, -ENOMEM.
 */
int stats_medians_ratio_ci(const double *a, int na, const double *b, int nb, uint64_t seed,
			   struct estimate *out);

/* --------------------------------------------------------- is there a difference?
 *
 * Two-sided p-values. Exact, ties included, while there are at most STATS_EXACT_N values: all ways
 * to deal the ranks are counted, and p is twice the smaller tail, at most 1. Above, the normal
 * approximation with corrections for ties and for continuity. All values alike: p is 1. Infinite
 * values are in order; NaN is not allowed. Return 0, -EINVAL for a side without values, -ENOMEM.
 */
#define STATS_EXACT_N 24

/* Mann and Whitney's U of @a: the pairs in which a is larger, and half of those that tie */
int stats_mann_whitney(const double *a, int na, const double *b, int nb, double *u, double *p);

/*
 * Wilcoxon's signed ranks of differences @d, the pairs' a - b: *w is the rank sum of those over 0.
 * Differences of 0 say nothing and are left out; none left: p is 1.
 */
int stats_signed_rank(const double *d, int n, double *w, double *p);

/*
 * stats_holm - p-values of @n rows, corrected for being @n (Holm 1979), in place
 * Who takes rows under 0.05 is wrong in any of them in at most 5% of the cases. 0 or -ENOMEM.
 */
int stats_holm(double *p, int n);

/* ---------------------------------------------------------------- fairness */

/* values >= 0 seen so far: start from STATS_SPREAD_INIT */
struct stats_spread {
	double sum, squares, slowest, fastest;
	int n;
};

#define STATS_SPREAD_INIT            \
	{                            \
		0, 0, INFINITY, 0, 0 \
	}

static inline void stats_spread_add(struct stats_spread *s, double x)
{
	s->sum += x;
	s->squares += x * x;
	s->slowest = x < s->slowest ? x : s->slowest;
	s->fastest = x > s->fastest ? x : s->fastest;
	s->n++;
}

/* Jain's fairness index: 1 all equal, 1/n one has all; 0 if all are 0 */
static inline double stats_jain(const struct stats_spread *s)
{
	return s->squares > 0 ? s->sum * s->sum / (s->n * s->squares) : 0;
}

#endif
