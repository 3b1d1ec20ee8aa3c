/* SPDX-License-Identifier: MIT */
/* Of predictions: the batch they would pick, their curves, and the profile's latencies as a map. */
#include "predict_private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "format.h"
#include "text.h"

#define MARGIN	    0.03
#define MAX_FIGURES 4 /* of an experiment */
#define NR_TICKS    5
#define MAX_MAP	    1024

/* the curves of one experiment */
struct family {
	const struct plan *plan;
	const struct sim_result *r;
	const struct experiment *e;
	const struct param *x;	   /* NULL: over the workers */
	const struct param *split; /* a figure for each of its values; NULL: one */
};

static bool mine(const struct family *f, int i)
{
	return f->plan->cases[i].exp == f->e;
}

static double x_of(const struct family *f, int i)
{
	const struct bench_case *c = &f->plan->cases[i];

	return f->x ? (double)param_get(f->x, c->params) : c->cpus.nr;
}

/* the same but for x (and but for the demand, where @any_demand) */
static bool same_curve(const struct family *f, int a, int b, bool any_demand)
{
	const struct bench_case *ca = &f->plan->cases[a], *cb = &f->plan->cases[b];
	const struct param *p;

	if (f->x && ca->cpus.nr != cb->cpus.nr)
		return false;
	for (p = f->e->params; p && p->name; p++)
		if (p != f->x && !(any_demand && p == f->split) &&
		    param_get(p, ca->params) != param_get(p, cb->params))
			return false;
	return true;
}

static bool workers_vary(const struct family *f)
{
	int i, first = -1;

	for (i = 0; i < f->plan->nr_cases; i++) {
		if (!mine(f, i))
			continue;
		if (first < 0)
			first = i;
		if (f->plan->cases[i].cpus.nr != f->plan->cases[first].cpus.nr)
			return true;
	}
	return false;
}

/* over the batch where that varies, else over the workers, else over a number that does */
static bool choose_axes(struct family *f)
{
	const struct param *p, *number = NULL;

	f->x = f->split = NULL;
	for (p = f->e->params; p && p->name; p++) {
		if (p->choices || !predict_varies(f->plan, f->e, p))
			continue;
		if (!strcmp(p->name, "batch"))
			f->x = p;
		else if (!strcmp(p->name, "work_ns"))
			f->split = p;
		else
			number = p;
	}
	if (!f->x && !workers_vary(f)) {
		f->x = number ? number : f->split;
		f->split = number ? f->split : NULL;
		return f->x;
	}
	return true;
}

/* ------------------------------------------------------------------------------ curves */

static void curve_name(const struct family *f, int i, char *buf, size_t size)
{
	const struct bench_case *c = &f->plan->cases[i];
	const struct param *p;
	char value[64];
	size_t len = 0;

	buf[0] = '\0';
	for (p = f->e->params; p && p->name && len < size; p++)
		if (p != f->x && p != f->split && predict_varies(f->plan, f->e, p))
			len += snprintf(
				buf + len, size - len, "%s%s %s", len ? ", " : "", p->name,
				param_text(p, param_get(p, c->params), value, sizeof(value)));
	if (f->x && len < size)
		snprintf(buf + len, size - len, "%s%d worker%s", len ? ", " : "", c->cpus.nr,
			 c->cpus.nr == 1 ? "" : "s");
	else if (!len)
		snprintf(buf, size, "%s", f->e->name);
}

static int by_x(const void *a, const void *b)
{
	const struct doc_point *x = a, *y = b;

	return x->x < y->x ? -1 : x->x > y->x;
}

static void add_curve(struct doc *d, const struct family *f, int first, int style)
{
	struct doc_point *pt = calloc((size_t)f->plan->nr_cases, sizeof(*pt));
	char name[160];
	int i, n = 0;

	if (!pt) {
		d->failed = true;
		return;
	}
	for (i = first; i < f->plan->nr_cases; i++)
		if (mine(f, i) && same_curve(f, first, i, false))
			pt[n++] = (struct doc_point){x_of(f, i), f->r[i].rate, NAN, NAN};
	qsort(pt, n, sizeof(*pt), by_x);
	curve_name(f, first, name, sizeof(name));
	doc_curve(d, DOC_PREDICTED, style, "%s", name);
	for (i = 0; i < n; i++)
		doc_point(d, pt[i].x, pt[i].y, NAN, NAN);
	free(pt);
}

/* is @i the first case of its curve? */
static bool begins(const struct family *f, int i, bool any_demand)
{
	int k;

	for (k = 0; k < i; k++)
		if (mine(f, k) && same_curve(f, k, i, any_demand))
			return false;
	return true;
}

static void figure(struct doc *d, const struct family *f, int first, const char *id)
{
	const char *unit = f->e->unit;
	char y[80], x[80], demand[FORMAT_MAX] = "", alt[240];
	int i, nr = 0;

	if (f->split)
		format_work(demand, (double)param_get(f->split, f->plan->cases[first].params));
	snprintf(y, sizeof(y), "%s/s, predicted", unit);
	snprintf(x, sizeof(x), "%s%s%s%s", f->x ? f->x->name : "workers",
		 f->x && *f->x->unit ? " (" : "", f->x ? f->x->unit : "",
		 f->x && *f->x->unit ? ")" : "");
	snprintf(alt, sizeof(alt),
		 "Predicted %s/s of %s by %s%s%s. Nothing of it was measured; the table has the "
		 "numbers.",
		 unit, f->e->name, f->x ? f->x->name : "workers", *demand ? ", " : "", demand);
	doc_plot(d, id, &(struct doc_axes){x, y, NULL, true, false}, alt, "Prediction: %s%s%s",
		 f->e->name, *demand ? ", " : "", demand);
	for (i = 0; i < f->plan->nr_cases && nr < DOC_STYLES; i++)
		if (mine(f, i) && begins(f, i, false) &&
		    (!f->split || param_get(f->split, f->plan->cases[i].params) ==
					  param_get(f->split, f->plan->cases[first].params)))
			add_curve(d, f, i, nr++);
}

/* a figure for each demand */
void predict_figures(struct doc *d, const struct plan *plan, const struct sim_result *r,
		     const struct experiment *e, int *nr_figures)
{
	static const char *const ids[] = {"p0", "p1", "p2",  "p3",  "p4",  "p5",  "p6",	 "p7",
					  "p8", "p9", "p10", "p11", "p12", "p13", "p14", "p15"};
	struct family f = {.plan = plan, .r = r, .e = e};
	int64_t seen[MAX_FIGURES], v;
	int i, k, nr = 0;

	if (!choose_axes(&f))
		return;
	for (i = 0; i < plan->nr_cases && nr < MAX_FIGURES && *nr_figures < 16; i++) {
		if (!mine(&f, i))
			continue;
		v = f.split ? param_get(f.split, plan->cases[i].params) : 0;
		for (k = 0; k < nr && seen[k] != v; k++)
			;
		if (k < nr)
			continue;
		seen[nr++] = v;
		figure(d, &f, i, ids[(*nr_figures)++]);
	}
}

/* ------------------------------------------------------------------------------ answer */

/* the smallest batch of @like's curve at its demand that no larger one beats by the margin */
static int64_t pick(const struct family *f, int like, double *gain, bool *largest)
{
	int64_t best = 0, most = 0;
	int i, k, at = -1;
	double g;

	for (i = 0; i < f->plan->nr_cases; i++) {
		if (!mine(f, i) || !same_curve(f, like, i, false) || !(f->r[i].rate > 0))
			continue;
		most = x_of(f, i) > (double)most ? (int64_t)x_of(f, i) : most;
		for (g = 1, k = 0; k < f->plan->nr_cases; k++)
			if (mine(f, k) && same_curve(f, like, k, false) && x_of(f, k) > x_of(f, i))
				g = fmax(g, f->r[k].rate / f->r[i].rate);
		if (g > 1 + MARGIN || (at >= 0 && x_of(f, i) >= (double)best))
			continue;
		at = i;
		best = (int64_t)x_of(f, i);
		*gain = g - 1;
	}
	*largest = best == most;
	return best;
}

/* the last curve: the newest layout, all workers; the demands are its rows */
static int last_curve(const struct family *f)
{
	int i = f->plan->nr_cases - 1;

	while (i >= 0 && !mine(f, i))
		i--;
	return i;
}

static void answer_row(struct doc *d, const struct family *f, int i, int cpus, int64_t *worst)
{
	bool largest;
	double gain = 0;
	const struct param *demand = params_find(f->e, "work_ns", NULL);
	int64_t work = demand ? param_get(demand, f->plan->cases[i].params) : 0;
	int64_t batch = pick(f, i, &gain, &largest);
	char buf[FORMAT_MAX];

	doc_cell(d, "%s", format_work(buf, (double)work));
	doc_cell(d, "%s%lld", largest ? ">= " : "", (long long)batch);
	doc_cell(d, "%+.1f%%", 100 * gain);
	doc_cell(d, "%s",
		 text_bytes(buf, sizeof(buf), (double)batch * cpus * PICK_STOCK_SLOTS * 4096));
	doc_cell(d, "%s", text_bytes(buf, sizeof(buf), (double)batch * cpus * 4096));
	if (work && batch > *worst)
		*worst = batch;
}

void predict_answer(struct doc *d, const struct sim_profile *p, const struct plan *plan,
		    const struct sim_result *r)
{
	struct family f = {.plan = plan, .r = r};
	char name[160];
	int64_t worst = 0;
	int i, last;

	for (i = 0; i < plan->nr_cases && !(f.x && !strcmp(f.x->name, "batch")); i++) {
		f.e = plan->cases[i].exp;
		if (!choose_axes(&f))
			f.x = NULL;
	}
	if (!f.x || strcmp(f.x->name, "batch"))
		return;
	last = last_curve(&f);
	curve_name(&f, last, name, sizeof(name));
	doc_section(d, "answer", "Batch, as predicted");
	doc_add(d, DOC_STRONG,
		"A prediction, not a recommendation: nothing was measured on such a machine.");
	doc_table(
		d,
		"Prediction: the smallest batch that no larger one beats by more than 3%%; %s, %s",
		f.e->name, name);
	doc_col(d, DOC_NUM_KEY, "local work\nper %s", format_per(f.e->name));
	doc_col(d, DOC_NUM, "batch");
	doc_col(d, DOC_NUM, "a larger one\ngains");
	doc_col(d, DOC_NUM, "stranded by\n%d memcgs", PICK_STOCK_SLOTS);
	doc_col(d, DOC_NUM, "statistics\nbehind by");
	for (i = 0; i < plan->nr_cases; i++)
		if (mine(&f, i) && same_curve(&f, last, i, true) && begins(&f, i, false))
			answer_row(d, &f, i, p->nr_cpus, &worst);
	if (worst)
		doc_add(d, DOC_PARA,
			"With local work, batch %lld is predicted to be enough at every demand shown. "
			"Pages of 4 KiB.",
			(long long)worst);
}

/* ------------------------------------------------------------------------------ the map */

static void scale(const struct sim_profile *p, double *low, double *high)
{
	int i, k;

	*low = INFINITY;
	*high = 0;
	for (i = 0; i < p->nr_cpus; i++) {
		for (k = 0; k < p->nr_cpus; k++) {
			if (i == k)
				continue;
			*low = fmin(*low, (double)sim_transfer(p, 0, i, k) / 1e3);
			*high = fmax(*high, (double)sim_transfer(p, 0, i, k) / 1e3);
		}
	}
	*high = fmax(*high, 1.25 * *low);
}

void predict_map(struct doc *d, const struct sim_profile *p)
{
	const struct topo_cpu *cpu = topo_cpus(p->topo, &(int){0});
	double low, high, ns;
	char alt[160], text[FORMAT_MAX];
	int i, k, level;

	if (p->nr_cpus < 2 || p->nr_cpus > MAX_MAP)
		return;
	scale(p, &low, &high);
	doc_section(d, "core-to-core", "Core to core, as the profile has it");
	snprintf(
		alt, sizeof(alt),
		"Hand-over of a line between every two of %d CPUs, from %.0f to %.0f ns; none of it "
		"was measured here.",
		p->nr_cpus, low, high);
	doc_heatmap(d, alt,
		    "From the profile: hand-over in ns, from the row's CPU to the column's");
	for (i = 0; i < p->nr_cpus; i++)
		doc_heat_label(d, "%d", cpu[i].os);
	for (i = 0; i < p->nr_cpus; i++) {
		for (k = 0; k < p->nr_cpus; k++) {
			if (i == k)
				continue;
			ns = (double)sim_transfer(p, 0, i, k) / 1e3;
			level = (int)((ns - low) / (high - low) * DOC_HEAT_LEVELS);
			snprintf(text, sizeof(text), "%.0f", ns);
			doc_heat_cell(d, i, k,
				      level < DOC_HEAT_LEVELS ? level : DOC_HEAT_LEVELS - 1,
				      p->nr_cpus > DOC_HEAT_NUMBERS ? NULL : text);
		}
	}
	for (i = 0; i < NR_TICKS; i++)
		doc_heat_tick(d, "%.0f%s", low + (high - low) * i / (NR_TICKS - 1),
			      i < NR_TICKS - 1 ? "" : " ns");
}
