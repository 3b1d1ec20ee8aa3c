/* SPDX-License-Identifier: MIT */
/*
 * matrix_fixture.h - pairs of CPUs with a planted latency
 *
 * The machine of planted_ns(): core c has the CPUs c and c + cores, an L3 the cores of c / 2, one
 * node and one package hold all; a pair adds a leg of each CPU, so no two rows are the same.
 */
#ifndef CHARGELINE_TESTS_MATRIX_FIXTURE_H
#define CHARGELINE_TESTS_MATRIX_FIXTURE_H

#include "report_fixture.h"

#define BLOCKS 5

/* no windows yet */
static inline struct result_case *add_pair(struct results *r, const char *protocol,
					   const char *home, int a, int b, const char *relation)
{
	struct result_case *c;

	if (!(r->nr_cases & (r->nr_cases - 1)))
		r->cases =
			realloc(r->cases, (r->nr_cases ? 2 * r->nr_cases : 1) * sizeof(*r->cases));
	c = &r->cases[r->nr_cases++];
	*c = (struct result_case){
		.experiment = strdup("core_to_core"),
		.params = calloc(1, sizeof(*c->params)),
		.nr_workers = 2,
		.placement = strdup("cores-first"),
		.home = strdup(home),
		.home_node = 0,
		.relation = relation ? strdup(relation) : NULL,
		.metrics = calloc(1, sizeof(*c->metrics)),
	};
	synth_param(c, "protocol", strcmp(protocol, "cas") != 0, protocol);
	cpulist_add(&c->cpus, a);
	cpulist_add(&c->cpus, b);
	return c;
}

static inline void add_window(struct results *r, int block, double ns, unsigned marks)
{
	struct sample s = {.block = block,
			   .marks = marks,
			   .ops = 1000,
			   .window_ns = 2e6,
			   .rate = ns > 0 ? 1e9 / ns : 0,
			   .slowest = 1,
			   .fastest = 1,
			   .jain = 1,
			   .overlap = 1};
	struct err err = ERR_INIT;

	assert_ok(results_add_sample(r, r->nr_cases - 1, &s, &err), &err);
}

/* windows around @ns whose median is @ns; of large machines too few for the bootstrap's time */
static inline void add_windows(struct results *r, double ns)
{
	static const double noise[BLOCKS] = {1.002, 0.999, 1, 1.004, 0.998};
	int i, nr = r->machine.pus > 16 ? 3 : BLOCKS;

	for (i = 0; i < nr; i++)
		add_window(r, i, ns * noise[i], 0);
}

static inline const char *planted_relation(int cores, int a, int b)
{
	if (a % cores == b % cores)
		return "same-core";
	return a % cores / 2 == b % cores / 2 ? "same-l3" : "same-node";
}

static inline double planted_ns(int cores, int a, int b)
{
	const char *relation = planted_relation(cores, a, b);
	double base = !strcmp(relation, "same-core") ? 8 : !strcmp(relation, "same-l3") ? 25 : 105;

	return base + 0.01 * (a % 10) + 0.02 * (b % 10);
}

static inline void planted_pair(struct results *r, const char *protocol, int cores, int a, int b)
{
	add_pair(r, protocol, "local", a, b, planted_relation(cores, a, b));
	add_windows(r, planted_ns(cores, a, b) * (strcmp(protocol, "cas") ? 1.5 : 1));
}

/* every ordered pair of CPUs 0 .. 2 * cores - 1 */
static inline void planted_all(struct results *r, const char *protocol, int cores)
{
	int a, b;

	for (a = 0; a < 2 * cores; a++)
		for (b = 0; b < 2 * cores; b++)
			if (a != b)
				planted_pair(r, protocol, cores, a, b);
}

/* a record without cases, of a machine with one node and @cores / 2 L3 caches */
static inline struct results *pairs_record(int cores)
{
	struct results *r = synth_record();

	synth_set(&r->command, "chargeline run core_to_core -o run.json");
	synth_set(&r->machine.class_name, "zen3-1s4c2t-1n");
	r->machine.cores = cores;
	r->machine.pus = 2 * cores;
	r->machine.smt_max = 2;
	r->machine.l3_caches = cores / 2;
	r->window_ns = 2000000;
	return r;
}

static inline char *csv_of(const struct results *r, const char *protocol)
{
	const struct results *const all[] = {r};
	struct report *rep = build_many(all, 1);
	struct err err = ERR_INIT;
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	assert_ok(report_csv(rep, protocol, to, &err), &err);
	fclose(to);
	report_free(rep);
	return text;
}

static inline void csv_refused(const struct results *r, const char *protocol, int code,
			       const char *part)
{
	const struct results *const all[] = {r};
	struct report *rep = build_many(all, 1);
	struct err err;

	assert_refused(report_csv(rep, protocol, NULL, &err), code, part, &err);
	report_free(rep);
}

/* a reader of its own: rows of as many fields; NaN where a field is empty. Returns the rows */
static inline int csv_read(const char *text, double *out, int max)
{
	int row = 0, col = 0, width = -1;
	char *end;

	for (; *text; text = end) {
		assert_true(row < max && col < max);
		end = (char *)text;
		out[row * max + col] = strchr(",\n", *text) ? NAN : strtod(text, &end);
		assert_true(*end == ',' || *end == '\n');
		col++;
		if (*end++ == '\n') {
			assert_true(width < 0 || col == width);
			width = col;
			col = 0;
			row++;
		}
	}
	assert_true(row == 0 || row == width);
	return row;
}

#endif
