/* SPDX-License-Identifier: MIT */
#include "report_private.h"

#include "format.h"

void cell_rate(struct doc *d, const struct series *s)
{
	char buf[FORMAT_MAX];
	struct estimate e;

	if (series_rate(s, &e)) {
		d->failed = true;
		return;
	}
	if (e.n)
		doc_cell(d, "%s", format_rate(buf, &e));
	else
		doc_absent(d, series_absent(s));
}

/* why @a and @b give no ratio */
static const char *no_ratio(struct doc *d, const struct series *a, const struct series *b)
{
	struct estimate ra, rb;

	if (!a || !a->nr_valid)
		return series_absent(a);
	if (!b || !b->nr_valid)
		return series_absent(b);
	d->failed |= series_rate(a, &ra) || series_rate(b, &rb);
	if (d->failed || !(ra.mid > 0) || !(rb.mid > 0))
		return "nothing got done in one of the two";
	return "no undisturbed windows of one and the same block";
}

void cell_ratio(struct doc *d, const struct series *a, const struct series *b)
{
	char buf[FORMAT_MAX];
	struct estimate e;

	if (series_ratio(a, b, &e)) {
		d->failed = true;
		return;
	}
	if (e.n)
		doc_cell(d, "%s", format_change(buf, &e));
	else
		doc_absent(d, no_ratio(d, a, b));
}

void cell_factor(struct doc *d, const struct series *a, const struct series *b)
{
	struct estimate e;

	if (series_ratio(a, b, &e))
		d->failed = true;
	else if (e.n)
		doc_cell(d, "x%.2f", e.mid);
	else
		doc_absent(d, no_ratio(d, a, b));
}

void cell_value(struct doc *d, const struct series *s, int which)
{
	struct estimate e;

	if (series_value(s, which, &e)) {
		d->failed = true;
		return;
	}
	if (!e.n) {
		if (!s || !s->nr_valid)
			doc_absent(d, series_absent(s));
		else if (which < SERIES_METRICS)
			doc_absent(d, "no worker got anything done");
		else
			doc_absent(d, "not counted in this case");
		return;
	}
	if (which < SERIES_METRICS)
		doc_cell(d, "%.*f", which == SERIES_JAIN ? 3 : 2, e.mid);
	else
		doc_cell(d, "%.4g", e.mid);
}
