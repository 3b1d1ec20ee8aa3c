/* SPDX-License-Identifier: MIT */
#include "results_findings.h"

#include <stdlib.h>
#include <string.h>

#include "doctor.h"

/* NULL for "": absent is null */
static char *copy(const char *s, int *rc)
{
	char *dup = *s ? strdup(s) : NULL;

	if (*s && !dup)
		*rc = -ENOMEM;
	return dup;
}

int findings_fill(struct results *r, const struct topo *topo)
{
	struct finding *found = NULL;
	struct result_finding *to;
	struct err why = ERR_INIT;
	char text[600];
	int i, nr, rc;

	rc = doctor_examine(topo, "", &found, &nr, &why);
	if (rc) {
		snprintf(text, sizeof(text), "what may disturb here was not examined: %s", why.msg);
		return results_add_warning(r, text);
	}
	r->findings = calloc(nr, sizeof(*r->findings));
	if (!r->findings)
		rc = -ENOMEM;
	for (i = 0; !rc && i < nr; i++) {
		to = &r->findings[r->nr_findings++];
		to->name = copy(found[i].name, &rc);
		to->state = copy(finding_state_names[found[i].state], &rc);
		to->value = copy(found[i].value, &rc);
		to->remedy = copy(found[i].remedy, &rc);
	}
	free(found);
	return rc;
}

void findings_free(struct results *r)
{
	int i;

	for (i = 0; i < r->nr_findings; i++) {
		free(r->findings[i].name);
		free(r->findings[i].state);
		free(r->findings[i].value);
		free(r->findings[i].remedy);
	}
	free(r->findings);
}

json_t *findings_json(const struct results *r)
{
	const struct result_finding *f;
	json_t *list = json_array();
	int i;

	for (i = 0; list && i < r->nr_findings; i++) {
		f = &r->findings[i];
		if (json_array_append_new(list, json_pack("{s:s, s:s, s:s?, s:s?}", "name", f->name,
							  "state", f->state, "value", f->value,
							  "remedy", f->remedy))) {
			json_decref(list);
			return NULL;
		}
	}
	return list;
}

static bool is_state(const char *name)
{
	int i;

	for (i = 0; i < FINDING_NR_STATES; i++)
		if (!strcmp(finding_state_names[i], name))
			return true;
	return false;
}

static void read_one(struct fields *f, const json_t *o, struct result_finding *to)
{
	to->name = field_text(f, o, "name");
	to->state = field_text(f, o, "state");
	to->value = field_text_or_null(f, o, "value");
	to->remedy = field_text_or_null(f, o, "remedy");
	if (to->state && !is_state(to->state))
		field_refuse(f, "state", "is not ok, warning, fault or unknown");
}

void findings_read(struct fields *f, const json_t *root, struct results *r)
{
	const json_t *list = json_object_get(root, "findings"), *o;
	char section[32];
	int i, nr;

	if (!list || json_is_null(list))
		return;
	list = field_list(f, root, "findings", RESULTS_MAX_FINDINGS, &nr);
	if (f->rc)
		return;
	r->findings = calloc(nr ? nr : 1, sizeof(*r->findings));
	if (!r->findings)
		return field_no_memory(f);
	r->nr_findings = nr;
	for (i = 0; i < nr && !f->rc; i++) {
		o = json_array_get(list, i);
		snprintf(section, sizeof(section), "findings[%d]", i);
		if (!json_is_object(o))
			return field_refuse(f, section, "is not an object");
		snprintf(section, sizeof(section), "findings[%d].", i);
		f->section = section;
		read_one(f, o, &r->findings[i]);
		f->section = "";
	}
}
