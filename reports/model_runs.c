/* SPDX-License-Identifier: MIT */
#include "model_runs.h"

#include <stdlib.h>
#include <string.h>

struct model_run {
	const struct model_case *m;
	void *params;
	struct cpulist cpus;
	bool done;
	/* what was predicted, as a series of one window */
	struct sample sample;
	struct window window;
	struct series series;
};

int model_workers(const struct model_case *m, const struct bench_published_row *row)
{
	if (row->nr_workers)
		return row->nr_workers;
	return m->c->nr_workers ? m->c->nr_workers : m->profile->nr_cpus;
}

int model_open(struct model_case *m, const struct bench_published_case *c, struct err *err)
{
	const struct bench_published_row *row;
	int rc;

	*m = (struct model_case){.c = c, .exp = experiment_find(c->experiment, err)};
	if (!m->exp)
		return -EINVAL;
	rc = sim_profile_builtin(&m->profile, c->model, err);
	if (rc)
		return rc;
	for (row = c->rows; row->name; row++)
		if (model_workers(m, row) > m->profile->nr_cpus)
			return err_set(
				err, -EINVAL,
				"case %s, row '%s' has %d workers, but its machine %s has %d CPUs",
				c->name, row->name, model_workers(m, row), c->model,
				m->profile->nr_cpus);
	return 0;
}

void model_close(struct model_case *m)
{
	sim_profile_free(m->profile);
}

static int set_params(const struct model_case *m, const struct bench_published_row *row,
		      const int64_t *fits, void *params, struct err *err)
{
	int i, rc = bench_published_params(m->c, row, params, err);

	for (i = 0; fits && !rc && i < BENCH_PUBLISHED_FITS && m->c->fit[i].name; i++)
		param_set(params_find(m->exp, m->c->fit[i].name, NULL), params, fits[i]);
	return rc;
}

static int find_equal(const struct model_runs *runs, const struct model_case *m, const void *params,
		      int nr_workers)
{
	int i;

	for (i = 0; i < runs->nr; i++)
		if (runs->run[i].m == m && runs->run[i].cpus.nr == nr_workers &&
		    !memcmp(runs->run[i].params, params, m->exp->params_size))
			return i;
	return -1;
}

int model_add(struct model_runs *runs, const struct model_case *m,
	      const struct bench_published_row *row, int nr_workers, const int64_t *fits,
	      struct err *err)
{
	struct model_run *grown = realloc(runs->run, sizeof(*grown) * (size_t)(runs->nr + 1));
	struct model_run r = {.m = m, .params = calloc(1, m->exp->params_size)};
	int idx, rc = 0;

	if (grown)
		runs->run = grown;
	if (!grown || !r.params)
		rc = err_set(err, -ENOMEM, "out of memory");
	if (!rc)
		rc = set_params(m, row, fits, r.params, err);
	idx = rc ? -1 : find_equal(runs, m, r.params, nr_workers);
	if (!rc && idx < 0)
		rc = topo_place(m->profile->topo, "cores-first", nr_workers, &r.cpus, err);
	if (rc || idx >= 0) {
		free(r.params);
		return rc ? rc : idx;
	}
	runs->run[runs->nr] = r;
	return runs->nr++;
}

static void take(struct model_run *r, const struct sim_result *result)
{
	r->sample = (struct sample){.rate = result->rate, .jain = result->jain};
	memcpy(r->sample.metrics, result->metrics, sizeof(r->sample.metrics));
	r->window = (struct window){.rate = result->rate, .s = &r->sample};
	r->series = (struct series){.valid = &r->window, .nr_valid = 1};
	r->done = true;
}

struct telling {
	const struct reproduce_progress *progress;
	const char *what;
	int nr;
};

static bool tell(void *ctx, int nr_done)
{
	const struct telling *t = ctx;

	return t->progress && t->progress->tell &&
	       t->progress->tell(t->progress->ctx, t->what, nr_done, t->nr);
}

int model_do(struct model_runs *runs, const char *what, const struct reproduce_progress *progress,
	     struct err *err)
{
	struct telling t = {.progress = progress, .what = what, .nr = runs->nr};
	struct sim_config *config = calloc((size_t)runs->nr + 1, sizeof(*config));
	struct sim_result *result = calloc((size_t)runs->nr + 1, sizeof(*result));
	bool *done = calloc((size_t)runs->nr + 1, sizeof(*done));
	int i, rc = 0;

	if (!config || !result || !done)
		rc = err_set(err, -ENOMEM, "out of memory");
	for (i = 0; i < runs->nr && !rc; i++)
		config[i] = (struct sim_config){.profile = runs->run[i].m->profile,
						.experiment = runs->run[i].m->exp->name,
						.params = runs->run[i].params,
						.cpus = runs->run[i].cpus,
						.seed = 1};
	if (!rc)
		rc = sim_sweep(config, runs->nr, result, done, tell, &t, err);
	for (i = 0; i < runs->nr && rc >= 0; i++)
		if (done[i])
			take(&runs->run[i], &result[i]);
	free(config);
	free(result);
	free(done);
	return rc;
}

bool model_seen(const struct model_runs *runs, int idx, struct seen *out)
{
	const struct model_run *r = &runs->run[idx];
	const struct param *work = params_find(r->m->exp, "work_ns", NULL);

	*out = (struct seen){.s = r->done ? &r->series : NULL,
			     .work_ns = work ? param_get(work, r->params) : 0,
			     .nr_workers = r->cpus.nr};
	return r->done;
}

void model_free(struct model_runs *runs)
{
	int i;

	for (i = 0; i < runs->nr; i++) {
		free(runs->run[i].params);
		cpulist_free(&runs->run[i].cpus);
	}
	free(runs->run);
	*runs = (struct model_runs){0};
}
