/* SPDX-License-Identifier: MIT */
/* The rows of a comparison: LKP's columns, one table an experiment. */
#include "compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare_private.h"
#include "doc.h"
#include "format.h"
#include "rows.h"

/* ------------------------------------------------------------------- cells */

static char *change_text(char *buf, const struct compare_figure *f)
{
	struct estimate e = {compare_change(f), -INFINITY, INFINITY, 1};

	if (!isfinite(e.mid))
		return strcpy(buf, "from 0");
	format_gain(buf, &e);
	buf[strlen(buf) - 2] = '\0'; /* " ?": the interval has a column of its own */
	return buf;
}

static bool differs(const struct compare_figure *f)
{
	return f->verdict == COMPARE_SLOWER || f->verdict == COMPARE_FASTER;
}

static char *interval_text(char *buf, const struct estimate *e)
{
	char *from, *to;

	if (!e->n || !isfinite(e->lo) || !isfinite(e->hi))
		return strcpy(buf, "?");
	format_gain(buf, e);
	from = strchr(buf, '[');
	to = strchr(from, ']');
	to[1] = '\0';
	return memmove(buf, from, to + 2 - from);
}

static char *p_text(char *buf, double p)
{
	if (isnan(p))
		return strcpy(buf, "?");
	snprintf(buf, FORMAT_MAX, p < 1e-4 ? "<0.0001" : "%.*f", p < 0.1 ? 4 : 2, p);
	return buf;
}

static void side_cell(struct doc *d, const struct compare_figure *f, int side)
{
	char value[FORMAT_MAX];

	if (!f->n[side])
		return doc_absent(d, "no undisturbed window");
	text_si(value, sizeof(value), f->median[side]);
	if (isfinite(f->stddev[side]))
		doc_cell(d, "%s +-%.*f%%", value, f->stddev[side] < 0.0995 ? 1 : 0,
			 100 * f->stddev[side]);
	else
		doc_cell(d, "%s", value);
}

static void change_cell(struct doc *d, const struct compare_figure *f)
{
	char text[FORMAT_MAX];

	if (!f->n[0] || !f->n[1])
		doc_cell(d, "-");
	else if (differs(f))
		doc_cell(d, "%s", change_text(text, f));
	else
		doc_cell(d, f->verdict == COMPARE_NONE_SEEN ? "~" : "?");
}

static void figure_columns(struct doc *d)
{
	doc_col(d, DOC_NUM, "A\n%%stddev");
	doc_col(d, DOC_NUM, "\n%%change");
	doc_col(d, DOC_NUM, "B\n%%stddev");
	doc_col(d, DOC_NUM, "95%% interval\nof the change");
	doc_col(d, DOC_NUM, "\np");
}

static void figure_cells(struct doc *d, const struct compare_figure *f)
{
	char text[FORMAT_MAX];

	side_cell(d, f, 0);
	change_cell(d, f);
	side_cell(d, f, 1);
	doc_cell(d, "%s", interval_text(text, &f->ratio));
	doc_cell(d, "%s", p_text(text, f->p_holm));
}

/* ------------------------------------------------------------- one experiment's rows */

/* the rows of the experiment of c->rows[first], and their words */
struct group {
	struct rows rows;
	const struct compare_row **of;
};

static bool group_make(struct group *g, const struct compare *c, int first)
{
	int i;

	*g = (struct group){.rows.c = calloc(c->nr_rows, sizeof(*g->rows.c)),
			    .of = calloc(c->nr_rows, sizeof(*g->of))};
	if (!g->rows.c || !g->of)
		return false;
	for (i = first; i < c->nr_rows; i++) {
		if (strcmp(c->rows[i].c->experiment, c->rows[first].c->experiment))
			continue;
		g->of[g->rows.nr] = &c->rows[i];
		g->rows.c[g->rows.nr++] = c->rows[i].c;
	}
	rows_find_varying(&g->rows);
	return true;
}

static void group_free(struct group *g)
{
	free(g->rows.c);
	free(g->of);
}

static bool is_first(const struct compare *c, int row)
{
	int i;

	for (i = 0; i < row; i++)
		if (!strcmp(c->rows[i].c->experiment, c->rows[row].c->experiment))
			return false;
	return true;
}

void compare_item(struct doc *d, const struct compare *c, const struct compare_row *row)
{
	char pct[FORMAT_MAX], interval[FORMAT_MAX], p[FORMAT_MAX], *label;
	struct group g;
	int first = 0;

	while (strcmp(c->rows[first].c->experiment, row->c->experiment))
		first++;
	label = group_make(&g, c, first) ? rows_label(&g.rows, row->c) : NULL;
	if (label)
		doc_add(d, DOC_ITEM, "%s: %s %s, p %s", label, change_text(pct, &row->rate),
			interval_text(interval, &row->rate.ratio), p_text(p, row->rate.p_holm));
	d->failed |= !label;
	free(label);
	group_free(&g);
}

static void rate_table(struct doc *d, const struct group *g)
{
	const char *name = g->rows.c[0]->experiment;
	const struct experiment *exp = experiment_find(name, NULL);
	int i;

	rows_say_fixed(d, &g->rows);
	doc_table(d, "%s, %s per second", name, exp && exp->unit ? exp->unit : "operations");
	rows_key_columns(d, &g->rows);
	figure_columns(d);
	for (i = 0; i < g->rows.nr; i++) {
		rows_key_cells(d, &g->rows, g->rows.c[i]);
		figure_cells(d, &g->of[i]->rate);
	}
}

static int nr_metrics_that_differ(const struct group *g)
{
	int i, w, nr = 0;

	for (i = 0; i < g->rows.nr; i++)
		for (w = 0; w < g->rows.c[i]->nr_metrics; w++)
			nr += differs(&g->of[i]->metrics[w]);
	return nr;
}

static void metric_table(struct doc *d, const struct group *g)
{
	int i, w;

	doc_table(d, "%s", g->rows.c[0]->experiment);
	rows_key_columns(d, &g->rows);
	doc_col(d, DOC_KEY, "figure");
	figure_columns(d);
	for (i = 0; i < g->rows.nr; i++) {
		for (w = 0; w < g->rows.c[i]->nr_metrics; w++) {
			if (!differs(&g->of[i]->metrics[w]))
				continue;
			rows_key_cells(d, &g->rows, g->rows.c[i]);
			doc_cell(d, "%s %s", g->rows.c[i]->metrics[w].name,
				 g->rows.c[i]->metrics[w].unit);
			figure_cells(d, &g->of[i]->metrics[w]);
		}
	}
}

void compare_tables(struct doc *d, const struct compare *c)
{
	bool opened = false, made = true;
	struct group g;
	int i, pass;

	for (pass = 0; pass < 2; pass++) {
		for (i = 0; i < c->nr_rows && made; i++) {
			if (!is_first(c, i))
				continue;
			made = group_make(&g, c, i);
			if (made && !pass) {
				if (!i)
					doc_section(d, "cases", "Cases");
				rate_table(d, &g);
			} else if (made && nr_metrics_that_differ(&g)) {
				if (!opened)
					doc_section(d, "figures", "What else differs");
				opened = true;
				metric_table(d, &g);
			}
			group_free(&g);
		}
	}
	d->failed |= !made;
}
