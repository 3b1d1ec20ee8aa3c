/* SPDX-License-Identifier: MIT */
/*
 * sim_fixture.h - machines for tests of the model, and predictions on them
 *
 * plain() are costs with every option off, so that what a line costs is known in closed form:
 * 50 ns inside a socket, 130 across, 5 an atomic that hits. Experiments are named with their
 * parameters as the command line has them.
 */
#ifndef CHARGELINE_SIM_FIXTURE_H
#define CHARGELINE_SIM_FIXTURE_H

#include "sim.h"
#include "test.h"

#include <math.h>

#define two_sockets                                                    \
	"Package:2 [NUMANode(memory=96GiB)] L3Cache:1(size=25344KiB) " \
	"L2Cache:18(size=1MiB) Core:1 PU:1"

/* costs with every option off: one hand-over per operation, in order of issue */
static inline struct sim_costs plain(void)
{
	return (struct sim_costs){.smt = 7000,
				  .cluster = 50000,
				  .node = 50000,
				  .socket = 50000,
				  .cross = 130000,
				  .rmw = 5000,
				  .load = 100,
				  .store = 100,
				  .op = 0,
				  .upgrade_cross = 1,
				  .batch = 1};
}

static inline struct sim_profile *make(const char *topology, const struct sim_costs *costs)
{
	struct sim_profile *p = NULL;
	struct err err = ERR_INIT;
	struct topo *topo;

	assert_ok(topo_load(&topo, topology, &err), &err);
	assert_ok(sim_profile_make(&p, "test", topo, costs, &err), &err);
	return p;
}

static inline struct sim_profile *builtin(const char *name)
{
	struct sim_profile *p = NULL;
	struct err err = ERR_INIT;

	assert_ok(sim_profile_builtin(&p, name, &err), &err);
	return p;
}

/* "name=value,..." on the first @nr CPUs of @placement; of @config what these do not say */
static inline int run_as(struct sim_config config, const struct sim_profile *p,
			 const char *experiment, const char *placement, int nr, const char *sets,
			 struct sim_result *out, struct err *err)
{
	const struct experiment *e = experiment_find(experiment, err);
	void *params = calloc(1, e->params_size);
	char text[200], *set, *value, *rest = text;
	const struct param *param;
	int64_t v;
	int rc;

	config.profile = p;
	config.experiment = experiment;
	config.seed = 1;
	params_defaults(e, params);
	snprintf(text, sizeof(text), "%s", sets);
	while ((set = strtok_r(rest, ",", &rest))) {
		value = strchr(set, '=');
		*value++ = 0;
		param = params_find(e, set, err);
		assert_non_null(param);
		assert_ok(param_parse(param, value, &v, err), err);
		param_set(param, params, v);
	}
	config.params = params;
	assert_ok(topo_place(p->topo, placement, nr, &config.cpus, err), err);
	rc = sim_run(&config, out, err);
	cpulist_free(&config.cpus);
	free(params);
	return rc;
}

static inline int run(const struct sim_profile *p, const char *experiment, const char *placement,
		      int nr, const char *sets, struct sim_result *out, struct err *err)
{
	return run_as((struct sim_config){0}, p, experiment, placement, nr, sets, out, err);
}

/* ns per operation, all workers together */
static inline double total_ns(const struct sim_profile *p, int nr, const char *sets)
{
	struct err err = ERR_INIT;
	struct sim_result r;

	assert_ok(run(p, "contended_line", "cores-first", nr, sets, &r, &err), &err);
	return 1e9 / r.rate;
}

static inline void assert_near(double value, double expected, double tolerance)
{
	if (!(fabs(value / expected - 1) <= tolerance))
		fail_msg("%g is not within %g%% of %g", value, 100 * tolerance, expected);
}

#endif
