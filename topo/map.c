/* SPDX-License-Identifier: MIT */
#include "topo_map.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "map_rows.h"

static void map_threads(const struct topo *topo, FILE *to)
{
	const struct topo_info *f = topo_info(topo);
	int nr, i;
	const struct topo_cpu *cpus = topo_cpus(topo, &nr);
	struct map_group core = {0};
	char *text;

	if (!f->cores) {
		map_row(to, "threads",
			"unknown: the machine shows no cores, each CPU counts as one");
		return;
	}
	for (i = 0; i < nr; i++)
		if (cpus[i].core == cpus[0].core)
			map_group_add(&core, &cpus[i]);
	text = cpulist_text_sorted(&core.cpus);
	if (f->smt_min != f->smt_max)
		map_row(to, "threads", "%d to %d per core; the first core is CPUs %s", f->smt_min,
			f->smt_max, text ? text : "?");
	else
		map_row(to, "threads", "%d per core%s%s%s", f->smt_max,
			f->smt_max > 1 ? "; the first core is CPUs " : "",
			f->smt_max > 1 && text ? text : "",
			f->smt_off ? "; second threads are offline" : "");
	free(text);
	map_group_reset(&core);
}

static void map_name(const struct topo *topo, FILE *to)
{
	const struct topo_info *f = topo_info(topo);

	map_row(to, "class", "%s", f->class_name);
	map_row(to, "processor", "%s%s%s, %s%s%s%s", *f->model ? f->model : "model unknown",
		*f->arch ? ", " : "", f->arch, f->uarch,
		*f->hypervisor ? ", virtual machine (" : "", f->hypervisor,
		*f->hypervisor ? ")" : "");
	if (!f->is_this_system)
		map_row(to, "source", "%s: not this system, nothing is measured on it", f->input);
}

static void map_size(const struct topo *topo, FILE *to)
{
	const struct topo_info *f = topo_info(topo);
	char l1[32] = "unknown", l2[32] = "unknown", l3[32] = "none shown", dies[32] = "";

	if (f->dies)
		snprintf(dies, sizeof(dies), "%d die%s, ", f->dies, map_plural(f->dies));
	map_row(to, "size", "%d package%s, %s%d node%s, %d L3 cache%s, %d core%s, %d CPU%s",
		f->packages, map_plural(f->packages), dies, f->numa_nodes,
		map_plural(f->numa_nodes), f->l3_caches, map_plural(f->l3_caches), f->cores,
		map_plural(f->cores), f->pus, map_plural(f->pus));
	map_threads(topo, to);
	if (f->l1d_bytes)
		text_bytes(l1, sizeof(l1), (double)f->l1d_bytes);
	if (f->l2_bytes)
		text_bytes(l2, sizeof(l2), (double)f->l2_bytes);
	if (f->l3_bytes)
		text_bytes(l3, sizeof(l3), (double)f->l3_bytes);
	else if (f->l3_caches)
		snprintf(l3, sizeof(l3), "unknown");
	map_row(to, "caches", "L1d %s, L2 %s, L3 %s", l1, l2, l3);
}

/* is the cluster of @cpu an L2? then some CPU has the same L3 and another cluster */
static bool cluster_is_l2(const struct topo_cpu *cpus, int nr, const struct topo_cpu *cpu)
{
	int i;

	if (cpu->l3 < 0)
		return true;
	for (i = 0; i < nr; i++)
		if (cpus[i].l3 == cpu->l3 && cpus[i].cluster != cpu->cluster)
			return true;
	return false;
}

/* one cluster that is the whole node needs no row: its name, else NULL */
static const char *only_cluster(const struct topo *topo, const struct map_group *g)
{
	int nr, i;
	const struct topo_cpu *cpus = topo_cpus(topo, &nr);
	const struct topo_cpu *first = topo_cpu_by_os(topo, g->cpus.cpu[0]);

	for (i = 0; i < g->cpus.nr; i++)
		if (topo_cpu_by_os(topo, g->cpus.cpu[i])->cluster != first->cluster)
			return NULL;
	if (first->cluster < 0)
		return "";
	return cluster_is_l2(cpus, nr, first) ? " in one L2" : " in one L3";
}

/* the clusters of one node in one socket, as one row */
static void map_clusters(const struct topo *topo, int socket, int node, FILE *to)
{
	int nr, i, last = -1, nr_clusters = 0, min = 0, max = 0;
	const struct topo_cpu *cpus = topo_cpus(topo, &nr), *first = NULL;
	struct map_group g = {0};
	char *text = NULL, *list, label[32];
	size_t size;
	FILE *lists = open_memstream(&text, &size);

	if (!lists)
		return;
	for (i = 0; i <= nr; i++) {
		if (i < nr &&
		    (cpus[i].socket != socket || cpus[i].node != node || cpus[i].cluster < 0))
			continue;
		if (g.cpus.nr && (i == nr || cpus[i].cluster != last)) {
			list = cpulist_text_sorted(&g.cpus);
			fprintf(lists, "%s%s", nr_clusters++ ? "; " : "", list ? list : "?");
			free(list);
			min = nr_clusters == 1 || g.cores < min ? g.cores : min;
			max = g.cores > max ? g.cores : max;
			map_group_reset(&g);
		}
		if (i == nr)
			break;
		first = first ? first : &cpus[i];
		last = cpus[i].cluster;
		map_group_add(&g, &cpus[i]);
	}
	if (!fclose(lists) && nr_clusters) {
		snprintf(label, sizeof(label), "    %s x%d",
			 cluster_is_l2(cpus, nr, first) ? "L2" : "L3", nr_clusters);
		if (min == max)
			map_row(to, label, "%d core%s each: %s", min, map_plural(min), text);
		else
			map_row(to, label, "%d to %d cores each: %s", min, max, text);
	}
	free(text);
}

/* memory of another kind beside a node: ", also node 4 124 GiB NVM" */
static char *other_memory(const struct topo *topo, int node)
{
	int nr, i;
	const struct topo_node *nodes = topo_nodes(topo, &nr);
	char *text = NULL, buf[32];
	size_t size;
	FILE *f = open_memstream(&text, &size);

	for (i = 0; f && i < nr; i++)
		if (i != node && !nodes[i].default_target && nodes[i].nr_cpus &&
		    cpulist_has(&nodes[node].cpus, nodes[i].cpus.cpu[0]))
			fprintf(f, ", also node %d %s%s%s", nodes[i].os,
				map_memory_text(&nodes[i], buf, sizeof(buf)),
				nodes[i].subtype ? " " : "",
				nodes[i].subtype ? nodes[i].subtype : "");
	if (f)
		fclose(f);
	return text;
}

static void node_row(const struct topo *topo, const char *label, int node, const char *prefix,
		     const char *cpus, FILE *to)
{
	int nr;
	const struct topo_node *nodes = topo_nodes(topo, &nr);
	char memory[32], *also;

	if (node < 0) {
		map_row(to, label, "%sno local memory, %s", prefix, cpus);
		return;
	}
	also = other_memory(topo, node);
	map_row(to, label, "%s%s%s%s%s, %s", prefix,
		map_memory_text(&nodes[node], memory, sizeof(memory)),
		nodes[node].subtype ? " " : "", nodes[node].subtype ? nodes[node].subtype : "",
		also ? also : "", cpus);
	free(also);
}

/* the CPUs of a socket in node @node; -2: in any */
static void gather(const struct topo *topo, int socket, int node, struct map_group *g)
{
	int nr, i;
	const struct topo_cpu *cpus = topo_cpus(topo, &nr);

	map_group_reset(g);
	for (i = 0; i < nr; i++)
		if (cpus[i].socket == socket && (node == -2 || cpus[i].node == node))
			map_group_add(g, &cpus[i]);
}

/* is the socket exactly one node's CPUs? */
static bool is_one_node(const struct topo *topo, const struct map_group *all)
{
	int nr, i, node = topo_cpu_by_os(topo, all->cpus.cpu[0])->node;
	const struct topo_node *nodes = topo_nodes(topo, &nr);

	for (i = 0; i < all->cpus.nr; i++)
		if (topo_cpu_by_os(topo, all->cpus.cpu[i])->node != node)
			return false;
	return node >= 0 && nodes[node].nr_cpus == all->cpus.nr;
}

/* a socket is a package, unless it has several or none: then it is a node's CPUs */
static void socket_label(const struct topo *topo, const struct map_group *all, int socket,
			 char *buf, size_t size)
{
	const struct topo_cpu *first = topo_cpu_by_os(topo, all->cpus.cpu[0]);
	bool package = first->package >= 0;
	int i;

	for (i = 0; i < all->cpus.nr; i++)
		package &= topo_cpu_by_os(topo, all->cpus.cpu[i])->package == first->package;
	if (package)
		snprintf(buf, size, "package %d",
			 first->package_os >= 0 ? first->package_os : first->package);
	else
		snprintf(buf, size, "socket %d", socket);
}

static void map_node(const struct topo *topo, int socket, int node, const char *label,
		     const char *prefix, FILE *to)
{
	struct map_group g = {0};
	const char *cluster;
	char *text;

	gather(topo, socket, node, &g);
	if (g.cpus.nr) {
		cluster = only_cluster(topo, &g);
		text = map_group_text(&g, cluster ? cluster : "");
		node_row(topo, label, node, prefix, text ? text : "?", to);
		free(text);
		if (!cluster)
			map_clusters(topo, socket, node, to);
	}
	map_group_reset(&g);
}

static void map_socket(const struct topo *topo, int socket, FILE *to)
{
	int nr, node;
	const struct topo_node *nodes = topo_nodes(topo, &nr);
	struct map_group all = {0};
	char label[32], prefix[32], *text;

	gather(topo, socket, -2, &all);
	socket_label(topo, &all, socket, label, sizeof(label));
	node = topo_cpu_by_os(topo, all.cpus.cpu[0])->node;
	if (is_one_node(topo, &all)) {
		snprintf(prefix, sizeof(prefix), "node %d, ", nodes[node].os);
		map_node(topo, socket, node, label, prefix, to);
	} else {
		text = map_group_text(&all, "");
		map_row(to, label, "%s", text ? text : "?");
		free(text);
		for (node = 0; node < nr; node++) {
			snprintf(label, sizeof(label), "  node %d", nodes[node].os);
			map_node(topo, socket, node, label, "", to);
		}
		map_node(topo, socket, -1, "  no node", "", to);
	}
	map_group_reset(&all);
}

static void map_sockets(const struct topo *topo, FILE *to)
{
	int nr, i, next = 0;
	const struct topo_cpu *cpus = topo_cpus(topo, &nr);

	/* numbered in the order in which they appear */
	for (i = 0; i < nr; i++)
		if (cpus[i].socket == next)
			map_socket(topo, next++, to);
}

int topo_map_body(const struct topo *topo, FILE *to)
{
	map_size(topo, to);
	map_hidden(topo_info(topo), to);
	fprintf(to, "\n");
	map_sockets(topo, to);
	map_kinds(topo, to);
	map_odd_nodes(topo, to);
	map_distances(topo, to);
	return ferror(to) ? -EIO : 0;
}

int topo_map(const struct topo *topo, FILE *to)
{
	map_name(topo, to);
	return topo_map_body(topo, to);
}
