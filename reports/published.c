/* SPDX-License-Identifier: MIT */
/* The published cases that were run: the change that was published beside the one measured here. */
#include "published.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "report_private.h"
#include "text.h"

/* is @word one of the words of the command? */
static bool names(const char *command, const char *word)
{
	size_t len = strlen(word);
	const char *at = command;

	while (at && (at = strstr(at, word))) {
		if (at > command && at[-1] == ' ' && (!at[len] || at[len] == ' '))
			return true;
		at += len;
	}
	return false;
}

static bool was_run(const struct results *const *r, int nr, const struct bench_published_case *c)
{
	int i = 0;

	while (i < nr && !names(r[i]->command, c->name))
		i++;
	return i < nr;
}

/* ---------------------------------------------------------------------- the model's column */

struct patience {
	struct timespec until;
};

static bool too_late(void *ctx, const char *what, int nr_done, int nr)
{
	const struct patience *p = ctx;
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec > p->until.tv_sec ||
	       (now.tv_sec == p->until.tv_sec && now.tv_nsec >= p->until.tv_nsec);
}

static void say_late(struct reproduce_case *c)
{
	int i;

	for (i = 0; i < c->nr_rows; i++)
		if (isnan(c->rows[i].predicted))
			snprintf(c->rows[i].predicted_why, sizeof(c->rows[i].predicted_why),
				 "takes longer than a report may: chargeline reproduce %s "
				 "--no-measure",
				 c->c->name);
}

int report_published(const struct results *const *r, int nr, int seconds, struct reproduction **out,
		     struct err *err)
{
	const struct bench_published_case *chosen[16], *c;
	struct patience patience;
	const struct reproduce_progress progress = {too_late, &patience};
	int n = 0, i, rc;

	*out = NULL;
	for (c = bench_published_cases; c->name && n < 16; c++)
		if (was_run(r, nr, c))
			chosen[n++] = c;
	if (!n)
		return 0;
	clock_gettime(CLOCK_MONOTONIC, &patience.until);
	patience.until.tv_sec += seconds;
	rc = reproduce_predict(out, chosen, n, false, &progress, err);
	for (i = 0; rc == 1 && i < (*out)->nr; i++)
		say_late(&(*out)->cases[i]);
	return rc < 0 ? rc : 0;
}

/* NULL: was not asked for, or did not fit into the time: then that is said */
static struct reproduce_case *predicted(struct doc *d, const struct report *rep,
					const struct bench_published_case *c)
{
	struct reproduce_case *found = NULL;
	int i, left = 0;

	for (i = 0; rep->published && i < rep->published->nr; i++)
		if (rep->published->cases[i].c == c)
			found = &rep->published->cases[i];
	for (i = 0; found && i < found->nr_rows; i++)
		left += isnan(found->rows[i].predicted);
	if (!found || left < found->nr_rows)
		return found;
	doc_add(d, DOC_PARA,
		"What the model predicts for %s takes longer than a report may; this prints it:",
		found->machine);
	doc_add(d, DOC_COMMAND, "chargeline reproduce %s --no-measure", c->name);
	return NULL;
}

static void three_columns(struct doc *d, const struct report *rep, struct reproduce_case *c)
{
	if (reproduce_case_measured(c, &rep->set)) {
		d->failed = true;
		return;
	}
	doc_add(d, DOC_PARA,
		"The column 'model' is predicted on %s, the published machine%s%s, not on this one: "
		"%d CPUs, %d workers. 'fit': a free number was fitted on that row, or it is the base.",
		c->machine, c->c->model_note ? "; " : "", c->c->model_note ? c->c->model_note : "",
		c->machine_cpus, c->nr_workers);
	reproduce_table(d, c);
}

bool published_is_row(const struct published *p, const struct bench_published_row *row,
		      const struct result_case *c)
{
	int64_t v;
	int i;

	if (!text_same(c->experiment, p->exp->name) ||
	    bench_published_params(p->c, row, p->params, NULL))
		return false;
	for (i = 0; p->exp->params[i].name; i++)
		if (p->axis[i] && (!result_param(c, p->exp->params[i].name, &v) ||
				   v != param_get(&p->exp->params[i], p->params)))
			return false;
	return true;
}

/* the same but for what tells rows apart */
static bool same_group(const struct published *p, const struct result_case *a,
		       const struct result_case *b)
{
	const struct param *param = p->exp->params;
	int i;

	if (a->nr_workers != b->nr_workers || !text_same(a->placement, b->placement) ||
	    !text_same(a->home, b->home))
		return false;
	for (i = 0; param[i].name; i++)
		if (!p->axis[i] && !text_same(result_param_text(a, param[i].name),
					      result_param_text(b, param[i].name)))
			return false;
	return true;
}

const struct series *published_find(const struct published *p, const struct series_set *set,
				    const struct bench_published_row *row,
				    const struct result_case *base)
{
	int i;

	for (i = 0; i < set->nr; i++)
		if (published_is_row(p, row, set->s[i].c) && same_group(p, set->s[i].c, base))
			return &set->s[i];
	return NULL;
}

static void published_cells(struct doc *d, const struct bench_published_row *row)
{
	if (!isfinite(row->value[0]))
		doc_absent(d, "not published");
	else if (row->value[0] < row->value[1])
		doc_cell(d, "%.10g-%.10g", row->value[0], row->value[1]);
	else
		doc_cell(d, "%.10g", row->value[0]);
	if (row->base)
		doc_cell(d, "base");
	else if (isfinite(row->change))
		doc_cell(d, "%+.1f%%", row->change);
	else
		doc_absent(d, "not published as a change");
}

/* what the user set otherwise than the case has it */
static void say_overrides(struct doc *d, const struct published *p, const struct result_case *c)
{
	const struct param *param;
	char value[64];
	int64_t v;
	int i;

	if (bench_published_params(p->c, bench_published_base(p->c), p->params, NULL))
		return;
	for (i = 0; p->exp->params[i].name; i++) {
		param = &p->exp->params[i];
		if (p->axis[i] || !result_param(c, param->name, &v) ||
		    v == param_get(param, p->params))
			continue;
		doc_add(d, DOC_ITEM, "%s=%s here, the case has %s", param->name,
			result_param_text(c, param->name),
			param_text(param, param_get(param, p->params), value, sizeof(value)));
	}
}

static void group_table(struct doc *d, const struct published *p, const struct series_set *set,
			const struct series *base)
{
	const struct bench_published_row *row;
	const struct series *s;

	say_overrides(d, p, base->c);
	doc_table(d, "Published case %s: ratio between rows, %d worker%s here", p->c->name,
		  base->c->nr_workers, base->c->nr_workers == 1 ? "" : "s");
	doc_col(d, DOC_KEY, "row");
	doc_col(d, DOC_NUM, "published\nvalue");
	doc_col(d, DOC_NUM, "published\nchange");
	doc_col(d, DOC_NUM, "measured\nchange");
	doc_col(d, DOC_NUM, "%s/s\nhere", p->exp->unit);
	for (row = p->c->rows; row->name; row++) {
		s = published_find(p, set, row, base->c);
		doc_cell(d, "%s", row->name);
		published_cells(d, row);
		if (row->base)
			doc_cell(d, "base");
		else
			cell_ratio(d, s, base);
		cell_rate(d, s);
	}
}

static void say_case(struct doc *d, const struct bench_published_case *c)
{
	char workers[32] = "an unknown number of";
	int i;

	if (c->nr_workers)
		snprintf(workers, sizeof(workers), "about %d", c->nr_workers);
	doc_add(d, DOC_PARA,
		"%s, %s. Published by: %s. Machine: %s. Load: %s, %s workers. Values in %s.",
		c->name, c->title, c->source, c->machine, c->load, workers, c->unit);
	for (i = 0; i < BENCH_PUBLISHED_FITS && c->fit[i].name; i++)
		doc_add(d, DOC_ITEM, "not published, set to begin with: %s=%lld (%s)",
			c->fit[i].name, (long long)c->fit[i].value, c->fit[i].why);
}

/* a table for each base row that was measured: worker counts, and what the user swept */
static bool case_tables(struct doc *d, const struct report *rep, struct published *p, bool begun)
{
	const struct bench_published_row *base = bench_published_base(p->c);
	struct reproduce_case *beside;
	bool said = false;
	int i;

	for (i = 0; i < rep->set.nr; i++) {
		if (!published_is_row(p, base, rep->set.s[i].c))
			continue;
		if (!begun)
			doc_section(d, "published", "Published cases");
		if (!said)
			say_case(d, p->c);
		begun = true;
		if (!said && (beside = predicted(d, rep, p->c)))
			three_columns(d, rep, beside);
		said = true;
		group_table(d, p, &rep->set, &rep->set.s[i]);
	}
	return begun;
}

int published_open(struct published *p, const struct bench_published_case *c)
{
	int i;

	*p = (struct published){.c = c, .exp = experiment_find(c->experiment, NULL)};
	p->params = p->exp ? malloc(p->exp->params_size) : NULL;
	for (i = 0; p->params && p->exp->params[i].name && i < EXPERIMENT_MAX_PARAMS; i++)
		p->axis[i] = bench_published_tells_apart(c, p->exp->params[i].name);
	return p->params ? 0 : -ENOMEM;
}

void published_close(struct published *p)
{
	free(p->params);
}

void published_sections(struct doc *d, const struct report *rep)
{
	const struct bench_published_case *c;
	struct published p;
	bool begun = false;

	for (c = bench_published_cases; c->name; c++) {
		if (!was_run(rep->r, rep->nr, c))
			continue;
		if (published_open(&p, c))
			d->failed = true;
		else
			begun = case_tables(d, rep, &p, begun);
		published_close(&p);
	}
}
