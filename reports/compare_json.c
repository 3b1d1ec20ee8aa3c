/* SPDX-License-Identifier: MIT */
#include "compare.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare_private.h"
#include "json_put.h"

/* JSON knows no NaN and no infinity: absent is null */
static json_t *number(double x)
{
	return isfinite(x) ? json_real(x) : json_null();
}

/* what is not UTF-8 is not text, and none is null */
static json_t *text(const char *s)
{
	json_t *j = s && *s ? json_string(s) : NULL;

	return j ? j : json_null();
}

static json_t *texts_json(const struct texts *t)
{
	json_t *list = json_array();
	int i;

	for (i = 0; i < t->nr; i++)
		json_array_append_new(list, text(t->s[i]));
	return list;
}

static json_t *side_json(const struct compare *c, int side)
{
	json_t *files = json_array(), *facts = json_object(), *values;
	int i, k, fact;

	for (i = 0; i < c->nr_runs[side]; i++)
		json_array_append_new(files,
				      json_pack("{s:o, s:o}", "file", text(c->runs[side][i].path),
						"started", text(c->runs[side][i].started)));
	/* each fact once: the values that the side has, in the order of its runs */
	for (fact = 0; fact < NR_FACTS; fact++) {
		values = json_array();
		for (i = 0; i < c->nr_runs[side]; i++) {
			for (k = 0; k < i; k++)
				if (!strcmp(c->runs[side][k].facts[fact],
					    c->runs[side][i].facts[fact]))
					break;
			if (k == i)
				json_array_append_new(values, text(c->runs[side][i].facts[fact]));
		}
		json_object_set_new(facts, compare_fact_name(fact), values);
	}
	return json_pack("{s:o, s:o, s:o}", "runs", files, "facts", facts, "left_out",
			 texts_json(&c->left_out[side]));
}

static json_t *case_json(const struct result_case *c)
{
	json_t *params = json_object();
	char *cpus = cpulist_text_sorted(&c->cpus);
	json_t *o;
	int i;

	for (i = 0; i < c->nr_params; i++)
		json_object_set_new(params, c->params[i].name, text(c->params[i].text));
	o = json_pack("{s:o, s:o, s:i, s:o, s:o, s:o}", "experiment", text(c->experiment), "params",
		      params, "workers", c->nr_workers, "placement", text(c->placement), "home",
		      text(c->home), "cpus", text(cpus));
	free(cpus);
	return o;
}

static const char *verdict_text(enum compare_verdict verdict, bool rate)
{
	switch (verdict) {
	case COMPARE_CANNOT_TELL:
		return "cannot tell";
	case COMPARE_NONE_SEEN:
		return "no difference seen";
	case COMPARE_SLOWER:
		return rate ? "slower" : "lower";
	case COMPARE_FASTER:
		return rate ? "faster" : "higher";
	}
	return "";
}

static json_t *side_figure_json(const struct compare_figure *f, int side)
{
	if (!f->n[side])
		return json_null();
	return json_pack("{s:i, s:o, s:o}", "values", f->n[side], "median", number(f->median[side]),
			 "relative_stddev", number(f->stddev[side]));
}

/* could_hide: the largest difference inside the interval, when none is seen */
static json_t *figure_json(const struct compare_figure *f, bool rate)
{
	bool hides = f->verdict == COMPARE_NONE_SEEN && f->ratio.n;
	json_t *ratio = f->ratio.n
				? json_pack("{s:o, s:o, s:o}", "median", number(f->ratio.mid),
					    "low", number(f->ratio.lo), "high", number(f->ratio.hi))
				: json_null();

	return json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o}", "verdict",
			 verdict_text(f->verdict, rate), "a", side_figure_json(f, 0), "b",
			 side_figure_json(f, 1), "ratio", ratio, "p", number(f->p), "p_corrected",
			 number(f->p_holm), "could_hide",
			 hides ? number(fmax(1 - f->ratio.lo, f->ratio.hi - 1)) : json_null());
}

static json_t *row_json(const struct compare_row *row)
{
	json_t *o = case_json(row->c), *metrics = json_array(), *m;
	int i;

	for (i = 0; i < row->c->nr_metrics; i++) {
		m = figure_json(&row->metrics[i], false);
		json_object_set_new(m, "name", text(row->c->metrics[i].name));
		json_object_set_new(m, "unit", text(row->c->metrics[i].unit));
		json_array_append_new(metrics, m);
	}
	json_object_set_new(o, "regression", json_boolean(row->regression));
	json_object_set_new(o, "rate", figure_json(&row->rate, true));
	json_object_set_new(o, "metrics", metrics);
	json_object_set_new(o, "windows_disturbed",
			    json_pack("[i, i]", row->nr_marked[0], row->nr_marked[1]));
	json_object_set_new(o, "windows_of_nothing",
			    json_pack("[i, i]", row->nr_zero[0], row->nr_zero[1]));
	return o;
}

static json_t *one_side_json(const struct compare *c, int side)
{
	json_t *list = json_array();
	int i;

	for (i = 0; i < c->nr_cases; i++)
		if (c->cases[i]->side[side].seen && !c->cases[i]->side[!side].seen)
			json_array_append_new(list, case_json(&c->cases[i]->c));
	return list;
}

int compare_json(const struct compare *c, FILE *to)
{
	static const char *const units[] = {
		[COMPARE_WINDOWS] = "window",
		[COMPARE_RUNS] = "run",
		[COMPARE_PAIRED_RUNS] = "pair of runs",
	};
	json_t *rows = json_array(), *tree;
	int i, rc = 0;

	for (i = 0; i < c->nr_rows; i++)
		json_array_append_new(rows, row_json(&c->rows[i]));
	tree = json_pack(
		"{s:s, s:i, s:b, s:b, s:o, s:f, s:f, s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o}",
		"schema", "chargeline-compare", "version", 1, "regression", compare_regressed(c),
		"tells", compare_tells(c), "sentence", text(c->sentence), "fail_over", c->fail_over,
		"error_rate", COMPARE_ERROR, "correction", "holm", "value", units[c->unit], "a",
		side_json(c, 0), "b", side_json(c, 1), "warnings", texts_json(&c->warnings),
		"cases", rows, "only_a", one_side_json(c, 0), "only_b", one_side_json(c, 1));
	if (!tree)
		return -ENOMEM;
	rc = json_put(tree, JSON_INDENT(2) | JSON_REAL_PRECISION(9), to);
	json_decref(tree);
	return rc;
}
