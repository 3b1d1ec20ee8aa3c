/* SPDX-License-Identifier: MIT */
/*
 * AMD servers. No event says that a line came modified: fills by where they came from are the
 * nearest, and have names of their own. Event numbers over 0xff have their high bits at bit 32.
 */
#include "counters_private.h"

#define L2_MISS(event)                                       \
	{                                                    \
		"l2_request_misses",                         \
		{                                            \
			{                                    \
				event ":LS_RD_BLK_C", 0x0864 \
			}                                    \
		}                                            \
	}

static const struct native_row zen2[] = {
	{"fills_node_cache", {{"DATA_CACHE_REFILLS_FROM_SYSTEM:LS_MABRESP_LCL_CACHE", 0x0243}}},
	{"fills_far_cache", {{"DATA_CACHE_REFILLS_FROM_SYSTEM:LS_MABRESP_RMT_CACHE", 0x1043}}},
	{"fills_near_memory", {{"DATA_CACHE_REFILLS_FROM_SYSTEM:LS_MABRESP_LCL_DRAM", 0x0843}}},
	{"fills_far_memory", {{"DATA_CACHE_REFILLS_FROM_SYSTEM:LS_MABRESP_RMT_DRAM", 0x4043}}},
	L2_MISS("CORE_TO_L2_CACHEABLE_REQUEST_ACCESS_STATUS"),
	{"lock_instructions", {{"RETIRED_LOCK_INSTRUCTIONS:CACHEABLE_LOCKS", 0x0e25}}},
	{"bus_locks", {{"RETIRED_LOCK_INSTRUCTIONS:BUS_LOCK", 0x0125}}},
	{"load_queue_stalls", {{"DISPATCH_RESOURCE_STALL_CYCLES_1:LOAD_QUEUE_RSRC_STALL", 0x02ae}}},
	{0}};

static const struct native_row zen3[] = {
	{"fills_ccx", {{"DEMAND_DATA_CACHE_FILLS_FROM_SYSTEM:INT_CACHE", 0x0243}}},
	{"fills_near_cache", {{"DEMAND_DATA_CACHE_FILLS_FROM_SYSTEM:EXT_CACHE_LCL", 0x0443}}},
	{"fills_far_cache", {{"DEMAND_DATA_CACHE_FILLS_FROM_SYSTEM:EXT_CACHE_RMT", 0x1043}}},
	{"fills_near_memory", {{"DEMAND_DATA_CACHE_FILLS_FROM_SYSTEM:MEM_IO_LCL", 0x0843}}},
	{"fills_far_memory", {{"DEMAND_DATA_CACHE_FILLS_FROM_SYSTEM:MEM_IO_RMT", 0x4043}}},
	L2_MISS("CORE_TO_L2_CACHEABLE_REQUEST_ACCESS_STATUS"),
	{"bus_locks", {{"RETIRED_LOCK_INSTRUCTIONS:BUS_LOCK", 0x0125}}},
	{"load_queue_stalls", {{"DISPATCH_RESOURCE_STALL_CYCLES_1:LOAD_QUEUE_RSRC_STALL", 0x02ae}}},
	{0}};

static const struct native_row zen4[] = {
	{"fills_ccx", {{"DEMAND_DATA_CACHE_FILLS_FROM_SYSTEM:LOCAL_CCX", 0x0243}}},
	{"fills_near_cache", {{"DEMAND_DATA_CACHE_FILLS_FROM_SYSTEM:NEAR_CACHE_NEAR_FAR", 0x0443}}},
	{"fills_far_cache", {{"DEMAND_DATA_CACHE_FILLS_FROM_SYSTEM:FAR_CACHE_NEAR_FAR", 0x1043}}},
	{"fills_near_memory", {{"DEMAND_DATA_CACHE_FILLS_FROM_SYSTEM:DRAM_IO_NEAR", 0x0843}}},
	{"fills_far_memory", {{"DEMAND_DATA_CACHE_FILLS_FROM_SYSTEM:DRAM_IO_FAR", 0x4043}}},
	L2_MISS("CORE_TO_L2_CACHEABLE_REQUEST_ACCESS_STATUS"),
	{"bus_locks", {{"RETIRED_LOCK_INSTRUCTIONS:BUS_LOCK", 0x0125}}},
	{"backend_stall_slots", {{"DISPATCH_STALLS_1:BE_STALLS", 0x100001ea0}}},
	{"resyncs", {{"RESYNCS", 0x96}}},
	{0}};

/* names of the source below, which libpfm 4.13 has not */
static const struct native_row zen5[] = {
	{"fills_ccx", {{"ls_dmnd_fills_from_sys.local_ccx", 0x0243}}},
	{"fills_near_cache", {{"ls_dmnd_fills_from_sys.near_cache", 0x0443}}},
	{"fills_far_cache", {{"ls_dmnd_fills_from_sys.far_cache", 0x1043}}},
	{"fills_near_memory", {{"ls_dmnd_fills_from_sys.dram_io_near", 0x0843}}},
	{"fills_far_memory", {{"ls_dmnd_fills_from_sys.dram_io_far", 0x4043}}},
	{"l2_request_misses", {{"l2_cache_req_stat.ls_rd_blk_c", 0x0864}}},
	{"lock_instructions", {{"ls_locks.all", 0x1f25}}},
	{"bus_locks", {{"ls_locks.bus_lock", 0x0125}}},
	{"backend_stall_slots", {{"de_no_dispatch_per_slot.backend_stalls", 0x100001ea0}}},
	{"resyncs", {{"bp_redirects.resync", 0x019f}}},
	{0}};

const struct native_table native_amd[] = {
	{"zen2", "amd64_fam17h_zen2", "libpfm 4.13 amd64_events_fam17h_zen2.h", zen2},
	{"zen3", "amd64_fam19h_zen3", "libpfm 4.13 amd64_events_fam19h_zen3.h", zen3},
	{"zen4", "amd64_fam19h_zen4", "libpfm 4.13 amd64_events_fam19h_zen4.h", zen4},
	{"zen5", NULL, "Linux 6.12 tools/perf/pmu-events/arch/x86/amdzen5", zen5},
	{0}};
