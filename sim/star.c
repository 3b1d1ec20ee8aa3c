/* SPDX-License-Identifier: MIT */
#include "star.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats.h"

#define FREE	     1e-9 /* weight of the wish for 0: none, but what is not determined stays at 0 */
#define LEFT_OUT     INFINITY
#define MIN_OBS	     10	  /* fewer: the constants of the classes */
#define NR_FOLDS     5	  /* parts that are predicted from the rest */
#define NOISE_FLOOR  0.03 /* of the value: gross errors only, few pairs bend to every residual */
#define BISQUARE     4.685
#define HUBER_ROUNDS 2
#define TRY_ROUNDS   4
#define ALL_ROUNDS   8

/* how strongly the three are drawn to 0, in observations */
struct pulls {
	double legs, own, entries;
};

/* none; each kind by itself; kinds much alike, and more so */
static const struct pulls leg_pulls[] = {
	{LEFT_OUT, LEFT_OUT, 0}, {FREE, FREE, 0}, {0.03, 0.3, 0}, {0.1, 1, 0}};
static const double entry_pulls[] = {LEFT_OUT, 0.1, FREE};
#define NR_LEG_PULLS   ((int)(sizeof(leg_pulls) / sizeof(leg_pulls[0])))
#define NR_ENTRY_PULLS ((int)(sizeof(entry_pulls) / sizeof(entry_pulls[0])))

struct problem {
	const struct star *s;
	const struct star_obs *obs;
	const int *part; /* of each observation; the part @without is not fitted */
	int nr, nr_x, without;
	struct pulls pulls;
	double *weight, *residual, *sorted, *x;
	double *b, *diag, *r, *z, *p, *ap;
};

double star_at(const struct star *s, const double *x, const struct star_obs *o)
{
	double v = x[o->class];
	int i;

	for (i = 0; i < 2 && s->nr_legs; i++)
		v += x[star_legs(s) + o->leg[i]];
	for (i = 0; i < 2 && s->nr_own; i++)
		v += x[star_own(s) + o->own[i]];
	if (s->nr_entries)
		v += x[star_entries(s) + o->entry];
	return v;
}

static void add_to(const struct star *s, double *x, const struct star_obs *o, double v)
{
	int i;

	x[o->class] += v;
	for (i = 0; i < 2 && s->nr_legs; i++)
		x[star_legs(s) + o->leg[i]] += v;
	for (i = 0; i < 2 && s->nr_own; i++)
		x[star_own(s) + o->own[i]] += v;
	if (s->nr_entries)
		x[star_entries(s) + o->entry] += v;
}

static double pull_of(const struct problem *q, int i)
{
	if (i < star_legs(q->s))
		return FREE;
	if (i < star_own(q->s))
		return q->pulls.legs;
	return i < star_entries(q->s) ? q->pulls.own : q->pulls.entries;
}

/* out = (sum of w o o' + pulls) in; what is left out stays at 0 */
static void apply(const struct problem *q, const double *in, double *out)
{
	int i;

	for (i = 0; i < q->nr_x; i++)
		out[i] = isinf(pull_of(q, i)) ? 0 : pull_of(q, i) * in[i];
	for (i = 0; i < q->nr; i++)
		if (q->weight[i] > 0)
			add_to(q->s, out, &q->obs[i], q->weight[i] * star_at(q->s, in, &q->obs[i]));
	for (i = 0; i < q->nr_x; i++)
		if (isinf(pull_of(q, i)))
			out[i] = 0;
}

static double dot(const double *a, const double *b, int nr)
{
	double sum = 0;
	int i;

	for (i = 0; i < nr; i++)
		sum += a[i] * b[i];
	return sum;
}

static void right_side(struct problem *q)
{
	double w;
	int i;

	memset(q->b, 0, sizeof(*q->b) * q->nr_x);
	for (i = 0; i < q->nr_x; i++)
		q->diag[i] = pull_of(q, i);
	for (i = 0; i < q->nr; i++) {
		w = q->weight[i];
		add_to(q->s, q->b, &q->obs[i], w * q->obs[i].v);
		add_to(q->s, q->diag, &q->obs[i], w);
	}
	for (i = 0; i < q->nr_x; i++)
		if (isinf(pull_of(q, i)))
			q->b[i] = 0;
}

/* conjugate gradients on the normal equations, from where x is, until the residual is @small */
static void solve(struct problem *q, double small)
{
	double rz, last, alpha, first;
	int i, step;

	right_side(q);
	apply(q, q->x, q->ap);
	for (i = 0; i < q->nr_x; i++) {
		q->r[i] = q->b[i] - q->ap[i];
		q->p[i] = q->z[i] = q->r[i] / q->diag[i];
	}
	rz = dot(q->r, q->z, q->nr_x);
	for (first = 0, i = 0; i < q->nr_x; i++)
		first += q->b[i] * q->b[i] / q->diag[i];
	for (step = 0; step < 2 * q->nr_x && rz > small * small * first; step++) {
		apply(q, q->p, q->ap);
		alpha = rz / dot(q->p, q->ap, q->nr_x);
		for (i = 0; i < q->nr_x; i++) {
			q->x[i] += alpha * q->p[i];
			q->r[i] -= alpha * q->ap[i];
			q->z[i] = q->r[i] / q->diag[i];
		}
		last = rz;
		rz = dot(q->r, q->z, q->nr_x);
		for (i = 0; i < q->nr_x; i++)
			q->p[i] = q->z[i] + rz / last * q->p[i];
	}
}

/* Huber's weights first, since a median of residuals means little while outliers bend the fit */
static void reweigh(struct problem *q, int round)
{
	double scale, value, u;
	int i, n = 0;

	for (i = 0; i < q->nr; i++) {
		q->residual[i] = q->obs[i].v - star_at(q->s, q->x, &q->obs[i]);
		if (q->part[i] != q->without)
			q->sorted[n++] = fabs(q->residual[i]);
	}
	scale = 1.4826 * stats_median(q->sorted, n);
	for (i = 0; i < q->nr; i++) {
		value = fabs(q->obs[i].v - q->residual[i]);
		u = fabs(q->residual[i]) / fmax(scale, NOISE_FLOOR * value);
		if (q->part[i] == q->without)
			q->weight[i] = 0;
		else if (round <= HUBER_ROUNDS)
			q->weight[i] = u > 1 ? 1 / u : 1;
		else
			q->weight[i] = u < BISQUARE ? pow(1 - pow(u / BISQUARE, 2), 2) : 0;
	}
}

/* where a fit begins, and what a class of which nothing is fitted keeps */
static void class_medians(struct problem *q)
{
	double middle;
	int c, i, n;

	memset(q->x, 0, sizeof(*q->x) * q->nr_x);
	for (i = 0, n = 0; i < q->nr; i++)
		if (q->part[i] != q->without)
			q->sorted[n++] = q->obs[i].v;
	middle = stats_median(q->sorted, n);
	for (c = 0; c < q->s->nr_classes; c++) {
		for (i = 0, n = 0; i < q->nr; i++)
			if (q->obs[i].class == c && q->part[i] != q->without)
				q->sorted[n++] = q->obs[i].v;
		q->x[c] = n ? stats_median(q->sorted, n) : middle;
	}
}

static void fit(struct problem *q, const struct pulls *pulls, int rounds, double small)
{
	int round, i;

	q->pulls = *pulls;
	for (i = 0; i < q->nr; i++)
		q->weight[i] = q->part[i] != q->without;
	class_medians(q);
	for (round = 1; round <= rounds; round++) {
		solve(q, small);
		if (round < rounds)
			reweigh(q, round);
	}
}

/* mean absolute error of what was not fitted, summed over the parts */
static double error_of(struct problem *q, const struct pulls *pulls)
{
	double sum = 0;
	int i;

	for (q->without = 0; q->without < NR_FOLDS; q->without++) {
		fit(q, pulls, TRY_ROUNDS, 1e-5);
		for (i = 0; i < q->nr; i++)
			if (q->part[i] == q->without)
				sum += fabs(q->obs[i].v - star_at(q->s, q->x, &q->obs[i]));
	}
	return sum / q->nr;
}

static struct pulls choose(struct problem *q)
{
	struct pulls best = leg_pulls[0], pulls;
	double least = INFINITY, error;
	int i, k;

	best.entries = LEFT_OUT;
	for (i = 0; i < NR_LEG_PULLS && q->nr >= MIN_OBS; i++) {
		for (k = 0; k < NR_ENTRY_PULLS; k++) {
			pulls = leg_pulls[i];
			pulls.entries = entry_pulls[k];
			if ((i && !q->s->nr_legs) || (k && !q->s->nr_entries))
				continue;
			error = error_of(q, &pulls);
			if (error < least) {
				least = error;
				best = pulls;
			}
		}
	}
	q->without = NR_FOLDS;
	return best;
}

/* the mean of a side belongs to the classes that end there */
static void centre_sides(const struct star *s, double *x, int first, int nr_legs, const int *side,
			 const int (*class_side)[2], double *mean)
{
	int c, i, k, nr;

	for (k = 0; k < s->nr_sides; k++) {
		mean[k] = nr = 0;
		for (i = 0; i < nr_legs; i++) {
			mean[k] += side[i] == k ? x[first + i] : 0;
			nr += side[i] == k;
		}
		mean[k] = nr ? mean[k] / nr : 0;
	}
	for (i = 0; i < nr_legs; i++)
		x[first + i] -= mean[side[i]];
	for (c = 0; c < s->nr_classes && nr_legs; c++)
		x[c] += mean[class_side[c][0]] + mean[class_side[c][1]];
}

static void centre(const struct star *s, double *x, double *mean)
{
	double *entry = x + star_entries(s), sum;
	int c, i, nr;

	centre_sides(s, x, star_legs(s), s->nr_legs, s->leg_side, s->class_leg_side, mean);
	centre_sides(s, x, star_own(s), s->nr_own, s->own_side, s->class_own_side, mean);
	for (c = 0; c < s->nr_classes && s->nr_entries; c++) {
		sum = nr = 0;
		for (i = 0; i < s->nr_entries; i++) {
			sum += s->entry_class[i] == c ? entry[i] : 0;
			nr += s->entry_class[i] == c;
		}
		for (i = 0; i < s->nr_entries; i++)
			entry[i] -= s->entry_class[i] == c ? sum / nr : 0;
		x[c] += nr ? sum / nr : 0;
	}
}

/* every fifth by a shuffle that is the same each time */
static void deal(int *part, int nr)
{
	uint64_t rng = 1;
	int i, k, tmp;

	for (i = 0; i < nr; i++) {
		k = stats_rng_below(&rng, i + 1);
		tmp = i % NR_FOLDS;
		part[i] = part[k];
		part[k] = tmp;
	}
}

int star_fit(struct star *s, const struct star_obs *obs, int nr)
{
	int nr_x = star_entries(s) + s->nr_entries;
	struct problem q = {.s = s, .obs = obs, .nr = nr, .nr_x = nr_x};
	double *room = calloc(7 * (size_t)nr_x + 3 * (size_t)nr + s->nr_sides, sizeof(*room));
	int *part = calloc((size_t)nr + 1, sizeof(*part));
	double **of_x[] = {&q.x, &q.b, &q.diag, &q.r, &q.z, &q.p, &q.ap};
	double **of_obs[] = {&q.weight, &q.residual, &q.sorted}, *at = room;
	struct pulls pulls;
	size_t i;

	if (!room || !part) {
		free(room);
		free(part);
		return -ENOMEM;
	}
	for (i = 0; i < sizeof(of_x) / sizeof(of_x[0]); i++, at += nr_x)
		*of_x[i] = at;
	for (i = 0; i < sizeof(of_obs) / sizeof(of_obs[0]); i++, at += nr)
		*of_obs[i] = at;
	deal(part, nr);
	q.part = part;
	pulls = choose(&q);
	fit(&q, &pulls, ALL_ROUNDS, 1e-13);
	s->legs = !isinf(pulls.legs);
	s->table = !isinf(pulls.entries);
	centre(s, q.x, at);
	s->x = realloc(room, sizeof(*room) * nr_x); /* x lies first */
	free(part);
	return 0;
}
