/* SPDX-License-Identifier: MIT */
/* The batch at which the shared line stops to hold the workers back, by the law and as measured. */
#include "plots.h"

#include <math.h>

#include "format.h"
#include "text.h"

#define RISING 0.5 /* d log(rate) / d log(batch): over it the line holds the workers back */

static const struct series *at(const struct grid *g, int layout, int work, int workers, int batch)
{
	const struct series *s = grid_at(g, layout, work, workers, batch);

	return s && s->nr_valid ? s : NULL;
}

static int rate_of(const struct series *s, double *out)
{
	struct estimate e;
	int rc = series_rate(s, &e);

	*out = !rc && e.n ? e.mid : 0;
	return rc;
}

/* of two batches that are beside each other in the measured ones */
struct slope {
	int64_t batch[2];
	double rate[2];
};

static double rise(const struct slope *s)
{
	return log(s->rate[1] / s->rate[0]) / log((double)s->batch[1] / (double)s->batch[0]);
}

/* the two smallest batches with a rate, and the two largest; returns how many there are */
static int ends(const struct grid *g, int layout, int work, struct slope *low, struct slope *high,
		int *rc)
{
	const struct series *s;
	double rate;
	int i, nr = 0;

	for (i = 0; i < g->nr_batches && !*rc; i++) {
		s = at(g, layout, work, g->nr_workers - 1, i);
		if (!s || (*rc = rate_of(s, &rate)) || !(rate > 0))
			continue;
		if (nr < 2) {
			low->batch[nr] = g->batches[i];
			low->rate[nr] = rate;
		}
		/* 127 and 128 are no slope */
		if (!nr || g->batches[i] >= high->batch[1] * 1.2) {
			high->batch[0] = high->batch[1];
			high->rate[0] = high->rate[1];
		}
		high->batch[1] = g->batches[i];
		high->rate[1] = rate;
		nr++;
	}
	return nr;
}

static void measured(struct knee *k, const struct slope *low, const struct slope *high)
{
	if (rise(low) < RISING) {
		k->below = true;
		return;
	}
	if (rise(high) > RISING) {
		k->over = true;
		return;
	}
	k->measured = high->rate[1] * (double)low->batch[0] / low->rate[0];
}

/* one worker, where it was measured at the largest batch; else all of them there */
static int undisturbed_ns(const struct grid *g, int layout, int work, double *ns)
{
	double rate = 0;
	int i, rc = 0;

	*ns = NAN;
	for (i = g->nr_batches - 1; i >= 0 && !rc && !(rate > 0); i--) {
		if (g->workers[0] == 1 && at(g, layout, work, 0, i)) {
			rc = rate_of(at(g, layout, work, 0, i), &rate);
			*ns = rate > 0 ? 1e9 / rate : NAN;
		} else if (at(g, layout, work, g->nr_workers - 1, i)) {
			rc = rate_of(at(g, layout, work, g->nr_workers - 1, i), &rate);
			*ns = rate > 0 ? 1e9 * (double)g->workers[g->nr_workers - 1] / rate : NAN;
		}
	}
	return rc;
}

static int by_law(const struct report *rep, int layout, int work, struct knee *k)
{
	const struct grid *g = rep->grid;
	const struct series *s = NULL, *limit;
	double rate, per_op;
	int i, rc;

	for (i = 0; i < g->nr_batches && !s; i++)
		s = at(g, layout, work, g->nr_workers - 1, i);
	limit = s ? limit_series(&rep->set, s->c) : NULL;
	if (!limit) {
		k->why = "contended_line with as many workers was not measured: the service time "
			 "is not known";
		return 0;
	}
	rc = rate_of(limit, &rate);
	if (!rc)
		rc = limit_updates(s, &per_op);
	if (!rc)
		rc = undisturbed_ns(g, layout, work, &k->pages_ns);
	if (rc)
		return rc;
	if (!(rate > 0) || !isfinite(per_op) || !isfinite(k->pages_ns)) {
		k->why = "the updates of the shared line were not counted";
		return 0;
	}
	k->service_ns = 1e9 / rate;
	k->updates = per_op * (double)g->batches[i - 1];
	k->predicted =
		(double)g->workers[g->nr_workers - 1] / k->pages_ns * k->updates * k->service_ns;
	return 0;
}

int knee_find(const struct report *rep, int layout, int work, struct knee *out)
{
	struct slope low = {0}, high = {0};
	int rc = 0, nr;

	*out = (struct knee){.predicted = NAN,
			     .measured = NAN,
			     .updates = NAN,
			     .service_ns = NAN,
			     .pages_ns = NAN};
	nr = ends(rep->grid, layout, work, &low, &high, &rc);
	if (rc)
		return rc;
	if (nr >= 3)
		measured(out, &low, &high);
	return by_law(rep, layout, work, out);
}

/* two digits or all before the point */
static char *number(char *buf, double v)
{
	snprintf(buf, FORMAT_MAX, v < 100 ? "%.2g" : "%.0f", v);
	return buf;
}

static void row(struct doc *d, const struct grid *g, int work, const struct knee *k)
{
	char buf[FORMAT_MAX];

	doc_cell(d, "%s", format_work(buf, g->works[work]));
	if (isfinite(k->predicted)) {
		doc_cell(d, "%s", number(buf, k->pages_ns));
		doc_cell(d, "%.3g", k->updates);
		doc_cell(d, "%.3g", k->service_ns);
		if (k->predicted < 1)
			doc_cell(d, "under 1");
		else
			doc_cell(d, "%s", number(buf, k->predicted));
	} else {
		doc_absent(d, k->why);
		doc_absent(d, k->why);
		doc_absent(d, k->why);
		doc_absent(d, k->why);
	}
	if (isfinite(k->measured))
		doc_cell(d, "about %s", number(buf, k->measured));
	else if (k->below)
		doc_cell(d, "under %lld", (long long)g->batches[0]);
	else if (k->over)
		doc_cell(d, "over %lld", (long long)g->batches[g->nr_batches - 1]);
	else
		doc_absent(d, "fewer than three batches have a rate");
}

void knee_table(struct doc *d, const struct report *rep, int layout)
{
	const struct grid *g = rep->grid;
	struct knee k;
	int work;

	doc_add(d, DOC_PARA,
		"The knee: the shared line is saturated while workers x pages/s x updates per charge "
		"/ batch x service time is 1 or more. Under the knee the batch decides, over it the "
		"local work does. The law's knee is a prediction; the measured one is where "
		"a straight rise from the smallest batch meets the rate at the largest.");
	doc_table(d, "Saturation knee by the law (prediction) and as measured: %lld workers",
		  (long long)g->workers[g->nr_workers - 1]);
	doc_col(d, DOC_NUM_KEY, "local work\nper %s", format_per(g->experiment));
	doc_col(d, DOC_NUM, "ns per %s\nundisturbed", format_per(g->experiment));
	doc_col(d, DOC_NUM, "updates\nper charge");
	doc_col(d, DOC_NUM, "service\ntime, ns");
	doc_col(d, DOC_NUM, "knee\nby the law");
	doc_col(d, DOC_NUM, "knee\nmeasured");
	for (work = 0; work < g->nr_works; work++) {
		if (!g->works[work])
			continue;
		if (knee_find(rep, layout, work, &k))
			d->failed = true;
		else
			row(d, g, work, &k);
	}
}
