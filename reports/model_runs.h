/* SPDX-License-Identifier: MIT */
/*
 * model_runs.h - rows of published cases on their machines, predicted together
 *
 * Add all that is wanted, then do them at once: they run on all cores. Equal ones (parameters and
 * workers of one case) are predicted once. What was seen of them is valid until the list is freed.
 */
#ifndef CHARGELINE_REPORTS_MODEL_RUNS_H
#define CHARGELINE_REPORTS_MODEL_RUNS_H

#include "published.h"
#include "sim.h"

/* a case on its machine */
struct model_case {
	const struct bench_published_case *c;
	const struct experiment *exp;
	struct sim_profile *profile;
};

/* -EINVAL: an unknown profile, or fewer CPUs than a row has workers; -ENOMEM */
int model_open(struct model_case *m, const struct bench_published_case *c, struct err *err);
void model_close(struct model_case *m);

/* how many workers a row has on that machine: all CPUs where none are published */
int model_workers(const struct model_case *m, const struct bench_published_row *row);

struct model_run;
struct model_runs {
	struct model_run *run;
	int nr;
};

/*
 * model_add - one more run
 * @fits: values of the case's free numbers, in their order; NULL: the stored ones
 * Returns its index, or -errno.
 */
int model_add(struct model_runs *runs, const struct model_case *m,
	      const struct bench_published_row *row, int nr_workers, const int64_t *fits,
	      struct err *err);

/* 0, 1 stopped, -errno */
int model_do(struct model_runs *runs, const char *what, const struct reproduce_progress *progress,
	     struct err *err);

/* of run @idx; false, and nothing is seen: it was not done */
bool model_seen(const struct model_runs *runs, int idx, struct seen *out);
void model_free(struct model_runs *runs);

/* reproduce_refit.c: finds the free numbers of @out->c again; 0, 1 stopped, -errno */
int refit_case(struct reproduce_case *out, const struct model_case *m,
	       const struct reproduce_progress *progress, struct err *err);

#endif
