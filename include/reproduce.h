/* SPDX-License-Identifier: MIT */
/*
 * reproduce.h - published cases: published | predicted on their machine | measured here
 *
 * A case of bench.h becomes figures, one line of the table each:
 *
 *   kind of case   figure          is                                           error_points
 *   rates          FIGURE_CHANGE   rate against the base row, %                 difference, points
 *   shares         FIGURE_SHARE    CPU time that is no local work, %            difference, points;
 *                                  (1 - rate x work_ns / workers)               of a range: to its
 *                                                                               nearer end, 0 inside
 *                  FIGURE_FACTOR   rate against the base row, a factor; of      % of the published
 *                                  rows with a published change                 factor
 *   with .count    FIGURE_COUNT    that metric: it follows from the rules       none: not published
 *
 * Predicted and measured figures are computed by the same code from rates and metrics; a row is
 * compared with the base row on as many workers as itself. "fit" is said of the figures of rows
 * that a free number was fitted on, and of the base; all others are "predicted". A prediction uses
 * of its row only what bench_published_params() does: its sets (and its number of workers).
 *
 * Refit: the free numbers are found again, from the published values of their rows alone; the
 * stored ones are not looked at. An exact one by its arithmetic; the others by a search for the value
 * at which the model's figure of the row is the published one. A found number within REFIT_TOLERANCE
 * of the stored one is the same: the search ends at 0.5%, the simulation is as uncertain.
 *
 * Threads: none shared; predictions run on all cores.
 */
#ifndef CHARGELINE_REPRODUCE_H
#define CHARGELINE_REPRODUCE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "bench.h"
#include "err.h"
#include "results.h"
#include "stats.h"

#define REFIT_TOLERANCE 0.05

enum figure { FIGURE_CHANGE, FIGURE_SHARE, FIGURE_FACTOR, FIGURE_COUNT };

/* Absent is NaN (an estimate: n == 0), and then why says why; else why is "". */
struct reproduce_row {
	const struct bench_published_row *row;
	enum figure figure;
	char name[96];	     /* "batch 64"; but of changes with the figure: "guarded: factor" */
	double published[2]; /* least and most */
	char published_why[160];
	double predicted;
	char predicted_why[160];
	bool fitted;
	double error_points;
	char error_why[160];
	struct estimate measured;
	char measured_why[240];
};

struct reproduce_fit {
	const struct bench_fit *fit;
	char unit[32];
	bool refitted; /* found is set */
	int64_t found;
	bool differs;  /* by more than REFIT_TOLERANCE */
	char why[480]; /* not refitted: why */
};

struct reproduce_case {
	const struct bench_published_case *c;
	struct reproduce_row *rows;
	int nr_rows;
	struct reproduce_fit fit[BENCH_PUBLISHED_FITS];
	int nr_fits;
	char machine[64]; /* the profile that the model used */
	int machine_cpus, nr_workers;
	int measured_workers; /* 0: not measured */
};

struct reproduction {
	struct reproduce_case *cases;
	int nr;
	bool refit; /* it was asked for */
};

struct reproduce_progress {
	/* called often; true: stop, keep what is done */
	bool (*tell)(void *ctx, const char *what, int nr_done, int nr);
	void *ctx;
};

/*
 * reproduce_predict - every figure of @nr cases by the model; the measured ones are absent
 * @refit: also find the free numbers again
 * @out:   set for 0 and 1; reproduce_free() it
 * Returns 0; 1 when tell() stopped it; -EINVAL: @refit and one of the cases has nothing to fit, a
 * case has more workers than its profile has CPUs, what sim_run() refuses; -ENOMEM.
 */
int reproduce_predict(struct reproduction **out, const struct bench_published_case *const *cases,
		      int nr, bool refit, const struct reproduce_progress *progress,
		      struct err *err);

/* whether a number of @c is free, so that there is something to find again */
bool reproduce_can_refit(const struct bench_published_case *c);

/* the measured column of all cases, from the record of a plan of them; -ENOMEM */
int reproduce_measured(struct reproduction *r, const struct results *record, struct err *err);

/* why case @idx was not measured: the sentence of all its figures that have no number */
void reproduce_not_measured(struct reproduction *r, int idx, const char *why);

void reproduce_free(struct reproduction *r);

int reproduce_text(const struct reproduction *r, FILE *to); /* <= 100 columns; 0, -ENOMEM, -EIO */

/*
 * json_reproduce - one object: schema, version, cases and rows
 * A row has case, row, published, predicted, kind, error_points and measured, and beside a null the
 * field of its name with _reason. published is a number, or [least, most] where a range was
 * published. A case has the machine of the model, the fitted numbers with values, units and the row
 * of each, and notes. 0, -ENOMEM or -EIO.
 */
int json_reproduce(const struct reproduction *r, FILE *to);

#endif
