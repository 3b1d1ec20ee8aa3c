/* SPDX-License-Identifier: MIT */
#include "topo_machines.h"

#include "../topo/topo_private.h"

static const char *uarch(const char *vendor, int family, int model, int stepping)
{
	struct cpu_id id = {.family = family, .model = model, .stepping = stepping};
	static char name[32];

	id.implementer = id.part = -1;
	snprintf(id.vendor, sizeof(id.vendor), "%s", vendor);
	topo_uarch(&id, "", name, sizeof(name));
	return name;
}

static void x86_numbers(void **state)
{
	static const struct {
		const char *vendor;
		int family, model, stepping;
		const char *name;
	} rows[] = {
		{"GenuineIntel", 6, 85, 4, "skx"},
		{"GenuineIntel", 6, 85, 6, "clx"},
		{"GenuineIntel", 6, 85, 7, "clx"},
		{"GenuineIntel", 6, 85, 10, "cpx"},
		{"GenuineIntel", 6, 85, 11, "cpx"},
		{"GenuineIntel", 6, 106, 6, "icx"},
		{"GenuineIntel", 6, 108, 1, "icx"},
		{"GenuineIntel", 6, 143, 8, "spr"},
		{"GenuineIntel", 6, 207, 2, "emr"},
		{"GenuineIntel", 6, 173, 1, "gnr"},
		{"GenuineIntel", 6, 174, 1, "gnr"},
		{"GenuineIntel", 6, 175, 3, "srf"},
		{"GenuineIntel", 6, 79, 1, "bdx"},
		{"GenuineIntel", 6, 63, 2, "hsw"},
		{"GenuineIntel", 6, 62, 4, "ivb"},
		{"GenuineIntel", 6, 45, 7, "snb"},
		{"GenuineIntel", 6, 87, 1, "knl"},
		{"GenuineIntel", 6, 200, 0, "intel-6-200"},
		{"GenuineIntel", 15, 107, 1, "intel-15-107"},
		{"AuthenticAMD", 23, 1, 2, "zen1"},
		{"AuthenticAMD", 23, 8, 2, "zen1"},
		{"AuthenticAMD", 23, 49, 0, "zen2"},
		{"AuthenticAMD", 25, 1, 1, "zen3"},
		{"AuthenticAMD", 25, 17, 1, "zen4"},
		{"AuthenticAMD", 25, 160, 2, "zen4"},
		{"AuthenticAMD", 26, 2, 1, "zen5"},
		{"AuthenticAMD", 26, 17, 0, "zen5"},
		{"AuthenticAMD", 99, 1, 1, "amd-99-1"},
		{"CentaurHauls", 7, 59, 0, "x86-7-59"},
		{"", 6, 85, 4, "unknown"},
		{"GenuineIntel", -1, -1, -1, "unknown"},
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_string_equal(
			uarch(rows[i].vendor, rows[i].family, rows[i].model, rows[i].stepping),
			rows[i].name);
}

static void arm_numbers(void **state)
{
	static const struct {
		int implementer, part;
		const char *name;
	} rows[] = {
		{0x41, 0xd0c, "n1"},	    {0x41, 0xd40, "v1"},	{0x41, 0xd49, "n2"},
		{0x41, 0xd4f, "v2"},	    {0x41, 0xd84, "v3"},	{0x41, 0xd08, "a72"},
		{0x48, 0xd01, "tsv110"},    {0x43, 0x0af, "thunderx2"}, {0x42, 0x516, "thunderx2"},
		{0x46, 0x001, "a64fx"},	    {0xc0, 0xac3, "ampere1"},	{0x41, 0xd99, "arm-41-d99"},
		{0x99, 0x001, "arm-99-001"}};
	struct cpu_id id = {.family = -1, .model = -1, .stepping = -1};
	char name[32];
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		id.implementer = rows[i].implementer;
		id.part = rows[i].part;
		topo_uarch(&id, "", name, sizeof(name));
		assert_string_equal(name, rows[i].name);
	}
}

static void model_texts(void **state)
{
	static const char *const rows[][2] = {
		{"Intel(R) Xeon(R) Platinum 8380 CPU @ 2.30GHz", "icx"},
		{"Intel(R) Xeon(R) Gold 5318H CPU @ 2.50GHz", "cpx"},
		{"Intel(R) Xeon(R) Platinum 8380HL CPU @ 2.90GHz", "cpx"},
		{"Intel(R) Xeon(R) Gold 6240 CPU @ 2.60GHz", "clx"},
		{"Intel(R) Xeon(R) Platinum 8168 CPU @ 2.70GHz", "skx"},
		{"Intel(R) Xeon(R) Platinum 8480+", "spr"},
		{"INTEL(R) XEON(R) PLATINUM 8592+", "emr"},
		{"Intel(R) Xeon(R) Platinum 8592+", "emr"},
		{"Intel(R) Xeon(R) 6980P", "gnr"},
		{"Intel(R) Xeon(R) 6780E", "srf"},
		{"Intel(R) Xeon(R) CPU E5-2695 v4 @ 2.10GHz", "bdx"},
		{"Intel(R) Xeon(R) CPU E5-4640 0 @ 2.40GHz", "snb"},
		{"AMD EPYC 7551P 32-Core Processor", "zen1"},
		{"AMD EPYC 7742 64-Core Processor", "zen2"},
		{"AMD EPYC 75F3 32-Core Processor", "zen3"},
		{"AMD EPYC 9684X 96-Core Processor", "zen4"},
		{"AMD EPYC 9755 128-Core Processor", "zen5"},
		{"Neoverse-N1", "n1"},
		{"Ampere-1a", "ampere1a"},
		{"POWER9, altivec supported", "power9"},
		{"POWER10 (architected), altivec supported", "power10"},
		{"Genuine Intel(R) CPU 0000%@", "unknown"},
		{"", "unknown"},
	};
	struct cpu_id id = {.family = -1, .model = -1, .stepping = -1};
	char name[32];
	size_t i;

	id.implementer = id.part = -1;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		topo_uarch(&id, rows[i][0], name, sizeof(name));
		assert_string_equal(name, rows[i][1]);
	}
}

static void hypervisor_texts(void **state)
{
	assert_string_equal(topo_platform_hypervisor("QEMU Virtual CPU version 2.5+"), "qemu");
	assert_string_equal(topo_platform_hypervisor("VMware, Inc. VMware7,1"), "vmware");
	assert_string_equal(topo_platform_hypervisor("Microsoft Corporation Virtual Machine"),
			    "hyperv");
	assert_string_equal(topo_platform_hypervisor("Amazon EC2 c7i.metal-24xl"), "");
	assert_string_equal(topo_platform_hypervisor("Amazon EC2 c7i.large"), "kvm");
	assert_string_equal(topo_platform_hypervisor("Dell Inc. PowerEdge R750"), "");
}

static void expect_class(const char *input, const char *name)
{
	struct topo *t = load(input);

	assert_string_equal(topo_info(t)->class_name, name);
	topo_free(t);
}

static void own_classes(void **state)
{
	expect_class(SMT2_2S, "unknown-2s4c2t-2n");
	expect_class(MANY_L3_2S, "unknown-2s16c2t-4n-nps2-4l3");
	expect_class(SNC2_2S, "unknown-2s8c2t-4n-nps2");
	expect_class(NO_L3, "unknown-2s8c1t-2n-nol3");
	expect_class(VCPUS, "unknown-1s12c1t-1n-nol3");
	expect_class(NO_CORES, "unknown-2s4c1t-2n-nocore-nol3");
	expect_class(OWN_XML("slow-memory-16t"), "unknown-2s4c2t-2n");
	expect_class(OWN_XML("restricted-32t"), "unknown-1s4c2t-1n-restricted");
	expect_class(OWN_XML("offline-16t"), "unknown-2s4c1t-2n-smtoff");
	expect_class(OWN_XML("uneven-7t"), "unknown-2s4c1t-2n-asym7");
	expect_class(OWN_XML("core-depths-7t"), "unknown-2s2c2t-2n");
	expect_class(OWN_XML("empty-node-8t"), "unknown-2s4c1t-1n-nolocal");
	expect_class(OWN_XML("no-local-8t"), "unknown-2s4c1t-1n-nolocal");
	expect_class(OWN_XML("device-memory-8t"), "unknown-2s4c1t-2n");
	expect_class(OWN_XML("hybrid-12t"), "unknown-1s8c2t-1n-hybrid4+4");
}

/* numbering and memory size are not what decides contention */
static void same_machine_same_class(void **state)
{
	static const char other[] = "Package:2 [NUMANode(memory=99GiB indexes=8,0)] "
				    "L3Cache:1(size=16MiB) L2Cache:4(size=1MiB) "
				    "L1dCache:1(size=32KiB) Core:1 PU:2";

	expect_class(other, "unknown-2s4c2t-2n");
	/* a shape that an engineer tells apart, the class tells apart */
	expect_class("Package:2 [NUMANode(memory=8GiB)] L3Cache:1(size=16MiB) Core:4 PU:1",
		     "unknown-2s4c1t-2n");
}

static void recorded_classes(void **state)
{
	static const char *const rows[][2] = {
		{"skx-4s-18c-144t", "unknown-4s18c2t-4n"},
		{"icx-2s-36c-144t", "icx-2s36c2t-2n"},
		{"icx-2s-28c-112t-roundrobin", "icx-2s28c2t-2n"},
		{"clx-2s-18c-72t", "clx-2s18c2t-2n"},
		{"clx-ap-4die-24c-192t", "clx-4s24c2t-4n"},
		{"clx-2s-pmem-8node-112t", "unknown-2s28c2t-4n-nps2"},
		{"spr-2s-snc4-224t", "spr-2s56c2t-8n-snc4"},
		{"milan-2s-nps4-256t", "zen3-2s64c2t-8n-nps4-8l3"},
		{"genoa-2s-l3numa-256t", "zen4-2s64c2t-16n-l3numa-8l3"},
		{"turin-2s-nps4-die-256t", "zen5-2s64c2t-8n-nps4-8l3"},
		{"power9-offline-gaps-160t", "power9-2s20c4t-2n-10l3"},
		{"knl-snc4-flat-hbm-272t", "knl-1s68c4t-4n-snc4-nol3"},
		{"bdw-2s-smt-offline-36t", "bdx-2s18c1t-2n-smtoff"},
		{"rpl-hybrid-20t", "rpl-1s14c2t-1n-hybrid6+8"},
		{"hsw-cpu0-node0-offline-17t", "hsw-2s9c1t-1n-asym17-nolocal"},
		{"opteron-cgroup2-6of32t", "k10-1s6c1t-2n-nps2-2l3-restricted"},
		{"uv-cpuset-16of64t", "snb-2s8c1t-2n-restricted"},
		{"power-no-core-objects-16t", "unknown-2s8c1t-2n-nocore-nol3"},
		{"qemu-hetero-memory-6t", "intel-15-107-1s6c1t-3n-snc3-vm"},
	};
	struct topo *t;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		t = load_recorded(rows[i][0]);
		assert_string_equal(topo_info(t)->class_name, rows[i][1]);
		topo_free(t);
	}
}

/* the help is the rule: it names every mark that any machine gets */
static void check_marks(const struct topo *t)
{
	static const char *const marks[] = {"-snc",    "-nps",	   "-l3numa", "-asym",
					    "-hybrid", "-vm",	   "-tcg",    "-restricted",
					    "-smtoff", "-nolocal", "-nocore", "-nol3"};
	const char *name = topo_info(t)->class_name;
	size_t i;

	assert_true(strlen(name) < sizeof(topo_info(t)->class_name) - 1);
	for (i = 0; i < sizeof(marks) / sizeof(marks[0]); i++)
		if (strstr(name, marks[i]))
			assert_non_null(strstr(topo_class_help(), marks[i]));
}

static void help_names_every_mark(void **state)
{
	each_machine(check_marks);
	assert_non_null(strstr(topo_class_help(), "<uarch>-<S>s<C>c<T>t-<N>n"));
}

int main(void)
{
	const struct CMUnitTest class[] = {
		cmocka_unit_test(x86_numbers),	    cmocka_unit_test(arm_numbers),
		cmocka_unit_test(model_texts),	    cmocka_unit_test(hypervisor_texts),
		cmocka_unit_test(own_classes),	    cmocka_unit_test(same_machine_same_class),
		cmocka_unit_test(recorded_classes), cmocka_unit_test(help_names_every_mark),
	};

	return run_tests(class);
}
