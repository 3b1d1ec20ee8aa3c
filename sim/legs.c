/* SPDX-License-Identifier: MIT */
#include "legs.h"

#include <math.h>
#include <stdlib.h>
#include <sys/param.h>

#include "star.h"
#include "stats.h"

#define MIN_PAIRS	   10
#define MIN_PAIRS_PER_CORE 2
#define UNKNOWN		   (-1)

/* what a pair is known by, in the sparse numbers of the machine */
struct place {
	enum legs_kind kind;
	int class; /* into class_of */
	int socket_a, socket_b;
	bool nodes_differ;
	int groups; /* into entry_of */
};

/* kinds whose legs have to do with each other are fitted together */
enum part_name { PART_SMT, PART_CLUSTER, PART_HOME, NR_PARTS };

static const enum part_name part_of[NR_LEGS_KINDS] = {
	[LEGS_SMT] = PART_SMT,
	[LEGS_CLUSTER] = PART_CLUSTER,
	[LEGS_SOCKET] = PART_HOME,
	[LEGS_CROSS] = PART_HOME,
};

struct part {
	struct star star;
	struct star_obs *obs;
	int nr_obs;
	/* from sparse numbers to the star's; UNKNOWN: in no known pair */
	int *leg_of, *own_of, *entry_of;
	/* what the star is told of its numbers */
	int *leg_side, *own_side, *entry_class, (*class_leg_side)[2], (*class_own_side)[2];
};

struct legs {
	const struct topo_cpu *cpu;
	int nr_cpus, nr_cores, nr_sockets, nr_groups;
	int *group; /* of each CPU: its cluster, else its node */
	struct part part[NR_PARTS];
	int *class_of;		  /* index of the class, or UNKNOWN */
	struct legs_class *class; /* in the order of the first known pair */
	int *star_class;	  /* of each: its number in the star of its part */
	int nr_classes, room_classes;
};

static struct place place_of(const struct legs *l, int i, int k)
{
	static const enum legs_kind kinds[] = {
		[TOPO_SAME_CPU] = LEGS_SMT,	   [TOPO_SAME_CORE] = LEGS_SMT,
		[TOPO_SAME_L3] = LEGS_CLUSTER,	   [TOPO_SAME_NODE] = LEGS_SOCKET,
		[TOPO_SAME_PACKAGE] = LEGS_SOCKET, [TOPO_CROSS_PACKAGE] = LEGS_CROSS,
	};
	const struct topo_cpu *a = &l->cpu[i], *b = &l->cpu[k];
	enum topo_relation relation = topo_relation(a, b);
	struct place p = {.kind = kinds[relation], .nodes_differ = relation == TOPO_SAME_PACKAGE};
	int ga = l->group[i], gb = l->group[k];

	p.socket_a = MIN(a->socket, b->socket);
	p.socket_b = MAX(a->socket, b->socket);
	p.groups = MIN(ga, gb) * l->nr_groups + MAX(ga, gb);
	p.class = ((2 * p.kind + p.nodes_differ) * l->nr_sockets + p.socket_a) * l->nr_sockets +
		  p.socket_b;
	return p;
}

/* ------------------------------------------------------------------- numbers */

static int *unknown(size_t nr)
{
	int *map = malloc((nr + 1) * sizeof(*map));
	size_t i;

	for (i = 0; map && i < nr; i++)
		map[i] = UNKNOWN;
	return map;
}

static void count(struct legs *l)
{
	const struct topo_cpu *c;
	int clusters = 0, nodes = 0, i;

	for (i = 0, c = l->cpu; i < l->nr_cpus; i++, c++) {
		l->nr_cores = MAX(l->nr_cores, c->core + 1);
		l->nr_sockets = MAX(l->nr_sockets, c->socket + 1);
		clusters = MAX(clusters, c->cluster + 1);
		nodes = MAX(nodes, c->node + 1);
	}
	l->nr_groups = clusters + nodes + 1;
	for (i = 0, c = l->cpu; i < l->nr_cpus; i++, c++)
		l->group[i] = c->cluster >= 0 ? c->cluster : clusters + 1 + c->node;
}

static int make_room(struct legs *l)
{
	struct part *q;
	size_t entries;
	int i;

	l->group = calloc((size_t)l->nr_cpus + 1, sizeof(*l->group));
	if (!l->group)
		return -ENOMEM;
	count(l);
	entries = (size_t)l->nr_groups * l->nr_groups;
	l->room_classes = 2 * NR_LEGS_KINDS * l->nr_sockets * l->nr_sockets;
	l->class_of = unknown(l->room_classes);
	l->class = calloc(l->room_classes, sizeof(*l->class));
	l->star_class = calloc(l->room_classes, sizeof(*l->star_class));
	if (!l->class_of || !l->class || !l->star_class)
		return -ENOMEM;
	for (i = 0; i < NR_PARTS; i++) {
		q = &l->part[i];
		q->leg_of = unknown(l->nr_cores);
		q->own_of = unknown(2 * (size_t)l->nr_cores);
		q->entry_of = unknown(entries);
		q->leg_side = calloc(l->nr_cores, sizeof(*q->leg_side));
		q->own_side = calloc(2 * (size_t)l->nr_cores, sizeof(*q->own_side));
		q->entry_class = calloc(entries, sizeof(*q->entry_class));
		q->class_leg_side = calloc(l->room_classes, sizeof(*q->class_leg_side));
		q->class_own_side = calloc(l->room_classes, sizeof(*q->class_own_side));
		if (!q->leg_of || !q->own_of || !q->entry_of || !q->leg_side || !q->own_side ||
		    !q->entry_class || !q->class_leg_side || !q->class_own_side)
			return -ENOMEM;
	}
	return 0;
}

/* own legs of the two kinds of a part are told apart by their side */
static int own_side(const struct legs *l, enum legs_kind kind, int socket)
{
	return socket + (kind == LEGS_CROSS) * l->nr_sockets;
}

static int class_number(struct legs *l, const struct place *p)
{
	struct part *q = &l->part[part_of[p->kind]];
	int *at = &l->class_of[p->class], c = q->star.nr_classes;

	if (*at == UNKNOWN) {
		*at = l->nr_classes++;
		l->class[*at] = (struct legs_class){.kind = p->kind,
						    .nodes_differ = p->nodes_differ,
						    .socket_a = p->socket_a,
						    .socket_b = p->socket_b};
		q->class_leg_side[c][0] = p->socket_a;
		q->class_leg_side[c][1] = p->socket_b;
		q->class_own_side[c][0] = own_side(l, p->kind, p->socket_a);
		q->class_own_side[c][1] = own_side(l, p->kind, p->socket_b);
		l->star_class[*at] = q->star.nr_classes++;
	}
	l->class[*at].nr_pairs++;
	return l->star_class[*at];
}

/* the dense number of a sparse one; a new one is told what it belongs to */
static int number(int *at, int *nr, int *belongs, int to)
{
	if (*at == UNKNOWN) {
		belongs[*nr] = to;
		*at = (*nr)++;
	}
	return *at;
}

static int *own_at(const struct legs *l, const struct part *q, enum legs_kind kind, int core)
{
	return &q->own_of[core + (kind == LEGS_CROSS) * l->nr_cores];
}

/* two threads of a core meet in it: nothing of the line's home is in what they cost */
static void observe(struct legs *l, int i, int k, double ns)
{
	const struct topo_cpu *const cpu[2] = {&l->cpu[i], &l->cpu[k]};
	struct place p = place_of(l, i, k);
	struct part *q = &l->part[part_of[p.kind]];
	struct star_obs *o = &q->obs[q->nr_obs++];
	int end;

	*o = (struct star_obs){.class = class_number(l, &p), .v = ns};
	if (p.kind == LEGS_SMT)
		return;
	o->entry = number(&q->entry_of[p.groups], &q->star.nr_entries, q->entry_class, o->class);
	for (end = 0; end < 2; end++) {
		o->leg[end] = number(&q->leg_of[cpu[end]->core], &q->star.nr_legs, q->leg_side,
				     cpu[end]->socket);
		if (p.kind != LEGS_CLUSTER)
			o->own[end] = number(own_at(l, q, p.kind, cpu[end]->core), &q->star.nr_own,
					     q->own_side, own_side(l, p.kind, cpu[end]->socket));
	}
}

static bool known(const double *ns, int nr, int i, int k)
{
	return i != k && ns[(size_t)i * nr + k] > 0 && isfinite(ns[(size_t)i * nr + k]);
}

static int observe_all(struct legs *l, const double *ns)
{
	int nr[NR_PARTS] = {0}, i, k;

	for (i = 0; i < l->nr_cpus; i++)
		for (k = 0; k < l->nr_cpus; k++)
			if (known(ns, l->nr_cpus, i, k))
				nr[part_of[place_of(l, i, k).kind]]++;
	for (i = 0; i < NR_PARTS; i++) {
		l->part[i].obs = calloc((size_t)nr[i] + 1, sizeof(*l->part[i].obs));
		if (!l->part[i].obs)
			return -ENOMEM;
	}
	for (i = 0; i < l->nr_cpus; i++)
		for (k = 0; k < l->nr_cpus; k++)
			if (known(ns, l->nr_cpus, i, k))
				observe(l, i, k, ns[(size_t)i * l->nr_cpus + k]);
	return 0;
}

/* ----------------------------------------------------------------------- fit */

static int enough(const struct legs *l, const double *ns, struct err *err)
{
	int *seen = calloc((size_t)l->nr_cores + 1, sizeof(*seen)), pairs = 0, cores = 0, i, k;

	if (!seen)
		return -ENOMEM;
	for (i = 0; i < l->nr_cpus; i++) {
		for (k = 0; k < i; k++) {
			if (l->cpu[i].core == l->cpu[k].core ||
			    (!known(ns, l->nr_cpus, i, k) && !known(ns, l->nr_cpus, k, i)))
				continue;
			pairs++;
			cores += !seen[l->cpu[i].core] + !seen[l->cpu[k].core];
			seen[l->cpu[i].core] = seen[l->cpu[k].core] = 1;
		}
	}
	free(seen);
	if (pairs < MIN_PAIRS || pairs < MIN_PAIRS_PER_CORE * cores)
		return err_set(err, -EINVAL,
			       "%d known pairs between %d cores: legs need %d for each core, and "
			       "%d in all",
			       pairs, cores, MIN_PAIRS_PER_CORE, MIN_PAIRS);
	return 0;
}

static int fit_part(struct legs *l, enum part_name name)
{
	struct part *q = &l->part[name];
	struct legs_class *c;
	double *values;
	int i, k, n, rc;

	if (!q->nr_obs)
		return 0;
	values = calloc(q->nr_obs, sizeof(*values));
	q->star.nr_sides = 2 * l->nr_sockets;
	q->star.leg_side = q->leg_side;
	q->star.own_side = q->own_side;
	q->star.class_leg_side = (const int(*)[2])q->class_leg_side;
	q->star.class_own_side = (const int(*)[2])q->class_own_side;
	q->star.entry_class = q->entry_class;
	rc = values ? star_fit(&q->star, q->obs, q->nr_obs) : -ENOMEM;
	for (i = 0; i < l->nr_classes && !rc; i++) {
		c = &l->class[i];
		if (part_of[c->kind] != name)
			continue;
		for (k = 0, n = 0; k < q->nr_obs; k++)
			if (q->obs[k].class == l->star_class[i])
				values[n++] = q->obs[k].v;
		c->median_ns = stats_median(values, n);
		c->c_ns = q->star.x[l->star_class[i]];
	}
	free(values);
	return rc;
}

int legs_fit(struct legs **out, const struct topo *topo, const double *ns, struct err *err)
{
	struct legs *l = calloc(1, sizeof(*l));
	int rc = l ? 0 : -ENOMEM, i;

	if (!rc) {
		l->cpu = topo_cpus(topo, &l->nr_cpus);
		rc = make_room(l);
	}
	if (!rc)
		rc = enough(l, ns, err);
	if (!rc)
		rc = observe_all(l, ns);
	for (i = 0; i < NR_PARTS && !rc; i++)
		rc = fit_part(l, i);
	if (!rc) {
		*out = l;
		return 0;
	}
	legs_free(l);
	return rc == -ENOMEM ? err_set(err, rc, "out of memory") : rc;
}

void legs_free(struct legs *l)
{
	struct part *q;
	int i;

	if (!l)
		return;
	for (i = 0; i < NR_PARTS; i++) {
		q = &l->part[i];
		free(q->star.x);
		free(q->obs);
		free(q->leg_of);
		free(q->own_of);
		free(q->entry_of);
		free(q->leg_side);
		free(q->own_side);
		free(q->entry_class);
		free(q->class_leg_side);
		free(q->class_own_side);
	}
	free(l->group);
	free(l->class_of);
	free(l->class);
	free(l->star_class);
	free(l);
}

/* ------------------------------------------------------------------- answers */

double legs_leg(const struct legs *l, enum legs_kind kind, int cpu)
{
	const struct part *q = &l->part[part_of[kind]];
	int core = l->cpu[cpu].core, leg = q->leg_of[core], own = *own_at(l, q, kind, core);

	return (leg == UNKNOWN ? 0 : q->star.x[star_legs(&q->star) + leg]) +
	       (own == UNKNOWN ? 0 : q->star.x[star_own(&q->star) + own]);
}

double legs_predict(const struct legs *l, int i, int k)
{
	struct place p = place_of(l, i, k);
	const struct part *q = &l->part[part_of[p.kind]];
	int class = l->class_of[p.class], entry = q->entry_of[p.groups];

	if (class == UNKNOWN)
		return NAN;
	return l->class[class].c_ns + legs_leg(l, p.kind, i) + legs_leg(l, p.kind, k) +
	       (entry == UNKNOWN ? 0 : q->star.x[star_entries(&q->star) + entry]);
}

double legs_median(const struct legs *l, int i, int k)
{
	int class = l->class_of[place_of(l, i, k).class];

	return class == UNKNOWN ? NAN : l->class[class].median_ns;
}

double legs_rms(const struct legs *l, const double *ns, int *nr)
{
	double sum = 0, error;
	int i, k;

	*nr = 0;
	for (i = 0; i < l->nr_cpus; i++) {
		for (k = 0; k < l->nr_cpus; k++) {
			if (!known(ns, l->nr_cpus, i, k))
				continue;
			error = legs_predict(l, i, k) - ns[(size_t)i * l->nr_cpus + k];
			if (isnan(error))
				continue;
			sum += error * error;
			(*nr)++;
		}
	}
	return *nr ? sqrt(sum / *nr) : NAN;
}

const struct legs_class *legs_classes(const struct legs *l, int *nr)
{
	*nr = l->nr_classes;
	return l->class;
}

bool legs_has_legs(const struct legs *l, enum legs_kind kind)
{
	return l->part[part_of[kind]].star.legs;
}

bool legs_has_table(const struct legs *l, enum legs_kind kind)
{
	return l->part[part_of[kind]].star.table;
}
