/* SPDX-License-Identifier: MIT */
#include "stats.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ranked.h"

#define NR_RESAMPLES 1000

uint64_t stats_rng(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}

/* Lemire 2019: the high half of a 128-bit product, the few uneven low halves drawn again */
uint64_t stats_rng_below(uint64_t *state, uint64_t n)
{
	unsigned __int128 m = (unsigned __int128)stats_rng(state) * n;

	if ((uint64_t)m < n)
		while ((uint64_t)m < -n % n)
			m = (unsigned __int128)stats_rng(state) * n;
	return m >> 64;
}

/* ------------------------------------------------------------ order statistics */

/* doubles as integers that sort the same way */
static uint64_t sort_key(double x)
{
	uint64_t bits;

	memcpy(&bits, &x, sizeof(bits));
	return bits >> 63 ? ~bits : bits | 1ULL << 63;
}

static double from_key(uint64_t key)
{
	uint64_t bits = key >> 63 ? key & ~(1ULL << 63) : ~key;
	double x;

	memcpy(&x, &bits, sizeof(x));
	return x;
}

/*
 * The values at places k and k + 1 in sorted order (the same twice when k is the last). Bisection
 * over the keys: no copy of the input, so nothing that can fail, and at most 64 passes.
 */
static void order_statistics(const double *x, int n, int k, double *at, double *next)
{
	uint64_t lo = UINT64_MAX, hi = 0, mid, key, above = UINT64_MAX;
	int i, count;

	for (i = 0; i < n; i++) {
		key = sort_key(x[i]);
		lo = key < lo ? key : lo;
		hi = key > hi ? key : hi;
	}
	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		for (count = 0, i = 0; i < n; i++)
			count += sort_key(x[i]) <= mid;
		if (count > k)
			hi = mid;
		else
			lo = mid + 1;
	}
	for (count = 0, i = 0; i < n; i++) {
		key = sort_key(x[i]);
		if (key <= lo)
			count++;
		else if (key < above)
			above = key;
	}
	*at = from_key(lo);
	*next = count > k + 1 || count == n ? *at : from_key(above);
}

/* between a <= b; without a difference, which could overflow */
static double between(double a, double b, double part)
{
	return a == b || part == 0 ? a : a * (1 - part) + b * part;
}

double stats_quantile(const double *x, int n, double p)
{
	double h = (n - 1) * fmin(fmax(p, 0), 1), a, b;
	int k = (int)h;

	order_statistics(x, n, k, &a, &b);
	return between(a, b, h - k);
}

double stats_median(const double *x, int n)
{
	return stats_quantile(x, n, 0.5);
}

/* ------------------------------------------------------------------------ mean */

double stats_mean(const double *x, int n)
{
	double sum = 0;
	int i;

	for (i = 0; i < n; i++)
		sum += x[i];
	return sum / n;
}

double stats_sd(const double *x, int n)
{
	double mean = stats_mean(x, n), sum = 0;
	int i;

	if (n < 2)
		return 0;
	for (i = 0; i < n; i++)
		sum += (x[i] - mean) * (x[i] - mean);
	return sqrt(sum / (n - 1));
}

/* ------------------------------------------------------------------- bootstrap */

/*
 * The median of n draws with replacement. The draws are counted per rank, so that no resample has
 * to be sorted. A draw names a place in the input, not a rank: then the draws for -x mirror those
 * for x, and so do the intervals.
 */
static double resampled_median(const struct ranked *sorted, const int *rank, int *count, int n,
			       uint64_t *rng)
{
	int i, r, seen = 0, below = (n - 1) / 2;
	double lower;

	memset(count, 0, n * sizeof(*count));
	for (i = 0; i < n; i++)
		count[rank[stats_rng_below(rng, n)]]++;
	for (r = 0; (seen += count[r]) <= below; r++)
		;
	lower = sorted[r].value;
	while (seen <= n / 2)
		seen += count[++r];
	return between(lower, sorted[r].value, 0.5);
}

/*
 * The tail to cut on each side. The plain percentile interval is too narrow for few values (it
 * holds the median of 7 values in 87.5% of the cases); Hesterberg 2015, "What Teachers Should Know
 * About the Bootstrap", 5.3 widens it as Student's t does. t after Abramowitz and Stegun 26.7.5.
 */
static double tail(int n)
{
	double z = 1.959963984540054; /* of STATS_CONFIDENCE */
	double z2 = z * z, f = n - 1, t;

	t = z + z * (z2 + 1) / (4 * f) + z * ((5 * z2 + 16) * z2 + 3) / (96 * f * f) +
	    z * (((3 * z2 + 19) * z2 + 17) * z2 - 15) / (384 * f * f * f);
	return erfc(t * sqrt(n / f) / M_SQRT2) / 2;
}

static int bootstrap(const double *x, int n, uint64_t seed, struct estimate *out)
{
	struct ranked *sorted = malloc(n * sizeof(*sorted));
	int *rank = malloc(2 * (size_t)n * sizeof(*rank));
	double medians[NR_RESAMPLES];
	int i, rc = -ENOMEM;

	if (!sorted || !rank)
		goto out;
	for (i = 0; i < n; i++)
		sorted[i] = (struct ranked){x[i], i};
	qsort(sorted, n, sizeof(*sorted), ranked_by_value);
	for (i = 0; i < n; i++)
		rank[sorted[i].idx] = i;
	for (i = 0; i < NR_RESAMPLES; i++)
		medians[i] = resampled_median(sorted, rank, rank + n, n, &seed);
	out->lo = stats_quantile(medians, NR_RESAMPLES, tail(n));
	out->hi = stats_quantile(medians, NR_RESAMPLES, 1 - tail(n));
	rc = 0;
out:
	free(sorted);
	free(rank);
	return rc;
}

/*
 * How many of n order statistics to leave out at each end: P(k <= X <= n - k) of X ~ Binomial(n, 1/2)
 * is summed from the middle outwards, about 2 sqrt(n) terms.
 */
static int outside(int n)
{
	int k = n / 2, sign;
	double p = exp(lgamma_r(n + 1.0, &sign) - lgamma_r(k + 1.0, &sign) -
		       lgamma_r(n - k + 1.0, &sign) - n * M_LN2);
	double mass = n % 2 ? 2 * p : p;

	while (mass < STATS_CONFIDENCE && k > 1) {
		k--;
		p *= (k + 1.0) / (n - k);
		mass += 2 * p;
	}
	return k - 1;
}

static void order_interval(const double *x, int n, struct estimate *out)
{
	int k = outside(n);
	double next;

	order_statistics(x, n, k, &out->lo, &next);
	order_statistics(x, n, n - 1 - k, &out->hi, &next);
}

int stats_median_ci(const double *x, int n, uint64_t seed, struct estimate *out)
{
	struct estimate e = {.lo = -INFINITY, .hi = INFINITY, .n = n};
	int rc = 0;

	if (n <= 0)
		return -EINVAL;
	e.mid = stats_median(x, n);
	if (n > STATS_MAX_RESAMPLED)
		order_interval(x, n, &e);
	else if (n >= STATS_MIN_N)
		rc = bootstrap(x, n, seed, &e);
	if (!rc)
		*out = e;
	return rc;
}

static struct estimate from_logs(const struct estimate *e)
{
	return (struct estimate){exp(e->mid), isinf(e->lo) ? e->lo : exp(e->lo), exp(e->hi), e->n};
}

int stats_ratio_ci(const double *a, const double *b, int n, uint64_t seed, struct estimate *out)
{
	struct estimate e;
	double *logs;
	int i, nr = 0, rc;

	if (n <= 0)
		return -EINVAL;
	logs = malloc(n * sizeof(*logs));
	if (!logs)
		return -ENOMEM;
	for (i = 0; i < n; i++)
		if (a[i] > 0 && b[i] > 0 && isfinite(a[i]) && isfinite(b[i]))
			logs[nr++] = log(a[i]) - log(b[i]);
	rc = stats_median_ci(logs, nr, seed, &e);
	free(logs);
	if (!rc)
		*out = from_logs(&e);
	return rc;
}

static int log_median_ci(const double *x, int n, uint64_t seed, struct estimate *out)
{
	double *logs;
	int i, nr = 0, rc;

	if (n <= 0)
		return -EINVAL;
	logs = malloc(n * sizeof(*logs));
	if (!logs)
		return -ENOMEM;
	for (i = 0; i < n; i++)
		if (x[i] > 0 && isfinite(x[i]))
			logs[nr++] = log(x[i]);
	rc = stats_median_ci(logs, nr, seed, out);
	free(logs);
	return rc;
}

int stats_medians_ratio_ci(const double *a, int na, const double *b, int nb, uint64_t seed,
			   struct estimate *out)
{
	struct estimate ea, eb, e;
	int rc = log_median_ci(a, na, seed, &ea);

	if (!rc)
		rc = log_median_ci(b, nb, seed, &eb);
	if (rc)
		return rc;
	e.n = ea.n < eb.n ? ea.n : eb.n;
	e.mid = ea.mid - eb.mid;
	e.lo = e.mid - hypot(ea.mid - ea.lo, eb.hi - eb.mid);
	e.hi = e.mid + hypot(ea.hi - ea.mid, eb.mid - eb.lo);
	*out = from_logs(&e);
	return 0;
}

double stats_rel_halfwidth(const struct estimate *e)
{
	if (e->n < STATS_MIN_N || e->mid == 0)
		return INFINITY;
	return (e->hi - e->lo) / 2 / fabs(e->mid);
}
