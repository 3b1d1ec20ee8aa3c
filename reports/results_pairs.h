/* SPDX-License-Identifier: MIT */
/*
 * results_pairs.h - what a record says about pairs of CPUs
 *
 * Both "pairs" and "relation" are younger than the first files and may be missing there.
 */
#ifndef CHARGELINE_REPORTS_RESULTS_PAIRS_H
#define CHARGELINE_REPORTS_RESULTS_PAIRS_H

#include "fields.h"
#include "results.h"

/*
 * results_fill_pairs - the relation of every case that is a pair of CPUs, and how many pairs
 * their CPUs make; @r has the cases of @plan, in its order. 0 or -ENOMEM
 */
int results_fill_pairs(struct results *r, const struct topo *topo, const struct plan *plan);

/* r->nr_pairs: is there any; as an object (NULL: out of memory); back from it */
bool results_has_pairs(const struct results *r);
json_t *results_pairs_json(const struct results *r);
void results_read_pairs(struct fields *f, const json_t *root, struct results *r);

/* of a case whose CPUs and workers are read */
void results_read_relation(struct fields *f, const json_t *o, struct result_case *c);

#endif
