/* SPDX-License-Identifier: MIT */
/* compare_private.h - what the files of a comparison share */
#ifndef CHARGELINE_REPORTS_COMPARE_PRIVATE_H
#define CHARGELINE_REPORTS_COMPARE_PRIVATE_H

#include "compare.h"
#include "run_ids.h"

/* what must be the same on both sides, as text */
enum compare_fact {
	FACT_CLASS,
	FACT_MODEL,
	FACT_HOST,
	FACT_KERNEL,
	FACT_PAGE,
	FACT_VERSION,
	FACT_COMPILER,
	FACT_FLAGS,
	FACT_WINDOW,
	FACT_WARMUP,
	NR_FACTS
};

struct compare_run {
	char *path, *started, *command;
	char *facts[NR_FACTS];
	uint64_t seed;
	bool complete;
};

/* the values of a case on one side: nr windows of 1 + nr_metrics figures, the rate first */
struct compare_data {
	double *v;
	int *run; /* of each window */
	int nr, nr_marked;
	bool seen; /* the side has the case */
};

struct compare_case {
	struct result_case c; /* a copy of what names it, without samples */
	struct compare_data side[2];
	bool other_cpus;
};

struct texts {
	char **s;
	int nr;
};

struct compare {
	struct compare_run *runs[2];
	int nr_runs[2];
	struct texts left_out[2];
	struct run_ids ids[2];
	struct compare_case **cases; /* in the order of first appearance */
	int nr_cases;
	void *tree; /* of cases */
	/* since compare_make() */
	int *rank[2]; /* of a run: its place in the order of starts */
	double fail_over;
	enum compare_unit unit;
	struct compare_row *rows;
	int nr_rows;
	struct texts warnings;
	char sentence[240]; /* the answer */
};

/* room for one more element; arrays double at powers of two. 0 or -ENOMEM */
int compare_grow(void *array, int nr, size_t size);
int texts_add(struct texts *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

const char *compare_fact_name(enum compare_fact fact);

/* compare_values.c: the figure @which (0: the rate) of a case on both sides; pairs have one index */
struct compare_values {
	double *x[2];
	int *rank[2];
	int nr[2];
};
int compare_choose_unit(struct compare *c); /* 0 or -ENOMEM */
int compare_take(const struct compare *c, const struct compare_case *k, int which,
		 struct compare_values *v);
void compare_free_values(struct compare_values *v); /* also after -ENOMEM */

/* compare_tables.c: a row as an item; the sections with all rows */
struct doc;
void compare_item(struct doc *d, const struct compare *c, const struct compare_row *row);
void compare_tables(struct doc *d, const struct compare *c);

/* B / A, also where a value of 0 leaves no interval */
static inline double compare_change(const struct compare_figure *f)
{
	return f->ratio.n ? f->ratio.mid : f->median[1] / f->median[0];
}

/* compare_warn.c: how the sides differ beside their figures. 0 or -ENOMEM */
int compare_warn(struct compare *c);

static inline int compare_stride(const struct compare_case *k)
{
	return 1 + k->c.nr_metrics;
}

#endif
