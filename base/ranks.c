/* SPDX-License-Identifier: MIT */
/*
 * Rank tests. Ranks are doubled, so that those of ties, a mean of two neighbours, stay whole; the
 * exact distribution of their sum is then a count of subsets.
 */
#include "stats.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ranked.h"

/* doubled mid-ranks into the ints @rank; *ties: the sum of t^3 - t. 0 or -ENOMEM */
static int rank_all(const double *x, int n, int *rank, double *ties)
{
	struct ranked *r = malloc(n * sizeof(*r));
	int i, k, end;
	double t;

	if (!r)
		return -ENOMEM;
	for (i = 0; i < n; i++)
		r[i] = (struct ranked){x[i], i};
	qsort(r, n, sizeof(*r), ranked_by_value);
	*ties = 0;
	for (i = 0; i < n; i = end) {
		for (end = i + 1; end < n && r[end].value == r[i].value; end++)
			;
		for (k = i; k < end; k++)
			rank[r[k].idx] = i + 1 + end;
		t = end - i;
		*ties += t * t * t - t;
	}
	free(r);
	return 0;
}

/*
 * The chances of at most and of at least @sum for the sum of a subset of ranks, all subsets of
 * @size ranks being alike; @size < 0: of any size. 0 or -ENOMEM
 */
static int tails(const int *rank, int n, int size, int sum, double *below, double *above)
{
	int rows = size < 0 ? 1 : size + 1, width = n * (n + 1) + 1, i, k, s;
	double *ways = calloc((size_t)rows * width, sizeof(*ways)), *last, all = 0;

	if (!ways)
		return -ENOMEM;
	ways[0] = 1;
	for (i = 0; i < n; i++)
		for (k = size < 0 ? 0 : size; k >= (size < 0 ? 0 : 1); k--)
			for (s = width - 1; s >= rank[i]; s--)
				ways[k * width + s] +=
					ways[(size < 0 ? 0 : k - 1) * width + s - rank[i]];
	last = ways + (size_t)(rows - 1) * width;
	*below = *above = 0;
	for (s = 0; s < width; s++) {
		all += last[s];
		*below += s <= sum ? last[s] : 0;
		*above += s >= sum ? last[s] : 0;
	}
	*below /= all;
	*above /= all;
	free(ways);
	return 0;
}

static double two_sided(double below, double above)
{
	return fmin(1, 2 * fmin(below, above));
}

/* @from_mean is a whole or half number of steps of 1: half a step is the continuity correction */
static double normal_p(double from_mean, double variance)
{
	double z;

	if (!(variance > 0))
		return 1;
	z = fmax(fabs(from_mean) - 0.5, 0) / sqrt(variance);
	return fmin(1, erfc(z / M_SQRT2));
}

int stats_mann_whitney(const double *a, int na, const double *b, int nb, double *u, double *p)
{
	double *all, ties, below, above, n = (double)na + nb, product = (double)na * nb;
	int *rank, i, rc = -ENOMEM;
	int64_t sum = 0;

	if (na <= 0 || nb <= 0)
		return -EINVAL;
	all = malloc((na + (size_t)nb) * sizeof(*all));
	rank = malloc((na + (size_t)nb) * sizeof(*rank));
	if (!all || !rank)
		goto out;
	memcpy(all, a, na * sizeof(*a));
	memcpy(all + na, b, nb * sizeof(*b));
	rc = rank_all(all, na + nb, rank, &ties);
	for (i = 0; !rc && i < na; i++)
		sum += rank[i];
	*u = sum / 2.0 - na * (na + 1.0) / 2;
	if (!rc && na + nb <= STATS_EXACT_N) {
		rc = tails(rank, na + nb, na, (int)sum, &below, &above);
		*p = rc ? 1 : two_sided(below, above);
	} else if (!rc) {
		*p = normal_p(*u - product / 2, product / 12 * (n + 1 - ties / (n * (n - 1))));
	}
out:
	free(all);
	free(rank);
	return rc;
}

int stats_signed_rank(const double *d, int n, double *w, double *p)
{
	double *size, ties, below, above;
	int *rank, i, nr = 0, rc = -ENOMEM;
	int64_t sum = 0;

	if (n <= 0)
		return -EINVAL;
	size = malloc(n * sizeof(*size));
	rank = calloc(n, sizeof(*rank));
	if (!size || !rank)
		goto out;
	for (i = 0; i < n; i++)
		if (d[i] != 0)
			size[nr++] = fabs(d[i]);
	*p = 1;
	rc = nr ? rank_all(size, nr, rank, &ties) : 0;
	for (nr = 0, i = 0; !rc && i < n; i++) {
		if (d[i] > 0)
			sum += rank[nr];
		nr += d[i] != 0;
	}
	*w = sum / 2.0;
	if (!rc && nr && nr <= STATS_EXACT_N) {
		rc = tails(rank, nr, -1, (int)sum, &below, &above);
		*p = rc ? 1 : two_sided(below, above);
	} else if (!rc && nr) {
		*p = normal_p(*w - nr * (nr + 1.0) / 4,
			      nr * (nr + 1.0) * (2.0 * nr + 1) / 24 - ties / 48);
	}
out:
	free(size);
	free(rank);
	return rc;
}

int stats_holm(double *p, int n)
{
	struct ranked *r = malloc((n + 1) * sizeof(*r));
	double most = 0;
	int i;

	if (!r)
		return -ENOMEM;
	for (i = 0; i < n; i++)
		r[i] = (struct ranked){p[i], i};
	qsort(r, n, sizeof(*r), ranked_by_value);
	for (i = 0; i < n; i++) {
		most = fmax(most, fmin(1, r[i].value * (n - i)));
		p[r[i].idx] = most;
	}
	free(r);
	return 0;
}
