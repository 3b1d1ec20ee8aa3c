/* SPDX-License-Identifier: MIT */
/*
 * Intel servers. The one event for "modified in another core" has two names: XSNP_HITM up to Ice
 * Lake, XSNP_FWD from Sapphire Rapids on, with the same code. Loads at retirement: stores are not
 * in them, locked operations are, as their load.
 */
#include "counters_private.h"

#define LOADS_OF_ALL                                                                      \
	{"hitm_remote", {{"MEM_LOAD_L3_MISS_RETIRED:REMOTE_HITM", 0x04d3}}},              \
		{"forward_remote", {{"MEM_LOAD_L3_MISS_RETIRED:REMOTE_FWD", 0x08d3}}},    \
		{"l2_load_misses", {{"MEM_LOAD_RETIRED:L2_MISS", 0x10d1}}},               \
		{"l3_misses_local", {{"MEM_LOAD_L3_MISS_RETIRED:LOCAL_DRAM", 0x01d3}}},   \
		{"l3_misses_remote", {{"MEM_LOAD_L3_MISS_RETIRED:REMOTE_DRAM", 0x02d3}}}, \
		{"lock_loads", {{"MEM_INST_RETIRED:LOCK_LOADS", 0x21d0}}},                \
	{                                                                                 \
		"memory_order_clears",                                                    \
		{                                                                         \
			{                                                                 \
				"MACHINE_CLEARS:MEMORY_ORDERING", 0x02c3                  \
			}                                                                 \
		}                                                                         \
	}

#define SNOOPS_TO_ICELAKE                                                             \
	{"hitm_local", {{"MEM_LOAD_L3_HIT_RETIRED:XSNP_HITM", 0x04d2}}},              \
		{"snoop_hits_clean", {{"MEM_LOAD_L3_HIT_RETIRED:XSNP_HIT", 0x02d2}}}, \
	{                                                                             \
		"memory_stalls",                                                      \
		{                                                                     \
			{                                                             \
				"CYCLE_ACTIVITY:STALLS_MEM_ANY", 0x140014a3           \
			}                                                             \
		}                                                                     \
	}

#define SNOOPS_FROM_SAPPHIRE_RAPIDS                                                      \
	{"hitm_local", {{"MEM_LOAD_L3_HIT_RETIRED:XSNP_FWD", 0x04d2}}},                  \
		{"snoop_hits_clean", {{"MEM_LOAD_L3_HIT_RETIRED:XSNP_NO_FWD", 0x02d2}}}, \
	{                                                                                \
		"memory_stalls",                                                         \
		{                                                                        \
			{                                                                \
				"EXE_ACTIVITY:BOUND_ON_LOADS", 0x050021a6                \
			}                                                                \
		}                                                                        \
	}

static const struct native_row skylake[] = {
	LOADS_OF_ALL,
	SNOOPS_TO_ICELAKE,
	{"snoops_answered_modified",
	 {{"CORE_SNOOP_RESPONSE:RSP_IFWDM", 0x10ef}, {"CORE_SNOOP_RESPONSE:RSP_SFWDM", 0x08ef}}},
	{0}};
static const struct native_row icelake[] = {LOADS_OF_ALL, SNOOPS_TO_ICELAKE, {0}};
static const struct native_row golden_cove[] = {LOADS_OF_ALL, SNOOPS_FROM_SAPPHIRE_RAPIDS, {0}};

/* Cooper Lake has the cores and the events of Cascade Lake, and libpfm takes it for one */
const struct native_table native_intel[] = {
	{"skx", "skx", "libpfm 4.13 intel_skl_events.h", skylake},
	{"clx", "clx", "libpfm 4.13 intel_skl_events.h", skylake},
	{"cpx", "clx", "libpfm 4.13 intel_skl_events.h", skylake},
	{"icx", "icx", "libpfm 4.13 intel_icl_events.h", icelake},
	{"spr", "spr", "libpfm 4.13 intel_spr_events.h", golden_cove},
	{"emr", NULL, "Linux 6.12 tools/perf/pmu-events/arch/x86/emeraldrapids", golden_cove},
	{"gnr", NULL, "Linux 6.12 tools/perf/pmu-events/arch/x86/graniterapids", golden_cove},
	{0}};
