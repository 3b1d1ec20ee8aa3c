/* SPDX-License-Identifier: MIT */
#include "gbench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "stats.h"

#define TRIES 3 /* windows per run until one is undisturbed */

static void add_value(struct gbench_run *r, const char *key, double value)
{
	r->values[r->nr_values++] = (struct gbench_value){key, value};
}

static void read_sample(struct gbench_run *r, const struct bench_case *c, const struct sample *s,
			int discarded)
{
	const struct metric *m = c->exp->metrics;
	int i;

	r->iterations = s->ops;
	r->seconds = c->cpus.nr * s->window_ns * 1e-9 / (double)s->ops;
	add_value(r, "items_per_second", s->rate);
	add_value(r, "workers", c->cpus.nr);
	add_value(r, "jain", s->jain);
	add_value(r, "discarded_windows", discarded);
	for (i = 0; m && m[i].name && i < EXPERIMENT_MAX_METRICS; i++)
		add_value(r, m[i].name, s->metrics[i]);
}
_Static_assert(EXPERIMENT_MAX_METRICS + 4 <= GBENCH_MAX_VALUES, "room for every metric");

int gbench_measure(struct bench_session *s, const struct plan *plan, int idx,
		   struct gbench_run *out, struct err *err)
{
	const struct bench_case *c = &plan->cases[idx];
	struct sample sample;
	unsigned seen = 0;
	char marks[160];
	int i, rc;

	for (i = 0; i < TRIES; i++) {
		rc = bench_window(s, idx, &sample, err);
		if (rc) {
			snprintf(out->error, sizeof(out->error), "%s", err->msg);
			return rc;
		}
		if (!sample.marks)
			break;
		seen |= sample.marks;
	}
	if (sample.marks)
		snprintf(out->error, sizeof(out->error), "disturbed in each of %d windows: %s",
			 TRIES, gbench_marks_text(seen, marks, sizeof(marks)));
	else if (!sample.ops || !(sample.window_ns > 0))
		snprintf(out->error, sizeof(out->error),
			 "no operation was completed in the window");
	else
		read_sample(out, c, &sample, i);
	return 0;
}

/* ---------------------------------------------------------------- aggregates */

static double coefficient_of_variation(const double *x, int n)
{
	return stats_sd(x, n) / stats_mean(x, n); /* not finite when the mean is 0: null */
}

static const struct {
	const char *name;
	double (*of)(const double *x, int n);
	bool share;
} statistics[GBENCH_NR_AGGREGATES] = {
	{"mean", stats_mean, false},
	{"median", stats_median, false},
	{"stddev", stats_sd, false},
	{"cv", coefficient_of_variation, true},
};

/* of value @key of the valid runs, -1: their time; NaN when a run lacks it */
static double over(const struct gbench_run *runs, int nr, int key, int which, double *x)
{
	int i, n = 0;

	for (i = 0; i < nr; i++)
		if (!runs[i].error[0])
			x[n++] = key < 0 ? runs[i].seconds : runs[i].values[key].value;
	for (i = 0; i < n; i++)
		if (!isfinite(x[i]))
			return NAN;
	return statistics[which].of(x, n);
}

int gbench_aggregate(const struct gbench_run *runs, int nr, struct gbench_run *out)
{
	const struct gbench_run *first = NULL;
	int i, k, valid = 0;
	double *x;

	for (i = 0; i < nr; i++) {
		if (runs[i].error[0])
			continue;
		valid++;
		if (!first)
			first = &runs[i];
	}
	if (valid < 2)
		return 0;
	x = calloc(valid, sizeof(*x));
	if (!x)
		return -ENOMEM;
	for (i = 0; i < GBENCH_NR_AGGREGATES; i++) {
		out[i] = *first;
		out[i].aggregate = statistics[i].name;
		out[i].share = statistics[i].share;
		out[i].iterations = valid;
		out[i].seconds = over(runs, nr, -1, i, x);
		for (k = 0; k < first->nr_values; k++)
			out[i].values[k].value = over(runs, nr, k, i, x);
	}
	free(x);
	return GBENCH_NR_AGGREGATES;
}
