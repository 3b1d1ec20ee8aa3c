/* SPDX-License-Identifier: MIT */
/* What the latencies say about the machine that its description does not. */
#include "report_private.h"

#include <stdlib.h>
#include <string.h>

#define HIDDEN	      2.0 /* medians that far apart are not of one node */
#define PARTED	      1.5 /* nor of one class */
#define LOPSIDED      0.2 /* directions that differ by more */
#define SMALLEST_SIDE 10  /* one in so many values, and two at least */
#define MOST_MISFITS  20  /* one in so many */

static int double_cmp(const void *pa, const void *pb)
{
	double a = *(const double *)pa, b = *(const double *)pb;

	return (a > b) - (a < b);
}

int matrix_split(double *ns, int n, double apart, double *below, double *above)
{
	int side = n / SMALLEST_SIDE > 2 ? n / SMALLEST_SIDE : 2, i, at = 0;
	double widest = MATRIX_GAP;

	qsort(ns, n, sizeof(*ns), double_cmp);
	for (i = side; i <= n - side; i++) {
		if (ns[i] >= widest * ns[i - 1]) {
			widest = ns[i] / ns[i - 1];
			at = i;
		}
	}
	if (!at)
		return 0;
	*below = stats_median(ns, at);
	*above = stats_median(ns + at, n - at);
	return *above > apart * *below ? at : 0;
}

static int root_of(int *parent, int i)
{
	while (parent[i] != i) {
		parent[i] = parent[parent[i]];
		i = parent[i];
	}
	return i;
}

int matrix_groups(const struct matrix *m, double near_ns)
{
	int *parent = malloc((m->nr + 1) * sizeof(*parent)), i, nr = 0, far = 0, misfits = 0;
	const struct matrix_cell *c;

	if (!parent)
		return -ENOMEM;
	for (i = 0; i < m->nr; i++)
		parent[i] = i;
	for (i = 0; i < m->nr_cells; i++) {
		c = &m->cells[i];
		if (c->ns.n && c->ns.mid <= near_ns)
			parent[root_of(parent, c->row)] = root_of(parent, c->col);
	}
	for (i = 0; i < m->nr_cells; i++) {
		c = &m->cells[i];
		if (!c->ns.n || c->ns.mid <= near_ns)
			continue;
		far++;
		misfits += root_of(parent, c->row) == root_of(parent, c->col);
	}
	for (i = 0; i < m->nr; i++)
		nr += parent[i] == i;
	free(parent);
	return misfits * MOST_MISFITS > far ? 0 : nr;
}

/* ---------------------------------------------------------------------- sentences */

/* one node, as far as this process can know, and all CPUs alike */
static bool one_node(const struct results_machine *mc)
{
	return mc->numa_nodes == 1 && !mc->restricted &&
	       !(mc->class_name && strstr(mc->class_name, "-hybrid"));
}

/* the description names smaller units, and they are far apart */
static bool hidden_by_class(struct doc *d, const struct matrix *m, const struct results_machine *mc)
{
	const struct matrix_class *near = NULL;
	int k = mc->l3_caches > 1 ? TOPO_SAME_L3 : TOPO_SAME_NODE, of = 0;

	if (mc->l3_caches < 2 && mc->packages < 2)
		return false;
	for (; k <= TOPO_CROSS_PACKAGE; k++) {
		if (m->class[k].nr_measured < 2)
			continue;
		if (near && m->class[k].p50 > HIDDEN * near->p50)
			break;
		near = &m->class[k];
		of = k;
	}
	if (k > TOPO_CROSS_PACKAGE)
		return false;
	doc_add(d, DOC_ITEM,
		"Nodes are hidden: the system shows one NUMA node, but in it %s takes %.1f ns and "
		"%s %.1f ns (x%.1f). Near CPUs are those of one %s: place by it, not by node. The "
		"firmware may have a setting that shows nodes.",
		matrix_relation_name(of), near->p50, matrix_relation_name(k), m->class[k].p50,
		m->class[k].p50 / near->p50, of == TOPO_SAME_L3 ? "L3 cache" : "package");
	return true;
}

/* nothing but latency tells: @x holds the class's numbers */
static bool hidden_by_latency(struct doc *d, const struct matrix *m, double *x, int n)
{
	double below, above;
	int at = matrix_split(x, n, HIDDEN, &below, &above), nr;

	nr = at ? matrix_groups(m, x[at - 1]) : 0;
	d->failed |= nr < 0;
	if (nr < 2)
		return false;
	doc_add(d, DOC_ITEM,
		"Nodes are hidden: the system shows one NUMA node and names no cache that parts it, "
		"but its latency is around %.1f ns or around %.1f ns (x%.1f): %d groups of CPUs are "
		"near each other%s.",
		below, above, above / below, nr,
		m->exact ? "" : ", or fewer, as not all pairs were measured");
	return true;
}

static int numbers_of(const struct matrix *m, int relation, double *x)
{
	int i, n = 0;

	for (i = 0; i < m->nr_cells; i++)
		if (m->cells[i].relation == relation && m->cells[i].ns.n)
			x[n++] = m->cells[i].ns.mid;
	return n;
}

bool matrix_findings(struct doc *d, const struct matrix *m, const struct results_machine *mc,
		     bool hidden)
{
	double *x = malloc((m->nr_cells + 1) * sizeof(*x)), below, above;
	int k, n, at;

	hidden = hidden || (one_node(mc) && hidden_by_class(d, m, mc));
	for (k = TOPO_SAME_L3; x && k < MATRIX_NR; k++) {
		n = numbers_of(m, k, x);
		if (k == TOPO_SAME_NODE && !hidden && one_node(mc) &&
		    !m->class[TOPO_SAME_L3].nr_measured && hidden_by_latency(d, m, x, n)) {
			hidden = true;
			continue;
		}
		at = matrix_split(x, n, PARTED, &below, &above);
		if (at)
			doc_add(d, DOC_ITEM,
				"%s is two groups: %d pairs around %.1f ns and %d around %.1f ns. "
				"Its median says little: the home of the line, or caches that the "
				"system does not name, part it.",
				matrix_relation_name(k), at, below, n - at, above);
	}
	for (k = 0; k < MATRIX_NR; k++)
		if (m->class[k].asymmetry > LOPSIDED)
			doc_add(d, DOC_ITEM,
				"%s is lopsided: the two directions of a pair differ by %.0f%% in the "
				"median. Something other than distance decides: which CPU begins, where "
				"its line is, or a disturbance.",
				matrix_relation_name(k), 100 * m->class[k].asymmetry);
	d->failed |= !x;
	free(x);
	return hidden;
}
