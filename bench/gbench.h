/* SPDX-License-Identifier: MIT */
/*
 * gbench.h - libbenchmark's front end without libbenchmark, private to bench/
 *
 *   gbench_options.c  what the options mean
 *   gbench_names.c    what the cases are called, and which are chosen
 *   gbench_measure.c  one run, and the aggregates of several
 *   gbench_json.c     the file: strict JSON in Google Benchmark's schema
 *   gbench.cc         the library: it schedules, and draws the console's table
 *
 * No option of the user reaches the library's parser, which exits or aborts on bad ones and whose
 * grammar changes between versions.
 *
 * What the numbers are, in the console and in the file (which says so, under "quantities"):
 *
 *   real_time         wall time of one operation of one worker: workers x window / operations.
 *                     Two workers that do not disturb each other have the real_time of one.
 *   cpu_time          the same number. Workers spin on their own CPUs and a window in which one of
 *                     them lost its CPU is thrown away, so wall time is CPU time; what the library
 *                     measures is our waiting main thread.
 *   items_per_second  operations per second, all workers together
 *   iterations        operations counted in the window, all workers; of an aggregate: valid runs
 *   threads           the workers. The library's own threads and timers are not used.
 *
 * A run without a number (an invariant broke, every window was disturbed) is not in "benchmarks"
 * but in "errors", with its sentence and null times: readers of the format take a 0 for a time, and
 * compare.py ends with a traceback on null. For the same reason aggregates are computed here, over
 * the valid runs: libbenchmark 1.7.1 crashes when it aggregates after a first repetition that
 * reported an error.
 */
#ifndef CHARGELINE_BENCH_GBENCH_H
#define CHARGELINE_BENCH_GBENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "err.h"

#ifdef __cplusplus
extern "C" {
#endif

struct plan;
struct bench_session;

/* ------------------------------------------------------------------- options */

#define GBENCH_MAX_CONTEXT 32

enum gbench_format { GBENCH_CONSOLE, GBENCH_JSON };
enum gbench_color { GBENCH_COLOR_AUTO, GBENCH_COLOR_ON, GBENCH_COLOR_OFF };

struct gbench_options {
	bool list, interleave, report_aggregates, display_aggregates, tabular;
	int64_t repetitions;
	int64_t window_ns, warmup_ns; /* -1: as the plan says */
	int64_t format, out_format;   /* enum gbench_format */
	int64_t color;		      /* enum gbench_color */
	int64_t unit;		      /* index into gbench_units */
	const char *filter, *out;     /* "": none; memory of argv or the environment */
	int nr_context;
	char *context[GBENCH_MAX_CONTEXT][2]; /* key, value; one allocation, the key's */
};

struct gbench_unit {
	const char *name;
	double per_second;
};
extern const struct gbench_unit gbench_units[4]; /* ns, us, ms, s */

/* one row per option: parsing, nearest names and help are made from it; ends with name == NULL */
struct gbench_option {
	const char *name, *arg, *help; /* without "--benchmark_"; "REGEX", or NULL for a switch */
	int kind;
	size_t off;
};
extern const struct gbench_option gbench_option_table[];

/*
 * gbench_options_parse - BENCHMARK_X of the environment, then --benchmark_x of argv[1..]
 * Errors: -EINVAL unknown (nearest given), bad value, or what can mean nothing here; -ENOMEM.
 * @out is to be freed in any case.
 */
int gbench_options_parse(int argc, char **argv, struct gbench_options *out, struct err *err);
void gbench_options_free(struct gbench_options *o);

/* --------------------------------------------------------------------- names */

/*
 * gbench_names - a name for each case: "page_counter/layout=packed_5_19/batch=64/workers:2"
 * Parameters that differ from their default or vary in the plan, then placement and home by the
 * same rule, then the workers. Unique. NULL: out of memory. Free with gbench_names_free().
 */
char **gbench_names(const struct plan *plan);
void gbench_names_free(char **names, int nr);

/*
 * gbench_select - which of @names match @filter, a POSIX extended regex; a leading '-' inverts
 * "" and "all" choose all. Returns how many, or -EINVAL for a bad regex or when none is chosen.
 */
int gbench_select(char *const *names, int nr, const char *filter, bool *chosen, struct err *err);

/* "switched, steal": the marks in words. Returns @buf. */
const char *gbench_marks_text(unsigned marks, char *buf, size_t size);

/* ---------------------------------------------------------------------- runs */

#define GBENCH_MAX_VALUES    16
#define GBENCH_NR_AGGREGATES 4 /* mean, median, stddev, cv */

struct gbench_value {
	const char *key;
	double value; /* not finite: none */
};

struct gbench_run { /* one line of the table, one entry of the file */
	const char *name;
	int family, repetition, repetitions, workers;
	const char *aggregate; /* "mean", ...; NULL: it is one window */
	bool share;	       /* an aggregate whose time and values are shares of 1 */
	uint64_t iterations;
	double seconds; /* of one operation of one worker */
	int unit;	/* to show them in: index into gbench_units */
	int nr_values;
	struct gbench_value values[GBENCH_MAX_VALUES];
	char error[480]; /* why there is no number; "": there is one */
};

/*
 * gbench_measure - a window of case @idx, or a second or third where it was disturbed
 * Fills what was measured, or error. Returns 0, or the runner's error, which is in both then.
 */
int gbench_measure(struct bench_session *s, const struct plan *plan, int idx,
		   struct gbench_run *out, struct err *err);

/* @out: GBENCH_NR_AGGREGATES over the valid ones of @runs. Returns how many were made: none for
 * fewer than two; or -ENOMEM. */
int gbench_aggregate(const struct gbench_run *runs, int nr, struct gbench_run *out);

/* ---------------------------------------------------------------------- file */

struct gbench_cache {
	const char *type;
	int level, size, sharing;
};

struct gbench_context {
	const char *program, *host, *machine_class; /* machine_class: NULL unknown */
	const char *library_version, *build_type;
	int nr_cpus;
	double mhz;  /* not above 0: unknown */
	int scaling; /* as gbench_scaling() */
	const struct gbench_cache *caches;
	int nr_caches;
	const double *load;
	int nr_load;
	int64_t window_ns, warmup_ns;
	double clock_read_ns; /* not above 0: unknown */
	const struct gbench_options *options;
};

/* keys of the context that are ours: --benchmark_context may not take them; ends with NULL */
extern const char *const gbench_context_keys[];

/*
 * A document that is written as the runs come in. With @rewrite, @to is an empty file that stays a
 * whole JSON document after every run: each one goes over the closing brackets, with new ones
 * behind it, so a killed run keeps what it had, and so does one whose disk is full.
 * Errors: -errno of writing, -ENOMEM. @to is the caller's, who writes nothing else to it.
 */
struct gbench_json;
int gbench_json_open(struct gbench_json **out, FILE *to, bool rewrite,
		     const struct gbench_context *c);
int gbench_json_run(struct gbench_json *j, const struct gbench_run *r);
void gbench_json_note(struct gbench_json *j, const char *note); /* "" is left out */
int gbench_json_close(struct gbench_json *j); /* completes and frees; NULL: does nothing */

/* @s as a JSON string with its quotes: ASCII controls escaped, what is not UTF-8 becomes U+FFFD */
void gbench_json_string(FILE *to, const char *s);

/* the shortest decimal that reads back as @v, with a point whatever the locale; null if not finite */
void gbench_json_number(FILE *to, double v);

/* frequency scaling below @sys ("/sys/devices/system/cpu"): 1 on, 0 off, -1 nothing says so */
int gbench_scaling(const char *sys);

/* PATH appears when it is complete; until then PATH.part holds what there is. Devices and pipes are
 * written to directly. */
struct gbench_file {
	FILE *stream;
	bool direct;
	const char *path; /* the caller's */
	char *now;	  /* what is being written */
};
int gbench_file_open(struct gbench_file *f, const char *path, struct err *err);
int gbench_file_close(struct gbench_file *f, struct err *err);		   /* complete: appears */
void gbench_file_leave(struct gbench_file *f, bool keep, struct err *err); /* failed; @err is set */

#ifdef __cplusplus
}
#endif
#endif
