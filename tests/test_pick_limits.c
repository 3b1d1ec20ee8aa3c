/* SPDX-License-Identifier: MIT */
/* The margin, the limits, what a batch costs, and how a pick is written. */
#include "golden.h"
#include "pick_fixture.h"

#include <jansson.h>
#include <math.h>

/* ------------------------------------------------------------------------ the margin */

static void test_margin_edges(void **state)
{
	static const int batches[] = {1, 2, -1}, works[] = {100, -1};
	struct synth s = SYNTH_DEFAULT;
	struct pick_options opt = {.margin = 0.03};
	struct results *r;
	struct pick *p;

	/* T(1) / T(2) = (100 + c) / (100 + c / 2), without noise: exactly 1.03, then off it */
	s.batches = batches;
	s.works = works;
	s.noise = 0;
	s.e = 0;
	s.c = 3 / 0.485;
	p = pick_synth(&s, &opt, &r);
	assert_true(row(p, 100, 1)->enough);
	assert_false(row(p, 100, 1)->too_small);
	assert_int_equal(demand(p, 100)->batch, 1);
	done(p, r);
	opt.margin = 0.02999;
	p = pick_synth(&s, &opt, &r);
	assert_true(row(p, 100, 1)->too_small);
	assert_false(demand(p, 100)->decided);
	assert_int_equal(demand(p, 100)->range_lo, 2);
	done(p, r);
}

static void test_margin_zero(void **state)
{
	struct synth s = SYNTH_DEFAULT;
	struct pick_options opt = {.margin = 0};
	struct results *r;
	struct pick *p = pick_synth(&s, &opt, &r);

	assert_false(demand(p, 250)->decided && demand(p, 250)->batch < 64);
	assert_float_equal(p->margin, 0, 0);
	done(p, r);
}

/* ------------------------------------------------------------------------ the limits */

static void test_limit_binds(void **state)
{
	struct synth s = SYNTH_DEFAULT;
	struct pick_options opt = {.margin = 0.03, .max_batch = 16};
	struct results *r;
	struct pick *p = pick_synth(&s, &opt, &r);

	assert_int_equal(p->limit, 16);
	assert_true(p->decided);
	assert_int_equal(p->batch, 16);
	assert_true(demand(p, 250)->bound_by_limit);
	assert_says(demand(p, 250)->why, "bound by the limit of 16");
	assert_says(p->sentence, "within the limits");
	/* what is lost is still shown */
	assert_true(row(p, 250, 16)->too_small);
	assert_true(row(p, 250, 16)->gain.mid > 1.03);
	assert_false(row(p, 250, 32)->allowed);
	/* the limit has nothing to do with the less demanding loads */
	assert_int_equal(demand(p, 4000)->batch, 8);
	assert_false(demand(p, 4000)->bound_by_limit);
	done(p, r);
}

static void test_limit_at_the_largest_measured(void **state)
{
	struct synth s = SYNTH_DEFAULT;
	struct pick_options opt = {.margin = 0.03, .max_batch = 256};
	struct results *r;
	struct pick *p = pick_synth(&s, &opt, &r);

	/* the candidates end there, so even saturated there is an answer */
	assert_true(demand(p, 0)->decided);
	assert_int_equal(demand(p, 0)->batch, 256);
	assert_true(demand(p, 0)->bound_by_limit);
	assert_false(demand(p, 250)->bound_by_limit);
	done(p, r);
	/* but not when the limit leaves room for what was not measured */
	opt.max_batch = 300;
	p = pick_synth(&s, &opt, &r);
	assert_false(demand(p, 0)->decided);
	assert_int_equal(demand(p, 0)->range_lo, 256);
	done(p, r);
}

static void test_stranded_limit(void **state)
{
	struct synth s = SYNTH_DEFAULT;
	/* 16 x 2 CPUs x 7 slots x 4 KiB = 896 KiB */
	struct pick_options opt = {.margin = 0.03, .max_stranded = 896 << 10, .slots = 7};
	struct results *r;
	struct pick *p = pick_synth(&s, &opt, &r);

	assert_int_equal(p->limit, 16);
	assert_true(row(p, 250, 16)->allowed);
	assert_false(row(p, 250, 32)->allowed);
	assert_float_equal(row(p, 250, 16)->stranded_bytes, (double)(896 << 10), 0);
	done(p, r);
	opt.max_batch = 8;
	p = pick_synth(&s, &opt, &r);
	assert_int_equal(p->limit, 8);
	assert_int_equal(p->batch, 8);
	done(p, r);
}

static void test_limits_have_names(void **state)
{
	struct synth s = SYNTH_DEFAULT;
	struct pick_options opt = {.margin = 0.03, .max_stale = 33};
	struct results *r;
	struct pick *p = pick_synth(&s, &opt, &r);

	/* 33 updates / 2 CPUs */
	assert_int_equal(p->limit, 16);
	assert_says(demand(p, 250)->why, "the limit of 16 (staleness of statistics)");
	done(p, r);
	opt = (struct pick_options){.margin = 0.03, .slots_8bit = true};
	p = pick_synth(&s, &opt, &r);
	assert_int_equal(p->limit, 127);
	assert_true(demand(p, 0)->decided);
	assert_says(demand(p, 0)->why, "the limit of 127 (8-bit slot counts)");
	done(p, r);
	/* of several the narrowest says its name */
	opt.max_batch = 64;
	p = pick_synth(&s, &opt, &r);
	assert_int_equal(p->limit, 64);
	assert_string_equal(p->limit_by, "the largest batch asked for");
	done(p, r);
}

static void test_nothing_within_the_limits(void **state)
{
	struct synth s = SYNTH_DEFAULT;
	struct pick_options opt = {.margin = 0.03, .max_stranded = 1};
	struct results *r;
	struct pick *p = pick_synth(&s, &opt, &r);

	assert_int_equal(p->limit, -1);
	assert_false(p->decided);
	assert_says(p->sentence, "no measured batch is within the limits");
	done(p, r);
}

/* ------------------------------------------------------------------------- the costs */

static void test_costs(void **state)
{
	struct synth s = SYNTH_DEFAULT;
	struct results *r = synth_results(&s);
	struct pick *p;

	r->machine.pus = 160;
	p = pick_of(r, NULL);
	assert_int_equal(p->cpus, 160);
	assert_float_equal(row(p, 250, 64)->stale_updates, 10240, 0);
	assert_float_equal(row(p, 250, 64)->stranded_bytes, (double)(40 << 20), 0);
	assert_float_equal(row(p, 250, 64)->stranded_all_bytes, (double)(280 << 20), 0);
	done(p, r);
}

static void test_127_and_128(void **state)
{
	struct synth s = SYNTH_DEFAULT;
	struct pick_options opt = {.margin = 0.03};
	struct results *r;
	struct pick *p;

	s.c = 1000;
	p = pick_synth(&s, &opt, &r);
	assert_false(row(p, 250, 127)->needs_wide);
	assert_true(row(p, 250, 128)->needs_wide);
	assert_true(p->decided);
	assert_int_equal(p->batch, 127);
	assert_null(strstr(p->sentence, "wide counts"));
	done(p, r);
	/* 127 loses 4%: the pick is over it and says what it needs */
	s.c = 8 * 256;
	s.batches = (const int[]){32, 64, 127, 128, 256, 512, 1024, -1};
	p = pick_synth(&s, &opt, &r);
	assert_true(p->decided);
	assert_int_equal(p->batch, 256);
	assert_says(p->sentence, "8-bit slot counts");
	done(p, r);
	opt.max_batch = 127;
	p = pick_synth(&s, &opt, &r);
	assert_int_equal(p->batch, 127);
	assert_true(demand(p, 250)->bound_by_limit);
	done(p, r);
}

/* -------------------------------------------------------------------------- the texts */

/* kept whole: inlined, gcc 12 takes text for NULL */
__attribute__((noinline)) static char *written(const struct pick *p,
					       int (*write)(const struct pick *, FILE *))
{
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	assert_int_equal(write(p, to), 0);
	fclose(to);
	return text;
}

/* one line of digits per K1: a reader finds what to expect on 160 CPUs, whatever this machine is */
static void test_text(void **state)
{
	struct synth s = SYNTH_DEFAULT;
	struct results *r;
	struct pick *p = pick_synth(&s, NULL, &r);
	char *text = written(p, pick_text), *line, *end;

	assert_says(text, "160 CPUs, batch 64: 10,240 updates, 40 MiB");
	assert_says(text, "160 CPUs, batch 32: 5,120 updates, 20 MiB");
	assert_says(text, "2 CPUs, batch 64: 128 updates, 512 KiB");
	assert_says(text, "\"the largest\": it is shown and not used");
	assert_says(text, "needs wide counts");
	for (line = text; *line; line = end + 1) {
		end = strchr(line, '\n');
		assert_non_null(end);
		assert_true(end - line <= 100);
	}
	free(text);
	done(p, r);
}

static void check_json(const struct pick *p, bool decided)
{
	char *text = written(p, pick_json);
	json_error_t error;
	json_t *tree = json_loads(text, JSON_REJECT_DUPLICATES, &error), *demands;

	if (!tree)
		fail_msg("not JSON: %s in %s", error.text, text);
	assert_string_equal(json_string_value(json_object_get(tree, "class")), "icx-1s2c1t-1n");
	assert_int_equal(json_is_true(json_object_get(tree, "decided")), decided);
	assert_int_equal(json_is_null(json_object_get(tree, "batch")), !decided);
	demands = json_object_get(tree, "demands");
	assert_int_equal(json_array_size(demands), p->nr_demands);
	json_decref(tree);
	free(text);
}

static void test_json(void **state)
{
	struct synth s = SYNTH_DEFAULT;
	struct results *r;
	struct pick *p = pick_synth(&s, NULL, &r);

	check_json(p, true);
	done(p, r);
	s.blocks = 1;
	p = pick_synth(&s, NULL, &r);
	check_json(p, false);
	done(p, r);
	r = synth_results(&s);
	synth_spoil(r, NULL, 0, 0, 0);
	p = pick_of(r, NULL);
	check_json(p, false);
	done(p, r);
}

/* ---------------------------------------------------------------- against the kernel's batch */

static void test_over_the_references(void **state)
{
	struct synth s = SYNTH_DEFAULT;
	const struct estimate *e;
	struct results *r;
	struct pick *p;
	double law;

	s.noise = 1e-6;
	p = pick_synth(&s, NULL, &r);
	law = synth_page_ns(&s, 4, 32, 250) / synth_page_ns(&s, 4, 127, 250);
	e = &row(p, 250, 127)->over[0];
	assert_int_equal(e->n, s.blocks);
	assert_float_equal(e->mid, law, 1e-5);
	/* and the other way round, with its interval turned over */
	law = synth_page_ns(&s, 4, 64, 250) / synth_page_ns(&s, 4, 16, 250);
	e = &row(p, 250, 16)->over[1];
	assert_float_equal(e->mid, law, 1e-5);
	assert_true(e->lo <= e->mid && e->mid <= e->hi && e->mid < 1);
	assert_int_equal(row(p, 250, 32)->over[0].n, 0);
	done(p, r);
}

/* one case in which the pick (32 -> 127 by a narrow margin) is slower than 64 */
static void test_the_cases_that_lose(void **state)
{
	struct synth s = SYNTH_DEFAULT;
	struct pick_options opt = {.margin = 0.0001, .max_batch = 127};
	struct results *r = synth_results(&s);
	struct pick *p = pick_of(r, &opt);
	int64_t batch, work;
	char *text = NULL;
	size_t size;
	int i, k;
	FILE *to;

	assert_int_equal(p->batch, 127);
	assert_int_equal(p->nr_losers, 0);
	assert_int_equal(p->nr_compared, 8);
	pick_free(p);
	for (i = 0; i < r->nr_cases; i++) {
		result_param(&r->cases[i], "batch", &batch);
		result_param(&r->cases[i], "work_ns", &work);
		for (k = 0; batch == 127 && !work && k < r->cases[i].nr_samples; k++)
			r->cases[i].samples[k].rate *= 0.4;
	}
	p = pick_of(r, &opt);
	assert_int_equal(p->batch, 127);
	assert_int_equal(p->nr_losers, 2);
	assert_int_equal(p->losers[0].smaller, 64);
	assert_true(p->losers[0].change.hi < 0.95);
	to = open_memstream(&text, &size);
	assert_int_equal(pick_text(p, to), 0);
	fclose(to);
	assert_says(text, "slower at 127 than at a smaller batch: 2 of 8");
	free(text);
	done(p, r);
}

static void test_weights(void **state)
{
	static const struct pick_weight only[] = {{250, 0}, {1000, 0}, {4000, 1}},
					some[] = {{250, 1}, {4000, 3}}, wrong[] = {{300, 1}};
	struct synth s = SYNTH_DEFAULT;
	struct pick_options opt = {.margin = 0.03, .weights = only, .nr_weights = 3};
	const struct results *all[1];
	const struct estimate *e;
	struct results *r;
	struct pick *p = pick_synth(&s, &opt, &r), *none = NULL;
	struct err err;
	double law;

	/* all on one demand: its own pick, not the worst one's */
	assert_true(p->decided);
	assert_int_equal(p->batch, demand(p, 4000)->batch);
	assert_true(p->batch < demand(p, 250)->batch);
	done(p, r);

	s.noise = 1e-6;
	opt.weights = some;
	opt.nr_weights = 2;
	p = pick_synth(&s, &opt, &r);
	law = 0.2 * log(synth_page_ns(&s, 4, 8, 250) / synth_page_ns(&s, 4, 16, 250)) +
	      0.2 * log(synth_page_ns(&s, 4, 8, 1000) / synth_page_ns(&s, 4, 16, 1000)) +
	      0.6 * log(synth_page_ns(&s, 4, 8, 4000) / synth_page_ns(&s, 4, 16, 4000));
	e = &p->weighted->gain[0 * p->weighted->nr_rows + 1];
	assert_float_equal(e->mid, exp(law), 1e-5);
	assert_true(e->lo < e->mid && e->mid < e->hi && e->n == s.blocks);
	assert_says(p->sentence,
		    "weighted mean of 250 ns (weight 1), 1 us (weight 1) and 4 us (we");
	opt.weights = wrong;
	opt.nr_weights = 1;
	all[0] = r;
	assert_refused(pick_make(all, 1, &opt, &none, &err), -EINVAL,
		       "weight of 300 ns: no such demand was measured", &err);
	assert_null(none);
	done(p, r);
}

static void test_commit_table(void **state)
{
	struct synth s = SYNTH_DEFAULT;
	struct pick_options opt = {.margin = 0.03, .max_batch = 16};
	struct results *r[2];
	const struct pick *const p[] = {pick_synth(&s, &opt, &r[0]), pick_synth(&s, NULL, &r[1])};
	char *text = NULL, *line;
	size_t size;
	FILE *to;

	((struct pick *)p[1])->predicted = true;
	to = open_memstream(&text, &size);
	assert_int_equal(pick_commit(p, 2, to), 0);
	fclose(to);
	check_golden("pick_commit.txt", text);
	for (line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
		assert_true(strlen(line) <= 100);
	free(text);
	done((struct pick *)p[0], r[0]);
	done((struct pick *)p[1], r[1]);
}

static void test_predicted_is_marked(void **state)
{
	struct synth s = SYNTH_DEFAULT;
	struct pick_options opt = {.margin = 0.03, .predicted = true};
	struct results *r;
	struct pick *p = pick_synth(&s, &opt, &r);
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	assert_int_equal(strncmp(p->sentence, "Predicted by the model", 22), 0);
	assert_int_equal(pick_text(p, to), 0);
	assert_int_equal(pick_json(p, to), 0);
	fclose(to);
	assert_says(text, "Batch for icx-1s2c1t-1n, predicted");
	assert_says(text, "Every figure here is a prediction");
	assert_says(text, "\"kind\": \"predicted\"");
	free(text);
	done(p, r);
}

static void test_left_out_is_said(void **state)
{
	static const char *const said[] = {"file 'x.json': not JSON"};
	struct synth s = SYNTH_DEFAULT;
	struct pick_options opt = {.margin = 0.03, .left_out = said, .nr_left_out = 1};
	struct results *r;
	struct pick *p = pick_synth(&s, &opt, &r);
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	assert_int_equal(pick_text(p, to), 0);
	assert_int_equal(pick_json(p, to), 0);
	fclose(to);
	assert_says(text, "- Left out: file 'x.json': not JSON.");
	assert_says(text, "\"left_out\": [\n    \"file 'x.json': not JSON\"");
	free(text);
	done(p, r);
}

static void test_full_disk(void **state)
{
	struct synth s = SYNTH_DEFAULT;
	struct results *r;
	struct pick *p = pick_synth(&s, NULL, &r);
	FILE *full = fopen("/dev/full", "w");

	if (!full)
		test_skip("no /dev/full here");
	setvbuf(full, NULL, _IONBF, 0);
	assert_int_equal(pick_json(p, full), -EIO);
	clearerr(full);
	assert_int_equal(pick_text(p, full), -EIO);
	fclose(full);
	done(p, r);
}

/* a made-up file: each case another batch, so that a table of all would not fit into memory */
static void test_no_table_without_end(void **state)
{
	const struct results *all[1];
	struct synth s = SYNTH_DEFAULT;
	struct err err = ERR_INIT;
	struct report *rep = NULL;
	struct pick *p = NULL;
	int batches[1101], i;

	for (i = 0; i < 1100; i++)
		batches[i] = i + 1;
	batches[i] = -1;
	s.batches = batches;
	all[0] = synth_results(&s);
	assert_refused(pick_make(all, 1, NULL, &p, &err), -EFBIG, "too many layouts", &err);
	assert_refused(report_build(all, 1, NULL, &rep, &err), -EFBIG, "too many layouts", &err);
	results_free((struct results *)all[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_margin_edges),
		cmocka_unit_test(test_margin_zero),
		cmocka_unit_test(test_limit_binds),
		cmocka_unit_test(test_limit_at_the_largest_measured),
		cmocka_unit_test(test_stranded_limit),
		cmocka_unit_test(test_nothing_within_the_limits),
		cmocka_unit_test(test_costs),
		cmocka_unit_test(test_127_and_128),
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_json),
		cmocka_unit_test(test_limits_have_names),
		cmocka_unit_test(test_over_the_references),
		cmocka_unit_test(test_the_cases_that_lose),
		cmocka_unit_test(test_weights),
		cmocka_unit_test(test_commit_table),
		cmocka_unit_test(test_predicted_is_marked),
		cmocka_unit_test(test_left_out_is_said),
		cmocka_unit_test(test_full_disk),
		cmocka_unit_test(test_no_table_without_end),
	};

	return run_tests(tests);
}
