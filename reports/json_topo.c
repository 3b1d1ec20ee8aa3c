/* SPDX-License-Identifier: MIT */
#include "report.h"
#include "json_put.h"

#include <jansson.h>
#include <stdlib.h>

static const char numbering[] = "os, node and package_os are the kernel's numbers, CPU lists too; "
				"core, package, die, l3, l2, socket and cluster are positions";

static json_t *text_or_null(const char *s)
{
	json_t *j = s && *s ? json_string(s) : NULL;

	return j ? j : json_null();
}

static json_t *index_or_null(int i)
{
	return i >= 0 ? json_integer(i) : json_null();
}

static json_t *positive_or_null(uint64_t n)
{
	return n ? json_integer((json_int_t)n) : json_null();
}

/* kernel list format, ascending */
static json_t *list_text(const struct cpulist *list)
{
	char *text = cpulist_text_sorted(list);
	json_t *j = text ? json_string(text) : NULL;

	free(text);
	return j;
}

static int node_os(const struct topo_node *nodes, int i)
{
	return i >= 0 ? nodes[i].os : -1;
}

static json_t *cpus_json(const struct topo *topo)
{
	int nr_cpus, nr_nodes, i;
	const struct topo_cpu *c = topo_cpus(topo, &nr_cpus);
	const struct topo_node *nodes = topo_nodes(topo, &nr_nodes);
	json_t *all = json_array();

	for (i = 0; i < nr_cpus; i++, c++)
		json_array_append_new(
			all,
			json_pack("{s:i, s:i, s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:i, s:o, "
				  "s:i}",
				  "os", c->os, "core", c->core, "smt", c->smt, "package",
				  index_or_null(c->package), "package_os",
				  index_or_null(c->package_os), "die", index_or_null(c->die),
				  "node", index_or_null(node_os(nodes, c->node)), "nearest_node",
				  index_or_null(node_os(nodes, c->node_near)), "l3",
				  index_or_null(c->l3), "l2", index_or_null(c->l2), "socket",
				  c->socket, "cluster", index_or_null(c->cluster), "kind",
				  c->kind));
	return all;
}

static json_t *nodes_json(const struct topo *topo)
{
	int nr, i;
	const struct topo_node *n = topo_nodes(topo, &nr);
	json_t *all = json_array();

	for (i = 0; i < nr; i++, n++)
		json_array_append_new(
			all, json_pack("{s:i, s:o, s:o, s:b, s:o}", "os", n->os, "memory",
				       n->memory_known ? json_integer((json_int_t)n->memory)
						       : json_null(),
				       "cpus", list_text(&n->cpus), "general", n->default_target,
				       "subtype", text_or_null(n->subtype)));
	return all;
}

static json_t *distances_json(const struct topo *topo)
{
	int nr, i, j;
	json_t *all, *row;

	if (!topo_info(topo)->distances_known)
		return json_null();
	topo_nodes(topo, &nr);
	all = json_array();
	for (i = 0; i < nr; i++) {
		row = json_array();
		for (j = 0; j < nr; j++)
			json_array_append_new(row, positive_or_null(topo_distance(topo, i, j)));
		json_array_append_new(all, row);
	}
	return all;
}

static json_t *kinds_json(const struct topo *topo)
{
	int nr, i;
	const struct topo_kind *k = topo_kinds(topo, &nr);
	json_t *all = json_array();

	for (i = 0; i < nr; i++, k++)
		json_array_append_new(all, json_pack("{s:i, s:i, s:i, s:i, s:o, s:o, s:o, s:o}",
						     "kind", i, "cpus", k->nr_cpus, "cores",
						     k->nr_cores, "smt_max", k->smt_max, "max_mhz",
						     positive_or_null(k->max_mhz), "base_mhz",
						     positive_or_null(k->base_mhz), "l1d_bytes",
						     positive_or_null(k->l1d_bytes), "l2_bytes",
						     positive_or_null(k->l2_bytes)));
	return all;
}

static json_t *counts_json(const struct topo_info *f)
{
	return json_pack("{s:s, s:o, s:o, s:s, s:o, s:o, s:b, s:i, s:i, s:i, s:i, s:i, s:i, s:i, "
			 "s:i, s:i, s:i, s:i, s:i, s:b, s:b, s:b}",
			 "class", f->class_name, "model", text_or_null(f->model), "arch",
			 text_or_null(f->arch), "uarch", f->uarch, "hypervisor",
			 text_or_null(f->hypervisor), "input", text_or_null(f->input),
			 "this_system", f->is_this_system, "packages", f->packages, "dies", f->dies,
			 "numa_nodes", f->numa_nodes, "cores", f->cores, "pus", f->pus, "l3_caches",
			 f->l3_caches, "smt_min", f->smt_min, "smt_max", f->smt_max, "sockets",
			 f->sockets, "clusters", f->clusters, "cpuless_nodes", f->cpuless_nodes,
			 "memoryless_nodes", f->memoryless_nodes, "restricted", f->restricted,
			 "smt_off", f->smt_off, "nodes_assumed", f->nodes_assumed);
}

int json_topo(const struct topo *topo, FILE *to)
{
	const struct topo_info *f = topo_info(topo);
	json_t *root = counts_json(f), *rest;
	int rc = -ENOMEM;

	rest = json_pack("{s:i, s:o, s:i, s:o, s:i, s:o, s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:o, "
			 "s:s}",
			 "cpukinds", f->cpukinds, "kinds", kinds_json(topo), "pus_disallowed",
			 f->pus_disallowed, "cpus_disallowed", list_text(&f->disallowed),
			 "pus_offline", f->pus_offline, "cpus_offline", list_text(&f->offline),
			 "nodes_disallowed", f->nodes_disallowed, "nodes_disallowed_list",
			 list_text(&f->disallowed_nodes), "l1d_bytes",
			 positive_or_null(f->l1d_bytes), "l2_bytes", positive_or_null(f->l2_bytes),
			 "l3_bytes", positive_or_null(f->l3_bytes), "cpus", cpus_json(topo),
			 "nodes", nodes_json(topo), "distances", distances_json(topo), "numbering",
			 numbering);
	if (root && rest && !json_object_update(root, rest)) {
		rc = json_put(root, JSON_INDENT(1) | JSON_PRESERVE_ORDER, to);
	}
	json_decref(root);
	json_decref(rest);
	return rc;
}
