/* SPDX-License-Identifier: MIT */
/*
 * plots.h - what the plots of a report are made of
 *
 * A figure shows numbers that a table of the same section has too; what it adds is a sentence, its
 * text alternative. Estimates of a figure are those of the tables, from the same functions.
 */
#ifndef CHARGELINE_REPORTS_PLOTS_H
#define CHARGELINE_REPORTS_PLOTS_H

#include "report_private.h"

/* plots.c: of the grid; nothing where there are fewer than two points to join */
void figure_scaling(struct doc *d, const struct report *rep, int layout);
void figure_batch(struct doc *d, const struct report *rep, int layout);
void figure_layouts(struct doc *d, const struct report *rep);

/* plot_cases.c: a metric over the number that was swept most; none for over DOC_STYLES curves */
struct figure_of {
	const char *id, *title, *metric, *y; /* y: what the metric is, for the axis */
	bool percent;
};
void figure_cases(struct doc *d, const struct series *const *s, int nr,
		  const struct figure_of *what);

/* the points of a curve; an estimate without windows is none, an interval of too few neither */
void figure_point(struct doc *d, double x, const struct estimate *e, double scale);

/*
 * knee.c: where the shared line saturates: workers x pages/s x updates per charge / batch x service
 * time reaches 1. The measured knee is where the first two lines through the measured curve meet: in
 * proportion to the batch, as at the smallest one, and flat, as at the largest one.
 */
struct knee {
	double predicted;	     /* batch; NaN: not known, why says what is missing */
	double measured;	     /* batch; NaN: not in the measured range, or not known */
	bool below, over;	     /* the measured one is outside of the batches */
	double updates;		     /* of the busiest line per charge of a batch */
	double service_ns, pages_ns; /* of the line; of one worker per page where nobody waits */
	const char *why;
};
int knee_find(const struct report *rep, int layout, int work, struct knee *out);
void knee_table(struct doc *d, const struct report *rep, int layout);

/* overlay.c: the model's rates beside the measured ones */
struct experiment;
void *case_params(const struct experiment *exp, const struct result_case *c); /* or NULL; free() */
bool overlay_rate(const struct overlay *o, const struct series *s, double *rate);
void overlay_sections(struct doc *d, const struct report *rep, int layout);

/* lines.c: the grid's layouts as their cache lines, as the model sees them touched */
void lines_sections(struct doc *d, const struct report *rep);

/* repeat.c: the command of each figure, and of what this record does not have */
void repeat_figures(struct doc *d, const struct report *rep, int layout);

#endif
