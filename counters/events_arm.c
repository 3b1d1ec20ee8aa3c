/* SPDX-License-Identifier: MIT */
/*
 * Arm servers. No event says that a line came modified from another core: accesses that left the
 * socket, and lines that others took out of the L2 are what there is. Atomics of Armv8.1 (LSE) have
 * no event; exclusive pairs have. libpfm knows these PMUs only in its builds for Arm.
 */
#include "counters_private.h"

#define ARMV8                                                             \
	{"remote_accesses", {{"REMOTE_ACCESS", 0x31}}},                   \
		{"l2_invalidations", {{"L2D_CACHE_INVAL", 0x58}}},        \
		{"l2_refills", {{"L2D_CACHE_REFILL", 0x17}}},             \
		{"last_level_read_misses", {{"LL_CACHE_MISS_RD", 0x37}}}, \
		{"exclusive_loads", {{"LDREX_SPEC", 0x6c}}},              \
	{                                                                 \
		"exclusive_stores_failed",                                \
		{                                                         \
			{                                                 \
				"STREX_FAIL_SPEC", 0x6e                   \
			}                                                 \
		}                                                         \
	}

static const struct native_row n1[] = {ARMV8, {"backend_stalls", {{"STALL_BACKEND", 0x24}}}, {0}};
static const struct native_row newer[] = {
	ARMV8, {"memory_backend_stalls", {{"STALL_BACKEND_MEM", 0x4005}}}, {0}};
static const struct native_row kunpeng[] = {
	ARMV8, {"memory_stalls", {{"MEM_STALL_ANYLOAD", 0x7004}}}, {0}};

const struct native_table native_arm[] = {
	{"n1", "arm_n1", "libpfm 4.13 arm_neoverse_n1_events.h", n1},
	{"v1", "arm_v1", "libpfm 4.13 arm_neoverse_v1_events.h", newer},
	{"n2", "arm_n2", "libpfm 4.13 arm_neoverse_n2_events.h", newer},
	{"v2", "arm_v2", "libpfm 4.13 arm_neoverse_v2_events.h", newer},
	{"tsv110", "arm_kunpeng", "libpfm 4.13 arm_hisilicon_kunpeng_events.h", kunpeng},
	{0}};
