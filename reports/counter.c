/* SPDX-License-Identifier: MIT */
/* The tables of a grid: layouts x batches x local work x workers. */
#include "plots.h"

#include <stdlib.h>
#include <string.h>

#include "experiment.h"
#include "format.h"

#define KERNEL_BATCH 64
#define BASE_LAYOUT  "packed_5_19"

static const char *unit(const struct grid *g)
{
	const struct experiment *exp = experiment_find(g->experiment, NULL);

	return exp && exp->unit ? exp->unit : "operations";
}

/* "4 workers": the most that were measured */
static const char *all_workers(const struct grid *g, char *buf)
{
	int64_t nr = g->workers[g->nr_workers - 1];

	if (nr == 1)
		return strcpy(buf, "one worker");
	snprintf(buf, FORMAT_MAX, "%lld workers", (long long)nr);
	return buf;
}

static const char *layout_name(const struct grid *g, int layout)
{
	return g->layouts[layout] ? g->layouts[layout] : g->experiment;
}

static const struct series *with_all(const struct grid *g, int layout, int work, int batch)
{
	return grid_at(g, layout, work, g->nr_workers - 1, batch);
}

/* a row or a column without any case is left out, not filled with dashes */
static bool has_work(const struct grid *g, int layout, int work)
{
	int batch;

	for (batch = 0; batch < g->nr_batches; batch++)
		if (with_all(g, layout, work, batch))
			return true;
	return false;
}

static bool has_batch(const struct grid *g, int work, int batch)
{
	int layout;

	for (layout = 0; layout < g->nr_layouts; layout++)
		if (with_all(g, layout, work, batch))
			return true;
	return false;
}

/* ------------------------------------------------------------------------- throughput */

static void throughput_at(struct doc *d, const struct grid *g, int work)
{
	char buf[FORMAT_MAX], workers[FORMAT_MAX];
	int layout, batch;

	doc_table(d, "%s/s, %s together, %s%s%s", unit(g), all_workers(g, workers),
		  format_work(buf, g->works[work]),
		  g->works[work] ? " of local work per " : ": no local work",
		  g->works[work] ? format_per(g->experiment) : "");
	doc_col(d, DOC_NUM_KEY, "batch");
	for (layout = 0; layout < g->nr_layouts; layout++)
		if (has_work(g, layout, work))
			doc_col(d, DOC_NUM, "%s", layout_name(g, layout));
	for (batch = 0; batch < g->nr_batches; batch++) {
		if (!has_batch(g, work, batch))
			continue;
		doc_cell(d, "%lld", (long long)g->batches[batch]);
		for (layout = 0; layout < g->nr_layouts; layout++)
			if (has_work(g, layout, work))
				cell_rate(d, with_all(g, layout, work, batch));
	}
}

static void throughput(struct doc *d, const struct report *rep)
{
	const struct grid *g = rep->grid;
	int work, layout;
	bool any;

	doc_section(d, "throughput", "Throughput");
	figure_layouts(d, rep);
	for (work = 0; work < g->nr_works; work++) {
		for (any = false, layout = 0; layout < g->nr_layouts; layout++)
			any |= has_work(g, layout, work);
		if (any)
			throughput_at(d, g, work);
	}
}

/* -------------------------------------------------------------------------- alignment */

static int find_base(const struct grid *g)
{
	int i;

	for (i = 0; i < g->nr_layouts; i++)
		if (g->layouts[i] && !strcmp(g->layouts[i], BASE_LAYOUT))
			return i;
	return -1;
}

static void alignment_table(struct doc *d, const struct grid *g, int base)
{
	char buf[FORMAT_MAX], workers[FORMAT_MAX];
	int work, batch, layout;

	doc_table(d, "Change of %s/s against " BASE_LAYOUT ", %s", unit(g),
		  all_workers(g, workers));
	doc_col(d, DOC_NUM_KEY, "local work\nper %s", format_per(g->experiment));
	doc_col(d, DOC_NUM_KEY, "batch");
	doc_col(d, DOC_NUM, "%s", layout_name(g, base));
	for (layout = 0; layout < g->nr_layouts; layout++)
		if (layout != base)
			doc_col(d, DOC_NUM, "%s", layout_name(g, layout));
	for (work = 0; work < g->nr_works; work++) {
		for (batch = 0; batch < g->nr_batches; batch++) {
			if (!with_all(g, base, work, batch))
				continue;
			doc_cell(d, "%s", format_work(buf, g->works[work]));
			doc_cell(d, "%lld", (long long)g->batches[batch]);
			cell_rate(d, with_all(g, base, work, batch));
			for (layout = 0; layout < g->nr_layouts; layout++)
				if (layout != base)
					cell_ratio(d, with_all(g, layout, work, batch),
						   with_all(g, base, work, batch));
		}
	}
}

static void alignment(struct doc *d, const struct grid *g)
{
	int base = find_base(g);

	if (g->nr_layouts < 2 && base < 0)
		return;
	doc_section(d, "alignment", "What alignment gives");
	if (g->workers[g->nr_workers - 1] < 2)
		doc_add(d, DOC_PARA,
			"Nothing can be said: with one worker no line is contended, and what shares "
			"a line does not matter.");
	else if (base < 0)
		doc_add(d, DOC_PARA,
			"Nothing can be said: " BASE_LAYOUT ", the layout without alignment, was "
			"not measured.");
	else if (g->nr_layouts < 2)
		doc_add(d, DOC_PARA,
			"Nothing can be said: no layout beside " BASE_LAYOUT " was measured.");
	else
		alignment_table(d, g, base);
}

/* -------------------------------------------------------------------------- doublings */

struct step {
	int from, to;
};

static int find_batch(const struct grid *g, int64_t batch)
{
	int i;

	for (i = 0; i < g->nr_batches; i++)
		if (g->batches[i] == batch)
			return i;
	return -1;
}

/* every doubling, and the most that 8-bit counts allow against the kernel's own batch */
static int find_steps(const struct grid *g, struct step *steps)
{
	int i, to, nr = 0;

	for (i = 0; i < g->nr_batches; i++) {
		if (g->batches[i] == KERNEL_BATCH && (to = find_batch(g, PICK_8BIT_MAX)) >= 0)
			steps[nr++] = (struct step){i, to};
		to = find_batch(g, 2 * g->batches[i]);
		if (to >= 0)
			steps[nr++] = (struct step){i, to};
	}
	for (i = 0; !nr && i + 1 < g->nr_batches; i++)
		steps[i] = (struct step){i, i + 1};
	return nr ? nr : g->nr_batches - 1;
}

static void steps_table(struct doc *d, const struct grid *g, int layout, const struct step *steps,
			int nr)
{
	char buf[FORMAT_MAX], workers[FORMAT_MAX];
	int i, work;

	doc_table(d, "Change of %s/s by a larger batch: %s, %s, by local work per %s", unit(g),
		  layout_name(g, layout), all_workers(g, workers), format_per(g->experiment));
	doc_col(d, DOC_NUM_KEY, "batch");
	for (work = 0; work < g->nr_works; work++)
		if (has_work(g, layout, work))
			doc_col(d, DOC_NUM, "%s", format_work(buf, g->works[work]));
	for (i = 0; i < nr; i++) {
		doc_cell(d, "%lld -> %lld", (long long)g->batches[steps[i].from],
			 (long long)g->batches[steps[i].to]);
		for (work = 0; work < g->nr_works; work++)
			if (has_work(g, layout, work))
				cell_ratio(d, with_all(g, layout, work, steps[i].to),
					   with_all(g, layout, work, steps[i].from));
	}
}

static void doublings(struct doc *d, const struct grid *g, int layout)
{
	struct step *steps = calloc(2 * (size_t)g->nr_batches, sizeof(*steps));
	int nr;

	if (!steps) {
		d->failed = true;
		return;
	}
	nr = find_steps(g, steps);
	if (nr > 0) {
		doc_section(d, "doublings", "What each doubling of the batch gives");
		steps_table(d, g, layout, steps, nr);
	}
	free(steps);
}

/* ---------------------------------------------------------------------------- workers */

static int counts_at(const struct grid *g, int layout, int batch)
{
	int work, w, nr = 0;

	for (work = 0; work < g->nr_works; work++)
		for (w = 0; w < g->nr_workers; w++)
			nr += !!grid_at(g, layout, work, w, batch);
	return nr;
}

/* the batch measured with most worker counts: the kernel's own, then the smaller, wins a tie */
int counter_scaling_batch(const struct grid *g, int layout)
{
	int i, best = 0, nr, most = 0;

	for (i = 0; i < g->nr_batches; i++) {
		nr = 2 * counts_at(g, layout, i) + (g->batches[i] == KERNEL_BATCH);
		if (nr > most) {
			most = nr;
			best = i;
		}
	}
	return best;
}

static void scaling_rows(struct doc *d, const struct grid *g, int layout, int work, int batch)
{
	const struct series *s;
	char buf[FORMAT_MAX];
	int w;

	for (w = 0; w < g->nr_workers; w++) {
		s = grid_at(g, layout, work, w, batch);
		if (!s)
			continue;
		doc_cell(d, "%s", format_work(buf, g->works[work]));
		doc_cell(d, "%lld", (long long)g->batches[batch]);
		doc_cell(d, "%lld", (long long)g->workers[w]);
		cell_rate(d, s);
		cell_factor(d, s, grid_at(g, layout, work, 0, batch));
		cell_value(d, s, SERIES_JAIN);
		cell_value(d, s, SERIES_SLOWEST_TO_FASTEST);
	}
}

static void scaling(struct doc *d, const struct report *rep, int layout)
{
	const struct grid *g = rep->grid;
	int work, batch = counter_scaling_batch(g, layout), shown = 0;

	if (g->nr_workers < 2 && g->workers[0] < 2)
		return;
	doc_section(d, "scaling", "More workers, and how fairly they share");
	figure_scaling(d, rep, layout);
	doc_table(d, "%s, by workers; Jain's index is 1 when all get the same",
		  layout_name(g, layout));
	doc_col(d, DOC_NUM_KEY, "local work\nper %s", format_per(g->experiment));
	doc_col(d, DOC_NUM_KEY, "batch");
	doc_col(d, DOC_NUM_KEY, "workers");
	doc_col(d, DOC_NUM, "%s/s", unit(g));
	doc_col(d, DOC_NUM, "against\n%lld worker%s", (long long)g->workers[0],
		g->workers[0] == 1 ? "" : "s");
	doc_col(d, DOC_NUM, "Jain's\nindex");
	doc_col(d, DOC_NUM, "slowest /\nfastest");
	/* the saturated counters and the most demanding real load; the rest is in the file */
	for (work = 0; work < g->nr_works && shown < 2; work++, shown++) {
		if (batch)
			scaling_rows(d, g, layout, work, 0);
		scaling_rows(d, g, layout, work, batch);
	}
}

/* ---------------------------------------------------------------------------- metrics */

static void metrics(struct doc *d, const struct grid *g, int layout)
{
	const struct result_case *c = g->sample->c;
	char buf[FORMAT_MAX], workers[FORMAT_MAX];
	int work = 0, batch, m;

	while (work < g->nr_works && !has_work(g, layout, work))
		work++;
	if (!c->nr_metrics || work == g->nr_works)
		return;
	doc_section(d, "metrics", "What the cases counted");
	doc_table(d, "%s, %s, %s", layout_name(g, layout), all_workers(g, workers),
		  format_work(buf, g->works[work]));
	doc_col(d, DOC_NUM_KEY, "batch");
	for (m = 0; m < c->nr_metrics; m++)
		doc_col(d, DOC_NUM, "%s\n%s", c->metrics[m].name, c->metrics[m].unit);
	for (batch = 0; batch < g->nr_batches; batch++) {
		if (!with_all(g, layout, work, batch))
			continue;
		doc_cell(d, "%lld", (long long)g->batches[batch]);
		for (m = 0; m < c->nr_metrics; m++)
			cell_value(d, with_all(g, layout, work, batch), SERIES_METRICS + m);
	}
}

static void batch_curve(struct doc *d, const struct report *rep, int layout)
{
	if (rep->grid->nr_batches < 2)
		return;
	doc_section(d, "batch", "The batch curve and its knee");
	figure_batch(d, rep, layout);
	knee_table(d, rep, layout);
}

/* by workers, by batch, by layout; then what was counted */
void counter_sections(struct doc *d, const struct report *rep, int layout)
{
	scaling(d, rep, layout);
	batch_curve(d, rep, layout);
	throughput(d, rep);
	doublings(d, rep->grid, layout);
	alignment(d, rep->grid);
	lines_sections(d, rep);
	metrics(d, rep->grid, layout);
}
