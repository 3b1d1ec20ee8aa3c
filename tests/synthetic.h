/* SPDX-License-Identifier: MIT */
/*
 * synthetic.h - results with a planted law, so that a test knows the answer
 *
 * The time per page of every worker is
 *	T = work + e + c * cost[layout] / batch	[ns]
 * and a window's rate is workers / T, times seeded noise, times the drift of its block.
 */
#ifndef CHARGELINE_TESTS_SYNTHETIC_H
#define CHARGELINE_TESTS_SYNTHETIC_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "results.h"
#include "stats.h"

#define SYNTH_LAYOUTS 5
static const char *const synth_layouts[SYNTH_LAYOUTS] = {"packed_5_19", "aligned_2022_test",
							 "padded_2022", "v6_12", "v6_15"};

struct synth {
	const int *layouts, *batches, *works, *workers; /* each ends with -1 */
	double e, c;
	double cost[SYNTH_LAYOUTS];
	double noise; /* standard deviation of the logarithm of a rate */
	double drift; /* the same of a whole block */
	int blocks;
	int depth;
	uint64_t seed;
};

static const int synth_all_layouts[] = {0, 2, 4, -1}, synth_new_layout[] = {4, -1},
		 synth_default_batches[] = {8, 16, 32, 64, 127, 128, 256, -1},
		 synth_default_works[] = {0, 250, 1000, 4000, -1}, synth_two_workers[] = {2, -1},
		 synth_some_workers[] = {1, 2, 4, -1};

/* e and c of a small machine: c / 8 = 25 ns */
#define SYNTH_DEFAULT                                                                             \
	{                                                                                         \
		.layouts = synth_new_layout, .batches = synth_default_batches,                    \
		.works = synth_default_works, .workers = synth_two_workers, .e = 3, .c = 200,     \
		.cost = {1.3, 1.1, 1, 1, 1}, .noise = 0.004, .blocks = 20, .depth = 3, .seed = 1, \
	}

/* sum of 12 uniform numbers: near enough to a normal one, and the same everywhere */
static inline double synth_normal(uint64_t *rng)
{
	double sum = -6;
	int i;

	for (i = 0; i < 12; i++)
		sum += (double)(stats_rng(rng) >> 11) / (1ULL << 53);
	return sum;
}

static inline double synth_page_ns(const struct synth *s, int layout, int batch, int work)
{
	return work + s->e + s->c * s->cost[layout] / batch;
}

static inline void synth_param(struct result_case *c, const char *name, int64_t value,
			       const char *text)
{
	struct result_param *p = &c->params[c->nr_params++];
	char digits[24];

	snprintf(digits, sizeof(digits), "%lld", (long long)value);
	*p = (struct result_param){strdup(name), value, strdup(text ? text : digits)};
}

static inline void synth_window(struct results *r, int idx, int block, double rate, int workers)
{
	struct sample s = {
		.block = block,
		.ops = rate / 50,
		.window_ns = 20e6,
		.rate = rate,
		.slowest = rate / workers * (workers > 1 ? 0.95 : 1),
		.fastest = rate / workers * (workers > 1 ? 1.05 : 1),
		.jain = workers > 1 ? 0.998 : 1,
		.overlap = 1,
	};
	int64_t batch = 1, depth = 1;
	int i;

	for (i = 0; i < EXPERIMENT_MAX_METRICS; i++)
		s.metrics[i] = NAN;
	result_param(&r->cases[idx], "batch", &batch);
	result_param(&r->cases[idx], "depth", &depth);
	s.metrics[0] = 2.0 * depth / batch;
	results_add_sample(r, idx, &s, NULL);
}

/* on the first CPUs, with room for @nr_params; valid until the next one is added */
static inline struct result_case *synth_add_case(struct results *r, const char *experiment,
						 int nr_params, int workers)
{
	struct result_case *c;
	int i;

	r->cases = realloc(r->cases, (r->nr_cases + 1) * sizeof(*r->cases));
	c = &r->cases[r->nr_cases++];
	*c = (struct result_case){
		.experiment = strdup(experiment),
		.params = calloc(nr_params, sizeof(*c->params)),
		.nr_workers = workers,
		.placement = strdup("cores-first"),
		.home = strdup("local"),
	};
	for (i = 0; i < workers; i++)
		cpulist_add(&c->cpus, i);
	return c;
}

static inline void synth_case(struct results *r, const struct synth *s, int layout, int batch,
			      int work, int workers)
{
	struct result_case *c = synth_add_case(r, "page_counter", 6, workers);

	c->metrics = calloc(2, sizeof(*c->metrics));
	c->nr_metrics = 2;
	c->metrics[0] = (struct result_metric){strdup("shared_updates"), strdup("per page")};
	c->metrics[1] = (struct result_metric){strdup("failed"), strdup("per page")};
	synth_param(c, "layout", layout, synth_layouts[layout]);
	synth_param(c, "batch", batch, NULL);
	synth_param(c, "depth", s->depth, NULL);
	synth_param(c, "work_ns", work, NULL);
	synth_param(c, "base_offset", 16, NULL);
	synth_param(c, "protection", 0, "off");
}

static inline void synth_finding(struct results *r, const char *name, const char *state,
				 const char *value, const char *remedy)
{
	struct result_finding *f;

	r->findings = realloc(r->findings, sizeof(*f) * (r->nr_findings + 1));
	f = &r->findings[r->nr_findings++];
	*f = (struct result_finding){strdup(name), strdup(state), value ? strdup(value) : NULL,
				     remedy ? strdup(remedy) : NULL};
}

/* everything about the run but its cases */
static inline struct results *synth_record(void)
{
	struct results *r = calloc(1, sizeof(*r));

	r->started = strdup("2026-11-30T12:24:01Z");
	r->command = strdup("chargeline report --budget 3m -o run.json");
	r->complete = true;
	r->elapsed_ns = 45000000000;
	r->window_ns = 20000000;
	r->warmup_ns = 2000000;
	r->target = 0.01;
	r->seed = 1;
	r->thinned = strdup("");
	r->note = strdup("");
	r->machine = (struct results_machine){
		.class_name = strdup("icx-1s2c1t-1n"),
		.model = strdup("Intel(R) Xeon(R) Platinum 8380 CPU @ 2.30GHz"),
		.arch = strdup("x86_64"),
		.uarch = strdup("icx"),
		.hypervisor = strdup(""),
		.hostname = strdup("testhost"),
		.kernel = strdup("6.1.0-37-amd64"),
		.packages = 1,
		.numa_nodes = 1,
		.cores = 2,
		.pus = 2,
		.smt_max = 1,
		.l3_caches = 1,
		.l3_bytes = 60 << 20,
		.page_bytes = 4096,
		.map = strdup("caches        L1d 48 KiB, L2 1.25 MiB, L3 60 MiB\n\n"
			      "package 0     node 0, 16 GiB, 2 cores: 0-1\n"),
	};
	r->build = (struct results_build){
		.version = strdup("0.1.0"),
		.compiler = strdup("gcc 12.2.0"),
		.flags = strdup("-O2"),
		.hwloc = strdup("2.9.0"),
	};
	r->context = (struct bench_context){
		.clock_read_ns = 20,
		.clock_resolution_ns = 1,
		.work_error = 0.01,
		.work_error_end = 0.01,
		.memory_verified = true,
	};
	r->context_known = true;
	return r;
}

static inline void synth_cases(struct results *r, const struct synth *s)
{
	int l, b, w, n;

	for (n = 0; s->workers[n] >= 0; n++)
		for (l = 0; s->layouts[l] >= 0; l++)
			for (w = 0; s->works[w] >= 0; w++)
				for (b = 0; s->batches[b] >= 0; b++)
					synth_case(r, s, s->layouts[l], s->batches[b], s->works[w],
						   s->workers[n]);
}

/* windows of blocks first .. first + blocks - 1 for every page_counter case that @r has */
static inline void synth_windows(struct results *r, const struct synth *s, int first)
{
	uint64_t rng = s->seed;
	int64_t layout, batch, work;
	double drift, ns;
	int block, i;

	for (block = first; block < first + s->blocks; block++) {
		drift = exp(s->drift * synth_normal(&rng));
		for (i = 0; i < r->nr_cases; i++) {
			result_param(&r->cases[i], "layout", &layout);
			result_param(&r->cases[i], "batch", &batch);
			result_param(&r->cases[i], "work_ns", &work);
			ns = synth_page_ns(s, layout, batch, work);
			synth_window(r, i, block,
				     r->cases[i].nr_workers * 1e9 / ns * drift *
					     exp(s->noise * synth_normal(&rng)),
				     r->cases[i].nr_workers);
		}
	}
}

static inline struct results *synth_results(const struct synth *s)
{
	struct results *r = synth_record();

	synth_cases(r, s);
	synth_windows(r, s, 0);
	return r;
}

/* all windows of the cases with this value (name NULL: of all cases) get a mark, or a rate */
static inline void synth_spoil(struct results *r, const char *name, int64_t value, unsigned mark,
			       double rate)
{
	int64_t v = 0;
	int i, k;

	for (i = 0; i < r->nr_cases; i++) {
		if (name && (!result_param(&r->cases[i], name, &v) || v != value))
			continue;
		for (k = 0; k < r->cases[i].nr_samples; k++) {
			r->cases[i].samples[k].marks |= mark;
			if (!mark)
				r->cases[i].samples[k].rate = rate;
		}
	}
}

/* keep only the first @n windows of every case */
static inline void synth_cut(struct results *r, int n)
{
	int i;

	for (i = 0; i < r->nr_cases; i++)
		if (r->cases[i].nr_samples > n)
			r->cases[i].nr_samples = n;
}

/* contended_line by so many workers in @blocks windows: one update per @service_ns, all together */
static inline void synth_limit(struct results *r, int workers, int blocks, double service_ns)
{
	struct result_case *c = synth_add_case(r, "contended_line", 3, workers);
	int i;

	synth_param(c, "op", 0, "fetch_add");
	synth_param(c, "work_ns", 0, NULL);
	synth_param(c, "log", 0, NULL);
	for (i = 0; i < blocks; i++)
		synth_window(r, r->nr_cases - 1, i, 1e9 / service_ns * (1 + 1e-4 * i), workers);
}

static inline void synth_set(char **field, const char *value)
{
	free(*field);
	*field = strdup(value);
}

#endif
