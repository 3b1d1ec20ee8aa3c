/* SPDX-License-Identifier: MIT */
/*
 * The 21 pitfalls that the recorded machines show (README beside them), one test each. Each first
 * shows the pitfall on a machine of our own, then on the recorded one where it is there.
 */
#include "topo_machines.h"

#include <errno.h>
#include <sched.h>

#include "../topo/topo_private.h"

/* a recorded machine, or NULL; our own part of the test has run by then */
static struct topo *recorded(const char *name)
{
	const char *shared = test_shared();
	char path[512];

	snprintf(path, sizeof(path), "%s/topologies/%s.xml", shared ? shared : "", name);
	if (!shared || access(path, R_OK))
		return NULL;
	return load(path);
}

static void expect_place(const struct topo *t, const char *spec, int nr, const char *list)
{
	struct cpulist cpus = CPULIST_INIT;
	struct err err = ERR_INIT;
	char text[512];

	assert_ok(topo_place(t, spec, nr, &cpus, &err), &err);
	assert_string_equal(cpulist_format(&cpus, text, sizeof(text)), list);
	cpulist_free(&cpus);
}

static void expect_no_place(const struct topo *t, const char *spec, const char *why)
{
	struct cpulist cpus = CPULIST_INIT;
	struct err err = ERR_INIT;

	assert_refused(topo_place(t, spec, 0, &cpus, &err), -EOPNOTSUPP, why, &err);
}

static const struct topo_node *node_of(const struct topo *t, int cpu)
{
	int nr;
	const struct topo_node *nodes = topo_nodes(t, &nr);
	const struct topo_cpu *c = topo_cpu_by_os(t, cpu);

	assert_non_null(c);
	return c->node < 0 ? NULL : &nodes[c->node];
}

static enum topo_relation between(const struct topo *t, int a, int b)
{
	return topo_relation(topo_cpu_by_os(t, a), topo_cpu_by_os(t, b));
}

static void pitfall_01_a_loaded_file_is_not_this_machine(void **state)
{
	struct topo *t;

	setenv("HWLOC_THISSYSTEM", "1", 1); /* hwloc would believe it */
	t = load(SMT2_2S);
	assert_false(topo_info(t)->is_this_system);
	topo_free(t);
	t = load(OWN_XML("hybrid-12t"));
	assert_false(topo_info(t)->is_this_system);
	topo_free(t);
	unsetenv("HWLOC_THISSYSTEM");
}

static void pitfall_02_os_numbers_have_holes(void **state)
{
	struct topo *t = load(
		"Package:2 [NUMANode(indexes=8,252)] Core:4 PU:1(indexes=4,5,6,7,12,13,14,70)");
	int nr;

	assert_int_equal(topo_cpus(t, &nr)->os, 4);
	assert_null(topo_cpu_by_os(t, 0));
	assert_string_equal(topo_cpu_reason(t, 0), "does not exist");
	assert_int_equal(topo_node_index(t, 0), -1);
	assert_int_equal(node_of(t, 70)->os, 252);
	expect_place(t, "cores-first", 0, "4-7,12-14,70");
	topo_free(t);
	t = recorded("power9-offline-gaps-160t");
	if (t) {
		assert_null(topo_cpu_by_os(t, 0));
		assert_string_equal(topo_cpu_reason(t, 0), "is offline");
		assert_int_equal(node_of(t, 175)->os, 8);
	}
	topo_free(t);
}

static void pitfall_03_more_than_1024_cpus(void **state)
{
	struct topo *t = load(WIDE);
	struct cpulist cpus = CPULIST_INIT;
	struct err err = ERR_INIT;

	assert_int_equal(topo_info(t)->pus, 2048);
	assert_ok(topo_place(t, "scatter", 2048, &cpus, &err), &err);
	assert_true(cpulist_has(&cpus, 2047));
	assert_ok(topo_place(t, "1500-2047", 0, &cpus, &err), &err);
	assert_int_equal(cpus.nr, 548);
	cpulist_free(&cpus);
	topo_free(t);
	assert_ok(system_affinity(&cpus, &err), &err);
	assert_true(cpus.nr >= 1);
	cpulist_free(&cpus);
}

static void pitfall_04_sibling_numberings(void **state)
{
	struct topo *t = load("Package:1 Core:4 PU:2"); /* consecutive */

	expect_place(t, "smt-siblings", 4, "0-3");
	topo_free(t);
	t = load(SMT2_2S); /* +8 */
	expect_place(t, "smt-siblings", 4, "0,8,1,9");
	topo_free(t);
	t = load("Package:1 Core:4 PU:4(indexes=4*4:4*1)"); /* +4, +8, +12 */
	expect_place(t, "smt-siblings", 4, "0,4,1,5");
	expect_place(t, "compact", 5, "0,4,8,12,1");
	topo_free(t);
	t = load(OWN_XML("hybrid-12t")); /* 1 and 2 threads: CPUs / cores says nothing */
	assert_int_equal(topo_info(t)->smt_min, 1);
	assert_int_equal(topo_info(t)->smt_max, 2);
	topo_free(t);
	t = load(OWN_XML("offline-16t"));
	expect_no_place(t, "smt-siblings", "second threads are offline");
	topo_free(t);
	t = load(OWN_XML("core-depths-7t"));
	expect_place(t, "smt-siblings", 6, "0-1,4-7");
	expect_place(t, "cores-first", 7, "0,2,4,6,1,5,7");
	topo_free(t);
	t = recorded("bdw-2s-smt-offline-36t");
	if (t)
		expect_no_place(t, "smt-siblings", "second threads are offline");
	topo_free(t);
}

static void pitfall_05_no_core_or_package_object(void **state)
{
	struct topo *t = load(NO_CORES);

	expect_place(t, "cores-first", 0, "0-7");
	expect_place(t, "one-socket", 0, "0-3"); /* a node is the socket */
	expect_place(t, "cross-socket", 4, "0,4,1,5");
	expect_no_place(t, "smt-siblings", "no core");
	topo_free(t);
	t = load(VCPUS); /* twelve packages that are CPUs */
	assert_int_equal(topo_info(t)->sockets, 1);
	expect_place(t, "one-socket", 0, "0-11");
	expect_no_place(t, "cross-socket", "one package");
	topo_free(t);
}

static void pitfall_06_number_neighbours_live_apart(void **state)
{
	struct topo *t = load("Package:2 [NUMANode] Core:4 PU:1(indexes=0,2,4,6,1,3,5,7)");

	assert_int_equal(between(t, 0, 1), TOPO_CROSS_PACKAGE);
	assert_int_equal(between(t, 0, 6), TOPO_SAME_NODE);
	expect_place(t, "one-socket", 0, "0,2,4,6");
	expect_place(t, "compact", 5, "0,2,4,6,1");
	topo_free(t);
	t = recorded("sg2042-nocaches-64t"); /* blocks of 8 */
	if (t)
		assert_int_equal(between(t, 7, 8), TOPO_SAME_PACKAGE);
	topo_free(t);
}

static void pitfall_07_nodes_are_no_ancestors(void **state)
{
	struct topo *t = load("Package:2 L3Cache:2 [NUMANode] Core:2 PU:1");

	assert_int_equal(node_of(t, 3)->os, 1);
	assert_int_equal(node_of(t, 7)->os, 3);
	topo_free(t);
	t = recorded("clx-2s-snc2-memcache-80t");
	if (t) {
		assert_non_null(node_of(t, 0));
		assert_int_equal(node_of(t, 79)->os, 3);
	}
	topo_free(t);
}

static void pitfall_08_several_local_nodes(void **state)
{
	struct topo *t = load(OWN_XML("slow-memory-16t"));
	int nr;
	const struct topo_node *n = topo_nodes(t, &nr);

	assert_int_equal(node_of(t, 0)->os, 0); /* the smaller and faster one */
	assert_int_equal(node_of(t, 7)->os, 2);
	assert_int_equal(nr, 4);
	assert_true(n[1].nr_cpus == 8 && !n[1].default_target);
	topo_free(t);
	t = recorded("clx-2s-pmem-8node-112t");
	if (t)
		assert_int_equal(node_of(t, 3)->os, 3);
	topo_free(t);
	t = recorded("knl-snc4-flat-hbm-272t");
	if (t)
		assert_int_equal(node_of(t, 0)->os, 0); /* not the 4 GiB of MCDRAM */
	topo_free(t);
	t = recorded("qemu-hetero-memory-6t");
	if (t) {
		assert_string_equal(node_of(t, 2)->subtype, "DRAM");
		assert_string_equal(node_of(t, 4)->subtype,
				    "HBM"); /* no DRAM there, NVM is slower */
	}
	topo_free(t);
}

static void pitfall_09_nodes_without_cpus(void **state)
{
	struct topo *t = load(OWN_XML("device-memory-8t"));
	struct cpulist one = CPULIST_INIT;
	struct err err = ERR_INIT;
	int nr, home, i = topo_node_index(t, 252);

	assert_true(i >= 0);
	assert_int_equal(topo_nodes(t, &nr)[i].nr_cpus, 0);
	assert_false(topo_nodes(t, &nr)[i].default_target);
	assert_int_equal(topo_info(t)->cpuless_nodes, 1);
	assert_int_equal(cpulist_add(&one, 0), 0);
	assert_ok(topo_home(t, "farthest", &one, &home, NULL, 0, &err), &err);
	assert_int_equal(home, 1);
	assert_ok(topo_home(t, "node-252", &one, &home, NULL, 0, &err), &err);
	assert_int_equal(home, 252);
	cpulist_free(&one);
	topo_free(t);
}

static void pitfall_10_cpus_without_a_node(void **state)
{
	struct topo *t = load(OWN_XML("no-local-8t"));
	struct cpulist one = CPULIST_INIT;
	struct err err = ERR_INIT;
	char note[200];
	int home;

	assert_null(node_of(t, 6));
	assert_true(topo_cpu_by_os(t, 6)->node_near >= 0);
	assert_int_equal(cpulist_add(&one, 6), 0);
	assert_ok(topo_home(t, "local", &one, &home, note, sizeof(note), &err), &err);
	assert_int_equal(home, 0);
	assert_non_null(strstr(note, "no local memory"));
	assert_int_equal(between(t, 4, 6), TOPO_SAME_PACKAGE); /* "same node" would be a guess */
	cpulist_free(&one);
	topo_free(t);
	t = recorded("tr2990wx-2of4-nodes-no-memory-64t");
	if (t)
		assert_null(node_of(t, 16));
	topo_free(t);
}

static void pitfall_11_memory_0_is_unknown(void **state)
{
	struct topo *t = load("Package:2 [NUMANode(memory=0)] Core:2 PU:1");
	struct cpulist one = CPULIST_INIT;
	struct err err = ERR_INIT;
	int nr, home;

	assert_false(topo_nodes(t, &nr)->memory_known);
	assert_int_equal(topo_info(t)->memoryless_nodes, 2);
	assert_int_equal(cpulist_add(&one, 3), 0);
	assert_ok(topo_home(t, "local", &one, &home, NULL, 0, &err), &err);
	assert_int_equal(home, 1);
	cpulist_free(&one);
	topo_free(t);
	t = recorded("zen4-384t-nomeminfo");
	if (t)
		assert_false(topo_nodes(t, &nr)->memory_known);
	topo_free(t);
}

static void pitfall_12_containers(void **state)
{
	struct topo *t = load(OWN_XML("restricted-32t"));
	const struct topo_info *f = topo_info(t);

	assert_true(f->restricted);
	assert_int_equal(f->pus, 8);
	assert_int_equal(f->pus_disallowed, 24);
	assert_int_equal(f->nodes_disallowed, 2);
	assert_int_equal(f->packages, 2); /* the second is only memory */
	assert_int_equal(f->sockets, 1);
	expect_no_place(t, "cross-socket", "one package");
	assert_string_equal(topo_cpu_reason(t, 4), "is not allowed for this process");
	topo_free(t);
	t = recorded("opteron-cgroup2-6of32t");
	if (t) {
		assert_int_equal(topo_info(t)->cpukinds, 1);
		assert_int_equal(topo_kinds(t, &(int){0})->nr_cpus, 6); /* hwloc's has all 32 */
	}
	topo_free(t);
}

static void pitfall_13_l3_node_and_socket_differ(void **state)
{
	struct topo *t = load(MANY_L3_2S);

	assert_int_equal(between(t, 0, 2), TOPO_SAME_L3);
	assert_int_equal(between(t, 0, 8), TOPO_SAME_NODE);
	topo_free(t);
	t = load(SNC2_2S); /* wider than the node */
	assert_int_equal(topo_cpu_by_os(t, 0)->l3, topo_cpu_by_os(t, 8)->l3);
	assert_int_equal(between(t, 0, 8), TOPO_SAME_PACKAGE);
	topo_free(t);
	t = load(NO_L3);
	assert_int_equal(topo_cpu_by_os(t, 0)->l3, -1);
	assert_int_equal(between(t, 0, 1), TOPO_SAME_NODE);
	expect_no_place(t, "one-l3", "no L3");
	topo_free(t);
	t = load(TILES); /* an L2 for two cores and nothing above */
	assert_int_equal(between(t, 0, 4), TOPO_SAME_L3);
	topo_free(t);
}

static void pitfall_14_groups_at_several_depths(void **state)
{
	struct topo *t = load("Group:2 Package:1 Group:2 [NUMANode] Group:2 Core:2 PU:1");

	assert_int_equal(topo_info(t)->packages, 2);
	assert_int_equal(topo_info(t)->numa_nodes, 4);
	assert_int_equal(between(t, 0, 3), TOPO_SAME_NODE);
	assert_int_equal(between(t, 0, 4), TOPO_SAME_PACKAGE);
	topo_free(t);
	t = recorded("power9-gpu-memory-nodes-176t");
	if (t)
		assert_int_equal(topo_info(t)->sockets, 2);
	topo_free(t);
}

static void pitfall_15_packages_and_dies(void **state)
{
	struct topo *t = load("Package:2 [NUMANode] Die:2 L3Cache:1 Core:2 PU:1");

	assert_int_equal(topo_info(t)->dies, 4);
	assert_int_equal(topo_cpu_by_os(t, 2)->die, 1);
	assert_int_equal(topo_cpu_by_os(t, 2)->package, 0);
	topo_free(t);
	t = recorded("clx-ap-4die-24c-192t"); /* nothing says which two share a socket */
	if (t)
		assert_int_equal(topo_info(t)->sockets, 4);
	topo_free(t);
}

static void pitfall_16_asymmetric_trees(void **state)
{
	struct topo *t = load(OWN_XML("uneven-7t"));

	expect_place(t, "one-socket", 0, "0-3");
	expect_place(t, "cross-socket", 0, "0,4,1,5,2,6"); /* equal halves: the minimum */
	expect_no_place(t, "smt-siblings", "no core");
	topo_free(t);
	t = recorded("genoax-vm-asym-176t");
	if (t) {
		expect_place(t, "one-l3", 0, "0-7");
		assert_int_equal(topo_info(t)->clusters, 24);
	}
	topo_free(t);
}

static void pitfall_17_hybrid_cores(void **state)
{
	struct topo *t = load(OWN_XML("hybrid-12t"));
	int nr;
	const struct topo_kind *k = topo_kinds(t, &nr);

	assert_int_equal(nr, 2);
	assert_true(k[0].smt_max == 1 && k[0].nr_cores == 4 && k[0].l2_bytes == 2 << 20);
	assert_true(k[1].smt_max == 2 && k[1].nr_cores == 4 && k[1].l2_bytes == 1 << 20);
	assert_true(k[0].max_mhz == 3900 && k[1].max_mhz == 5000);
	expect_place(t, "kind-0", 0, "8,10,12,14");
	topo_free(t);
	t = load(OWN_XML("kinds-near-4t")); /* 1 percent of frequency is no kind */
	assert_int_equal(topo_info(t)->cpukinds, 1);
	topo_free(t);
}

static void pitfall_18_missing_caches(void **state)
{
	struct topo *t = load(ONE_CPU);
	const struct topo_info *f = topo_info(t);

	assert_true(!f->l1d_bytes && !f->l2_bytes && !f->l3_bytes);
	expect_no_place(t, "one-l3", "no L3");
	assert_non_null(strstr(f->class_name, "-nol3"));
	topo_free(t);
}

static void pitfall_19_distances_are_optional(void **state)
{
	struct topo *t = load(SMT2_2S);

	assert_false(topo_info(t)->distances_known);
	assert_int_equal(topo_distance(t, 0, 1), 0);
	topo_free(t);
	t = load(OWN_XML("slow-memory-16t")); /* a matrix without a name */
	assert_true(topo_info(t)->distances_known);
	assert_int_equal(topo_distance(t, 0, 1), 17);
	assert_int_equal(topo_distance(t, 0, 0), 10);
	assert_int_equal(topo_distance(t, 0, 4), 0);
	assert_int_equal(topo_distance(t, -1, 0), 0);
	topo_free(t);
	t = recorded("clx-ap-4die-24c-192t");
	if (t)
		assert_int_equal(topo_distance(t, 0, 3), 21);
	topo_free(t);
}

static void pitfall_20_classification_by_name_fails(void **state)
{
	struct topo *t = load(SMT2_2S), *other;
	size_t len;

	assert_string_equal(topo_info(t)->model, "");
	assert_string_equal(topo_info(t)->class_name, "unknown-2s4c2t-2n");
	topo_free(t);
	t = recorded("clx-ap-4die-24c-192t"); /* "Genuine Intel(R) CPU 0000%@": the numbers tell */
	if (t)
		assert_string_equal(topo_info(t)->uarch, "clx");
	topo_free(t);
	other = recorded("turin-2s-nps4-die-256t"); /* trailing blanks */
	if (other) {
		len = strlen(topo_info(other)->model);
		assert_int_not_equal(topo_info(other)->model[len - 1], ' ');
	}
	topo_free(other);
}

static void pitfall_21_hwloc_versions(void **state)
{
	char path[] = "/tmp/chargeline-XXXXXX";
	struct err err = ERR_INIT;
	struct topo *t = NULL;
	int fd = mkstemp(path);
	FILE *f = fdopen(fd, "w");

	assert_non_null(f);
	fputs("<?xml version=\"1.0\"?>\n<!DOCTYPE topology SYSTEM \"hwloc3.dtd\">\n"
	      "<topology version=\"3.0\"><object type=\"Machine\"/></topology>\n",
	      f);
	fclose(f);
	assert_refused(topo_load(&t, path, &err), -EINVAL, "hwloc 3", &err);
	assert_null(t);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest pitfalls[] = {
		cmocka_unit_test(pitfall_01_a_loaded_file_is_not_this_machine),
		cmocka_unit_test(pitfall_02_os_numbers_have_holes),
		cmocka_unit_test(pitfall_03_more_than_1024_cpus),
		cmocka_unit_test(pitfall_04_sibling_numberings),
		cmocka_unit_test(pitfall_05_no_core_or_package_object),
		cmocka_unit_test(pitfall_06_number_neighbours_live_apart),
		cmocka_unit_test(pitfall_07_nodes_are_no_ancestors),
		cmocka_unit_test(pitfall_08_several_local_nodes),
		cmocka_unit_test(pitfall_09_nodes_without_cpus),
		cmocka_unit_test(pitfall_10_cpus_without_a_node),
		cmocka_unit_test(pitfall_11_memory_0_is_unknown),
		cmocka_unit_test(pitfall_12_containers),
		cmocka_unit_test(pitfall_13_l3_node_and_socket_differ),
		cmocka_unit_test(pitfall_14_groups_at_several_depths),
		cmocka_unit_test(pitfall_15_packages_and_dies),
		cmocka_unit_test(pitfall_16_asymmetric_trees),
		cmocka_unit_test(pitfall_17_hybrid_cores),
		cmocka_unit_test(pitfall_18_missing_caches),
		cmocka_unit_test(pitfall_19_distances_are_optional),
		cmocka_unit_test(pitfall_20_classification_by_name_fails),
		cmocka_unit_test(pitfall_21_hwloc_versions),
	};

	return run_tests(pitfalls);
}
