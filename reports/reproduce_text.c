/* SPDX-License-Identifier: MIT */
/* The published cases as text: a table each, and the numbers that were fitted. */
#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "published.h"

static const char *value_text(char *buf, size_t size, enum figure figure, double x)
{
	static const char *const format[] = {[FIGURE_CHANGE] = "%+.1f%%",
					     [FIGURE_SHARE] = "%.4g%%",
					     [FIGURE_FACTOR] = "x%.2f",
					     [FIGURE_COUNT] = "%.3g"};

	snprintf(buf, size, format[figure], x);
	return buf;
}

static void published_cell(struct doc *d, const struct reproduce_row *r)
{
	char text[32];

	if (isnan(r->published[0]))
		doc_absent(d, r->published_why);
	else if (r->figure == FIGURE_CHANGE && r->row->base)
		doc_cell(d, "base");
	else if (r->published[0] < r->published[1])
		doc_cell(d, "%.4g-%.4g%%", r->published[0], r->published[1]);
	else
		doc_cell(d, "%s", value_text(text, sizeof(text), r->figure, r->published[0]));
}

static void predicted_cells(struct doc *d, const struct reproduce_row *r)
{
	char text[32];

	if (isnan(r->predicted))
		doc_absent(d, r->predicted_why);
	else if (r->figure == FIGURE_CHANGE && r->row->base)
		doc_cell(d, "base");
	else
		doc_cell(d, "%s", value_text(text, sizeof(text), r->figure, r->predicted));
	doc_cell(d, "%s", r->fitted ? "fit" : "predicted");
	if (isnan(r->error_points))
		doc_absent(d, r->error_why);
	else if (r->figure == FIGURE_FACTOR)
		doc_cell(d, "%+.1f%%", r->error_points);
	else
		doc_cell(d, "%+.1f pt", fabs(r->error_points) < 0.05 ? 0 : r->error_points);
}

static void measured_cell(struct doc *d, const struct reproduce_row *r)
{
	const struct estimate *e = &r->measured;
	char mid[32], lo[32], hi[32];

	if (!e->n)
		doc_absent(d, r->measured_why);
	else if (r->figure == FIGURE_CHANGE && r->row->base)
		doc_cell(d, "base");
	else if (isfinite(e->lo) && isfinite(e->hi))
		doc_cell(d, "%s [%s, %s]", value_text(mid, sizeof(mid), r->figure, e->mid),
			 value_text(lo, sizeof(lo), r->figure, e->lo),
			 value_text(hi, sizeof(hi), r->figure, e->hi));
	else
		doc_cell(d, "%s ?", value_text(mid, sizeof(mid), r->figure, e->mid));
}

void reproduce_table(struct doc *d, const struct reproduce_case *c)
{
	int i;

	doc_table(d, "Case %s: published, predicted on %s, measured here", c->c->name, c->machine);
	doc_col(d, DOC_KEY, "row");
	doc_col(d, DOC_NUM, "published");
	doc_col(d, DOC_NUM, "model");
	doc_col(d, DOC_WORD, "kind");
	doc_col(d, DOC_NUM, "error");
	doc_col(d, DOC_NUM, "measured\nhere");
	for (i = 0; i < c->nr_rows; i++) {
		doc_cell(d, "%s", c->rows[i].name);
		published_cell(d, &c->rows[i]);
		predicted_cells(d, &c->rows[i]);
		measured_cell(d, &c->rows[i]);
	}
}

static void say_fit(struct doc *d, const struct reproduce_fit *f, bool refit)
{
	char again[560] = "", on[160] = "not free";

	if (f->fit->on)
		snprintf(on, sizeof(on), "fitted on row '%s'", f->fit->on);
	if (refit && f->refitted)
		snprintf(again, sizeof(again), " Found again: %lld, %s.", (long long)f->found,
			 f->differs ? "NOT the same" : "the same");
	else if (refit && f->fit->on)
		snprintf(again, sizeof(again), " Not found again: %s.", f->why);
	doc_add(d, DOC_ITEM, "%s=%lld %s, %s (%s).%s", f->fit->name, (long long)f->fit->value,
		f->unit, on, f->fit->why, again);
}

static void case_section(struct doc *d, const struct reproduce_case *c, bool refit)
{
	const struct bench_published_case *p = c->c;
	int i;

	doc_section(d, p->name, p->title);
	doc_fact(d, "published", "%s. %s; %s", p->source, p->machine, p->load);
	doc_fact(d, "predicted", "on %s, %d CPUs, %d workers%s%s", c->machine, c->machine_cpus,
		 c->nr_workers, p->model_note ? "; " : "", p->model_note ? p->model_note : "");
	if (c->measured_workers)
		doc_fact(d, "measured", "here, on %d CPU%s", c->measured_workers,
			 c->measured_workers == 1 ? "" : "s");
	if (p->kind == BENCH_SHARES)
		doc_fact(d, "share", "%s", p->unit);
	for (i = 0; i < c->nr_fits; i++)
		say_fit(d, &c->fit[i], refit);
	reproduce_table(d, c);
	for (i = 0; i < c->nr_rows; i++)
		if (c->rows[i].row->note && (!i || c->rows[i].row != c->rows[i - 1].row))
			doc_add(d, DOC_ITEM, "%s: %s", c->rows[i].row->name, c->rows[i].row->note);
}

int reproduce_text(const struct reproduction *r, FILE *to)
{
	struct doc *d = doc_new("chargeline reproduce: published cases");
	int i, rc;

	if (!d)
		return -ENOMEM;
	doc_section(d, "about", "How to read it");
	doc_add(d, DOC_PARA,
		"The column 'model' is no measurement: 'predicted' is a prediction of the model, 'fit' "
		"is a row that a free number was fitted on, or the base. At most two numbers and two rows "
		"of a case are fitted. The error is in percentage points (pt); of a factor it is percent "
		"of it. A change is that of the throughput against the base row.");
	for (i = 0; i < r->nr; i++)
		case_section(d, &r->cases[i], r->refit);
	rc = d->failed ? -ENOMEM : doc_write_text(d, to);
	doc_free(d);
	return rc;
}
