/* SPDX-License-Identifier: MIT */
#include "published.h"

#include <math.h>
#include <string.h>

static const struct estimate nothing = {.lo = -INFINITY, .hi = INFINITY};

int figures_of(const struct bench_published_case *c, const struct bench_published_row *row,
	       enum figure *out)
{
	int nr = 0;

	if (c->count)
		out[nr++] = FIGURE_COUNT;
	out[nr++] = c->kind == BENCH_RATES ? FIGURE_CHANGE : FIGURE_SHARE;
	if (c->kind == BENCH_SHARES && !row->base && isfinite(row->change))
		out[nr++] = FIGURE_FACTOR;
	return nr;
}

void figure_published(const struct bench_published_case *c, const struct bench_published_row *row,
		      enum figure figure, double published[2])
{
	published[0] = published[1] = NAN;
	if (figure == FIGURE_CHANGE)
		published[0] = published[1] = row->change;
	else if (figure == FIGURE_FACTOR)
		published[0] = published[1] = 1 + row->change / 100;
	else if (figure == FIGURE_SHARE)
		memcpy(published, row->value, sizeof(row->value));
}

/* @figure of a ratio of rates */
static void of_ratio(enum figure figure, struct estimate *e)
{
	if (figure == FIGURE_FACTOR || !e->n)
		return;
	e->mid = 100 * (e->mid - 1);
	e->lo = 100 * (e->lo - 1);
	e->hi = 100 * (e->hi - 1);
}

/* what is left of the workers' time when the local work of all operations is taken away */
static void of_rate(const struct seen *row, struct estimate *e)
{
	double work = (double)row->work_ns / 1e9 / row->nr_workers, lo = e->lo;

	if (!e->n)
		return;
	e->mid = 100 * (1 - e->mid * work);
	e->lo = 100 * (1 - e->hi * work);
	e->hi = 100 * (1 - lo * work);
}

static int find_metric(const struct bench_published_case *c)
{
	const struct experiment *exp = experiment_find(c->experiment, NULL);
	int i;

	for (i = 0; exp && exp->metrics && exp->metrics[i].name; i++)
		if (!strcmp(exp->metrics[i].name, c->count))
			return i;
	return -1;
}

static int count(const struct bench_published_case *c, const struct seen *row, struct estimate *out)
{
	int i = find_metric(c);

	return i < 0 ? 0 : series_value(row->s, SERIES_METRICS + i, out);
}

int figure_seen(const struct bench_published_case *c, enum figure figure, const struct seen *row,
		const struct seen *base, struct estimate *out, const char **why)
{
	int rc = 0;

	*out = nothing;
	*why = "";
	if (!row->s || !row->s->nr_valid) {
		*why = series_absent(row->s);
		return 0;
	}
	if (figure == FIGURE_COUNT) {
		*why = "not counted in this case";
		rc = count(c, row, out);
	} else if (figure == FIGURE_SHARE) {
		*why = "a share needs local work: with work_ns=0 all time is spent in charges";
		if (row->work_ns)
			rc = series_rate(row->s, out);
		of_rate(row, out);
	} else {
		*why = base->s && base->s->nr_valid
			       ? "no undisturbed windows of one and the same block"
			       : "the base row has no number";
		rc = series_ratio(row->s, base->s, out);
		of_ratio(figure, out);
	}
	if (out->n)
		*why = "";
	return rc;
}

double figure_error(enum figure figure, const double published[2], double predicted)
{
	if (figure == FIGURE_FACTOR)
		return 100 * (predicted / published[0] - 1);
	if (predicted < published[0])
		return predicted - published[0];
	if (predicted > published[1])
		return predicted - published[1];
	return isnan(predicted) || isnan(published[0]) ? NAN : 0;
}
