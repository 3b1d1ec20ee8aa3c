/* SPDX-License-Identifier: MIT */
/* The cases that no other section shows: one row each, and only what differs as columns. */
#include "plots.h"

#include <stdlib.h>
#include <string.h>

#include "experiment.h"
#include "rows.h"
#include "text.h"

static int nr_metrics(const struct result_case *c)
{
	return c->nr_metrics < EXPERIMENT_MAX_METRICS ? c->nr_metrics : EXPERIMENT_MAX_METRICS;
}

static void columns(struct doc *d, const struct rows *rows, const char *unit)
{
	const struct result_case *c = rows->c[0];
	int k;

	rows_key_columns(d, rows);
	doc_col(d, DOC_NUM, "%s/s", unit);
	doc_col(d, DOC_NUM, "Jain's\nindex");
	doc_col(d, DOC_NUM, "slowest /\nfastest");
	for (k = 0; k < nr_metrics(c); k++)
		doc_col(d, DOC_NUM, "%s\n%s", c->metrics[k].name, c->metrics[k].unit);
}

static void row(struct doc *d, const struct rows *rows, const struct series *s)
{
	int k;

	rows_key_cells(d, rows, s->c);
	cell_rate(d, s);
	cell_value(d, s, SERIES_JAIN);
	cell_value(d, s, SERIES_SLOWEST_TO_FASTEST);
	for (k = 0; k < nr_metrics(rows->c[0]); k++) {
		if (k < nr_metrics(s->c))
			cell_value(d, s, SERIES_METRICS + k);
		else
			doc_absent(d, "this case does not count it");
	}
}

static void experiment_table(struct doc *d, const struct series **s, int nr)
{
	const char *name = s[0]->c->experiment;
	const struct experiment *exp = experiment_find(name, NULL);
	struct rows rows = {.c = calloc(nr, sizeof(*rows.c)), .nr = nr};
	int i;

	if (!rows.c) {
		d->failed = true;
		return;
	}
	for (i = 0; i < nr; i++)
		rows.c[i] = s[i]->c;
	rows_find_varying(&rows);
	rows_say_fixed(d, &rows);
	doc_table(d, "%s", name);
	columns(d, &rows, exp && exp->unit ? exp->unit : "operations");
	for (i = 0; i < nr; i++)
		row(d, &rows, s[i]);
	free(rows.c);
}

/* subjects that have a section of their own, in the order of the page */
static const struct topic {
	const char *experiment, *id, *title;
	struct figure_of figure;
} topics[] = {
	{"memcg_stock",
	 "stock",
	 "The charge stock: hit rates",
	 {"stock", "Hit rate of the charge stock", "hit_rate", "charges that the stock served",
	  true}},
	{"vmstats_flush",
	 "flush",
	 "Statistics: the flush threshold and what it leaves unseen",
	 {"flush", "Staleness of the statistics", "worst_staleness", "most that was not folded",
	  false}},
	{"sk_forward_alloc",
	 "forward-alloc",
	 "Socket memory taken ahead",
	 {"forward-alloc", "Pages taken for socket memory", "raises", "raises", false}},
};
#define NR_TOPICS ((int)(sizeof(topics) / sizeof(topics[0])))

/* moves those of @name from @left to @mine; returns how many stay */
static int take(const struct series **left, int nr, const char *name, const struct series **mine,
		int *nr_mine)
{
	int i, rest = 0;

	for (*nr_mine = 0, i = 0; i < nr; i++) {
		if (text_same(left[i]->c->experiment, name))
			mine[(*nr_mine)++] = left[i];
		else
			left[rest++] = left[i];
	}
	return rest;
}

static void each_experiment(struct doc *d, const struct series **left, int nr,
			    const struct series **mine)
{
	bool begun = false;
	int i, n;

	for (i = 0; i < NR_TOPICS; i++) {
		nr = take(left, nr, topics[i].experiment, mine, &n);
		if (!n)
			continue;
		doc_section(d, topics[i].id, topics[i].title);
		figure_cases(d, mine, n, &topics[i].figure);
		experiment_table(d, mine, n);
	}
	while (nr) {
		if (!begun)
			doc_section(d, "cases", "Cases");
		begun = true;
		nr = take(left, nr, left[0]->c->experiment, mine, &n);
		experiment_table(d, mine, n);
	}
}

void cases_sections(struct doc *d, const struct series_set *set)
{
	const struct series **left = calloc(set->nr + 1, sizeof(*left));
	const struct series **mine = calloc(set->nr + 1, sizeof(*mine));
	int i, nr = 0;

	for (i = 0; left && i < set->nr; i++)
		if (!set->s[i].in_grid && !set->s[i].in_matrix)
			left[nr++] = &set->s[i];
	if (mine)
		each_experiment(d, left, nr, mine);
	d->failed |= !left || !mine;
	free(left);
	free(mine);
}
