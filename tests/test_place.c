/* SPDX-License-Identifier: MIT */
/*
 * Every placement on every machine: exactly as many distinct usable CPUs as asked for, in the
 * relation that its name promises, or a reason.
 */
#include "topo_machines.h"

#include <errno.h>

/* the machine as the properties see it, from the public header alone */
struct placed {
	const struct topo *t;
	const struct topo_cpu *cpus;
	int nr_cpus;
	struct cpulist list;
};

static const struct topo_cpu *at(const struct placed *p, int i)
{
	return topo_cpu_by_os(p->t, p->list.cpu[i]);
}

static int fastest(const struct topo *t)
{
	return topo_info(t)->cpukinds - 1;
}

static void check_distinct(const struct placed *p)
{
	char *seen = calloc(65536, 1);
	int i;

	for (i = 0; i < p->list.nr; i++) {
		assert_non_null(at(p, i));
		assert_false(seen[p->list.cpu[i]]++);
	}
	free(seen);
}

static void check_fastest(const struct placed *p)
{
	int i;

	for (i = 0; i < p->list.nr; i++)
		assert_int_equal(at(p, i)->kind, fastest(p->t));
}

/* siblings last; inside one SMT level a socket is never returned to */
static void check_cores_first(const struct placed *p)
{
	int i, j;

	for (i = 1; i < p->list.nr; i++) {
		assert_true(at(p, i)->smt >= at(p, i - 1)->smt);
		if (at(p, i)->smt != at(p, i - 1)->smt || at(p, i)->socket == at(p, i - 1)->socket)
			continue;
		for (j = i - 1; j >= 0 && at(p, j)->smt == at(p, i)->smt && j > i - 200; j--)
			assert_int_not_equal(at(p, j)->socket, at(p, i)->socket);
	}
}

typedef int (*group_fn)(const struct topo_cpu *);

static int core_of(const struct topo_cpu *c)
{
	return c->core;
}

static int cluster_of(const struct topo_cpu *c)
{
	return c->cluster;
}

static int socket_of(const struct topo_cpu *c)
{
	return c->socket;
}

static int machine_of(const struct topo_cpu *c)
{
	return 0;
}

static int node_of(const struct topo_cpu *c)
{
	return c->node;
}

#define MAX_GROUPS 20000

/* CPUs per group: @used by the placement, @all there are (of @smt only, -1 any) */
static void count_groups(const struct placed *p, group_fn group, int smt, int *used, int *all)
{
	int i, g;

	memset(used, 0, sizeof(int) * MAX_GROUPS);
	memset(all, 0, sizeof(int) * MAX_GROUPS);
	for (i = 0; i < p->nr_cpus; i++) {
		g = group(&p->cpus[i]);
		assert_true(g < MAX_GROUPS);
		if (g >= 0 && (smt < 0 || p->cpus[i].smt == smt))
			all[g]++;
	}
	for (i = 0; i < p->list.nr; i++) {
		g = group(at(p, i));
		if (g >= 0 && (smt < 0 || at(p, i)->smt == smt))
			used[g]++;
	}
}

/* at most one group is begun and not full */
static void check_filled(const struct placed *p, group_fn group)
{
	static int used[MAX_GROUPS], all[MAX_GROUPS];
	int g, begun = 0;

	count_groups(p, group, -1, used, all);
	for (g = 0; g < MAX_GROUPS; g++)
		begun += used[g] && used[g] < all[g];
	assert_true(begun <= 1);
}

static void check_compact(const struct placed *p)
{
	check_filled(p, core_of);
	check_filled(p, cluster_of);
	check_filled(p, node_of);
	check_filled(p, socket_of);
}

/* inside @outer no group has two more than another one that still had CPUs to give */
static void check_dealt(const struct placed *p, group_fn group, group_fn outer)
{
	static int used[MAX_GROUPS], all[MAX_GROUPS], most[MAX_GROUPS];
	int i, g, o;

	memset(most, 0, sizeof(most));
	count_groups(p, group, 0, used, all);
	for (i = 0; i < p->nr_cpus; i++) {
		g = group(&p->cpus[i]);
		o = outer(&p->cpus[i]);
		if (g >= 0 && o >= 0 && used[g] > most[o])
			most[o] = used[g];
	}
	for (i = 0; i < p->nr_cpus; i++) {
		g = group(&p->cpus[i]);
		o = outer(&p->cpus[i]);
		if (g >= 0 && o >= 0)
			assert_true(used[g] == all[g] || used[g] >= most[o] - 1);
	}
}

static void check_scatter(const struct placed *p)
{
	int i;

	for (i = 1; i < p->list.nr; i++)
		assert_true(at(p, i)->smt >= at(p, i - 1)->smt);
	if (topo_info(p->t)->cpukinds > 1)
		return; /* the slow kind is not dealt: groups are not comparable */
	check_dealt(p, socket_of, machine_of);
	check_dealt(p, node_of, socket_of);
	check_dealt(p, cluster_of, node_of);
}

static void check_one_socket(const struct placed *p)
{
	static int used[MAX_GROUPS], all[MAX_GROUPS];
	int i, g;

	check_cores_first(p);
	for (i = 1; i < p->list.nr; i++)
		assert_int_equal(at(p, i)->socket, at(p, 0)->socket);
	count_groups(p, socket_of, 0, used, all);
	for (g = 0; g < MAX_GROUPS; g++)
		assert_true(all[g] <= all[at(p, 0)->socket]);
}

static void check_cross_socket(const struct placed *p)
{
	int i;

	if (p->list.nr > 1)
		assert_int_not_equal(at(p, 0)->socket, at(p, 1)->socket);
	for (i = 2; i < p->list.nr; i++) {
		assert_int_equal(at(p, i)->socket, at(p, i - 2)->socket);
		assert_true(at(p, i)->smt >= at(p, i - 2)->smt);
	}
}

static void check_one_l3(const struct placed *p)
{
	int i;

	check_cores_first(p);
	for (i = 0; i < p->list.nr; i++) {
		assert_true(at(p, i)->l3 >= 0);
		assert_int_equal(at(p, i)->l3, at(p, 0)->l3);
	}
}

static void check_one_per_core(const struct placed *p)
{
	int i;

	check_cores_first(p);
	for (i = 0; i < p->list.nr; i++)
		assert_int_equal(at(p, i)->smt, 0);
}

static void check_one_per_l3(const struct placed *p)
{
	int i, j;

	for (i = 0; i < p->list.nr; i++) {
		assert_true(at(p, i)->l3 >= 0);
		for (j = 0; j < i; j++)
			assert_int_not_equal(at(p, i)->l3, at(p, j)->l3);
	}
}

static void check_siblings(const struct placed *p)
{
	int i;

	for (i = 1; i < p->list.nr; i += 2)
		assert_int_equal(topo_relation(at(p, i - 1), at(p, i)), TOPO_SAME_CORE);
}

static void check_kind(const struct placed *p)
{
	int i;

	for (i = 0; i < p->list.nr; i++)
		assert_int_equal(at(p, i)->kind, 0);
}

/* when each may be missing, said by relations again */
static bool never(const struct topo *t)
{
	return false;
}

static bool one_socket_only(const struct topo *t)
{
	return topo_info(t)->sockets == 1;
}

static bool no_l3(const struct topo *t)
{
	return !topo_info(t)->l3_caches;
}

static bool no_siblings(const struct topo *t)
{
	return topo_info(t)->smt_max < 2;
}

static bool not_hybrid(const struct topo *t)
{
	return topo_info(t)->cpukinds < 2;
}

static const struct {
	const char *spec;
	void (*check)(const struct placed *);
	bool (*missing)(const struct topo *);
	bool all_kinds;
} promises[] = {
	{"cores-first", check_cores_first, never, false},
	{"compact", check_compact, never, true},
	{"scatter", check_scatter, never, false},
	{"one-socket", check_one_socket, never, false},
	{"cross-socket", check_cross_socket, one_socket_only, false},
	{"one-l3", check_one_l3, no_l3, false},
	{"smt-siblings", check_siblings, no_siblings, false},
	{"one-per-core", check_one_per_core, never, false},
	{"one-per-l3", check_one_per_l3, no_l3, false},
	{"kind-0", check_kind, not_hybrid, true},
};

#define NR_PROMISES ((int)(sizeof(promises) / sizeof(promises[0])))

static void check_promise(const struct topo *t, int i)
{
	struct placed p = {t, NULL, 0, CPULIST_INIT};
	struct err err = ERR_INIT;
	int all, n, k, wanted[5];

	p.cpus = topo_cpus(t, &p.nr_cpus);
	if (promises[i].missing(t)) {
		assert_refused(topo_place(t, promises[i].spec, 0, &p.list, &err), -EOPNOTSUPP,
			       promises[i].spec, &err);
		assert_int_equal(p.list.nr, 0);
		return;
	}
	assert_ok(topo_place(t, promises[i].spec, 0, &p.list, &err), &err);
	all = p.list.nr;
	assert_true(all >= 1);
	wanted[0] = 1;
	wanted[1] = 2;
	wanted[2] = 3;
	wanted[3] = all / 2;
	wanted[4] = all;
	for (k = 0; k < 5; k++) {
		n = wanted[k];
		if (n < 1 || n > all)
			continue;
		assert_ok(topo_place(t, promises[i].spec, n, &p.list, &err), &err);
		assert_int_equal(p.list.nr, n);
		check_distinct(&p);
		promises[i].check(&p);
		if (!promises[i].all_kinds)
			check_fastest(&p);
	}
	assert_refused(topo_place(t, promises[i].spec, all + 1, &p.list, &err), -EOPNOTSUPP,
		       promises[i].spec, &err);
	assert_int_equal(p.list.nr, all);
	cpulist_free(&p.list);
}

static void check_promises(const struct topo *t)
{
	int i;

	for (i = 0; i < NR_PROMISES; i++)
		check_promise(t, i);
}

static void every_placement_on_every_machine(void **state)
{
	int nr = each_machine(check_promises), nr_names;

	print_message("%d machines\n", nr);
	topo_placements(&nr_names);
	assert_int_equal(nr_names, NR_PROMISES); /* a new placement needs its promise here */
}

static void expect_list(const struct topo *t, const char *spec, int nr, const char *list)
{
	struct cpulist cpus = CPULIST_INIT;
	struct err err = ERR_INIT;
	char text[256];

	assert_ok(topo_place(t, spec, nr, &cpus, &err), &err);
	assert_string_equal(cpulist_format(&cpus, text, sizeof(text)), list);
	cpulist_free(&cpus);
}

static void orders(void **state)
{
	struct topo *t = load(SMT2_2S); /* 2 x 4 cores, siblings at +8 */

	expect_list(t, "cores-first", 0, "0-15");
	expect_list(t, "compact", 6, "0,8,1,9,2,10");
	expect_list(t, "scatter", 10, "0,4,1,5,2,6,3,7-8,12");
	expect_list(t, "one-socket", 0, "0-3,8-11");
	expect_list(t, "cross-socket", 4, "0,4,1,5");
	expect_list(t, "one-l3", 3, "0-2");
	expect_list(t, "smt-siblings", 4, "0,8,1,9");
	expect_list(t, "7,3-4", 0, "7,3-4");
	expect_list(t, "0-14:2", 3, "0,2,4");
	topo_free(t);
	t = load(MANY_L3_2S); /* scatter: sockets, then nodes, then L3s */
	expect_list(t, "scatter", 9, "0,32,16,48,8,40,24,56,2");
	topo_free(t);
	t = load(OWN_XML("hybrid-12t"));
	expect_list(t, "cores-first", 0, "0,2,4,6,1,3,5,7");
	expect_list(t, "compact", 0, "0-8,10,12,14");
	expect_list(t, "kind-0", 0, "8,10,12,14");
	expect_list(t, "kind-1", 5, "0,2,4,6,1");
	topo_free(t);
}

static void refusals(void **state)
{
	struct topo *t = load(OWN_XML("restricted-32t")), *offline = load(OWN_XML("offline-16t"));
	struct cpulist cpus = CPULIST_INIT;
	struct err err = ERR_INIT;

	assert_refused(topo_place(t, "0,4", 0, &cpus, &err), -EINVAL,
		       "CPU 4 is not allowed for this process", &err);
	assert_refused(topo_place(offline, "0,9", 0, &cpus, &err), -EINVAL, "CPU 9 is offline",
		       &err);
	assert_refused(topo_place(t, "0,99", 0, &cpus, &err), -EINVAL, "CPU 99 does not exist",
		       &err);
	assert_refused(topo_place(t, "0-2,2", 0, &cpus, &err), -EINVAL, "twice", &err);
	assert_refused(topo_place(t, "0-2", 4, &cpus, &err), -EOPNOTSUPP, "3 CPUs here, 4", &err);
	assert_refused(topo_place(t, "cores_first", 0, &cpus, &err), -EINVAL,
		       "nearest is 'cores-first'", &err);
	assert_refused(topo_place(t, "cores-firs", 0, &cpus, &err), -EINVAL, "nearest", &err);
	assert_refused(topo_place(t, "", 0, &cpus, &err), -EINVAL, "placement", &err);
	assert_refused(topo_place(t, "kind-", 0, &cpus, &err), -EINVAL, "placement", &err);
	assert_refused(topo_place(t, "kind-x", 0, &cpus, &err), -EINVAL, "placement", &err);
	assert_refused(topo_place(t, "compact", -1, &cpus, &err), -EINVAL, "-1 workers", &err);
	assert_refused(topo_place(t, "compact", 9, &cpus, &err), -EOPNOTSUPP, "has 8 CPUs", &err);
	assert_refused(topo_place(offline, "smt-siblings", 0, &cpus, &err), -EOPNOTSUPP,
		       "second threads are offline", &err);
	assert_int_equal(cpus.nr, 0);
	topo_free(t);
	topo_free(offline);
	t = load(OWN_XML("hybrid-12t"));
	assert_refused(topo_place(t, "kind-2", 0, &cpus, &err), -EINVAL, "0..1", &err);
	assert_refused(topo_place(t, "cores-first", 9, &cpus, &err), -EOPNOTSUPP, "fastest kind",
		       &err);
	topo_free(t);
}

/* ---------------------------------------------------------------------- home */

static int home(const struct topo *t, const char *spec, int cpu, char *note)
{
	struct cpulist cpus = CPULIST_INIT;
	struct err err = ERR_INIT;
	int node = -2;

	assert_int_equal(cpulist_add(&cpus, cpu), 0);
	assert_ok(topo_home(t, spec, &cpus, &node, note, 200, &err), &err);
	cpulist_free(&cpus);
	return node;
}

static void homes(void **state)
{
	struct topo *t = load(OWN_XML("slow-memory-16t"));
	struct cpulist none = CPULIST_INIT, one = CPULIST_INIT;
	struct err err = ERR_INIT;
	char note[200];
	int node;

	assert_int_equal(home(t, "local", 0, note), 0);
	assert_string_equal(note, "");
	assert_int_equal(home(t, "local", 5, note), 2);
	assert_int_equal(home(t, "farthest", 0, note), 2); /* node 3 is farther: not general */
	assert_string_equal(note, "");
	assert_int_equal(home(t, "node-3", 0, note), 3); /* on request */
	assert_int_equal(home(t, "interleave", 0, note), -1);
	assert_int_equal(cpulist_add(&one, 0), 0);
	assert_refused(topo_home(t, "node-7", &one, &node, NULL, 0, &err), -EINVAL,
		       "node 7 does not exist", &err);
	assert_refused(topo_home(t, "node-", &one, &node, NULL, 0, &err), -EINVAL, "node", &err);
	assert_refused(topo_home(t, "locl", &one, &node, NULL, 0, &err), -EINVAL,
		       "nearest is 'local'", &err);
	assert_refused(topo_home(t, "local", &none, &node, NULL, 0, &err), -EINVAL, "CPU", &err);
	topo_free(t);
	t = load(OWN_XML("restricted-32t"));
	assert_refused(topo_home(t, "node-1", &one, &node, NULL, 0, &err), -EINVAL,
		       "node 1 is not allowed", &err);
	topo_free(t);
	t = load(OWN_XML("no-local-8t"));
	assert_int_equal(home(t, "local", 0, note), 0);
	assert_string_equal(note, "");
	assert_int_equal(home(t, "local", 6, note), 0);
	assert_non_null(strstr(note, "CPU 6 has no local memory: node 0"));
	assert_int_equal(home(t, "farthest", 6, note), 0);
	assert_true(*note);
	topo_free(t);
	t = load(NO_L3); /* no distances: another package is far */
	assert_int_equal(home(t, "farthest", 0, note), 1);
	assert_non_null(strstr(note, "no distances"));
	topo_free(t);
	cpulist_free(&one);
}

/* local and farthest are always nodes that have or may have memory */
static void check_homes(const struct topo *t)
{
	static const char *const specs[] = {"local", "farthest"};
	int nr, nr_nodes, i, k, n;
	const struct topo_cpu *c = topo_cpus(t, &nr);
	const struct topo_node *nodes = topo_nodes(t, &nr_nodes);
	char note[200];

	for (i = 0; i < nr; i += 1 + nr / 50) {
		for (k = 0; k < 2; k++) {
			n = topo_node_index(t, home(t, specs[k], c[i].os, note));
			assert_true(n >= 0);
			assert_true(nodes[n].memory || !nodes[n].memory_known);
			assert_true(nodes[n].default_target);
		}
		if (c[i].node >= 0)
			assert_int_equal(home(t, "local", c[i].os, note), nodes[c[i].node].os);
		else
			assert_true(home(t, "local", c[i].os, note) >= 0 && *note);
	}
}

static void every_home_on_every_machine(void **state)
{
	each_machine(check_homes);
}

int main(void)
{
	const struct CMUnitTest place[] = {
		cmocka_unit_test(every_placement_on_every_machine),
		cmocka_unit_test(orders),
		cmocka_unit_test(refusals),
		cmocka_unit_test(homes),
		cmocka_unit_test(every_home_on_every_machine),
	};

	return run_tests(place);
}
