/* SPDX-License-Identifier: MIT */
/* What a comparison keeps of the files: who ran where, and the figures of every window. */
#include "compare.h"

#include <math.h>
#include <search.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "case_copy.h"
#include "compare_private.h"
#include "series.h"

int compare_grow(void *array, int nr, size_t size)
{
	void **slot = array, *grown;

	if (nr & (nr - 1))
		return 0;
	grown = realloc(*slot, size * (nr ? 2 * (size_t)nr : 1));
	if (!grown)
		return -ENOMEM;
	*slot = grown;
	return 0;
}

int texts_add(struct texts *t, const char *fmt, ...)
{
	va_list ap;
	char *s;
	int rc;

	va_start(ap, fmt);
	rc = vasprintf(&s, fmt, ap);
	va_end(ap);
	if (rc < 0)
		return -ENOMEM;
	if (compare_grow(&t->s, t->nr, sizeof(*t->s))) {
		free(s);
		return -ENOMEM;
	}
	t->s[t->nr++] = s;
	return 0;
}

int compare_new(struct compare **out)
{
	struct compare *c = calloc(1, sizeof(*c));

	if (!c)
		return -ENOMEM;
	*out = c;
	return 0;
}

/* ------------------------------------------------------------------------- the end */

static void free_texts(struct texts *t)
{
	int i;

	for (i = 0; i < t->nr; i++)
		free(t->s[i]);
	free(t->s);
}

static void free_run(struct compare_run *run)
{
	int i;

	for (i = 0; i < NR_FACTS; i++)
		free(run->facts[i]);
	free(run->path);
	free(run->started);
	free(run->command);
}

static void free_case(struct compare_case *k)
{
	int i;

	for (i = 0; i < 2; i++) {
		free(k->side[i].v);
		free(k->side[i].run);
	}
	case_free(&k->c);
	free(k);
}

static void keep(void *node)
{
}

void compare_free(struct compare *c)
{
	int i, side;

	if (!c)
		return;
	for (side = 0; side < 2; side++) {
		for (i = 0; i < c->nr_runs[side]; i++)
			free_run(&c->runs[side][i]);
		free(c->runs[side]);
		free(c->rank[side]);
		free_texts(&c->left_out[side]);
		run_ids_free(&c->ids[side]);
	}
	for (i = 0; i < c->nr_rows; i++)
		free(c->rows[i].metrics);
	tdestroy(c->tree, keep);
	for (i = 0; i < c->nr_cases; i++)
		free_case(c->cases[i]);
	free(c->rows);
	free(c->cases);
	free_texts(&c->warnings);
	free(c);
}

/* ------------------------------------------------------------------------ one run */

/* absent is "", and a failure says so once */
static char *copy(const char *s, int *rc)
{
	char *dup = strdup(s ? s : "");

	if (!dup)
		*rc = -ENOMEM;
	return dup;
}

static char *milliseconds(int64_t ns, int *rc)
{
	char text[32];

	return copy(text_duration(text, sizeof(text), ns), rc);
}

static int fill_run(struct compare_run *run, const struct results *r)
{
	const struct results_machine *m = &r->machine;
	char page[32];
	int rc = 0;

	*run = (struct compare_run){.seed = r->seed, .complete = r->complete};
	run->path = copy(r->path, &rc);
	run->started = copy(r->started, &rc);
	run->command = copy(r->command, &rc);
	run->facts[FACT_CLASS] = copy(m->class_name, &rc);
	run->facts[FACT_MODEL] = copy(m->model, &rc);
	run->facts[FACT_HOST] = copy(m->hostname, &rc);
	run->facts[FACT_KERNEL] = copy(m->kernel, &rc);
	run->facts[FACT_PAGE] = copy(text_bytes(page, sizeof(page), m->page_bytes), &rc);
	run->facts[FACT_VERSION] = copy(r->build.version, &rc);
	run->facts[FACT_COMPILER] = copy(r->build.compiler, &rc);
	run->facts[FACT_FLAGS] = copy(r->build.flags, &rc);
	run->facts[FACT_WINDOW] = milliseconds(r->window_ns, &rc);
	run->facts[FACT_WARMUP] = milliseconds(r->warmup_ns, &rc);
	return rc;
}

/* ----------------------------------------------------------------------- its cases */

static int case_cmp(const void *a, const void *b)
{
	return series_case_cmp(&((const struct compare_case *)a)->c,
			       &((const struct compare_case *)b)->c);
}

/* NULL when out of memory */
static struct compare_case *case_of(struct compare *c, const struct result_case *from)
{
	struct compare_case probe = {.c = *from}, *k, **found;

	found = tfind(&probe, &c->tree, case_cmp);
	if (found)
		return *found;
	k = calloc(1, sizeof(*k));
	if (!k)
		return NULL;
	if (case_copy(&k->c, from) || compare_grow(&c->cases, c->nr_cases, sizeof(*c->cases)) ||
	    !tsearch(k, &c->tree, case_cmp)) {
		free_case(k);
		return NULL;
	}
	c->cases[c->nr_cases++] = k;
	return k;
}

static bool same_cpus(const struct cpulist *a, const struct cpulist *b)
{
	return a->nr == b->nr && (!a->nr || !memcmp(a->cpu, b->cpu, a->nr * sizeof(*a->cpu)));
}

/* where the metrics of @k are in @from; -1: it does not count that one */
static void map_metrics(const struct result_case *k, const struct result_case *from, int *at)
{
	int i, m;

	for (i = 0; i < k->nr_metrics && i < EXPERIMENT_MAX_METRICS; i++) {
		at[i] = -1;
		for (m = 0; m < from->nr_metrics && m < EXPERIMENT_MAX_METRICS; m++)
			if (!strcmp(k->metrics[i].name, from->metrics[m].name))
				at[i] = m;
	}
}

static int add_windows(struct compare_case *k, struct compare_data *d,
		       const struct result_case *from, int run)
{
	int at[EXPERIMENT_MAX_METRICS], stride = compare_stride(k), i, m;
	const struct sample *s;
	double *v;

	d->seen = true;
	map_metrics(&k->c, from, at);
	for (i = 0; i < from->nr_samples; i++) {
		s = &from->samples[i];
		if (s->marks || !isfinite(s->rate)) {
			d->nr_marked++;
			continue;
		}
		if (compare_grow(&d->v, d->nr, stride * sizeof(*d->v)) ||
		    compare_grow(&d->run, d->nr, sizeof(*d->run)))
			return -ENOMEM;
		v = d->v + (size_t)d->nr * stride;
		v[0] = s->rate;
		for (m = 1; m < stride; m++)
			v[m] = m <= EXPERIMENT_MAX_METRICS && at[m - 1] >= 0 ? s->metrics[at[m - 1]]
									     : NAN;
		d->run[d->nr++] = run;
	}
	return 0;
}

static int add_run(struct compare *c, enum compare_side side, const struct results *r)
{
	struct compare_case *k;
	int i, rc;

	rc = compare_grow(&c->runs[side], c->nr_runs[side], sizeof(*c->runs[side]));
	if (!rc)
		rc = fill_run(&c->runs[side][c->nr_runs[side]++], r);
	for (i = 0; !rc && i < r->nr_cases; i++) {
		k = case_of(c, &r->cases[i]);
		if (!k)
			return -ENOMEM;
		k->other_cpus |= !same_cpus(&k->c.cpus, &r->cases[i].cpus);
		rc = add_windows(k, &k->side[side], &r->cases[i], c->nr_runs[side] - 1);
	}
	return rc;
}

int compare_add(struct compare *c, enum compare_side side, const struct results *r, struct err *err)
{
	const char *class_name = r->machine.class_name ? r->machine.class_name : "";
	const char *before;
	int rc;

	if (c->nr_runs[side] && strcmp(c->runs[side][0].facts[FACT_CLASS], class_name))
		return err_set(err, -EINVAL,
			       "side %c has results of two machine classes, '%s' and '%s': compare "
			       "one class at a time",
			       'A' + side, c->runs[side][0].facts[FACT_CLASS], class_name);
	rc = run_ids_add(&c->ids[side], r, &before);
	if (!rc && before)
		rc = texts_add(&c->left_out[side], "'%s' is the same run as '%s': used once",
			       r->path ? r->path : "", before);
	else if (!rc)
		rc = add_run(c, side, r);
	return rc ? err_set(err, rc, "out of memory") : 0;
}

int compare_leave_out(struct compare *c, enum compare_side side, const char *sentence)
{
	return texts_add(&c->left_out[side], "%s", sentence);
}

/* ----------------------------------------------------------------------- accessors */

const struct compare_row *compare_rows(const struct compare *c, int *nr)
{
	*nr = c->nr_rows;
	return c->rows;
}

enum compare_unit compare_unit(const struct compare *c)
{
	return c->unit;
}

bool compare_regressed(const struct compare *c)
{
	int i;

	for (i = 0; i < c->nr_rows; i++)
		if (c->rows[i].regression)
			return true;
	return false;
}

bool compare_tells(const struct compare *c)
{
	int i;

	for (i = 0; i < c->nr_rows; i++)
		if (c->rows[i].rate.verdict != COMPARE_CANNOT_TELL)
			return true;
	return false;
}
