/* SPDX-License-Identifier: MIT */
/*
 * contended_machines.h - machines of published contended throughputs that nobody needs as a profile
 *
 * Costs have a source each: "contended" is contended-atomics.csv (a row of one thread gives e),
 * "machines" the collection of matrices, "models" section 4 of contention-models.md. What was fitted
 * on a row of the same data set says so; the row is marked "fit" in the table of test_contended.
 */
#ifndef CHARGELINE_CONTENDED_MACHINES_H
#define CHARGELINE_CONTENDED_MACHINES_H

#include "sim.h"

/* one package of @in_ps between any two cores */
#define ONE_SOCKET(smt_, in_ps, e_ps, w_)                                                        \
	.smt = (smt_), .cluster = (in_ps), .node = (in_ps), .socket = (in_ps), .cross = (in_ps), \
	.rmw = (e_ps), .load = 1200, .store = 100, .visit = (w_), .upgrade_cross = 1, .batch = 1

static const struct contended_machine {
	const char *name, *topology, *source;
	struct sim_costs costs;
} contended_machines[] = {
	{"i7-6700HQ",
	 "Package:1 [NUMANode(memory=16GiB)] L3Cache:1(size=6MiB) L2Cache:4 Core:1 PU:1",
	 "L 31: an i7-6700K's 19.5 times the clocks (models); e contended, 1 thread",
	 {ONE_SOCKET(31000, 31000, 7000, 0.116)}},
	{"i5-1035G4",
	 "Package:1 [NUMANode(memory=16GiB)] L3Cache:1(size=6MiB) L2Cache:4 Core:1 PU:1",
	 "L 27: an i7-1165G7's matrix (models); e contended, 1 thread",
	 {ONE_SOCKET(27000, 27000, 6100, 0.116)}},
	{"ccont",
	 "Package:2 [NUMANode(memory=16GiB)] L3Cache:1(size=8MiB) L2Cache:4 Core:1 PU:1",
	 "unknown machine: e contended, 1 CPU; L fitted on 2+0, across on 4+4, per_group on the shares of 4+2",
	 {.smt = 22000,
	  .cluster = 22000,
	  .node = 22000,
	  .socket = 22000,
	  .cross = 44000,
	  .rmw = 8940,
	  .load = 1200,
	  .store = 100,
	  .visit = 0.116,
	  .per_group = 0.85,
	  .upgrade_cross = 1,
	  .batch = 1}},
	{"xeon-w-2145",
	 "Package:1 [NUMANode(memory=64GiB)] L3Cache:1(size=11MiB) L2Cache:8 Core:1 PU:2",
	 "smt and L published latencies (4, 41); e of a Xeon 8176, same core",
	 {ONE_SOCKET(4000, 41000, 4830, 0.116)}},
	{"ryzen-2700x",
	 "Package:1 [NUMANode(memory=64GiB)] L3Cache:2(size=8MiB) L2Cache:4 Core:1 PU:2",
	 "machines zen1-tr1950x-1s16c2t, one die of two like it; e as Zen 3",
	 {.smt = 10300,
	  .cluster = 25100,
	  .node = 89600,
	  .socket = 89600,
	  .cross = 89600,
	  .rmw = 4300,
	  .load = 100,
	  .store = 100,
	  .visit = 0.116,
	  .keep_ps = 3700,
	  .ahead_ps = AMD_AHEAD_PS,
	  .upgrade_cross = 1,
	  .batch = 1}},
	{"graviton1",
	 "Package:1 [NUMANode(memory=16GiB)] L2Cache:16 Core:1 PU:1",
	 "A72, LL/SC: e contended, 1 thread; L fitted on 2 threads, crowd on 16",
	 {ONE_SOCKET(15350, 15350, 8800, 0), .crowd_ps = 5030}},
	{"lx2160a",
	 "Package:1 [NUMANode(memory=16GiB)] L2Cache:16 Core:1 PU:1",
	 "16 x A72 as graviton1",
	 {ONE_SOCKET(15350, 15350, 8800, 0), .crowd_ps = 5030}},
	{"power5+",
	 "Package:1 [NUMANode(memory=64GiB)] L2Cache:64 Core:1 PU:1",
	 "LL/SC: e contended, 1 thread; L fitted on 2 threads, crowd on 64",
	 {ONE_SOCKET(61900, 61900, 41300, 0), .crowd_ps = 4660}},
};
#define NR_CONTENDED_MACHINES ((int)(sizeof(contended_machines) / sizeof(contended_machines[0])))

#endif
