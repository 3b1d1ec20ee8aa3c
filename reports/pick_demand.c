/* SPDX-License-Identifier: MIT */
#include "report.h"

#include <math.h>
#include <stdlib.h>

#include "report_private.h"

#define MAX_FORESEEN 10000 /* blocks; more than that is no advice */

/* What the decision at one demand works on; gain[i * nr + j] is row j / row i, for j > i. */
struct gains {
	const struct estimate *at;
	int nr;
	double bar; /* 1 + margin, and what logarithms lose */
};

/* ------------------------------------------------------------------------- one demand */

/* is row @i too small, or enough, when rows up to @top are the candidates? */
static void judge(const struct gains *g, int i, int top, bool *too_small, bool *enough)
{
	const struct estimate *e;
	int j;

	*too_small = false;
	*enough = i < top;
	for (j = i + 1; j <= top; j++) {
		e = &g->at[i * g->nr + j];
		*too_small |= e->n && e->lo > g->bar;
		*enough &= e->n && e->hi <= g->bar;
	}
}

static int best_larger(const struct gains *g, int i, int top)
{
	int j, best = -1;

	for (j = i + 1; j <= top; j++)
		if (g->at[i * g->nr + j].n &&
		    (best < 0 || g->at[i * g->nr + j].mid > g->at[i * g->nr + best].mid))
			best = j;
	return best;
}

/* more blocks until @e is clear of the bar: an interval shrinks with the root of its number */
static double blocks_until_clear(const struct estimate *e, double bar)
{
	double shrink;

	if (e->n < STATS_MIN_N)
		return STATS_MIN_N - e->n;
	shrink = (e->hi - e->lo) / 2 / fabs(e->mid - bar);
	return shrink > 1 ? ceil(e->n * (shrink * shrink - 1)) : 0;
}

/* the same for row @i; *small: it will turn out too small */
static double blocks_for_row(const struct gains *g, int i, int top, bool *small)
{
	const struct estimate *e;
	double need = 0;
	int j = best_larger(g, i, top);

	*small = j >= 0 && g->at[i * g->nr + j].mid > g->bar;
	if (*small)
		return blocks_until_clear(&g->at[i * g->nr + j], g->bar);
	for (j = i + 1; j <= top; j++) {
		e = &g->at[i * g->nr + j];
		need = fmax(need, blocks_until_clear(e, g->bar));
	}
	return need;
}

/* 0: more blocks would not do, or too many */
static int more_blocks(const struct gains *g, int from, int top, bool closed)
{
	double need = 0;
	bool small = true;
	int i;

	for (i = from; i < top && small; i++)
		need = fmax(need, blocks_for_row(g, i, top, &small));
	if (small && !closed)
		return 0;
	return need <= MAX_FORESEEN ? (int)fmax(need, 1) : 0;
}

/* @top: the last row that is allowed; @closed: a limit, not the end of the data, stops there */
static void decide(struct pick_demand *d, const struct gains *g, int top, bool closed)
{
	bool too_small = true, enough;
	int i, hi = -1, lo;

	for (lo = 0; lo <= top; lo++) {
		judge(g, lo, top, &too_small, &enough);
		if (!too_small)
			break;
	}
	for (i = lo; i <= top && hi < 0; i++) {
		judge(g, i, top, &too_small, &enough);
		if (enough || (i == top && closed))
			hi = i;
	}
	d->decided = hi == lo;
	if (d->decided) {
		d->batch = d->rows[lo].batch;
		d->bound_by_limit = closed && !d->rows[lo].enough;
		return;
	}
	d->range_lo = d->rows[lo].batch;
	d->range_hi = hi < 0 ? 0 : d->rows[hi].batch;
	d->more_blocks = more_blocks(g, lo, top, closed);
}

void pick_cost(const struct pick *p, struct pick_row *row)
{
	double pages = (double)row->batch * p->cpus;

	row->stale_updates = pages;
	row->stranded_bytes = pages * p->slots * p->page_bytes;
	row->stranded_all_bytes = pages * PICK_STOCK_SLOTS * p->page_bytes;
	row->allowed = !p->limit || row->batch <= p->limit;
	row->needs_wide = row->batch > PICK_8BIT_MAX;
}

static void judge_all(struct pick_demand *d, const struct gains *g)
{
	struct pick_row *row;
	int i, best;

	for (i = 0; i < d->nr_rows; i++) {
		row = &d->rows[i];
		judge(g, i, d->nr_rows - 1, &row->too_small, &row->enough);
		best = best_larger(g, i, d->nr_rows - 1);
		row->gain = (struct estimate){.lo = -INFINITY, .hi = INFINITY};
		if (best < 0)
			continue;
		row->gain = g->at[i * g->nr + best];
		row->gain_batch = d->rows[best].batch;
	}
}

/* a median of ratios turned over is that of the ratios turned over */
static struct estimate inverse(const struct estimate *e)
{
	return (struct estimate){.mid = 1 / e->mid, .lo = 1 / e->hi, .hi = 1 / e->lo, .n = e->n};
}

static void over_references(struct pick_demand *d, const struct gains *g)
{
	const struct estimate none = {.lo = -INFINITY, .hi = INFINITY};
	int which, ref, i;

	for (which = 0; which < PICK_NR_REFERENCES; which++) {
		for (ref = 0; ref < d->nr_rows; ref++)
			if (d->rows[ref].batch == pick_reference(which))
				break;
		for (i = 0; i < d->nr_rows; i++) {
			d->rows[i].over[which] = none;
			if (ref < i)
				d->rows[i].over[which] = g->at[ref * g->nr + i];
			else if (ref > i && ref < d->nr_rows && g->at[i * g->nr + ref].lo > 0)
				d->rows[i].over[which] = inverse(&g->at[i * g->nr + ref]);
		}
	}
}

void pick_judge(const struct pick *p, struct pick_demand *d)
{
	const struct gains g = {d->gain, d->nr_rows, (1 + p->margin) * (1 + 1e-9)};
	int top = -1, i;
	bool closed;

	judge_all(d, &g);
	over_references(d, &g);
	for (i = 0; i < d->nr_rows; i++)
		if (d->rows[i].allowed)
			top = i;
	if (top < 0 || d->nr_workers < 2)
		return;
	closed = p->limit && (top < d->nr_rows - 1 || d->rows[top].batch == p->limit);
	decide(d, &g, top, closed);
}

int pick_demand(const struct pick *p, const struct grid *g, int layout, int work,
		struct pick_demand *d)
{
	const struct series **s = calloc(g->nr_batches, sizeof(*s)), *found;
	int i, j, rc = 0;

	d->work_ns = g->works[work];
	d->nr_workers = p->nr_workers;
	d->rows = calloc(g->nr_batches, sizeof(*d->rows));
	d->gain = calloc((size_t)g->nr_batches * g->nr_batches, sizeof(*d->gain));
	if (!s || !d->gain || !d->rows)
		rc = -ENOMEM;
	for (i = 0; !rc && i < g->nr_batches; i++) {
		found = grid_at(g, layout, work, g->nr_workers - 1, i);
		if (!found || !found->nr_valid)
			continue;
		d->rows[d->nr_rows].batch = g->batches[i];
		pick_cost(p, &d->rows[d->nr_rows]);
		rc = series_rate(found, &d->rows[d->nr_rows].rate);
		s[d->nr_rows++] = found;
	}
	for (i = 0; !rc && i < d->nr_rows; i++)
		for (j = i + 1; !rc && j < d->nr_rows; j++)
			rc = series_ratio(s[j], s[i], &d->gain[i * d->nr_rows + j]);
	if (!rc)
		pick_judge(p, d);
	free(s);
	return rc;
}
