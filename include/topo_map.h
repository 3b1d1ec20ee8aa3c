/* SPDX-License-Identifier: MIT */
/*
 * topo_map.h - the machine as a map for people
 *
 *   package 0     node 0, 96 GiB, 16 cores, 32 CPUs: 0-15,32-47
 *       L3 x2     8 cores each: 0-7,32-39; 8-15,40-47
 *
 * Sockets with their nodes, memory, caches and CPUs in kernel list format, kinds of cores, and the
 * distances between nodes. ASCII, lines of at most TOPO_MAP_WIDTH columns. 0 or -EIO.
 */
#ifndef CHARGELINE_TOPO_MAP_H
#define CHARGELINE_TOPO_MAP_H

#include <stdio.h>

#include "topo.h"

#define TOPO_MAP_WIDTH 98

int topo_map(const struct topo *topo, FILE *to);

/* the same without its first rows, which name the class, the processor and the source */
int topo_map_body(const struct topo *topo, FILE *to);

#endif
