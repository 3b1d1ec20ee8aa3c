/* SPDX-License-Identifier: MIT */
#include "report.h"
#include "json_put.h"

#include <jansson.h>

static json_t *text_or_null(const char *s)
{
	return *s ? json_string(s) : json_null();
}

static json_t *finding_json(const struct finding *f)
{
	return json_pack("{s:s, s:s, s:o, s:o}", "name", f->name, "state",
			 finding_state_names[f->state], "value", text_or_null(f->value), "remedy",
			 text_or_null(f->remedy));
}

int json_doctor(const struct finding *findings, int nr, FILE *to)
{
	json_t *all = json_array();
	int i, rc = all ? 0 : -ENOMEM;

	for (i = 0; !rc && i < nr; i++)
		if (json_array_append_new(all, finding_json(&findings[i])))
			rc = -ENOMEM;
	if (!rc)
		rc = json_put(all, JSON_INDENT(1) | JSON_PRESERVE_ORDER, to);
	json_decref(all);
	return rc;
}
