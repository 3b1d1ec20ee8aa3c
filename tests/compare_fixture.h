/* SPDX-License-Identifier: MIT */
/* compare_fixture.h - two sides of synthetic runs, with a planted effect */
#ifndef CHARGELINE_TESTS_COMPARE_FIXTURE_H
#define CHARGELINE_TESTS_COMPARE_FIXTURE_H

#include "report_fixture.h"

#include "compare.h"

static const int four_batches[] = {16, 32, 64, 128, -1}, one_batch[] = {64, -1},
		 one_work[] = {250, -1};

/* four cases, twenty windows each */
#define FOUR_CASES                                                                       \
	{                                                                                \
		.layouts = synth_new_layout, .batches = four_batches, .works = one_work, \
		.workers = synth_two_workers, .e = 3, .c = 200, .cost = {1, 1, 1, 1, 1}, \
		.noise = 0.01, .blocks = 20, .depth = 3, .seed = 1,                      \
	}

/* rates of the cases with @batch (0: all) times @factor */
static inline void plant(struct results *r, int64_t batch, double factor)
{
	int64_t v = 0;
	int i, k;

	for (i = 0; i < r->nr_cases; i++) {
		result_param(&r->cases[i], "batch", &v);
		for (k = 0; k < r->cases[i].nr_samples && (!batch || v == batch); k++)
			r->cases[i].samples[k].rate *= factor;
	}
}

/* the run of @s that started at that minute of the day */
static inline struct results *run_at(struct synth s, int minute, uint64_t seed)
{
	struct results *r;
	char when[32];

	s.seed = seed;
	r = synth_results(&s);
	r->seed = seed;
	snprintf(when, sizeof(when), "2026-11-30T%02d:%02d:00Z", minute / 60, minute % 60);
	synth_set(&r->started, when);
	return r;
}

static inline void add(struct compare *c, enum compare_side side, struct results *r)
{
	struct err err = ERR_INIT;

	assert_ok(compare_add(c, side, r, &err), &err);
	results_free(r);
}

static inline struct compare *compare_empty(void)
{
	struct compare *c = NULL;

	assert_int_equal(compare_new(&c), 0);
	assert_non_null(c);
	return c;
}

static inline void make(struct compare *c, double fail_over)
{
	struct err err = ERR_INIT;

	assert_ok(compare_make(c, fail_over, &err), &err);
}

/* takes both */
static inline struct compare *compare_two(struct results *a, struct results *b)
{
	struct compare *c = compare_empty();

	add(c, COMPARE_A, a);
	add(c, COMPARE_B, b);
	make(c, COMPARE_FAIL_OVER);
	return c;
}

static inline const struct compare_row *row_of(const struct compare *c, int64_t batch)
{
	const struct compare_row *rows;
	int64_t v = 0;
	int i, nr;

	rows = compare_rows(c, &nr);
	for (i = 0; i < nr; i++)
		if (result_param(rows[i].c, "batch", &v) && v == batch)
			return &rows[i];
	fail_msg("no row of batch %lld", (long long)batch);
	return NULL;
}

__attribute__((noinline, unused)) static char *
compared(const struct compare *c, int (*write)(const struct compare *c, FILE *to))
{
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	assert_int_equal(write(c, to), 0);
	fclose(to);
	assert_no_nan(text);
	return text;
}

#endif
