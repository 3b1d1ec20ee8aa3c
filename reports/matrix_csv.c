/* SPDX-License-Identifier: MIT */
#include "report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report_private.h"

#define MAX_NS	 1e12
#define MAX_ROWS TOPO_MAX_PUS /* a square of text: 64 MB when it is all commas */

/* the mean of both directions, or the one that was measured; NaN: none */
static double both_ways(const struct matrix *m, int i, int j)
{
	const struct matrix_cell *a = matrix_at(m, i, j), *b = matrix_at(m, j, i);

	if (a && a->ns.n && b && b->ns.n)
		return (a->ns.mid + b->ns.mid) / 2;
	if (a && a->ns.n)
		return a->ns.mid;
	return b && b->ns.n ? b->ns.mid : NAN;
}

/* to a picosecond, with a point whatever the locale says; nonsense, such as an hour, without */
static void put_ns(FILE *to, double ns)
{
	long long ps = ns < MAX_NS ? llround(ns * 1000) : 0;

	if (!(ns < MAX_NS))
		fprintf(to, "%.0f", ns);
	else
		fprintf(to, "%lld.%03lld", ps / 1000, ps % 1000);
}

static void put_matrix(FILE *to, const struct matrix *m)
{
	double ns;
	int i, j;

	for (i = 0; i < m->nr; i++) {
		for (j = 0; j < m->nr; j++) {
			ns = j < i ? both_ways(m, i, j) : NAN;
			if (isfinite(ns))
				put_ns(to, ns);
			fputc(j < m->nr - 1 ? ',' : '\n', to);
		}
	}
}

/* "cas, read": those there are */
static const char *protocols(const struct matrix_set *set, char *buf, size_t size)
{
	size_t len = 0;
	int i, k;

	buf[0] = '\0';
	for (i = 0; i < set->nr && len < size; i++) {
		for (k = 0; k < i && strcmp(set->m[k].protocol ? set->m[k].protocol : "",
					    set->m[i].protocol ? set->m[i].protocol : "");
		     k++)
			;
		if (k == i && set->m[i].protocol)
			len += snprintf(buf + len, size - len, "%s%s", len ? ", " : "",
					set->m[i].protocol);
	}
	return buf[0] ? buf : "none";
}

int report_csv(const struct report *rep, const char *protocol, FILE *to, struct err *err)
{
	const struct matrix *m = matrix_of_protocol(&rep->matrices, protocol);
	char buf[120];

	if (!rep->matrices.nr)
		return err_set(
			err, -ENOENT,
			"no case is a pair of CPUs: there is no core_to_core to write as CSV");
	if (!m)
		return err_set(err, -ENOENT, "protocol '%.60s' was not measured, these were: %s",
			       protocol, protocols(&rep->matrices, buf, sizeof(buf)));
	if (!m->nr_measured)
		return err_set(err, -ENODATA,
			       "no pair of CPUs has an undisturbed window: there is nothing to "
			       "write as CSV");
	if (m->nr > MAX_ROWS)
		return err_set(err, -EFBIG, "a CSV of %d CPUs is too large: at most %d", m->nr,
			       MAX_ROWS);
	if (to)
		put_matrix(to, m);
	return to && ferror(to) ? err_set(err, -EIO, "cannot write the CSV") : 0;
}
