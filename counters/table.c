/* SPDX-License-Identifier: MIT */
#include "counters_private.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>

const char *const counter_state_names[COUNTER_NR_STATES] = {"counted", "<not supported>",
							    "<not counted>"};

const struct counter_group counter_groups[] = {
	{"software", "what the kernel counts for each worker; always counted"},
	{"core", "cycles, instructions, and cycles without progress"},
	{"lines", "cache lines that came from other cores, near and far"},
	{"misses", "loads that missed L2 or L3, by where the data was"},
	{"order", "locked operations, and what their ordering costs"},
	{0}};

const struct counter_metric counter_metrics[] = {
	{"task_clock", "software", "ns",
	 "Time on a CPU per operation and worker, by the kernel's clock. With the workers' rate it "
	 "says which share of the window they ran: less than all of it was taken by others.",
	 COUNTER_PER_OPERATION, true, false},
	{"page_faults", "software", "faults",
	 "Page faults of the workers. In a window there should be none: memory is touched before. "
	 "Many mean that the numbers contain the cost of faults.",
	 COUNTER_PER_OPERATION, true, false},
	{"context_switches", "software", "switches",
	 "How often a worker left its CPU, of its own will or not. They happen in the kernel, so the "
	 "right to count there is needed.",
	 COUNTER_PER_OPERATION, true, false},
	{"migrations", "software", "migrations",
	 "How often a worker came to another CPU. Workers are pinned: one is enough to leave the "
	 "window out, even if the worker was back on its CPU at the end.",
	 COUNTER_PER_OPERATION, true, false},

	{"cycles", "core", "cycles",
	 "Cycles of the core per operation, of all workers together, in user space and not halted. "
	 "Unlike time they do not change with the clock frequency, but waiting for memory does.",
	 COUNTER_PER_OPERATION, true, false},
	{"instructions", "core", "instructions",
	 "Retired instructions per operation. They say what the code does: when cycles grow and "
	 "instructions do not, the machine waits. Spinning for other workers is in them.",
	 COUNTER_PER_OPERATION, true, false},
	{"ipc", "core", "instructions per cycle",
	 "Instructions per cycle. A loop of atomics on a line that is not shared has about 0.1 to 1, "
	 "under contention a hundredth of that.",
	 COUNTER_QUOTIENT, true, false},
	{"memory_stalls", "core", "cycles",
	 "Cycles in which nothing was executed while a load had not come back, from whatever cache or "
	 "memory. The part of the cycles that another layout or batch can win back.",
	 COUNTER_PER_OPERATION, true, false},
	{"backend_stall_slots", "core", "slots",
	 "Dispatch slots left empty because the back end was full (Zen 4: 6 slots a cycle, Zen 5: 8). "
	 "Waiting for memory is most of it under contention, but not all: a proxy of memory_stalls.",
	 COUNTER_PER_OPERATION, false, false},
	{"load_queue_stalls", "core", "cycles",
	 "Cycles in which dispatch waited for a place in the load queue (Zen 2, Zen 3). Loads that wait "
	 "fill it; serialised atomics need not, so 0 does not mean that nothing waits.",
	 COUNTER_PER_OPERATION, false, false},
	{"backend_stalls", "core", "cycles",
	 "Cycles without an operation issued because of the back end, for memory or not (Neoverse N1, "
	 "which does not tell them apart): a proxy of memory_stalls.",
	 COUNTER_PER_OPERATION, false, false},
	{"memory_backend_stalls", "core", "cycles",
	 "Cycles without an operation issued because the back end waited for memory (Neoverse V1, N2, "
	 "V2). Arm's count, at issue rather than at execution as Intel's memory_stalls.",
	 COUNTER_PER_OPERATION, false, false},

	{"hitm_local", "lines", "lines",
	 "Loads that found their line modified in another core of the same socket, per operation: the "
	 "line moved. Locked operations are in it by their load; plain stores are not, so a line that "
	 "is only stored to moves unseen. Older parts count too few (Haswell: up to 40%).",
	 COUNTER_PER_OPERATION, true, true},
	{"hitm_remote", "lines", "lines",
	 "Loads that found their line modified in a core of another socket, per operation. The dearest "
	 "of all transfers. With sub-NUMA clusters a cluster counts as local.",
	 COUNTER_PER_OPERATION, true, true},
	{"forward_remote", "lines", "lines",
	 "Loads that got a clean line from a cache of another socket, per operation: it is read over "
	 "there, not written.",
	 COUNTER_PER_OPERATION, true, false},
	{"snoop_hits_clean", "lines", "lines",
	 "Loads that hit L3 and found the line clean in another core of the socket, which had to be "
	 "asked (snooped) first.",
	 COUNTER_PER_OPERATION, true, false},
	{"snoops_answered_modified", "lines", "snoops",
	 "Snoops that the workers' cores answered with a modified line, giving it away or keeping it "
	 "shared: the giving side of the hitm metrics, stores of others included.",
	 COUNTER_PER_OPERATION, false, false},
	{"fills_ccx", "lines", "fills",
	 "Demand fills from the L3 or another core's L2 of the same core complex, modified or not. A "
	 "proxy: without contention an L3 hit looks the same.",
	 COUNTER_PER_OPERATION, false, false},
	{"fills_node_cache", "lines", "fills",
	 "Fills from another cache of the same core complex or the same node, modified or not (Zen 2 "
	 "does not tell them apart). A proxy: an L3 hit looks the same.",
	 COUNTER_PER_OPERATION, false, false},
	{"fills_near_cache", "lines", "fills",
	 "Demand fills from a cache of another core complex, address in the same node. Cache to cache, "
	 "so a line that others have; whether modified is not said.",
	 COUNTER_PER_OPERATION, false, true},
	{"fills_far_cache", "lines", "fills",
	 "Fills from a cache of another core complex, address in another node. Cache to cache, so a "
	 "line that others have; whether modified is not said.",
	 COUNTER_PER_OPERATION, false, true},
	{"remote_accesses", "lines", "accesses",
	 "Accesses to another socket or chip, cache or memory alike. A proxy: Arm's cores do not say "
	 "whether a line was modified elsewhere, and count nothing inside of a socket.",
	 COUNTER_PER_OPERATION, false, false},
	{"l2_invalidations", "lines", "lines",
	 "Lines that were invalidated in the workers' L2 by others' coherent requests: the losing side "
	 "of a transfer. Cache maintenance is in it too.",
	 COUNTER_PER_OPERATION, false, false},

	{"l2_load_misses", "misses", "loads",
	 "Retired loads that missed L2, per operation, whatever then had the data.",
	 COUNTER_PER_OPERATION, false, false},
	{"l3_misses_local", "misses", "loads",
	 "Retired loads that missed L3 and came from memory of the own socket. Under contention there "
	 "should be few: contended lines live in caches.",
	 COUNTER_PER_OPERATION, true, false},
	{"l3_misses_remote", "misses", "loads",
	 "Retired loads that missed L3 and came from memory of another socket: data is not where its "
	 "worker is.",
	 COUNTER_PER_OPERATION, true, false},
	{"l2_request_misses", "misses", "requests",
	 "Requests of the data cache that missed L2, loads, stores and L1 prefetches alike (AMD counts "
	 "requests, not retired loads).",
	 COUNTER_PER_OPERATION, false, false},
	{"fills_near_memory", "misses", "fills",
	 "Fills from memory or devices of the same node, per operation.", COUNTER_PER_OPERATION,
	 false, false},
	{"fills_far_memory", "misses", "fills",
	 "Fills from memory or devices of another node, per operation: data is not where its worker is.",
	 COUNTER_PER_OPERATION, false, false},
	{"l2_refills", "misses", "refills",
	 "Refills of L2, for loads, stores and prefetches (Arm's count).", COUNTER_PER_OPERATION,
	 false, false},
	{"last_level_read_misses", "misses", "reads",
	 "Reads that missed the last cache that the core knows of, which may be the system's.",
	 COUNTER_PER_OPERATION, false, false},

	{"lock_loads", "order", "loads",
	 "Retired loads of locked instructions, per operation: how many atomics an operation really "
	 "takes. xchg with memory is one even without a lock prefix.",
	 COUNTER_PER_OPERATION, true, false},
	{"memory_order_clears", "order", "clears",
	 "Times the pipeline was thrown away because another core wrote what had been read ahead, per "
	 "operation. Reading a line that others write costs this on top of the transfer.",
	 COUNTER_PER_OPERATION, true, false},
	{"lock_instructions", "order", "instructions",
	 "Retired locked instructions, per operation. On Zen 2 those that are cacheable, on Zen 5 all; "
	 "Zen 3 and 4 do not count them.",
	 COUNTER_PER_OPERATION, false, false},
	{"bus_locks", "order", "locks",
	 "Locked operations that had to lock the bus: they cross a line or are not cacheable. Anything "
	 "but 0 is a fault of the layout.",
	 COUNTER_PER_OPERATION, false, false},
	{"resyncs", "order", "resyncs",
	 "Pipeline restarts of all kinds, ordering of memory among them: a proxy of "
	 "memory_order_clears.",
	 COUNTER_PER_OPERATION, false, false},
	{"exclusive_loads", "order", "loads",
	 "Load-exclusives, per operation. 0 with atomics means that they are LSE instructions, which "
	 "have no event.",
	 COUNTER_PER_OPERATION, false, false},
	{"exclusive_stores_failed", "order", "stores",
	 "Store-exclusives that failed, so that the loop went round again, per operation.",
	 COUNTER_PER_OPERATION, false, false},
	{0}};

/* the same on every machine; hardware ones are the kernel's generic events, in libpfm's words */
static const struct {
	const char *metric;
	struct counter_event event[METRIC_MAX_EVENTS];
} everywhere[] = {
	{"task_clock",
	 {{"perf::TASK-CLOCK", EVENT_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, false,
	   EXPECT_TASK_CLOCK}}},
	{"page_faults",
	 {{"perf::PAGE-FAULTS", EVENT_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, false, EXPECT_FAULTS}}},
	{"context_switches",
	 {{"perf::CONTEXT-SWITCHES", EVENT_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES, true,
	   EXPECT_SWITCHES}}},
	{"migrations",
	 {{"perf::CPU-MIGRATIONS", EVENT_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS, true,
	   EXPECT_ANY}}},
	{"cycles", {{"perf::CYCLES", EVENT_GENERIC, PERF_COUNT_HW_CPU_CYCLES, false, EXPECT_LOOP}}},
	{"instructions",
	 {{"perf::INSTRUCTIONS", EVENT_GENERIC, PERF_COUNT_HW_INSTRUCTIONS, false, EXPECT_LOOP}}},
	{"ipc",
	 {{"perf::INSTRUCTIONS", EVENT_GENERIC, PERF_COUNT_HW_INSTRUCTIONS, false, EXPECT_LOOP},
	  {"perf::CYCLES", EVENT_GENERIC, PERF_COUNT_HW_CPU_CYCLES, false, EXPECT_LOOP}}},
};
#define NR_EVERYWHERE (sizeof(everywhere) / sizeof(everywhere[0]))

const struct counter_metric *metric_find(const char *name)
{
	const struct counter_metric *m = counter_metrics;

	while (m->name && strcmp(m->name, name))
		m++;
	return m->name ? m : NULL;
}

static const struct native_table *table_of(const char *uarch)
{
	static const struct native_table *const all[] = {native_intel, native_amd, native_arm};
	const struct native_table *t;
	size_t i;

	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		for (t = all[i]; t->uarch; t++)
			if (!strcmp(t->uarch, uarch))
				return t;
	return NULL;
}

bool native_known(const char *uarch)
{
	return table_of(uarch);
}

static int from_row(const struct native_table *t, const struct native_row *row,
		    struct counter_event *out)
{
	int nr;

	for (nr = 0; nr < METRIC_MAX_EVENTS && row->event[nr].name; nr++) {
		out[nr] =
			(struct counter_event){.kind = EVENT_RAW, .config = row->event[nr].config};
		snprintf(out[nr].name, sizeof(out[nr].name), "%s::%s", t->pmu ? t->pmu : t->uarch,
			 row->event[nr].name);
	}
	return nr;
}

int native_events(const char *uarch, const char *metric, struct counter_event *out)
{
	const struct native_table *t = table_of(uarch);
	const struct native_row *row;
	size_t i;
	int nr;

	for (i = 0; i < NR_EVERYWHERE; i++) {
		if (strcmp(everywhere[i].metric, metric))
			continue;
		for (nr = 0; nr < METRIC_MAX_EVENTS && everywhere[i].event[nr].name[0]; nr++)
			out[nr] = everywhere[i].event[nr];
		return nr;
	}
	for (row = t ? t->rows : NULL; row && row->metric; row++)
		if (!strcmp(row->metric, metric))
			return from_row(t, row, out);
	return 0;
}
