/* SPDX-License-Identifier: MIT */
#include "report.h"

#include <math.h>
#include <string.h>

#include "format.h"
#include "report_private.h"
#include "text.h"

#define REFERENCE_CPUS	160 /* field report K1: 10,240 updates, 40 MiB at the kernel's batch */
#define REFERENCE_BATCH 64
#define MAX_LOSERS	10

/* ----------------------------------------------------------------- decision per demand */

static void cell_pick(struct doc *d, const struct pick_demand *demand)
{
	if (!demand->nr_rows)
		doc_absent(d, "the layout was not measured at this demand with all workers");
	else if (demand->decided)
		doc_cell(d, "%lld", (long long)demand->batch);
	else if (demand->range_lo && demand->range_hi)
		doc_cell(d, "%lld to %lld ?", (long long)demand->range_lo,
			 (long long)demand->range_hi);
	else if (demand->range_lo)
		doc_cell(d, ">= %lld ?", (long long)demand->range_lo);
	else
		doc_cell(d, "?");
}

/* what the best larger batch gains over @row */
static void cell_gain(struct doc *d, const struct pick_row *row, const char *why_not)
{
	char buf[FORMAT_MAX];

	if (row && row->gain.n)
		doc_cell(d, "%s", format_change(buf, &row->gain));
	else
		doc_absent(d, why_not);
}

static void decisions(struct doc *d, const struct pick *p)
{
	const struct pick_demand *demand;
	const struct pick_row *row;
	char buf[FORMAT_MAX];
	int i;

	doc_table(d, "The batch per demand: %d worker%s, margin %s", p->nr_workers,
		  p->nr_workers == 1 ? "" : "s", format_percent(buf, p->margin));
	doc_col(d, DOC_NUM_KEY, "local work\nper %s", format_per(p->experiment));
	doc_col(d, DOC_NUM, "batch");
	doc_col(d, DOC_NUM, "the best larger one\ngains over it");
	doc_col(d, DOC_NUM, "and over the next\nsmaller one");
	for (i = 0; i < p->nr_demands; i++) {
		demand = &p->demands[i];
		row = pick_row_at(demand, demand->decided ? demand->batch : demand->range_lo);
		doc_cell(d, "%s", format_work(buf, demand->work_ns));
		cell_pick(d, demand);
		cell_gain(d, row, "no larger batch has data beside it");
		cell_gain(d, row && row > demand->rows ? row - 1 : NULL,
			  "no smaller batch has data");
	}
	if (p->weighted) {
		demand = p->weighted;
		row = pick_row_at(demand, demand->decided ? demand->batch : demand->range_lo);
		doc_cell(d, "mean");
		cell_pick(d, demand);
		cell_gain(d, row, "no larger batch has data beside it");
		cell_gain(d, row && row > demand->rows ? row - 1 : NULL,
			  "no smaller batch has data");
	}
	for (i = 0; i < p->nr_demands; i++)
		doc_add(d, DOC_ITEM, "%s: %s", format_work(buf, p->demands[i].work_ns),
			p->demands[i].why);
	if (p->weighted)
		doc_add(d, DOC_ITEM, "weighted mean: %s", p->weighted->why);
	if (p->nr_demands && !p->demands[0].work_ns)
		doc_add(d, DOC_PARA,
			"Saturated (no local work) every doubling of the batch pays, so a pick "
			"made there would always say \"the largest\": it is shown and not used.");
}

/* the pick against the kernel's batches, old and new */
static void references(struct doc *d, const struct pick *p)
{
	const struct pick_demand *demand;
	const struct pick_row *row;
	char buf[FORMAT_MAX];
	int i, which;

	doc_table(d, "What the pick gains over the kernel's batch until 2022 (%d) and since (%d)",
		  PICK_OLD_BATCH, PICK_KERNEL_BATCH);
	doc_col(d, DOC_NUM_KEY, "local work\nper %s", format_per(p->experiment));
	doc_col(d, DOC_NUM, "batch");
	for (which = 0; which < PICK_NR_REFERENCES; which++)
		doc_col(d, DOC_NUM, "gain over\n%lld", (long long)pick_reference(which));
	for (i = 0; i < p->nr_demands; i++) {
		demand = &p->demands[i];
		row = pick_row_at(demand, demand->decided ? demand->batch : demand->range_lo);
		doc_cell(d, "%s", format_work(buf, demand->work_ns));
		cell_pick(d, demand);
		for (which = 0; which < PICK_NR_REFERENCES; which++) {
			if (row && row->batch == pick_reference(which))
				doc_absent(d, "it is that batch");
			else if (row && row->over[which].n)
				doc_cell(d, "%s", format_change(buf, &row->over[which]));
			else
				doc_absent(d, "that batch has no data beside it");
		}
	}
}

/* "page_counter layout=v6_15 depth=3 work_ns=250, 2 workers" */
static void cell_case(struct doc *d, const struct result_case *c)
{
	char text[160];
	size_t len = 0;
	int i;

	text[0] = 0;
	for (i = 0; i < c->nr_params && len < sizeof(text); i++)
		if (strcmp(c->params[i].name, "batch"))
			len += snprintf(text + len, sizeof(text) - len, " %s=%s", c->params[i].name,
					c->params[i].text);
	doc_cell(d, "%s%.100s, %d worker%s", c->experiment, text, c->nr_workers,
		 c->nr_workers == 1 ? "" : "s");
}

static void losers(struct doc *d, const struct pick *p)
{
	char buf[FORMAT_MAX];
	int i;

	if (!p->nr_losers && p->nr_compared)
		doc_add(d, DOC_PARA,
			"No case is slower at %lld than at a smaller batch of %d or %d: %d pairs of "
			"cases were compared.",
			(long long)p->batch, PICK_OLD_BATCH, PICK_KERNEL_BATCH, p->nr_compared);
	if (!p->nr_losers)
		return;
	doc_table(d,
		  "Cases that are slower at %lld than at a smaller batch: %d of %d that were "
		  "compared; about 1 in 40 by chance",
		  (long long)p->batch, p->nr_losers, p->nr_compared);
	doc_col(d, DOC_NUM_KEY, "smaller\nbatch");
	doc_col(d, DOC_NUM, "change");
	doc_col(d, DOC_WORD, "case");
	for (i = 0; i < p->nr_losers && i < MAX_LOSERS; i++) {
		doc_cell(d, "%lld", (long long)p->losers[i].smaller);
		doc_cell(d, "%s", format_gain(buf, &p->losers[i].change));
		cell_case(d, p->losers[i].c);
	}
	if (i < p->nr_losers)
		doc_add(d, DOC_PARA, "and %d more, which lose less", p->nr_losers - i);
}

/* ------------------------------------------------------------------- cost per batch */

static const struct pick_demand *with_rows(const struct pick *p)
{
	const struct pick_demand *most = NULL;
	int i;

	for (i = 0; i < p->nr_demands; i++)
		if (!most || p->demands[i].nr_rows > most->nr_rows)
			most = &p->demands[i];
	return most && most->nr_rows ? most : NULL;
}

/* an interpolated demand is good for two digits */
static char *about(char *buf, double ns)
{
	double digit = pow(10, floor(log10(ns)) - 1);

	return format_work(buf, ns > 0 ? round(ns / digit) * digit : 0);
}

static void cell_from(struct doc *d, const struct pick *p, const struct pick_row *row)
{
	const struct pick_demand *last = &p->demands[p->nr_demands - 1];
	char buf[FORMAT_MAX];

	if (row->from == PICK_FROM_KNOWN)
		doc_cell(d, "about %s", about(buf, row->demand_from_ns));
	else if (row->from == PICK_FROM_ALL)
		doc_cell(d, "any measured");
	else if (row->from == PICK_FROM_NONE)
		doc_cell(d, "over %s", format_work(buf, last->work_ns));
	else
		doc_absent(d, "too few windows of this batch beside those of a larger one");
}

static void costs(struct doc *d, const struct pick *p)
{
	const struct pick_demand *demand = with_rows(p);
	const struct pick_row *row;
	char buf[FORMAT_MAX];
	int i;

	if (!demand)
		return;
	doc_table(d,
		  "What a batch costs on %d CPUs with %d KiB pages, and the local work per %s "
		  "from which it is enough",
		  p->cpus, p->page_bytes / 1024, format_per(p->experiment));
	doc_col(d, DOC_NUM_KEY, "batch");
	doc_col(d, DOC_NUM, "enough\nfrom");
	doc_col(d, DOC_NUM, "stranded by\n%d memcg%s", p->slots, p->slots == 1 ? "" : "s");
	if (p->slots != PICK_STOCK_SLOTS)
		doc_col(d, DOC_NUM, "stranded by\n%d memcgs", PICK_STOCK_SLOTS);
	doc_col(d, DOC_NUM, "statistics behind\nby updates");
	doc_col(d, DOC_NUM, "that is\nup to");
	doc_col(d, DOC_WORD, "remark");
	for (i = 0; i < demand->nr_rows; i++) {
		row = &demand->rows[i];
		doc_cell(d, "%lld", (long long)row->batch);
		cell_from(d, p, row);
		doc_cell(d, "%s", text_bytes(buf, sizeof(buf), row->stranded_bytes));
		if (p->slots != PICK_STOCK_SLOTS)
			doc_cell(d, "%s", text_bytes(buf, sizeof(buf), row->stranded_all_bytes));
		doc_cell(d, "%s", format_count(buf, (int64_t)row->stale_updates));
		doc_cell(d, "%s", text_bytes(buf, sizeof(buf), row->stale_updates * p->page_bytes));
		doc_cell(d, "%s%s%s", row->allowed ? "" : "over the limit",
			 !row->allowed && row->needs_wide ? ", " : "",
			 row->needs_wide ? "wide counts" : "");
	}
}

static void by_page_size(struct doc *d, const struct pick *p)
{
	static const int kib[] = {4, 16, 64};
	const struct pick_demand *demand = with_rows(p);
	char buf[FORMAT_MAX];
	int i, k;

	if (!demand)
		return;
	doc_table(d, "What %d CPUs x %d memcg%s strand with other page sizes", p->cpus, p->slots,
		  p->slots == 1 ? "" : "s");
	doc_col(d, DOC_NUM_KEY, "batch");
	for (k = 0; k < 3; k++)
		doc_col(d, DOC_NUM, "%d KiB\npages", kib[k]);
	for (i = 0; i < demand->nr_rows; i++) {
		doc_cell(d, "%lld", (long long)demand->rows[i].batch);
		for (k = 0; k < 3; k++)
			doc_cell(d, "%s",
				 text_bytes(buf, sizeof(buf),
					    1024.0 * kib[k] * p->cpus * p->slots *
						    demand->rows[i].batch));
	}
}

static void updates(struct doc *d, const struct pick *p, int cpus, int64_t batch)
{
	char count[FORMAT_MAX], bytes[FORMAT_MAX];
	double stale = (double)batch * cpus;

	doc_add(d, DOC_ITEM, "%d CPUs, batch %lld: %s updates, %s", cpus, (long long)batch,
		format_count(count, (int64_t)stale),
		text_bytes(bytes, sizeof(bytes), stale * p->page_bytes));
}

static void staleness(struct doc *d, const struct pick *p)
{
	int64_t batch = p->decided ? p->batch : p->range_lo;

	doc_add(d, DOC_PARA,
		"Between the kernel's periodic flushes (every 2 s) memory.stat is refreshed for a "
		"reader only after batch x CPUs updates; so it may be behind by:");
	updates(d, p, p->cpus, REFERENCE_BATCH);
	if (batch && batch != REFERENCE_BATCH)
		updates(d, p, p->cpus, batch);
	if (p->cpus == REFERENCE_CPUS)
		return;
	updates(d, p, REFERENCE_CPUS, REFERENCE_BATCH);
	if (batch && batch != REFERENCE_BATCH)
		updates(d, p, REFERENCE_CPUS, batch);
}

static void wide_counts(struct doc *d, const struct pick *p)
{
	const struct pick_demand *demand = with_rows(p);

	if (!demand || !demand->rows[demand->nr_rows - 1].needs_wide)
		return;
	doc_add(d, DOC_PARA,
		"Over %d: 8-bit slot counts of the seven-slot stock: a larger batch needs wide "
		"counts.",
		PICK_8BIT_MAX);
}

/* --------------------------------------------------------------------------- the answer */

void pick_answer(struct doc *d, const struct pick *p)
{
	const struct pick_demand *demand = with_rows(p);
	const struct pick_row *row = p->decided ? pick_row_at(demand, p->batch) : NULL;
	char one[FORMAT_MAX], all[FORMAT_MAX], count[FORMAT_MAX], stale[FORMAT_MAX];

	doc_section(d, "answer", "Recommended batch");
	doc_add(d, DOC_STRONG, "%s", p->sentence);
	if (!row)
		return;
	doc_add(d, DOC_ITEM, "It strands up to %s per memcg on %d CPUs, %s with all %d slots.",
		text_bytes(one, sizeof(one), row->stranded_all_bytes / PICK_STOCK_SLOTS), p->cpus,
		text_bytes(all, sizeof(all), row->stranded_all_bytes), PICK_STOCK_SLOTS);
	doc_add(d, DOC_ITEM, "Statistics may be behind by %s updates, %s.",
		format_count(count, (int64_t)row->stale_updates),
		text_bytes(stale, sizeof(stale), row->stale_updates * p->page_bytes));
	if (row->from == PICK_FROM_KNOWN)
		doc_add(d, DOC_ITEM, "Below about %s of local work per %s a larger batch pays.",
			about(count, row->demand_from_ns), format_per(p->experiment));
	if (row > demand->rows && row[-1].from == PICK_FROM_KNOWN)
		doc_add(d, DOC_ITEM, "From about %s of local work per %s on, %lld is enough.",
			about(count, row[-1].demand_from_ns), format_per(p->experiment),
			(long long)row[-1].batch);
}

void pick_sections(struct doc *d, const struct pick *p)
{
	doc_section(d, "pick", "The batch, per demand, and what it costs");
	if (p->setting)
		doc_add(d, DOC_PARA, "Picked from the cases with %s.", p->setting);
	if (p->predicted)
		doc_add(d, DOC_STRONG,
			"Every figure here is a prediction of the model, none was measured; the "
			"intervals are those of the simulation, the model's own error is larger.");
	decisions(d, p);
	references(d, p);
	losers(d, p);
	costs(d, p);
	by_page_size(d, p);
	wide_counts(d, p);
	staleness(d, p);
}

void pick_left_out(struct doc *d, const char *const *sentences, int nr)
{
	int i;

	for (i = 0; i < nr; i++)
		doc_add(d, DOC_ITEM, "Left out: %s.", sentences[i]);
}

static int write(const struct pick *p, int (*writer)(const struct doc *, FILE *), FILE *to)
{
	struct doc *d = doc_new("Batch for %s%s", p->class_name, p->predicted ? ", predicted" : "");
	int rc;

	if (!d)
		return -ENOMEM;
	pick_answer(d, p);
	if (p->nr_zero)
		doc_add(d, DOC_ITEM,
			"In %d undisturbed window%s nothing got done: in the rates, but in no gain.",
			p->nr_zero, p->nr_zero == 1 ? "" : "s");
	pick_left_out(d, p->left_out, p->nr_left_out);
	pick_sections(d, p);
	rc = d->failed ? -ENOMEM : writer(d, to);
	doc_free(d);
	return rc;
}

int pick_text(const struct pick *p, FILE *to)
{
	return write(p, doc_write_text, to);
}

int pick_markdown(const struct pick *p, FILE *to)
{
	return write(p, doc_write_markdown, to);
}
