/* SPDX-License-Identifier: MIT */
/* The statistics of a comparison: p-values, intervals, verdicts. */
#include "compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare_private.h"
#include "format.h"

#define SEED 0x636f6d70617265 /* of every bootstrap: the same files give the same comparison */

struct maker {
	struct compare *c;
	const struct compare_case **cases; /* of each row */
	double *p;			   /* of all figures of one kind, for Holm */
	int nr_p;
};

/* ------------------------------------------------------------------------ p-values */

static double relative_sd(const double *x, int n)
{
	double mean = n ? stats_mean(x, n) : 0;

	return n > 1 && mean > 0 ? stats_sd(x, n) / mean : NAN;
}

/* a pair in which nothing got done is -100% or its opposite, larger than all others */
static double log_ratio(double b, double a)
{
	if (a > 0 && b > 0)
		return log(b) - log(a);
	return a == b ? 0 : b > a ? INFINITY : -INFINITY;
}

/* *sign: where B stands beside A */
static int p_value(const struct maker *m, const struct compare_values *v, double *p, int *sign)
{
	int i, rc, na = v->nr[0], nb = v->nr[1];
	double *d, at, middle;

	if (m->c->unit != COMPARE_PAIRED_RUNS) {
		rc = stats_mann_whitney(v->x[1], nb, v->x[0], na, &at, p);
		middle = (double)na * nb / 2;
	} else {
		d = malloc(na * sizeof(*d));
		if (!d)
			return -ENOMEM;
		for (middle = 0, i = 0; i < na; i++) {
			d[i] = log_ratio(v->x[1][i], v->x[0][i]);
			middle += d[i] != 0;
		}
		middle = middle * (middle + 1) / 4;
		rc = stats_signed_rank(d, na, &at, p);
		free(d);
	}
	*sign = rc ? 0 : (at > middle) - (at < middle);
	return rc;
}

static int first_pass(struct maker *m, const struct compare_case *k, int which,
		      struct compare_figure *f)
{
	struct compare_values v;
	int side, sign, rc = compare_take(m->c, k, which, &v);

	*f = (struct compare_figure){.p = NAN, .p_holm = NAN};
	for (side = 0; side < 2 && !rc; side++) {
		f->n[side] = v.nr[side];
		f->median[side] = v.nr[side] ? stats_median(v.x[side], v.nr[side]) : NAN;
		f->stddev[side] = relative_sd(v.x[side], v.nr[side]);
	}
	if (!rc && v.nr[0] >= STATS_MIN_N && v.nr[1] >= STATS_MIN_N) {
		rc = p_value(m, &v, &f->p, &sign);
		m->p[m->nr_p++] = f->p;
	}
	compare_free_values(&v);
	return rc;
}

/* ------------------------------------------------------------------------ verdicts */

/* the least p that so many values can have */
static double least_p(const struct maker *m, const struct compare_figure *f)
{
	int n = f->n[0] + f->n[1], sign;

	if (m->c->unit == COMPARE_PAIRED_RUNS)
		return ldexp(2, -f->n[0]);
	if (n > STATS_EXACT_N)
		return 0;
	return 2 * exp(lgamma_r(f->n[0] + 1, &sign) + lgamma_r(f->n[1] + 1, &sign) -
		       lgamma_r(n + 1, &sign));
}

static bool has_zero(const struct compare_values *v)
{
	int side, i;

	for (side = 0; side < 2; side++)
		for (i = 0; i < v->nr[side]; i++)
			if (!(v->x[side][i] > 0))
				return true;
	return false;
}

static int ratio_of(const struct maker *m, const struct compare_values *v, struct compare_figure *f)
{
	int rc;

	if (!(f->median[0] > 0) || !(f->median[1] > 0))
		return 0;
	if (m->c->unit == COMPARE_PAIRED_RUNS)
		rc = stats_ratio_ci(v->x[1], v->x[0], v->nr[0], SEED, &f->ratio);
	else
		rc = stats_medians_ratio_ci(v->x[1], v->nr[1], v->x[0], v->nr[0], SEED, &f->ratio);
	return rc == -EINVAL ? 0 : rc;
}

static void judge(const struct maker *m, const struct compare_values *v, int sign,
		  struct compare_figure *f)
{
	f->verdict = COMPARE_NONE_SEEN;
	if (isnan(f->p) || least_p(m, f) * m->nr_p > COMPARE_ERROR)
		f->verdict = COMPARE_CANNOT_TELL;
	if (isnan(f->p_holm) || f->p_holm >= COMPARE_ERROR)
		return;
	/* the ratio leaves out zeros: with any of them the ranks alone decide */
	if (!has_zero(v)) {
		if (f->ratio.lo <= 1 && f->ratio.hi >= 1)
			return;
		sign = f->ratio.mid > 1 ? 1 : -1;
	}
	f->verdict = sign > 0 ? COMPARE_FASTER : COMPARE_SLOWER;
}

static int second_pass(const struct maker *m, const struct compare_case *k, int which,
		       struct compare_figure *f)
{
	struct compare_values v;
	int sign = 0, rc = compare_take(m->c, k, which, &v);
	double p;

	/* nobody looks at the interval of a metric that does not differ */
	if (!rc && (!which || f->p_holm < COMPARE_ERROR))
		rc = ratio_of(m, &v, f);
	if (!rc && f->p_holm < COMPARE_ERROR)
		rc = p_value(m, &v, &p, &sign);
	if (!rc)
		judge(m, &v, sign, f);
	compare_free_values(&v);
	return rc;
}

static void judge_row(struct compare_row *row, double fail_over)
{
	const struct compare_figure *f = &row->rate;
	double ratio = f->ratio.n && !row->nr_zero[0] && !row->nr_zero[1]
			       ? f->ratio.mid
			       : f->median[1] / f->median[0];

	row->regression = f->verdict == COMPARE_SLOWER && ratio < 1 - fail_over;
}

/* ------------------------------------------------------------------------ all rows */

static int nr_zeros(const struct compare_case *k, int side)
{
	const struct compare_data *d = &k->side[side];
	int i, nr = 0;

	for (i = 0; i < d->nr; i++)
		nr += !(d->v[(size_t)i * compare_stride(k)] > 0);
	return nr;
}

static int add_rows(struct maker *m)
{
	struct compare *c = m->c;
	struct compare_row *row;
	int i, side;

	c->rows = calloc(c->nr_cases + 1, sizeof(*c->rows));
	m->cases = calloc(c->nr_cases + 1, sizeof(*m->cases));
	if (!c->rows || !m->cases)
		return -ENOMEM;
	for (i = 0; i < c->nr_cases; i++) {
		if (!c->cases[i]->side[0].seen || !c->cases[i]->side[1].seen)
			continue;
		m->cases[c->nr_rows] = c->cases[i];
		row = &c->rows[c->nr_rows++];
		row->c = &c->cases[i]->c;
		row->other_cpus = c->cases[i]->other_cpus;
		row->metrics = calloc(row->c->nr_metrics + 1, sizeof(*row->metrics));
		if (!row->metrics)
			return -ENOMEM;
		for (side = 0; side < 2; side++) {
			row->nr_marked[side] = c->cases[i]->side[side].nr_marked;
			row->nr_zero[side] = nr_zeros(c->cases[i], side);
		}
	}
	return 0;
}

/* figures first..last-1 of every row: 0 the rate, from 1 on metrics */
static struct compare_figure *figure(struct compare_row *row, int which)
{
	return which ? &row->metrics[which - 1] : &row->rate;
}

static int make_figures(struct maker *m, bool metrics)
{
	struct compare *c = m->c;
	int i, w, last, at = 0, rc = 0;
	struct compare_figure *f;

	m->nr_p = 0;
	for (i = 0; i < c->nr_rows && !rc; i++) {
		last = metrics ? c->rows[i].c->nr_metrics : 0;
		for (w = metrics; w <= last && !rc; w++)
			rc = first_pass(m, m->cases[i], w, figure(&c->rows[i], w));
	}
	if (!rc)
		rc = stats_holm(m->p, m->nr_p);
	for (i = 0; i < c->nr_rows && !rc; i++) {
		last = metrics ? c->rows[i].c->nr_metrics : 0;
		for (w = metrics; w <= last && !rc; w++) {
			f = figure(&c->rows[i], w);
			if (!isnan(f->p))
				f->p_holm = m->p[at++];
			rc = second_pass(m, m->cases[i], w, f);
		}
	}
	return rc;
}

static int make_rows(struct maker *m)
{
	struct compare *c = m->c;
	int i, nr = 1, rc = add_rows(m);

	for (i = 0; i < c->nr_rows; i++)
		nr += 1 + c->rows[i].c->nr_metrics;
	m->p = malloc(nr * sizeof(*m->p));
	if (!m->p)
		return -ENOMEM;
	if (!rc)
		rc = make_figures(m, false);
	if (!rc)
		rc = make_figures(m, true);
	for (i = 0; i < c->nr_rows && !rc; i++)
		judge_row(&c->rows[i], c->fail_over);
	return rc;
}

static void answer(struct compare *c)
{
	int i, slower = 0, silent = 0;
	char over[FORMAT_MAX];

	format_percent(over, c->fail_over);
	for (i = 0; i < c->nr_rows; i++) {
		slower += c->rows[i].regression;
		silent += c->rows[i].rate.verdict == COMPARE_CANNOT_TELL;
	}
	if (!c->nr_rows)
		snprintf(c->sentence, sizeof(c->sentence),
			 "Nothing can be compared: no case is on both sides.");
	else if (slower)
		snprintf(c->sentence, sizeof(c->sentence),
			 "Regression: B is slower than A by more than %s in %d of %d cases.", over,
			 slower, c->nr_rows);
	else if (silent == c->nr_rows)
		snprintf(c->sentence, sizeof(c->sentence),
			 "Cannot tell: in none of %d cases do both sides have enough undisturbed "
			 "windows.",
			 c->nr_rows);
	else if (silent)
		snprintf(c->sentence, sizeof(c->sentence),
			 "No regression over %s is seen in the %d of %d cases that tell.", over,
			 c->nr_rows - silent, c->nr_rows);
	else
		snprintf(c->sentence, sizeof(c->sentence),
			 "No regression over %s is seen in %d case%s.", over, c->nr_rows,
			 c->nr_rows == 1 ? "" : "s");
}

int compare_make(struct compare *c, double fail_over, struct err *err)
{
	struct maker m = {.c = c};
	int rc;

	if (!c->nr_runs[0] || !c->nr_runs[1])
		return err_set(err, -EINVAL, "side %c has no result that can be used",
			       c->nr_runs[0] ? 'B' : 'A');
	c->fail_over = fail_over;
	rc = compare_choose_unit(c);
	if (!rc)
		rc = make_rows(&m);
	if (!rc)
		rc = compare_warn(c);
	if (!rc)
		answer(c);
	free(m.cases);
	free(m.p);
	return rc ? err_set(err, rc, "out of memory") : 0;
}
