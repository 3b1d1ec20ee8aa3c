/* SPDX-License-Identifier: MIT */
/*
 * series.h - the cases of all files together, and the estimates made from them
 *
 * The same case of several files (experiment, parameters by name and text, workers, placement,
 * home) is one series. Of a pair of CPUs it is the two CPUs, their relation and the home node that
 * must be the same instead of the placement. Its windows keep the file and the block they are from: two windows pair
 * only when both are equal, so drift between blocks and between files cancels.
 *
 * A grid is the part of the series that a batch can be picked from: one experiment in one setting,
 * by layout, local work, workers and batch.
 *
 * Ownership: everything borrows from the results; of a series_adder that copies, the set owns what
 * it needs of them, and that is the rates alone: no metrics, no fairness, no counters.
 */
#ifndef CHARGELINE_REPORTS_SERIES_H
#define CHARGELINE_REPORTS_SERIES_H

#include "results.h"
#include "run_ids.h"
#include "stats.h"

struct window {
	int64_t pair; /* file << 32 | block */
	double rate;
	const struct sample *s; /* NULL in a set that copied */
};

struct series {
	const struct result_case *c; /* of the first file that has it */
	struct window *valid;	     /* by pair, ascending */
	int nr_valid, room;
	int nr_marked;
	bool in_grid, in_matrix;
};

struct series_set {
	struct series *s; /* in the order of first appearance */
	int nr;
	bool copied;
};

/*
 * series_load - all cases of @nr files
 * A run that is given twice (start, host, seed and command are the same) is used once: windows
 * counted twice would make the intervals narrower than the data.
 * -EINVAL for files of two machine classes, naming both; -ENOMEM.
 */
int series_load(struct series_set *set, const struct results *const *r, int nr, struct err *err);

/*
 * series_adder - the same, one file after the other; with @copies a file may be freed after it was added
 * series_add() fails as series_load() does, and adds nothing of a file of another class.
 * series_end() hands the set over; the adder is empty then. Zeroed is empty.
 */
struct series_adder {
	bool copies;
	int nr_files, nr;
	char *class_name;
	struct series **s;
	struct run_ids ids;
	void *tree; /* of s */
};
int series_add(struct series_adder *a, const struct results *r, struct err *err);
int series_end(struct series_adder *a, struct series_set *set, struct err *err);
void series_adder_free(struct series_adder *a);

bool series_run_given_before(const struct results *const *r, int idx);
void series_free(struct series_set *set);

/* an order of cases in which 0 says that two are the same */
int series_case_cmp(const struct result_case *a, const struct result_case *b);

/* is it an ordered pair of CPUs, one of many? By its record, or by its experiment here */
bool series_is_pair(const struct result_case *c);

/*
 * All three return 0 or -ENOMEM. n == 0 in @out: there is nothing (mid 0, an infinite interval).
 * A ratio leaves out the pairs in which a rate is 0.
 */
int series_rate(const struct series *s, struct estimate *out);
int series_ratio(const struct series *a, const struct series *b, struct estimate *out);

enum series_value {
	SERIES_JAIN,
	SERIES_SLOWEST_TO_FASTEST,
	SERIES_NS_PER_OP, /* 1e9 / rate; windows in which nothing got done are left out */
	SERIES_METRICS
}; /* + index of a metric */
int series_value(const struct series *s, int which, struct estimate *out);

/* why a series without valid windows (NULL: no such case) has none, for a footnote */
const char *series_absent(const struct series *s);

/* ------------------------------------------------------------------------ grid */

struct grid {
	const char *experiment;
	const struct series *sample; /* any of them: the other parameters, the placement */
	int nr_settings;	     /* of this experiment, this one included */
	const char **layouts;	     /* in release order, oldest first; one NULL: has no layouts */
	int64_t *works, *workers, *batches; /* ascending */
	int nr_layouts, nr_works, nr_workers, nr_batches;
	const struct series **at; /* see grid_at() */
};

/*
 * grid_make - the setting with most cases that has a batch
 * Marks its series as in_grid. *out is NULL when no case has a parameter "batch". -ENOMEM; -EFBIG
 * over GRID_MAX places or pairs of batches, which no sweep of ours has
 */
#define GRID_MAX (1 << 20)
int grid_make(struct grid **out, struct series_set *set, struct err *err);
void grid_free(struct grid *g);

/* by index; NULL when there is no such case */
const struct series *grid_at(const struct grid *g, int layout, int work, int workers, int batch);

/* parameters that the grid has as its axes */
bool grid_is_axis(const char *param);

#endif
