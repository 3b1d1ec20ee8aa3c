/* SPDX-License-Identifier: MIT */
/*
 * compare.h - is B slower or faster than A?
 *
 *   compare_new -> compare_add, once a file -> compare_make -> compare_text, compare_markdown, compare_json
 *
 * A side is one run or several of one machine class. The same case of both sides (experiment,
 * parameters by name and text, workers, placement, home; of a pair of CPUs these two CPUs) makes a
 * row. The figure that decides is the rate: lower is a regression. The others (metrics) are shown
 * when they differ and decide nothing.
 *
 * What is compared is said by enum compare_unit. Block k of one run and block k of another were
 * not taken at the same time, so windows of two runs never pair: what disturbed one of them cannot
 * cancel. Runs do pair when they were taken in turn.
 *
 * A difference is seen when the p-value, corrected for the number of rows after Holm, is under
 * COMPARE_ERROR, and the 95% interval of the ratio leaves out 1. So a comparison in which nothing
 * differs shows a difference anywhere in at most 5% of the cases: a gate that fails a build must not
 * do it for one row of many that happens to stand out, which rules out a false discovery rate.
 * p is Mann and Whitney's U, or Wilcoxon's signed ranks where runs pair.
 *
 * Memory: compare_add() keeps the figures of the windows and forgets the file.
 * Threads: one thread per struct compare.
 */
#ifndef CHARGELINE_COMPARE_H
#define CHARGELINE_COMPARE_H

#include <stdbool.h>
#include <stdio.h>

#include "err.h"
#include "results.h"
#include "stats.h"

#define COMPARE_FAIL_OVER 0.03
#define COMPARE_ERROR	  0.05
#define COMPARE_MIN_RUNS  5 /* of each side: from there on a run counts as one value */

enum compare_side { COMPARE_A, COMPARE_B };

enum compare_unit {
	COMPARE_WINDOWS,     /* fewer runs: every window is a value; nothing pairs */
	COMPARE_RUNS,	     /* the median of the windows of a run is a value; nothing pairs */
	COMPARE_PAIRED_RUNS, /* the same, and the k-th runs of both sides pair: on one host, by their
			      * start A B, or B A, next to each other for every k, as many of both */
};

enum compare_verdict {
	COMPARE_CANNOT_TELL, /* no values on a side, or too few to see even the clearest difference */
	COMPARE_NONE_SEEN,
	COMPARE_SLOWER, /* B is; of a metric: lower */
	COMPARE_FASTER,
};

/* one figure of one case */
struct compare_figure {
	int n[2];	       /* values of each side, or pairs */
	double median[2];      /* of each side; NaN: no values */
	double stddev[2];      /* relative to the mean; NaN: none, or a mean of 0 */
	struct estimate ratio; /* B / A; n == 0: none, as where a median is 0 */
	double p, p_holm;      /* NaN: under STATS_MIN_N values on a side */
	enum compare_verdict verdict;
};

struct compare_row {
	const struct result_case *c;
	struct compare_figure rate;
	struct compare_figure *metrics; /* c->nr_metrics */
	int nr_marked[2];		/* disturbed windows, left out */
	int nr_zero[2];	 /* windows in which nothing got done: in p, not in the ratio */
	bool other_cpus; /* the same placement, but other CPUs */
	bool regression; /* slower, and by more than fail_over */
};

struct compare;

int compare_new(struct compare **out); /* 0 or -ENOMEM */
void compare_free(struct compare *c);  /* accepts NULL */

/*
 * compare_add - one more run of a side
 * @r is not needed afterwards. A run that the side has already (start, host, seed and command are
 * the same) is left out and that is said. -EINVAL another machine class than the side's, -ENOMEM.
 */
int compare_add(struct compare *c, enum compare_side side, const struct results *r,
		struct err *err);

/* a file that could not be used, as a sentence for the report; 0 or -ENOMEM */
int compare_leave_out(struct compare *c, enum compare_side side, const char *sentence);

/*
 * compare_make - decide, once, when all is added
 * @fail_over: how much slower is a regression, 0.03
 * -EINVAL a side without runs; -ENOMEM
 */
int compare_make(struct compare *c, double fail_over, struct err *err);

/* valid until compare_free() */
const struct compare_row *compare_rows(const struct compare *c, int *nr);
enum compare_unit compare_unit(const struct compare *c);
bool compare_regressed(const struct compare *c);

/* false: no row has a verdict, so that "no regression" would be no answer */
bool compare_tells(const struct compare *c);

int compare_text(const struct compare *c, FILE *to); /* <= 100 columns, ASCII; 0, -ENOMEM, -EIO */
int compare_markdown(const struct compare *c, FILE *to); /* for a wiki, with tables; the same */
int compare_json(const struct compare *c, FILE *to);	 /* strict JSON, one object; the same */

#endif
