/* SPDX-License-Identifier: MIT */
/*
 * legs.h - a latency matrix from some of its pairs
 *
 * The hand-over latency of a pair is not a distance between its two CPUs: the request goes to the
 * home of the line, and the data comes from there or is sent from there. So a matrix is a star,
 *
 *	L(i,j) = c[class] + a_i + a_j  (+ table[group of i][group of j])
 *
 *   kind     what the relation of the pair says: smt, cluster (CCX), socket, cross; each has legs
 *            and a table of its own
 *   class    inside a kind: the socket (or two) of the pair, and whether it has one node. The line
 *            of a matrix has one home; a socket has its own c, and so the home's may differ
 *   a        the leg of a core; its threads share it
 *   table    where there are clusters a value for each two of them, else for each two nodes
 *
 * The legs of a core in the kinds socket and cross are fitted together: a part is common, the rest
 * is the kind's own. How much of this the known pairs can carry is tried, not assumed: every fifth
 * of them is predicted from the other four with and without legs, with and without a table, each free
 * or drawn towards 0, and the way with the smallest mean error is taken. Where nothing supports
 * legs there are none: a pair then gets the c of its class.
 *
 * The fit is least squares with Tukey's bisquare weights: single wrong values have no say. Nothing
 * depends on a clock or an address: the same matrix gives the same fit. A fit is symmetric. Which
 * real matrices it predicts, and how well: docs/model.md.
 *
 * Latencies are in any one unit; "ns" here. Threads: a fit never changes; any number of readers.
 */
#ifndef CHARGELINE_LEGS_H
#define CHARGELINE_LEGS_H

#include <stdbool.h>

#include "err.h"
#include "topo.h"

enum legs_kind { LEGS_SMT, LEGS_CLUSTER, LEGS_SOCKET, LEGS_CROSS, NR_LEGS_KINDS };

struct legs_class {
	enum legs_kind kind;
	bool nodes_differ;	/* inside one socket */
	int socket_a, socket_b; /* as in struct topo_cpu, a <= b */
	int nr_pairs;		/* known ones; both directions count */
	double c_ns;		/* a pair of average legs */
	double median_ns;	/* of the known pairs: what a constant would say */
};

struct legs;

/*
 * legs_fit - fit the known pairs of a matrix
 * @topo: must live as long as the fit
 * @ns: [i][k] by index in topo_cpus(); what is not above 0 and finite (NaN) is not known; either
 *      direction is enough, the diagonal is not read
 * -EINVAL: fewer known pairs between cores than twice the cores in them, or than 10 (both numbers
 * in the sentence): medians are the better answer then. -ENOMEM. Free with legs_free(), which
 * accepts NULL.
 */
int legs_fit(struct legs **out, const struct topo *topo, const double *ns, struct err *err);
void legs_free(struct legs *l);

/* NaN: no pair of the class was known */
double legs_predict(const struct legs *l, int i, int k);
double legs_median(const struct legs *l, int i, int k); /* the constant beside it */

/* root mean square of prediction minus @ns over the pairs that are known in @ns and have a
 * prediction, @nr of them; NaN when there are none. @ns may hold other pairs than the fit */
double legs_rms(const struct legs *l, const double *ns, int *nr);

const struct legs_class *legs_classes(const struct legs *l, int *nr);
bool legs_has_legs(const struct legs *l, enum legs_kind kind); /* else c, or c and the table */
bool legs_has_table(const struct legs *l, enum legs_kind kind);

/* what is left of a core's distance: 0 is average; 0 also where the kind has no legs */
double legs_leg(const struct legs *l, enum legs_kind kind, int cpu);

#endif
