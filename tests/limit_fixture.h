/* SPDX-License-Identifier: MIT */
/* limit_fixture.h - cases of any experiment, with planted rates and metrics */
#ifndef CHARGELINE_TESTS_LIMIT_FIXTURE_H
#define CHARGELINE_TESTS_LIMIT_FIXTURE_H

#include "report_fixture.h"

/* a case without parameters and metrics yet; what follows is added to it */
static inline void add_case(struct results *r, const char *experiment, int workers)
{
	struct result_case *c;
	int i;

	r->cases = realloc(r->cases, (r->nr_cases + 1) * sizeof(*r->cases));
	c = &r->cases[r->nr_cases++];
	*c = (struct result_case){
		.experiment = strdup(experiment),
		.params = calloc(8, sizeof(*c->params)),
		.nr_workers = workers,
		.placement = strdup("cores-first"),
		.home = strdup("local"),
		.metrics = calloc(4, sizeof(*c->metrics)),
	};
	for (i = 0; i < workers; i++)
		cpulist_add(&c->cpus, i);
}

static inline void add_param(struct results *r, const char *name, int64_t value, const char *text)
{
	synth_param(&r->cases[r->nr_cases - 1], name, value, text);
}

static inline void add_metric(struct results *r, const char *name, const char *unit)
{
	struct result_case *c = &r->cases[r->nr_cases - 1];

	c->metrics[c->nr_metrics++] = (struct result_metric){strdup(name), strdup(unit)};
}

static inline void add_window(struct results *r, int block, double rate, const double *metrics,
			      int nr_metrics)
{
	struct sample s = {.block = block,
			   .ops = 1000,
			   .window_ns = 20e6,
			   .rate = rate,
			   .slowest = rate / 2,
			   .fastest = rate / 2,
			   .jain = 1,
			   .overlap = 1};
	struct err err = ERR_INIT;
	int i;

	for (i = 0; i < EXPERIMENT_MAX_METRICS; i++)
		s.metrics[i] = i < nr_metrics ? metrics[i] : NAN;
	assert_ok(results_add_sample(r, r->nr_cases - 1, &s, &err), &err);
}

#endif
