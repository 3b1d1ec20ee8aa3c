/* SPDX-License-Identifier: MIT */
#include "reproduce.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model_runs.h"

/* -------------------------------------------------------------------------- the table */

static void name_row(struct reproduce_row *r, const struct bench_published_case *c)
{
	const char *kind = "";

	if (r->figure == FIGURE_SHARE)
		kind = "share";
	else if (r->figure == FIGURE_FACTOR)
		kind = "factor";
	else if (r->figure == FIGURE_COUNT)
		kind = c->count;
	snprintf(r->name, sizeof(r->name), "%s%s%s", r->row->name, *kind ? ": " : "", kind);
}

static void make_row(struct reproduce_row *r, const struct bench_published_case *c,
		     const struct bench_published_row *row, enum figure figure)
{
	*r = (struct reproduce_row){.row = row,
				    .figure = figure,
				    .predicted = NAN,
				    .error_points = NAN,
				    .fitted = bench_published_fitted(c, row)};
	r->measured = (struct estimate){.lo = -INFINITY, .hi = INFINITY};
	name_row(r, c);
	figure_published(c, row, figure, r->published);
	if (isnan(r->published[0]))
		snprintf(r->published_why, sizeof(r->published_why), "%s",
			 figure == FIGURE_COUNT ? "not published: it follows from the rules"
			 : row->note		? row->note
						: "not published");
	snprintf(r->measured_why, sizeof(r->measured_why), "not asked for");
}

static int make_case(struct reproduce_case *out, const struct model_case *m, struct err *err)
{
	const struct bench_published_case *c = m->c;
	const struct bench_published_row *row;
	enum figure figure[FIGURE_COUNT + 1];
	const struct param *p;
	int i, nr = 0;

	for (row = c->rows; row->name; row++)
		nr += figures_of(c, row, figure);
	*out = (struct reproduce_case){.c = c, .machine_cpus = m->profile->nr_cpus};
	snprintf(out->machine, sizeof(out->machine), "%s", m->profile->name);
	out->nr_workers = model_workers(m, bench_published_base(c));
	out->rows = calloc((size_t)nr, sizeof(*out->rows));
	if (!out->rows)
		return err_set(err, -ENOMEM, "out of memory");
	for (row = c->rows; row->name; row++)
		for (i = 0, nr = figures_of(c, row, figure); i < nr; i++)
			make_row(&out->rows[out->nr_rows++], c, row, figure[i]);
	for (i = 0; i < BENCH_PUBLISHED_FITS && c->fit[i].name; i++) {
		p = params_find(m->exp, c->fit[i].name, err);
		if (!p)
			return -EINVAL;
		out->fit[i].fit = &c->fit[i];
		snprintf(out->fit[i].unit, sizeof(out->fit[i].unit), "%s", p->unit);
		out->nr_fits++;
	}
	return 0;
}

/* ------------------------------------------------------------------- the model's column */

/* two runs for each row of the table: its own, and that of the base beside it */
static int add_runs(struct model_runs *runs, int *idx, const struct model_case *m,
		    const struct reproduce_case *rc, struct err *err)
{
	const struct bench_published_row *base = bench_published_base(m->c), *row;
	int i, workers;

	for (i = 0; i < rc->nr_rows; i++) {
		row = rc->rows[i].row;
		workers = model_workers(m, row);
		idx[2 * i] = model_add(runs, m, row, workers, NULL, err);
		idx[2 * i + 1] = model_add(runs, m, base, workers, NULL, err);
		if (idx[2 * i] < 0 || idx[2 * i + 1] < 0)
			return idx[2 * i] < 0 ? idx[2 * i] : idx[2 * i + 1];
	}
	return 0;
}

static int fill_row(struct reproduce_row *r, const struct bench_published_case *c,
		    const struct model_runs *runs, const int idx[2])
{
	const char *why = "stopped before it was predicted";
	struct estimate e = {0};
	struct seen row, base;
	bool done = model_seen(runs, idx[0], &row);
	int rc;

	done &= model_seen(runs, idx[1], &base);
	rc = done ? figure_seen(c, r->figure, &row, &base, &e, &why) : 0;
	r->predicted = e.n ? e.mid : NAN;
	r->error_points = figure_error(r->figure, r->published, r->predicted);
	snprintf(r->predicted_why, sizeof(r->predicted_why), "%s", why);
	if (isnan(r->error_points))
		snprintf(r->error_why, sizeof(r->error_why), "%s",
			 e.n ? "no published number" : "no prediction");
	return rc;
}

static int predict_cases(struct reproduction *r, struct model_case *m, bool refit,
			 const struct reproduce_progress *progress, struct err *err)
{
	struct model_runs runs = {0};
	int i, k, nr_rows = 0, at, stopped = 0, rc = 0, *idx;

	for (i = 0; i < r->nr; i++)
		nr_rows += r->cases[i].nr_rows;
	idx = calloc(2 * (size_t)nr_rows, sizeof(*idx));
	if (!idx)
		return err_set(err, -ENOMEM, "out of memory");
	for (i = 0, at = 0; i < r->nr && !rc; at += 2 * r->cases[i++].nr_rows)
		rc = add_runs(&runs, idx + at, &m[i], &r->cases[i], err);
	if (!rc)
		rc = stopped = model_do(&runs, "predicted", progress, err);
	for (i = 0, at = 0; i < r->nr && rc >= 0; i++)
		for (k = 0; k < r->cases[i].nr_rows && rc >= 0; k++, at += 2)
			if (fill_row(&r->cases[i].rows[k], r->cases[i].c, &runs, idx + at))
				rc = err_set(err, -ENOMEM, "out of memory");
	for (i = 0; i < r->nr && refit && !rc; i++)
		if (reproduce_can_refit(r->cases[i].c))
			rc = stopped = refit_case(&r->cases[i], &m[i], progress, err);
	model_free(&runs);
	free(idx);
	return rc < 0 ? rc : stopped;
}

static int open_case(struct reproduction *r, struct model_case *m,
		     const struct bench_published_case *c, struct err *err)
{
	int rc;

	if (r->refit && !reproduce_can_refit(c))
		return err_set(err, -EINVAL, "case %s has nothing to fit: no number of it is free",
			       c->name);
	rc = model_open(m, c, err);
	return rc ? rc : make_case(&r->cases[r->nr], m, err);
}

int reproduce_predict(struct reproduction **out, const struct bench_published_case *const *cases,
		      int nr, bool refit, const struct reproduce_progress *progress,
		      struct err *err)
{
	struct model_case *m = calloc((size_t)nr + 1, sizeof(*m));
	struct reproduction *r = calloc(1, sizeof(*r));
	int i, rc = 0;

	if (r)
		r->cases = calloc((size_t)nr + 1, sizeof(*r->cases));
	if (!m || !r || !r->cases)
		rc = err_set(err, -ENOMEM, "out of memory");
	else
		r->refit = refit;
	for (i = 0; i < nr && !rc; i++, r->nr++)
		rc = open_case(r, &m[i], cases[i], err);
	if (!rc)
		rc = predict_cases(r, m, refit, progress, err);
	for (i = 0; m && i < nr; i++)
		model_close(&m[i]);
	free(m);
	if (rc < 0)
		reproduce_free(r);
	else
		*out = r;
	return rc;
}

/* ------------------------------------------------------------------ the measured column */

static void see(struct seen *out, const struct series *s)
{
	*out = (struct seen){.s = s};
	if (!s)
		return;
	out->nr_workers = s->c->nr_workers;
	if (!result_param(s->c, "work_ns", &out->work_ns))
		out->work_ns = 0;
}

int reproduce_case_measured(struct reproduce_case *rc, const struct series_set *set)
{
	const struct series *base = NULL;
	struct seen row, beside;
	struct published p;
	const char *why;
	int i, failed;

	failed = published_open(&p, rc->c);
	for (i = 0; i < set->nr && !failed && !base; i++)
		if (published_is_row(&p, bench_published_base(rc->c), set->s[i].c))
			base = &set->s[i];
	rc->measured_workers = base ? base->c->nr_workers : 0;
	see(&beside, base);
	for (i = 0; i < rc->nr_rows && !failed; i++) {
		see(&row, base ? published_find(&p, set, rc->rows[i].row, base->c) : NULL);
		failed = figure_seen(rc->c, rc->rows[i].figure, &row, &beside,
				     &rc->rows[i].measured, &why);
		snprintf(rc->rows[i].measured_why, sizeof(rc->rows[i].measured_why), "%s", why);
	}
	published_close(&p);
	return failed;
}

int reproduce_measured(struct reproduction *r, const struct results *record, struct err *err)
{
	struct series_set set = {0};
	int i, rc = series_load(&set, &record, 1, err);

	for (i = 0; i < r->nr && !rc; i++)
		if (reproduce_case_measured(&r->cases[i], &set))
			rc = err_set(err, -ENOMEM, "out of memory");
	series_free(&set);
	return rc;
}

void reproduce_not_measured(struct reproduction *r, int idx, const char *why)
{
	struct reproduce_case *c = &r->cases[idx];
	int i;

	for (i = 0; i < c->nr_rows; i++)
		if (!c->rows[i].measured.n)
			snprintf(c->rows[i].measured_why, sizeof(c->rows[i].measured_why), "%s",
				 why);
}

void reproduce_free(struct reproduction *r)
{
	int i;

	for (i = 0; r && r->cases && i < r->nr; i++)
		free(r->cases[i].rows);
	if (r)
		free(r->cases);
	free(r);
}
