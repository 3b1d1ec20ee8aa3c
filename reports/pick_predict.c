/* SPDX-License-Identifier: MIT */
#include "report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim.h"

#define BLOCKS	  8    /* seeds; the pick wants an interval, and here it is the simulation's */
#define TARGET	  0.01 /* half-width of one of them */
#define BASE_PAGE 4096

static const char *const sets[] = {"batch=8,16,32,64,127,256,512", "work_ns=250,1000,4000"};
static const char *const experiment_names[] = {"page_counter"};

static int simulate(const struct sim_profile *p, const struct plan *plan, struct sim_result *out,
		    struct err *err)
{
	int nr = plan->nr_cases * BLOCKS, i, rc;
	struct sim_config *config = calloc(nr, sizeof(*config));
	bool *done = calloc(nr, sizeof(*done));
	const struct bench_case *c;

	for (i = 0; config && i < nr; i++) {
		c = &plan->cases[i % plan->nr_cases];
		config[i] = (struct sim_config){.profile = p,
						.experiment = c->exp->name,
						.params = c->params,
						.cpus = c->cpus,
						.seed = 1 + i / plan->nr_cases,
						.target = TARGET};
	}
	rc = config && done ? sim_sweep(config, nr, out, done, NULL, NULL, err)
			    : err_set(err, -ENOMEM, "out of memory");
	free(config);
	free(done);
	return rc;
}

static int add_windows(struct results *r, const struct sim_result *sim, struct err *err)
{
	const struct sim_result *from;
	struct sample s;
	int block, i, k, rc = 0;

	for (block = 0; block < BLOCKS; block++) {
		for (i = 0; i < r->nr_cases && !rc; i++) {
			from = &sim[block * r->nr_cases + i];
			s = (struct sample){.block = block,
					    .window_ns = from->simulated_ps / 1e3,
					    .rate = from->rate,
					    .slowest = from->slowest,
					    .fastest = from->fastest,
					    .jain = from->jain,
					    .overlap = 1};
			s.ops = from->rate * s.window_ns / 1e9;
			for (k = 0; k < EXPERIMENT_MAX_METRICS; k++)
				s.metrics[k] = from->metrics[k];
			rc = results_add_sample(r, i, &s, err);
		}
	}
	return rc;
}

/* a profile's topology has no CPU model: its name says what "unknown" stands for in the class */
static int name_class(struct results *r, const struct sim_profile *p)
{
	const char *rest = strchr(r->machine.class_name, '-');
	char *name;

	if (strncmp(r->machine.class_name, "unknown-", 8))
		return 0;
	if (asprintf(&name, "%.*s%s", (int)strcspn(p->name, "-"), p->name, rest) < 0)
		return -ENOMEM;
	free(r->machine.class_name);
	r->machine.class_name = name;
	return 0;
}

int pick_predict(struct results **out, const struct sim_profile *p, struct err *err)
{
	const struct plan_spec spec = {.experiments = experiment_names,
				       .nr_experiments = 1,
				       .sets = sets,
				       .nr_sets = 2,
				       .workers = "all",
				       .seed = 1};
	struct sim_result *sim = NULL;
	struct results *r = NULL;
	struct plan plan = {0};
	int rc = plan_build(p->topo, &spec, &plan, err);

	if (rc)
		return rc;
	sim = calloc((size_t)plan.nr_cases * BLOCKS, sizeof(*sim));
	rc = sim ? simulate(p, &plan, sim, err) : err_set(err, -ENOMEM, "out of memory");
	if (!rc)
		rc = results_new(&r, p->topo, &plan, NULL, err);
	if (!rc)
		rc = add_windows(r, sim, err);
	if (!rc)
		rc = name_class(r, p) ? err_set(err, -ENOMEM, "out of memory") : 0;
	if (!rc)
		r->machine.page_bytes = BASE_PAGE;
	free(sim);
	plan_free(&plan);
	if (rc)
		results_free(r);
	else
		*out = r;
	return rc;
}
