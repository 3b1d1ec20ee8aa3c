/* SPDX-License-Identifier: MIT */
/*
 * published.h - the rows of a published case among measured series, and their figures
 *
 * A figure is computed from what was seen of a row and of the base row on as many workers; whether
 * that was measured or predicted makes no difference (a prediction is one window).
 */
#ifndef CHARGELINE_REPORTS_PUBLISHED_H
#define CHARGELINE_REPORTS_PUBLISHED_H

#include "bench.h"
#include "doc.h"
#include "reproduce.h"
#include "series.h"

/* a case, and what tells its rows apart */
struct published {
	const struct bench_published_case *c;
	const struct experiment *exp;
	bool axis[EXPERIMENT_MAX_PARAMS]; /* of exp->params */
	void *params;			  /* room for those of a row */
};

int published_open(struct published *p, const struct bench_published_case *c); /* 0 or -ENOMEM */
void published_close(struct published *p);

/* is @c the row's, whatever was set for all rows? */
bool published_is_row(const struct published *p, const struct bench_published_row *row,
		      const struct result_case *c);

/* the series of @row that goes with that of the base, NULL: none */
const struct series *published_find(const struct published *p, const struct series_set *set,
				    const struct bench_published_row *row,
				    const struct result_case *base);

/* reproduce.c: the measured column of one case. 0 or -ENOMEM */
int reproduce_case_measured(struct reproduce_case *c, const struct series_set *set);

/* reproduce_text.c: the rows of a case as a table, published | predicted | measured */
void reproduce_table(struct doc *d, const struct reproduce_case *c);

/* ------------------------------------------------------------------------ figures */

struct seen {
	const struct series *s; /* NULL: nothing */
	int64_t work_ns;	/* per operation; 0: none, or the experiment has none */
	int nr_workers;
};

/* what figures @row of @c makes, at most FIGURE_COUNT + 1; returns how many */
int figures_of(const struct bench_published_case *c, const struct bench_published_row *row,
	       enum figure *out);

/* what was published; NaN: nothing */
void figure_published(const struct bench_published_case *c, const struct bench_published_row *row,
		      enum figure figure, double published[2]);

/*
 * figure_seen - the figure of a row, in its unit
 * n == 0 in @out: there is none, and *why says why. 0 or -ENOMEM.
 */
int figure_seen(const struct bench_published_case *c, enum figure figure, const struct seen *row,
		const struct seen *base, struct estimate *out, const char **why);

/* reproduce.h's error_points; NaN when one of the two is */
double figure_error(enum figure figure, const double published[2], double predicted);

#endif
