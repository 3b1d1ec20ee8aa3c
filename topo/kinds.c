/* SPDX-License-Identifier: MIT */
#include "topo_private.h"

#include <stdlib.h>
#include <string.h>

/* one kind while it is put together */
struct candidate {
	struct kind_raw raw;
	struct topo_kind is;
	int l2_cpus;
	int merged_into;
};

static bool near_equal(int a, int b)
{
	int more = a > b ? a : b, less = a > b ? b : a;

	return !a || !b || (more - less) * 10 <= more;
}

/*
 * The kernel's frequency differs by a few percent between favoured cores of one design, and hwloc
 * before 2.10 makes a kind of each. Cores are alike when caches, SMT width and declared type are
 * the same, and frequency and capacity differ by at most a tenth.
 */
static bool alike(const struct candidate *a, const struct candidate *b)
{
	return a->is.l1d_bytes == b->is.l1d_bytes && a->is.l2_bytes == b->is.l2_bytes &&
	       a->l2_cpus == b->l2_cpus && a->is.smt_max == b->is.smt_max &&
	       !strcmp(a->raw.type, b->raw.type) && near_equal(a->raw.max_mhz, b->raw.max_mhz) &&
	       near_equal(a->raw.base_mhz, b->raw.base_mhz) &&
	       near_equal(a->raw.capacity, b->raw.capacity);
}

/* from the most efficient to the fastest */
static bool slower(const struct candidate *a, const struct candidate *b)
{
	if (a->raw.efficiency >= 0 && b->raw.efficiency >= 0 &&
	    a->raw.efficiency != b->raw.efficiency)
		return a->raw.efficiency < b->raw.efficiency;
	if (a->raw.capacity != b->raw.capacity)
		return a->raw.capacity < b->raw.capacity;
	if (a->raw.max_mhz != b->raw.max_mhz)
		return a->raw.max_mhz < b->raw.max_mhz;
	return a->is.smt_max < b->is.smt_max;
}

static void add_cpu(struct candidate *k, const struct topo_cpu *cpu, const struct cpu_raw *raw)
{
	k->is.nr_cpus++;
	k->is.nr_cores += !cpu->smt;
	if (cpu->smt + 1 > k->is.smt_max)
		k->is.smt_max = cpu->smt + 1;
	if (raw->l1d_bytes > k->is.l1d_bytes)
		k->is.l1d_bytes = raw->l1d_bytes;
	if (raw->l2_bytes > k->is.l2_bytes)
		k->is.l2_bytes = raw->l2_bytes;
	if (raw->l2_cpus > k->l2_cpus)
		k->l2_cpus = raw->l2_cpus;
}

static void merge(struct candidate *into, const struct candidate *from)
{
	into->is.nr_cpus += from->is.nr_cpus;
	into->is.nr_cores += from->is.nr_cores;
	if (from->raw.max_mhz > into->raw.max_mhz)
		into->raw.max_mhz = from->raw.max_mhz;
	if (from->raw.base_mhz > into->raw.base_mhz)
		into->raw.base_mhz = from->raw.base_mhz;
	if (from->raw.capacity > into->raw.capacity)
		into->raw.capacity = from->raw.capacity;
}

/* the one more candidate is for CPUs that hwloc gives no kind */
int topo_find_kinds(struct topo *t)
{
	int nr = t->nr_raw_kinds + 1, c, i, j;
	struct candidate *k = calloc(nr, sizeof(*k));
	int *rank = calloc(nr, sizeof(*rank));

	t->kinds = calloc(nr, sizeof(*t->kinds));
	if (!k || !rank || !t->kinds) {
		free(k);
		free(rank);
		return -ENOMEM;
	}
	for (i = 0; i < nr; i++) {
		if (i < t->nr_raw_kinds)
			k[i].raw = t->raw_kinds[i];
		else
			k[i].raw.efficiency = -1;
		k[i].merged_into = i;
	}
	for (c = 0; c < t->nr_cpus; c++) {
		if (t->raw[c].kind < 0)
			t->raw[c].kind = nr - 1;
		add_cpu(&k[t->raw[c].kind], &t->cpus[c], &t->raw[c]);
	}
	for (i = 0; i < nr; i++)
		for (j = 0; j < i && k[i].merged_into == i; j++)
			if (k[i].is.nr_cpus && k[j].is.nr_cpus && k[j].merged_into == j &&
			    alike(&k[i], &k[j])) {
				merge(&k[j], &k[i]);
				k[i].merged_into = j;
			}
	for (i = 0; i < nr; i++) {
		if (!k[i].is.nr_cpus || k[i].merged_into != i)
			continue;
		for (j = 0; j < nr; j++)
			if (j != i && k[j].is.nr_cpus && k[j].merged_into == j)
				rank[i] += slower(&k[j], &k[i]) || (j < i && !slower(&k[i], &k[j]));
		t->kinds[rank[i]] = k[i].is;
		t->kinds[rank[i]].max_mhz = k[i].raw.max_mhz;
		t->kinds[rank[i]].base_mhz = k[i].raw.base_mhz;
		t->nr_kinds++;
	}
	for (c = 0; c < t->nr_cpus; c++)
		t->cpus[c].kind = rank[k[t->raw[c].kind].merged_into];
	t->info.cpukinds = t->nr_kinds;
	free(k);
	free(rank);
	return 0;
}
