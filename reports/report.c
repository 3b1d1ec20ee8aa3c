/* SPDX-License-Identifier: MIT */
#include "report.h"

#include <stdlib.h>
#include <string.h>

#include "plots.h"

static int layout_index(const struct report *rep)
{
	int i;

	for (i = 0; rep->pick && i < rep->grid->nr_layouts; i++)
		if (rep->grid->layouts[i] == rep->pick->layout)
			return i;
	return rep->grid->nr_layouts - 1;
}

/* a grid of one batch and one layout has no table of its own */
static void drop_small_grid(struct report *rep)
{
	int i;

	if (!rep->grid || rep->grid->nr_batches > 1 || rep->grid->nr_layouts > 1)
		return;
	for (i = 0; i < rep->set.nr; i++)
		rep->set.s[i].in_grid = false;
	grid_free(rep->grid);
	rep->grid = NULL;
}

static int make_numbers(struct report *rep, const struct pick_options *opt, struct err *err)
{
	struct pick_machine machine;
	int rc = series_load(&rep->set, rep->r, rep->nr, err);

	if (rc)
		return rc;
	if (matrix_make(&rep->matrices, &rep->set, rep->r, rep->nr))
		return err_set(err, -ENOMEM, "out of memory");
	rc = grid_make(&rep->grid, &rep->set, err);
	if (rc)
		return rc;
	pick_machine(rep->r, rep->nr, &machine);
	rc = pick_decide(rep->grid, &rep->set, &machine, opt, &rep->pick, &rep->no_pick);
	if (rc == -ENOMEM)
		return err_set(err, rc, "out of memory");
	drop_small_grid(rep);
	return 0;
}

/* nothing but pairs of CPUs was measured */
static bool only_matrices(const struct report *rep)
{
	int i = 0;

	while (i < rep->set.nr && rep->set.s[i].in_matrix)
		i++;
	return rep->matrices.nr && i == rep->set.nr;
}

/* was anything measured that a batch could be picked for? */
static bool any_batch(const struct report *rep)
{
	int64_t batch;
	int i;

	for (i = 0; i < rep->set.nr; i++)
		if (result_param(rep->set.s[i].c, "batch", &batch))
			return true;
	return false;
}

/* warnings come late in the page, so the answer says that there are some */
static void count_warnings(struct doc *d, const struct report *rep)
{
	struct doc *w = doc_new("warnings");
	int i, nr = 0;

	if (w)
		record_warnings(w, rep);
	d->failed |= !w || w->failed;
	for (i = 0; w && !w->failed && i < w->sections[0].nr_blocks; i++)
		nr += w->sections[0].blocks[i].kind == DOC_ITEM;
	if (nr && d->nr_sections)
		doc_add(d, DOC_ITEM, "%d warning%s: read %s below before using the numbers.", nr,
			nr == 1 ? "" : "s", nr == 1 ? "it" : "them");
	doc_free(w);
}

static int make_doc(struct report *rep, const struct pick_options *opt, struct err *err)
{
	const struct results *first = rep->r[0];
	int layout = rep->grid ? layout_index(rep) : 0;
	struct doc *d = doc_new("chargeline report: %s, %s",
				first->machine.class_name ? first->machine.class_name : "unknown",
				first->started ? first->started : "date unknown");

	if (!d)
		return err_set(err, -ENOMEM, "out of memory");
	rep->doc = d;
	if (rep->pick) {
		pick_answer(d, rep->pick);
	} else if (only_matrices(rep)) {
		matrix_answer(d, rep);
	} else if (any_batch(rep)) {
		doc_section(d, "answer", "Recommended batch");
		doc_add(d, DOC_STRONG, "None: %s.", rep->no_pick.msg);
	}
	count_warnings(d, rep);
	record_head(d, rep->r, rep->nr);
	if (opt)
		pick_left_out(d, opt->left_out, opt->nr_left_out);
	record_findings(d, rep->r, rep->nr);
	published_sections(d, rep);
	matrix_sections(d, rep, only_matrices(rep));
	if (rep->pick)
		pick_sections(d, rep->pick);
	if (rep->grid)
		counter_sections(d, rep, layout);
	cases_sections(d, &rep->set);
	limit_sections(d, &rep->set);
	spacing_sections(d, &rep->set);
	counted_sections(d, rep);
	if (rep->grid)
		overlay_sections(d, rep, layout);
	record_warnings(d, rep);
	record_repeat(d, rep->r, rep->nr);
	repeat_figures(d, rep, layout);
	return d->failed ? err_set(err, -ENOMEM, "out of memory") : 0;
}

int report_build_beside(const struct results *const *r, int nr, const struct pick_options *opt,
			const struct sim_profile *model, struct reproduction *published,
			struct report **out, struct err *err)
{
	struct report *rep = calloc(1, sizeof(*rep));
	int rc;

	if (!rep)
		return err_set(err, -ENOMEM, "out of memory");
	rep->r = r;
	rep->nr = nr;
	rep->published = published;
	rc = make_numbers(rep, opt, err);
	if (!rc && model && rep->grid && overlay_make(&rep->overlay, rep, model, layout_index(rep)))
		rc = err_set(err, -ENOMEM, "out of memory");
	if (!rc)
		rc = make_doc(rep, opt, err);
	rep->r = NULL;
	rep->published = NULL;
	if (rc)
		report_free(rep);
	else
		*out = rep;
	return rc;
}

int report_build(const struct results *const *r, int nr, const struct pick_options *opt,
		 struct report **out, struct err *err)
{
	return report_build_beside(r, nr, opt, NULL, NULL, out, err);
}

void report_free(struct report *rep)
{
	if (!rep)
		return;
	doc_free(rep->doc);
	overlay_free(&rep->overlay);
	pick_free(rep->pick);
	grid_free(rep->grid);
	matrix_free(&rep->matrices);
	series_free(&rep->set);
	free(rep);
}

int report_text(const struct report *rep, FILE *to)
{
	return doc_write_text(rep->doc, to);
}

int report_html(const struct report *rep, FILE *to)
{
	return doc_write_html(rep->doc, to);
}

int report_markdown(const struct report *rep, FILE *to)
{
	return doc_write_markdown(rep->doc, to);
}
