/* SPDX-License-Identifier: MIT */
/*
 * map_rows.h - the rows that the map of a machine is made of, private to topo/map*.c
 */
#ifndef CHARGELINE_TOPO_MAP_ROWS_H
#define CHARGELINE_TOPO_MAP_ROWS_H

#include <stdio.h>

#include "topo.h"

#define INDENT 14 /* columns of the label */

/* one line after its label, wrapped after blanks and commas */
void map_row(FILE *to, const char *label, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

const char *map_plural(int n); /* "" or "s" */

/* CPUs that are gathered while the machine is walked; start from {0}, end with map_group_reset() */
struct map_group {
	struct cpulist cpus;
	int cores;
};

void map_group_add(struct map_group *g, const struct topo_cpu *cpu);
void map_group_reset(struct map_group *g);

/* "16 cores, 32 CPUs: 0-15,128-143"; @where: " in one L3" or ""; free() it; NULL out of memory */
char *map_group_text(const struct map_group *g, const char *where);

/* "96 GiB", "no memory", "memory unknown"; returns @buf */
const char *map_memory_text(const struct topo_node *n, char *buf, size_t size);

/* map_notes.c: what the tree of packages does not show */
void map_hidden(const struct topo_info *f, FILE *to);
void map_kinds(const struct topo *topo, FILE *to);
void map_odd_nodes(const struct topo *topo, FILE *to);
void map_distances(const struct topo *topo, FILE *to);

#endif
