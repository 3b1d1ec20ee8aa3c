/* SPDX-License-Identifier: MIT */
#include "sim_private.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_ROW (64 << 10)
#define MIN_NS	0.001 /* a picosecond, the model's unit of time */

struct matrix {
	double *ns; /* nr x nr; 0: no value */
	int nr, row;
	const char *path;
};

static int bad_cell(const struct matrix *m, int row, int col, const char *what, const char *text,
		    struct err *err)
{
	return err_set(err, -EINVAL, "'%s': row %d, column %d: '%.20s' %s", m->path, row, col, text,
		       what);
}

/* a row of the lower triangle, or of a full matrix; "" cells are allowed where @col >= @row */
static int parse_row(struct matrix *m, char *line, struct err *err)
{
	char *cell = line, *end;
	const char *rest;
	int64_t whole;
	double v;
	int col;

	for (col = 0; cell; col++, cell = end) {
		end = strchr(cell, ',');
		if (end)
			*end++ = 0;
		if (!*cell) {
			if (col < m->row)
				return bad_cell(m, m->row, col, "is missing", cell, err);
			continue;
		}
		if (col >= m->nr)
			return err_set(err, -EINVAL,
				       "'%s': row %d has more than %d cells, the "
				       "machine has %d CPUs",
				       m->path, m->row, m->nr, m->nr);
		v = 0;
		rest = cell;
		/* digits and a point only: no sign, exponent, inf or nan */
		if (strspn(cell, "0123456789.") != strlen(cell) ||
		    text_parse_percent(cell, 0, 1e9, &v, NULL))
			return bad_cell(m, m->row, col, "is not a latency in ns", rest, err);
		if (v < MIN_NS && col != m->row)
			return bad_cell(m, m->row, col, "is not above 0", cell, err);
		whole = (int64_t)m->row * m->nr + col;
		m->ns[whole] = v;
	}
	if (col < m->row)
		return err_set(err, -EINVAL,
			       "'%s': row %d has %d cells, and needs one for each of the %d CPUs "
			       "before its own",
			       m->path, m->row, col, m->row);
	return 0;
}

/* the line without its end, "\n" or "\r\n" */
static void cut_end(char *line)
{
	size_t len = strcspn(line, "\n");

	len -= len && line[len - 1] == '\r';
	line[len] = 0;
}

static int read_rows(struct matrix *m, FILE *f, char *line, struct err *err)
{
	int rc;

	while (fgets(line, MAX_ROW, f)) {
		if (!strchr(line, '\n') && !feof(f))
			return err_set(err, -EINVAL, "'%s': row %d is longer than %d bytes",
				       m->path, m->row, MAX_ROW);
		cut_end(line);
		if (!*line && m->row)
			continue;
		if (m->row == m->nr)
			return err_set(err, -EINVAL,
				       "'%s' has more than %d rows, the machine has "
				       "%d CPUs",
				       m->path, m->nr, m->nr);
		rc = parse_row(m, line, err);
		if (rc)
			return rc;
		m->row++;
	}
	if (m->row != m->nr)
		return err_set(err, -EINVAL, "'%s' has %d rows, the machine has %d CPUs", m->path,
			       m->row, m->nr);
	return 0;
}

/* both directions of a full matrix; a lower triangle is mirrored */
static int complete(struct matrix *m, struct err *err)
{
	double *a, *b;
	int i, k;

	for (i = 0; i < m->nr; i++) {
		for (k = 0; k < i; k++) {
			a = &m->ns[(int64_t)i * m->nr + k];
			b = &m->ns[(int64_t)k * m->nr + i];
			if (!*b)
				*b = *a;
			if (*a > 2 * *b || *b > 2 * *a)
				return err_set(
					err, -EINVAL,
					"'%s': CPUs %d and %d are %g ns apart one way and %g the "
					"other",
					m->path, i, k, *a, *b);
		}
	}
	return 0;
}

/* the position in topo_cpus() of the r-th CPU by OS number */
static int *by_os_number(const struct sim_profile *p)
{
	const struct topo_cpu *cpu;
	int *order = calloc(p->nr_cpus, sizeof(*order)), i, k, nr;

	cpu = topo_cpus(p->topo, &nr);
	for (i = 0; order && i < nr; i++) {
		for (k = i; k > 0 && cpu[order[k - 1]].os > cpu[i].os; k--)
			order[k] = order[k - 1];
		order[k] = i;
	}
	return order;
}

/* the costs by relation are those of the matrix now, where it has pairs of the relation */
static void relation_means(struct sim_profile *p)
{
	int64_t *const cost[] = {
		[TOPO_SAME_CORE] = &p->costs.smt,	[TOPO_SAME_L3] = &p->costs.cluster,
		[TOPO_SAME_NODE] = &p->costs.node,	[TOPO_SAME_PACKAGE] = &p->costs.socket,
		[TOPO_CROSS_PACKAGE] = &p->costs.cross,
	};
	int64_t sum[TOPO_CROSS_PACKAGE + 1] = {0}, nr[TOPO_CROSS_PACKAGE + 1] = {0};
	const struct topo_cpu *cpu = topo_cpus(p->topo, &(int){0});
	int i, k, rel;

	for (i = 0; i < p->nr_cpus; i++) {
		for (k = 0; k < p->nr_cpus; k++) {
			rel = topo_relation(&cpu[i], &cpu[k]);
			sum[rel] += sim_transfer(p, 0, i, k);
			nr[rel]++;
		}
	}
	for (rel = TOPO_SAME_CORE; rel <= TOPO_CROSS_PACKAGE; rel++)
		if (nr[rel])
			*cost[rel] = sum[rel] / nr[rel];
	/* a machine whose packages are one node each has no pair that shares only the package */
	if (!nr[TOPO_SAME_PACKAGE] && nr[TOPO_SAME_NODE])
		p->costs.socket = p->costs.node;
}

static int take_over(struct sim_profile *p, const struct matrix *m)
{
	int *order = by_os_number(p), home, i, k;

	if (!order)
		return -ENOMEM;
	for (home = 0; home < p->nr_homes; home++)
		for (i = 0; i < m->nr; i++)
			for (k = 0; k < m->nr; k++)
				if (i != k)
					p->transfer[((int64_t)home * p->nr_cpus + order[i]) *
							    p->nr_cpus +
						    order[k]] =
						llround(1000 * m->ns[(int64_t)i * m->nr + k]);
	free(order);
	if (sim_profile_refresh(p))
		return -ENOMEM;
	relation_means(p);
	return sim_profile_refresh(p);
}

int sim_profile_csv(struct sim_profile *p, const char *path, struct err *err)
{
	struct matrix m = {.nr = p->nr_cpus, .path = path};
	FILE *f = fopen(path, "re");
	char *line = malloc(MAX_ROW);
	int rc;

	m.ns = calloc((size_t)m.nr * m.nr, sizeof(*m.ns));
	if (!f)
		rc = err_set(err, -errno, "'%s': %s", path, strerror(errno));
	else if (!line || !m.ns)
		rc = err_set(err, -ENOMEM, "out of memory");
	else
		rc = read_rows(&m, f, line, err);
	if (!rc)
		rc = complete(&m, err);
	if (!rc && take_over(p, &m))
		rc = err_set(err, -ENOMEM, "out of memory");
	if (!rc)
		snprintf(p->source, sizeof(p->source), "hand-over latencies from '%s'", path);
	if (f)
		fclose(f);
	free(line);
	free(m.ns);
	return rc;
}
