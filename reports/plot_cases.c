/* SPDX-License-Identifier: MIT */
/* A metric of one experiment's cases over the parameter that was swept most. */
#include "plots.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "experiment.h"
#include "text.h"

struct sweep {
	const struct series **s; /* with all workers, by x */
	int nr;
	const char *x;		    /* name of the parameter */
	const char *const *varying; /* the others that differ, NULL at the end */
	int metric;
};

static int64_t value(const struct series *s, const char *param)
{
	int64_t v = 0;

	result_param(s->c, param, &v);
	return v;
}

/* how many values a parameter has; 0: names, not numbers */
static int nr_values(const struct sweep *w, const char *param)
{
	const char *text = result_param_text(w->s[0]->c, param);
	int i, k, nr = 0;

	if (!text || text[strspn(text, "0123456789")])
		return 0;
	for (i = 0; i < w->nr; i++) {
		for (k = 0; k < i && value(w->s[k], param) != value(w->s[i], param); k++)
			;
		nr += k == i;
	}
	return nr;
}

static bool differs(const struct sweep *w, const char *param)
{
	int i;

	for (i = 1; i < w->nr; i++)
		if (!text_same(result_param_text(w->s[i]->c, param),
			       result_param_text(w->s[0]->c, param)))
			return true;
	return false;
}

static bool choose_x(struct sweep *w, const char **varying)
{
	const struct result_case *c = w->s[0]->c;
	int i, nr, most = 1, n = 0;

	for (i = 0; i < c->nr_params; i++) {
		nr = nr_values(w, c->params[i].name);
		if (nr <= most)
			continue;
		most = nr;
		w->x = c->params[i].name;
	}
	for (i = 0; w->x && i < c->nr_params && n < EXPERIMENT_MAX_PARAMS; i++)
		if (strcmp(c->params[i].name, w->x) && differs(w, c->params[i].name))
			varying[n++] = c->params[i].name;
	w->varying = varying;
	return w->x;
}

static bool same_curve(const struct sweep *w, const struct series *a, const struct series *b)
{
	const char *const *p;

	for (p = w->varying; *p; p++)
		if (!text_same(result_param_text(a->c, *p), result_param_text(b->c, *p)))
			return false;
	return text_same(a->c->placement, b->c->placement) && text_same(a->c->home, b->c->home);
}

static const char *sort_by;

static int by_x(const void *a, const void *b)
{
	int64_t x = value(*(const struct series *const *)a, sort_by),
		y = value(*(const struct series *const *)b, sort_by);

	return x < y ? -1 : x > y;
}

static bool begins(const struct sweep *w, int i)
{
	int k;

	for (k = 0; k < i; k++)
		if (same_curve(w, w->s[k], w->s[i]))
			return false;
	return true;
}

static void curve(struct doc *d, const struct sweep *w, int first, int style, double scale)
{
	const char *const *p;
	struct estimate e;
	char name[200] = "";
	size_t len = 0;
	int i;

	for (p = w->varying; *p && len < sizeof(name); p++)
		len += snprintf(name + len, sizeof(name) - len, "%s%.40s %.60s", len ? ", " : "",
				*p,
				result_param_text(w->s[first]->c, *p)
					? result_param_text(w->s[first]->c, *p)
					: "-");
	doc_curve(d, DOC_MEASURED, style, "%s", *name ? name : w->s[first]->c->placement);
	for (i = first; i < w->nr; i++) {
		if (!same_curve(w, w->s[first], w->s[i]))
			continue;
		if (series_value(w->s[i], SERIES_METRICS + w->metric, &e))
			d->failed = true;
		else
			figure_point(d, (double)value(w->s[i], w->x), &e, scale);
	}
}

/* those with the most workers that have the metric */
static void gather(struct sweep *w, const struct series *const *s, int nr, const char *metric)
{
	int i, workers = 0;

	w->metric = -1;
	for (i = 0; i < s[0]->c->nr_metrics && i < EXPERIMENT_MAX_METRICS; i++)
		if (text_same(s[0]->c->metrics[i].name, metric))
			w->metric = i;
	for (i = 0; i < nr; i++)
		if (s[i]->nr_valid && s[i]->c->nr_workers > workers)
			workers = s[i]->c->nr_workers;
	for (i = 0; i < nr; i++)
		if (s[i]->nr_valid && s[i]->c->nr_workers == workers &&
		    s[i]->c->nr_metrics > w->metric)
			w->s[w->nr++] = s[i];
}

static void x_title(const struct sweep *w, char *buf, size_t size)
{
	const struct experiment *exp = experiment_find(w->s[0]->c->experiment, NULL);
	const struct param *p = exp ? params_find(exp, w->x, NULL) : NULL;

	if (p && *p->unit)
		snprintf(buf, size, "%.40s, %s", w->x, p->unit);
	else
		snprintf(buf, size, "%.40s", w->x);
}

static void draw(struct doc *d, struct sweep *w, const struct figure_of *what)
{
	const struct result_metric *m = &w->s[0]->c->metrics[w->metric];
	char x[80], y[120], alt[240];
	int i, nr = 0;

	for (i = 0; i < w->nr; i++)
		nr += begins(w, i);
	if (nr > DOC_STYLES)
		return;
	sort_by = w->x;
	qsort(w->s, w->nr, sizeof(*w->s), by_x);
	x_title(w, x, sizeof(x));
	if (what->percent)
		snprintf(y, sizeof(y), "%s, %%", what->y);
	else
		snprintf(y, sizeof(y), "%s, %.40s", what->y, m->unit);
	snprintf(
		alt, sizeof(alt),
		"%s by %.40s, %d workers, %d curve%s; the table has the numbers of all worker counts.",
		what->title, w->x, w->s[0]->c->nr_workers, nr, nr == 1 ? "" : "s");
	doc_plot(d, what->id,
		 &(struct doc_axes){x, y, NULL, value(w->s[0], w->x) > 0, what->percent}, alt,
		 "%s, %d worker%s", what->title, w->s[0]->c->nr_workers,
		 w->s[0]->c->nr_workers == 1 ? "" : "s");
	for (nr = 0, i = 0; i < w->nr; i++)
		if (begins(w, i))
			curve(d, w, i, nr++, what->percent ? 100 : 1);
}

void figure_cases(struct doc *d, const struct series *const *s, int nr,
		  const struct figure_of *what)
{
	const char *varying[EXPERIMENT_MAX_PARAMS + 1] = {NULL};
	struct sweep w = {.s = calloc(nr + 1, sizeof(*w.s))};

	if (!w.s)
		d->failed = true;
	else
		gather(&w, s, nr, what->metric);
	if (w.nr > 1 && w.metric >= 0 && choose_x(&w, varying))
		draw(d, &w, what);
	free(w.s);
}
