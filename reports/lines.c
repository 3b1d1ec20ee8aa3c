/* SPDX-License-Identifier: MIT */
/*
 * The layouts as cache lines. Offsets and names are what the subject tells, who reads and who
 * writes is what the model counts while it runs the subject: nothing of it is restated here.
 */
#include "plots.h"

#include <stdlib.h>
#include <string.h>

#include "experiment.h"
#include "sim.h"

#define LINE	     64
#define ANY_MACHINE  "icx-8380" /* the lines are the same on all */
#define MAX_ACCESSES 20000

struct layout {
	const char *name;
	struct sim_field *field; /* of one struct, by offset */
	int nr;
	int64_t base; /* of the line that the struct begins in */
};

/* one level stands for the others: a parent, to which the children write too, where there is one */
static char level_of(const struct sim_field *f, int nr)
{
	int i;

	for (i = 0; i < nr; i++)
		if (!strncmp(f[i].name, "1:", 2))
			return '1';
	return '0';
}

static int by_offset(const void *a, const void *b)
{
	const struct sim_field *x = a, *y = b;

	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

static void keep_level(struct layout *l)
{
	char level = level_of(l->field, l->nr);
	int i, nr = 0;

	for (i = 0; i < l->nr; i++) {
		if (l->field[i].name[0] != level || l->field[i].name[1] != ':')
			continue;
		l->field[nr] = l->field[i];
		memmove(l->field[nr].name, l->field[nr].name + 2, strlen(l->field[nr].name) - 1);
		nr++;
	}
	l->nr = nr;
	qsort(l->field, nr, sizeof(*l->field), by_offset);
	l->base = nr ? l->field[0].offset / LINE * LINE : 0;
}

/* 1: known to this build, 0: not, or -errno */
static int load(struct layout *l, const struct sim_profile *any, const struct result_case *c)
{
	const struct experiment *exp = experiment_find(c->experiment, NULL);
	const struct topo_cpu *cpu = topo_cpus(any->topo, &(int){0});
	struct sim_config config = {.profile = any, .seed = 1, .max_accesses = MAX_ACCESSES};
	struct err err = ERR_INIT;
	int rc = 0;

	if (!exp || !exp->describe)
		return 0;
	config.experiment = exp->name;
	config.params = case_params(exp, c);
	if (!config.params)
		return 0;
	if (cpulist_add(&config.cpus, cpu[0].os) || cpulist_add(&config.cpus, cpu[1].os))
		rc = -ENOMEM;
	if (!rc)
		rc = sim_fields(&config, &l->field, &l->nr, &err);
	cpulist_free(&config.cpus);
	free((void *)config.params);
	if (rc)
		return rc == -ENOMEM ? rc : 0;
	keep_level(l);
	return l->nr > 0;
}

static enum doc_role role(const struct sim_field *f)
{
	return f->writes ? DOC_WRITTEN : f->reads ? DOC_READ : DOC_UNUSED;
}

/* "usage, max": those of a line that have a role; returns how many */
static int names(const struct layout *l, int64_t line, enum doc_role want, char *buf, size_t size)
{
	size_t len = 0;
	int i, nr = 0;

	buf[0] = '\0';
	for (i = 0; i < l->nr; i++) {
		if ((l->field[i].offset - l->base) / LINE != line || role(&l->field[i]) != want)
			continue;
		if (len < size)
			len += snprintf(buf + len, size - len, "%s%s", len ? " " : "",
					l->field[i].name);
		nr++;
	}
	return nr;
}

static int64_t nr_lines(const struct layout *l)
{
	return (l->field[l->nr - 1].offset - l->base) / LINE + 1;
}

static void picture(struct doc *d, const struct layout *l)
{
	char written[200], beside[200], alt[600];
	size_t len;
	int64_t line;
	int i;

	len = snprintf(alt, sizeof(alt), "%.60s:", l->name);
	for (line = 0; line < nr_lines(l) && len < sizeof(alt); line++)
		if (names(l, line, DOC_WRITTEN, written, sizeof(written)))
			len += snprintf(alt + len, sizeof(alt) - len, " %.150s written, %s%.200s.",
					written,
					names(l, line, DOC_READ, beside, sizeof(beside))
						? "on one line with what every charge reads: "
						: "on a line of its own",
					beside);
	doc_lines(d, alt, "%s", l->name);
	for (i = 0; i < l->nr; i++)
		doc_field(d, (int)(l->field[i].offset - l->base), l->field[i].size,
			  role(&l->field[i]), l->field[i].name);
}

static void cell(struct doc *d, const struct layout *l, int64_t line, enum doc_role want)
{
	char text[400];

	doc_cell(d, "%s", names(l, line, want, text, sizeof(text)) ? text : "none");
}

static void table(struct doc *d, const struct layout *l, int nr)
{
	int64_t line;
	int i;

	doc_table(d, "Which fields share a line");
	doc_col(d, DOC_KEY, "layout");
	doc_col(d, DOC_NUM_KEY, "bytes\nfrom");
	doc_col(d, DOC_WORD, "written by charges");
	doc_col(d, DOC_WORD, "read with them");
	for (i = 0; i < nr; i++) {
		for (line = 0; line < nr_lines(&l[i]); line++) {
			doc_cell(d, "%s", l[i].name);
			doc_cell(d, "%lld", (long long)line * LINE);
			cell(d, &l[i], line, DOC_WRITTEN);
			cell(d, &l[i], line, DOC_READ);
		}
	}
}

static const struct result_case *any_case(const struct grid *g, int layout)
{
	size_t each = (size_t)g->nr_works * g->nr_workers * g->nr_batches, i;

	for (i = 0; i < each; i++)
		if (g->at[layout * each + i])
			return g->at[layout * each + i]->c;
	return NULL;
}

void lines_sections(struct doc *d, const struct report *rep)
{
	const struct grid *g = rep->grid;
	struct layout *l = calloc(g->nr_layouts + 1, sizeof(*l));
	struct sim_profile *any = NULL;
	const struct result_case *c;
	int i, rc = 0, nr = 0;

	if (!l || sim_profile_builtin(&any, ANY_MACHINE, NULL))
		d->failed = true;
	for (i = 0; any && i < g->nr_layouts && rc >= 0; i++) {
		c = any_case(g, i);
		l[nr].name = g->layouts[i];
		rc = c && g->layouts[i] ? load(&l[nr], any, c) : 0;
		nr += rc > 0;
		if (!rc)
			free(l[nr].field);
		if (!rc)
			l[nr] = (struct layout){NULL};
	}
	d->failed |= rc < 0;
	if (nr) {
		doc_section(d, "lines", "The layouts as their cache lines");
		doc_add(d, DOC_PARA,
			"A field that is written takes its line away from every other CPU; what they "
			"read beside it then has to be fetched again. As the model counts the accesses "
			"of a %s with this record's settings.",
			g->experiment);
		for (i = 0; i < nr; i++)
			picture(d, &l[i]);
		table(d, l, nr);
	}
	for (i = 0; l && i < nr; i++)
		free(l[i].field);
	free(l);
	sim_profile_free(any);
}
