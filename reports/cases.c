/* SPDX-License-Identifier: MIT */
/* The cases that no other section shows: one row each, and only what differs as columns. */
#include "report_private.h"

#include <stdlib.h>
#include <string.h>

#include "experiment.h"
#include "rows.h"

static bool same(const char *a, const char *b)
{
	return !strcmp(a ? a : "", b ? b : "");
}

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

void cases_sections(struct doc *d, const struct series_set *set)
{
	const struct series **left = calloc(set->nr + 1, sizeof(*left));
	const struct series **mine = calloc(set->nr + 1, sizeof(*mine));
	const char *name;
	int i, nr = 0, nr_mine, rest;

	for (i = 0; left && i < set->nr; i++)
		if (!set->s[i].in_grid && !set->s[i].in_matrix)
			left[nr++] = &set->s[i];
	if (nr)
		doc_section(d, "cases", "Cases");
	for (; mine && nr; nr = rest) {
		name = left[0]->c->experiment;
		for (rest = 0, nr_mine = 0, i = 0; i < nr; i++) {
			if (same(left[i]->c->experiment, name))
				mine[nr_mine++] = left[i];
			else
				left[rest++] = left[i];
		}
		experiment_table(d, mine, nr_mine);
	}
	d->failed |= !left || !mine;
	free(left);
	free(mine);
}
