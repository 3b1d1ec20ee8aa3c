/* SPDX-License-Identifier: MIT */
/*
 * results_counters.h - what was counted in the windows, as a part of a result
 *
 * "counters" is younger than the first files and may be missing there, in the root and in samples.
 */
#ifndef CHARGELINE_REPORTS_RESULTS_COUNTERS_H
#define CHARGELINE_REPORTS_RESULTS_COUNTERS_H

#include <jansson.h>

#include "fields.h"
#include "results.h"

void results_counters_free(struct results *r);

json_t *results_counters_json(const struct results *r); /* NULL when out of memory */
void results_counters_read(struct fields *f, const json_t *root, struct results *r);

/* into and out of the object of a window; -ENOMEM */
int sample_counters_json(json_t *o, const struct results *r, const struct sample *s);
void sample_counters_read(struct fields *f, const json_t *o, const struct results *r,
			  struct sample *s);

#endif
