/* SPDX-License-Identifier: MIT */
/* pick_fixture.h - picks from synthetic results, and their rows by demand and batch */
#ifndef CHARGELINE_TESTS_PICK_FIXTURE_H
#define CHARGELINE_TESTS_PICK_FIXTURE_H

#include "test.h"

#include "report.h"
#include "synthetic.h"

static inline struct pick *pick_of(const struct results *r, const struct pick_options *opt)
{
	const struct results *const all[] = {r};
	struct err err = ERR_INIT;
	struct pick *p = NULL;

	assert_ok(pick_make(all, 1, opt, &p, &err), &err);
	assert_non_null(p);
	return p;
}

static inline struct pick *pick_synth(const struct synth *s, const struct pick_options *opt,
				      struct results **r)
{
	*r = synth_results(s);
	return pick_of(*r, opt);
}

static const struct pick_demand *demand(const struct pick *p, int64_t work_ns)
{
	int i;

	for (i = 0; i < p->nr_demands; i++)
		if (p->demands[i].work_ns == work_ns)
			return &p->demands[i];
	fail_msg("no demand of %lld ns", (long long)work_ns);
	return NULL;
}

static const struct pick_row *row(const struct pick *p, int64_t work_ns, int64_t batch)
{
	const struct pick_demand *d = demand(p, work_ns);
	int i;

	for (i = 0; i < d->nr_rows; i++)
		if (d->rows[i].batch == batch)
			return &d->rows[i];
	fail_msg("no batch %lld at %lld ns", (long long)batch, (long long)work_ns);
	return NULL;
}

static inline void done(struct pick *p, struct results *r)
{
	pick_free(p);
	results_free(r);
}

static inline void assert_says(const char *text, const char *part)
{
	if (!text || !strstr(text, part))
		fail_msg("'%s' lacks '%s'", text ? text : "", part);
}

#endif
