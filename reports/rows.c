/* SPDX-License-Identifier: MIT */
#include "rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "series.h"
#include "text.h"

static void add_params(struct rows *rows, const struct result_case *c)
{
	int i, k;

	for (i = 0; i < c->nr_params; i++) {
		for (k = 0; k < rows->nr_params && !text_same(rows->params[k], c->params[i].name);
		     k++)
			;
		if (k == rows->nr_params && k < EXPERIMENT_MAX_PARAMS)
			rows->params[rows->nr_params++] = c->params[i].name;
	}
}

void rows_find_varying(struct rows *rows)
{
	const struct result_case *first = rows->c[0], *c;
	int i, k;

	for (i = 0; i < rows->nr; i++) {
		add_params(rows, rows->c[i]);
		rows->pairs |= series_is_pair(rows->c[i]);
	}
	for (i = 1; i < rows->nr; i++) {
		c = rows->c[i];
		rows->placements |= !text_same(c->placement, first->placement);
		rows->homes |= !text_same(c->home, first->home);
		for (k = 0; k < rows->nr_params; k++)
			rows->varies[k] |= !text_same(result_param_text(c, rows->params[k]),
						      result_param_text(first, rows->params[k]));
	}
	/* the two CPUs say it all */
	rows->placements &= !rows->pairs;
}

void rows_say_fixed(struct doc *d, const struct rows *rows)
{
	const struct result_case *first = rows->c[0];
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
	if (!rows->placements && !rows->pairs)
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

void rows_key_columns(struct doc *d, const struct rows *rows)
{
	int k;

	for (k = 0; k < rows->nr_params; k++)
		if (rows->varies[k])
			doc_col(d, is_number(rows->c[0], rows->params[k]) ? DOC_NUM_KEY : DOC_KEY,
				"%s", rows->params[k]);
	if (rows->pairs)
		doc_col(d, DOC_KEY, "CPUs");
	if (rows->placements)
		doc_col(d, DOC_KEY, "placement");
	if (rows->homes)
		doc_col(d, DOC_KEY, "home");
	doc_col(d, DOC_NUM_KEY, "workers");
}

static const char *cpus_text(const struct result_case *c, char *buf, size_t size)
{
	return c->cpus.nr ? cpulist_format(&c->cpus, buf, size) : "-";
}

void rows_key_cells(struct doc *d, const struct rows *rows, const struct result_case *c)
{
	char buf[48];
	const char *text;
	int k;

	for (k = 0; k < rows->nr_params; k++) {
		text = result_param_text(c, rows->params[k]);
		if (rows->varies[k])
			doc_cell(d, "%s", text ? text : "-");
	}
	if (rows->pairs)
		doc_cell(d, "%s", cpus_text(c, buf, sizeof(buf)));
	if (rows->placements)
		doc_cell(d, "%s", c->placement ? c->placement : "-");
	if (rows->homes)
		doc_cell(d, "%s", c->home ? c->home : "-");
	doc_cell(d, "%d", c->nr_workers);
}

char *rows_label(const struct rows *rows, const struct result_case *c)
{
	char buf[48], *label = NULL;
	const char *text;
	size_t size;
	FILE *to = open_memstream(&label, &size);
	int k;

	if (!to)
		return NULL;
	fprintf(to, "%s", c->experiment);
	for (k = 0; k < rows->nr_params; k++) {
		text = result_param_text(c, rows->params[k]);
		if (rows->varies[k] && text)
			fprintf(to, " %s=%s", rows->params[k], text);
	}
	if (rows->pairs)
		fprintf(to, ", CPUs %s", cpus_text(c, buf, sizeof(buf)));
	if (rows->placements)
		fprintf(to, ", placement %s", c->placement ? c->placement : "-");
	if (rows->homes)
		fprintf(to, ", home %s", c->home ? c->home : "-");
	fprintf(to, ", %d worker%s", c->nr_workers, c->nr_workers == 1 ? "" : "s");
	if (!fclose(to))
		return label;
	free(label);
	return NULL;
}
