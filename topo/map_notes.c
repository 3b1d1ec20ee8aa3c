/* SPDX-License-Identifier: MIT */
#include "map_rows.h"

#include <stdlib.h>

static const char *cache_text(char *buf, size_t size, uint64_t bytes)
{
	return bytes ? text_bytes(buf, size, (double)bytes) : "unknown";
}

void map_kinds(const struct topo *topo, FILE *to)
{
	int nr, nr_cpus, k, i;
	const struct topo_kind *kinds = topo_kinds(topo, &nr);
	const struct topo_cpu *cpus = topo_cpus(topo, &nr_cpus);
	char label[32], l1[32], l2[32], mhz[32], *text;
	struct map_group g = {0};

	for (k = 0; nr > 1 && k < nr; k++) {
		for (i = 0; i < nr_cpus; i++)
			if (cpus[i].kind == k)
				map_group_add(&g, &cpus[i]);
		text = map_group_text(&g, "");
		snprintf(label, sizeof(label), "kind %d", k);
		snprintf(mhz, sizeof(mhz), kinds[k].max_mhz ? ", up to %d MHz" : "%.0d",
			 kinds[k].max_mhz);
		map_row(to, label, "%s, L1d %s, L2 %s%s%s", text ? text : "?",
			cache_text(l1, sizeof(l1), kinds[k].l1d_bytes),
			cache_text(l2, sizeof(l2), kinds[k].l2_bytes), mhz,
			k == nr - 1 ? "; the fastest" : "");
		free(text);
		map_group_reset(&g);
	}
}

void map_hidden(const struct topo_info *f, FILE *to)
{
	char *text;

	if (f->pus_offline) {
		text = cpulist_text_sorted(&f->offline);
		map_row(to, "offline", "%d CPU%s: %s", f->pus_offline, map_plural(f->pus_offline),
			text ? text : "?");
		free(text);
	}
	if (f->pus_disallowed) {
		text = cpulist_text_sorted(&f->disallowed);
		map_row(to, "not allowed", "%d CPU%s: %s", f->pus_disallowed,
			map_plural(f->pus_disallowed), text ? text : "?");
		free(text);
	}
	if (f->nodes_disallowed) {
		text = cpulist_text_sorted(&f->disallowed_nodes);
		map_row(to, f->pus_disallowed ? "" : "not allowed", "%d node%s: %s",
			f->nodes_disallowed, map_plural(f->nodes_disallowed), text ? text : "?");
		free(text);
	}
}

static bool node_spans_sockets(const struct topo *topo)
{
	int nr, i, j;
	const struct topo_node *n = topo_nodes(topo, &nr);

	for (i = 0; i < nr; i++)
		for (j = 1; j < n[i].nr_cpus; j++)
			if (topo_cpu_by_os(topo, n[i].cpus.cpu[j])->socket !=
			    topo_cpu_by_os(topo, n[i].cpus.cpu[0])->socket)
				return true;
	return false;
}

/* nodes without CPUs, nodes whose memory nobody knows: what a reader would miss above */
void map_odd_nodes(const struct topo *topo, FILE *to)
{
	int nr, i, nr_cpus;
	const struct topo_node *n = topo_nodes(topo, &nr);
	const struct topo_cpu *cpus = topo_cpus(topo, &nr_cpus);
	char label[32], memory[32];
	int far = 0;

	for (i = 0; i < nr; i++) {
		if (n[i].nr_cpus)
			continue;
		snprintf(label, sizeof(label), "node %d", n[i].os);
		map_row(to, label, "%s%s%s, no CPUs: memory on request only",
			map_memory_text(&n[i], memory, sizeof(memory)), n[i].subtype ? " " : "",
			n[i].subtype ? n[i].subtype : "");
	}
	for (i = 0; i < nr_cpus; i++)
		far += cpus[i].node < 0;
	if (far)
		map_row(to, "note",
			"%d CPU%s without local memory: memory comes from the nearest node", far,
			far == 1 ? " is" : "s are");
	if (node_spans_sockets(topo))
		map_row(to, "note",
			"a node spans several packages: the firmware hides where memory is");
	if (topo_info(topo)->nodes_assumed)
		map_row(to, "note", "this kernel shows no NUMA nodes: one is assumed");
	if (!topo_info(topo)->l3_caches)
		map_row(to, "note", "no L3 cache is shown: groups are nodes and packages");
}

/* one distance between any two nodes needs no matrix; 0: there are several */
static int only_remote_distance(const struct topo *topo, int nr)
{
	int i, j, d, seen = 0;

	for (i = 0; i < nr; i++)
		for (j = 0; j < nr; j++) {
			d = topo_distance(topo, i, j);
			if (i == j ? d != topo_distance(topo, 0, 0) : seen && d != seen)
				return 0;
			seen = i == j ? seen : d;
		}
	return seen;
}

#define MAX_COLUMNS 20

static int by_os(const void *a, const void *b)
{
	return (*(const struct topo_node *const *)a)->os -
	       (*(const struct topo_node *const *)b)->os;
}

static void distance_matrix(const struct topo *topo, const struct topo_node **sorted, int nr,
			    FILE *to)
{
	int i, j, shown = nr < MAX_COLUMNS ? nr : MAX_COLUMNS;
	const struct topo_node *first = topo_nodes(topo, &i);

	fprintf(to, "%-*s", INDENT, "distances");
	for (j = 0; j < shown; j++)
		fprintf(to, " %3d", sorted[j]->os);
	for (i = 0; i < nr; i++) {
		fprintf(to, "\n%*d ", INDENT - 1, sorted[i]->os);
		for (j = 0; j < shown; j++)
			fprintf(to, " %3d",
				topo_distance(topo, (int)(sorted[i] - first),
					      (int)(sorted[j] - first)));
	}
	fprintf(to, "\n");
	if (shown < nr)
		map_row(to, "", "the other %d columns: --json", nr - shown);
}

void map_distances(const struct topo *topo, FILE *to)
{
	int nr, i, remote;
	const struct topo_node *n = topo_nodes(topo, &nr), **sorted;

	if (!topo_info(topo)->distances_known) {
		map_row(to, "distances", "not stated by this machine");
		return;
	}
	remote = only_remote_distance(topo, nr);
	if (nr == 1) {
		map_row(to, "distances", "%d local", topo_distance(topo, 0, 0));
	} else if (remote) {
		map_row(to, "distances", "%d local, %d between any two nodes",
			topo_distance(topo, 0, 0), remote);
	} else {
		sorted = calloc(nr > 0 ? nr : 1, sizeof(*sorted));
		for (i = 0; sorted && i < nr; i++)
			sorted[i] = &n[i];
		if (sorted) {
			qsort(sorted, nr, sizeof(*sorted), by_os);
			distance_matrix(topo, sorted, nr, to);
		}
		free(sorted);
	}
}
