/* SPDX-License-Identifier: MIT */
/* What counts as one value of a comparison: a window, a run, or a run of a pair. */
#include "compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare_private.h"

struct start {
	const char *when;
	int run;
};

static int by_start(const void *pa, const void *pb)
{
	const struct start *a = pa, *b = pb;
	int d = strcmp(a->when, b->when);

	return d ? d : a->run - b->run;
}

static int rank_runs(const struct compare *c, int side, int *rank, struct start *order)
{
	int i, nr = c->nr_runs[side];

	for (i = 0; i < nr; i++)
		order[i] = (struct start){c->runs[side][i].started, i};
	qsort(order, nr, sizeof(*order), by_start);
	for (i = 0; i < nr; i++)
		rank[order[i].run] = i;
	return nr;
}

static bool one_host(const struct compare *c)
{
	const char *host = c->runs[0][0].facts[FACT_HOST];
	int side, i;

	for (side = 0; side < 2; side++)
		for (i = 0; i < c->nr_runs[side]; i++)
			if (!*host || strcmp(c->runs[side][i].facts[FACT_HOST], host))
				return false;
	return true;
}

/* for every k: the k-th of both sides start before the next of either */
static bool taken_in_turn(const struct start *a, const struct start *b, int nr)
{
	const char *last, *next;
	int i;

	for (i = 0; i + 1 < nr; i++) {
		last = strcmp(a[i].when, b[i].when) > 0 ? a[i].when : b[i].when;
		next = strcmp(a[i + 1].when, b[i + 1].when) < 0 ? a[i + 1].when : b[i + 1].when;
		if (strcmp(last, next) >= 0)
			return false;
	}
	return true;
}

int compare_choose_unit(struct compare *c)
{
	struct start *order[2] = {calloc(c->nr_runs[0], sizeof(struct start)),
				  calloc(c->nr_runs[1], sizeof(struct start))};
	int side, nr[2] = {0}, rc = 0;

	for (side = 0; side < 2; side++) {
		c->rank[side] = calloc(c->nr_runs[side], sizeof(*c->rank[side]));
		if (!order[side] || !c->rank[side])
			rc = -ENOMEM;
		else
			nr[side] = rank_runs(c, side, c->rank[side], order[side]);
	}
	if (!rc && nr[0] >= COMPARE_MIN_RUNS && nr[1] >= COMPARE_MIN_RUNS) {
		c->unit = COMPARE_RUNS;
		if (nr[0] == nr[1] && one_host(c) && taken_in_turn(order[0], order[1], nr[0]))
			c->unit = COMPARE_PAIRED_RUNS;
	}
	free(order[0]);
	free(order[1]);
	return rc;
}

/* the finite values of figure @which among the windows from..to */
static int finite_values(const struct compare_case *k, const struct compare_data *d, int which,
			 int from, int to, double *x)
{
	int i, nr = 0;
	double v;

	for (i = from; i < to; i++) {
		v = d->v[(size_t)i * compare_stride(k) + which];
		if (isfinite(v))
			x[nr++] = v;
	}
	return nr;
}

/* one value a window, or one a run; windows of a run are next to each other */
static int take_side(const struct compare *c, const struct compare_case *k, int side, int which,
		     struct compare_values *v)
{
	const struct compare_data *d = &k->side[side];
	double *x = malloc((d->nr + 1) * sizeof(*x)), median;
	int *rank = malloc((d->nr + 1) * sizeof(*rank)), from, to, n, nr = 0;

	v->x[side] = x;
	v->rank[side] = rank;
	if (!x || !rank)
		return -ENOMEM;
	for (from = 0; from < d->nr; from = to) {
		for (to = from + 1; to < d->nr && d->run[to] == d->run[from]; to++)
			;
		n = finite_values(k, d, which, from, to, x + nr);
		if (c->unit == COMPARE_WINDOWS) {
			nr += n;
		} else if (n) {
			median = stats_median(x + nr, n);
			rank[nr] = c->rank[side][d->run[from]];
			x[nr++] = median;
		}
	}
	v->nr[side] = nr;
	return 0;
}

struct ranked {
	double x;
	int rank;
};

static int by_rank(const void *a, const void *b)
{
	return ((const struct ranked *)a)->rank - ((const struct ranked *)b)->rank;
}

static int sort_by_rank(struct compare_values *v, int side)
{
	struct ranked *r = malloc((v->nr[side] + 1) * sizeof(*r));
	int i;

	if (!r)
		return -ENOMEM;
	for (i = 0; i < v->nr[side]; i++)
		r[i] = (struct ranked){v->x[side][i], v->rank[side][i]};
	qsort(r, v->nr[side], sizeof(*r), by_rank);
	for (i = 0; i < v->nr[side]; i++) {
		v->x[side][i] = r[i].x;
		v->rank[side][i] = r[i].rank;
	}
	free(r);
	return 0;
}

/* keeps the runs that both sides have a value of */
static void keep_pairs(struct compare_values *v)
{
	int i = 0, k = 0, n = 0;

	while (i < v->nr[0] && k < v->nr[1]) {
		if (v->rank[0][i] < v->rank[1][k]) {
			i++;
		} else if (v->rank[0][i] > v->rank[1][k]) {
			k++;
		} else {
			v->x[0][n] = v->x[0][i++];
			v->x[1][n++] = v->x[1][k++];
		}
	}
	v->nr[0] = v->nr[1] = n;
}

void compare_free_values(struct compare_values *v)
{
	int side;

	for (side = 0; side < 2; side++) {
		free(v->x[side]);
		free(v->rank[side]);
	}
}

int compare_take(const struct compare *c, const struct compare_case *k, int which,
		 struct compare_values *v)
{
	int side, rc = 0;

	*v = (struct compare_values){0};
	for (side = 0; side < 2 && !rc; side++)
		rc = take_side(c, k, side, which, v);
	if (c->unit != COMPARE_PAIRED_RUNS)
		return rc;
	for (side = 0; side < 2 && !rc; side++)
		rc = sort_by_rank(v, side);
	if (!rc)
		keep_pairs(v);
	return rc;
}
