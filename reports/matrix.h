/* SPDX-License-Identifier: MIT */
/*
 * matrix.h - latency from CPU to CPU, out of the cases that are pairs
 *
 *               to 0    1    2          row: the first CPU of the pair (worker 0, whose node is
 *   from  0          7.6  50.3               the home of the line when the home is "local")
 *         1     7.6       50.1          cell: ns of one hand-over, median of the valid windows
 *         2    50.2  50.4
 *
 * One matrix is one experiment in one setting: parameters (the protocol) and home as they were
 * asked for. Home nodes are never averaged over: where the line lives decides the numbers.
 * Rows and columns are the CPUs that occur, in ascending order of the kernel's number.
 *
 * Kept are the cells that have a case, by row and column: pairs may be sampled, and CPU numbers
 * have holes. A cell whose case has no valid window has n == 0, never 0 ns.
 *
 * Ownership: borrows from the series and the results.
 */
#ifndef CHARGELINE_REPORTS_MATRIX_H
#define CHARGELINE_REPORTS_MATRIX_H

#include "series.h"

struct matrix_cell {
	int row, col;
	const struct series *s;
	int relation;	    /* enum topo_relation; MATRIX_UNKNOWN when the record does not say */
	struct estimate ns; /* n == 0: no valid window */
};

#define MATRIX_UNKNOWN RESULTS_NR_RELATIONS
#define MATRIX_NR      (RESULTS_NR_RELATIONS + 1)

/* cells of one relation; the quantiles are over the cells' medians */
struct matrix_class {
	int nr_cells, nr_measured; /* with a case; of them, with a number */
	int64_t nr_possible;	   /* ordered pairs of that relation; 0: the record does not say */
	double p5, p50, p95, min, max;
	int nr_both;	  /* pairs with a number in both directions */
	double asymmetry; /* their median |a - b| / mean; NaN: none */
};

struct matrix {
	const struct result_case *c; /* one of them: experiment, parameters, home */
	const char *protocol;	     /* the parameter's value; NULL: has none */
	int *cpu;		     /* OS numbers, ascending: what row and column k are */
	int nr;
	struct matrix_cell *cells; /* by row, column */
	int nr_cells, nr_measured;
	int nr_dropped; /* series of a pair that another series has already, see matrix_make() */
	int *home_node; /* the different ones, ascending; -1 is "interleaved or unknown" */
	int nr_home_nodes;
	bool exact; /* every ordered pair of these CPUs has a case: nothing is sampled */
	struct matrix_class class[MATRIX_NR];
};

struct matrix_set {
	struct matrix *m; /* in the order of first appearance */
	int nr;
};

/*
 * matrix_make - all matrices of @set, whose series of pairs it marks as in_matrix
 * @r, @nr: the files, for the number of possible pairs: where they differ it is unknown
 * Two files of one machine class may give the same pair another relation or another home node (CPUs
 * or nodes numbered differently): the first stays, the rest is counted. No pair at all: nr is 0.
 * 0 or -ENOMEM.
 */
int matrix_make(struct matrix_set *out, struct series_set *set, const struct results *const *r,
		int nr);
void matrix_free(struct matrix_set *set);

/* NULL when there is no case */
const struct matrix_cell *matrix_at(const struct matrix *m, int row, int col);

const char *matrix_relation_name(int relation); /* "unknown" for MATRIX_UNKNOWN */

/* is row k the CPU k? */
bool matrix_rows_are_cpus(const struct matrix *m);

/* the one that a CSV is made of: most numbers, then the first; NULL: none of that protocol.
 * @protocol NULL: "cas" when it was measured, else that of the first matrix */
const struct matrix *matrix_of_protocol(const struct matrix_set *set, const char *protocol);

/*
 * matrix_split - do these latencies fall into two groups?
 * @ns: @n values, sorted here. They do when the widest gap leaves a tenth of them and two at least
 * on either side, is MATRIX_GAP wide, and the medians of the sides are more than @apart apart (all
 * as ratios). Returns how many are below the gap, 0 for no.
 */
#define MATRIX_GAP 1.2
int matrix_split(double *ns, int n, double apart, double *below, double *above);

/*
 * matrix_groups - groups of CPUs that are within @near_ns of each other, directly or through others
 * 0 when that explains nothing: more than one in 20 of the slower cells is inside a group. -ENOMEM.
 */
int matrix_groups(const struct matrix *m, double near_ns);

#endif
