/* SPDX-License-Identifier: MIT */
/* Why a machine cannot count, from its /proc and /sys: the sentence names what to do. */
#include "counters_fixture.h"
#include "doctor_fixture.h"

#define DEVICES "/sys/bus/event_source/devices"

static struct counter_machine machine_read(const char *hypervisor)
{
	struct topo *t = machine("Package:1 [NUMANode(memory=1GiB)] Core:2 PU:1");
	struct counter_machine m;

	snprintf(info_of(t)->hypervisor, sizeof(info_of(t)->hypervisor), "%s", hypervisor);
	snprintf(info_of(t)->uarch, sizeof(info_of(t)->uarch), "icx");
	counter_machine_read(&m, t, tree);
	topo_free(t);
	assert_string_equal(m.uarch, "icx");
	return m;
}

static void put_status(const char *capabilities)
{
	char text[200];

	snprintf(text, sizeof(text), "Name:\tx\nCapEff:\t%s\nSeccomp:\t0\n", capabilities);
	put("/proc/self/status", text);
	put("/proc/self/uid_map", "         0          0 4294967295\n");
}

static void a_machine_that_counts_has_nothing_to_say(void **state)
{
	struct counter_machine m;

	put(DEVICES "/cpu/type", "4\n");
	put("/proc/sys/kernel/perf_event_paranoid", "1\n");
	put("/proc/sys/kernel/nmi_watchdog", "0\n");
	put_status("0000000000000000");
	m = machine_read("");
	assert_string_equal(m.permission, "");
	assert_string_equal(m.no_pmu, "");
	assert_string_equal(m.watchdog, "");
	assert_false(m.hybrid);
}

static void the_remedy_is_named(void **state)
{
	struct counter_machine m;

	put(DEVICES "/software/type", "1\n");
	put("/proc/sys/kernel/perf_event_paranoid", "4\n");
	put("/proc/sys/kernel/nmi_watchdog", "1\n");
	put_status("0000000000000000");
	m = machine_read("kvm");
	assert_non_null(strstr(m.permission, "perf_event_paranoid 4, no CAP_PERFMON"));
	assert_non_null(strstr(m.permission, "echo 1 > /proc/sys/kernel/perf_event_paranoid"));
	assert_non_null(strstr(m.no_pmu, "give the guest a virtual PMU"));
	assert_non_null(strstr(m.watchdog, "echo 0 > /proc/sys/kernel/nmi_watchdog"));

	put("/proc/sys/kernel/perf_event_paranoid", "2\n");
	m = machine_read("");
	assert_non_null(strstr(m.permission, "only user space can be counted"));
	assert_non_null(strstr(m.no_pmu, "no driver"));
}

/* field report A10 */
static void a_pmu_for_each_kind_of_core_is_hybrid(void **state)
{
	put(DEVICES "/cpu_core/type", "4\n");
	put(DEVICES "/cpu_atom/type", "10\n");
	assert_true(machine_read("").hybrid);
}

/* field report O5 */
static void another_system_is_not_counted(void **state)
{
	struct topo *t = machine("Package:1 [NUMANode(memory=1GiB)] Core:2 PU:1");
	struct counters *c = NULL;
	struct err err = ERR_INIT;

	assert_refused(counters_open(&c, t, NULL, false, &err), -EOPNOTSUPP, "is not this system",
		       &err);
	assert_null(c);
	topo_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TREE_TEST(a_machine_that_counts_has_nothing_to_say),
		TREE_TEST(the_remedy_is_named),
		TREE_TEST(a_pmu_for_each_kind_of_core_is_hybrid),
		TREE_TEST(another_system_is_not_counted),
	};

	return run_tests(tests);
}
