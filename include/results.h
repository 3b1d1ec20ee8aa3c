/* SPDX-License-Identifier: MIT */
/*
 * results.h - the record of a run: a JSON file that carries its own proof
 *
 * A result file says what was measured, where, with what, and keeps every raw window. It is
 * self-describing: a reader needs no table of experiments, so files of other builds stay readable.
 * Absent is null with a reason beside it, never 0; there is no NaN and no Infinity in it.
 *
 * Writing is atomic: a new file is written beside the old one, synced and renamed over it, so that
 * at any moment, whatever kills the run, there is one whole valid file. All planned cases are in
 * it from the start, with the windows they have so far: that is what resuming needs.
 *
 * Every field and its meaning: docs/result-file.md. jansson stays in reports/.
 *
 * Ownership: struct results owns everything in it; results_free() accepts NULL.
 * Threads: one thread per struct results.
 */
#ifndef CHARGELINE_RESULTS_H
#define CHARGELINE_RESULTS_H

#include <stdbool.h>
#include <stdint.h>

#include "bench.h"
#include "err.h"
#include "text.h"
#include "topo.h"

#define RESULTS_SCHEMA	"chargeline-result"
#define RESULTS_VERSION 1

/* what is more in a file is refused; what is more in a record is not written */
#define RESULTS_MAX_FILE     (256 << 20) /* bytes; refused unread */
#define RESULTS_MAX_CASES    100000
#define RESULTS_MAX_SAMPLES  1000000  /* of all cases */
#define RESULTS_MAX_WORKERS  8192     /* of a case */
#define RESULTS_MAX_CPUS     10000000 /* of all cases */
#define RESULTS_MAX_WARNINGS 1000
#define RESULTS_MAX_FINDINGS 1000
#define RESULTS_MAX_MAP	     1000 /* lines */
#define RESULTS_MAX_MAP_LINE 4000 /* bytes */

/*
 * A file from somebody else is only text: nothing in it is run, no name in it is opened, and what
 * is shown of it holds no control character. Reading it takes at most this much memory, in bytes,
 * whatever is in it; what would take more is refused.
 */
#define RESULTS_MAX_MEMORY(file_bytes) (32 * (size_t)(file_bytes) + (128 << 20))

#define RESULTS_NR_RELATIONS (TOPO_CROSS_PACKAGE + 1)

struct result_param {
	char *name;
	int64_t value;
	char *text; /* the choice's name, or the number as text */
};

struct result_metric {
	char *name, *unit;
};

struct result_case {
	char *experiment;
	struct result_param *params; /* all of them, defaults too, in the table's order */
	int nr_params;
	int nr_workers;
	char *placement;
	struct cpulist cpus;
	char *home;	/* the spec: "local", "node-1" */
	int home_node;	/* -1: interleaved or unknown */
	char *relation; /* of the two CPUs of a pair, as topo_relation_name(); NULL: no pair */
	struct result_metric *metrics;
	int nr_metrics;
	struct sample *samples; /* marked ones too, in the order they were taken */
	int nr_samples;
};

struct results_machine {
	char *class_name, *model, *arch, *uarch, *hypervisor, *hostname, *kernel;
	int packages, numa_nodes, cores, pus, smt_max, l3_caches;
	uint64_t l3_bytes;
	bool restricted;
	int page_bytes; /* of this machine's base pages */
	char *map;	/* topo_map_body(), lines that end in \n; NULL: the record has none */
};

struct results_build {
	char *version, *compiler, *flags, *hwloc,
		*libbenchmark; /* libbenchmark: NULL built without */
};

/* a column of sample.counters, see counters.h */
struct result_counter {
	char *name, *group, *unit, *formula;
	char *state;  /* of counter_state_names */
	char *reason; /* NULL: counted in every window of its set */
	bool moves;   /* counts lines that came from another core */
};

struct result_finding {
	char *name, *state;   /* state: of finding_state_names */
	char *value, *remedy; /* NULL: none */
};

struct results {
	char *path;	    /* where it was loaded from; NULL: not from a file */
	char *started;	    /* ISO 8601, UTC */
	char *command;	    /* how to repeat it */
	bool complete;	    /* false: interrupted, resume is possible */
	int64_t elapsed_ns; /* measuring time of all sessions so far */
	int64_t window_ns, warmup_ns, budget_ns;
	int min_blocks, max_blocks;
	double target;
	uint64_t seed;
	char *thinned, *note; /* as in struct plan; "" nothing */
	struct results_machine machine;
	struct results_build build;
	struct bench_context context;
	bool context_known; /* false: context is not filled (written as null) */
	char **warnings;    /* sentences, about the machine and the run */
	int nr_warnings;
	struct result_finding *findings; /* doctor_examine() before the run; 0: not examined */
	int nr_findings;
	struct result_counter *counters;
	int nr_counters; /* at most COUNTERS_MAX; 0: nothing was counted */
	bool counters_multiplexed;
	char *counters_backend, *counters_note; /* NULL without counters; note: "" none */
	struct result_case *cases;
	int nr_cases;
	/* how many ordered pairs the CPUs of the pair cases make, by relation; all 0: unknown */
	int64_t nr_pairs[RESULTS_NR_RELATIONS];
};

/*
 * results_new - an empty record of @plan on @topo
 * The samples that the plan's cases carry (done) are copied in. Machine, build and start time are
 * filled; so are the warnings that the machine gives cause for: virtual or emulated, fewer than 4
 * CPUs, not all of them ours; and the findings of doctor.h (a warning where they cannot be had).
 * @command may be NULL. -ENOMEM, -EINVAL more cases than a file holds.
 */
int results_new(struct results **out, const struct topo *topo, const struct plan *plan,
		const char *command, struct err *err);
void results_free(struct results *r);

/*
 * results_add_sample - one more window of a case
 * NaN in a real field or a metric says "none". -EINVAL: no such case, or a window that cannot be
 * (a negative value, an unknown mark, no rate though it has no marks); -ENOMEM. Adding moves the
 * samples of the case: pointers to them, and a plan's done, end there.
 */
int results_add_sample(struct results *r, int case_idx, const struct sample *s, struct err *err);

/*
 * results_set_counters - what is known of @c's columns now, before every save
 * The first call, by results_new(), makes the columns; later ones renew states and reasons. @c may be
 * NULL: nothing changes. 0 or -ENOMEM.
 */
int results_set_counters(struct results *r, struct counters *c);

/* 0 or -ENOMEM; the same sentence twice is kept once, those over RESULTS_MAX_WARNINGS are not */
int results_add_warning(struct results *r, const char *sentence);

/*
 * results_save - write atomically
 * A symbolic link is followed and stays; the permission bits of an existing file are kept. Errors:
 * -errno of what failed with file and cause ("No space left on device"), -EISDIR, -EINVAL a device
 * or a pipe (renaming over it would destroy it), -EFBIG more than RESULTS_MAX_*; then the old file,
 * if there was one, is untouched and no partial file remains.
 */
int results_save(const struct results *r, const char *path, struct err *err);

/*
 * results_load - read and check a file (or a pipe)
 * Every field is checked for presence, type and range; the sentence names file and field:
 * "file 'x': cases[3].samples[7].rate is not a number". Unknown fields are ignored. Errors:
 * -errno of reading, -EISDIR, -EFBIG, -EBADMSG (not JSON: line and column; other schema or version;
 * a field that is not right). Never changes the file. @out is set on success only.
 */
int results_load(struct results **out, const char *path, struct err *err);

/* the same from the bytes of a file; @path: where they are from, for sentences and r->path */
int results_parse(struct results **out, const char *data, size_t size, const char *path,
		  struct err *err);

/*
 * results_resume - hand the windows of an interrupted run to a plan
 * Fills done/nr_done of the plan's cases with the samples of @r, which must outlive the plan and
 * get no more samples meanwhile: make a new record from the plan and add to that one. Refuses with
 * -EINVAL, naming the first difference, when machine class, CPU model, kernel, the program (version,
 * compiler, flags), settings (window, warm-up, target, seed), the counters or the list of cases
 * (parameters, CPUs, home) are not the same: those windows would not be comparable. Another budget is no difference.
 */
int results_resume(const struct results *r, const struct topo *topo, struct plan *plan,
		   struct err *err);

/* the parameter's value of a case; returns false when it has none of that name */
bool result_param(const struct result_case *c, const char *name, int64_t *value);
const char *result_param_text(const struct result_case *c, const char *name); /* NULL: none */

/*
 * result_same_params - one experiment on one home, with the same parameters
 * @besides: true for a parameter that may differ; NULL: none may. Workers, CPUs and placement are
 * not looked at.
 */
bool result_same_params(const struct result_case *a, const struct result_case *b,
			bool (*besides)(const char *name));

/* rates of the valid windows, and their blocks, in order; @out holds nr_samples; returns how many */
int result_rates(const struct result_case *c, double *rate, int *block);

#endif
