/* SPDX-License-Identifier: MIT */
/* How the sides differ beside their figures: each is a reason to doubt that B's change is B's. */
#include "compare.h"

#include <stdlib.h>
#include <string.h>

#include "compare_private.h"
#include "experiment.h"

#define MOST_VALUES 4 /* of a fact, in one sentence */

static const struct {
	const char *name, *plural;
} fact_names[NR_FACTS] = {
	[FACT_CLASS] = {"machine class", "machine classes"},
	[FACT_MODEL] = {"CPU model", "CPU models"},
	[FACT_HOST] = {"host", "hosts"},
	[FACT_KERNEL] = {"kernel", "kernels"},
	[FACT_PAGE] = {"page size", "page sizes"},
	[FACT_VERSION] = {"version of chargeline", "versions of chargeline"},
	[FACT_COMPILER] = {"compiler", "compilers"},
	[FACT_FLAGS] = {"compiler flags", "compiler flags"},
	[FACT_WINDOW] = {"window", "windows"},
	[FACT_WARMUP] = {"warm-up", "warm-ups"},
};

const char *compare_fact_name(enum compare_fact fact)
{
	return fact_names[fact].name;
}

/* a few distinct texts, in the order of first appearance */
struct few {
	const char *s[MOST_VALUES];
	int nr;	    /* of s */
	int others; /* more than fit were met */
};

static bool has(const struct few *f, const char *s)
{
	int i;

	for (i = 0; i < f->nr; i++)
		if (!strcmp(f->s[i], s))
			return true;
	return false;
}

static void meet(struct few *f, const char *s)
{
	if (has(f, s))
		return;
	if (f->nr < MOST_VALUES)
		f->s[f->nr++] = s;
	else
		f->others = 1;
}

/* @buf is cut when it is full: an option list may be long */
static const char *list(const struct few *f, char *buf, size_t size)
{
	size_t len = 0;
	int i;

	for (i = 0; i < f->nr && len < size; i++)
		len += snprintf(buf + len, size - len, "%s'%.150s'", i ? ", " : "", f->s[i]);
	if (f->others && len < size)
		snprintf(buf + len, size - len, " and others");
	return buf;
}

static bool alike(const struct few *a, const struct few *b)
{
	int i;

	if (a->others || b->others || a->nr != b->nr)
		return false;
	for (i = 0; i < a->nr; i++)
		if (!has(b, a->s[i]))
			return false;
	return true;
}

static int warn_facts(struct compare *c)
{
	char a[700], b[700];
	int fact, side, i, rc = 0;

	for (fact = 0; fact < NR_FACTS && !rc; fact++) {
		struct few f[2] = {0};

		for (side = 0; side < 2; side++)
			for (i = 0; i < c->nr_runs[side]; i++)
				meet(&f[side], c->runs[side][i].facts[fact]);
		list(&f[0], a, sizeof(a));
		list(&f[1], b, sizeof(b));
		if (!alike(&f[0], &f[1]))
			rc = texts_add(&c->warnings, "the %s differs: %s in A, %s in B",
				       fact_names[fact].name, a, b);
		else if (f[0].nr > 1)
			rc = texts_add(&c->warnings, "both sides mix %s: %s",
				       fact_names[fact].plural, a);
	}
	return rc;
}

static int warn_runs(struct compare *c)
{
	int side, i, k, same = 0, incomplete, rc = 0;

	for (side = 0; side < 2 && !rc; side++) {
		incomplete = 0;
		for (i = 0; i < c->nr_runs[side]; i++)
			incomplete += !c->runs[side][i].complete;
		if (incomplete)
			rc = texts_add(&c->warnings, "%d of %d runs of %c %s interrupted",
				       incomplete, c->nr_runs[side], 'A' + side,
				       incomplete == 1 ? "was" : "were");
	}
	for (i = 0; i < c->nr_runs[0]; i++)
		for (k = 0; k < c->nr_runs[1]; k++)
			same += c->runs[0][i].seed == c->runs[1][k].seed &&
				!strcmp(c->runs[0][i].started, c->runs[1][k].started) &&
				!strcmp(c->runs[0][i].command, c->runs[1][k].command) &&
				!strcmp(c->runs[0][i].facts[FACT_HOST],
					c->runs[1][k].facts[FACT_HOST]);
	if (same && !rc)
		rc = texts_add(&c->warnings,
			       "%d run%s on both sides: compared with %s no difference is no news",
			       same, same == 1 ? " is" : "s are",
			       same == 1 ? "itself" : "themselves");
	return rc;
}

/* ---------------------------------------------------------------------- parameters */

/* the values that @param of @experiment takes on a side; not at all: the word for it */
static void param_values(const struct compare *c, int side, const char *experiment,
			 const char *param, struct few *f)
{
	const char *text;
	int i;

	for (i = 0; i < c->nr_cases; i++) {
		if (!c->cases[i]->side[side].seen || strcmp(c->cases[i]->c.experiment, experiment))
			continue;
		text = result_param_text(&c->cases[i]->c, param);
		meet(f, text ? text : "no such parameter");
	}
}

/* every parameter that the cases of @experiment have on either side; returns how many */
static int all_params(const struct compare *c, const char *experiment, const char **all)
{
	const struct result_case *of;
	int i, p, k, nr = 0;

	for (i = 0; i < c->nr_cases; i++) {
		of = &c->cases[i]->c;
		for (p = 0; p < of->nr_params && !strcmp(of->experiment, experiment); p++) {
			for (k = 0; k < nr && strcmp(all[k], of->params[p].name); k++)
				;
			if (k == nr && nr < EXPERIMENT_MAX_PARAMS)
				all[nr++] = of->params[p].name;
		}
	}
	return nr;
}

static int warn_params(struct compare *c, const char *experiment)
{
	const char *all[EXPERIMENT_MAX_PARAMS];
	int p, nr = all_params(c, experiment, all), rc = 0;
	char a[700], b[700];

	for (p = 0; p < nr && !rc; p++) {
		struct few f[2] = {0};

		param_values(c, 0, experiment, all[p], &f[0]);
		param_values(c, 1, experiment, all[p], &f[1]);
		if (!f[0].nr || !f[1].nr || alike(&f[0], &f[1]) || (f[0].others && f[1].others))
			continue;
		rc = texts_add(&c->warnings, "%s: the parameter %s differs: %s in A, %s in B",
			       experiment, all[p], list(&f[0], a, sizeof(a)),
			       list(&f[1], b, sizeof(b)));
	}
	return rc;
}

static int warn_experiments(struct compare *c)
{
	int i, k, rc = 0;

	for (i = 0; i < c->nr_cases && !rc; i++) {
		for (k = 0; k < i; k++)
			if (!strcmp(c->cases[k]->c.experiment, c->cases[i]->c.experiment))
				break;
		if (k == i)
			rc = warn_params(c, c->cases[i]->c.experiment);
	}
	return rc;
}

/* ---------------------------------------------------------------------------- rows */

static int warn_rows(struct compare *c)
{
	int i, w, cpus = 0, zero = 0, marked = 0, few = 0, unseen = 0, null = 0, rc = 0;
	const struct compare_row *row;
	const struct compare_figure *f;

	for (i = 0; i < c->nr_rows; i++) {
		row = &c->rows[i];
		f = &row->rate;
		cpus += row->other_cpus;
		zero += row->nr_zero[0] || row->nr_zero[1];
		if (!f->n[0] || !f->n[1])
			marked++;
		else if (f->n[0] < STATS_MIN_N || f->n[1] < STATS_MIN_N)
			few++;
		else
			unseen += f->verdict == COMPARE_CANNOT_TELL;
		for (w = 0; w < row->c->nr_metrics; w++)
			null += f->n[0] && f->n[1] &&
				!row->metrics[w].n[0] != !row->metrics[w].n[1];
	}
	if (cpus)
		rc = texts_add(&c->warnings,
			       "%d case%s ran on other CPUs in one file than in another", cpus,
			       cpus == 1 ? "" : "s");
	if (zero && !rc)
		rc = texts_add(
			&c->warnings,
			"in %d case%s nothing got done in some windows: they are in p, not in "
			"the interval",
			zero, zero == 1 ? "" : "s");
	if (marked && !rc)
		rc = texts_add(&c->warnings,
			       "%d case%s without an undisturbed window on one side: no verdict",
			       marked, marked == 1 ? " is" : "s are");
	if (few && !rc)
		rc = texts_add(
			&c->warnings,
			"%d case%s fewer than %d values on one side: no interval, no verdict", few,
			few == 1 ? " has" : "s have", STATS_MIN_N);
	if (unseen && !rc)
		rc = texts_add(&c->warnings,
			       "%d case%s so few values that among %d rows not even the clearest "
			       "difference is one: no verdict",
			       unseen, unseen == 1 ? " has" : "s have", c->nr_rows);
	if (null && !rc)
		rc = texts_add(&c->warnings, "%d metric%s without a value on one side: left out",
			       null, null == 1 ? " of a case is" : "s of cases are");
	return rc;
}

int compare_warn(struct compare *c)
{
	int rc = warn_facts(c);

	if (!rc)
		rc = warn_experiments(c);
	if (!rc)
		rc = warn_runs(c);
	return rc ? rc : warn_rows(c);
}
