/* SPDX-License-Identifier: MIT */
#include "results_counters.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------- the columns */

static int replace(char **to, const char *text)
{
	char *dup = text && *text ? strdup(text) : NULL;

	free(*to);
	*to = dup;
	return text && *text && !dup ? -ENOMEM : 0;
}

static int renew(struct result_counter *to, const struct counter_info *info)
{
	int rc = 0;

	if (!to->name) {
		rc = replace(&to->name, info->name);
		rc = rc ? rc : replace(&to->group, info->group);
		rc = rc ? rc : replace(&to->unit, info->unit);
		rc = rc ? rc : replace(&to->formula, info->formula);
		to->moves = info->moves;
	}
	rc = rc ? rc : replace(&to->state, counter_state_names[info->state]);
	return rc ? rc : replace(&to->reason, info->reason);
}

int results_set_counters(struct results *r, struct counters *c)
{
	int i, rc = 0;

	if (!c)
		return 0;
	if (!r->counters) {
		r->counters = calloc(counters_nr(c) + 1, sizeof(*r->counters));
		if (!r->counters)
			return -ENOMEM;
		r->nr_counters = counters_nr(c);
		r->counters_multiplexed = counters_multiplexed(c);
		r->counters_backend = strdup(counters_backend(c));
		r->counters_note = strdup(counters_note(c));
		rc = r->counters_backend && r->counters_note ? 0 : -ENOMEM;
	}
	for (i = 0; i < r->nr_counters && !rc; i++)
		rc = renew(&r->counters[i], counters_info(c, i));
	return rc;
}

void results_counters_free(struct results *r)
{
	int i;

	for (i = 0; i < r->nr_counters; i++) {
		free(r->counters[i].name);
		free(r->counters[i].group);
		free(r->counters[i].unit);
		free(r->counters[i].formula);
		free(r->counters[i].state);
		free(r->counters[i].reason);
	}
	free(r->counters);
	free(r->counters_backend);
	free(r->counters_note);
}

/* -------------------------------------------------------------------------- JSON */

static json_t *text_or_null(const char *s)
{
	return s ? json_string(s) : json_null();
}

static json_t *column_json(const struct result_counter *c)
{
	return json_pack("{s:s, s:s, s:s, s:o, s:o, s:s, s:o}", "name", c->name, "group", c->group,
			 "unit", c->unit, "formula", text_or_null(c->formula), "moves",
			 json_boolean(c->moves), "state", c->state, "reason",
			 text_or_null(c->reason));
}

json_t *results_counters_json(const struct results *r)
{
	json_t *list = json_array();
	int i;

	for (i = 0; list && i < r->nr_counters; i++) {
		if (json_array_append_new(list, column_json(&r->counters[i]))) {
			json_decref(list);
			return NULL;
		}
	}
	return json_pack("{s:s, s:s, s:b, s:o}", "backend", r->counters_backend, "note",
			 r->counters_note, "multiplexed", r->counters_multiplexed, "columns", list);
}

static bool is_state(const char *s)
{
	int i;

	for (i = 0; i < COUNTER_NR_STATES; i++)
		if (!strcmp(s, counter_state_names[i]))
			return true;
	return false;
}

static void read_column(struct fields *f, const json_t *o, struct result_counter *c)
{
	c->name = field_text(f, o, "name");
	c->group = field_text(f, o, "group");
	c->unit = field_text(f, o, "unit");
	c->formula = field_text_or_null(f, o, "formula");
	c->moves = field_bool(f, o, "moves");
	c->state = field_text(f, o, "state");
	c->reason = field_text_or_null(f, o, "reason");
	if (c->state && !is_state(c->state))
		field_refuse(f, "state", "is not counted, <not supported> or <not counted>");
}

static void read_columns(struct fields *f, const json_t *root, struct results *r)
{
	char section[48];
	const json_t *list, *o;
	int i, nr;

	list = field_list(f, root, "columns", COUNTERS_MAX, &nr);
	if (f->rc)
		return;
	r->counters = calloc(nr + 1, sizeof(*r->counters));
	if (!r->counters)
		return field_no_memory(f);
	r->nr_counters = nr;
	for (i = 0; i < nr && !f->rc; i++) {
		o = json_array_get(list, i);
		snprintf(section, sizeof(section), "columns[%d]", i);
		if (!json_is_object(o))
			return field_refuse(f, section, "is not an object");
		snprintf(section, sizeof(section), "counters.columns[%d].", i);
		f->section = section;
		read_column(f, o, &r->counters[i]);
		f->section = "counters.";
	}
}

void results_counters_read(struct fields *f, const json_t *root, struct results *r)
{
	const json_t *o = json_object_get(root, "counters");

	if (f->rc || !o || json_is_null(o))
		return;
	o = field_object(f, root, "counters");
	f->section = "counters.";
	r->counters_backend = field_text(f, o, "backend");
	r->counters_note = field_text(f, o, "note");
	r->counters_multiplexed = field_bool(f, o, "multiplexed");
	read_columns(f, o, r);
	f->section = "";
}

/* ---------------------------------------------------------------------- a window */

int sample_counters_json(json_t *o, const struct results *r, const struct sample *s)
{
	json_t *list;
	bool absent = false;
	int i, rc = 0;

	if (!r->nr_counters)
		return 0;
	list = json_array();
	for (i = 0; i < r->nr_counters; i++) {
		absent |= !isfinite(s->counters[i]);
		rc |= json_array_append_new(
			list, isfinite(s->counters[i]) ? json_real(s->counters[i]) : json_null());
	}
	rc |= json_object_set_new(o, "counters", list);
	if (absent)
		rc |= json_object_set_new(
			o, "counters_reason",
			json_string("not in this window's set, or see counters.columns"));
	if (r->counters_multiplexed && isfinite(s->counters_share))
		rc |= json_object_set_new(o, "counters_share", json_real(s->counters_share));
	return rc ? -ENOMEM : 0;
}

void sample_counters_read(struct fields *f, const json_t *o, const struct results *r,
			  struct sample *s)
{
	const json_t *list, *v;
	char name[32];
	int i, nr;

	for (i = 0; i < COUNTERS_MAX; i++)
		s->counters[i] = NAN;
	s->counters_share = NAN;
	if (!r->nr_counters)
		return;
	list = field_list(f, o, "counters", COUNTERS_MAX, &nr);
	if (!f->rc && nr != r->nr_counters)
		field_refuse(f, "counters", "has %d values for %d columns", nr, r->nr_counters);
	for (i = 0; i < nr && !f->rc; i++) {
		v = json_array_get(list, i);
		if (json_is_null(v))
			continue;
		if (json_is_number(v) && json_number_value(v) >= 0) {
			s->counters[i] = json_number_value(v);
			continue;
		}
		snprintf(name, sizeof(name), "counters[%d]", i);
		field_refuse(f, name, "is not a number of 0 or more");
	}
	if (!f->rc && json_object_get(o, "counters_share"))
		s->counters_share = field_real(f, o, "counters_share", 1.000001);
}
