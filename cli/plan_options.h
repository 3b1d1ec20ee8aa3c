/* SPDX-License-Identifier: MIT */
/*
 * plan_options.h - the options that make a plan, the same for "run" and "bench"; private to cli/
 */
#ifndef CHARGELINE_PLAN_OPTIONS_H
#define CHARGELINE_PLAN_OPTIONS_H

#include "bench.h"
#include "cli.h"

struct plan_args {
	struct option_list sets;
	const char *workers, *pairs, *placement, *home, *counters;
	bool multiplex;
	int64_t budget_ns, window_ns, blocks, seed;
	double target;
};

/* clang-format off */
#define PLAN_ARGS_INIT {.seed = 1, .target = 0.005}

#define PLAN_OPTION_ROWS(a)                                                                        \
	{"set", 0, OPT_LIST, &(a).sets, "PARAM=V[,V...]",                                          \
	 "a parameter's values; more than one: a sweep"},                                          \
	{"workers", 0, OPT_TEXT, &(a).workers, "LIST",                                             \
	 "worker counts, such as 1,2,4, 1-8 or all; default 1,2,4,...,all"},                       \
	{"pairs", 0, OPT_TEXT, &(a).pairs, "N|all",                                                \
	 "of experiments in pairs: how many; default as many as the time\n"                        \
	 "allows, sampled by relation"},                                                           \
	{"placement", 0, OPT_TEXT, &(a).placement, "PLACEMENT|CPULIST",                               \
	 "which CPUs, see 'list placements'; default cores-first"},                                \
	{"home", 0, OPT_TEXT, &(a).home, "WHERE",                                                  \
	 "node of the shared lines: local, node-N, farthest, interleave"},                         \
	{"window", 0, OPT_DURATION, &(a).window_ns, "T",                                           \
	 "length of a window; default 20ms, for pairs 2ms", 1000000},                              \
	{"seed", 0, OPT_INT, &(a).seed, "N", "of the random order; default 1", 0, INT32_MAX}
/* clang-format on */

/* -errno of plan_build(); the strings of @a must outlive the call only */
int plan_from_args(const struct plan_args *a, const struct topo *topo, char **names, int nr,
		   struct plan *plan, struct err *err);

#endif
