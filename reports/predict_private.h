/* SPDX-License-Identifier: MIT */
/* predict_private.h - what the files of a predicted report share */
#ifndef CHARGELINE_REPORTS_PREDICT_PRIVATE_H
#define CHARGELINE_REPORTS_PREDICT_PRIVATE_H

#include "doc.h"
#include "report.h"
#include "sim.h"

/* does parameter @p differ between the cases that have it? */
bool predict_varies(const struct plan *plan, const struct experiment *e, const struct param *p);

/* predict_page.c: sections, and the figures of one experiment into the open one. All say that
 * they are predictions. @nr_figures: of the page so far */
void predict_answer(struct doc *d, const struct sim_profile *p, const struct plan *plan,
		    const struct sim_result *r);
void predict_map(struct doc *d, const struct sim_profile *p);
void predict_figures(struct doc *d, const struct plan *plan, const struct sim_result *r,
		     const struct experiment *e, int *nr_figures);

#endif
