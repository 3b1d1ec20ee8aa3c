/* SPDX-License-Identifier: MIT */
#include "series.h"

#include <math.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "case_copy.h"
#include "experiment.h"

#define SEED 0x63686172676531 /* of every bootstrap: the same files give the same report */

/* ---------------------------------------------------------------- one case, all files */

static int text_cmp(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "");
}

/* a pair is its two CPUs, whichever placement brought them together */
static int pair_cmp(const struct result_case *a, const struct result_case *b)
{
	int d = a->cpus.cpu[0] - b->cpus.cpu[0];

	if (!d)
		d = a->cpus.cpu[1] - b->cpus.cpu[1];
	if (!d)
		d = text_cmp(a->relation, b->relation);
	return d ? d : a->home_node - b->home_node;
}

bool series_is_pair(const struct result_case *c)
{
	const struct experiment *exp;

	if (c->cpus.nr != 2 || !c->experiment)
		return false;
	if (c->relation)
		return true;
	exp = experiment_find(c->experiment, NULL);
	return exp && exp->pairs;
}

int series_case_cmp(const struct result_case *a, const struct result_case *b)
{
	int i, d = text_cmp(a->experiment, b->experiment);

	if (!d)
		d = a->nr_workers - b->nr_workers;
	if (!d)
		d = a->nr_params - b->nr_params;
	for (i = 0; !d && i < a->nr_params; i++) {
		d = text_cmp(a->params[i].name, b->params[i].name);
		if (!d)
			d = text_cmp(a->params[i].text, b->params[i].text);
	}
	if (!d)
		d = text_cmp(a->home, b->home);
	if (!d)
		d = series_is_pair(a) - series_is_pair(b);
	if (d)
		return d;
	return series_is_pair(a) ? pair_cmp(a, b) : text_cmp(a->placement, b->placement);
}

static int series_cmp(const void *a, const void *b)
{
	return series_case_cmp(((const struct series *)a)->c, ((const struct series *)b)->c);
}

static int window_cmp(const void *pa, const void *pb)
{
	const struct window *a = pa, *b = pb;

	return (a->pair > b->pair) - (a->pair < b->pair);
}

static int add_windows(struct series *s, const struct result_case *c, int file, bool copies)
{
	size_t need = s->nr_valid + (size_t)c->nr_samples;
	struct window *grown;
	int i;

	if (need > (size_t)s->room) {
		need += copies ? s->nr_valid : 0;
		grown = realloc(s->valid, need * sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		s->valid = grown;
		s->room = need;
	}
	for (i = 0; i < c->nr_samples; i++) {
		if (c->samples[i].marks || !isfinite(c->samples[i].rate)) {
			s->nr_marked++;
			continue;
		}
		s->valid[s->nr_valid++] =
			(struct window){(int64_t)file << 32 | (uint32_t)c->samples[i].block,
					c->samples[i].rate, copies ? NULL : &c->samples[i]};
	}
	return 0;
}

static void keep(void *node)
{
}

static void series_release(struct series *s, bool copied)
{
	free(s->valid);
	if (copied && s->c) {
		case_free((struct result_case *)s->c);
		free((struct result_case *)s->c);
	}
}

static const struct result_case *copy_of(const struct result_case *c)
{
	struct result_case *copy = calloc(1, sizeof(*copy));

	if (copy && case_copy(copy, c)) {
		case_free(copy);
		free(copy);
		copy = NULL;
	}
	return copy;
}

/* NULL without memory */
static struct series *series_of(struct series_adder *a, const struct result_case *c)
{
	struct series probe = {.c = c}, **found = tfind(&probe, &a->tree, series_cmp), **grown, *s;

	if (found)
		return *found;
	grown = a->nr & (a->nr - 1)
			? a->s
			: realloc(a->s, sizeof(*grown) * (a->nr ? 2 * (size_t)a->nr : 1));
	a->s = grown ? grown : a->s;
	s = grown ? calloc(1, sizeof(*s)) : NULL;
	if (!s)
		return NULL;
	s->c = a->copies ? copy_of(c) : c;
	if (!s->c || !tsearch(s, &a->tree, series_cmp)) {
		series_release(s, a->copies);
		free(s);
		return NULL;
	}
	return a->s[a->nr++] = s;
}

bool series_run_given_before(const struct results *const *r, int idx)
{
	const struct results *a = r[idx];
	int i;

	for (i = 0; a->started && i < idx; i++)
		if (!text_cmp(r[i]->started, a->started) && r[i]->seed == a->seed &&
		    !text_cmp(r[i]->machine.hostname, a->machine.hostname) &&
		    !text_cmp(r[i]->command, a->command))
			return true;
	return false;
}

int series_add(struct series_adder *a, const struct results *r, struct err *err)
{
	const char *class_name = r->machine.class_name ? r->machine.class_name : "", *before;
	int i, rc, file = a->nr_files++;
	struct series *s;

	if (!a->class_name)
		a->class_name = strdup(class_name);
	if (a->class_name && strcmp(class_name, a->class_name))
		return err_set(err, -EINVAL,
			       "results of two machine classes, '%s' and '%s': report on "
			       "each class by itself",
			       a->class_name, class_name);
	rc = a->class_name ? run_ids_add(&a->ids, r, &before) : -ENOMEM;
	for (i = 0; !rc && !before && i < r->nr_cases; i++) {
		s = series_of(a, &r->cases[i]);
		rc = s ? add_windows(s, &r->cases[i], file, a->copies) : -ENOMEM;
	}
	return rc ? err_set(err, rc, "out of memory for %d cases", r->nr_cases) : 0;
}

int series_end(struct series_adder *a, struct series_set *set, struct err *err)
{
	int i;

	*set = (struct series_set){.copied = a->copies};
	if (!a->nr_files)
		return err_set(err, -EINVAL, "no result file was given");
	set->s = calloc(a->nr + 1, sizeof(*set->s));
	if (!set->s)
		return err_set(err, -ENOMEM, "out of memory for %d cases", a->nr);
	for (i = 0; i < a->nr; i++) {
		set->s[i] = *a->s[i];
		*a->s[i] = (struct series){0};
		if (set->s[i].nr_valid)
			qsort(set->s[i].valid, set->s[i].nr_valid, sizeof(struct window),
			      window_cmp);
	}
	set->nr = a->nr;
	series_adder_free(a);
	return 0;
}

void series_adder_free(struct series_adder *a)
{
	int i;

	tdestroy(a->tree, keep);
	for (i = 0; i < a->nr; i++) {
		series_release(a->s[i], a->copies);
		free(a->s[i]);
	}
	free(a->s);
	free(a->class_name);
	run_ids_free(&a->ids);
	*a = (struct series_adder){.copies = a->copies};
}

int series_load(struct series_set *set, const struct results *const *r, int nr, struct err *err)
{
	struct series_adder a = {0};
	int i, rc = 0;

	*set = (struct series_set){0};
	for (i = 0; i < nr && !rc; i++)
		rc = series_add(&a, r[i], err);
	if (!rc)
		rc = series_end(&a, set, err);
	series_adder_free(&a);
	return rc;
}

void series_free(struct series_set *set)
{
	int i;

	for (i = 0; i < set->nr; i++)
		series_release(&set->s[i], set->copied);
	free(set->s);
	memset(set, 0, sizeof(*set));
}

/* ------------------------------------------------------------------------- estimates */

static const struct estimate nothing = {.lo = -INFINITY, .hi = INFINITY};

static int estimate(const double *x, int n, struct estimate *out)
{
	int rc = stats_median_ci(x, n, SEED, out);

	if (rc == -EINVAL)
		*out = nothing;
	return rc == -ENOMEM ? rc : 0;
}

int series_rate(const struct series *s, struct estimate *out)
{
	double *x;
	int i, rc;

	*out = nothing;
	if (!s || !s->nr_valid)
		return 0;
	x = malloc(s->nr_valid * sizeof(*x));
	if (!x)
		return -ENOMEM;
	for (i = 0; i < s->nr_valid; i++)
		x[i] = s->valid[i].rate;
	rc = estimate(x, s->nr_valid, out);
	free(x);
	return rc;
}

static double value_of(const struct sample *s, int which)
{
	if (which == SERIES_NS_PER_OP)
		return s->rate > 0 ? 1e9 / s->rate : NAN;
	if (which == SERIES_JAIN)
		return s->jain;
	if (which == SERIES_SLOWEST_TO_FASTEST)
		return s->fastest > 0 ? s->slowest / s->fastest : NAN;
	return s->metrics[which - SERIES_METRICS];
}

int series_value(const struct series *s, int which, struct estimate *out)
{
	double *x, v;
	int i, n = 0, rc;

	*out = nothing;
	if (!s || !s->nr_valid)
		return 0;
	x = malloc(s->nr_valid * sizeof(*x));
	if (!x)
		return -ENOMEM;
	for (i = 0; i < s->nr_valid; i++) {
		v = value_of(s->valid[i].s, which);
		if (isfinite(v))
			x[n++] = v;
	}
	rc = estimate(x, n, out);
	free(x);
	return rc;
}

int series_ratio(const struct series *a, const struct series *b, struct estimate *out)
{
	int i = 0, k = 0, n = 0, rc;
	double *x, *y;

	*out = nothing;
	if (!a || !b || !a->nr_valid || !b->nr_valid)
		return 0;
	x = malloc(2 * (size_t)a->nr_valid * sizeof(*x));
	if (!x)
		return -ENOMEM;
	y = x + a->nr_valid;
	while (i < a->nr_valid && k < b->nr_valid) {
		if (a->valid[i].pair == b->valid[k].pair) {
			x[n] = a->valid[i++].rate;
			y[n++] = b->valid[k++].rate;
		} else if (a->valid[i].pair < b->valid[k].pair) {
			i++;
		} else {
			k++;
		}
	}
	rc = stats_ratio_ci(x, y, n, SEED, out);
	if (rc == -EINVAL)
		*out = nothing;
	free(x);
	return rc == -ENOMEM ? rc : 0;
}

const char *series_absent(const struct series *s)
{
	if (!s)
		return "not measured: not in the plan of this run";
	if (!s->nr_valid && s->nr_marked)
		return "every window was disturbed and is left out";
	return "no window yet: the run did not come to it";
}
