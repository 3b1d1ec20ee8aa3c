/* SPDX-License-Identifier: MIT */
#include "report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report_private.h"

/* -------------------------------------------------- the demand at which a batch is enough */

struct pick_row *pick_row_at(const struct pick_demand *d, int64_t batch)
{
	int i;

	for (i = 0; d && i < d->nr_rows; i++)
		if (d->rows[i].batch == batch)
			return &d->rows[i];
	return NULL;
}

/* the hyperbola of report.h through (z1, g1) and (z2, g2), g1 > margin >= g2 > 0, at the margin */
static double demand_at_margin(double z1, double g1, double z2, double g2, double margin)
{
	double k = (g2 * z2 - g1 * z1) / (g1 - g2);

	/* no demand has a gain of 0: the first measured one that is enough */
	if (margin <= 0)
		return z2;
	return g1 * (z1 + k) / margin - k;
}

static void find_from(struct pick *p, int64_t batch, enum pick_from *from, double *ns)
{
	double z, g, next_z = 0, next_g = NAN;
	struct pick_row *row;
	int i;

	*from = PICK_FROM_UNKNOWN;
	*ns = NAN;
	for (i = p->nr_demands - 1; i >= 0; i--) {
		row = pick_row_at(&p->demands[i], batch);
		if (!row || row->gain.n < STATS_MIN_N)
			continue;
		z = p->demands[i].work_ns;
		g = row->gain.mid - 1;
		if (row->gain.mid > (1 + p->margin) * (1 + 1e-9)) {
			*from = isnan(next_g) ? PICK_FROM_NONE : PICK_FROM_KNOWN;
			if (*from == PICK_FROM_KNOWN)
				*ns = demand_at_margin(z, g, next_z, fmax(next_g, p->margin / 10),
						       p->margin);
			return;
		}
		*from = PICK_FROM_ALL;
		next_z = z;
		next_g = g;
	}
}

static void find_all_from(struct pick *p)
{
	struct pick_row *row;
	int i, k;

	for (i = 0; i < p->nr_demands; i++) {
		for (k = 0; k < p->demands[i].nr_rows; k++) {
			row = &p->demands[i].rows[k];
			find_from(p, row->batch, &row->from, &row->demand_from_ns);
		}
	}
}

/* --------------------------------------------------------------------------- overall */

static void settle(struct pick *p)
{
	const struct pick_demand *d;
	int64_t lo = 0, hi = 0;
	bool bounded = true;
	int i, used = 0;

	if (p->weighted) {
		p->decided = p->weighted->decided;
		p->batch = p->weighted->batch;
		p->range_lo = p->weighted->range_lo;
		p->range_hi = p->weighted->range_hi;
		return;
	}
	for (i = 0; i < p->nr_demands; i++) {
		d = &p->demands[i];
		if (!d->work_ns || !d->nr_rows)
			continue;
		used++;
		if ((d->decided ? d->batch : d->range_lo) > lo)
			lo = d->decided ? d->batch : d->range_lo;
		if ((d->decided ? d->batch : d->range_hi) > hi)
			hi = d->decided ? d->batch : d->range_hi;
		bounded &= d->decided || d->range_hi;
	}
	p->decided = used && bounded && lo == hi;
	if (p->decided) {
		p->batch = lo;
		return;
	}
	p->range_lo = lo;
	p->range_hi = bounded ? hi : 0;
}

/* the newest layout with data under load, else the newest one */
static int default_layout(const struct grid *g)
{
	const struct series *s;
	int layout, work, batch;

	for (layout = g->nr_layouts - 1; layout >= 0; layout--) {
		for (work = 0; work < g->nr_works; work++) {
			for (batch = 0; g->works[work] && batch < g->nr_batches; batch++) {
				s = grid_at(g, layout, work, g->nr_workers - 1, batch);
				if (s && s->nr_valid)
					return layout;
			}
		}
	}
	return g->nr_layouts - 1;
}

static int find_layout(const struct grid *g, const char *name, struct err *err)
{
	int i;

	if (!name)
		return default_layout(g);
	for (i = 0; i < g->nr_layouts; i++)
		if (g->layouts[i] && !strcmp(g->layouts[i], name))
			return i;
	if (!g->layouts[0])
		return err_set(err, -EINVAL, "layout '%.80s': the cases have no layout", name);
	return text_unknown(err, "measured layout", name, g->layouts, g->nr_layouts);
}

static void limit_to(struct pick *p, int64_t batch, const char *by)
{
	batch = batch > 0 ? batch : -1;
	if (p->limit && p->limit <= batch)
		return;
	p->limit = batch;
	p->limit_by = by;
}

static void set_limits(struct pick *p, const struct pick_options *opt)
{
	int64_t page_of_all = (int64_t)p->cpus * p->slots * p->page_bytes;

	if (opt->max_batch > 0)
		limit_to(p, opt->max_batch, "the largest batch asked for");
	if (opt->slots_8bit)
		limit_to(p, PICK_8BIT_MAX, "8-bit slot counts");
	if (opt->max_stranded > 0 && page_of_all)
		limit_to(p, opt->max_stranded / page_of_all, "stranded memory");
	if (opt->max_stale > 0 && p->cpus)
		limit_to(p, opt->max_stale / p->cpus, "staleness of statistics");
}

static char *setting_text(const struct grid *g)
{
	const struct result_case *c = g->sample->c;
	char *text = NULL;
	size_t size;
	FILE *to;
	int i;

	to = open_memstream(&text, &size);
	if (!to)
		return NULL;
	for (i = 0; i < c->nr_params; i++)
		if (!grid_is_axis(c->params[i].name))
			fprintf(to, "%s=%s ", c->params[i].name, c->params[i].text);
	fprintf(to, "placement=%s home=%s", c->placement ? c->placement : "-",
		c->home ? c->home : "-");
	if (fclose(to)) {
		free(text);
		return NULL;
	}
	return text;
}

static int count_zero(const struct series_set *set)
{
	int i, k, nr = 0;

	for (i = 0; i < set->nr; i++)
		for (k = 0; k < set->s[i].nr_valid; k++)
			nr += set->s[i].valid[k].rate == 0;
	return nr;
}

int pick_decide(const struct grid *g, const struct series_set *set,
		const struct pick_machine *machine, const struct pick_options *opt,
		struct pick **out, struct err *err)
{
	static const struct pick_options defaults = {.margin = PICK_MARGIN};
	int layout, i, rc = 0, weights = 0;
	struct pick *p;

	opt = opt ? opt : &defaults;
	if (!g)
		return err_set(err, -EINVAL,
			       "nothing to pick from: no case has a parameter 'batch'");
	if (g->nr_batches < 2)
		return err_set(err, -EINVAL,
			       "nothing to pick from: only one batch (%lld) was measured",
			       (long long)g->batches[0]);
	layout = find_layout(g, opt->layout, err);
	if (layout < 0)
		return layout;
	p = calloc(1, sizeof(*p));
	if (!p)
		return err_set(err, -ENOMEM, "out of memory");
	p->layout = g->layouts[layout];
	p->experiment = g->experiment;
	p->cpus = machine->cpus;
	p->page_bytes = machine->page_bytes;
	p->slots = opt->slots > 0 ? opt->slots : 1;
	p->margin = opt->margin >= 0 ? opt->margin : PICK_MARGIN;
	set_limits(p, opt);
	p->predicted = opt->predicted;
	p->left_out = opt->left_out;
	p->nr_left_out = opt->nr_left_out;
	p->nr_zero = count_zero(set);
	p->nr_workers = g->workers[g->nr_workers - 1];
	p->class_name = strdup(machine->class_name ? machine->class_name : "");
	p->demands = calloc(g->nr_works, sizeof(*p->demands));
	if (g->nr_settings > 1)
		p->setting = setting_text(g);
	if (!p->class_name || !p->demands || (g->nr_settings > 1 && !p->setting))
		rc = -ENOMEM;
	for (i = 0; !rc && i < g->nr_works; i++)
		rc = pick_demand(p, g, layout, i, &p->demands[p->nr_demands++]);
	if (!rc) {
		find_all_from(p);
		weights = pick_weigh(p, opt, err);
		settle(p);
		rc = pick_find_losers(p, set);
	}
	if (rc || weights) {
		pick_free(p);
		return rc ? err_set(err, rc, "out of memory") : weights;
	}
	pick_explain(p);
	*out = p;
	return 0;
}

static void machine_add(struct pick_machine *m, const struct results *r)
{
	if (r->machine.pus > m->cpus)
		m->cpus = r->machine.pus;
	if (r->machine.page_bytes > m->page_bytes)
		m->page_bytes = r->machine.page_bytes;
}

void pick_machine(const struct results *const *r, int nr, struct pick_machine *out)
{
	int i;

	*out = (struct pick_machine){.class_name = r[0]->machine.class_name};
	for (i = 0; i < nr; i++)
		machine_add(out, r[i]);
}

/* ------------------------------------------------------------------------- the input */

struct pick_input {
	struct series_adder adder;
	struct series_set set;
	struct grid *grid;
	struct pick_machine machine;
	char *class_name;
};

static int input_new(struct pick_input **out, bool copies, struct err *err)
{
	struct pick_input *in = calloc(1, sizeof(*in));

	if (!in)
		return err_set(err, -ENOMEM, "out of memory");
	in->adder.copies = copies;
	*out = in;
	return 0;
}

int pick_input_new(struct pick_input **out, struct err *err)
{
	return input_new(out, true, err);
}

int pick_input_add(struct pick_input *in, const struct results *r, struct err *err)
{
	int rc = series_add(&in->adder, r, err);

	if (rc)
		return rc;
	if (!in->class_name)
		in->class_name = strdup(in->adder.class_name);
	if (!in->class_name)
		return err_set(err, -ENOMEM, "out of memory");
	machine_add(&in->machine, r);
	return 0;
}

int pick_input_make(struct pick_input *in, const struct pick_options *opt, struct pick **out,
		    struct err *err)
{
	int rc = series_end(&in->adder, &in->set, err);

	if (rc)
		return rc;
	rc = grid_make(&in->grid, &in->set, err);
	if (rc)
		return rc;
	in->machine.class_name = in->class_name;
	return pick_decide(in->grid, &in->set, &in->machine, opt, out, err);
}

void pick_input_free(struct pick_input *in)
{
	if (!in)
		return;
	grid_free(in->grid);
	series_free(&in->set);
	series_adder_free(&in->adder);
	free(in->class_name);
	free(in);
}

int pick_make(const struct results *const *r, int nr, const struct pick_options *opt,
	      struct pick **out, struct err *err)
{
	struct pick_input *in = NULL;
	int i, rc = input_new(&in, false, err);

	if (rc)
		return rc;
	for (i = 0; i < nr && !rc; i++)
		rc = pick_input_add(in, r[i], err);
	if (!rc)
		rc = pick_input_make(in, opt, out, err);
	pick_input_free(in);
	return rc;
}

/* --------------------------------------------------------------------------- the end */

static void free_demand(struct pick_demand *d)
{
	free(d->rows);
	free(d->gain);
}

void pick_free(struct pick *p)
{
	int i;

	if (!p)
		return;
	for (i = 0; i < p->nr_demands; i++)
		free_demand(&p->demands[i]);
	if (p->weighted)
		free_demand(p->weighted);
	free(p->weighted);
	free(p->demands);
	free(p->losers);
	free(p->class_name);
	free(p->setting);
	free(p);
}
