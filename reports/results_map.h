/* SPDX-License-Identifier: MIT */
/* results_map.h - the map of the machine in a record: lines of text */
#ifndef CHARGELINE_REPORTS_RESULTS_MAP_H
#define CHARGELINE_REPORTS_RESULTS_MAP_H

#include <jansson.h>

#include "fields.h"
#include "results.h"

int results_map_fill(struct results *r, const struct topo *topo); /* 0 or -ENOMEM */

json_t *results_map_json(const struct results *r); /* null: there is none; NULL without memory */
void results_map_read(struct fields *f, const json_t *machine,
		      struct results *r); /* may be missing */

#endif
