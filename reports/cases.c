/* SPDX-License-Identifier: MIT */
/* The cases that no other section shows: one row each, and only what differs as columns. */
#include "report_private.h"

#include <stdlib.h>
#include <string.h>

#include "experiment.h"

/* the rows of one experiment, and the names of what differs between them */
struct rows {
	const struct series **s;
	int nr;
	const char *params[EXPERIMENT_MAX_PARAMS];
	bool varies[EXPERIMENT_MAX_PARAMS];
	int nr_params;
	bool placements, homes;
};

static bool same(const char *a, const char *b)
{
	return !strcmp(a ? a : "", b ? b : "");
}

static void add_params(struct rows *rows, const struct result_case *c)
{
	int i, k;

	for (i = 0; i < c->nr_params; i++) {
		for (k = 0; k < rows->nr_params && !same(rows->params[k], c->params[i].name); k++)
			;
		if (k == rows->nr_params && k < EXPERIMENT_MAX_PARAMS)
			rows->params[rows->nr_params++] = c->params[i].name;
	}
}

static void find_varying(struct rows *rows)
{
	const struct result_case *first = rows->s[0]->c, *c;
	int i, k;

	for (i = 0; i < rows->nr; i++)
		add_params(rows, rows->s[i]->c);
	for (i = 1; i < rows->nr; i++) {
		c = rows->s[i]->c;
		rows->placements |= !same(c->placement, first->placement);
		rows->homes |= !same(c->home, first->home);
		for (k = 0; k < rows->nr_params; k++)
			rows->varies[k] |= !same(result_param_text(c, rows->params[k]),
						 result_param_text(first, rows->params[k]));
	}
}

static void say_fixed(struct doc *d, const struct rows *rows)
{
	const struct result_case *first = rows->s[0]->c;
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);
	int k;

	if (!to) {
		d->failed = true;
		return;
	}
	for (k = 0; k < rows->nr_params; k++)
		if (!rows->varies[k])
			fprintf(to, "%s=%s, ", rows->params[k],
				result_param_text(first, rows->params[k]));
	if (!rows->placements)
		fprintf(to, "placement %s, ", first->placement ? first->placement : "unknown");
	if (!rows->homes)
		fprintf(to, "home %s, ", first->home ? first->home : "unknown");
	if (fclose(to))
		d->failed = true;
	else if (size > 2)
		doc_add(d, DOC_PARA, "In all of them: %.*s.", (int)size - 2, text);
	free(text);
}

/* a number is written as its value, a choice as its name */
static bool is_number(const struct result_case *c, const char *param)
{
	const char *text = result_param_text(c, param);
	char digits[24];
	int64_t value;

	if (!text || !result_param(c, param, &value))
		return false;
	snprintf(digits, sizeof(digits), "%lld", (long long)value);
	return !strcmp(text, digits);
}

static int nr_metrics(const struct result_case *c)
{
	return c->nr_metrics < EXPERIMENT_MAX_METRICS ? c->nr_metrics : EXPERIMENT_MAX_METRICS;
}

static void columns(struct doc *d, const struct rows *rows, const char *unit)
{
	const struct result_case *c = rows->s[0]->c;
	int k;

	for (k = 0; k < rows->nr_params; k++)
		if (rows->varies[k])
			doc_col(d, is_number(c, rows->params[k]) ? DOC_NUM_KEY : DOC_KEY, "%s",
				rows->params[k]);
	if (rows->placements)
		doc_col(d, DOC_KEY, "placement");
	if (rows->homes)
		doc_col(d, DOC_KEY, "home");
	doc_col(d, DOC_NUM_KEY, "workers");
	doc_col(d, DOC_NUM, "%s/s", unit);
	doc_col(d, DOC_NUM, "Jain's\nindex");
	doc_col(d, DOC_NUM, "slowest /\nfastest");
	for (k = 0; k < nr_metrics(c); k++)
		doc_col(d, DOC_NUM, "%s\n%s", c->metrics[k].name, c->metrics[k].unit);
}

static void row(struct doc *d, const struct rows *rows, const struct series *s)
{
	const char *text;
	int k;

	for (k = 0; k < rows->nr_params; k++) {
		text = result_param_text(s->c, rows->params[k]);
		if (rows->varies[k])
			doc_cell(d, "%s", text ? text : "-");
	}
	if (rows->placements)
		doc_cell(d, "%s", s->c->placement ? s->c->placement : "-");
	if (rows->homes)
		doc_cell(d, "%s", s->c->home ? s->c->home : "-");
	doc_cell(d, "%d", s->c->nr_workers);
	cell_rate(d, s);
	cell_value(d, s, SERIES_JAIN);
	cell_value(d, s, SERIES_SLOWEST_TO_FASTEST);
	for (k = 0; k < nr_metrics(rows->s[0]->c); k++) {
		if (k < nr_metrics(s->c))
			cell_value(d, s, SERIES_METRICS + k);
		else
			doc_absent(d, "this case does not count it");
	}
}

static void experiment_table(struct doc *d, struct rows *rows)
{
	const char *name = rows->s[0]->c->experiment;
	const struct experiment *exp = experiment_find(name, NULL);
	int i;

	find_varying(rows);
	say_fixed(d, rows);
	doc_table(d, "%s", name);
	columns(d, rows, exp && exp->unit ? exp->unit : "operations");
	for (i = 0; i < rows->nr; i++)
		row(d, rows, rows->s[i]);
}

void cases_sections(struct doc *d, const struct series_set *set)
{
	const struct series **left = calloc(set->nr + 1, sizeof(*left));
	const struct series **mine = calloc(set->nr + 1, sizeof(*mine));
	struct rows rows;
	const char *name;
	int i, nr = 0, rest;

	for (i = 0; left && i < set->nr; i++)
		if (!set->s[i].in_grid && !set->s[i].in_matrix)
			left[nr++] = &set->s[i];
	if (nr)
		doc_section(d, "cases", "Cases");
	for (; mine && nr; nr = rest) {
		rows = (struct rows){.s = mine};
		name = left[0]->c->experiment;
		for (rest = 0, i = 0; i < nr; i++) {
			if (same(left[i]->c->experiment, name))
				mine[rows.nr++] = left[i];
			else
				left[rest++] = left[i];
		}
		experiment_table(d, &rows);
	}
	d->failed |= !left || !mine;
	free(left);
	free(mine);
}
