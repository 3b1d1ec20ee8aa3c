/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>

#include "reproduce.h"
#include "json_put.h"

static const char note[] =
	"predicted values are those of a model, none is a measurement; rows of kind fit are those that "
	"a free number was fitted on, and the base";

/* @name: a number, or null and @name_reason */
static void set_number(json_t *o, const char *name, double x, const char *why)
{
	char reason[64];

	json_object_set_new(o, name, isfinite(x) ? json_real(x) : json_null());
	if (isfinite(x))
		return;
	snprintf(reason, sizeof(reason), "%s_reason", name);
	json_object_set_new(o, reason, json_string(why));
}

static json_t *row_json(const struct reproduce_case *c, const struct reproduce_row *r)
{
	json_t *o = json_pack("{s:s, s:s}", "case", c->c->name, "row", r->name);

	if (r->published[0] < r->published[1])
		json_object_set_new(o, "published",
				    json_pack("[f, f]", r->published[0], r->published[1]));
	else
		set_number(o, "published", r->published[0], r->published_why);
	set_number(o, "predicted", r->predicted, r->predicted_why);
	json_object_set_new(o, "kind", json_string(r->fitted ? "fit" : "predicted"));
	set_number(o, "error_points", r->error_points, r->error_why);
	set_number(o, "measured", r->measured.n ? r->measured.mid : NAN, r->measured_why);
	return o;
}

static const char *text_of(bool refit, const struct reproduce_fit *f)
{
	return refit ? f->why : "not asked for";
}

static json_t *fit_json(const struct reproduce_fit *f, bool refit)
{
	json_t *o = json_pack("{s:s, s:I, s:s, s:b, s:s, s:[]}", "name", f->fit->name, "value",
			      (json_int_t)f->fit->value, "unit", f->unit, "free",
			      f->fit->on != NULL, "why", f->fit->why, "rows");

	if (f->fit->on)
		json_array_append_new(json_object_get(o, "rows"), json_string(f->fit->on));
	if (f->refitted) {
		json_object_set_new(o, "refit", json_integer(f->found));
		json_object_set_new(o, "differs", json_boolean(f->differs));
	} else {
		json_object_set_new(o, "refit", json_null());
		json_object_set_new(o, "refit_reason", json_string(text_of(refit, f)));
	}
	return o;
}

static void add_note(json_t *notes, const char *who, const char *what)
{
	if (what)
		json_array_append_new(notes, json_sprintf("%s: %s", who, what));
}

static json_t *notes_json(const struct bench_published_case *c)
{
	const struct bench_published_row *row;
	json_t *notes = json_array();

	add_note(notes, "machine", c->model_note);
	for (row = c->rows; row->name; row++)
		add_note(notes, row->name, row->note);
	return notes;
}

static json_t *case_json(const struct reproduce_case *c, bool refit)
{
	json_t *fits = json_array(), *o;
	int i;

	for (i = 0; i < c->nr_fits; i++)
		json_array_append_new(fits, fit_json(&c->fit[i], refit));
	o = json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:{s:s, s:i, s:b}, s:i, s:o, s:o}", "case",
		      c->c->name, "title", c->c->title, "unit", c->c->unit, "source", c->c->source,
		      "published_machine", c->c->machine, "load", c->c->load, "machine", "name",
		      c->machine, "cpus", c->machine_cpus, "assumed", c->c->model_note != NULL,
		      "workers", c->nr_workers, "fitted", fits, "notes", notes_json(c->c));
	if (c->measured_workers)
		json_object_set_new(o, "measured_cpus", json_integer(c->measured_workers));
	else
		set_number(o, "measured_cpus", NAN, c->nr_rows ? c->rows[0].measured_why : "");
	return o;
}

int json_reproduce(const struct reproduction *r, FILE *to)
{
	json_t *root = json_pack("{s:s, s:i, s:s, s:[], s:[]}", "schema", "chargeline-reproduce",
				 "version", 1, "note", note, "cases", "rows");
	json_t *cases = json_object_get(root, "cases"), *rows = json_object_get(root, "rows");
	int i, k, rc = root ? 0 : -ENOMEM;

	for (i = 0; i < r->nr && !rc; i++) {
		if (json_array_append_new(cases, case_json(&r->cases[i], r->refit)))
			rc = -ENOMEM;
		for (k = 0; k < r->cases[i].nr_rows && !rc; k++)
			if (json_array_append_new(rows,
						  row_json(&r->cases[i], &r->cases[i].rows[k])))
				rc = -ENOMEM;
	}
	if (!rc)
		rc = json_put(root, JSON_INDENT(1) | JSON_REAL_PRECISION(9), to);
	json_decref(root);
	return rc;
}
