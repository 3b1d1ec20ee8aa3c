/* SPDX-License-Identifier: MIT */
#include "series.h"
#include "text.h"

#include <stdlib.h>
#include <string.h>

static const char *const axes[] = {"layout", "batch", "work_ns"};

bool grid_is_axis(const char *param)
{
	size_t i;

	for (i = 0; i < sizeof(axes) / sizeof(axes[0]); i++)
		if (!strcmp(param, axes[i]))
			return true;
	return false;
}

/* the same but for the axes and the workers */
static bool same_setting(const struct result_case *a, const struct result_case *b)
{
	return text_same(a->placement, b->placement) && result_same_params(a, b, grid_is_axis);
}

struct setting {
	const struct series *first;
	int nr;
};

static bool has_batch(const struct series *s)
{
	int64_t batch;

	return result_param(s->c, "batch", &batch);
}

/* the setting with most cases, the first of equals; NULL: none has a batch */
static int main_setting(const struct series_set *set, const struct series **first, int *nr_settings)
{
	struct setting *found = calloc(set->nr + 1, sizeof(*found)), *best = found;
	int i, k, nr = 0;

	if (!found)
		return -ENOMEM;
	for (i = 0; i < set->nr; i++) {
		if (!has_batch(&set->s[i]))
			continue;
		for (k = 0; k < nr && !same_setting(found[k].first->c, set->s[i].c); k++)
			;
		if (k == nr)
			found[nr++].first = &set->s[i];
		if (++found[k].nr > best->nr)
			best = &found[k];
	}
	*first = best->first;
	for (*nr_settings = 0, k = 0; k < nr; k++)
		*nr_settings += text_same(found[k].first->c->experiment, (*first)->c->experiment);
	free(found);
	return 0;
}

/* ------------------------------------------------------------------------- the axes */

static int axis_add(int64_t *values, int nr, int64_t v)
{
	int i = nr;

	while (i > 0 && values[i - 1] > v)
		i--;
	if (i > 0 && values[i - 1] == v)
		return nr;
	memmove(&values[i + 1], &values[i], (nr - i) * sizeof(*values));
	values[i] = v;
	return nr + 1;
}

static int axis_find(const int64_t *values, int nr, int64_t v)
{
	int lo = 0, hi = nr - 1, mid;

	while (lo < hi) {
		mid = (lo + hi) / 2;
		if (values[mid] < v)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

struct axes {
	int64_t layout, work, batch;
};

static struct axes axes_of(const struct series *s)
{
	struct axes a = {0, 0, 0};

	result_param(s->c, "layout", &a.layout);
	result_param(s->c, "work_ns", &a.work);
	result_param(s->c, "batch", &a.batch);
	return a;
}

/* places of the grid, or what a pick compares, over the limit */
static bool is_too_big(const struct grid *g)
{
	double places = (double)g->nr_layouts * g->nr_works * g->nr_workers * g->nr_batches;

	return places > GRID_MAX || (double)g->nr_works * g->nr_batches * g->nr_batches > GRID_MAX;
}

static int find_axes(struct grid *g, struct series_set *set, int64_t *layouts)
{
	struct axes a;
	int i;

	for (i = 0; i < set->nr; i++) {
		if (!set->s[i].in_grid)
			continue;
		if (is_too_big(g))
			return -EFBIG;
		a = axes_of(&set->s[i]);
		g->nr_layouts = axis_add(layouts, g->nr_layouts, a.layout);
		g->nr_works = axis_add(g->works, g->nr_works, a.work);
		g->nr_batches = axis_add(g->batches, g->nr_batches, a.batch);
		g->nr_workers = axis_add(g->workers, g->nr_workers, set->s[i].c->nr_workers);
	}
	if (is_too_big(g))
		return -EFBIG;
	g->at = calloc((size_t)g->nr_layouts * g->nr_works * g->nr_workers * g->nr_batches,
		       sizeof(*g->at));
	return g->at ? 0 : -ENOMEM;
}

static size_t place(const struct grid *g, int layout, int work, int workers, int batch)
{
	return (((size_t)layout * g->nr_works + work) * g->nr_workers + workers) * g->nr_batches +
	       batch;
}

static void fill(struct grid *g, const struct series_set *set, const int64_t *layouts)
{
	const struct series *s;
	struct axes a;
	int i, layout;

	for (i = 0; i < set->nr; i++) {
		s = &set->s[i];
		if (!s->in_grid)
			continue;
		a = axes_of(s);
		layout = axis_find(layouts, g->nr_layouts, a.layout);
		g->layouts[layout] = result_param_text(s->c, "layout");
		g->at[place(g, layout, axis_find(g->works, g->nr_works, a.work),
			    axis_find(g->workers, g->nr_workers, s->c->nr_workers),
			    axis_find(g->batches, g->nr_batches, a.batch))] = s;
	}
}

static int fail(int rc, struct err *err)
{
	if (rc == -EFBIG)
		return err_set(err, rc,
			       "the cases have too many layouts, demands, workers or "
			       "batches for one table: more than %d places",
			       GRID_MAX);
	return err_set(err, rc, "out of memory");
}

int grid_make(struct grid **out, struct series_set *set, struct err *err)
{
	const struct series *first;
	int64_t *layouts = NULL;
	int i, nr_settings, rc = main_setting(set, &first, &nr_settings);
	size_t room = set->nr + 1;
	struct grid *g;

	*out = NULL;
	if (rc || !first)
		return rc ? fail(rc, err) : 0;
	g = calloc(1, sizeof(*g));
	if (!g)
		return fail(-ENOMEM, err);
	g->experiment = first->c->experiment;
	g->sample = first;
	g->nr_settings = nr_settings;
	for (i = 0; i < set->nr; i++)
		set->s[i].in_grid = has_batch(&set->s[i]) && same_setting(set->s[i].c, first->c);
	layouts = calloc(room, sizeof(*layouts));
	g->layouts = calloc(room, sizeof(*g->layouts));
	g->works = calloc(room, sizeof(*g->works));
	g->workers = calloc(room, sizeof(*g->workers));
	g->batches = calloc(room, sizeof(*g->batches));
	if (!layouts || !g->layouts || !g->works || !g->workers || !g->batches)
		rc = -ENOMEM;
	if (!rc)
		rc = find_axes(g, set, layouts);
	if (!rc)
		fill(g, set, layouts);
	free(layouts);
	if (!rc) {
		*out = g;
		return 0;
	}
	grid_free(g);
	return fail(rc, err);
}

void grid_free(struct grid *g)
{
	if (!g)
		return;
	free(g->layouts);
	free(g->works);
	free(g->workers);
	free(g->batches);
	free(g->at);
	free(g);
}

const struct series *grid_at(const struct grid *g, int layout, int work, int workers, int batch)
{
	return g->at[place(g, layout, work, workers, batch)];
}
