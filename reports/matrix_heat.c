/* SPDX-License-Identifier: MIT */
/* The numbers of a matrix as a heat map: its scale, and how much a cell shows. */
#include "report_private.h"

#include <math.h>
#include <stdlib.h>

#include "format.h"

#define INTERVAL_ROWS 4 /* cells show their interval up to here */
#define DECIMAL_ROWS  8 /* and a decimal up to here */
#define NR_TICKS      5
#define LEAST_SPAN    1.25 /* of the scale, as a ratio: noise has one colour */
#define CLIP	      1.5  /* a maximum this far over the 99th percentile does not set the scale */

/* one scale for the colours, linear; a few that are far out do not set it */
struct scale {
	double low, high;
	bool clipped;
};

static void find_scale(const struct matrix *m, double *x, struct scale *s)
{
	double p99;
	int i, n = 0;

	for (i = 0; i < m->nr_cells; i++)
		if (m->cells[i].ns.n)
			x[n++] = m->cells[i].ns.mid;
	s->low = stats_quantile(x, n, 0);
	s->high = stats_quantile(x, n, 1);
	p99 = stats_quantile(x, n, 0.99);
	s->clipped = s->high > CLIP * p99;
	s->high = fmax(s->clipped ? p99 : s->high, LEAST_SPAN * s->low);
}

static int level_of(const struct scale *s, double ns)
{
	double part = (ns - s->low) / (s->high - s->low);

	return part < 1 ? (int)(part * DOC_HEAT_LEVELS) : DOC_HEAT_LEVELS - 1;
}

static void ticks(struct doc *d, const struct scale *s)
{
	double ns;
	int i;

	for (i = 0; i < NR_TICKS; i++) {
		ns = s->low + (s->high - s->low) * i / (NR_TICKS - 1);
		doc_heat_tick(d, "%.*f%s", ns < 99.95, ns,
			      i < NR_TICKS - 1 ? ""
			      : s->clipped     ? " ns and more"
					       : " ns");
	}
}

static const char *cell_text(const struct matrix *m, const struct estimate *e, char *buf)
{
	double half = stats_rel_halfwidth(e);
	int digits = m->nr <= DECIMAL_ROWS || e->mid < 9.95;

	if (m->nr > DOC_HEAT_NUMBERS)
		return NULL;
	if (m->nr > INTERVAL_ROWS)
		snprintf(buf, FORMAT_MAX, "%.*f", digits, e->mid);
	else if (isfinite(half))
		snprintf(buf, FORMAT_MAX, "%.1f +-%.1f%%", e->mid, 100 * half);
	else
		snprintf(buf, FORMAT_MAX, "%.1f ?", e->mid);
	return buf;
}

void matrix_heatmap(struct doc *d, const struct matrix *m)
{
	double *x = malloc((m->nr_cells + 1) * sizeof(*x));
	const struct matrix_cell *c;
	char buf[FORMAT_MAX], name[160], alt[240];
	struct scale s;
	int i;

	if (!x) {
		d->failed = true;
		return;
	}
	find_scale(m, x, &s);
	free(x);
	matrix_name(m, name, sizeof(name));
	snprintf(alt, sizeof(alt),
		 "%d x %d CPUs, %.1f to %.1f ns%s: drawn in the HTML page, written by --csv, by "
		 "class in the table above.",
		 m->nr, m->nr, s.low, s.high, s.clipped ? " and more" : "");
	doc_heatmap(d, alt, "ns from CPU (row) to CPU (column), %s", name);
	for (i = 0; i < m->nr; i++)
		doc_heat_label(d, "%d", m->cpu[i]);
	for (i = 0; i < m->nr_cells; i++) {
		c = &m->cells[i];
		if (c->ns.n)
			doc_heat_cell(d, c->row, c->col, level_of(&s, c->ns.mid),
				      cell_text(m, &c->ns, buf));
	}
	ticks(d, &s);
}
