/* SPDX-License-Identifier: MIT */
#include <jansson.h>
#include <math.h>
#include <stdio.h>

#include "report.h"
#include "sim.h"
#include "json_put.h"

static json_t *params_json(const struct bench_case *c)
{
	json_t *o = json_object();
	const struct param *p;
	char text[64];

	for (p = c->exp->params; p && p->name; p++)
		json_object_set_new(o, p->name,
				    p->choices ? json_string(param_text(p, param_get(p, c->params),
									text, sizeof(text)))
					       : json_integer(param_get(p, c->params)));
	return o;
}

static json_t *number(double v)
{
	return isfinite(v) ? json_real(v) : json_null();
}

static json_t *metrics_json(const struct bench_case *c, const struct sim_result *r)
{
	json_t *o = json_object();
	int i;

	for (i = 0; c->exp->metrics && c->exp->metrics[i].name; i++)
		json_object_set_new(o, c->exp->metrics[i].name, number(r->metrics[i]));
	return o;
}

static json_t *lines_json(const struct sim_result *r)
{
	json_t *lines = json_array();
	int i;

	for (i = 0; i < r->nr_lines; i++)
		json_array_append_new(lines, json_pack("{s:I, s:s, s:I, s:I, s:f}", "offset",
						       (json_int_t)r->line[i].offset, "fields",
						       r->line[i].fields, "accesses",
						       (json_int_t)r->line[i].accesses, "transfers",
						       (json_int_t)r->line[i].transfers,
						       "waited_ns", r->line[i].waited_ps / 1e3));
	return lines;
}

static json_t *case_json(const struct bench_case *c, const struct sim_result *r)
{
	return json_pack(
		"{s:s, s:s, s:o, s:i, s:s, s:o, s:o, s:o, s:o, s:{s:f, s:f, s:f, s:f, s:f}, s:o, s:o, s:o, "
		"s:o, s:b, s:I}",
		"kind", "predicted", "experiment", c->exp->name, "params", params_json(c),
		"workers", c->cpus.nr, "placement", c->placement, "rate", number(r->rate),
		"half_width", number(r->half_width), "ns_per_op", number(r->ns_per_op),
		"transfers_per_op", number(r->transfers_per_op), "time_ns", "work",
		r->time.work / 1e3, "hits", r->time.hits / 1e3, "transfers",
		r->time.transfers / 1e3, "queueing", r->time.queueing / 1e3, "other",
		r->time.other / 1e3, "slowest", number(r->slowest), "fastest", number(r->fastest),
		"metrics", metrics_json(c, r), "lines", lines_json(r), "bounded", r->bounded,
		"accesses", (json_int_t)r->nr_accesses);
}

int json_predictions(const struct sim_profile *p, const struct plan *plan,
		     const struct sim_result *r, FILE *to)
{
	json_t *root = json_pack("{s:s, s:s, s:i, s:s, s:o}", "machine", p->name, "class",
				 topo_info(p->topo)->class_name, "cpus", p->nr_cpus, "source",
				 p->source, "predictions", json_array());
	json_t *list = json_object_get(root, "predictions");
	int i, rc;

	if (!root)
		return -ENOMEM;
	for (i = 0; i < plan->nr_cases; i++)
		if (json_array_append_new(list, case_json(&plan->cases[i], &r[i])))
			break;
	rc = i < plan->nr_cases ? -ENOMEM
				: json_put(root, JSON_INDENT(1) | JSON_PRESERVE_ORDER, to);
	json_decref(root);
	return rc;
}
