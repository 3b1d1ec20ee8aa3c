/* SPDX-License-Identifier: MIT */
/* Predictions as text: the curve, and for each end of it where the time goes. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "predict_private.h"

#define FIELDS_WIDTH 56

bool predict_varies(const struct plan *plan, const struct experiment *e, const struct param *p)
{
	const struct bench_case *first = NULL;
	int i;

	for (i = 0; i < plan->nr_cases; i++) {
		if (plan->cases[i].exp != e)
			continue;
		if (!first)
			first = &plan->cases[i];
		else if (param_get(p, first->params) != param_get(p, plan->cases[i].params))
			return true;
	}
	return false;
}

static double share(int64_t part, const struct sim_time *t)
{
	int64_t all = t->work + t->hits + t->transfers + t->queueing + t->other;

	return all > 0 ? 100.0 * part / all : 0;
}

static void cells(struct doc *d, const struct bench_case *c, const struct sim_result *r)
{
	char rate[32];

	doc_cell(d, "%d", c->cpus.nr);
	doc_cell(d, "%s", text_si(rate, sizeof(rate), r->rate));
	doc_cell(d, "%.1f", r->ns_per_op);
	doc_cell(d, "%.3g", r->transfers_per_op);
	doc_cell(d, "%.0f%%", share(r->time.work, &r->time));
	doc_cell(d, "%.0f%%", share(r->time.hits + r->time.other, &r->time));
	doc_cell(d, "%.0f%%", share(r->time.transfers, &r->time));
	doc_cell(d, "%.0f%%", share(r->time.queueing, &r->time));
}

static void curve(struct doc *d, const struct plan *plan, const struct experiment *e,
		  const struct sim_result *r)
{
	const struct param *p;
	char text[64];
	int i;

	doc_table(d, "Predicted: %s. ns is one worker's time per operation; the shares are of it",
		  e->op);
	for (p = e->params; p && p->name; p++)
		if (predict_varies(plan, e, p))
			doc_col(d, p->choices ? DOC_KEY : DOC_NUM_KEY, "%s", p->name);
	doc_col(d, DOC_NUM_KEY, "workers");
	doc_col(d, DOC_NUM, "%s/s", e->unit);
	doc_col(d, DOC_NUM, "ns");
	doc_col(d, DOC_NUM, "transfers\nper op");
	doc_col(d, DOC_NUM, "local\nwork");
	doc_col(d, DOC_NUM, "own\nhits");
	doc_col(d, DOC_NUM, "trans-\nfers");
	doc_col(d, DOC_NUM, "queue-\ning");
	for (i = 0; i < plan->nr_cases; i++) {
		if (plan->cases[i].exp != e)
			continue;
		for (p = e->params; p && p->name; p++)
			if (predict_varies(plan, e, p))
				doc_cell(d, "%s",
					 param_text(p, param_get(p, plan->cases[i].params), text,
						    sizeof(text)));
		cells(d, &plan->cases[i], &r[i]);
	}
}

/* whole names, as many as a column holds */
static void shorten(char *out, const char *fields)
{
	size_t len = strlen(fields);

	if (len > FIELDS_WIDTH)
		for (len = FIELDS_WIDTH - 4; len && fields[len] != ' '; len--)
			;
	sprintf(out, "%.*s%s", (int)len, fields, fields[len] ? " ..." : "");
}

/* the lines of the case that waits most: which fields are to blame */
static void lines(struct doc *d, const struct plan *plan, const struct experiment *e,
		  const struct sim_result *r)
{
	char text[200];
	int64_t sum = 0;
	int i, worst = -1;

	for (i = 0; i < plan->nr_cases; i++)
		if (plan->cases[i].exp == e && r[i].nr_lines &&
		    (worst < 0 || r[i].transfers_per_op * r[i].ns_per_op >
					  r[worst].transfers_per_op * r[worst].ns_per_op))
			worst = i;
	if (worst < 0)
		return;
	for (i = 0; i < r[worst].nr_lines; i++)
		sum += r[worst].line[i].waited_ps;
	doc_table(d, "Where it waits: the lines of %s",
		  bench_case_text(&plan->cases[worst], text, sizeof(text)));
	doc_col(d, DOC_NUM_KEY, "line at");
	doc_col(d, DOC_NUM, "share of\nwaiting");
	doc_col(d, DOC_NUM, "transfers per\naccess");
	doc_col(d, DOC_WORD, "fields (level:name)");
	for (i = 0; i < r[worst].nr_lines && i < 8; i++) {
		doc_cell(d, "%lld", (long long)r[worst].line[i].offset);
		doc_cell(d, "%.0f%%", 100.0 * r[worst].line[i].waited_ps / sum);
		doc_cell(d, "%.2f", (double)r[worst].line[i].transfers / r[worst].line[i].accesses);
		shorten(text, r[worst].line[i].fields);
		doc_cell(d, "%s", *text ? text : "(not named)");
	}
}

static void machine(struct doc *d, const struct sim_profile *p, const struct sim_result *r, int nr)
{
	double worst = 0;
	int i, bounded = 0;

	doc_section(d, "machine", "The machine, as a profile");
	doc_fact(d, "class", "%s, %d CPUs", topo_info(p->topo)->class_name, p->nr_cpus);
	doc_fact(d, "costs",
		 "hand-over in ns: siblings %.1f, same cache %.1f, same socket %.1f, other "
		 "socket %.1f; an atomic that hits %.2f; visit %.3f, batch %d%s",
		 p->costs.smt / 1e3, p->costs.cluster / 1e3, p->costs.socket / 1e3,
		 p->costs.cross / 1e3, p->costs.rmw / 1e3, p->costs.visit, p->costs.batch,
		 p->costs.far_ps ? ", atomics run at the home" : "");
	if (*p->source)
		doc_fact(d, "source", "%s", p->source);
	for (i = 0; i < nr; i++) {
		worst = r[i].half_width > worst ? r[i].half_width : worst;
		bounded += r[i].bounded;
	}
	doc_add(d, DOC_PARA,
		"All figures are predictions of a model, none is a measurement. The simulation's own "
		"uncertainty is at most +-%.2g%%; that of the model is larger, see docs/model.md.",
		100 * worst);
	if (bounded)
		doc_add(d, DOC_ITEM, "%d of %d cases ended at the bound of simulated accesses.",
			bounded, nr);
}

static int write(const struct sim_profile *p, const struct plan *plan, const struct sim_result *r,
		 const char *command, int (*writer)(const struct doc *, FILE *), FILE *to)
{
	struct doc *d = doc_new("chargeline predict: %s%s", p->name,
				writer == doc_write_html ? " (prediction)" : "");
	int i, k, rc, nr_figures = 0;

	if (!d)
		return -ENOMEM;
	predict_answer(d, p, plan, r);
	machine(d, p, r, plan->nr_cases);
	if (writer == doc_write_html)
		predict_map(d, p);
	for (i = 0; i < plan->nr_cases; i++) {
		for (k = 0; k < i && plan->cases[k].exp != plan->cases[i].exp; k++)
			;
		if (k < i)
			continue;
		doc_section(d, plan->cases[i].exp->name, plan->cases[i].exp->name);
		predict_figures(d, plan, r, plan->cases[i].exp, &nr_figures);
		curve(d, plan, plan->cases[i].exp, r);
		lines(d, plan, plan->cases[i].exp, r);
	}
	if (command) {
		doc_section(d, "repeat", "How to repeat it");
		doc_add(d, DOC_COMMAND, "%s", command);
	}
	rc = d->failed ? -ENOMEM : writer(d, to);
	doc_free(d);
	return rc;
}

int predictions_text(const struct sim_profile *p, const struct plan *plan,
		     const struct sim_result *r, FILE *to)
{
	return write(p, plan, r, NULL, doc_write_text, to);
}

int predictions_html(const struct sim_profile *p, const struct plan *plan,
		     const struct sim_result *r, const char *command, FILE *to)
{
	return write(p, plan, r, command, doc_write_html, to);
}
