/* SPDX-License-Identifier: MIT */
#include "topo_private.h"

#include <stdlib.h>
#include <string.h>

/* general memory first; hwloc before 2.10 often says nothing */
static int subtype_rank(const char *subtype)
{
	static const struct {
		const char *name;
		int rank;
	} ranks[] = {{"DRAM", 0},     {"HBM", 2},     {"MCDRAM", 2}, {"SPM", 3},
		     {"CXL-DRAM", 4}, {"CXL-NVM", 5}, {"NVM", 5},    {"GPUMemory", 6}};
	size_t i;

	if (!subtype)
		return 1;
	for (i = 0; i < sizeof(ranks) / sizeof(ranks[0]); i++)
		if (!strcmp(subtype, ranks[i].name))
			return ranks[i].rank;
	return 1;
}

/* memory beside the CPUs is near to all; memory of another kind is an extra hop from everywhere */
static long distance_sum(const struct topo *t, int node)
{
	long sum = 0;
	int i;

	for (i = 0; t->distance && i < t->nr_nodes; i++)
		sum += topo_distance(t, i, node);
	return sum;
}

/*
 * Which of several local nodes is the general one, in this order: has memory, subtype, distance
 * from everyone, latency that the firmware states, lowest kernel number (Linux numbers the nodes
 * that have CPUs first). Size decides nothing else: the biggest may be the slowest (persistent
 * memory), the smallest the fastest (HBM).
 */
static bool more_general(const struct topo *t, int a, int b)
{
	const struct topo_node *na = &t->nodes[a], *nb = &t->nodes[b];
	int ra = subtype_rank(na->subtype), rb = subtype_rank(nb->subtype);
	long da, db;

	if (!na->memory != !nb->memory)
		return na->memory;
	if (ra != rb)
		return ra < rb;
	da = distance_sum(t, a);
	db = distance_sum(t, b);
	if (da != db)
		return da < db;
	if (t->latency[a] && t->latency[b] && t->latency[a] != t->latency[b])
		return t->latency[a] < t->latency[b];
	return na->os < nb->os;
}

static void choose_local_nodes(struct topo *t)
{
	const struct cpulist *local;
	int c, i;

	for (c = 0; c < t->nr_cpus; c++) {
		local = &t->raw[c].local_nodes;
		/* neighbours have the same list: distances are summed once per node, not per CPU */
		if (c && local->nr == t->raw[c - 1].local_nodes.nr && local->nr &&
		    !memcmp(local->cpu, t->raw[c - 1].local_nodes.cpu, sizeof(int) * local->nr)) {
			t->cpus[c].node = t->cpus[c - 1].node;
			continue;
		}
		for (i = 0; i < local->nr; i++)
			if (!i || more_general(t, local->cpu[i], t->cpus[c].node))
				t->cpus[c].node = local->cpu[i];
		if (t->cpus[c].node >= 0)
			t->nodes[t->cpus[c].node].default_target = true;
	}
}

static bool has_memory(const struct topo_node *node)
{
	return node->memory || !node->memory_known;
}

int topo_nearest_node(const struct topo *t, int from, bool general)
{
	int i, d, best = -1, best_distance = 0;

	for (i = 0; i < t->nr_nodes; i++) {
		if (!has_memory(&t->nodes[i]) || (general && !t->nodes[i].default_target))
			continue;
		if (i == from)
			return i;
		d = from >= 0 ? topo_distance(t, from, i) : 0;
		if (best < 0 || d < best_distance) {
			best = i;
			best_distance = d;
		}
	}
	return best < 0 && general ? topo_nearest_node(t, from, false) : best;
}

/* a CPU without local memory: what the kernel says, else a node of its package, else any */
static int far_node(const struct topo *t, int c)
{
	int i, n = -1;

	if (t->info.is_this_system)
		n = system_near_node("/sys/devices/system", t->cpus[c].os, t);
	for (i = 0; n < 0 && t->cpus[c].package >= 0 && i < t->nr_cpus; i++)
		if (t->cpus[i].package == t->cpus[c].package && t->cpus[i].node >= 0 &&
		    has_memory(&t->nodes[t->cpus[i].node]))
			n = t->cpus[i].node;
	return n >= 0 ? n : topo_nearest_node(t, -1, true);
}

static void choose_near_nodes(struct topo *t)
{
	int c;

	for (c = 0; c < t->nr_cpus; c++) {
		if (t->cpus[c].node >= 0)
			t->cpus[c].node_near = topo_nearest_node(t, t->cpus[c].node, true);
		else if (c && t->cpus[c - 1].node < 0 &&
			 t->cpus[c - 1].package == t->cpus[c].package && !t->info.is_this_system)
			t->cpus[c].node_near = t->cpus[c - 1].node_near;
		else
			t->cpus[c].node_near = far_node(t, c);
	}
}

/* packages of one core each inside nodes that hold more: nobody's sockets */
static bool packages_are_cpus(const struct topo *t)
{
	int c;

	if (t->info.packages <= t->info.numa_nodes)
		return false;
	for (c = 1; c < t->nr_cpus; c++)
		if (t->cpus[c].package == t->cpus[c - 1].package &&
		    t->cpus[c].core != t->cpus[c - 1].core)
			return false;
	return true;
}

/* numbers 0.. for the different values of @key, in order of appearance; returns how many */
static int number_groups(struct topo *t, int (*key)(const struct topo_cpu *), int *out)
{
	int c, i, nr = 0;

	for (c = 0; c < t->nr_cpus; c++) {
		/* equal keys are nearly always neighbours in the tree */
		for (i = c - 1; i >= 0 && key(&t->cpus[i]) != key(&t->cpus[c]); i--)
			;
		out[c] = i >= 0 ? out[i] : nr++;
	}
	return nr;
}

static int package_key(const struct topo_cpu *cpu)
{
	return cpu->package;
}

static int node_key(const struct topo_cpu *cpu)
{
	return cpu->node_near;
}

static void number_threads(struct topo *t)
{
	int c, i;

	for (c = 0; c < t->nr_cpus; c++) {
		t->cpus[c].smt = 0;
		for (i = c - 1; i >= 0 && t->cpus[i].core == t->cpus[c].core; i--)
			t->cpus[c].smt++;
	}
}

/* of cache @which (0: L3, 1: L2): is it narrower than the socket, and inside one node? */
static int cache_of(const struct topo_cpu *cpu, int which)
{
	return which ? cpu->l2 : cpu->l3;
}

struct span {
	int first, nr, cores, last_core;
	bool one_node;
};

static int mark_clusters(struct topo *t, int which, int nr_caches, const int *socket_cpus)
{
	struct span *span = calloc(nr_caches + 1, sizeof(*span)), *s;
	int c, k, base = t->info.clusters;

	if (!span)
		return -ENOMEM;
	for (c = 0; c < t->nr_cpus; c++) {
		k = cache_of(&t->cpus[c], which);
		if (k < 0 || k >= nr_caches)
			continue;
		s = &span[k];
		if (!s->nr++) {
			s->first = c;
			s->one_node = true;
			s->last_core = -1;
		}
		s->cores += t->cpus[c].core != s->last_core;
		s->last_core = t->cpus[c].core;
		s->one_node &= t->cpus[c].node == t->cpus[s->first].node &&
			       t->cpus[c].socket == t->cpus[s->first].socket;
	}
	for (c = 0; c < t->nr_cpus; c++) {
		k = cache_of(&t->cpus[c], which);
		if (k < 0 || k >= nr_caches || t->cpus[c].cluster >= 0)
			continue;
		s = &span[k];
		if (!s->one_node || s->nr >= socket_cpus[t->cpus[c].socket] ||
		    (which && s->cores < 2))
			continue;
		if (c == s->first)
			s->last_core = t->info.clusters++;
		t->cpus[c].cluster = s->last_core;
	}
	free(span);
	return t->info.clusters - base;
}

static int find_clusters(struct topo *t)
{
	int *socket_cpus = calloc(t->info.sockets + 1, sizeof(int));
	int c, nr_l2 = 0, rc;

	if (!socket_cpus)
		return -ENOMEM;
	for (c = 0; c < t->nr_cpus; c++) {
		t->cpus[c].cluster = -1;
		socket_cpus[t->cpus[c].socket]++;
		if (t->cpus[c].l2 >= nr_l2)
			nr_l2 = t->cpus[c].l2 + 1;
	}
	rc = mark_clusters(t, 0, t->info.l3_caches, socket_cpus);
	if (rc >= 0)
		rc = mark_clusters(t, 1, nr_l2, socket_cpus);
	free(socket_cpus);
	return rc < 0 ? rc : 0;
}

static int find_sockets(struct topo *t)
{
	int (*key)(const struct topo_cpu *) = package_key;
	int *number = malloc(sizeof(int) * (t->nr_cpus + 1)), c;

	if (!number)
		return -ENOMEM;
	if (!t->info.packages || packages_are_cpus(t))
		key = node_key;
	t->info.sockets = number_groups(t, key, number);
	for (c = 0; c < t->nr_cpus; c++)
		t->cpus[c].socket = number[c];
	free(number);
	return 0;
}

int topo_relate(struct topo *t)
{
	int rc;

	choose_local_nodes(t);
	choose_near_nodes(t);
	number_threads(t);
	rc = find_sockets(t);
	if (!rc)
		rc = find_clusters(t);
	if (!rc)
		rc = topo_find_kinds(t);
	return rc;
}
