/* SPDX-License-Identifier: MIT */
/* What the model says of the cases that were measured. */
#include "plots.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "experiment.h"
#include "format.h"
#include "sim.h"
#include "text.h"

#define MAX_ACCESSES 1000000 /* of a case: about a second */
#define TARGET	     0.01

/* ------------------------------------------------------------------------- the machine */

static int from_record(struct sim_profile **out, const struct results *const *r, int nr,
		       struct err *err)
{
	struct topo *topo = NULL;
	int i, rc = topo_load(&topo, NULL, err);

	if (rc)
		return rc;
	if (strcmp(topo_info(topo)->class_name, r[0]->machine.class_name)) {
		topo_free(topo);
		return err_set(err, -ENOENT, "the record is of another machine than this one");
	}
	for (i = 0; i < nr; i++) {
		rc = profile_from_results(out, r[i], topo, err);
		if (!rc || i + 1 == nr)
			return rc;
		rc = topo_load(&topo, NULL, err);
		if (rc)
			return rc;
	}
	return rc;
}

/* is it a profile of that class? An invented topology has no CPU model: the name says which it is */
static bool is_class(const struct sim_profile *p, const char *class_name)
{
	static const char *const also[][2] = {
		{"milan", "zen3"}, {"genoa", "zen4"}, {"altra", "n1"}, {"graviton2", "n1"}};
	const char *shape = strchr(topo_info(p->topo)->class_name, '-');
	size_t len = strcspn(p->name, "-"), i;
	const char *uarch = p->name;

	for (i = 0; i < sizeof(also) / sizeof(also[0]); i++) {
		if (strncmp(p->name, also[i][0], len) || also[i][0][len])
			continue;
		uarch = also[i][1];
		len = strlen(uarch);
	}
	return shape && !strncmp(class_name, uarch, len) && !strcmp(class_name + len, shape);
}

int report_model(const struct results *const *r, int nr, struct sim_profile **out, struct err *err)
{
	const char *class_name = r[0]->machine.class_name;
	const char *const *name;

	*out = NULL;
	if (!class_name)
		return err_set(err, -ENOENT,
			       "the record does not say which class of machine it is of");
	if (!from_record(out, r, nr, err))
		return 0;
	for (name = sim_profile_names(); *name; name++) {
		if (sim_profile_builtin(out, *name, NULL))
			continue;
		if (is_class(*out, class_name))
			return 0;
		sim_profile_free(*out);
		*out = NULL;
	}
	return -ENOENT;
}

/* --------------------------------------------------------------------------- the cases */

/* the record's parameters for the experiment of this build; NULL: it has others */
void *case_params(const struct experiment *exp, const struct result_case *c)
{
	void *params = malloc(exp->params_size);
	const struct param *p;
	int64_t v;
	int i;

	if (!params)
		return NULL;
	params_defaults(exp, params);
	for (i = 0; i < c->nr_params; i++) {
		p = params_find(exp, c->params[i].name, NULL);
		if (!p || param_parse(p, c->params[i].text, &v, NULL)) {
			free(params);
			return NULL;
		}
		param_set(p, params, v);
	}
	return params;
}

/* all workers at every batch and demand, and the scaling curve's */
static bool wanted(const struct report *rep, const struct series *s, int layout, int64_t batch)
{
	const struct grid *g = rep->grid;
	int64_t b = 0;

	result_param(s->c, "batch", &b);
	if (!s->in_grid || !s->nr_valid)
		return false;
	if (g->layouts[layout] &&
	    strcmp(g->layouts[layout],
		   result_param_text(s->c, "layout") ? result_param_text(s->c, "layout") : ""))
		return false;
	return s->c->nr_workers == g->workers[g->nr_workers - 1] || b == batch;
}

static int configure(struct overlay *o, const struct report *rep, const struct sim_profile *model,
		     int layout, struct sim_config *config)
{
	const struct experiment *exp = experiment_find(rep->grid->experiment, NULL);
	int64_t batch = rep->grid->batches[counter_scaling_batch(rep->grid, layout)];
	void *params;
	int i;

	for (i = 0; exp && i < rep->set.nr; i++) {
		if (!wanted(rep, &rep->set.s[i], layout, batch))
			continue;
		params = case_params(exp, rep->set.s[i].c);
		if (!params)
			continue;
		config[o->nr] = (struct sim_config){.profile = model,
						    .experiment = exp->name,
						    .params = params,
						    .cpus = rep->set.s[i].c->cpus,
						    .seed = 1,
						    .target = TARGET,
						    .max_accesses = MAX_ACCESSES};
		o->s[o->nr++] = &rep->set.s[i];
	}
	return o->nr;
}

int overlay_make(struct overlay *o, const struct report *rep, const struct sim_profile *model,
		 int layout)
{
	size_t room = (size_t)rep->set.nr + 1;
	struct sim_config *config = calloc(room, sizeof(*config));
	struct sim_result *r = calloc(room, sizeof(*r));
	bool *done = calloc(room, sizeof(*done));
	int i, rc = 0;

	*o = (struct overlay){.s = calloc(room, sizeof(*o->s)),
			      .rate = calloc(room, sizeof(*o->rate))};
	snprintf(o->source, sizeof(o->source), "%s", model->source);
	snprintf(o->name, sizeof(o->name), "%s", model->name);
	if (!config || !r || !done || !o->s || !o->rate)
		rc = -ENOMEM;
	else if (configure(o, rep, model, layout, config))
		rc = sim_sweep(config, o->nr, r, done, NULL, NULL, &o->why);
	/* only where configure() came: all are there */
	for (i = 0; config && r && done && o->rate && i < o->nr; i++) {
		o->rate[i] = rc || !done[i] ? NAN : r[i].rate;
		free((void *)config[i].params);
		free(r[i].worker_rate);
	}
	free(config);
	free(r);
	free(done);
	return rc == -ENOMEM ? rc : 0;
}

void overlay_free(struct overlay *o)
{
	free(o->s);
	free(o->rate);
}

bool overlay_rate(const struct overlay *o, const struct series *s, double *rate)
{
	int i;

	for (i = 0; i < o->nr; i++) {
		if (o->s[i] != s)
			continue;
		*rate = o->rate[i];
		return isfinite(o->rate[i]);
	}
	return false;
}

/* ------------------------------------------------------------------------- the section */

static void row(struct doc *d, const struct report *rep, int i)
{
	const struct series *s = rep->overlay.s[i];
	char buf[FORMAT_MAX];
	struct estimate e;
	int64_t v = 0;

	result_param(s->c, "work_ns", &v);
	doc_cell(d, "%s", format_work(buf, v));
	result_param(s->c, "batch", &v);
	doc_cell(d, "%lld", (long long)v);
	doc_cell(d, "%d", s->c->nr_workers);
	cell_rate(d, s);
	doc_cell(d, "%s", text_si(buf, sizeof(buf), rep->overlay.rate[i]));
	if (series_rate(s, &e))
		d->failed = true;
	else if (e.n && e.mid > 0)
		doc_cell(d, "%+.1f%%", 100 * (rep->overlay.rate[i] / e.mid - 1));
	else
		doc_absent(d, "nothing was measured");
}

void overlay_sections(struct doc *d, const struct report *rep, int layout)
{
	const struct overlay *o = &rep->overlay;
	const struct grid *g = rep->grid;
	int i, nr = 0;

	if (!o->s && !o->why.code)
		return;
	doc_section(d, "model", "The model beside the measurement");
	if (o->why.code) {
		doc_add(d, DOC_PARA, "No prediction: %s.", o->why.msg);
		return;
	}
	for (i = 0; i < o->nr; i++)
		nr += isfinite(o->rate[i]);
	doc_add(d, DOC_PARA,
		"Every figure of the model is a prediction. Its profile is %s: %s. How far to trust "
		"it: docs/model.md.",
		o->name, *o->source ? o->source : "source not stated");
	if (!nr) {
		doc_add(d, DOC_PARA, "No case of this record is known to the model.");
		return;
	}
	doc_table(d, "Predicted against measured: %s",
		  g->layouts[layout] ? g->layouts[layout] : g->experiment);
	doc_col(d, DOC_NUM_KEY, "local work\nper %s", format_per(g->experiment));
	doc_col(d, DOC_NUM_KEY, "batch");
	doc_col(d, DOC_NUM_KEY, "workers");
	doc_col(d, DOC_NUM, "measured/s");
	doc_col(d, DOC_NUM, "predicted/s");
	doc_col(d, DOC_NUM, "the model\nis off by");
	for (i = 0; i < o->nr; i++)
		if (isfinite(o->rate[i]))
			row(d, rep, i);
}
