/* SPDX-License-Identifier: MIT */
/*
 * results_findings.h - what doctor.h finds, as a part of a result
 */
#ifndef CHARGELINE_REPORTS_RESULTS_FINDINGS_H
#define CHARGELINE_REPORTS_RESULTS_FINDINGS_H

#include <jansson.h>

#include "fields.h"
#include "results.h"

/* examines this system; where that cannot be done a warning says so. 0 or -ENOMEM */
int findings_fill(struct results *r, const struct topo *topo);
void findings_free(struct results *r);

json_t *findings_json(const struct results *r); /* NULL when out of memory */
void findings_read(struct fields *f, const json_t *root, struct results *r); /* may be missing */

#endif
