/* SPDX-License-Identifier: MIT */
/*
 * topo_map.h - the machine as a map for people, private to cli/
 *
 * At most 98 columns; CPUs in kernel list format. 0 or -EIO.
 */
#ifndef CHARGELINE_TOPO_MAP_H
#define CHARGELINE_TOPO_MAP_H

#include <stdio.h>

#include "topo.h"

int topo_map(const struct topo *topo, FILE *to);

#endif
