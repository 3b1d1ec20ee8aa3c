/* SPDX-License-Identifier: MIT */
#include "matrix.h"
#include "text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_MATRICES 32 /* what is over stays a row of a table */

/* ------------------------------------------------------------------ which matrix */

/* @of: the matrix of each series, -1 none */
static int find_matrices(struct matrix_set *out, struct series_set *set, int *of)
{
	const struct result_case *c;
	int i, k;

	out->m = calloc(MAX_MATRICES, sizeof(*out->m));
	if (!out->m)
		return -ENOMEM;
	for (i = 0; i < set->nr; i++) {
		c = set->s[i].c;
		of[i] = -1;
		if (!series_is_pair(c))
			continue;
		for (k = 0; k < out->nr && !result_same_params(out->m[k].c, c, NULL); k++)
			;
		if (k == MAX_MATRICES)
			continue;
		if (k == out->nr) {
			out->m[out->nr++].c = c;
			out->m[k].protocol = result_param_text(c, "protocol");
		}
		out->m[k].nr_cells++;
		set->s[i].in_matrix = true;
		of[i] = k;
	}
	return 0;
}

/* ------------------------------------------------------------------------- cells */

static int int_cmp(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static int unique(int *v, int nr)
{
	int i, kept = 0;

	qsort(v, nr, sizeof(*v), int_cmp);
	for (i = 0; i < nr; i++)
		if (!kept || v[kept - 1] != v[i])
			v[kept++] = v[i];
	return kept;
}

static int row_of(const struct matrix *m, int cpu)
{
	const int *found = bsearch(&cpu, m->cpu, m->nr, sizeof(cpu), int_cmp);

	return (int)(found - m->cpu);
}

static int relation_of(const struct result_case *c)
{
	int i = TOPO_SAME_CORE;

	while (c->relation && i < RESULTS_NR_RELATIONS &&
	       strcmp(c->relation, topo_relation_name(i)))
		i++;
	return c->relation ? i : MATRIX_UNKNOWN;
}

static int place_cmp(const struct matrix_cell *a, const struct matrix_cell *b)
{
	return a->row != b->row ? a->row - b->row : a->col - b->col;
}

static int cell_cmp(const void *pa, const void *pb)
{
	const struct matrix_cell *a = pa, *b = pb;
	int d = place_cmp(a, b);

	return d ? d : (a->s > b->s) - (a->s < b->s);
}

/* the series of one matrix, those that come first first */
static int fill_cells(struct matrix *m, const struct series_set *set, const int *of, int self)
{
	int i, k, nr = 0;

	m->cells = calloc(m->nr_cells, sizeof(*m->cells));
	m->cpu = calloc(2 * (size_t)m->nr_cells, sizeof(*m->cpu));
	m->home_node = calloc(m->nr_cells, sizeof(*m->home_node));
	if (!m->cells || !m->cpu || !m->home_node)
		return -ENOMEM;
	for (i = 0; i < set->nr; i++) {
		if (of[i] != self)
			continue;
		m->cells[nr].s = &set->s[i];
		m->home_node[nr++] = set->s[i].c->home_node;
		for (k = 0; k < 2; k++)
			m->cpu[m->nr++] = set->s[i].c->cpus.cpu[k];
	}
	m->nr = unique(m->cpu, m->nr);
	m->nr_home_nodes = unique(m->home_node, nr);
	for (i = 0; i < nr; i++) {
		m->cells[i].row = row_of(m, m->cells[i].s->c->cpus.cpu[0]);
		m->cells[i].col = row_of(m, m->cells[i].s->c->cpus.cpu[1]);
		m->cells[i].relation = relation_of(m->cells[i].s->c);
	}
	return 0;
}

static int estimate_cells(struct matrix *m)
{
	int i, kept = 0, rc = 0;

	qsort(m->cells, m->nr_cells, sizeof(*m->cells), cell_cmp);
	for (i = 0; i < m->nr_cells; i++) {
		if (kept && !place_cmp(&m->cells[kept - 1], &m->cells[i]))
			m->nr_dropped++;
		else
			m->cells[kept++] = m->cells[i];
	}
	m->nr_cells = kept;
	m->exact = kept == (int64_t)m->nr * (m->nr - 1);
	for (i = 0; i < kept && !rc; i++) {
		rc = series_value(m->cells[i].s, SERIES_NS_PER_OP, &m->cells[i].ns);
		m->nr_measured += !!m->cells[i].ns.n;
	}
	return rc;
}

const struct matrix_cell *matrix_at(const struct matrix *m, int row, int col)
{
	int lo = 0, hi = m->nr_cells, mid, d;
	struct matrix_cell key = {.row = row, .col = col};

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		d = place_cmp(&key, &m->cells[mid]);
		if (!d)
			return &m->cells[mid];
		if (d < 0)
			hi = mid;
		else
			lo = mid + 1;
	}
	return NULL;
}

bool matrix_rows_are_cpus(const struct matrix *m)
{
	return m->nr && m->cpu[0] == 0 && m->cpu[m->nr - 1] == m->nr - 1;
}

/* ----------------------------------------------------------------------- classes */

/* a file that counts as many pairs as these CPUs make speaks of these CPUs; two may not differ */
static void possible(struct matrix *m, const struct results *const *r, int nr)
{
	const int64_t *found = NULL;
	int64_t sum;
	int i, k;

	for (i = 0; i < nr; i++) {
		for (sum = 0, k = 0; k < RESULTS_NR_RELATIONS; k++)
			sum += r[i]->nr_pairs[k];
		if (sum != (int64_t)m->nr * (m->nr - 1))
			continue;
		if (found && memcmp(found, r[i]->nr_pairs, sizeof(r[i]->nr_pairs)))
			return;
		found = r[i]->nr_pairs;
	}
	for (k = 0; k < MATRIX_NR; k++) {
		if (m->exact)
			m->class[k].nr_possible = m->class[k].nr_cells;
		else if (found && k < RESULTS_NR_RELATIONS)
			m->class[k].nr_possible = found[k];
	}
}

/* @x has room for all cells */
static void spread(const struct matrix *m, int relation, struct matrix_class *class, double *x)
{
	int i, n = 0;

	for (i = 0; i < m->nr_cells; i++) {
		if (m->cells[i].relation != relation)
			continue;
		class->nr_cells++;
		if (m->cells[i].ns.n)
			x[n++] = m->cells[i].ns.mid;
	}
	class->nr_measured = n;
	if (!n)
		return;
	class->min = stats_quantile(x, n, 0);
	class->p5 = stats_quantile(x, n, 0.05);
	class->p50 = stats_median(x, n);
	class->p95 = stats_quantile(x, n, 0.95);
	class->max = stats_quantile(x, n, 1);
}

static void asymmetry(const struct matrix *m, int relation, struct matrix_class *class, double *x)
{
	const struct matrix_cell *a, *b;
	int i;

	for (i = 0; i < m->nr_cells; i++) {
		a = &m->cells[i];
		if (a->relation != relation || a->row > a->col || !a->ns.n)
			continue;
		b = matrix_at(m, a->col, a->row);
		if (b && b->ns.n)
			x[class->nr_both++] =
				fabs(a->ns.mid - b->ns.mid) / ((a->ns.mid + b->ns.mid) / 2);
	}
	class->asymmetry = class->nr_both ? stats_median(x, class->nr_both) : NAN;
}

static int finish(struct matrix *m, const struct results *const *r, int nr)
{
	double *x = malloc((m->nr_cells + 1) * sizeof(*x));
	int k;

	if (!x)
		return -ENOMEM;
	for (k = 0; k < MATRIX_NR; k++) {
		spread(m, k, &m->class[k], x);
		asymmetry(m, k, &m->class[k], x);
	}
	possible(m, r, nr);
	free(x);
	return 0;
}

int matrix_make(struct matrix_set *out, struct series_set *set, const struct results *const *r,
		int nr)
{
	int *of = calloc(set->nr + 1, sizeof(*of)), i, rc;

	*out = (struct matrix_set){0};
	rc = of ? find_matrices(out, set, of) : -ENOMEM;
	for (i = 0; i < out->nr && !rc; i++) {
		rc = fill_cells(&out->m[i], set, of, i);
		if (!rc)
			rc = estimate_cells(&out->m[i]);
		if (!rc)
			rc = finish(&out->m[i], r, nr);
	}
	free(of);
	if (rc)
		matrix_free(out);
	return rc;
}

void matrix_free(struct matrix_set *set)
{
	int i;

	for (i = 0; i < set->nr; i++) {
		free(set->m[i].cells);
		free(set->m[i].cpu);
		free(set->m[i].home_node);
	}
	free(set->m);
	*set = (struct matrix_set){0};
}

const char *matrix_relation_name(int relation)
{
	return relation == MATRIX_UNKNOWN ? "unknown" : topo_relation_name(relation);
}

const struct matrix *matrix_of_protocol(const struct matrix_set *set, const char *protocol)
{
	const struct matrix *best = NULL, *m;
	int i;

	for (i = 0; i < set->nr; i++) {
		m = &set->m[i];
		if (strcmp(m->protocol ? m->protocol : "", protocol ? protocol : "cas"))
			continue;
		if (!best || m->nr_measured > best->nr_measured)
			best = m;
	}
	if (best || protocol || !set->nr)
		return best;
	return matrix_of_protocol(set, set->m[0].protocol ? set->m[0].protocol : "");
}
