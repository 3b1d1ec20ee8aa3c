/* SPDX-License-Identifier: MIT */
/*
 * plan_private.h - what plan.c (any plan) and plan_default.c (the one of "chargeline report")
 * share, private to bench/
 */
#ifndef PLAN_PRIVATE_H
#define PLAN_PRIVATE_H

#include "bench.h"

#define PLAN_WINDOW_NS	    20000000LL
#define PLAN_PAIR_WINDOW_NS 2000000LL /* a line is handed over 20,000 times in it */

/* an empty plan with its placement and home specs (NULL: the defaults) */
int plan_begin(struct plan *plan, const char *placement, const char *home, struct err *err);

/* a case on exactly @cpus, one worker each */
int plan_add_case(struct plan *plan, const struct experiment *exp, const void *params,
		  const struct cpulist *cpus, struct err *err);

/* the CPU lists that every combination of parameters runs on (plan_lists.c) */
struct cpu_lists {
	struct cpulist *list;
	int nr;
};

void cpu_lists_free(struct cpu_lists *l);
int plan_prefix_lists(const struct cpulist *cpus, const struct cpulist *counts,
		      struct cpu_lists *out, struct err *err);

/*
 * plan_pair_lists - ordered pairs: every two of @cpus in both directions, or at most @limit
 * unordered ones, drawn class by class of relation; @said then says how many of each
 */
int plan_pair_lists(const struct topo *topo, const struct cpulist *cpus, int64_t limit,
		    uint64_t seed, struct cpu_lists *out, char *said, size_t said_size,
		    struct err *err);

/*
 * plan_published - @add for each row of a published case that differs from those before (cases.c)
 * With a set of what tells the rows apart: the case itself with that set, published or not.
 */
int plan_published(const struct bench_published_case *c, const struct plan_spec *spec,
		   int (*add)(void *ctx, const struct experiment *exp, const void *params,
			      struct err *err),
		   void *ctx, struct err *err);

/* resolves each case's home spec for its CPUs */
int plan_set_homes(const struct topo *topo, struct plan *plan, struct err *err);

/* "1,2,all" -> counts, at most @all each; NULL: 1,2,4,...,all */
int plan_worker_counts(const char *spec, int all, struct cpulist *out, struct err *err);

/* blocks and target from the budget; @blocks 0: as many as fit */
void plan_fit(struct plan *plan, int blocks, double target);

/* 80 s per worker count, at most 15 minutes: wider machines have more counts to visit */
int64_t plan_default_budget(int nr_worker_counts);

#endif
