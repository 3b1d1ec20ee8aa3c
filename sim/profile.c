/* SPDX-License-Identifier: MIT */
#include "sim_private.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void sim_profile_free(struct sim_profile *p)
{
	int i;

	if (!p)
		return;
	for (i = 0; i < p->nr_op; i++)
		free(p->op[i].params);
	free(p->op);
	topo_free(p->topo);
	free(p->group);
	free(p->package);
	free(p->transfer);
	free(p->pair_class);
	free(p->group_cost);
	free(p);
}

/* CPUs that share the smallest cache that several cores share; else the package */
static void make_groups(struct sim_profile *p, const struct topo_cpu *cpu)
{
	int i, k;

	for (i = 0; i < p->nr_cpus; i++) {
		p->package[i] = cpu[i].package >= 0 ? cpu[i].package : 0;
		for (k = 0; k < i; k++)
			if (topo_relation(&cpu[i], &cpu[k]) <= TOPO_SAME_L3 ||
			    (cpu[i].cluster < 0 && cpu[k].cluster < 0 &&
			     p->package[i] == p->package[k] && cpu[i].node == cpu[k].node))
				break;
		p->group[i] = k < i ? p->group[k] : p->nr_groups++;
	}
}

static int64_t relation_cost(const struct sim_profile *p, const struct topo_cpu *a,
			     const struct topo_cpu *b, int home, bool same_package_as_home)
{
	const struct sim_costs *c = &p->costs;

	switch (topo_relation(a, b)) {
	case TOPO_SAME_CPU:
		return 0;
	case TOPO_SAME_CORE:
		return c->smt;
	case TOPO_SAME_L3:
		return c->cluster;
	case TOPO_SAME_NODE:
		return c->home_decides && !same_package_as_home ? c->cross : c->node;
	case TOPO_SAME_PACKAGE:
		return c->home_decides && !same_package_as_home ? c->cross : c->socket;
	case TOPO_CROSS_PACKAGE:
		break;
	}
	if (c->cross_far && a->package / 4 != b->package / 4)
		return c->cross_far;
	return c->cross;
}

static void make_transfers(struct sim_profile *p, const struct topo_cpu *cpu)
{
	int home, i, k;

	for (home = 0; home < p->nr_homes; home++)
		for (i = 0; i < p->nr_cpus; i++)
			for (k = 0; k < p->nr_cpus; k++)
				p->transfer[((int64_t)home * p->nr_cpus + i) * p->nr_cpus + k] =
					relation_cost(p, &cpu[i], &cpu[k], home,
						      p->package[i] == home);
}

/* a byte a pair stays in a core's cache where eight of them do not: 512 CPUs are 2 MiB of transfers */
static int classify(struct sim_profile *p)
{
	size_t all = (size_t)p->nr_homes * p->nr_cpus * p->nr_cpus, i;
	uint8_t *class = malloc(all + 1);
	int nr = 0, k;

	free(p->pair_class);
	p->pair_class = NULL;
	if (!class)
		return -ENOMEM;
	for (i = 0; i < all; i++) {
		for (k = 0; k < nr && p->class_cost[k] != p->transfer[i]; k++)
			;
		if (k == 256) {
			free(class);
			return 0;
		}
		if (k == nr)
			p->class_cost[nr++] = p->transfer[i];
		class[i] = k;
	}
	p->pair_class = class;
	return 0;
}

int sim_profile_refresh(struct sim_profile *p)
{
	int64_t *sum = calloc(p->nr_groups, sizeof(*sum));
	int *nr = calloc(p->nr_groups, sizeof(*nr));
	int64_t *out;
	int home, i, k, g, rc = sum && nr ? classify(p) : -ENOMEM;

	for (home = 0; home < p->nr_homes && !rc; home++) {
		for (i = 0; i < p->nr_cpus; i++) {
			memset(sum, 0, sizeof(*sum) * p->nr_groups);
			memset(nr, 0, sizeof(*nr) * p->nr_groups);
			for (k = 0; k < p->nr_cpus; k++) {
				if (k == i)
					continue;
				sum[p->group[k]] += sim_transfer(p, home, k, i);
				nr[p->group[k]]++;
			}
			out = &p->group_cost[((int64_t)home * p->nr_cpus + i) * p->nr_groups];
			for (g = 0; g < p->nr_groups; g++)
				out[g] = nr[g] ? sum[g] / nr[g] : p->costs.smt;
		}
	}
	free(sum);
	free(nr);
	return rc;
}

int sim_profile_make(struct sim_profile **out, const char *name, struct topo *topo,
		     const struct sim_costs *costs, struct err *err)
{
	struct sim_profile *p = calloc(1, sizeof(*p));
	const struct topo_cpu *cpu;
	int packages = topo_info(topo)->packages;

	if (!p) {
		topo_free(topo);
		return err_set(err, -ENOMEM, "out of memory");
	}
	snprintf(p->name, sizeof(p->name), "%s", name);
	p->topo = topo;
	p->costs = *costs;
	cpu = topo_cpus(topo, &p->nr_cpus);
	p->nr_homes = costs->home_decides && packages > 1 ? packages : 1;
	p->group = calloc(p->nr_cpus, sizeof(*p->group));
	p->package = calloc(p->nr_cpus, sizeof(*p->package));
	p->transfer = calloc((size_t)p->nr_homes * p->nr_cpus * p->nr_cpus, sizeof(*p->transfer));
	if (p->group && p->package && p->transfer) {
		make_groups(p, cpu);
		p->group_cost = calloc((size_t)p->nr_homes * p->nr_cpus * p->nr_groups,
				       sizeof(*p->group_cost));
	}
	if (!p->group_cost) {
		sim_profile_free(p);
		return err_set(err, -ENOMEM, "out of memory");
	}
	make_transfers(p, cpu);
	if (sim_profile_refresh(p)) {
		sim_profile_free(p);
		return err_set(err, -ENOMEM, "out of memory");
	}
	*out = p;
	return 0;
}
