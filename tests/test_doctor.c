/* SPDX-License-Identifier: MIT */
/* every check of the doctor on invented /sys and /proc trees: ok, bad, and no answer */
#include "doctor_fixture.h"

#define CPU	 "/sys/devices/system/cpu"
#define EIGHT	 "Package:1 [NUMANode(memory=8GiB)] L3Cache:1(size=16MiB) Core:4 PU:2"
#define TWO_NODE "Package:2 [NUMANode(memory=8GiB)] L3Cache:1(size=16MiB) Core:2 PU:1"
#define CLOCK	 "/sys/devices/system/clocksource/clocksource0/current_clocksource"
#define THP	 "/sys/kernel/mm/transparent_hugepage/enabled"
#define KERNEL	 "/proc/sys/kernel"
#define PMU	 "/sys/bus/event_source/devices"
#define STATUS	 "/proc/self/status"
#define NO_CAPS	 "Name:\tx\nCapInh:\t0\nCapEff:\t0000000000000000\nSeccomp:\t2\n"
#define PERFMON	 "CapEff:\t0000004000000000\n"
#define ROOT	 "CapEff:\t000001ffffffffff\n"

struct row {
	const char *check;
	const char *file[3][2]; /* path, text */
	enum finding_state state;
	const char *value, *remedy;
};

static const struct row rows[] = {
	{"turbo", {{CPU "/intel_pstate/no_turbo", "1\n"}}, FINDING_OK, "off (intel_pstate/no_", ""},
	/* B7: a warning although every governor is performance */
	{"turbo",
	 {{CPU "/intel_pstate/no_turbo", "0\n"}, {CPU "/cpu0/cpufreq/scaling_governor", "perform"}},
	 FINDING_WARNING,
	 "on (intel_pstate/no_turbo is 0)",
	 "echo 1 > /sys/devices/system/cpu/intel_pstate/no_turbo"},
	{"turbo", {{CPU "/cpufreq/boost", "0\n"}}, FINDING_OK, "off (cpufreq/boost is 0)", ""},
	{"turbo", {{CPU "/cpufreq/boost", "1\n"}}, FINDING_WARNING, "on", "echo 0 > "},
	{"turbo", {{CPU "/cpufreq/boost", "yes\n"}}, FINDING_UNKNOWN, "", "holds 'yes'"},
	{"turbo", {{CPU "/cpu3/cpufreq/boost", "1\n"}}, FINDING_WARNING, "1 of 8 CPUs", "boost"},
	{"turbo", {{CPU "/cpu3/cpufreq/boost", "0\n"}}, FINDING_UNKNOWN, "", "neither"},
	{"smt", {{CPU "/smt/control", "off\n"}}, FINDING_OK, "off", ""},
	{"smt", {{CPU "/smt/control", "notsupported\n"}}, FINDING_OK, "notsupported", ""},
	{"smt",
	 {{CPU "/smt/control", "on\n"}, {CPU "/smt/active", "1\n"}},
	 FINDING_WARNING,
	 "control on, active, 2 per core",
	 "workers <= cores"},
	{"smt",
	 {{CPU "/smt/control", "on\n"}, {CPU "/smt/active", "0\n"}},
	 FINDING_OK,
	 "no core has two threads",
	 ""},
	{"smt", {{CPU "/smt/control", "on\n"}}, FINDING_UNKNOWN, "", "smt/active"},
	{"isolcpus", {{CPU "/isolated", "\n"}}, FINDING_OK, "none", ""},
	{"isolcpus", {{CPU "/isolated", "0-7\n"}}, FINDING_OK, "all 8 CPUs", ""},
	{"isolcpus", {{CPU "/isolated", "2-3,9\n"}}, FINDING_WARNING, "2 of the 8", "--placement"},
	{"isolcpus", {{CPU "/isolated", "8-15\n"}}, FINDING_WARNING, "none of", "taskset -c 8-15"},
	{"isolcpus", {{CPU "/isolated", "2-\n"}}, FINDING_UNKNOWN, "", "holds '2-'"},
	{"nohz_full", {{CPU "/nohz_full", "  (null)\n"}}, FINDING_UNKNOWN, "", "holds"},
	{"nohz_full", {{CPU "/nohz_full", "(null)\n"}}, FINDING_OK, "none", ""},
	{"nohz_full", {{CPU "/nohz_full", "1-7\n"}}, FINDING_WARNING, "7 of the 8", "tickless"},
	{"clocksource", {{CLOCK, "tsc\n"}}, FINDING_OK, "tsc", ""},
	{"clocksource", {{CLOCK, "kvm-clock\n"}}, FINDING_OK, "kvm-clock", ""},
	{"clocksource", {{CLOCK, "hpet\n"}}, FINDING_FAULT, "hpet", "TSC was dropped"},
	{"clocksource", {{CLOCK, "acpi_pm\n"}}, FINDING_FAULT, "acpi_pm", "dmesg"},
	{"clocksource", {{CLOCK, "xen\n"}}, FINDING_WARNING, "xen", "system call"},
	{"clocksource", {{CLOCK, "sundial\n"}}, FINDING_UNKNOWN, "sundial", "not known"},
	{"loadavg", {{"/proc/loadavg", "0.07 0.1 0.2 1/99 7\n"}}, FINDING_OK, "0.07", ""},
	{"loadavg", {{"/proc/loadavg", "3.50 0.1 0.2 1/9 7\n"}}, FINDING_WARNING, "3.50", "end"},
	{"loadavg", {{"/proc/loadavg", "3,50 0,1\n"}}, FINDING_UNKNOWN, "", "holds"},
	{"loadavg", {{"/proc/loadavg", "-3.50 0.1\n"}}, FINDING_UNKNOWN, "", "holds"},
	{"numa_balancing", {{KERNEL "/numa_balancing", "0\n"}}, FINDING_OK, "off (0)", ""},
	{"numa_balancing", {{KERNEL "/numa_balancing", "1\n"}}, FINDING_OK, "on (1), 1 node", ""},
	{"numa_balancing", {{KERNEL "/numa_balancing", "-1\n"}}, FINDING_UNKNOWN, "", "'-1'"},
	{"thp", {{THP, "always [madvise] never\n"}}, FINDING_OK, "madvise", ""},
	{"thp", {{THP, "always madvise [never]\n"}}, FINDING_OK, "never", ""},
	{"thp", {{THP, "[always] madvise never\n"}}, FINDING_WARNING, "always", "echo madvise"},
	{"thp", {{THP, "always madvise never\n"}}, FINDING_UNKNOWN, "", "holds"},
	{"thp", {{THP, "[sometimes] never\n"}}, FINDING_UNKNOWN, "", "'sometimes'"},
	{"perf_event",
	 {{KERNEL "/perf_event_paranoid", "2\n"}, {STATUS, PERFMON}},
	 FINDING_OK,
	 "perf_event_paranoid 2, CAP_PERFMON",
	 ""},
	{"perf_event",
	 {{KERNEL "/perf_event_paranoid", "1\n"}, {STATUS, NO_CAPS}},
	 FINDING_OK,
	 "perf_event_paranoid 1, no CAP_PERFMON",
	 ""},
	{"perf_event",
	 {{KERNEL "/perf_event_paranoid", "2\n"}, {STATUS, NO_CAPS}},
	 FINDING_WARNING,
	 "perf_event_paranoid 2, no CAP_PERFMON",
	 "only user space"},
	{"perf_event",
	 {{KERNEL "/perf_event_paranoid", "4\n"}, {STATUS, NO_CAPS}},
	 FINDING_FAULT,
	 "perf_event_paranoid 4",
	 "no counter can be opened"},
	/* root of a container is not root of the machine */
	{"perf_event",
	 {{KERNEL "/perf_event_paranoid", "4\n"},
	  {STATUS, ROOT},
	  {"/proc/self/uid_map", "         0     100000      65536\n"}},
	 FINDING_FAULT,
	 "no CAP_PERFMON",
	 "no counter"},
	{"perf_event",
	 {{KERNEL "/perf_event_paranoid", "4\n"},
	  {STATUS, ROOT},
	  {"/proc/self/uid_map", "         0          0 4294967295\n"}},
	 FINDING_OK,
	 "perf_event_paranoid 4, CAP_PERFMON",
	 ""},
	{"perf_event",
	 {{KERNEL "/perf_event_paranoid", "2\n"}},
	 FINDING_UNKNOWN,
	 "capabilities unknown",
	 "only user space"},
	{"perf_event", {{STATUS, ROOT}}, FINDING_UNKNOWN, "", "perf_event_paranoid"},
	{"pmu", {{PMU "/cpu/type", "4\n"}, {PMU "/msr/type", "9\n"}}, FINDING_OK, "cpu", ""},
	{"pmu",
	 {{PMU "/cpu_core/type", "4\n"}, {PMU "/cpu_atom/type", "10\n"}},
	 FINDING_OK,
	 "cpu_atom, cpu_core",
	 ""},
	{"pmu", {{PMU "/armv8_pmuv3_0/type", "8\n"}}, FINDING_OK, "armv8_pmuv3_0", ""},
	{"pmu", {{PMU "/software/type", "1\n"}}, FINDING_WARNING, "none", "no driver"},
	{"nmi_watchdog", {{KERNEL "/nmi_watchdog", "0\n"}}, FINDING_OK, "off (0)", ""},
	{"nmi_watchdog", {{KERNEL "/nmi_watchdog", "1\n"}}, FINDING_WARNING, "on (1)", "echo 0 >"},
	{"nmi_watchdog", {{KERNEL "/nmi_watchdog", "2\n"}}, FINDING_UNKNOWN, "", "'2'"},
	{"charge_batch", {{KERNEL "/osrelease", "6.0.19\n"}}, FINDING_UNKNOWN, "32 pages", "6.1"},
	{"charge_batch",
	 {{KERNEL "/osrelease", "5.14.0-427.el9\n"}},
	 FINDING_UNKNOWN,
	 "32",
	 "dist"},
	{"charge_batch", {{KERNEL "/osrelease", "6.1.0-37-amd64\n"}}, FINDING_UNKNOWN, "64", "6.1"},
	{"charge_batch", {{KERNEL "/osrelease", "7.0-rc1\n"}}, FINDING_UNKNOWN, "64 pages", "6.1"},
	{"charge_batch", {{KERNEL "/osrelease", "six\n"}}, FINDING_UNKNOWN, "", "holds 'six'"},
	{"mempolicy", {{"/proc/x", ""}}, FINDING_UNKNOWN, "", "not the running system"},
	{"prefetcher", {{"/dev/cpu/0/msr", ""}}, FINDING_UNKNOWN, "", "no file says"},
	{"steal", {{"/proc/x", ""}}, FINDING_UNKNOWN, "", "/proc/stat is hidden"},
	{"busy_cpus", {{"/proc/x", ""}}, FINDING_UNKNOWN, "", "/proc/stat is hidden"},
	{"busy_cpus", {{"/proc/stat", "cpu0 1 1 1 9\n"}}, FINDING_UNKNOWN, "", "no time passed"},
};

static void test_single_files(void **state)
{
	struct topo *t = machine(EIGHT);
	int i, k;

	for (i = 0; i < NR(rows); i++) {
		fresh_tree();
		for (k = 0; k < NR(rows[i].file) && rows[i].file[k][0]; k++)
			put(rows[i].file[k][0], rows[i].file[k][1]);
		expect(t, rows[i].check, rows[i].state, rows[i].value, rows[i].remedy);
	}
	topo_free(t);
}

/* --------------------------------------------------------------------- the governor */

static void put_governors(int nr, const char *governor)
{
	char path[96];
	int i;

	for (i = 0; i < nr; i++) {
		snprintf(path, sizeof(path), CPU "/cpu%d/cpufreq/scaling_governor", i);
		put(path, governor);
	}
	put(CPU "/cpu0/cpufreq/scaling_driver", "intel_pstate\n");
}

static void test_governor(void **state)
{
	struct topo *t = machine(EIGHT);

	/* B7: without cpufreq neither "performance" nor "" */
	expect(t, "governor", FINDING_UNKNOWN, "", "no cpufreq folder");
	put_governors(8, "performance\n");
	expect(t, "governor", FINDING_OK, "performance on 8 of 8 CPUs, driver intel_pstate", "");
	put(CPU "/cpu5/cpufreq/scaling_governor", "powersave\n");
	expect(t, "governor", FINDING_FAULT, "powersave on 1 of 8 CPUs", "cpupower");
	put(CPU "/cpu6/cpufreq/scaling_governor", "schedutil\n");
	expect(t, "governor", FINDING_FAULT, "several others on 2 of 8", "cpupower");
	put_governors(8, "userspace\n");
	expect(t, "governor", FINDING_WARNING, "userspace on 8 of 8", "cpupower");
	put_governors(8, "performance\n");
	put(CPU "/cpu5/cpufreq/scaling_governor", "");
	expect(t, "governor", FINDING_UNKNOWN, "performance on 7 of 8", "1 CPUs do not");
	put_governors(8, "banana\n");
	expect(t, "governor", FINDING_UNKNOWN, "", "no CPU names a governor");
	put_governors(8, "\n");
	expect(t, "governor", FINDING_UNKNOWN, "", "no CPU names a governor");
	put(CPU "/cpu0/cpufreq/scaling_driver", "\x1b[31m");
	put(CPU "/cpu0/cpufreq/scaling_governor", "powersave");
	expect(t, "governor", FINDING_FAULT, "driver unknown", "cpupower");
	topo_free(t);
}

/* --------------------------------------------------------- what the topology tells */

static void test_machine(void **state)
{
	struct topo *t = machine(EIGHT);
	struct topo_info *info = info_of(t);

	info->hypervisor[0] = 0;
	expect(t, "hypervisor", FINDING_OK, "none seen", "");
	strcpy(info->hypervisor, "kvm");
	expect(t, "hypervisor", FINDING_WARNING, "kvm", "other guests");
	put(PMU "/msr/type", "9\n");
	expect(t, "pmu", FINDING_WARNING, "none", "virtual PMU");
	strcpy(info->hypervisor, "qemu-tcg");
	expect(t, "hypervisor", FINDING_FAULT, "qemu-tcg: emulated", "nothing");
	expect(t, "cpuset", FINDING_OK, "all 8 online CPUs", "");
	info->restricted = true;
	info->pus_disallowed = 4;
	assert_int_equal(cpulist_parse("8-11", &info->disallowed, NULL), 0);
	expect(t, "cpuset", FINDING_WARNING, "4 of 12 online CPUs and 0 nodes are not ours: 8-11",
	       "unseen");
	expect(t, "hidden_nodes", FINDING_OK, "1 node, 1 package, 1 L3 cache", "");
	info->nodes_assumed = true;
	expect(t, "hidden_nodes", FINDING_UNKNOWN, "", "one is assumed");
	topo_free(t);
}

/* C8: one node, but its CPUs are in several groups; and a node that spans packages */
static void test_hidden_nodes(void **state)
{
	static const struct {
		const char *machine;
		enum finding_state state;
		const char *value, *remedy;
	} cases[] = {
		{"Package:1 [NUMANode(memory=8GiB)] L3Cache:8 Core:8 PU:2", FINDING_WARNING,
		 "1 node, 1 package, 8 L3 caches", "NPS"},
		{"[NUMANode(memory=8GiB)] Package:2 L3Cache:1 Core:4 PU:1", FINDING_WARNING,
		 "1 node, 2 packages", "interleaving"},
		{"Package:2 [NUMANode(memory=8GiB)] L3Cache:8 Core:2 PU:1", FINDING_OK,
		 "2 nodes, 2 packages, 16 L3 caches", ""},
		{"Package:1 [NUMANode(memory=8GiB)] Core:4 PU:1", FINDING_UNKNOWN, "0 L3 caches",
		 "no L3 cache is shown"},
	};
	struct topo *t;
	int i;

	for (i = 0; i < NR(cases); i++) {
		t = machine(cases[i].machine);
		expect(t, "hidden_nodes", cases[i].state, cases[i].value, cases[i].remedy);
		topo_free(t);
	}
	t = machine(TWO_NODE);
	put(KERNEL "/numa_balancing", "1\n");
	expect(t, "numa_balancing", FINDING_WARNING, "on (1), 2 nodes", "echo 0 >");
	topo_free(t);
}

/* ----------------------------------------------------------------- stolen time */

static void test_steal(void **state)
{
	struct topo *t = machine(EIGHT);
	struct topo_info *info = info_of(t);

	info->hypervisor[0] = 0;
	put("/proc/stat", "cpu  5 0 0 9 0 0 0 0 0 0\ncpu0 5 0 0 9 0 0 0 0 0 0\nintr 1 2\n");
	expect(t, "steal", FINDING_OK, "0 since boot", "");
	strcpy(info->hypervisor, "vmware");
	expect(t, "steal", FINDING_UNKNOWN, "0 since boot", "does not tell");
	put("/proc/stat", "cpu0 100 0 0 99900 0 0 0 1\ncpu1 0 0 0 100000 0 0 0 0\n");
	expect(t, "steal", FINDING_OK, "0.0005% since boot, 0 of 0 ticks", "");
	put("/proc/stat", "cpu0 100 0 0 9000 0 0 0 100\n");
	expect(t, "steal", FINDING_WARNING, "1.1% since boot", "dedicated");
	put("/proc/stat", "cpu0 100 0 0 9000 0 0 0 1000\n");
	expect(t, "steal", FINDING_FAULT, "9.9% since boot", "dedicated");
	/* those of other CPUs are not ours; a line cut short has no steal */
	put("/proc/stat", "cpu9 0 0 0 100 0 0 0 100\ncpu1 0 0 0 100\ncpu2 7\n");
	expect(t, "steal", FINDING_UNKNOWN, "0 since boot", "does not tell");
	/* the sum of all has no number: it is not CPU 5 */
	put("/proc/stat", "cpu  5 0 0 0 9 0 0 0 9 0\n");
	expect(t, "steal", FINDING_UNKNOWN, "", "/proc/stat");
	topo_free(t);
}

int main(void)
{
	const struct CMUnitTest doctor[] = {
		TREE_TEST(test_single_files), TREE_TEST(test_governor), TREE_TEST(test_machine),
		TREE_TEST(test_hidden_nodes), TREE_TEST(test_steal),
	};

	return run_tests(doctor);
}
