/* SPDX-License-Identifier: MIT */
/* What the doctor found to be bad where a run was made, each with its remedy. */
#include "report_private.h"

#include <string.h>

#include "doctor.h"

static bool same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static bool same_finding(const struct result_finding *a, const struct result_finding *b)
{
	return !strcmp(a->name, b->name) && !strcmp(a->state, b->state) &&
	       same_text(a->value, b->value);
}

/* did an earlier file, or this one, say it already? */
static bool said_before(const struct results *const *r, int file, int idx)
{
	int i, k;

	for (i = 0; i <= file; i++)
		for (k = 0; k < (i < file ? r[i]->nr_findings : idx); k++)
			if (same_finding(&r[i]->findings[k], &r[file]->findings[idx]))
				return true;
	return false;
}

static int add_state(struct doc *d, const struct results *const *r, int nr, const char *state)
{
	const struct result_finding *f;
	int i, k, added = 0;

	for (i = 0; i < nr; i++) {
		for (k = 0; k < r[i]->nr_findings; k++) {
			f = &r[i]->findings[k];
			if (strcmp(f->state, state) || said_before(r, i, k))
				continue;
			doc_add(d, DOC_ITEM, "%s %s%s%s.%s%s", state, f->name, f->value ? ": " : "",
				f->value ? f->value : "", f->remedy ? " Remedy: " : "",
				f->remedy ? f->remedy : "");
			added++;
		}
	}
	return added;
}

static int count_unknown(const struct results *r)
{
	int i, unknown = 0;

	for (i = 0; i < r->nr_findings; i++)
		unknown += !strcmp(r->findings[i].state, finding_state_names[FINDING_UNKNOWN]);
	return unknown;
}

/* nothing for files that were made before there were findings */
void record_findings(struct doc *d, const struct results *const *r, int nr)
{
	int i, examined = 0, unknown = 0, bad;

	for (i = 0; i < nr; i++) {
		examined += r[i]->nr_findings > 0;
		unknown = count_unknown(r[i]) > unknown ? count_unknown(r[i]) : unknown;
	}
	if (!examined)
		return;
	doc_section(d, "findings", "What could spoil this measurement");
	bad = add_state(d, r, nr, finding_state_names[FINDING_FAULT]);
	bad += add_state(d, r, nr, finding_state_names[FINDING_WARNING]);
	if (!bad)
		doc_add(d, DOC_PARA, "Nothing of what was looked at.");
	if (unknown)
		doc_add(d, DOC_PARA, "%d thing%s the system does not tell: see chargeline doctor.",
			unknown, unknown == 1 ? "" : "s");
}
