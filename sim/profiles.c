/* SPDX-License-Identifier: MIT */
/*
 * The built-in machines. Every figure says where it is from; "machines" is the collection of
 * measured core-to-core matrices (medians of its classes), "published" its list of figures without
 * a matrix, "contended" the published throughputs of one contended line (rows of one thread: e).
 *
 * Figures that several rows share, and what they rest on:
 *
 *   load, store  EPYC and Arm 0.1 ns: hits of the lines between two atomics hide behind them. Own
 *                measurement on Zen 5: a charge and an uncharge of three levels are 28 ns of atomics
 *                and 33 ns in all, for some 40 loads. Intel 1.2 ns a load: one load in three
 *                instructions at 0.81 instructions a cycle (kernel-facts 5, row 1b, uncontended) and
 *                3 GHz; a locked operation lets no younger load begin
 *   op           0.3 ns: a page taken from a worker's stock, own measurement on Zen 5 at batch 1024
 *   visit        w = 0.116, fitted by its authors on one row (8 x Xeon 8176, 420 threads); 0 where
 *                atomics are LL/SC or far
 *   keep_ps      EPYC 4.5 ns: fitted on contended, Milan guest at 8 threads (6.5 ns), if those were in
 *                one CCX. Own measurement on Zen 5: 2.8 operations a visit of two CPUs, 2.2 by w alone
 *   upgrade      2 across packages: load + CAS costs three transfers there, two inside (published,
 *                8 x Xeon 8176: 442.9 = 3 x 148.8, 101.9 = 2 x 47.5)
 */
#include "sim_private.h"

#include <stdio.h>
#include <string.h>

#define INTEL(smt_, in, out, e)                                                               \
	{                                                                                     \
		.smt = (smt_), .cluster = (in), .node = (in), .socket = (in), .cross = (out), \
		.rmw = (e), .load = 1200, .store = 100, .op = 300, .visit = 0.116,            \
		.upgrade_cross = 2, .batch = 1                                                \
	}
#define EPYC(smt_, ccx, in, out, e)                                                            \
	{                                                                                      \
		.smt = (smt_), .cluster = (ccx), .node = (in), .socket = (in), .cross = (out), \
		.rmw = (e), .load = 100, .store = 100, .op = 300, .visit = 0.116,              \
		.upgrade_cross = 1, .batch = 1, .keep_ps = 4500, .home_decides = true,         \
		.ahead_ps = AMD_AHEAD_PS                                                       \
	}
#define ARM(in, out, e, far)                                                                \
	{                                                                                   \
		.smt = (in), .cluster = (in), .node = (in), .socket = (in), .cross = (out), \
		.rmw = (e), .load = 100, .store = 100, .op = 300, .far_ps = (far),          \
		.upgrade_cross = 1, .batch = 1                                              \
	}

static const struct machine {
	const char *name, *topology, *source;
	struct sim_costs costs;
} machines[] = {
	{"clx-2s18c",
	 "Package:2 [NUMANode(memory=96GiB)] L3Cache:1(size=25344KiB) L2Cache:18(size=1MiB) "
	 "L1dCache:1(size=32KiB) Core:1 PU:2(indexes=2*36:36*1)",
	 "2 x Skylake or Cascade Lake, 18 cores: machines clx-6242-2s16c2t and clx-8275cl-2s24c2t bracket "
	 "it (smt 7.5, socket 47.3, cross 137.7: their means); e contended, 8 x Xeon 8176 at 1 thread",
	 INTEL(7500, 47300, 137700, 4830)},
	{"cpx-5318h",
	 "Package:4 [NUMANode(memory=32GiB)] L3Cache:1(size=25344KiB) L2Cache:18(size=1MiB) "
	 "L1dCache:1(size=32KiB) Core:1 PU:2(indexes=2*72:72*1)",
	 "4 x Xeon Gold 5318H: machines clx-8275cl-2s24c2t (same core and mesh; smt 7.6, socket 46.6, "
	 "cross 134.1, every other socket one hop away: an assumption); e as clx-2s18c",
	 INTEL(7600, 46600, 134100, 4830)},
	{"icx-8380",
	 "Package:2 [NUMANode(memory=256GiB)] L3Cache:1(size=60MiB) L2Cache:40(size=1280KiB) "
	 "L1dCache:1(size=48KiB) Core:1 PU:2(indexes=2*80:80*1)",
	 "2 x Xeon Platinum 8380: machines icx-8360y-2s36c2t-first128 (same die; 7.6, 50.3, 113.6); "
	 "e contended, i5-1035G4 at 1 thread (6.1)",
	 INTEL(7600, 50300, 113600, 6100)},
	{"clx-ap-9242",
	 "Package:4 [NUMANode(memory=96GiB)] L3Cache:1(size=36608KiB) L2Cache:24(size=1MiB) "
	 "L1dCache:1(size=32KiB) Core:1 PU:2(indexes=2*96:96*1)",
	 "2 x Xeon Platinum 9242, four dies: machines clx-8275cl-2s24c2t; that two dies of one package "
	 "are as far apart as two sockets is an assumption",
	 INTEL(7600, 46600, 134100, 4830)},
	{"skx-8176-8s",
	 "Package:8 [NUMANode(memory=192GiB)] L3Cache:1(size=39424KiB) L2Cache:28(size=1MiB) "
	 "L1dCache:1(size=32KiB) Core:1 PU:2(indexes=2*224:224*1)",
	 "8 x Xeon Platinum 8176: published (7.2, 47.5, 148.8 one hop, 336.6 between the groups of four); "
	 "e contended at 1 thread",
	 {.smt = 7200,
	  .cluster = 47500,
	  .node = 47500,
	  .socket = 47500,
	  .cross = 148800,
	  .cross_far = 336600,
	  .rmw = 4830,
	  .load = 100,
	  .store = 100,
	  .op = 300,
	  .visit = 0.116,
	  .upgrade_cross = 2,
	  .batch = 1}},
	{"spr-2s56c",
	 "Package:2 [NUMANode(memory=512GiB)] L3Cache:1(size=105MiB) L2Cache:56(size=2MiB) "
	 "L1dCache:1(size=48KiB) Core:1 PU:2(indexes=2*112:112*1)",
	 "2 x Sapphire Rapids 56 cores: machines spr-w9-3475x-1s36c1t (socket 55.3); cross 138.6 published "
	 "for Graviton4 as similar to Sapphire Rapids; smt and e as icx-8380",
	 INTEL(7600, 55300, 138600, 6100)},
	{"milan-2s64c",
	 "Package:2 [NUMANode(memory=256GiB)] L3Cache:8(size=32MiB) L2Cache:8(size=512KiB) "
	 "L1dCache:1(size=32KiB) Core:1 PU:2(indexes=2*128:128*1)",
	 "2 x EPYC Milan 64 cores, NPS1: machines zen3-7r13-2s48c2t (9.8, CCX 22.7, home socket 108, else "
	 "197.2); e contended, Milan guest at 1 thread (2.53)",
	 EPYC(9800, 22700, 108000, 197200, 2530)},
	{"genoa-2s96c",
	 "Package:2 [NUMANode(memory=384GiB)] L3Cache:12(size=32MiB) L2Cache:8(size=1MiB) "
	 "L1dCache:1(size=32KiB) Core:1 PU:2(indexes=2*192:192*1)",
	 "2 x EPYC Genoa 96 cores, NPS1: machines zen4-9654-2s96c1t (CCX 27.1, home socket 99.3, else "
	 "191.6), smt zen4-9454-2s48c2t (10.3); e as milan-2s64c",
	 EPYC(10300, 27100, 99300, 191600, 2530)},
	{"altra-1s80c",
	 "Package:1 [NUMANode(memory=256GiB)] L2Cache:80(size=1MiB) L1dCache:1(size=64KiB) Core:1 PU:1",
	 "Ampere Altra Q80-30: machines n1-altra-q80-30-1s80c1t-mono (180.5; 93.3 inside a quarter is not "
	 "modelled); e and far service contended, Graviton2 (5.3, 9.4 at 16 cores)",
	 ARM(180500, 180500, 5300, 9400)},
	{"graviton2-1s64c",
	 "Package:1 [NUMANode(memory=256GiB)] L3Cache:1(size=32MiB) L2Cache:64(size=1MiB) "
	 "L1dCache:1(size=64KiB) Core:1 PU:1",
	 "AWS Graviton2: machines n1-graviton2-1s64c1t (47.2); e and far service contended (5.3; 9.4)",
	 ARM(47200, 47200, 5300, 9400)},
};
#define NR_MACHINES (sizeof(machines) / sizeof(machines[0]))

const char *const *sim_profile_names(void)
{
	static const char *names[NR_MACHINES + 1];
	size_t i;

	for (i = 0; i < NR_MACHINES; i++)
		names[i] = machines[i].name;
	return names;
}

int sim_profile_builtin(struct sim_profile **out, const char *name, struct err *err)
{
	struct topo *topo = NULL;
	size_t i;
	int rc;

	for (i = 0; i < NR_MACHINES && strcmp(machines[i].name, name); i++)
		;
	if (i == NR_MACHINES)
		return text_unknown(err, "machine", name, sim_profile_names(), NR_MACHINES);
	rc = topo_load(&topo, machines[i].topology, err);
	if (!rc)
		rc = sim_profile_make(out, name, topo, &machines[i].costs, err);
	if (!rc)
		snprintf((*out)->source, sizeof((*out)->source), "%s", machines[i].source);
	return rc;
}
