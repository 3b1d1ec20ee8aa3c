/* SPDX-License-Identifier: MIT */
#include "topo_private.h"

#include <stdlib.h>
#include <string.h>

static void ask_this_system(struct topo *t)
{
	system_cpu_id(&t->id, t->info.model, sizeof(t->info.model));
	system_hypervisor(t->info.hypervisor, sizeof(t->info.hypervisor));
	t->info.smt_off |= system_smt_off();
	t->info.nodes_assumed = system_nodes_missing();
}

int topo_load(struct topo **out, const char *input, struct err *err)
{
	struct topo *t = calloc(1, sizeof(*t));
	int rc;

	if (!t)
		return err_set(err, -ENOMEM, "out of memory for the topology");
	/* what hwloc would load behind our back is judged like any other input */
	if (!input)
		input = getenv("HWLOC_SYNTHETIC");
	if (!input)
		input = getenv("HWLOC_XMLFILE");
	t->input = strdup(input ? input : "");
	t->info.input = t->input;
	rc = t->input ? topo_read(t, input, err)
		      : err_set(err, -ENOMEM, "out of memory for the topology");
	if (!rc && t->info.is_this_system)
		ask_this_system(t);
	if (!rc && (topo_relate(t) || topo_classify(t)))
		rc = err_set(err, -ENOMEM, "out of memory for the topology");
	if (rc)
		topo_free(t);
	else
		*out = t;
	return rc;
}

void topo_free(struct topo *t)
{
	int i;

	if (!t)
		return;
	for (i = 0; t->raw && i < t->nr_cpus; i++)
		cpulist_free(&t->raw[i].local_nodes);
	for (i = 0; t->nodes && i < t->nr_nodes; i++) {
		free((char *)t->nodes[i].subtype);
		cpulist_free(&t->nodes[i].cpus);
	}
	cpulist_free(&t->info.disallowed);
	cpulist_free(&t->info.offline);
	cpulist_free(&t->info.disallowed_nodes);
	free(t->cpus);
	free(t->raw);
	free(t->nodes);
	free(t->latency);
	free(t->distance);
	free(t->kinds);
	free(t->raw_kinds);
	free(t->state);
	free(t->by_os);
	free(t->input);
	free(t);
}

const struct topo_info *topo_info(const struct topo *topo)
{
	return &topo->info;
}

const struct topo_cpu *topo_cpus(const struct topo *topo, int *nr)
{
	*nr = topo->nr_cpus;
	return topo->cpus;
}

const struct topo_node *topo_nodes(const struct topo *topo, int *nr)
{
	*nr = topo->nr_nodes;
	return topo->nodes;
}

const struct topo_kind *topo_kinds(const struct topo *topo, int *nr)
{
	*nr = topo->nr_kinds;
	return topo->kinds;
}

const struct topo_cpu *topo_cpu_by_os(const struct topo *topo, int os)
{
	if (os < 0 || os >= topo->nr_os || topo->by_os[os] < 0)
		return NULL;
	return &topo->cpus[topo->by_os[os]];
}

int topo_node_index(const struct topo *topo, int os)
{
	int i;

	for (i = 0; i < topo->nr_nodes; i++)
		if (topo->nodes[i].os == os)
			return i;
	return -1;
}

const char *topo_cpu_reason(const struct topo *topo, int os)
{
	if (os < 0 || os >= topo->nr_os || topo->state[os] == CPU_ABSENT)
		return "does not exist";
	if (topo->state[os] == CPU_OFFLINE)
		return "is offline";
	if (topo->state[os] == CPU_DISALLOWED)
		return "is not allowed for this process";
	return NULL;
}

int topo_distance(const struct topo *topo, int a, int b)
{
	if (!topo->distance || a < 0 || b < 0 || a >= topo->nr_nodes || b >= topo->nr_nodes)
		return 0;
	return topo->distance[a * topo->nr_nodes + b];
}

enum topo_relation topo_relation(const struct topo_cpu *a, const struct topo_cpu *b)
{
	if (a->os == b->os)
		return TOPO_SAME_CPU;
	if (a->core == b->core)
		return TOPO_SAME_CORE;
	if (a->cluster >= 0 && a->cluster == b->cluster)
		return TOPO_SAME_L3;
	if (a->socket != b->socket)
		return TOPO_CROSS_PACKAGE;
	/* two CPUs without local memory may be on different dies: no node says otherwise */
	return a->node >= 0 && a->node == b->node ? TOPO_SAME_NODE : TOPO_SAME_PACKAGE;
}

const char *topo_relation_name(enum topo_relation r)
{
	static const char *const names[] = {
		[TOPO_SAME_CPU] = "same-cpu",	      [TOPO_SAME_CORE] = "same-core",
		[TOPO_SAME_L3] = "same-l3",	      [TOPO_SAME_NODE] = "same-node",
		[TOPO_SAME_PACKAGE] = "same-package", [TOPO_CROSS_PACKAGE] = "cross-package",
	};

	return names[r];
}
