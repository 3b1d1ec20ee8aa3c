/* SPDX-License-Identifier: MIT */
#include "topo_private.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* CPUs as indexes into topo->cpus, in the order in which workers get them */
struct order {
	const struct topo *t;
	int nr;
	int *idx;
	char why[200]; /* why there are not more */
};

typedef int (*value_fn)(const struct topo_cpu *);

#define NR_KEYS 5

struct keyed {
	int key[NR_KEYS], idx;
};

static int compare_keyed(const void *a, const void *b)
{
	const struct keyed *x = a, *y = b;
	int i;

	for (i = 0; i < NR_KEYS; i++)
		if (x->key[i] != y->key[i])
			return x->key[i] < y->key[i] ? -1 : 1;
	return x->idx < y->idx ? -1 : x->idx > y->idx;
}

static struct keyed *keyed_new(const struct order *o)
{
	struct keyed *k = calloc(o->nr + 1, sizeof(*k));
	int i;

	for (i = 0; k && i < o->nr; i++)
		k[i].idx = o->idx[i];
	return k;
}

static void keyed_take(struct order *o, struct keyed *k)
{
	int i;

	qsort(k, o->nr, sizeof(*k), compare_keyed);
	for (i = 0; i < o->nr; i++)
		o->idx[i] = k[i].idx;
}

static int kind_of(const struct topo_cpu *cpu)
{
	return cpu->kind;
}

static int smt_of(const struct topo_cpu *cpu)
{
	return cpu->smt;
}

static int socket_of(const struct topo_cpu *cpu)
{
	return cpu->socket;
}

static int l3_of(const struct topo_cpu *cpu)
{
	return cpu->l3;
}

/* CPUs without local memory are a group of their own, after the others */
static int node_group(const struct topo_cpu *cpu)
{
	return cpu->node < 0 ? INT_MAX : cpu->node;
}

static void keep(struct order *o, value_fn value, int wanted)
{
	int i, nr = 0;

	for (i = 0; i < o->nr; i++)
		if (value(&o->t->cpus[o->idx[i]]) == wanted)
			o->idx[nr++] = o->idx[i];
	o->nr = nr;
}

/* the group with most cores, other than @not; ties: the first; -1 none, or -ENOMEM */
static int biggest(const struct order *o, value_fn value, int not, int *nr_groups)
{
	int *cores = calloc(o->t->nr_cpus + 1, sizeof(int)), i, v, best = -1;

	if (!cores)
		return -ENOMEM;
	*nr_groups = 0;
	for (i = 0; i < o->nr; i++) {
		v = value(&o->t->cpus[o->idx[i]]);
		if (v < 0 || v >= o->t->nr_cpus || o->t->cpus[o->idx[i]].smt)
			continue;
		*nr_groups += !cores[v]++;
	}
	for (i = 0; i < o->nr; i++) {
		v = value(&o->t->cpus[o->idx[i]]);
		if (v >= 0 && v < o->t->nr_cpus && v != not &&cores[v] &&
		    (best < 0 || cores[v] > cores[best]))
			best = v;
	}
	free(cores);
	return best;
}

static int place_cores_first(struct order *o)
{
	struct keyed *k = keyed_new(o);
	int i;

	if (!k)
		return -ENOMEM;
	for (i = 0; i < o->nr; i++) {
		k[i].key[0] = o->t->cpus[k[i].idx].smt;
		k[i].key[1] = o->t->cpus[k[i].idx].socket;
	}
	keyed_take(o, k);
	free(k);
	return 0;
}

/* the tree nests nearly everything already; the keys settle nodes and caches that overlap in it */
static int place_compact(struct order *o)
{
	struct keyed *k = keyed_new(o);
	const struct topo_cpu *cpu;
	int i;

	if (!k)
		return -ENOMEM;
	for (i = 0; i < o->nr; i++) {
		cpu = &o->t->cpus[k[i].idx];
		k[i].key[0] = cpu->socket;
		k[i].key[1] = node_group(cpu);
		k[i].key[2] = cpu->cluster;
		k[i].key[3] = cpu->core;
	}
	keyed_take(o, k);
	free(k);
	return 0;
}

/*
 * Deals from the inside out: a CPU's turn in its cluster becomes its turn in the node when the
 * clusters are dealt round, that its turn in the socket, that its place in the machine.
 */
static void scatter_key(const struct topo_cpu *cpu, int pass, int turn, int *key)
{
	const int group[4] = {cpu->smt, cpu->socket, node_group(cpu), cpu->cluster};
	int outer = 4 - pass, i;

	for (i = 0; i < NR_KEYS; i++)
		key[i] = i < outer ? group[i] : 0;
	key[outer] = turn;
	if (pass)
		key[outer + 1] = group[outer];
}

static int place_scatter(struct order *o)
{
	struct keyed *k = keyed_new(o);
	int *turn = calloc(o->t->nr_cpus + 1, sizeof(int)), pass, i;

	for (pass = 0; k && turn && pass < 4; pass++) {
		for (i = 0; i < o->nr; i++)
			scatter_key(&o->t->cpus[k[i].idx], pass, turn[k[i].idx], k[i].key);
		keyed_take(o, k);
		for (i = 0; i < o->nr; i++)
			turn[k[i].idx] =
				i && !memcmp(k[i].key, k[i - 1].key, sizeof(int) * (4 - pass))
					? turn[k[i - 1].idx] + 1
					: 0;
	}
	free(turn);
	free(k);
	return k && turn ? 0 : -ENOMEM;
}

static int place_one_socket(struct order *o)
{
	int nr_sockets, socket = biggest(o, socket_of, -1, &nr_sockets);

	if (socket == -ENOMEM)
		return socket;
	keep(o, socket_of, socket);
	if (nr_sockets > 1)
		snprintf(o->why, sizeof(o->why), "the package with most usable cores has no more");
	return place_cores_first(o);
}

static int place_one_l3(struct order *o)
{
	int nr_caches, l3 = biggest(o, l3_of, -1, &nr_caches);

	if (l3 == -ENOMEM)
		return l3;
	if (l3 < 0)
		snprintf(o->why, sizeof(o->why), "this machine shows no L3 cache");
	else if (nr_caches > 1)
		snprintf(o->why, sizeof(o->why), "the L3 with most usable cores has no more");
	if (l3 < 0)
		o->nr = 0;
	keep(o, l3_of, l3);
	return place_cores_first(o);
}

/* both lists cores-first; each SMT level ends where the smaller side does, so that turns hold */
static int place_cross_socket(struct order *o)
{
	int nr, first, second, i, a = 0, b = 0, out = 0;
	const struct topo_cpu *cpus = o->t->cpus;
	int *idx;

	first = biggest(o, socket_of, -1, &nr);
	second = first < 0 ? -1 : biggest(o, socket_of, first, &nr);
	if (first == -ENOMEM || second == -ENOMEM)
		return -ENOMEM;
	if (second < 0) {
		snprintf(o->why, sizeof(o->why), "all usable CPUs are in one package");
		o->nr = 0;
		return 0;
	}
	if (first > second) {
		i = first;
		first = second;
		second = i;
	}
	snprintf(o->why, sizeof(o->why), "workers alternate between two packages, in pairs");
	idx = calloc(o->nr + 1, sizeof(int));
	if (!idx || place_cores_first(o)) {
		free(idx);
		return -ENOMEM;
	}
	for (;;) {
		while (a < o->nr && cpus[o->idx[a]].socket != first)
			a++;
		while (b < o->nr && cpus[o->idx[b]].socket != second)
			b++;
		if (a >= o->nr || b >= o->nr)
			break;
		if (cpus[o->idx[a]].smt != cpus[o->idx[b]].smt) {
			/* the side that is behind in SMT levels catches up */
			if (cpus[o->idx[a]].smt < cpus[o->idx[b]].smt)
				a++;
			else
				b++;
			continue;
		}
		idx[out++] = o->idx[a++];
		idx[out++] = o->idx[b++];
	}
	memcpy(o->idx, idx, sizeof(int) * out);
	o->nr = out;
	free(idx);
	return 0;
}

/* threads 0 and 1 of every core, then 2 and 3, ...; a thread whose partner is missing is left out */
static int place_siblings(struct order *o)
{
	struct keyed *k = keyed_new(o);
	const struct topo_cpu *cpus = o->t->cpus;
	int i, nr = 0;

	if (!k)
		return -ENOMEM;
	for (i = 0; i < o->nr; i++) {
		k[i].key[0] = cpus[k[i].idx].smt / 2;
		k[i].key[1] = cpus[k[i].idx].socket;
		k[i].key[2] = cpus[k[i].idx].core;
		k[i].key[3] = cpus[k[i].idx].smt;
	}
	keyed_take(o, k);
	for (i = 0; i + 1 < o->nr; i++)
		if (cpus[k[i].idx].core == cpus[k[i + 1].idx].core &&
		    k[i].key[0] == k[i + 1].key[0]) {
			o->idx[nr++] = k[i].idx;
			o->idx[nr++] = k[++i].idx;
		}
	free(k);
	o->nr = nr;
	if (nr)
		snprintf(o->why, sizeof(o->why), "only cores with two usable threads count");
	else if (o->t->info.smt_off)
		snprintf(o->why, sizeof(o->why), "the second threads are offline");
	else
		snprintf(o->why, sizeof(o->why), "no core has two usable threads");
	return 0;
}

static int place_one_per_core(struct order *o)
{
	keep(o, smt_of, 0);
	snprintf(o->why, sizeof(o->why), "one of each core is all there is");
	return place_cores_first(o);
}

/* the first core of each L3 */
static int place_one_per_l3(struct order *o)
{
	char *seen = calloc(o->t->nr_cpus + 1, 1);
	int i, l3, nr = 0, rc = place_cores_first(o);

	if (!seen)
		return -ENOMEM;
	for (i = 0; i < o->nr && !rc; i++) {
		l3 = o->t->cpus[o->idx[i]].l3;
		if (l3 >= 0 && l3 < o->t->nr_cpus && !seen[l3]++)
			o->idx[nr++] = o->idx[i];
	}
	o->nr = nr;
	free(seen);
	snprintf(o->why, sizeof(o->why),
		 nr ? "one of each L3 is all there is" : "this machine shows no L3 cache");
	return rc;
}

static const struct topo_placement placements[] = {
	{"cores-first", "one thread of each core, package by package, then the second threads"},
	{"compact", "fill a core with its threads, then its L3, node, package"},
	{"scatter", "deal round the packages, then nodes, then L3s; siblings last"},
	{"one-socket", "cores-first inside the package with most usable cores"},
	{"cross-socket", "two packages in turn: worker 0 here, worker 1 there; siblings last"},
	{"one-l3", "cores-first inside the L3 with most usable cores"},
	{"smt-siblings", "pairs of threads of one core"},
	{"one-per-core", "the first thread of each core"},
	{"one-per-l3", "the first core of each L3 cache"},
	{"kind-N", "cores-first inside CPU kind N of a hybrid machine"},
};

#define NR_PLACEMENTS ((int)(sizeof(placements) / sizeof(placements[0])))
#define KIND_N	      (NR_PLACEMENTS - 1)

static int (*const place_fns[])(struct order *) = {
	place_cores_first, place_compact,  place_scatter,      place_one_socket, place_cross_socket,
	place_one_l3,	   place_siblings, place_one_per_core, place_one_per_l3,
};

const struct topo_placement *topo_placements(int *nr)
{
	*nr = NR_PLACEMENTS;
	return placements;
}

static int unknown_placement(const char *spec, struct err *err)
{
	const char *names[NR_PLACEMENTS];
	int i;

	for (i = 0; i < NR_PLACEMENTS; i++)
		names[i] = placements[i].name;
	return text_unknown(err, "placement", spec, names, NR_PLACEMENTS);
}

static int place_kind(struct order *o, const char *spec, struct err *err)
{
	int nr = o->t->nr_kinds;
	int64_t kind;

	if (!isdigit((unsigned char)spec[5]) || text_parse_int(spec + 5, 0, 9999, &kind, NULL))
		return unknown_placement(spec, err);
	if (nr < 2) {
		snprintf(o->why, sizeof(o->why), "all CPUs of this machine are of one kind");
		o->nr = 0;
		return 0;
	}
	if (kind >= nr)
		return err_set(err, -EINVAL, "there is no CPU kind %lld: this machine has 0..%d",
			       (long long)kind, nr - 1);
	keep(o, kind_of, (int)kind);
	snprintf(o->why, sizeof(o->why), "kind %d of %d has no more", (int)kind, nr);
	return place_cores_first(o);
}

static int place_named(struct order *o, const char *spec, struct err *err)
{
	int i, rc = -1;

	if (!strncmp(spec, "kind-", 5))
		return place_kind(o, spec, err);
	for (i = 0; i < KIND_N; i++)
		if (!strcmp(spec, placements[i].name))
			break;
	if (i == KIND_N)
		return unknown_placement(spec, err);
	if (o->t->nr_kinds > 1 && place_fns[i] != place_compact) {
		keep(o, kind_of, o->t->nr_kinds - 1);
		snprintf(o->why, sizeof(o->why), "only CPUs of the fastest kind are used");
	}
	rc = place_fns[i](o);
	return rc ? err_set(err, rc, "out of memory for placement '%s'", spec) : 0;
}

static int place_list(const struct topo *t, const char *spec, struct cpulist *out, struct err *err)
{
	const char *reason;
	int i, rc = cpulist_parse(spec, out, err);

	for (i = 0; !rc && i < out->nr; i++) {
		reason = topo_cpu_reason(t, out->cpu[i]);
		if (reason)
			rc = err_set(err, -EINVAL, "CPU %d %s", out->cpu[i], reason);
	}
	return rc;
}

static int place_by_name(const struct topo *t, const char *spec, struct cpulist *out, char *why,
			 size_t size, struct err *err)
{
	struct order o = {t, t->nr_cpus, malloc(sizeof(int) * (t->nr_cpus + 1)), ""};
	int i, rc;

	if (!o.idx)
		return err_set(err, -ENOMEM, "out of memory for placement '%.80s'", spec);
	for (i = 0; i < o.nr; i++)
		o.idx[i] = i;
	rc = place_named(&o, spec, err);
	for (i = 0; !rc && i < o.nr; i++)
		if (cpulist_add(out, t->cpus[o.idx[i]].os))
			rc = err_set(err, -ENOMEM, "out of memory for placement '%.80s'", spec);
	free(o.idx);
	snprintf(why, size, "%s%s", *o.why ? ": " : "", o.why);
	return rc;
}

int topo_place(const struct topo *t, const char *spec, int nr_workers, struct cpulist *out,
	       struct err *err)
{
	struct cpulist list = CPULIST_INIT;
	char why[210] = "";
	int rc;

	if (nr_workers < 0)
		return err_set(err, -EINVAL, "%d workers cannot be placed", nr_workers);
	if (isdigit((unsigned char)spec[0]))
		rc = place_list(t, spec, &list, err);
	else
		rc = place_by_name(t, spec, &list, why, sizeof(why), err);
	if (!rc && !list.nr)
		rc = err_set(err, -EOPNOTSUPP, "placement '%.80s' does not exist here%s", spec,
			     why);
	if (!rc && nr_workers > list.nr)
		rc = err_set(err, -EOPNOTSUPP,
			     "placement '%.80s' has %d CPUs here, %d are wanted%s", spec, list.nr,
			     nr_workers, why);
	if (rc) {
		cpulist_free(&list);
		return rc;
	}
	/* room is kept by powers of two: a shorter list is made by copying, not by cutting nr */
	if (nr_workers)
		list.nr = nr_workers;
	rc = cpulist_copy(out, &list);
	cpulist_free(&list);
	return rc ? err_set(err, rc, "out of memory for placement '%.80s'", spec) : 0;
}
