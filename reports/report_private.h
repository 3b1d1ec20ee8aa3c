/* SPDX-License-Identifier: MIT */
/*
 * report_private.h - what the files of a report share
 *
 *   results -> series_load -> grid_make -> pick_decide -> sections into a doc -> writers
 *
 * Numbers are made on the left of the doc and nowhere else. A further kind of section is one
 * function that fills the doc; a further format is one writer of the doc.
 */
#ifndef CHARGELINE_REPORTS_PRIVATE_H
#define CHARGELINE_REPORTS_PRIVATE_H

#include "doc.h"
#include "matrix.h"
#include "report.h"
#include "series.h"

/* overlay.c: the model's rates of measured cases; nr 0: there is no model of this machine */
struct overlay {
	const struct series **s;
	double *rate; /* NaN: could not be predicted */
	int nr;
	char name[64], source[500]; /* of the profile */
	struct err why;		    /* the model was asked and failed */
};

struct report {
	const struct results *const *r; /* borrowed; the array is the caller's while building */
	int nr;
	struct series_set set;
	struct matrix_set matrices;
	struct grid *grid; /* NULL: no case has a batch */
	struct pick *pick; /* NULL: nothing to pick from; no_pick says why */
	struct err no_pick;
	struct overlay overlay;
	struct reproduction *published; /* borrowed; NULL: none */
	struct doc *doc;
};

/* pick.c: pick_make() on series that are loaded already; @cpus and @page_bytes of the machine */
struct pick_machine {
	const char *class_name;
	int cpus, page_bytes;
};
void pick_machine(const struct results *const *r, int nr, struct pick_machine *out);
int pick_decide(const struct grid *g, const struct series_set *set,
		const struct pick_machine *machine, const struct pick_options *opt,
		struct pick **out, struct err *err);

/* pick.c too; NULL: the demand was not measured, or not with this batch */
struct pick_row *pick_row_at(const struct pick_demand *d, int64_t batch);

/* pick_demand.c: the rows and the decision at one demand; @layout, @work by index. 0 or -ENOMEM */
int pick_demand(const struct pick *p, const struct grid *g, int layout, int work,
		struct pick_demand *d);

void pick_cost(const struct pick *p, struct pick_row *row);   /* all of it but rate and gain */
void pick_judge(const struct pick *p, struct pick_demand *d); /* from rows and gain */

/* pick_weights.c: the mean of the demands, judged; -EINVAL a weight of what was not measured */
int pick_weigh(struct pick *p, const struct pick_options *opt, struct err *err);

/* pick_losers.c: what the pick costs elsewhere in the files, when it is decided. 0 or -ENOMEM */
int pick_find_losers(struct pick *p, const struct series_set *set);
int64_t pick_reference(int which); /* of PICK_NR_REFERENCES */

/* pick_why.c: the sentences of a pick whose numbers are made */
void pick_explain(struct pick *p);

/* pick_text.c: the recommendation in short; then the sections with its reasons and costs */
void pick_answer(struct doc *d, const struct pick *p);
void pick_sections(struct doc *d, const struct pick *p);
void pick_left_out(struct doc *d, const char *const *sentences, int nr);

/* counter.c: the tables of the grid, @layout by index; cases.c: the series that are outside of it */
void counter_sections(struct doc *d, const struct report *rep, int layout);
int counter_scaling_batch(const struct grid *g,
			  int layout); /* which batch the workers are swept at */
void cases_sections(struct doc *d, const struct series_set *set);

/* counted.c: what the processor and the kernel counted; no section where nothing was chosen */
void counted_sections(struct doc *d, const struct report *rep);

/* published.c: published | measured, for each case that the run's command names */
void published_sections(struct doc *d, const struct report *rep);

/* limit.c: shared updates against contended_line; spacing.c: what false_sharing found; nothing when
 * the files do not have it */
void limit_sections(struct doc *d, const struct series_set *set);
/* contended_line as @c's limit, or NULL; updates of the busiest line per operation, NaN not counted */
const struct series *limit_series(const struct series_set *set, const struct result_case *c);
int limit_updates(const struct series *s, double *per_op);
void spacing_sections(struct doc *d, const struct series_set *set);

/*
 * matrix_text.c: the latencies in short, for a report of nothing else; the section, which says them
 * when they are not @answered already. matrix_groups.c: what they show of the machine, as
 * items; that nodes are hidden is said once, and returned
 */
void matrix_answer(struct doc *d, const struct report *rep);
void matrix_sections(struct doc *d, const struct report *rep, bool answered);
void matrix_name(const struct matrix *m, char *buf, size_t size); /* "protocol cas, home local" */
void matrix_heatmap(struct doc *d, const struct matrix *m);	  /* matrix_heat.c */
bool matrix_findings(struct doc *d, const struct matrix *m, const struct results_machine *machine,
		     bool hidden);

/* record.c: the machine, the run, what a reader must beware of, how to repeat it */
void record_head(struct doc *d, const struct results *const *r, int nr);
void record_warnings(struct doc *d, const struct report *rep);
void record_repeat(struct doc *d, const struct results *const *r, int nr);

/* overlay.c: 0 or -ENOMEM; what the model refuses is kept as why */
struct sim_profile;
int overlay_make(struct overlay *o, const struct report *rep, const struct sim_profile *model,
		 int layout);
void overlay_free(struct overlay *o);

/* findings.c: faults and warnings of the machine, with remedies; no section when not examined */
void record_findings(struct doc *d, const struct results *const *r, int nr);

/* cells.c: one number into the table that is open; @s, @a and @b may be NULL: no such case */
void cell_rate(struct doc *d, const struct series *s);
void cell_ratio(struct doc *d, const struct series *a, const struct series *b);
void cell_factor(struct doc *d, const struct series *a, const struct series *b); /* "x1.98" */
void cell_value(struct doc *d, const struct series *s, int which);

#endif
