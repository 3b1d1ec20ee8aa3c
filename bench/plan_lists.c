/* SPDX-License-Identifier: MIT */
/*
 * On which CPUs an experiment's cases run: the first 1, 2, 4, ... of a placement, or pairs of them.
 * Pairs grow with the square of the machine (160 CPUs: 12,720), so where time is short they are
 * sampled, class by class of relation: each class gets an equal share, what a small class does not
 * need goes to the others, and a pair is always taken in both directions.
 */
#include "plan_private.h"

#include <stdio.h>
#include <stdlib.h>

#include "stats.h"

#define NR_RELATIONS (TOPO_CROSS_PACKAGE + 1)

void cpu_lists_free(struct cpu_lists *l)
{
	int i;

	for (i = 0; i < l->nr; i++)
		cpulist_free(&l->list[i]);
	free(l->list);
	*l = (struct cpu_lists){0};
}

static int add_list(struct cpu_lists *l, const struct cpulist *cpus)
{
	struct cpulist *grown;

	if (!(l->nr & (l->nr - 1))) {
		grown = realloc(l->list, sizeof(*grown) * (l->nr ? 2 * (size_t)l->nr : 1));
		if (!grown)
			return -ENOMEM;
		l->list = grown;
	}
	l->list[l->nr] = (struct cpulist)CPULIST_INIT;
	return cpulist_copy(&l->list[l->nr++], cpus);
}

int plan_prefix_lists(const struct cpulist *cpus, const struct cpulist *counts,
		      struct cpu_lists *out, struct err *err)
{
	struct cpulist first = *cpus;
	int i;

	for (i = 0; i < counts->nr; i++) {
		first.nr = counts->cpu[i];
		if (add_list(out, &first))
			return err_set(err, -ENOMEM, "out of memory");
	}
	return 0;
}

/* ---------------------------------------------------------------------- pairs */

struct pair {
	int a, b;
};

struct pair_class {
	struct pair *pair;
	int64_t nr, quota;
};

static enum topo_relation relation(const struct topo *topo, int a, int b)
{
	return topo_relation(topo_cpu_by_os(topo, a), topo_cpu_by_os(topo, b));
}

static int sort_pairs(const struct topo *topo, const struct cpulist *cpus, struct pair_class *class)
{
	struct pair_class *c;
	struct pair *grown;
	int i, k;

	for (i = 0; i < cpus->nr; i++) {
		for (k = i + 1; k < cpus->nr; k++) {
			c = &class[relation(topo, cpus->cpu[i], cpus->cpu[k])];
			if (!(c->nr & (c->nr - 1))) {
				grown = realloc(c->pair, sizeof(*grown) * (c->nr ? 2 * c->nr : 1));
				if (!grown)
					return -ENOMEM;
				c->pair = grown;
			}
			c->pair[c->nr++] = (struct pair){cpus->cpu[i], cpus->cpu[k]};
		}
	}
	return 0;
}

static int64_t smallest(int64_t a, int64_t b, int64_t c)
{
	a = a < b ? a : b;
	return a < c ? a : c;
}

/*
 * equal shares of @limit pairs; what a class has no pairs for goes round again, and what is too
 * little for all goes to the nearest relations
 */
static void share(struct pair_class *class, int64_t limit)
{
	int64_t left = limit, each, more;
	int i, wanting;

	do {
		for (i = 0, wanting = 0; i < NR_RELATIONS; i++)
			wanting += class[i].quota < class[i].nr;
		each = wanting && left > wanting ? left / wanting : 1;
		for (i = 0; i < NR_RELATIONS; i++) {
			more = smallest(class[i].nr - class[i].quota, each, left);
			class[i].quota += more;
			left -= more;
		}
	} while (left && wanting);
}

/* the first quota pairs become a random choice */
static void draw(struct pair_class *c, uint64_t *rng)
{
	struct pair swap;
	int64_t i, k;

	for (i = 0; i < c->quota && c->quota < c->nr; i++) {
		k = i + (int64_t)stats_rng_below(rng, c->nr - i);
		swap = c->pair[i];
		c->pair[i] = c->pair[k];
		c->pair[k] = swap;
	}
}

static int add_class(const struct pair_class *c, struct cpu_lists *out)
{
	struct cpulist both = {2, (int[2]){0}};
	int64_t i;

	for (i = 0; i < c->quota; i++) {
		both.cpu[0] = c->pair[i].a;
		both.cpu[1] = c->pair[i].b;
		if (add_list(out, &both))
			return -ENOMEM;
		both.cpu[0] = c->pair[i].b;
		both.cpu[1] = c->pair[i].a;
		if (add_list(out, &both))
			return -ENOMEM;
	}
	return 0;
}

int plan_pair_lists(const struct topo *topo, const struct cpulist *cpus, int64_t limit,
		    uint64_t seed, struct cpu_lists *out, char *said, size_t said_size,
		    struct err *err)
{
	struct pair_class class[NR_RELATIONS] = {{NULL}};
	int64_t all = (int64_t)cpus->nr * (cpus->nr - 1) / 2;
	uint64_t rng = seed;
	size_t len = 0;
	int i, rc;

	if (cpus->nr < 2)
		return err_set(err, -EOPNOTSUPP, "a pair needs two CPUs, the placement has %d",
			       cpus->nr);
	rc = sort_pairs(topo, cpus, class);
	share(class, limit);
	for (i = 0; i < NR_RELATIONS && !rc; i++) {
		draw(&class[i], &rng);
		rc = add_class(&class[i], out);
	}
	if (limit < all)
		len = snprintf(said, said_size, "pairs are sampled by relation:");
	for (i = 0; i < NR_RELATIONS && limit < all && len < said_size; i++)
		if (class[i].nr)
			len += snprintf(said + len, said_size - len, "%s %lld of %lld %s",
					said[len - 1] == ':' ? "" : ",", (long long)class[i].quota,
					(long long)class[i].nr, topo_relation_name(i));
	for (i = 0; i < NR_RELATIONS; i++)
		free(class[i].pair);
	return rc ? err_set(err, rc, "out of memory") : 0;
}
