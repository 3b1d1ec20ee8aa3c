/* SPDX-License-Identifier: MIT */
/* A comparison as a doc: the answer, what to beware of, what was compared, then the tables. */
#include "compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare_private.h"
#include "doc.h"
#include "format.h"
#include "rows.h"

#define MOST_ITEMS 10 /* of a list; the tables and the JSON have all */

/* ------------------------------------------------------------------------ the answer */

static int by_loss(const void *pa, const void *pb)
{
	double a = compare_change(&(*(const struct compare_row *const *)pa)->rate);
	double b = compare_change(&(*(const struct compare_row *const *)pb)->rate);

	return (a > b) - (a < b);
}

static void regressions(struct doc *d, const struct compare *c)
{
	const struct compare_row **worst = calloc(c->nr_rows + 1, sizeof(*worst));
	int i, nr = 0;

	for (i = 0; worst && i < c->nr_rows; i++)
		if (c->rows[i].regression)
			worst[nr++] = &c->rows[i];
	if (nr > 1)
		qsort(worst, nr, sizeof(*worst), by_loss);
	for (i = 0; i < nr && i < MOST_ITEMS; i++)
		compare_item(d, c, worst[i]);
	if (nr > MOST_ITEMS)
		doc_add(d, DOC_ITEM, "and %d more, see the tables", nr - MOST_ITEMS);
	d->failed |= !worst;
	free(worst);
}

static void say_counts(struct doc *d, const struct compare *c)
{
	int count[COMPARE_FASTER + 1] = {0}, i, over = 0;
	double hidden = 0;
	char pct[FORMAT_MAX];

	for (i = 0; i < c->nr_rows; i++) {
		const struct compare_figure *f = &c->rows[i].rate;

		count[f->verdict]++;
		if (f->verdict != COMPARE_NONE_SEEN || !f->ratio.n)
			continue;
		hidden = fmax(hidden, fmax(1 - f->ratio.lo, f->ratio.hi - 1));
		over += f->ratio.lo < 1 - c->fail_over;
	}
	if (c->nr_rows)
		doc_add(d, DOC_PARA,
			"Of %d case%s on both sides B is slower in %d and faster in %d; no "
			"difference seen in %d; cannot tell in %d.",
			c->nr_rows, c->nr_rows == 1 ? "" : "s", count[COMPARE_SLOWER],
			count[COMPARE_FASTER], count[COMPARE_NONE_SEEN],
			count[COMPARE_CANNOT_TELL]);
	if (!count[COMPARE_NONE_SEEN])
		return;
	format_percent(pct, c->fail_over);
	doc_add(d, DOC_PARA,
		"Where no difference is seen (~) the interval says how large a one could have hidden: "
		"%.1f%% in the worst row. A loss of more than %s could have hidden in %d of %d.",
		100 * hidden, pct, over, count[COMPARE_NONE_SEEN]);
}

/* ------------------------------------------------------------------ what was compared */

static void side_fact(struct doc *d, const struct compare *c, int side)
{
	const struct compare_run *run = &c->runs[side][0];
	char name[2] = {'A' + side, '\0'}, more[64] = "";

	if (c->nr_runs[side] > 1)
		snprintf(more, sizeof(more), " and %d more run%s", c->nr_runs[side] - 1,
			 c->nr_runs[side] == 2 ? "" : "s");
	doc_fact(d, name, "%s%s: %s, Linux %s, %s, started %s", run->path, more,
		 run->facts[FACT_CLASS], run->facts[FACT_KERNEL], run->facts[FACT_COMPILER],
		 run->started);
}

static void say_rule(struct doc *d, const struct compare *c)
{
	const char *test =
		c->unit == COMPARE_PAIRED_RUNS ? "Wilcoxon's signed ranks" : "Mann and Whitney's U";

	if (c->unit == COMPARE_WINDOWS)
		doc_add(d, DOC_PARA,
			"A value is a window. Nothing pairs: block k of one run and block k of "
			"another were not taken at the same time. What differs from run to run "
			"anyway counts as a difference here; %d or more runs of each side, taken in "
			"turn, and the two folders of them as A and B would cancel it.",
			COMPARE_MIN_RUNS);
	else if (c->unit == COMPARE_RUNS)
		doc_add(d, DOC_PARA,
			"A value is a run, the median of its windows: %d of A, %d of B. They do not "
			"pair, as they were not taken in turn, A B A B, on one host; drift between "
			"the sides counts as a difference.",
			c->nr_runs[0], c->nr_runs[1]);
	else
		doc_add(d, DOC_PARA,
			"A value is a run, the median of its windows. The %d runs of A and of B pair: they "
			"were taken in turn on one host, so the k-th of both were next to each other and "
			"what drifts cancels.",
			c->nr_runs[0]);
	doc_add(d, DOC_PARA,
		"Values: the median, with the standard deviation in percent of the mean. p: %s, "
		"two-sided, corrected for the number of rows after Holm. A difference is seen when p "
		"is under %.0f%% and the interval leaves out 0: where nothing differs, at most %.0f%% "
		"of comparisons show one, in whichever row. ~: no difference seen. ?: too few values.",
		test, 100 * COMPARE_ERROR, 100 * COMPARE_ERROR);
}

static void items(struct doc *d, const char *before, const struct texts *t)
{
	int i;

	for (i = 0; i < t->nr && i < MOST_ITEMS; i++)
		doc_add(d, DOC_ITEM, "%s%s", before, t->s[i]);
	if (t->nr > MOST_ITEMS)
		doc_add(d, DOC_ITEM, "%sand %d more", before, t->nr - MOST_ITEMS);
}

/* -------------------------------------------------------------------- one side only */

static void list_side(struct doc *d, const struct compare *c, const struct rows *all, int side)
{
	int i, nr = 0;
	char *label;

	for (i = 0; i < c->nr_cases; i++)
		nr += c->cases[i]->side[side].seen && !c->cases[i]->side[!side].seen;
	if (nr)
		doc_add(d, DOC_PARA, "Only %c has %d case%s:", 'A' + side, nr, nr == 1 ? "" : "s");
	for (nr = 0, i = 0; i < c->nr_cases; i++) {
		if (!c->cases[i]->side[side].seen || c->cases[i]->side[!side].seen)
			continue;
		if (nr++ >= MOST_ITEMS)
			continue;
		label = rows_label(all, &c->cases[i]->c);
		doc_add(d, DOC_ITEM, "%s", label ? label : "");
		d->failed |= !label;
		free(label);
	}
	if (nr > MOST_ITEMS)
		doc_add(d, DOC_ITEM, "and %d more", nr - MOST_ITEMS);
}

static void one_side_section(struct doc *d, const struct compare *c)
{
	struct rows all = {.c = calloc(c->nr_cases + 1, sizeof(*all.c)), .nr = c->nr_cases};
	int i;

	if (c->nr_rows == c->nr_cases || !all.c) {
		d->failed |= !all.c;
		free(all.c);
		return;
	}
	for (i = 0; i < c->nr_cases; i++)
		all.c[i] = &c->cases[i]->c;
	rows_find_varying(&all);
	doc_section(d, "one-side", "Cases on one side only");
	list_side(d, c, &all, 0);
	list_side(d, c, &all, 1);
	free(all.c);
}

static struct doc *compare_doc(const struct compare *c)
{
	const char *a = c->runs[0][0].facts[FACT_CLASS], *b = c->runs[1][0].facts[FACT_CLASS];
	struct doc *d =
		strcmp(a, b) ? doc_new("%s beside %s", a, b) : doc_new("Two sides of %s", a);

	if (!d)
		return NULL;
	doc_section(d, "answer", "Is B slower than A?");
	doc_add(d, DOC_STRONG, "%s", c->sentence);
	regressions(d, c);
	say_counts(d, c);
	if (c->warnings.nr)
		doc_section(d, "beware", "Beware");
	items(d, "", &c->warnings);
	doc_section(d, "sides", "What was compared");
	side_fact(d, c, 0);
	side_fact(d, c, 1);
	say_rule(d, c);
	compare_tables(d, c);
	one_side_section(d, c);
	if (c->left_out[0].nr || c->left_out[1].nr)
		doc_section(d, "left-out", "Left out");
	items(d, "A: ", &c->left_out[0]);
	items(d, "B: ", &c->left_out[1]);
	return d;
}

static int write(const struct compare *c, int (*writer)(const struct doc *, FILE *), FILE *to)
{
	struct doc *d = compare_doc(c);
	int rc = d && !d->failed ? writer(d, to) : -ENOMEM;

	doc_free(d);
	return rc;
}

int compare_text(const struct compare *c, FILE *to)
{
	return write(c, doc_write_text, to);
}

int compare_markdown(const struct compare *c, FILE *to)
{
	return write(c, doc_write_markdown, to);
}
