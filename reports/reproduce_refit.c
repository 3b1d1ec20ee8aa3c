/* SPDX-License-Identifier: MIT */
/* The free numbers of a published case, from the published values of their rows alone. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model_runs.h"
#include "refit.h"

#define MAX_PASSES 4 /* over two numbers that are searched, each with the other as last found */

struct refitting {
	const struct model_case *m;
	const struct reproduce_progress *progress;
	int64_t value[BENCH_PUBLISHED_FITS];
	int which; /* the one that is searched now */
	const struct bench_published_row *row, *against;
	enum figure figure;
};

static bool is_exact(const struct bench_fit *f)
{
	return f->on && f->per_value > 0;
}

static bool is_searched(const struct bench_fit *f)
{
	return f->on && !(f->per_value > 0);
}

bool reproduce_can_refit(const struct bench_published_case *c)
{
	int i, nr = 0;

	for (i = 0; i < BENCH_PUBLISHED_FITS && c->fit[i].name; i++)
		nr += c->fit[i].on != NULL;
	return nr > 0;
}

/* the row's figure at each of the values */
static int evaluate(void *ctx, const int64_t *x, int nr, double *f, struct err *err)
{
	int i, row[REFIT_POINTS], against[REFIT_POINTS], workers, rc = 0;
	struct refitting *r = ctx;
	struct model_runs runs = {0};
	struct seen seen, base;
	struct estimate e;
	char what[64];
	const char *why = "";

	workers = model_workers(r->m, r->row);
	snprintf(what, sizeof(what), "%s: %s", r->m->c->name, r->m->c->fit[r->which].name);
	for (i = 0; i < nr && rc >= 0; i++) {
		r->value[r->which] = x[i];
		rc = row[i] = model_add(&runs, r->m, r->row, workers, r->value, err);
		if (rc >= 0)
			rc = against[i] =
				model_add(&runs, r->m, r->against, workers, r->value, err);
	}
	if (rc >= 0)
		rc = model_do(&runs, what, r->progress, err);
	for (i = 0; i < nr && !rc; i++) {
		model_seen(&runs, row[i], &seen);
		model_seen(&runs, against[i], &base);
		rc = figure_seen(r->m->c, r->figure, &seen, &base, &e, &why);
		f[i] = e.mid;
		if (!rc && !e.n)
			rc = err_set(err, -EINVAL, "row '%s': %s", r->row->name, why);
	}
	model_free(&runs);
	return rc;
}

/* the other row that a number is fitted on: what the base is compared with */
static const struct bench_published_row *other_row(const struct bench_published_case *c,
						   const struct bench_published_row *row)
{
	int i;

	for (i = 0; i < BENCH_PUBLISHED_FITS && c->fit[i].name; i++)
		if (c->fit[i].on && strcmp(c->fit[i].on, row->name))
			return bench_published_row(c, c->fit[i].on);
	return NULL;
}

/* what the figure of the fitted row is to be, and against which row */
static int set_target(struct refitting *r, const struct bench_fit *f, double *target,
		      struct err *err)
{
	const struct bench_published_case *c = r->m->c;
	double published[2];

	r->row = bench_published_row(c, f->on);
	r->against = bench_published_base(c);
	r->figure = c->kind == BENCH_SHARES ? FIGURE_SHARE : FIGURE_CHANGE;
	if (r->figure == FIGURE_CHANGE && r->row && r->row->base)
		r->against = other_row(c, r->row);
	if (!r->row || !r->against)
		return err_set(err, -EINVAL, "case %s: %s has no row to be fitted on", c->name,
			       f->name);
	if (r->figure == FIGURE_CHANGE && r->row->base) {
		*target = 100 * (r->row->value[0] / r->against->value[0] - 1);
	} else {
		figure_published(c, r->row, r->figure, published);
		*target = (published[0] + published[1]) / 2;
	}
	return isfinite(*target) ? 0
				 : err_set(err, -EINVAL, "case %s: row '%s' has no published value",
					   c->name, r->row->name);
}

static int search(struct refitting *r, struct reproduce_fit *out, struct err *err)
{
	const struct bench_fit *f = out->fit;
	const struct param *p = params_find(r->m->exp, f->name, err);
	int64_t before = r->value[r->which];
	struct err why = ERR_INIT;
	double target = NAN;
	int rc = set_target(r, f, &target, err);

	if (rc || !p)
		return rc ? rc : -EINVAL;
	rc = refit_search(f->lo, f->hi, p->step, target, evaluate, r, &out->found, &why);
	out->refitted = !rc;
	r->value[r->which] = rc ? before : out->found;
	snprintf(out->why, sizeof(out->why), "%s",
		 rc == 1 ? "stopped before it was found" : why.msg);
	if (rc < 0 && rc != -ERANGE)
		return err_set(err, rc, "case %s: to find %s again: %s", r->m->c->name, f->name,
			       why.msg);
	return rc == 1;
}

static int exact(struct refitting *r, struct reproduce_fit *out, struct err *err)
{
	const struct bench_published_row *row = bench_published_row(r->m->c, out->fit->on);

	if (!row || !(row->value[0] > 0))
		return err_set(err, -EINVAL, "case %s: no published value to make %s of",
			       r->m->c->name, out->fit->name);
	out->found = r->value[r->which] = llround(out->fit->per_value / row->value[0]);
	out->refitted = true;
	return 0;
}

/* nothing is known of a searched number but its range */
static void begin(struct refitting *r, struct reproduce_case *out)
{
	const struct bench_fit *f;
	int i;

	for (i = 0; i < out->nr_fits; i++) {
		f = out->fit[i].fit;
		r->value[i] = is_searched(f) ? llround(sqrt((double)(f->lo + 1) * (f->hi + 1)))
					     : f->value;
		if (!f->on)
			snprintf(out->fit[i].why, sizeof(out->fit[i].why),
				 "not free: the load alone gives it");
	}
}

int refit_case(struct reproduce_case *out, const struct model_case *m,
	       const struct reproduce_progress *progress, struct err *err)
{
	struct refitting r = {.m = m, .progress = progress};
	int i, pass, nr = 0, rc = 0;
	int64_t before;
	bool moved = true;

	begin(&r, out);
	for (i = 0; i < out->nr_fits && !rc; i++) {
		r.which = i;
		nr += is_searched(out->fit[i].fit);
		if (is_exact(out->fit[i].fit))
			rc = exact(&r, &out->fit[i], err);
	}
	for (pass = 0; nr && moved && pass < (nr > 1 ? MAX_PASSES : 1) && !rc; pass++) {
		moved = false;
		for (i = 0; i < out->nr_fits && !rc; i++) {
			if (!is_searched(out->fit[i].fit))
				continue;
			r.which = i;
			before = r.value[i];
			rc = search(&r, &out->fit[i], err);
			moved |= r.value[i] != before;
		}
	}
	for (i = 0; i < out->nr_fits; i++)
		out->fit[i].differs =
			out->fit[i].refitted &&
			fabs((double)(out->fit[i].found - out->fit[i].fit->value)) >
				REFIT_TOLERANCE * fabs((double)out->fit[i].fit->value);
	return rc;
}
