/* SPDX-License-Identifier: MIT */
/*
 * topo_machines.h - the machines that the topology tests run on
 *
 * Our own: synthetic strings and XML files in tests/topologies/, always there. Recorded ones: real
 * machines with expected values in the shared folder, which a checkout may lack.
 */
#ifndef CHARGELINE_TOPO_MACHINES_H
#define CHARGELINE_TOPO_MACHINES_H

#include "test.h"

#include <jansson.h>

#include "topo.h"

#define SMT2_2S                                                                         \
	"Package:2 [NUMANode(memory=8GiB)] L3Cache:1(size=16MiB) L2Cache:4(size=1MiB) " \
	"L1dCache:1(size=32KiB) Core:1 PU:2(indexes=2*8:8*1)"
#define MANY_L3_2S "Package:2 Group:2 [NUMANode(memory=4GiB)] L3Cache:2(size=8MiB) Core:4 PU:2"
#define SNC2_2S	   "Package:2 L3Cache:1(size=16MiB) Group:2 [NUMANode(memory=4GiB)] Core:4 PU:2"
#define NO_L3	   "Package:2 [NUMANode(memory=8GiB)] L2Cache:8(size=1MiB) Core:1 PU:1"
#define TILES	   "Package:1 [NUMANode(memory=8GiB)] L2Cache:4(size=1MiB) Core:2 PU:4"
#define VCPUS	   "[NUMANode(memory=8GiB)] Package:12 Core:1 PU:1"
#define NO_CORES   "Group:2 [NUMANode(memory=8GiB)] PU:4"
#define WIDE	   "Package:16 [NUMANode(memory=8GiB)] L3Cache:4(size=8MiB) Core:8 PU:4" /* 2048 */
#define ONE_CPU	   "Package:1 Core:1 PU:1"

#define OWN_XML(name) TEST_TOPOLOGIES "/" name ".xml"

static const char *const own_machines[] = {
	SMT2_2S,
	MANY_L3_2S,
	SNC2_2S,
	NO_L3,
	TILES,
	VCPUS,
	NO_CORES,
	WIDE,
	ONE_CPU,
	OWN_XML("slow-memory-16t"),
	OWN_XML("restricted-32t"),
	OWN_XML("offline-16t"),
	OWN_XML("uneven-7t"),
	OWN_XML("core-depths-7t"),
	OWN_XML("empty-node-8t"),
	OWN_XML("no-local-8t"),
	OWN_XML("device-memory-8t"),
	OWN_XML("hybrid-12t"),
	OWN_XML("kinds-near-4t"),
};

#define NR_OWN ((int)(sizeof(own_machines) / sizeof(own_machines[0])))

static inline struct topo *load(const char *input)
{
	struct err err = ERR_INIT;
	struct topo *topo = NULL;

	if (topo_load(&topo, input, &err))
		fail_msg("'%s': %s", input ? input : "this system", err.msg);
	return topo;
}

/* skips the test when the recorded machines are not there */
static inline struct topo *load_recorded(const char *name)
{
	const char *shared = test_shared();
	char path[512];

	if (!shared)
		test_skip("no recorded machines: CHARGELINE_SHARED names none");
	snprintf(path, sizeof(path), "%s/topologies/%s.xml", shared, name);
	if (access(path, R_OK))
		test_skip("recorded machine is absent");
	return load(path);
}

/* expected.json: name -> {expected, detail}; the caller drops it */
static inline json_t *load_expected(void)
{
	const char *shared = test_shared();
	char path[512];
	json_t *root;

	if (!shared)
		test_skip("no recorded machines: CHARGELINE_SHARED names none");
	snprintf(path, sizeof(path), "%s/topologies/expected.json", shared);
	root = json_load_file(path, 0, NULL);
	if (!root)
		test_skip("no expected.json beside the recorded machines");
	return root;
}

/* the line of synthetic.tsv is cut in place: name, counts, string; false at the end */
struct synthetic {
	char line[1024];
	const char *name, *string;
	int packages, nodes, cores, pus, smt, l3;
};

static inline bool next_synthetic(FILE *f, struct synthetic *s)
{
	char *field[9], *p;
	int i;

	do {
		if (!fgets(s->line, sizeof(s->line), f))
			return false;
	} while (s->line[0] == '#');
	for (i = 0, p = s->line; i < 9 && p; i++)
		field[i] = strsep(&p, "\t\n");
	if (i < 8)
		return false;
	s->name = field[0];
	s->packages = atoi(field[1]);
	s->nodes = atoi(field[2]);
	s->cores = atoi(field[3]);
	s->pus = atoi(field[4]);
	s->smt = atoi(field[5]);
	s->l3 = atoi(field[6]);
	s->string = field[7];
	return true;
}

/* calls @check on every machine that is there; returns how many */
static inline int each_machine(void (*check)(const struct topo *topo))
{
	const char *shared = test_shared(), *name;
	struct synthetic s;
	char path[512];
	struct topo *topo;
	json_t *all, *one;
	int i, nr = 0;
	FILE *f;

	for (i = 0; i <= NR_OWN; i++, nr++) {
		topo = load(i < NR_OWN ? own_machines[i] : NULL);
		check(topo);
		topo_free(topo);
	}
	snprintf(path, sizeof(path), "%s/topologies/expected.json", shared ? shared : "");
	all = shared ? json_load_file(path, 0, NULL) : NULL;
	json_object_foreach(all, name, one)
	{
		snprintf(path, sizeof(path), "%s/topologies/%s.xml", shared, name);
		topo = load(path);
		check(topo);
		topo_free(topo);
		nr++;
	}
	json_decref(all);
	snprintf(path, sizeof(path), "%s/topologies/synthetic.tsv", shared ? shared : "");
	f = shared ? fopen(path, "re") : NULL;
	for (; f && next_synthetic(f, &s); nr++) {
		topo = load(s.string);
		check(topo);
		topo_free(topo);
	}
	if (f)
		fclose(f);
	return nr;
}

#endif
