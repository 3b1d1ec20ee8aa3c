/* SPDX-License-Identifier: MIT */
/* What a record says about pairs of CPUs: how near the two are, and how many such pairs there are. */
#include "results_pairs.h"

#include <stdlib.h>
#include <string.h>

#define MOST_PAIRS (1LL << 32) /* of CPUs that a list may name */

static bool is_pair(const struct bench_case *c)
{
	return c->exp->pairs && c->cpus.nr == 2;
}

static int set_relation(struct result_case *c, const struct topo *topo)
{
	const struct topo_cpu *a = topo_cpu_by_os(topo, c->cpus.cpu[0]);
	const struct topo_cpu *b = topo_cpu_by_os(topo, c->cpus.cpu[1]);

	if (!a || !b)
		return 0;
	c->relation = strdup(topo_relation_name(topo_relation(a, b)));
	return c->relation ? 0 : -ENOMEM;
}

static void count_pairs(struct results *r, const struct topo_cpu *const *cpu, int nr)
{
	int i, k;

	for (i = 0; i < nr; i++)
		for (k = i + 1; k < nr; k++)
			r->nr_pairs[topo_relation(cpu[i], cpu[k])] += 2;
}

int results_fill_pairs(struct results *r, const struct topo *topo, const struct plan *plan)
{
	const struct topo_cpu *all, **mine;
	int i, k, nr_all, nr = 0, rc = 0;
	bool *used;

	all = topo_cpus(topo, &nr_all);
	used = calloc(nr_all + 1, sizeof(*used));
	mine = calloc(nr_all + 1, sizeof(*mine));
	if (!used || !mine)
		rc = -ENOMEM;
	for (i = 0; i < plan->nr_cases && !rc; i++) {
		if (!is_pair(&plan->cases[i]))
			continue;
		rc = set_relation(&r->cases[i], topo);
		for (k = 0; k < 2 && r->cases[i].relation; k++)
			used[topo_cpu_by_os(topo, r->cases[i].cpus.cpu[k]) - all] = true;
	}
	for (i = 0; i < nr_all && !rc; i++)
		if (used[i])
			mine[nr++] = &all[i];
	if (!rc)
		count_pairs(r, mine, nr);
	free(used);
	free(mine);
	return rc;
}

/* ------------------------------------------------------------------------- JSON */

bool results_has_pairs(const struct results *r)
{
	int i = 0;

	while (i < RESULTS_NR_RELATIONS && !r->nr_pairs[i])
		i++;
	return i < RESULTS_NR_RELATIONS;
}

json_t *results_pairs_json(const struct results *r)
{
	json_t *o = json_object();
	int i;

	for (i = 0; i < RESULTS_NR_RELATIONS; i++) {
		if (r->nr_pairs[i] &&
		    json_object_set_new(o, topo_relation_name(i), json_integer(r->nr_pairs[i]))) {
			json_decref(o);
			return NULL;
		}
	}
	return o;
}

void results_read_pairs(struct fields *f, const json_t *root, struct results *r)
{
	const json_t *o = json_object_get(root, "pairs");
	const char *name;
	int i;

	if (f->rc || !o || json_is_null(o))
		return;
	o = field_object(f, root, "pairs");
	f->section = "pairs.";
	for (i = TOPO_SAME_CORE; i < RESULTS_NR_RELATIONS; i++) {
		name = topo_relation_name(i);
		if (json_object_get(o, name))
			r->nr_pairs[i] = field_int(f, o, name, 0, MOST_PAIRS);
	}
	f->section = "";
}

static bool is_relation(const char *name)
{
	int i = TOPO_SAME_CORE;

	while (i < RESULTS_NR_RELATIONS && strcmp(topo_relation_name(i), name))
		i++;
	return i < RESULTS_NR_RELATIONS;
}

void results_read_relation(struct fields *f, const json_t *o, struct result_case *c)
{
	if (f->rc || !json_object_get(o, "relation"))
		return;
	c->relation = field_text_or_null(f, o, "relation");
	if (c->relation && !is_relation(c->relation))
		field_refuse(f, "relation", "is not the name of a relation");
	else if (c->relation && c->nr_workers != 2)
		field_refuse(f, "relation", "is one of %d workers, not of two", c->nr_workers);
}
