/* SPDX-License-Identifier: MIT */
/*
 * topo.h - the machine: its CPUs, caches and memory nodes, who may be used, who is near whom
 *
 * One struct topo is one machine as one moment saw it: this system, an hwloc XML file or an hwloc
 * synthetic string, all through the same calls. hwloc stays inside topo/topo.c.
 *
 * Numbers. "os" is always the kernel's number (CPU 17, node 8): what taskset and /sys say. Indexes
 * (core, package, die, l3, node index) are positions in this struct's arrays, in hwloc's logical
 * order; they are never shown to a user as if they were kernel numbers. -1 means "has none":
 * a PU without a Core object, a CPU without local memory, a machine without L3. OS numbers have
 * holes, may not start at 0 and may exceed the count: nothing here is computed from number ranges.
 *
 * Relations are three different things and each may be empty: same L3, same node, same package.
 *
 * Only CPUs that this process may use are in topo_cpus(); what the machine has beyond them is in
 * struct topo_info as counts and lists.
 *
 * Ownership: topo_load() allocates, topo_free() frees, every pointer handed out lives that long.
 * Threads: a loaded topo never changes; any number of readers at once.
 */
#ifndef CHARGELINE_TOPO_H
#define CHARGELINE_TOPO_H

#include <stdbool.h>
#include <stdint.h>

#include "err.h"
#include "text.h"

struct topo;

struct topo_cpu {
	int os;	     /* the kernel's CPU number */
	int core;    /* index of its core; a PU without Core object is a core of its own */
	int smt;     /* 0 for the first usable thread of that core, 1 for the second, ... */
	int package; /* index; -1: the machine has no Package objects */
	int die;     /* index; -1: no Die objects */
	int l3;	     /* index of the L3 cache; -1: unknown or none */
	int l2;	     /* index of the L2 cache; -1: unknown or none */
	int socket;  /* what "one socket" means, see below; never -1 */
	int cluster; /* index of the cache narrower than socket and node; -1: none, see below */
	int node;    /* index of its local memory node (the fastest general one); -1: none local */
	int node_near; /* node, or when there is none the nearest node with memory; -1: no node */
	int kind; /* hybrid machines: 0.. from the most efficient to the fastest; 0 elsewhere */
	int package_os; /* the kernel's number of the package, -1 unknown */
};

/*
 * These are derived, because hwloc's objects do not always mean what
 * their name says.
 *
 * node:    of several local nodes (HBM, persistent memory) the general one: one that has memory,
 *          then by subtype (DRAM, unnamed, HBM, slower kinds), then the smallest sum of distances
 *          from all nodes, then the latency that the firmware states, then the lowest number.
 * socket:  the package. Where there are no Package objects, or every package holds a single core
 *          and nodes hold several of them (a virtual machine that shows each vCPU as a package),
 *          the nearest node; without nodes, one socket.
 * cluster: the L3 cache, when it covers less than its socket and lies inside one node; else the L2
 *          cache under the same rule, when several cores share it (Knights Landing's tiles,
 *          efficient cores); else -1. An L3 that is the whole package, or spans several nodes
 *          (sub-NUMA clustering), brings no CPUs nearer than node and package already say.
 */

/* cores that are alike; a machine that is not hybrid has one kind */
struct topo_kind {
	int nr_cpus, nr_cores;	      /* usable */
	int smt_max;		      /* threads per core of this kind */
	int max_mhz, base_mhz;	      /* 0 unknown */
	uint64_t l1d_bytes, l2_bytes; /* of one cache; 0 unknown */
};

struct topo_node {
	int os;		 /* the kernel's node number */
	uint64_t memory; /* bytes; 0: unknown or none, see memory_known */
	bool memory_known;
	int nr_cpus;	     /* usable CPUs that are local to it; 0: a memory-only node */
	struct cpulist cpus; /* those CPUs, kernel's numbers; several nodes may have the same */
	bool default_target; /* general memory: not GPU, HBM or slow memory beside a faster node */
	const char *subtype; /* "DRAM", "HBM", "NVM", "GPUMemory", ...; NULL when nothing says */
};

struct topo_info {
	/* as expected.json of the recorded machines counts: objects with at least the default view */
	int packages, dies, numa_nodes, cores, pus, l3_caches;
	int smt_min, smt_max; /* threads per core; 0 when there are no Core objects */
	int cpuless_nodes, memoryless_nodes;
	int cpukinds;	    /* 1 unless the machine is hybrid */
	int pus_disallowed; /* online, but not ours: cpuset, cgroup, taskset */
	int pus_offline;
	int nodes_disallowed;
	struct cpulist disallowed, offline; /* those CPUs, kernel's numbers, ascending */
	struct cpulist disallowed_nodes;    /* kernel's numbers */
	int sockets, clusters; /* how many different ones topo_cpu names; clusters may be 0 */
	bool smt_off;	       /* second threads exist and are offline */
	bool nodes_assumed;    /* the kernel shows no NUMA directory: one node assumed */
	uint64_t l1d_bytes, l2_bytes, l3_bytes; /* of one cache, the largest kind; 0 unknown */
	bool restricted;     /* some online CPU or node may not be used by this process */
	bool is_this_system; /* false: never measure on it */
	bool distances_known;
	char class_name[96]; /* the machine class, see topo_class() below */
	char model[128];     /* CPU model text, trimmed; "" unknown */
	char arch[32];	     /* "x86_64", "aarch64", ...; "" unknown */
	char uarch[32];	     /* "icx", "zen5", "n1", or the neutral name */
	char hypervisor[32]; /* "" none seen; "kvm", "qemu-tcg", "vmware", ... */
	const char *input;   /* what was loaded; "" for this machine */
};

/*
 * topo_load - read a machine
 * @input: NULL for this system; else an hwloc XML file, or a synthetic string
 *         ("Package:2 [NUMANode(memory=96GiB)] L3Cache:1 Core:18 PU:2"). What exists, contains a
 *         slash or ends in ".xml" is a file. HWLOC_SYNTHETIC and HWLOC_XMLFILE stand in for NULL.
 *
 * This system is cut to what hwloc says is allowed and to the affinity of the calling thread. Files
 * and strings are judged first and then tried in a child process, because hwloc can crash on them.
 * Errors: -ENOENT no such file, -EINVAL neither XML topology nor synthetic string (the sentence
 * says which part), -EFBIG a file over TOPO_MAX_FILE, -EOPNOTSUPP no usable CPU here, -ENOMEM.
 * A file that hwloc cannot read because a newer hwloc wrote it is named as such.
 */
int topo_load(struct topo **out, const char *input, struct err *err);
void topo_free(struct topo *topo);

#define TOPO_MAX_FILE (16 << 20) /* bytes of an XML file; 2000 CPUs with all I/O are about 5 MB */
#define TOPO_MAX_PUS  8192 /* of an XML file or synthetic string; Linux on x86 has at most 8192 */

const struct topo_info *topo_info(const struct topo *topo);
const struct topo_cpu *topo_cpus(const struct topo *topo, int *nr); /* usable ones, tree order */
const struct topo_node *topo_nodes(const struct topo *topo, int *nr);
const struct topo_cpu *topo_cpu_by_os(const struct topo *topo, int os); /* NULL: not usable */
int topo_node_index(const struct topo *topo, int os);			/* -1: no such node */
const struct topo_kind *topo_kinds(const struct topo *topo, int *nr);

/* "does not exist", "is offline", "is not allowed for this process"; NULL: the CPU is usable */
const char *topo_cpu_reason(const struct topo *topo, int os);

/* the NUMA distance (SLIT: 10 = local) between node indexes; 0 when the machine does not say */
int topo_distance(const struct topo *topo, int node_a, int node_b);

/* the relation of two CPUs, nearest first; what transfer costs depend on */
enum topo_relation {
	TOPO_SAME_CPU,
	TOPO_SAME_CORE,	   /* SMT siblings */
	TOPO_SAME_L3,	   /* same cluster: a cache smaller than socket and node */
	TOPO_SAME_NODE,	   /* same socket, same nearest node */
	TOPO_SAME_PACKAGE, /* same socket, other node */
	TOPO_CROSS_PACKAGE,
};
enum topo_relation topo_relation(const struct topo_cpu *a, const struct topo_cpu *b);
const char *topo_relation_name(enum topo_relation r); /* "same-core", "same-l3", ... */

/* ---------------------------------------------------------------- placements
 *
 * A placement says in which order CPUs are given to workers. Every one returns distinct usable
 * CPUs, built from relations, never from number ranges; when it has fewer than asked it says why.
 *
 *   cores-first     one thread of each core, package by package, then the second threads
 *   compact         fill a core with its threads, then its L3, node, package
 *   scatter         deal round the packages, then nodes, then L3s; siblings last
 *   one-socket      cores-first inside the package that has most usable cores (ties: the first)
 *   cross-socket    two packages in turn: worker 0 here, worker 1 there, siblings last; as many
 *                   from each, so the smaller one limits
 *   one-l3          cores-first inside the L3 that has most usable cores
 *   smt-siblings    pairs of siblings: core 0 thread 0, core 0 thread 1, core 1 thread 0, ...; of
 *   one-per-core    the first thread of each core, and no more
 *   one-per-l3      the first core of each L3, and no more
 *                   wider cores the third and fourth threads follow after all first pairs
 *   kind-N          cores-first inside CPU kind N of a hybrid machine
 *   <CPU list>      "0-17,36-53", "8-159:8": exactly these, in this order
 *
 * On a hybrid machine every named placement but compact and kind-N uses the fastest kind only.
 */
struct topo_placement {
	const char *name, *help;
};
const struct topo_placement *
topo_placements(int *nr); /* the names that take no parameter, + kind-N */

/*
 * topo_place - choose CPUs for workers
 * @spec:       a placement's name or a CPU list
 * @nr_workers: how many are wanted; 0: as many as the placement has
 * @out:        replaced; exactly nr_workers (or all) distinct usable OS CPU numbers, worker order
 * Errors: -EINVAL unknown name (nearest given), CPU not usable (named, with the reason);
 * -EOPNOTSUPP the placement does not exist here or has too few CPUs (both numbers in the sentence).
 */
int topo_place(const struct topo *topo, const char *spec, int nr_workers, struct cpulist *out,
	       struct err *err);

/*
 * topo_home - which node shall hold the shared lines
 * @spec:  "local" (node of the first CPU), "node-N" (kernel's number), "farthest" (from the first
 *         CPU), "interleave" (-1 is stored in @node_os)
 * @cpus:  the workers' CPUs
 * @note:  may be NULL; filled when a fallback was taken ("CPU 12 has no local memory: node 0 ..."),
 *         "" otherwise
 * Errors: -EINVAL unknown spec or node; -EOPNOTSUPP the node has no memory.
 */
int topo_home(const struct topo *topo, const char *spec, const struct cpulist *cpus, int *node_os,
	      char *note, size_t note_size, struct err *err);

/* ------------------------------------------------------------- machine class
 *
 * Same class, same answer: the text names what decides contention, not the serial number.
 *
 *   <uarch>-<S>s<C>c<T>t-<N>n          sockets, cores of the largest socket, threads, nodes
 *   [-sncK|-npsK|-l3numa][-Kl3][-asymC][-hybridF+E][-vm[-tcg]][-restricted][-smtoff][-nolocal]
 *   [-nocore][-nol3]                   marks, always in this order
 *
 * N counts the nodes that are some CPU's local general memory. Numbers of CPUs and nodes, their
 * order, memory sizes and distances are not part of it, so two machines that differ in those alone
 * have the same class. The rule in full is the text of topo_class_help(), which "chargeline topo
 * --help" prints; where every microarchitecture name comes from is in topo/uarch.c.
 */
const char *topo_class_help(void);

#endif
