/* SPDX-License-Identifier: MIT */
/*
 * topo_rows.h - the rows that the map of a machine is made of, private to cli/topo_*.c
 */
#ifndef CHARGELINE_TOPO_ROWS_H
#define CHARGELINE_TOPO_ROWS_H

#include <stdio.h>

#include "topo.h"

#define INDENT 14 /* columns of the label */

/* one line after its label, wrapped after blanks and commas */
void row(FILE *to, const char *label, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

const char *plural(int n); /* "" or "s" */

/* CPUs that are gathered while the machine is walked; start from {0}, end with group_reset() */
struct group {
	struct cpulist cpus;
	int cores;
};

void group_add(struct group *g, const struct topo_cpu *cpu);
void group_reset(struct group *g);

/* "16 cores, 32 CPUs: 0-15,128-143"; @where: " in one L3" or ""; free() it; NULL out of memory */
char *group_text(const struct group *g, const char *where);

/* "96 GiB", "no memory", "memory unknown"; returns @buf */
const char *memory_text(const struct topo_node *n, char *buf, size_t size);

/* topo_notes.c: what the tree of packages does not show */
void map_hidden(const struct topo_info *f, FILE *to);
void map_kinds(const struct topo *topo, FILE *to);
void map_odd_nodes(const struct topo *topo, FILE *to);
void map_distances(const struct topo *topo, FILE *to);

#endif
