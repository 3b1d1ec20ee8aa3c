/* SPDX-License-Identifier: MIT */
#include "topo_machines.h"

#include <errno.h>
#include <sched.h>
#include <sys/stat.h>

#include "../topo/topo_private.h"

/* -------------------------------------------------------- expected values */

static int expect(json_t *values, const char *key)
{
	json_t *v = json_object_get(values, key);

	if (!json_is_integer(v))
		fail_msg("expected.json has no %s", key);
	return (int)json_integer_value(v);
}

static uint64_t largest(json_t *values, const char *key)
{
	json_t *list = json_object_get(json_object_get(values, "cache_bytes"), key), *v;
	uint64_t max = 0;
	size_t i;

	json_array_foreach(list, i, v) if ((uint64_t)json_integer_value(v) > max) max =
		json_integer_value(v);
	return max;
}

static void check_counts(const struct topo_info *f, json_t *e)
{
	assert_int_equal(f->packages, expect(e, "packages"));
	assert_int_equal(f->dies, expect(e, "dies"));
	assert_int_equal(f->numa_nodes, expect(e, "numa_nodes"));
	assert_int_equal(f->cores, expect(e, "cores"));
	assert_int_equal(f->pus, expect(e, "pus"));
	assert_int_equal(f->l3_caches, expect(e, "l3"));
	assert_int_equal(f->smt_min, expect(e, "smt_min"));
	assert_int_equal(f->smt_max, expect(e, "smt_max"));
	assert_int_equal(f->cpuless_nodes, expect(e, "numa_nodes_without_pu"));
	assert_int_equal(f->memoryless_nodes, expect(e, "numa_nodes_with_memory_0"));
	assert_int_equal(f->pus_offline, expect(e, "pus_offline"));
	assert_int_equal(f->pus + f->pus_disallowed, expect(e, "pus_with_disallowed"));
	assert_int_equal(f->numa_nodes + f->nodes_disallowed,
			 expect(e, "numa_nodes_with_disallowed"));
	assert_int_equal(f->restricted, f->pus_disallowed || f->nodes_disallowed);
	assert_int_equal(f->l1d_bytes, largest(e, "l1d"));
	assert_int_equal(f->l2_bytes, largest(e, "l2"));
	assert_int_equal(f->l3_bytes, largest(e, "l3"));
	assert_false(f->is_this_system);
}

enum by { BY_PACKAGE, BY_L3, BY_CORE };

static int group_of(const struct topo_cpu *c, enum by by)
{
	return by == BY_PACKAGE ? c->package : by == BY_L3 ? c->l3 : c->core;
}

/* the CPUs of group @i, as expected.json writes them */
static void check_group(const struct topo *t, enum by by, int i, const char *list)
{
	struct cpulist found = CPULIST_INIT;
	int nr, c;
	const struct topo_cpu *cpus = topo_cpus(t, &nr);
	char *text;

	for (c = 0; c < nr; c++)
		if (group_of(&cpus[c], by) == i)
			assert_int_equal(cpulist_add(&found, cpus[c].os), 0);
	text = cpulist_text_sorted(&found);
	assert_string_equal(text, list);
	free(text);
	cpulist_free(&found);
}

static void check_relations(const struct topo *t, json_t *detail)
{
	int nr, n;
	const struct topo_node *nodes = topo_nodes(t, &nr);
	json_t *list, *v;
	char *text;
	size_t i;

	list = json_object_get(detail, "packages");
	json_array_foreach(list, i, v)
		check_group(t, BY_PACKAGE, (int)i, json_string_value(json_object_get(v, "pus")));
	list = json_object_get(detail, "l3");
	json_array_foreach(list, i, v) check_group(t, BY_L3, (int)i, json_string_value(v));
	list = json_object_get(detail, "pus_of_each_core");
	json_array_foreach(list, i, v) check_group(t, BY_CORE, (int)i, json_string_value(v));
	list = json_object_get(detail, "nodes");
	json_array_foreach(list, i, v)
	{
		n = topo_node_index(t, expect(v, "os_index"));
		assert_true(n >= 0);
		assert_int_equal(nodes[n].memory, json_integer_value(json_object_get(v, "memory")));
		text = cpulist_text_sorted(&nodes[n].cpus);
		assert_string_equal(text, json_string_value(json_object_get(v, "pus")));
		free(text);
	}
}

static void recorded_machines(void **state)
{
	json_t *all = load_expected(), *one, *e;
	const char *name;
	struct topo *t;
	int nr, i, far, first = -1;
	const struct topo_cpu *cpus;

	json_object_foreach(all, name, one)
	{
		t = load_recorded(name);
		e = json_object_get(one, "expected");
		check_counts(topo_info(t), e);
		check_relations(t, json_object_get(one, "detail"));
		cpus = topo_cpus(t, &nr);
		for (i = far = 0; i < nr; i++) {
			far += cpus[i].node < 0;
			first = cpus[i].os > first || !i ? cpus[i].os : first;
		}
		assert_int_equal(far, expect(e, "pus_without_local_node"));
		assert_int_equal(first, expect(e, "pu_os_index_max"));
		topo_free(t);
	}
	assert_int_equal(json_object_size(all), 28);
	json_decref(all);
}

static void recorded_synthetic(void **state)
{
	const char *shared = test_shared();
	const struct topo_info *f;
	struct synthetic s;
	struct topo *t;
	char path[512];
	int nr = 0;
	FILE *file;

	snprintf(path, sizeof(path), "%s/topologies/synthetic.tsv", shared ? shared : "");
	file = shared ? fopen(path, "re") : NULL;
	if (!file)
		test_skip("no synthetic.tsv: CHARGELINE_SHARED names none");
	for (; next_synthetic(file, &s); nr++) {
		t = load(s.string);
		f = topo_info(t);
		assert_int_equal(f->packages, s.packages);
		assert_int_equal(f->numa_nodes, s.nodes);
		assert_int_equal(f->cores, s.cores);
		assert_int_equal(f->pus, s.pus);
		assert_int_equal(f->smt_max, s.smt);
		assert_int_equal(f->l3_caches, s.l3);
		topo_free(t);
	}
	assert_true(nr >= 15);
	fclose(file);
}

static void own_counts(void **state)
{
	static const struct {
		const char *input;
		int packages, nodes, cores, pus, smt_min, smt_max, l3, sockets, clusters;
	} rows[] = {
		{SMT2_2S, 2, 2, 8, 16, 2, 2, 2, 2, 0},
		{MANY_L3_2S, 2, 4, 32, 64, 2, 2, 8, 2, 8},
		{SNC2_2S, 2, 4, 16, 32, 2, 2, 2, 2, 0},
		{NO_L3, 2, 2, 16, 16, 1, 1, 0, 2, 0},
		{TILES, 1, 1, 8, 32, 4, 4, 0, 1, 4},
		{VCPUS, 12, 1, 12, 12, 1, 1, 0, 1, 0},
		{NO_CORES, 0, 2, 0, 8, 0, 0, 0, 2, 0},
		{WIDE, 16, 16, 512, 2048, 4, 4, 64, 16, 64},
		{ONE_CPU, 1, 1, 1, 1, 1, 1, 0, 1, 0},
		{OWN_XML("slow-memory-16t"), 2, 4, 8, 16, 2, 2, 2, 2, 0},
		{OWN_XML("restricted-32t"), 2, 2, 4, 8, 2, 2, 2, 1, 0},
		{OWN_XML("offline-16t"), 2, 2, 8, 8, 1, 1, 2, 2, 0},
		{OWN_XML("uneven-7t"), 2, 2, 7, 7, 1, 1, 2, 2, 0},
		{OWN_XML("core-depths-7t"), 2, 2, 4, 7, 1, 2, 2, 2, 0},
		{OWN_XML("empty-node-8t"), 2, 1, 8, 8, 1, 1, 2, 2, 0},
		{OWN_XML("no-local-8t"), 2, 1, 8, 8, 1, 1, 2, 2, 0},
		{OWN_XML("device-memory-8t"), 2, 3, 8, 8, 1, 1, 2, 2, 0},
		{OWN_XML("hybrid-12t"), 1, 1, 8, 12, 1, 2, 1, 1, 4},
	};
	const struct topo_info *f;
	struct topo *t;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		t = load(rows[i].input);
		f = topo_info(t);
		print_message("%s\n", f->input);
		assert_int_equal(f->packages, rows[i].packages);
		assert_int_equal(f->numa_nodes, rows[i].nodes);
		assert_int_equal(f->cores, rows[i].cores);
		assert_int_equal(f->pus, rows[i].pus);
		assert_int_equal(f->smt_min, rows[i].smt_min);
		assert_int_equal(f->smt_max, rows[i].smt_max);
		assert_int_equal(f->l3_caches, rows[i].l3);
		assert_int_equal(f->sockets, rows[i].sockets);
		assert_int_equal(f->clusters, rows[i].clusters);
		assert_false(f->is_this_system);
		assert_string_equal(f->input, rows[i].input);
		topo_free(t);
	}
}

/* ------------------------------------------- what must hold on any machine */

static void check_consistent(const struct topo *t)
{
	const struct topo_info *f = topo_info(t);
	int nr, nr_nodes, nr_kinds, i, j, k = 0;
	const struct topo_cpu *c = topo_cpus(t, &nr);
	const struct topo_node *n = topo_nodes(t, &nr_nodes);
	const struct topo_kind *kinds = topo_kinds(t, &nr_kinds);

	assert_true(nr >= 1);
	assert_int_equal(nr, f->pus);
	assert_int_equal(nr_nodes, f->numa_nodes);
	assert_int_equal(nr_kinds, f->cpukinds);
	assert_int_equal(f->disallowed.nr, f->pus_disallowed);
	assert_int_equal(f->offline.nr, f->pus_offline);
	for (i = 0; i < nr; i++) {
		assert_ptr_equal(topo_cpu_by_os(t, c[i].os), &c[i]);
		assert_null(topo_cpu_reason(t, c[i].os));
		assert_in_range(c[i].socket, 0, f->sockets - 1);
		assert_in_range(c[i].kind, 0, nr_kinds - 1);
		assert_true(c[i].cluster >= -1 && c[i].cluster < f->clusters);
		assert_true(c[i].node >= -1 && c[i].node < nr_nodes);
		assert_true(c[i].node_near >= 0 && c[i].node_near < nr_nodes);
		assert_true(c[i].node < 0 || n[c[i].node].default_target);
		assert_int_equal(topo_relation(&c[i], &c[i]), TOPO_SAME_CPU);
		j = (i * 7 + 3) % nr;
		assert_int_equal(topo_relation(&c[i], &c[j]), topo_relation(&c[j], &c[i]));
	}
	for (i = 0; i < nr_kinds; i++)
		k += kinds[i].nr_cpus;
	assert_int_equal(k, nr);
	for (i = 0; i < nr_nodes; i++)
		assert_int_equal(topo_node_index(t, n[i].os), i);
	for (i = 0; i < f->offline.nr; i++)
		assert_string_equal(topo_cpu_reason(t, f->offline.cpu[i]), "is offline");
	for (i = 0; i < f->disallowed.nr; i++)
		assert_string_equal(topo_cpu_reason(t, f->disallowed.cpu[i]),
				    "is not allowed for this process");
	assert_string_equal(topo_cpu_reason(t, -1), "does not exist");
	assert_string_equal(topo_cpu_reason(t, 70000), "does not exist");
}

static void every_machine_is_consistent(void **state)
{
	assert_true(each_machine(check_consistent) > NR_OWN);
}

static void relations(void **state)
{
	struct topo *t = load(MANY_L3_2S); /* 64 PUs, numbered along the tree */
	const struct topo_cpu *c = topo_cpu_by_os(t, 0);

	assert_int_equal(topo_relation(c, topo_cpu_by_os(t, 1)), TOPO_SAME_CORE);
	assert_int_equal(topo_relation(c, topo_cpu_by_os(t, 2)), TOPO_SAME_L3);
	assert_int_equal(topo_relation(c, topo_cpu_by_os(t, 8)), TOPO_SAME_NODE);
	assert_int_equal(topo_relation(c, topo_cpu_by_os(t, 16)), TOPO_SAME_PACKAGE);
	assert_int_equal(topo_relation(c, topo_cpu_by_os(t, 32)), TOPO_CROSS_PACKAGE);
	topo_free(t);
	t = load(SNC2_2S); /* an L3 over two nodes makes nobody nearer */
	c = topo_cpu_by_os(t, 0);
	assert_int_equal(topo_relation(c, topo_cpu_by_os(t, 2)), TOPO_SAME_NODE);
	assert_int_equal(topo_relation(c, topo_cpu_by_os(t, 8)), TOPO_SAME_PACKAGE);
	topo_free(t);
}

static void same_input_same_answer(void **state)
{
	struct topo *a = load(OWN_XML("slow-memory-16t")), *b = load(OWN_XML("slow-memory-16t"));
	int nr;
	const struct topo_cpu *ca = topo_cpus(a, &nr), *cb = topo_cpus(b, &nr);

	assert_memory_equal(ca, cb, sizeof(*ca) * nr);
	assert_string_equal(topo_info(a)->class_name, topo_info(b)->class_name);
	topo_free(a);
	topo_free(b);
}

/* ---------------------------------------------------------------- this system */

static void this_system(void **state)
{
	struct topo *t = load(NULL);
	const struct topo_info *f = topo_info(t);

	assert_true(f->is_this_system);
	assert_string_equal(f->input, "");
	assert_true(f->pus >= 1 && f->numa_nodes >= 1);
	assert_true(*f->class_name);
	topo_free(t);
}

static void affinity_is_obeyed(void **state)
{
	struct topo *t = load(NULL);
	int nr, os = topo_cpus(t, &nr)[nr - 1].os, i;
	cpu_set_t *all = CPU_ALLOC(8192), *one = CPU_ALLOC(8192);
	size_t size = CPU_ALLOC_SIZE(8192);
	const struct topo_info *f;

	topo_free(t);
	if (nr < 2)
		test_skip("one usable CPU: nothing to take away");
	assert_int_equal(sched_getaffinity(0, size, all), 0);
	CPU_ZERO_S(size, one);
	CPU_SET_S(os, size, one);
	assert_int_equal(sched_setaffinity(0, size, one), 0);
	t = load(NULL);
	assert_int_equal(sched_setaffinity(0, size, all), 0);
	f = topo_info(t);
	assert_true(f->restricted && f->is_this_system);
	assert_int_equal(topo_cpus(t, &i)->os, os);
	assert_int_equal(i, 1);
	assert_int_equal(f->pus, 1);
	assert_int_equal(f->cores <= 1, 1);
	assert_true(f->pus_disallowed >= nr - 1);
	assert_non_null(strstr(f->class_name, "-restricted"));
	topo_free(t);
	CPU_FREE(all);
	CPU_FREE(one);
}

static void environment_is_an_input(void **state)
{
	struct err err = ERR_INIT;
	struct topo *t;

	setenv("HWLOC_SYNTHETIC", SMT2_2S, 1);
	t = load(NULL);
	assert_false(topo_info(t)->is_this_system);
	assert_int_equal(topo_info(t)->pus, 16);
	assert_string_equal(topo_info(t)->input, SMT2_2S);
	topo_free(t);
	unsetenv("HWLOC_SYNTHETIC");
	setenv("HWLOC_XMLFILE", OWN_XML("hybrid-12t"), 1);
	t = load(NULL);
	assert_false(topo_info(t)->is_this_system);
	assert_int_equal(topo_info(t)->cpukinds, 2);
	topo_free(t);
	setenv("HWLOC_XMLFILE", "/nowhere/x.xml", 1);
	assert_refused(topo_load(&t, NULL, &err), -ENOENT, "/nowhere/x.xml", &err);
	unsetenv("HWLOC_XMLFILE");
}

/* the kernel's own idea of near, for a CPU whose node has no memory; a made-up /sys */
static void nearest_node_from_the_kernel(void **state)
{
	char root[] = "/tmp/chargeline-XXXXXX", path[256];
	static const char *const dirs[] = {"cpu", "cpu/cpu5", "cpu/cpu5/node1", "node",
					   "node/node1"};
	struct topo *t = load("Package:3 [NUMANode(memory=1GiB)] Core:2 PU:1");
	size_t i;
	FILE *f;

	assert_non_null(mkdtemp(root));
	for (i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", root, dirs[i]);
		assert_int_equal(mkdir(path, 0700), 0);
	}
	assert_int_equal(system_near_node(root, 5, t), -1);
	snprintf(path, sizeof(path), "%s/node/online", root);
	f = fopen(path, "w");
	fputs("0-2\n", f);
	fclose(f);
	snprintf(path, sizeof(path), "%s/node/node1/distance", root);
	f = fopen(path, "w");
	fputs("32 40 16\n", f);
	fclose(f);
	assert_int_equal(system_near_node(root, 5, t), 2);
	assert_int_equal(system_near_node(root, 4, t), -1);
	topo_free(t);
	snprintf(path, sizeof(path), "rm -r %s", root);
	assert_int_equal(system(path), 0);
}

int main(void)
{
	const struct CMUnitTest topo[] = {
		cmocka_unit_test(recorded_machines),
		cmocka_unit_test(recorded_synthetic),
		cmocka_unit_test(own_counts),
		cmocka_unit_test(every_machine_is_consistent),
		cmocka_unit_test(relations),
		cmocka_unit_test(same_input_same_answer),
		cmocka_unit_test(this_system),
		cmocka_unit_test(affinity_is_obeyed),
		cmocka_unit_test(environment_is_an_input),
		cmocka_unit_test(nearest_node_from_the_kernel),
	};

	return run_tests(topo);
}
