/* SPDX-License-Identifier: MIT */
/*
 * report.h - what the record says: effects with intervals, the batch to pick, text and HTML
 *
 * report_build() turns result files into one struct report; the writers print that struct and
 * compute nothing. Every effect is a median of ratios of windows of the same block, with a 95%
 * bootstrap interval; marked windows are left out and counted.
 *
 * Ownership: a struct report borrows from the results it was built from: free it first.
 * Threads: none shared.
 */
#ifndef CHARGELINE_REPORT_H
#define CHARGELINE_REPORT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "doctor.h"
#include "err.h"
#include "results.h"
#include "stats.h"

/* ---------------------------------------------------------------------- pick
 *
 * The batch is the smallest one from which no larger measured batch gains more than the margin.
 * It is judged by intervals: "enough" is a batch where every larger one is proved to gain less
 * (upper end <= margin), "too small" is one where some larger one is proved to gain more (lower
 * end > margin). When the smallest that is not too small is also enough, that is the pick; when
 * not, the data cannot tell, and the range they leave is given. Nothing can prove the largest
 * measured batch enough: "at least 256" is no pick, unless a limit ends the candidates there.
 *
 * It is made per demand: the local work per page, which says how fast real work charges pages.
 * Saturated (no local work) every doubling pays, so a pick made there would always be the largest:
 * it is shown, and not used. The recommendation is the largest pick of the demands with work; with
 * weights it is the pick by the weighted geometric mean of their gains instead, whose interval is that
 * of independent demands.
 *
 * Under limits only the allowed batches are candidates; the larger ones still show what is lost.
 *
 * The demand at which the answer changes: a shared update of cost c is paid once per batch, so the
 * gain of a larger batch over this one falls with the local work Z as g(Z) = x / (Z + k). The
 * hyperbola through the two neighbouring measured demands that have the gain above and below the
 * margin (saturated is one of them, Z = 0) is solved for g = margin. A gain below a tenth of the
 * margin is taken as that tenth: noise around 0 must not move the pole onto the demand. Gains
 * without an interval are left out.
 *
 * Several files: cases that are the same are one case, windows pair inside their own file. When
 * parameters other than layout, batch and local work vary, the setting with most cases is used.
 */
#define PICK_MARGIN	 0.03
#define PICK_8BIT_MAX	 127 /* the seven-slot stock counts pages in 8 bits */
#define PICK_STOCK_SLOTS 7

/* what a change of the batch is compared with: the kernel's batch until 2022 and since */
#define PICK_NR_REFERENCES 2
#define PICK_OLD_BATCH	   32
#define PICK_KERNEL_BATCH  64

struct pick_weight { /* of a demand in the recommendation; 0: it has no part in it */
	int64_t work_ns;
	double weight;
};

struct pick_options {
	double margin;		     /* 0.03 */
	int64_t max_batch;	     /* 0: no limit */
	int64_t max_stranded;	     /* bytes of batch x CPUs x slots; 0: no limit */
	int64_t max_stale;	     /* updates, batch x CPUs; 0: no limit */
	bool slots_8bit;	     /* the stock's counts are: no batch over PICK_8BIT_MAX */
	bool predicted;		     /* @r are predictions of the model: every output says so */
	int slots;		     /* memcgs whose pages one CPU may hold: 1..15; 0: 1 */
	const char *layout;	     /* NULL: the newest release's layout that was measured */
	const char *const *left_out; /* sentences about input that is not in @r: said again */
	int nr_left_out;
	const struct pick_weight *weights; /* demands that are not named weigh 1 */
	int nr_weights;			   /* 0: the worst of the demands counts */
};

enum pick_from {
	PICK_FROM_UNKNOWN, /* no larger batch with enough common blocks */
	PICK_FROM_KNOWN,   /* two measured demands bracket it */
	PICK_FROM_ALL,	   /* enough at every measured demand */
	PICK_FROM_NONE,	   /* at the largest measured demand a larger batch still gains more */
};

struct pick_row { /* one measured batch at one demand */
	int64_t batch;
	struct estimate rate;  /* pages per second, all workers; n == 0: no valid window */
	struct estimate gain;  /* best larger batch / this one; n == 0: none, or no common block */
	int64_t gain_batch;    /* which larger one that is; 0: none */
	double stranded_bytes; /* batch x CPUs x slots, pages of this machine */
	double stranded_all_bytes; /* the same for all PICK_STOCK_SLOTS slots */
	double stale_updates;	   /* batch x CPUs: statistics may be behind by this many updates */
	bool too_small, enough;	   /* against every larger measured batch, limits or not */
	bool allowed;		   /* under all limits */
	struct estimate over[PICK_NR_REFERENCES]; /* this batch / a reference, n == 0: none */
	bool needs_wide;			  /* over 127: not with 8-bit slot counts */
	enum pick_from from;   /* the same at every demand: a property of the batch */
	double demand_from_ns; /* enough from about this local work per page up; else NaN */
};

struct pick_demand {
	int64_t work_ns;       /* local work per page and worker; 0 saturated */
	int nr_workers;	       /* all that were measured */
	struct pick_row *rows; /* by batch, ascending; those with valid windows */
	int nr_rows;	       /* 0: the layout has no data at this demand */
	bool decided;	       /* false: cannot tell */
	int64_t batch;	       /* decided: the pick */
	int64_t range_lo,
		range_hi;    /* not decided: what the data leave; hi 0: unbounded, lo 0: nothing */
	bool bound_by_limit; /* a limit, not the data, fixed it */
	int more_blocks;     /* not decided: about how many more blocks would; 0 unknown */
	char why[240];	     /* one sentence */
	double weight;	     /* in the recommendation */
	struct estimate *gain; /* [i * nr_rows + j]: row j / row i, for j > i */
};

/* A case that is slower at the pick than at a smaller batch, its interval below 1. Looked for in all
 * cases of the files that differ in the batch alone, whatever their experiment and setting. */
struct pick_loser {
	const struct result_case *c; /* at the pick */
	int64_t smaller;	     /* PICK_OLD_BATCH or PICK_KERNEL_BATCH */
	struct estimate change;	     /* at the pick / at the smaller one */
};

struct pick {
	char *class_name;
	const char *layout, *experiment; /* layout: NULL when the experiment has none */
	char *setting; /* "depth=3 protection=off": what else varies; NULL: nothing does */
	int cpus;      /* of the machine: stranded pages and staleness count all */
	int page_bytes;
	int slots;
	int nr_workers; /* the largest worker count in the files */
	double margin;
	int64_t limit;		     /* the largest batch the limits allow; 0: no limit, -1: none */
	const char *limit_by;	     /* which limit that is: "8-bit slot counts"; NULL: none */
	bool predicted;		     /* by the model, not measured */
	struct pick_demand *demands; /* by work_ns ascending, 0 first when it was measured */
	int nr_demands;
	struct pick_demand *weighted; /* their mean, rows without a rate; NULL: no weights */
	bool decided;		      /* the worst of the demands with work is decided */
	int64_t batch;		      /* the largest pick of those demands */
	int64_t range_lo, range_hi;   /* not decided: as in a demand */
	char sentence[400];	      /* the recommendation, or why there is none */
	struct pick_loser *losers;    /* decided: by how much they lose, most first */
	int nr_losers, nr_compared;   /* of how many pairs of cases */
	int nr_zero;		      /* windows in which nothing got done: in no gain */
	const char *const *left_out;  /* the options' */
	int nr_left_out;
};

/*
 * pick_make - decide
 * @r:   @nr >= 1 results of one machine class; the pick borrows names from them: free it first
 * @opt: NULL: the defaults
 * Errors: -EINVAL when there is nothing to pick from (no case has a batch, only one batch was
 * measured), for a layout that was not measured (nearest given), for files of two classes.
 * "Cannot tell" is no error.
 */
int pick_make(const struct results *const *r, int nr, const struct pick_options *opt,
	      struct pick **out, struct err *err);

/*
 * The same, one result after the other: a result may be freed after it was added, as its rates are
 * all that is kept. Errors are those of pick_make(). pick_input_make() is called once, and the pick
 * borrows names from the input: free the pick first.
 */
struct pick_input;
int pick_input_new(struct pick_input **out, struct err *err);
int pick_input_add(struct pick_input *in, const struct results *r, struct err *err);
int pick_input_make(struct pick_input *in, const struct pick_options *opt, struct pick **out,
		    struct err *err);
void pick_input_free(struct pick_input *in); /* accepts NULL */

void pick_free(struct pick *p);
int pick_text(const struct pick *p, FILE *to);	   /* <= 100 columns, ASCII; 0, -ENOMEM or -EIO */
int pick_markdown(const struct pick *p, FILE *to); /* for a wiki; 0, -ENOMEM or -EIO */
int pick_json(const struct pick *p, FILE *to);	   /* strict JSON, one object; 0, -ENOMEM or -EIO */

/*
 * pick_commit - the table for a commit message: one row for each class and demand
 * @p: @nr >= 1 picks, of one margin. ASCII, at most 100 columns; 0, -ENOMEM or -EIO
 */
int pick_commit(const struct pick *const *p, int nr, FILE *to);

/* -------------------------------------------------------------------- report */

struct report;

/*
 * report_build - everything there is to say about @nr >= 1 results of one machine class
 * Others are refused with -EINVAL naming both classes. Results to which the pick does not apply
 * make a report without one, which says why. @opt as for pick_make().
 */
int report_build(const struct results *const *r, int nr, const struct pick_options *opt,
		 struct report **out, struct err *err);
void report_free(struct report *rep);

/*
 * report_build_beside - the same with the model's predictions beside what was measured
 * @model: of this class of machine, see report_model(); NULL: none. Every case of the chosen layout
 * that the curves show is predicted, about a second each on a wide machine. What the model
 * refuses is said in the report.
 * @published: of report_published(), whose measured column is filled here; NULL: none
 */
struct sim_profile;
struct reproduction;
int report_build_beside(const struct results *const *r, int nr, const struct pick_options *opt,
			const struct sim_profile *model, struct reproduction *published,
			struct report **out, struct err *err);

/*
 * report_published - the published cases that @r ran, predicted on the machines of their papers
 * @seconds: after that no new row is begun; a case without one has a sentence instead
 * *out is NULL when none was run; reproduce_free() it after the report. Errors: reproduce_predict()'s.
 */
int report_published(const struct results *const *r, int nr, int seconds, struct reproduction **out,
		     struct err *err);

/*
 * report_model - the model's profile of the machine of @r
 * From what one of the files measured (profile_from_results()) when it is this machine, else the
 * built-in one of the same class. -ENOENT there is neither: @err says what the record lacks.
 */
int report_model(const struct results *const *r, int nr, struct sim_profile **out, struct err *err);

int report_text(const struct report *rep, FILE *to);	 /* <= 100 columns, ASCII; 0 or -EIO */
int report_markdown(const struct report *rep, FILE *to); /* for a wiki, with tables; 0 or -EIO */
int report_html(const struct report *rep, FILE *to);	 /* one self-contained page; 0 or -EIO */

/*
 * report_csv - the latency matrix, one measured matrix of the pairs of CPUs
 * @protocol: "cas", "read"; NULL: cas, where it was not measured the first there is
 * @to:       NULL: only to learn whether there is something to write
 *
 * Lower triangle: row i, column j < i; the rest of a row is empty, there is no header. Values are
 * ns, one hand-over one way, with a decimal point in every locale: the mean of the medians of the
 * two directions, or the one that was measured. A pair without a number is empty. Row and column k
 * stand for the k-th of the CPUs that occur, in ascending order of the kernel's number: that number
 * itself when they are 0, 1, 2, ..., else the text report lists them. Of several homes of the line
 * the matrix with most numbers is written, the first of equals; homes are never averaged over.
 * Errors: -ENOENT no pair was measured, or not with this protocol; -ENODATA no undisturbed window;
 * -EFBIG more than TOPO_MAX_PUS CPUs; -EIO.
 */
int report_csv(const struct report *rep, const char *protocol, FILE *to, struct err *err);

/* ------------------------------------------------------- JSON for other commands */

int json_topo(const struct topo *topo, FILE *to); /* what "chargeline topo --json" prints */

/* what "chargeline doctor --json" prints: [{name, state, value or null, remedy or null}] */
int json_doctor(const struct finding *findings, int nr, FILE *to); /* 0, -ENOMEM or -EIO */

/* ---------------------------------------------------------------- predictions
 *
 * @r: one result for each case of @plan, in its order; every figure is marked as a prediction.
 * 0, -EIO or -ENOMEM.
 */
struct sim_result;

/*
 * profile_from_results - the model's profile of a machine that was measured
 * From core_to_core (protocol cas; pairs that were not measured are predicted by legs, see legs.h,
 * where enough were, else they get the median of their relation; @out's source says which),
 * contended_line fetch_add on 1 worker (the atomic) and on 2 (how long a visit is; with log=1 the
 * tickets say it, and what a hand-over costs where nobody polls: all pairs are scaled by that), and page_counter
 * on 1 worker at its largest batch (an operation beside its atomics; else 0.3 ns). A case that one
 * worker has measured keeps that time: what more workers add to it is the model's.
 * @topo: of that machine; taken over, also on failure. -EINVAL names what the record lacks.
 */
int profile_from_results(struct sim_profile **out, const struct results *r, struct topo *topo,
			 struct err *err);

/*
 * pick_predict - what the model says of a machine without results, for pick_make()
 * page_counter as its newest layout on all CPUs, 250 ns, 1 us and 4 us of local work per page,
 * batches 8 to 512, a window for each of 8 seeds: their interval is the simulation's own. Base
 * pages are taken as 4 KiB; a class without a CPU model gets the first word of the profile's name
 * ("icx-2s40c2t-2n"). For pick_options.predicted only: the rest of the record is this machine's,
 * and it is not to be saved.
 */
int pick_predict(struct results **out, const struct sim_profile *p, struct err *err);
int predictions_text(const struct sim_profile *p, const struct plan *plan,
		     const struct sim_result *r, FILE *to);
/* the same as one page, with plots and the profile's latencies; @command repeats it, or NULL */
int predictions_html(const struct sim_profile *p, const struct plan *plan,
		     const struct sim_result *r, const char *command, FILE *to);
int json_predictions(const struct sim_profile *p, const struct plan *plan,
		     const struct sim_result *r, FILE *to);

#endif
