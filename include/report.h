/* SPDX-License-Identifier: MIT */
/*
 * report.h - what the record says: effects with intervals, the batch to pick, text and HTML
 *
 * report_build() turns result files into one struct report; the writers print that struct and
 * compute nothing. Every effect is a median of ratios of windows of the same block, with a 95%
 * bootstrap interval; marked windows are left out and counted.
 *
 * Ownership: a struct report borrows from the results it was built from: free it first.
 * Threads: none shared.
 */
#ifndef CHARGELINE_REPORT_H
#define CHARGELINE_REPORT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "err.h"
#include "results.h"
#include "stats.h"

/* ---------------------------------------------------------------------- pick
 *
 * The batch is the smallest one from which no larger measured batch gains more than the margin.
 * It is judged by intervals: "enough" is a batch where every larger one is proved to gain less
 * (upper end <= margin), "too small" is one where some larger one is proved to gain more (lower
 * end > margin). When the smallest that is not too small is also enough, that is the pick; when
 * not, the data cannot tell, and the range they leave is given.
 *
 * It is made per demand: the local work per page, which says how fast real work charges pages.
 * Saturated (no local work) every doubling pays, so a pick made there would always be the largest:
 * it is shown, and not used.
 */
struct pick_options {
	double margin;            /* 0.03 */
	int64_t max_batch;        /* 0: no limit */
	int64_t max_stranded;     /* bytes of batch x CPUs x slots; 0: no limit */
	int slots;                /* memcgs whose pages one CPU may hold: 1..15; 0: 1 */
	const char *layout;       /* NULL: the newest release's layout that was measured */
};

struct pick_row {             /* one measured batch at one demand */
	int64_t batch;
	struct estimate rate;     /* pages per second, all workers */
	struct estimate gain;     /* best larger batch / this one; n == 0: there is no larger one */
	int64_t gain_batch;       /* which larger one that is */
	double stranded_bytes;    /* batch x CPUs x slots, pages of this machine */
	double stale_updates;     /* batch x CPUs: statistics may be behind by this many updates */
	bool too_small, enough;
	bool allowed;             /* under max_batch and max_stranded */
	bool needs_wide;          /* over 127: not with 8-bit slot counts */
	double demand_from_ns;    /* enough from this local work per page up; NaN: not bracketed */
};

struct pick_demand {
	int64_t work_ns;          /* local work per page and worker; 0 saturated */
	int nr_workers;           /* all that were measured */
	struct pick_row *rows;    /* by batch, ascending */
	int nr_rows;
	bool decided;             /* false: cannot tell */
	int64_t batch;            /* decided: the pick */
	int64_t range_lo, range_hi; /* not decided: what the data leave; hi 0: unbounded */
	bool bound_by_limit;      /* a limit, not the data, fixed it */
	int more_blocks;          /* not decided: about how many more blocks would; 0 unknown */
	char why[240];            /* one sentence */
};

struct pick {
	char *class_name;
	const char *layout, *experiment;
	int cpus;                 /* of the machine: stranded pages and staleness count all */
	int page_bytes;
	double margin;
	struct pick_demand *demands; /* by work_ns ascending, 0 first when it was measured */
	int nr_demands;
	bool decided;             /* the worst of the demands with work is decided */
	int64_t batch;            /* the largest pick of those demands */
	char sentence[400];       /* the recommendation, or why there is none */
};

/* @r: files of one machine class. -EINVAL: nothing in them to pick from, with what is missing */
int pick_make(const struct results *const *r, int nr, const struct pick_options *opt,
	      struct pick **out, struct err *err);
void pick_free(struct pick *p);
int pick_text(const struct pick *p, FILE *to);
int pick_json(const struct pick *p, FILE *to); /* strict JSON, one object */

/* -------------------------------------------------------------------- report */

struct report;

/* @nr >= 1 results of one machine class; others are refused with -EINVAL naming both classes */
int report_build(const struct results *const *r, int nr, const struct pick_options *opt,
		 struct report **out, struct err *err);
void report_free(struct report *rep);

int report_text(const struct report *rep, FILE *to); /* <= 100 columns, ASCII; 0 or -EIO */
int report_html(const struct report *rep, FILE *to); /* one self-contained page; 0 or -EIO */

/* ------------------------------------------------------- JSON for other commands */

int json_topo(const struct topo *topo, FILE *to); /* what "chargeline topo --json" prints */

#endif
