/* SPDX-License-Identifier: MIT */
#include "topo_private.h"

#include <ctype.h>
#include <string.h>

static bool memory_is_none(const struct topo_node *node)
{
	return node->memory_known && !node->memory;
}

static const struct topo_cpu *first_cpu(const struct topo *t, const struct cpulist *cpus,
					struct err *err)
{
	const struct topo_cpu *cpu = cpus && cpus->nr ? topo_cpu_by_os(t, cpus->cpu[0]) : NULL;

	if (!cpu && cpus && cpus->nr)
		err_set(err, -EINVAL, "CPU %d %s", cpus->cpu[0], topo_cpu_reason(t, cpus->cpu[0]));
	else if (!cpu)
		err_set(err, -EINVAL, "a home node needs at least one worker's CPU");
	else if (cpu->node_near < 0)
		err_set(err, -EOPNOTSUPP, "no node with memory may be used by this process");
	return cpu && cpu->node_near >= 0 ? cpu : NULL;
}

static int home_node(const struct topo *t, const char *spec, int *node_os, struct err *err)
{
	int64_t os;
	int n;

	if (!isdigit((unsigned char)spec[5]) || text_parse_int(spec + 5, 0, 1 << 20, &os, NULL))
		return err_set(err, -EINVAL, "'%.40s' names no node: node-0, node-1, ...", spec);
	n = topo_node_index(t, (int)os);
	if (n < 0 && cpulist_has(&t->info.disallowed_nodes, (int)os))
		return err_set(err, -EINVAL, "node %d is not allowed for this process", (int)os);
	if (n < 0 && !(t->info.is_this_system && system_has_node((int)os)))
		return err_set(err, -EINVAL, "node %d does not exist", (int)os);
	if (n < 0 || memory_is_none(&t->nodes[n]))
		return err_set(err, -EOPNOTSUPP, "node %d has no memory", (int)os);
	*node_os = (int)os;
	return 0;
}

static void home_local(const struct topo *t, const struct topo_cpu *cpu, int *node_os, char *note,
		       size_t size)
{
	*node_os = t->nodes[cpu->node_near].os;
	if (cpu->node < 0)
		snprintf(note, size, "CPU %d has no local memory: node %d is the nearest%s",
			 cpu->os, *node_os, t->info.distances_known ? "" : " known");
	else if (cpu->node != cpu->node_near)
		snprintf(note, size, "node %d of CPU %d has no memory: node %d is the nearest",
			 t->nodes[cpu->node].os, cpu->os, *node_os);
}

/* is there a CPU of another socket at node @n? without distances that is all that tells far */
static bool in_other_socket(const struct topo *t, int n, int socket)
{
	int i;

	for (i = 0; i < t->nr_cpus; i++)
		if (t->cpus[i].node == n && t->cpus[i].socket != socket)
			return true;
	return false;
}

static void home_farthest(const struct topo *t, const struct topo_cpu *cpu, int *node_os,
			  char *note, size_t size)
{
	int i, d, best = -1, best_distance = 0, from = cpu->node_near;

	for (i = 0; i < t->nr_nodes; i++) {
		if (i == from || !t->nodes[i].default_target || memory_is_none(&t->nodes[i]))
			continue;
		d = t->info.distances_known ? topo_distance(t, from, i)
					    : in_other_socket(t, i, cpu->socket);
		if (best < 0 || d > best_distance) {
			best = i;
			best_distance = d;
		}
	}
	if (best < 0) {
		home_local(t, cpu, node_os, note, size);
		snprintf(note, size, "there is one general node: the farthest is node %d itself",
			 *node_os);
		return;
	}
	*node_os = t->nodes[best].os;
	if (!t->info.distances_known)
		snprintf(note, size,
			 "this machine states no distances: node %d taken as farthest %s", *node_os,
			 best_distance ? "because it is in another package" : "by its order");
}

int topo_home(const struct topo *t, const char *spec, const struct cpulist *cpus, int *node_os,
	      char *note, size_t note_size, struct err *err)
{
	static const char *const names[] = {"local", "farthest", "interleave", "node-N"};
	const struct topo_cpu *cpu;
	char scratch[1];

	if (!note) {
		note = scratch;
		note_size = sizeof(scratch);
	}
	if (note_size)
		note[0] = 0;
	if (!strncmp(spec, "node-", 5))
		return home_node(t, spec, node_os, err);
	if (strcmp(spec, "local") && strcmp(spec, "farthest") && strcmp(spec, "interleave"))
		return text_unknown(err, "home", spec, names, 4);
	cpu = first_cpu(t, cpus, err);
	if (!cpu)
		return !cpus || !cpus->nr || !topo_cpu_by_os(t, cpus->cpu[0]) ? -EINVAL
									      : -EOPNOTSUPP;
	if (!strcmp(spec, "local"))
		home_local(t, cpu, node_os, note, note_size);
	else if (!strcmp(spec, "farthest"))
		home_farthest(t, cpu, node_os, note, note_size);
	else
		*node_os = -1;
	return 0;
}
