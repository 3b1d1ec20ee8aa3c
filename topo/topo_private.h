/* SPDX-License-Identifier: MIT */
/*
 * topo_private.h - what the files of topo/ share: the machine as plain arrays
 *
 * topo.c asks hwloc and fills the facts; relate.c derives what hwloc does not say (local node,
 * socket, cluster, kinds); class.c names the machine; place.c only reads. input.c judges text
 * before hwloc sees it, system.c reads /proc and /sys of this system.
 */
#ifndef CHARGELINE_TOPO_PRIVATE_H
#define CHARGELINE_TOPO_PRIVATE_H

#include <stddef.h>

#include "topo.h"

enum cpu_state { CPU_ABSENT, CPU_USABLE, CPU_DISALLOWED, CPU_OFFLINE };

/* per CPU, what only the derivation needs */
struct cpu_raw {
	struct cpulist local_nodes; /* indexes; several where memory is of several kinds */
	int l2_cpus;		    /* usable CPUs that share its L2 */
	int kind;		    /* index into raw kinds, -1 none */
	uint64_t l1d_bytes, l2_bytes;
};

struct kind_raw {
	int efficiency; /* hwloc's, -1 unknown */
	int max_mhz, base_mhz, capacity;
	char type[24]; /* "IntelCore", ...; "" unknown */
};

/* what names the processor; 0 and "" are unknown, numbers that may be 0 start at -1 */
struct cpu_id {
	char vendor[32]; /* "GenuineIntel", ...; "" also on Arm */
	int family, model, stepping;
	int implementer, part; /* Arm MIDR */
	char platform[128];    /* DMI vendor and product, "" unknown */
};

struct topo {
	struct topo_info info;
	struct topo_cpu *cpus;
	struct cpu_raw *raw;
	int nr_cpus;
	struct topo_node *nodes;
	uint64_t *latency; /* of each node from its own CPUs, ns; 0 unknown */
	int nr_nodes;
	int *distance; /* nr_nodes x nr_nodes; NULL when nothing says */
	struct topo_kind *kinds;
	int nr_kinds;
	struct kind_raw *raw_kinds;
	int nr_raw_kinds;
	unsigned char *state; /* enum cpu_state by OS number */
	int *by_os;	      /* index into cpus or -1 */
	int nr_os;
	struct cpu_id id;
	char *input;
};

#define TOPO_MAX_OS (CPULIST_MAX_CPU + 1)

/* input.c: what @input is, judged before hwloc reads a byte of it */
enum input_kind { INPUT_SYSTEM, INPUT_XML, INPUT_SYNTHETIC };
enum input_kind input_classify(const char *input);
int input_read_xml(const char *path, char **out, size_t *size,
		   struct err *err); /* NUL-terminated */
int xml_check(const char *path, const char *text, size_t size, struct err *err); /* xml.c */

/* guard.c: is @read(@arg) safe? 0 it is, 1 it returns an error, -EINVAL with a sentence: crash, time */
int guard_try(int (*read)(void *), void *arg, const char *what, struct err *err);
int input_check_synthetic(const char *text, struct err *err);

/* topo.c: all that hwloc says; what it does not say is left 0 or -1 */
int topo_read(struct topo *topo, const char *input, struct err *err);

/* system.c: this system only; nothing here fails, what cannot be read is left as it was */
int system_affinity(struct cpulist *out, struct err *err); /* of the calling thread */
void system_cpu_id(struct cpu_id *id, char *model, size_t size);
void system_hypervisor(char *name, size_t size);
bool system_smt_off(void);
bool system_read_line(const char *path, char *buf, size_t size); /* without '\n'; false: none */
bool system_nodes_missing(void);
bool system_has_node(int node); /* also one without memory, which hwloc leaves out */
int system_near_node(const char *root, int cpu, const struct topo *topo); /* index or -1 */

/* relate.c */
int topo_relate(struct topo *topo); /* 0 or -ENOMEM */
int topo_find_kinds(struct topo *topo);
int topo_nearest_node(const struct topo *topo, int from, bool general); /* with memory; -1 none */

/* class.c: uarch, hypervisor from text, class_name */
const char *topo_platform_hypervisor(const char *text); /* DMI words or CPU model; "" none */
int topo_classify(struct topo *topo);			/* 0 or -ENOMEM */
void topo_uarch(const struct cpu_id *id, const char *model, char *name, size_t size);

#endif
