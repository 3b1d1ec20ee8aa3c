/* SPDX-License-Identifier: MIT */
/* The plots of the grid: over workers, over the batch, layouts side by side. */
#include "plots.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "experiment.h"
#include "format.h"
#include "text.h"

#define MIB 1048576.0

void figure_point(struct doc *d, double x, const struct estimate *e, double scale)
{
	bool known = e->n >= STATS_MIN_N && isfinite(e->lo) && isfinite(e->hi);

	if (e->n)
		doc_point(d, x, e->mid * scale, known ? e->lo * scale : NAN,
			  known ? e->hi * scale : NAN);
}

static const char *unit(const struct grid *g)
{
	const struct experiment *exp = experiment_find(g->experiment, NULL);

	return exp && exp->unit ? exp->unit : "operations";
}

static const struct series *with_all(const struct grid *g, int layout, int work, int batch)
{
	return grid_at(g, layout, work, g->nr_workers - 1, batch);
}

/* how many of the series at this work have a number; *last: index of the last one */
static int nr_batches(const struct grid *g, int layout, int work, int *last)
{
	const struct series *s;
	int i, nr = 0;

	for (i = 0; i < g->nr_batches; i++) {
		s = with_all(g, layout, work, i);
		if (!s || !s->nr_valid)
			continue;
		nr++;
		*last = i;
	}
	return nr;
}

static bool rate(struct doc *d, const struct series *s, struct estimate *e)
{
	if (series_rate(s, e)) {
		d->failed = true;
		return false;
	}
	return e->n > 0;
}

/* ---------------------------------------------------------------------------- workers */

/* the curves of one setting: one for each placement */
struct scaling {
	const struct report *rep;
	const struct result_case *c; /* the setting */
	const char *placement;
	const struct series **s; /* by workers */
	int nr;
};

static int by_workers(const void *a, const void *b)
{
	const struct series *const *x = a, *const *y = b;

	return (*x)->c->nr_workers - (*y)->c->nr_workers;
}

static void gather(struct scaling *c)
{
	const struct series_set *set = &c->rep->set;
	int i;

	for (c->nr = 0, i = 0; i < set->nr; i++)
		if (set->s[i].nr_valid && result_same_params(set->s[i].c, c->c, NULL) &&
		    text_same(set->s[i].c->placement, c->placement))
			c->s[c->nr++] = &set->s[i];
	qsort(c->s, c->nr, sizeof(*c->s), by_workers);
}

static void scaling_curve(struct doc *d, const struct scaling *c, int style, const char *name)
{
	struct estimate e;
	double predicted;
	int i, nr = 0;

	doc_curve(d, DOC_MEASURED, style, "%s", name);
	for (i = 0; i < c->nr; i++) {
		if (rate(d, c->s[i], &e))
			figure_point(d, c->s[i]->c->nr_workers, &e, 1);
		nr += overlay_rate(&c->rep->overlay, c->s[i], &predicted);
	}
	if (nr < 2)
		return;
	doc_curve(d, DOC_PREDICTED, style, "%s", name);
	for (i = 0; i < c->nr; i++)
		if (overlay_rate(&c->rep->overlay, c->s[i], &predicted))
			doc_point(d, c->s[i]->c->nr_workers, predicted, NAN, NAN);
}

/* "saturated: 12.3 M with 1 worker, 20.1 M with 4 (x1.63); " */
static void say_scaling(struct doc *d, FILE *to, const struct scaling *c, const char *name)
{
	struct estimate first, last;
	char one[FORMAT_MAX], all[FORMAT_MAX];

	if (!rate(d, c->s[0], &first) || !rate(d, c->s[c->nr - 1], &last))
		return;
	fprintf(to, " %s: %s/s by %d, %s/s by %d", name, text_si(one, sizeof(one), first.mid),
		c->s[0]->c->nr_workers, text_si(all, sizeof(all), last.mid),
		c->s[c->nr - 1]->c->nr_workers);
	if (first.mid > 0)
		fprintf(to, " (x%.2f)", last.mid / first.mid);
	fputc('.', to);
}

/* the curves at one demand, or what is to say of them; returns how many have two worker counts */
static int each_scaling(struct doc *d, struct scaling *c, FILE *say)
{
	const struct series_set *set = &c->rep->set;
	const char *name;
	int i, k, nr = 0;

	for (i = 0; i < set->nr && nr < DOC_STYLES; i++) {
		if (!result_same_params(set->s[i].c, c->c, NULL))
			continue;
		c->placement = set->s[i].c->placement;
		for (k = 0; k < i && !(result_same_params(set->s[k].c, c->c, NULL) &&
				       text_same(set->s[k].c->placement, c->placement));
		     k++)
			;
		if (k < i)
			continue;
		gather(c);
		if (c->nr < 2)
			continue;
		name = c->placement ? c->placement : "unknown placement";
		if (say)
			say_scaling(d, say, c, name);
		else
			scaling_curve(d, c, nr, name);
		nr++;
	}
	return nr;
}

static bool scaling_at(struct doc *d, struct scaling *c, int work, int batch, const char *id)
{
	const struct grid *g = c->rep->grid;
	const char *layout = result_param_text(c->c, "layout");
	char *alt = NULL, title[80], demand[FORMAT_MAX];
	size_t size;
	FILE *say = open_memstream(&alt, &size);
	int nr = 0;

	if (say) {
		fprintf(say, "Throughput by workers, one curve for each placement.");
		nr = each_scaling(d, c, say);
	}
	if (!say || fclose(say)) {
		d->failed = true;
		nr = 0;
	}
	if (nr) {
		snprintf(title, sizeof(title), "%s/s", unit(g));
		doc_plot(d, id, &(struct doc_axes){"workers", title, NULL, true, false}, alt,
			 "Scaling over workers: %s, batch %lld, %s",
			 layout ? layout : g->experiment, (long long)g->batches[batch],
			 format_work(demand, g->works[work]));
		each_scaling(d, c, NULL);
	}
	free(alt);
	return nr > 0;
}

void figure_scaling(struct doc *d, const struct report *rep, int layout)
{
	static const char *const ids[] = {"scaling", "scaling-load"};
	const struct grid *g = rep->grid;
	struct scaling c = {.rep = rep, .s = calloc(rep->set.nr + 1, sizeof(*c.s))};
	int batch = counter_scaling_batch(g, layout), work, w, shown = 0;
	const struct series *s;

	d->failed |= !c.s;
	for (work = 0; c.s && work < g->nr_works && shown < 2; work++) {
		for (s = NULL, w = 0; w < g->nr_workers && !s; w++)
			s = grid_at(g, layout, work, w, batch);
		c.c = s ? s->c : NULL;
		if (s && scaling_at(d, &c, work, batch, ids[shown]))
			shown++;
	}
	free(c.s);
}

/* ------------------------------------------------------------------------------ batch */

/* the share of the rate at the largest batch, paired; @last stands for it */
static void batch_curve(struct doc *d, const struct report *rep, int layout, int work, int last,
			int style)
{
	const struct grid *g = rep->grid;
	const struct series *s, *ref = with_all(g, layout, work, last);
	double predicted, whole;
	char name[FORMAT_MAX];
	struct estimate e;
	int i;

	doc_curve(d, DOC_MEASURED, style, "%s", format_work(name, g->works[work]));
	for (i = 0; i <= last; i++) {
		s = with_all(g, layout, work, i);
		if (i == last)
			doc_point(d, (double)g->batches[i], 100, NAN, NAN);
		else if (series_ratio(s, ref, &e))
			d->failed = true;
		else
			figure_point(d, (double)g->batches[i], &e, 100);
	}
	if (!overlay_rate(&rep->overlay, ref, &whole) || !(whole > 0))
		return;
	doc_curve(d, DOC_PREDICTED, style, "%s", name);
	for (i = 0; i <= last; i++)
		if (overlay_rate(&rep->overlay, with_all(g, layout, work, i), &predicted))
			doc_point(d, (double)g->batches[i], 100 * predicted / whole, NAN, NAN);
}

static void knee_marks(struct doc *d, const struct report *rep, int layout, int work, int style)
{
	const struct grid *g = rep->grid;
	double least = (double)g->batches[0], most = (double)g->batches[g->nr_batches - 1];
	char name[FORMAT_MAX];
	struct knee k;

	if (!g->works[work] || knee_find(rep, layout, work, &k))
		return;
	format_work(name, g->works[work]);
	if (k.predicted >= least && k.predicted <= most) {
		doc_curve(d, DOC_AT_PREDICTED, style, "%s: saturation knee by the law", name);
		doc_point(d, k.predicted, 0, NAN, NAN);
	}
	if (k.measured >= least && k.measured <= most) {
		doc_curve(d, DOC_AT, style, "%s: measured knee", name);
		doc_point(d, k.measured, 0, NAN, NAN);
	}
}

static void costs(struct doc *d, const struct report *rep)
{
	const struct pick *p = rep->pick;
	const struct grid *g = rep->grid;
	int i;

	if (!p || !p->cpus || !p->page_bytes)
		return;
	doc_curve(d, DOC_RIGHT, 6, "stranded memory, all %d slots (right axis)", PICK_STOCK_SLOTS);
	for (i = 0; i < g->nr_batches; i++)
		doc_point(d, (double)g->batches[i],
			  (double)g->batches[i] * p->cpus * PICK_STOCK_SLOTS * p->page_bytes / MIB,
			  NAN, NAN);
	doc_curve(d, DOC_RIGHT, 3, "statistics behind by (right axis)");
	for (i = 0; i < g->nr_batches; i++)
		doc_point(d, (double)g->batches[i],
			  (double)g->batches[i] * p->cpus * p->page_bytes / MIB, NAN, NAN);
}

/* "250 ns: 91.2% at batch 64 of that at 256. " */
static void say_batch(struct doc *d, FILE *to, const struct grid *g, int layout, int work, int last)
{
	char name[FORMAT_MAX];
	struct estimate e;
	int i, at = -1;

	for (i = 0; i < last; i++)
		if (at < 0 || g->batches[i] <= 64)
			at = i;
	if (at < 0 ||
	    series_ratio(with_all(g, layout, work, at), with_all(g, layout, work, last), &e))
		d->failed |= at >= 0;
	else if (e.n)
		fprintf(to, " %s: %.3g%% at batch %lld of that at %lld.",
			format_work(name, g->works[work]), 100 * e.mid, (long long)g->batches[at],
			(long long)g->batches[last]);
}

void figure_batch(struct doc *d, const struct report *rep, int layout)
{
	const struct grid *g = rep->grid;
	char *alt = NULL, title[120];
	size_t size;
	FILE *say = open_memstream(&alt, &size);
	int work, last = 0, nr = 0;

	if (!say) {
		d->failed = true;
		return;
	}
	fprintf(say, "Throughput by batch, as a share of that at the largest batch.");
	for (work = 0; work < g->nr_works; work++) {
		if (nr_batches(g, layout, work, &last) < 2)
			continue;
		say_batch(d, say, g, layout, work, last);
		nr++;
	}
	d->failed |= fclose(say) != 0;
	if (nr && !d->failed) {
		snprintf(title, sizeof(title), "%s/s, %% of the largest batch", unit(g));
		doc_plot(d, "batch",
			 &(struct doc_axes){"batch (pages)", title,
					    rep->pick ? "memory, MiB" : NULL, true, true},
			 alt, "Batch curve: %s, %lld workers, by local work per %s",
			 g->layouts[layout] ? g->layouts[layout] : g->experiment,
			 (long long)g->workers[g->nr_workers - 1], format_per(g->experiment));
		for (work = 0, nr = 0; work < g->nr_works && nr < 5; work++) {
			if (nr_batches(g, layout, work, &last) < 2)
				continue;
			batch_curve(d, rep, layout, work, last, nr);
			knee_marks(d, rep, layout, work, nr++);
		}
		costs(d, rep);
	}
	free(alt);
}

/* ---------------------------------------------------------------------------- layouts */

static void layouts_at(struct doc *d, const struct report *rep, int work, const char *id)
{
	const struct grid *g = rep->grid;
	char alt[200], title[80], name[FORMAT_MAX];
	int i, layout, last = 0;
	struct estimate e;

	format_work(name, g->works[work]);
	snprintf(alt, sizeof(alt),
		 "%s/s of each layout by batch, %s; the table of throughput has the numbers.",
		 unit(g), name);
	snprintf(title, sizeof(title), "%s/s", unit(g));
	doc_plot(d, id, &(struct doc_axes){"batch (pages)", title, NULL, true, false}, alt,
		 "Layouts side by side: %s, %lld workers", name,
		 (long long)g->workers[g->nr_workers - 1]);
	for (layout = 0; layout < g->nr_layouts; layout++) {
		if (nr_batches(g, layout, work, &last) < 2)
			continue;
		doc_curve(d, DOC_MEASURED, layout, "%s",
			  g->layouts[layout] ? g->layouts[layout] : g->experiment);
		for (i = 0; i <= last; i++)
			if (rate(d, with_all(g, layout, work, i), &e))
				figure_point(d, (double)g->batches[i], &e, 1);
	}
}

void figure_layouts(struct doc *d, const struct report *rep)
{
	static const char *const ids[] = {"layouts", "layouts-load"};
	const struct grid *g = rep->grid;
	int work, layout, last, nr, shown = 0;

	for (work = 0; work < g->nr_works && shown < 2; work++) {
		for (nr = 0, layout = 0; layout < g->nr_layouts; layout++)
			nr += nr_batches(g, layout, work, &last) >= 2;
		if (nr >= 2)
			layouts_at(d, rep, work, ids[shown++]);
	}
}
