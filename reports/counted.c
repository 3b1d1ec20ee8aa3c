/* SPDX-License-Identifier: MIT */
/* What was counted in the windows, per case and operation, what it shows, and what was not and why. */
#include "report_private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "experiment.h"
#include "format.h"

#define MOVES_MIN    0.005 /* lines per operation, to be worth a sentence */
#define MOVES_ALWAYS 0.15  /* so near to 1 is "every" */
#define CLOCK_LOST   0.02

/* the columns of all files by name, those first that were counted */
struct counted {
	const struct results *const *r;
	int nr_files;
	const struct result_counter *column[COUNTERS_MAX];
	int nr;
};

static int column_of(const struct results *r, const char *name)
{
	int i = 0;

	while (i < r->nr_counters && strcmp(r->counters[i].name, name))
		i++;
	return i < r->nr_counters ? i : -1;
}

/* the median of the windows that counted @name; NaN: none did */
static double value(const struct counted *all, const struct series *s, const char *name, int *nr,
		    bool *failed)
{
	double *v = calloc(s->nr_valid + 1, sizeof(*v)), mid = NAN;
	struct estimate e;
	int i, at;

	for (i = 0, *nr = 0; v && i < s->nr_valid; i++) {
		at = column_of(all->r[s->valid[i].pair >> 32], name);
		if (at >= 0 && isfinite(s->valid[i].s->counters[at]))
			v[(*nr)++] = s->valid[i].s->counters[at];
	}
	*failed |= !v || (*nr && stats_median_ci(v, *nr, 1, &e));
	if (!*failed && *nr)
		mid = e.mid;
	free(v);
	return mid;
}

static bool has_column(const struct counted *all, const char *name)
{
	int i = 0;

	while (i < all->nr && strcmp(all->column[i]->name, name))
		i++;
	return i < all->nr;
}

static bool any_value(const struct counted *all, const struct series_set *set, const char *name,
		      bool *failed)
{
	int i, nr = 0;

	for (i = 0; i < set->nr && !nr; i++)
		value(all, &set->s[i], name, &nr, failed);
	return nr;
}

static void find_columns(struct counted *all, const struct series_set *set, bool *failed)
{
	const struct result_counter *c;
	int i, k;

	for (i = 0; i < all->nr_files; i++)
		for (k = 0; k < all->r[i]->nr_counters; k++) {
			c = &all->r[i]->counters[k];
			if (all->nr < COUNTERS_MAX && !has_column(all, c->name) &&
			    any_value(all, set, c->name, failed))
				all->column[all->nr++] = c;
		}
}

/* --------------------------------------------------------------------- the table */

static const char *per(const struct result_counter *c)
{
	return c->formula && strstr(c->formula, "operations") ? "" : NULL;
}

/* "layout=v6_15 batch=64 work_ns=250": what is not the default */
static void case_name(const struct series *s, char *buf, size_t size)
{
	const struct experiment *exp = experiment_find(s->c->experiment, NULL);
	const struct param *p;
	size_t at = snprintf(buf, size, "%s", s->c->experiment);
	int i;

	for (i = 0; i < s->c->nr_params && at < size; i++) {
		p = exp ? params_find(exp, s->c->params[i].name, NULL) : NULL;
		if (!p || p->def != s->c->params[i].value)
			at += snprintf(buf + at, size - at, " %s=%s", s->c->params[i].name,
				       s->c->params[i].text);
	}
}

static void table(struct doc *d, const struct counted *all, const struct series_set *set)
{
	char name[240];
	int i, k, nr;
	double v;

	doc_table(d, "Per operation, of all workers together; the median of the windows");
	doc_col(d, DOC_KEY, "case");
	doc_col(d, DOC_NUM_KEY, "workers");
	for (k = 0; k < all->nr; k++)
		doc_col(d, DOC_NUM, "%s\n%s", all->column[k]->name,
			per(all->column[k]) ? all->column[k]->unit : "");
	for (i = 0; i < set->nr; i++) {
		if (set->s[i].in_matrix)
			continue;
		case_name(&set->s[i], name, sizeof(name));
		doc_cell(d, "%s", name);
		doc_cell(d, "%d", set->s[i].c->nr_workers);
		for (k = 0; k < all->nr; k++) {
			v = value(all, &set->s[i], all->column[k]->name, &nr, &d->failed);
			if (nr)
				doc_cell(d, "%.3g", v);
			else if (!set->s[i].nr_valid)
				doc_absent(d, series_absent(&set->s[i]));
			else
				doc_absent(d, "no window of this case counted it");
		}
	}
}

/* ----------------------------------------------------------------- what they show */

/* lines that came from other cores per operation; NaN: not counted */
static double moves(const struct counted *all, const struct series *s, bool *failed, char *names,
		    size_t size)
{
	double sum = NAN, v;
	size_t at = 0;
	int k, nr;

	names[0] = 0;
	for (k = 0; k < all->nr; k++) {
		if (!all->column[k]->moves)
			continue;
		v = value(all, s, all->column[k]->name, &nr, failed);
		if (!nr)
			continue;
		sum = isnan(sum) ? v : sum + v;
		if (at < size && v >= MOVES_MIN)
			at += snprintf(names + at, size - at, "%s%s %.2g", at ? ", " : "",
				       all->column[k]->name, v);
	}
	return sum;
}

/* the operations that one shared update stands for: a batch's pages, else one */
static int64_t per_update(const struct series *s)
{
	int64_t batch;

	return !strcmp(s->c->experiment, "page_counter") && result_param(s->c, "batch", &batch) &&
			       batch > 0
		       ? batch
		       : 1;
}

static void say_moves(struct doc *d, const struct counted *all, const struct series *s)
{
	bool charges = !strcmp(s->c->experiment, "page_counter");
	char name[240], names[160];
	double m = moves(all, s, &d->failed, names, sizeof(names)) * per_update(s);
	const char *what = charges ? "charge" : "operation";

	/* proxies miss what moves inside of a core complex: that they saw nothing says nothing */
	if (!(m >= 0) || (m < MOVES_MIN && !has_column(all, "hitm_local")))
		return;
	case_name(s, name, sizeof(name));
	if (m < MOVES_MIN)
		doc_add(d, DOC_ITEM,
			"%s, %d workers: fewer than %.2g loads per %s found their line modified in "
			"another core: no line moves between the workers' atomics.",
			name, s->c->nr_workers, MOVES_MIN, what);
	else if (fabs(m - 1) <= MOVES_ALWAYS)
		doc_add(d, DOC_ITEM,
			"%s, %d workers: %.2f lines from other cores per %s (%s per operation): "
			"%s moves on every %s.",
			name, s->c->nr_workers, m, what, names,
			charges ? "the usage line" : "one line", what);
	else
		doc_add(d, DOC_ITEM,
			"%s, %d workers: %.3g lines from other cores per %s (%s per operation): "
			"%s.",
			name, s->c->nr_workers, m, what, names,
			m > 1 ? "more than one line moves each time"
			      : "now and then a line moves, most of the time it stays");
}

/* time on a CPU against time in the window, both per operation */
static void say_clock(struct doc *d, const struct counted *all, const struct series_set *set)
{
	double clock, rate, least = INFINITY;
	struct estimate e;
	int i, nr, cases = 0;

	for (i = 0; i < set->nr; i++) {
		clock = value(all, &set->s[i], "task_clock", &nr, &d->failed);
		if (!nr || series_rate(&set->s[i], &e) || !e.n || !(e.mid > 0))
			continue;
		rate = clock * e.mid / 1e9 / set->s[i].c->nr_workers;
		least = rate < least ? rate : least;
		cases++;
	}
	if (!cases)
		return;
	if (least >= 1 - CLOCK_LOST)
		doc_add(d, DOC_ITEM,
			"The workers had their CPUs for at least %.1f%% of the windows (task_clock).",
			least < 1 ? 100 * least : 100);
	else
		doc_add(d, DOC_ITEM,
			"In one case the workers had their CPUs for only %.1f%% of the windows "
			"(task_clock): something else ran there.",
			100 * least);
}

/* of each experiment the case with most workers, the first of them */
static void say_all_moves(struct doc *d, const struct counted *all, const struct series_set *set)
{
	const struct series *most;
	int i, k;

	for (i = 0; i < set->nr; i++) {
		for (k = 0; k < i && strcmp(set->s[k].c->experiment, set->s[i].c->experiment); k++)
			;
		if (k < i)
			continue;
		most = &set->s[i];
		for (k = i + 1; k < set->nr; k++)
			if (!strcmp(set->s[k].c->experiment, most->c->experiment) &&
			    set->s[k].c->nr_workers > most->c->nr_workers)
				most = &set->s[k];
		if (most->c->nr_workers > 1)
			say_moves(d, all, most);
	}
}

/* --------------------------------------------------------------- what is not there */

static bool same_absence(const struct result_counter *a, const struct result_counter *b)
{
	return !strcmp(a->state, b->state) &&
	       !strcmp(a->reason ? a->reason : "", b->reason ? b->reason : "");
}

/* the columns of one reason together */
static void absent_columns(struct doc *d, const struct results *r)
{
	const struct result_counter *c = r->counters;
	char names[400];
	size_t at;
	int i, k;

	for (i = 0; i < r->nr_counters; i++) {
		for (k = 0; k < i && !same_absence(&c[k], &c[i]); k++)
			;
		if (k < i || (!c[i].reason && !strcmp(c[i].state, "counted")))
			continue;
		for (at = 0, k = i; k < r->nr_counters; k++)
			if (same_absence(&c[k], &c[i]) && at < sizeof(names))
				at += snprintf(names + at, sizeof(names) - at, "%s%s",
					       at ? ", " : "", c[k].name);
		doc_add(d, DOC_ITEM, "%s %s%s: %s.", names,
			!strcmp(c[i].state, "counted") ? "in some windows " : "",
			!strcmp(c[i].state, "counted") ? "<not counted>" : c[i].state,
			c[i].reason ? c[i].reason : "no reason is given");
	}
}

static void say_how(struct doc *d, const struct results *r, const struct series_set *set)
{
	double least = INFINITY, share;
	int i, k;

	for (i = 0; i < set->nr; i++)
		for (k = 0; k < set->s[i].nr_valid; k++) {
			share = set->s[i].valid[k].s->counters_share;
			least = share < least ? share : least;
		}
	if (r->counters_multiplexed && isfinite(least))
		doc_add(d, DOC_PARA,
			"Multiplexed: the events took turns on the counters and were scaled; the least "
			"share of a window that one was counted is %.0f%%.",
			100 * least);
	else if (!r->counters_multiplexed)
		doc_add(d, DOC_PARA,
			"Events that fit the counters together are counted together, and such sets "
			"take turns over the windows: each number is of the windows of its set, and "
			"nothing is scaled.");
}

void counted_sections(struct doc *d, const struct report *rep)
{
	struct counted all = {.r = rep->r, .nr_files = rep->nr};
	const struct results *first = NULL;
	int i;

	for (i = 0; i < rep->nr; i++)
		if (rep->r[i]->nr_counters && !first)
			first = rep->r[i];
	if (!first)
		return;
	doc_section(d, "counters", "Counters");
	find_columns(&all, &rep->set, &d->failed);
	if (all.nr) {
		say_all_moves(d, &all, &rep->set);
		say_clock(d, &all, &rep->set);
		table(d, &all, &rep->set);
		say_how(d, first, &rep->set);
	} else {
		doc_add(d, DOC_PARA, "No undisturbed window counted anything.");
	}
	absent_columns(d, first);
	doc_add(d, DOC_PARA, "Counted with %s%s%s. What each means: chargeline list counters.",
		first->counters_backend, *first->counters_note ? ": " : "", first->counters_note);
}
