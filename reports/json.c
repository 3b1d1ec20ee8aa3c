/* SPDX-License-Identifier: MIT */
#include "report.h"
#include "json_put.h"

#include <jansson.h>
#include <math.h>

/* JSON knows no NaN and no infinity: absent is null */
static json_t *number(double x)
{
	return isfinite(x) ? json_real(x) : json_null();
}

/* what is not UTF-8 is not text */
static json_t *text(const char *s)
{
	json_t *j = s ? json_string(s) : NULL;

	return j ? j : json_null();
}

static json_t *estimate(const struct estimate *e)
{
	if (!e->n)
		return json_null();
	return json_pack("{s:o, s:o, s:o, s:i}", "median", number(e->mid), "low", number(e->lo),
			 "high", number(e->hi), "windows", e->n);
}

static json_t *whole_or_null(int64_t n)
{
	return n > 0 ? json_integer(n) : json_null();
}

static const char *from_text(enum pick_from from)
{
	static const char *const names[] = {
		[PICK_FROM_UNKNOWN] = "unknown",
		[PICK_FROM_KNOWN] = "bracketed",
		[PICK_FROM_ALL] = "enough at every measured demand",
		[PICK_FROM_NONE] = "not enough at the largest measured demand",
	};

	return names[from];
}

static json_t *row_json(const struct pick_row *r)
{
	return json_pack(
		"{s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:b, s:b, s:b, s:b, s:o, s:s, s:o, s:o}",
		"batch", (json_int_t)r->batch, "pages_per_second", estimate(&r->rate),
		"gain_of_larger", estimate(&r->gain), "gain_batch", whole_or_null(r->gain_batch),
		"stranded_bytes", number(r->stranded_bytes), "stranded_bytes_all_slots",
		number(r->stranded_all_bytes), "stale_updates", number(r->stale_updates),
		"too_small", r->too_small, "enough", r->enough, "allowed", r->allowed,
		"needs_wide_counts", r->needs_wide, "enough_from_work_ns",
		number(r->demand_from_ns), "enough_from", from_text(r->from), "gain_over_32",
		estimate(&r->over[0]), "gain_over_64", estimate(&r->over[1]));
}

static json_t *demand_json(const struct pick_demand *d)
{
	json_t *rows = json_array();
	int i;

	for (i = 0; rows && i < d->nr_rows; i++)
		json_array_append_new(rows, row_json(&d->rows[i]));
	return json_pack("{s:I, s:i, s:b, s:o, s:o, s:o, s:b, s:o, s:o, s:o, s:f}", "work_ns",
			 (json_int_t)d->work_ns, "workers", d->nr_workers, "decided", d->decided,
			 "batch", whole_or_null(d->decided ? d->batch : 0), "range_low",
			 whole_or_null(d->range_lo), "range_high", whole_or_null(d->range_hi),
			 "bound_by_limit", d->bound_by_limit, "more_blocks",
			 whole_or_null(d->more_blocks), "why", text(d->why), "batches", rows,
			 "weight", d->weight);
}

static json_t *params_json(const struct result_case *c)
{
	json_t *o = json_object();
	int i;

	for (i = 0; o && i < c->nr_params; i++)
		json_object_set_new(o, c->params[i].name, text(c->params[i].text));
	return o;
}

static json_t *losers(const struct pick *p)
{
	json_t *list = json_array();
	const struct pick_loser *l;
	int i;

	for (i = 0; list && i < p->nr_losers; i++) {
		l = &p->losers[i];
		json_array_append_new(
			list, json_pack("{s:o, s:o, s:i, s:I, s:o}", "experiment",
					text(l->c->experiment), "params", params_json(l->c),
					"workers", l->c->nr_workers, "smaller_batch",
					(json_int_t)l->smaller, "ratio", estimate(&l->change)));
	}
	return list;
}

static json_t *left_out(const struct pick *p)
{
	json_t *list = json_array();
	int i;

	for (i = 0; list && i < p->nr_left_out; i++)
		json_array_append_new(list, text(p->left_out[i]));
	return list;
}

static json_t *pick_tree(const struct pick *p)
{
	json_t *demands = json_array();
	int i;

	for (i = 0; demands && i < p->nr_demands; i++)
		json_array_append_new(demands, demand_json(&p->demands[i]));
	return json_pack("{s:s, s:i, s:o, s:o, s:o, s:o, s:i, s:i, s:i, s:i, s:o, s:o, s:b, s:o, "
			 "s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:s, s:o, s:i}",
			 "schema", "chargeline-pick", "version", 1, "class", text(p->class_name),
			 "experiment", text(p->experiment), "layout", text(p->layout), "setting",
			 text(p->setting), "cpus", p->cpus, "page_bytes", p->page_bytes, "slots",
			 p->slots, "workers", p->nr_workers, "margin", number(p->margin), "limit",
			 p->limit ? json_integer(p->limit < 0 ? 0 : p->limit) : json_null(),
			 "decided", p->decided, "batch", whole_or_null(p->decided ? p->batch : 0),
			 "range_low", whole_or_null(p->range_lo), "range_high",
			 whole_or_null(p->range_hi), "sentence", text(p->sentence), "left_out",
			 left_out(p), "demands", demands, "losers", losers(p), "limit_by",
			 text(p->limit_by), "kind", p->predicted ? "predicted" : "measured",
			 "weighted_mean", p->weighted ? demand_json(p->weighted) : json_null(),
			 "zero_windows", p->nr_zero);
}

int pick_json(const struct pick *p, FILE *to)
{
	json_t *tree = pick_tree(p);
	int rc = 0;

	if (!tree)
		return -ENOMEM;
	rc = json_put(tree, JSON_INDENT(2) | JSON_REAL_PRECISION(9), to);
	json_decref(tree);
	return rc;
}
