/* SPDX-License-Identifier: MIT */
/* The command that measures what one figure shows, and the one for what the record lacks. */
#include "plots.h"

#include <stdlib.h>
#include <string.h>

#include "experiment.h"
#include "reproduce.h"

/* as one word of a shell; names may come from anywhere */
static void word(FILE *to, const char *s)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				    "_-+=,.:/%@";

	if (*s && !s[strspn(s, plain)]) {
		fputs(s, to);
		return;
	}
	fputc('\'', to);
	for (; *s; s++)
		if (*s == '\'')
			fputs("'\\''", to);
		else
			fputc(*s, to);
	fputc('\'', to);
}

static void set_numbers(FILE *to, const char *option, const char *name, const int64_t *v, int nr)
{
	int i;

	fprintf(to, " --%s %s", option, name);
	for (i = 0; i < nr; i++)
		fprintf(to, "%s%lld", i ? "," : "", (long long)v[i]);
}

static void set_place(FILE *to, const struct result_case *c)
{
	if (c->placement && strcmp(c->placement, "cores-first")) {
		fputs(" --placement ", to);
		word(to, c->placement);
	}
	if (c->home && strcmp(c->home, "local")) {
		fputs(" --home ", to);
		word(to, c->home);
	}
}

/* what the grid does not sweep and is not the default */
static void set_rest(FILE *to, const struct grid *g)
{
	const struct experiment *exp = experiment_find(g->experiment, NULL);
	const struct result_case *c = g->sample->c;
	const struct param *p;
	char set[200];
	int i;

	for (i = 0; exp && i < c->nr_params; i++) {
		p = params_find(exp, c->params[i].name, NULL);
		if (!p || grid_is_axis(p->name) || c->params[i].value == p->def)
			continue;
		snprintf(set, sizeof(set), "%.60s=%.120s", c->params[i].name, c->params[i].text);
		fputs(" --set ", to);
		word(to, set);
	}
	set_place(to, c);
}

enum axis { LAYOUTS = 1, BATCHES = 2, WORKS = 4, WORKERS = 8 };

/* @swept: the axes of which all values are needed; of the others @layout, the scaling batch, all */
static void command(struct doc *d, const struct grid *g, int layout, unsigned swept,
		    const char *out)
{
	int batch = counter_scaling_batch(g, layout), all = g->nr_workers - 1, i;
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	if (!to) {
		d->failed = true;
		return;
	}
	fputs("chargeline run ", to);
	word(to, g->experiment);
	if (g->layouts[layout]) {
		fputs(" --set layout=", to);
		for (i = 0; i < g->nr_layouts; i++) {
			if (!(swept & LAYOUTS) && i != layout)
				continue;
			fputs(i && swept & LAYOUTS ? "," : "", to);
			word(to, g->layouts[i]);
		}
	}
	set_numbers(to, "set", "batch=", swept & BATCHES ? g->batches : &g->batches[batch],
		    swept & BATCHES ? g->nr_batches : 1);
	if (g->nr_works > 1 || g->works[0])
		set_numbers(to, "set", "work_ns=", g->works,
			    swept & WORKS     ? g->nr_works
			    : g->nr_works > 2 ? 2
					      : g->nr_works);
	set_rest(to, g);
	set_numbers(to, "workers", "", swept & WORKERS ? g->workers : &g->workers[all],
		    swept & WORKERS ? g->nr_workers : 1);
	fprintf(to, " -o %s", out);
	if (fclose(to))
		d->failed = true;
	else
		doc_add(d, DOC_COMMAND, "%s", text);
	free(text);
}

/* ----------------------------------------------------------------- outside of the grid */

/* the different values of one thing in the cases of an experiment, in the order they come */
struct words {
	const char *w[64];
	int nr;
};

static void words_add(struct words *v, const char *w)
{
	int i;

	for (i = 0; w && i < v->nr; i++)
		if (!strcmp(v->w[i], w))
			return;
	if (w && v->nr < (int)(sizeof(v->w) / sizeof(v->w[0])))
		v->w[v->nr++] = w;
}

static void words_put(FILE *to, const char *option, const char *name, const struct words *v)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	int i;

	if (!f)
		return;
	fputs(name, f);
	for (i = 0; i < v->nr; i++)
		fprintf(f, "%s%s", i ? "," : "", v->w[i]);
	if (!fclose(f)) {
		fprintf(to, " --%s ", option);
		word(to, text);
	}
	free(text);
}

static void set_param(FILE *to, const struct series_set *set, const char *experiment,
		      const struct param *p)
{
	struct words v = {.nr = 0};
	char name[80], def[40];
	int i;

	for (i = 0; i < set->nr; i++)
		if (!strcmp(set->s[i].c->experiment, experiment))
			words_add(&v, result_param_text(set->s[i].c, p->name));
	if (!v.nr || (v.nr == 1 && !strcmp(v.w[0], param_text(p, p->def, def, sizeof(def)))))
		return;
	snprintf(name, sizeof(name), "%s=", p->name);
	words_put(to, "set", name, &v);
}

static void set_workers(FILE *to, const struct series_set *set, const char *experiment)
{
	char number[64][12];
	struct words v = {.nr = 0};
	int i, before;

	for (i = 0; i < set->nr && v.nr < 64; i++) {
		if (strcmp(set->s[i].c->experiment, experiment))
			continue;
		before = v.nr;
		snprintf(number[before], sizeof(number[0]), "%d", set->s[i].c->nr_workers);
		words_add(&v, number[before]);
	}
	words_put(to, "workers", "", &v);
}

/* every case of that experiment: the command may measure more than the record has */
static void case_command(struct doc *d, const struct series_set *set, const char *experiment)
{
	const struct experiment *exp = experiment_find(experiment, NULL);
	const struct result_case *c = NULL;
	char *text = NULL;
	size_t size;
	FILE *to;
	int i;

	for (i = 0; i < set->nr && !c; i++)
		if (!strcmp(set->s[i].c->experiment, experiment))
			c = set->s[i].c;
	to = exp && c ? open_memstream(&text, &size) : NULL;
	if (!to) {
		d->failed |= exp && c;
		return;
	}
	fprintf(to, "chargeline run %s", experiment);
	for (i = 0; exp->params[i].name; i++)
		set_param(to, set, experiment, &exp->params[i]);
	set_workers(to, set, experiment);
	set_place(to, c);
	fprintf(to, " -o %s.json", experiment);
	if (fclose(to))
		d->failed = true;
	else
		doc_add(d, DOC_COMMAND, "%s", text);
	free(text);
}

static bool has(const struct series_set *set, const char *experiment)
{
	int i;

	for (i = 0; i < set->nr; i++)
		if (!strcmp(set->s[i].c->experiment, experiment))
			return true;
	return false;
}

static const struct part {
	const char *experiment, *what;
} parts[] = {{"core_to_core", "core-to-core latencies and what the model needs to be laid over"},
	     {"memcg_stock", "hit rates of the charge stock"},
	     {"vmstats_flush", "the flush threshold of the statistics"},
	     {"sk_forward_alloc", "socket memory taken ahead"}};
#define NR_PARTS ((int)(sizeof(parts) / sizeof(parts[0])))

static void lacking(struct doc *d, const struct report *rep)
{
	char names[200] = "";
	size_t len = 0;
	int i;

	for (i = 0; i < NR_PARTS; i++) {
		if (has(&rep->set, parts[i].experiment))
			continue;
		if (!len)
			doc_add(d, DOC_PARA, "Not measured in this record:");
		doc_add(d, DOC_ITEM, "%s", parts[i].what);
		len += snprintf(names + len, sizeof(names) - len, " %s", parts[i].experiment);
	}
	if (!len)
		return;
	doc_add(d, DOC_PARA, "A report of this record and of the one from here has them:");
	doc_add(d, DOC_COMMAND, "chargeline run%s contended_line -o more.json", names);
}

static void published_command(struct doc *d, const struct reproduction *r)
{
	char names[200] = "";
	size_t len = 0;
	int i;

	for (i = 0; i < r->nr && len < sizeof(names); i++)
		len += snprintf(names + len, sizeof(names) - len, " %s", r->cases[i].c->name);
	doc_add(d, DOC_COMMAND, "chargeline reproduce%s", names);
}

void repeat_figures(struct doc *d, const struct report *rep, int layout)
{
	bool any = rep->grid || rep->matrices.nr;
	const struct grid *g = rep->grid;
	int i;

	if (g) {
		doc_add(d, DOC_PARA, "One figure alone: scaling over workers,");
		command(d, g, layout, WORKERS, "scaling.json");
		doc_add(d, DOC_PARA, "the batch curve and its knee,");
		command(d, g, layout, BATCHES | WORKS, "batch.json");
		doc_add(d, DOC_PARA, "layouts side by side,");
		command(d, g, layout, LAYOUTS | BATCHES, "layouts.json");
	}
	if (rep->matrices.nr) {
		doc_add(d, DOC_PARA, "latencies between CPUs,");
		doc_add(d, DOC_COMMAND, "chargeline run core_to_core -o pairs.json");
	}
	for (i = 1; i < NR_PARTS; i++) {
		if (!has(&rep->set, parts[i].experiment))
			continue;
		doc_add(d, DOC_PARA, "%s,", parts[i].what);
		case_command(d, &rep->set, parts[i].experiment);
		any = true;
	}
	if (rep->published && rep->published->nr) {
		doc_add(d, DOC_PARA, "published cases, predicted and measured,");
		published_command(d, rep->published);
		any = true;
	}
	if (any) {
		doc_add(d, DOC_PARA, "and the page of any of them:");
		doc_add(d, DOC_COMMAND, "chargeline report FILE.json --html FILE.html");
	}
	if (g)
		lacking(d, rep);
}
