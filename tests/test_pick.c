/* SPDX-License-Identifier: MIT */
#include "pick_fixture.h"

#include <math.h>

/* the pick that the law demands, without noise: the smallest batch that no larger one beats */
static int64_t planted(const struct synth *s, int work, double margin)
{
	int last = 0, i;

	while (s->batches[last + 1] >= 0)
		last++;
	for (i = 0; i < last; i++)
		if (synth_page_ns(s, 4, s->batches[i], work) /
			    synth_page_ns(s, 4, s->batches[last], work) <=
		    1 + margin)
			break;
	return s->batches[i];
}

/* ----------------------------------------------------------------- what is planted */

static void test_finds_the_planted_pick(void **state)
{
	static const int works[] = {250, 1000, 4000};
	struct synth s = SYNTH_DEFAULT;
	struct results *r;
	struct pick *p = pick_synth(&s, NULL, &r);
	int i;

	for (i = 0; i < 3; i++) {
		assert_true(demand(p, works[i])->decided);
		assert_int_equal(demand(p, works[i])->batch, planted(&s, works[i], 0.03));
	}
	/* the worst of the demands with work */
	assert_true(p->decided);
	assert_int_equal(p->batch, planted(&s, 250, 0.03));
	assert_int_equal(p->batch, 32);
	assert_says(p->sentence, "Batch 32");
	assert_string_equal(p->layout, "v6_15");
	assert_int_equal(p->nr_workers, 2);
	assert_null(p->setting);
	done(p, r);
}

static void test_saturated_is_shown_but_not_used(void **state)
{
	static const int none[] = {0, -1};
	struct synth s = SYNTH_DEFAULT;
	struct results *r;
	struct pick *p = pick_synth(&s, NULL, &r);

	assert_false(demand(p, 0)->decided);
	assert_int_equal(demand(p, 0)->range_lo, 256);
	assert_int_equal(demand(p, 0)->range_hi, 0);
	assert_says(demand(p, 0)->why, "at least 256, the largest measured");
	assert_true(p->decided);
	done(p, r);

	s.works = none;
	p = pick_synth(&s, NULL, &r);
	assert_false(p->decided);
	assert_says(p->sentence, "only the saturated demand has data");
	done(p, r);
}

/* the law's own solution: x / (Z + k) with x = c/b - c/256, k = e + c/256 */
static void test_demand_at_which_it_changes(void **state)
{
	struct synth s = SYNTH_DEFAULT;
	struct results *r;
	struct pick *p;
	double x, k;
	int i;

	s.noise = 1e-6;
	p = pick_synth(&s, NULL, &r);
	for (i = 0; i < 4; i++) {
		x = s.c / s.batches[i] - s.c / 256;
		k = s.e + s.c / 256;
		assert_int_equal(row(p, 1000, s.batches[i])->from, PICK_FROM_KNOWN);
		assert_float_equal(row(p, 1000, s.batches[i])->demand_from_ns, x / 0.03 - k,
				   0.01 * x / 0.03 + 0.5);
	}
	/* one value per batch, whichever demand it is read from */
	assert_float_equal(row(p, 0, 16)->demand_from_ns, row(p, 4000, 16)->demand_from_ns, 0);
	assert_int_equal(row(p, 250, 256)->from, PICK_FROM_UNKNOWN);
	assert_true(isnan(row(p, 250, 256)->demand_from_ns));
	done(p, r);
}

static void test_demand_that_is_not_bracketed(void **state)
{
	static const int high[] = {1000, 4000, -1}, low[] = {0, 20, -1};
	struct synth s = SYNTH_DEFAULT;
	struct results *r;
	struct pick *p;

	s.works = high;
	p = pick_synth(&s, NULL, &r);
	assert_int_equal(row(p, 1000, 64)->from, PICK_FROM_ALL);
	assert_true(isnan(row(p, 1000, 64)->demand_from_ns));
	done(p, r);

	s.works = low;
	p = pick_synth(&s, NULL, &r);
	assert_int_equal(row(p, 20, 8)->from, PICK_FROM_NONE);
	done(p, r);
}

/* a gain below 0 by noise must not make a number out of nothing */
static void test_demand_with_noise_at_zero(void **state)
{
	static const int works[] = {0, 4000000, -1};
	struct synth s = SYNTH_DEFAULT;
	struct results *r;
	struct pick *p;
	int i;

	s.works = works;
	s.noise = 0.01;
	for (i = 0; i < 20; i++) {
		s.seed = i;
		p = pick_synth(&s, NULL, &r);
		if (row(p, 0, 8)->from == PICK_FROM_KNOWN) {
			assert_true(row(p, 0, 8)->demand_from_ns > 0);
			assert_true(row(p, 0, 8)->demand_from_ns <= 4000000);
		}
		done(p, r);
	}
}

/* --------------------------------------------------------------- what cannot be told */

static void test_undecidable_gives_a_range(void **state)
{
	struct synth s = SYNTH_DEFAULT;
	const struct pick_demand *d;
	struct results *r;
	struct pick *p;

	/* at 250 ns batch 16 loses 4.6%, batch 32 loses 2.2%: not to be told apart by this */
	s.noise = 0.06;
	s.blocks = 8;
	p = pick_synth(&s, NULL, &r);
	d = demand(p, 250);
	assert_false(d->decided);
	assert_true(d->range_lo >= 8);
	assert_true(!d->range_hi || d->range_hi > d->range_lo);
	assert_says(d->why, "cannot tell");
	assert_false(p->decided);
	assert_says(p->sentence, "No batch is recommended yet");
	assert_says(p->sentence, "At 250 ns of local work per page: cannot tell");
	done(p, r);
}

static void test_more_blocks_is_about_right(void **state)
{
	static const int works[] = {250, -1};
	struct synth s = SYNTH_DEFAULT;
	struct results *r;
	struct pick *p;
	int more;

	s.works = works;
	s.noise = 0.012;
	s.blocks = 6;
	p = pick_synth(&s, NULL, &r);
	assert_false(demand(p, 250)->decided);
	more = demand(p, 250)->more_blocks;
	assert_in_range(more, 1, 300);
	assert_says(demand(p, 250)->why, "more blocks would decide");
	done(p, r);
	/* four times of that decides for sure */
	s.blocks += 4 * more;
	p = pick_synth(&s, NULL, &r);
	assert_true(demand(p, 250)->decided);
	assert_int_equal(demand(p, 250)->batch, 32);
	done(p, r);
}

static void test_single_window(void **state)
{
	struct synth s = SYNTH_DEFAULT;
	const struct pick_demand *d;
	struct results *r;
	struct pick *p;

	s.blocks = 1;
	p = pick_synth(&s, NULL, &r);
	d = demand(p, 250);
	assert_false(d->decided);
	assert_int_equal(d->range_lo, 8);
	assert_int_equal(d->range_hi, 0);
	assert_int_equal(d->more_blocks, 4);
	assert_true(isinf(row(p, 250, 8)->gain.hi));
	assert_says(d->why, "at least 4 more blocks are needed");
	done(p, r);
}

static void test_no_valid_window(void **state)
{
	struct synth s = SYNTH_DEFAULT;
	struct results *r = synth_results(&s);
	struct pick *p;

	synth_spoil(r, NULL, 0, MARK_STEAL, 0);
	p = pick_of(r, NULL);
	assert_false(p->decided);
	assert_int_equal(demand(p, 250)->nr_rows, 0);
	assert_says(demand(p, 250)->why, "no data");
	done(p, r);
}

static void test_missing_demand_is_said(void **state)
{
	struct synth s = SYNTH_DEFAULT;
	struct results *r = synth_results(&s);
	struct pick *p;

	synth_spoil(r, "work_ns", 4000, MARK_SWITCHED, 0);
	p = pick_of(r, NULL);
	assert_true(p->decided);
	assert_int_equal(demand(p, 4000)->nr_rows, 0);
	assert_says(p->sentence, "No data at 4 us");
	done(p, r);
}

static void test_zero_rate(void **state)
{
	struct synth s = SYNTH_DEFAULT;
	struct results *r = synth_results(&s);
	struct pick *p;

	synth_spoil(r, "batch", 256, 0, 0);
	p = pick_of(r, NULL);
	assert_int_equal(row(p, 250, 256)->rate.n, 20);
	assert_false(row(p, 250, 128)->enough);
	assert_false(p->decided);
	done(p, r);
	r = synth_results(&s);
	synth_spoil(r, NULL, 0, 0, 0);
	p = pick_of(r, NULL);
	assert_false(p->decided);
	assert_int_equal(row(p, 250, 8)->gain.n, 0);
	done(p, r);
}

static void test_one_worker(void **state)
{
	static const int one[] = {1, -1};
	struct synth s = SYNTH_DEFAULT;
	struct results *r;
	struct pick *p;

	s.workers = one;
	p = pick_synth(&s, NULL, &r);
	assert_false(p->decided);
	assert_says(p->sentence, "contention cannot be measured");
	assert_false(demand(p, 250)->decided);
	assert_int_equal(demand(p, 250)->range_lo, 0);
	done(p, r);
}

/* --------------------------------------------------------------- pairing, many files */

static double width_of(const struct estimate *e)
{
	return (e->hi - e->lo) / e->mid;
}

static void test_drift_cancels(void **state)
{
	struct synth s = SYNTH_DEFAULT;
	struct results *r;
	struct pick *p;
	double calm, drifting;

	p = pick_synth(&s, NULL, &r);
	calm = width_of(&row(p, 250, 8)->gain);
	done(p, r);
	/* whole blocks are off by a factor of 2 */
	s.drift = log(2);
	p = pick_synth(&s, NULL, &r);
	drifting = width_of(&row(p, 250, 8)->gain);
	assert_true(width_of(&row(p, 250, 8)->rate) > 0.2);
	assert_true(p->decided);
	assert_int_equal(p->batch, 32);
	assert_true(drifting < 1.5 * calm);
	done(p, r);
}

static void test_files_pair_inside_themselves(void **state)
{
	struct synth s = SYNTH_DEFAULT;
	struct results *slow, *fast;
	const struct results *all[2];
	struct err err = ERR_INIT;
	struct pick *p;

	fast = synth_results(&s);
	synth_set(&fast->started, "2026-11-30T13:00:00Z");
	/* another machine of the class: half as fast, its windows have the same block numbers */
	s.drift = 0;
	slow = synth_record();
	synth_cases(slow, &s);
	s.seed = 7;
	synth_windows(slow, &s, 0);
	for (int i = 0; i < slow->nr_cases; i++)
		for (int k = 0; k < slow->cases[i].nr_samples; k++)
			slow->cases[i].samples[k].rate /= 2;
	all[0] = slow;
	all[1] = fast;
	assert_ok(pick_make(all, 2, NULL, &p, &err), &err);
	assert_int_equal(row(p, 250, 8)->gain.n, 40);
	assert_true(width_of(&row(p, 250, 8)->gain) < 0.01);
	assert_int_equal(p->batch, 32);
	pick_free(p);
	/* the same run twice counts once */
	all[0] = fast;
	assert_ok(pick_make(all, 2, NULL, &p, &err), &err);
	assert_int_equal(row(p, 250, 8)->gain.n, 20);
	pick_free(p);
	/* a block of one file is not the same block of another */
	all[0] = slow;
	synth_spoil(slow, "batch", 8, MARK_STEAL, 0);
	for (int b = 1; synth_default_batches[b] >= 0; b++)
		synth_spoil(fast, "batch", synth_default_batches[b], MARK_STEAL, 0);
	assert_ok(pick_make(all, 2, NULL, &p, &err), &err);
	assert_int_equal(row(p, 250, 8)->rate.n, 20);
	assert_int_equal(row(p, 250, 8)->gain.n, 0);
	pick_free(p);
	/* another class is refused, by name */
	synth_set(&slow->machine.class_name, "zen5-2s96c2t-2n");
	all[0] = slow;
	assert_refused(pick_make(all, 2, NULL, &p, &err), -EINVAL, "zen5-2s96c2t-2n", &err);
	assert_says(err.msg, "icx-1s2c1t-1n");
	results_free(slow);
	results_free(fast);
}

static void test_windows_without_work_are_counted(void **state)
{
	struct synth s = SYNTH_DEFAULT;
	struct results *r = synth_results(&s);
	char text[8192] = "";
	struct pick *p;
	FILE *to;
	int i;

	for (i = 0; i < 3; i++)
		r->cases[i].samples[2].rate = 0;
	r->cases[3].samples[2].rate = 0;
	r->cases[3].samples[2].marks = 1;
	p = pick_of(r, NULL);
	assert_int_equal(p->nr_zero, 3);
	to = fmemopen(text, sizeof(text), "w");
	assert_int_equal(pick_text(p, to), 0);
	fclose(to);
	assert_says(text, "- In 3 undisturbed windows nothing got done");
	done(p, r);
}

static char *json_of(const struct pick *p)
{
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	assert_int_equal(pick_json(p, to), 0);
	fclose(to);
	return text;
}

/* each file is freed as soon as it was added: what is picked is what all of them at once give */
static void test_one_file_after_the_other(void **state)
{
	struct synth s = SYNTH_DEFAULT;
	const struct results *all[3];
	struct pick_input *in = NULL;
	struct results *r[3], *other;
	char *at_once, *by_turns;
	struct err err = ERR_INIT;
	struct pick *p;
	int i;

	for (i = 0; i < 3; i++) {
		s.seed = i == 2 ? 1 : i;
		all[i] = r[i] = synth_results(&s);
		/* the last one is the first one once more */
		synth_set(&r[i]->started, i == 1 ? "2026-11-30T13:00:00Z" : "2026-11-30T12:00:00Z");
	}
	assert_ok(pick_make(all, 3, NULL, &p, &err), &err);
	assert_int_equal(row(p, 250, 8)->gain.n, 40);
	at_once = json_of(p);
	pick_free(p);
	assert_ok(pick_input_new(&in, &err), &err);
	for (i = 0; i < 3; i++) {
		assert_ok(pick_input_add(in, r[i], &err), &err);
		results_free(r[i]);
	}
	other = synth_results(&s);
	synth_set(&other->machine.class_name, "zen5-2s96c2t-2n");
	assert_refused(pick_input_add(in, other, &err), -EINVAL, "zen5-2s96c2t-2n", &err);
	results_free(other);
	assert_ok(pick_input_make(in, NULL, &p, &err), &err);
	by_turns = json_of(p);
	assert_string_equal(by_turns, at_once);
	done(p, NULL);
	pick_input_free(in);
	assert_ok(pick_input_new(&in, &err), &err);
	assert_refused(pick_input_make(in, NULL, &p, &err), -EINVAL, "no result file", &err);
	pick_input_free(in);
	pick_input_free(NULL);
	free(at_once);
	free(by_turns);
}

static void test_settings_are_not_mixed(void **state)
{
	static const int few[] = {8, 16, -1};
	struct synth s = SYNTH_DEFAULT;
	struct results *r = synth_record();
	struct pick *p;

	s.depth = 1;
	s.batches = few;
	synth_cases(r, &s);
	s.depth = 3;
	s.batches = synth_default_batches;
	synth_cases(r, &s);
	synth_windows(r, &s, 0);
	p = pick_of(r, NULL);
	assert_non_null(p->setting);
	assert_says(p->setting, "depth=3");
	assert_null(strstr(p->setting, "batch="));
	assert_int_equal(demand(p, 250)->nr_rows, 7);
	done(p, r);
}

static void test_largest_worker_count(void **state)
{
	struct synth s = SYNTH_DEFAULT;
	struct results *r;
	struct pick *p;

	s.workers = synth_some_workers;
	p = pick_synth(&s, NULL, &r);
	assert_int_equal(p->nr_workers, 4);
	assert_float_equal(row(p, 1000, 64)->rate.mid, 4e9 / synth_page_ns(&s, 4, 64, 1000), 5e4);
	done(p, r);
}

/* --------------------------------------------------------------------------- layouts */

static void test_layouts(void **state)
{
	struct synth s = SYNTH_DEFAULT;
	struct pick_options opt = {.margin = 0.03, .layout = "packed_5_19"};
	struct results *r;
	struct err err = ERR_INIT;
	const struct results *all[1];
	struct pick *p;

	s.layouts = synth_all_layouts;
	p = pick_synth(&s, NULL, &r);
	assert_string_equal(p->layout, "v6_15");
	pick_free(p);
	p = pick_of(r, &opt);
	assert_string_equal(p->layout, "packed_5_19");
	pick_free(p);
	all[0] = r;
	opt.layout = "paded_2022";
	assert_refused(pick_make(all, 1, &opt, &p, &err), -EINVAL, "padded_2022", &err);
	/* the newest one without data gives way to the newest that has some */
	synth_spoil(r, "layout", 4, MARK_STEAL, 0);
	p = pick_of(r, NULL);
	assert_string_equal(p->layout, "padded_2022");
	done(p, r);
}

static void test_nothing_to_pick_from(void **state)
{
	static const int one[] = {64, -1};
	struct synth s = SYNTH_DEFAULT;
	struct results *r = synth_record();
	const struct results *all[] = {r};
	struct err err = ERR_INIT;
	struct pick *p = NULL;

	assert_refused(pick_make(all, 0, NULL, &p, &err), -EINVAL, "no result file", &err);
	assert_refused(pick_make(all, 1, NULL, &p, &err), -EINVAL, "no case has a parameter", &err);
	s.batches = one;
	synth_cases(r, &s);
	assert_refused(pick_make(all, 1, NULL, &p, &err), -EINVAL, "only one batch (64)", &err);
	assert_null(p);
	results_free(r);
	pick_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_finds_the_planted_pick),
		cmocka_unit_test(test_saturated_is_shown_but_not_used),
		cmocka_unit_test(test_demand_at_which_it_changes),
		cmocka_unit_test(test_demand_that_is_not_bracketed),
		cmocka_unit_test(test_demand_with_noise_at_zero),
		cmocka_unit_test(test_undecidable_gives_a_range),
		cmocka_unit_test(test_more_blocks_is_about_right),
		cmocka_unit_test(test_single_window),
		cmocka_unit_test(test_no_valid_window),
		cmocka_unit_test(test_missing_demand_is_said),
		cmocka_unit_test(test_zero_rate),
		cmocka_unit_test(test_one_worker),
		cmocka_unit_test(test_drift_cancels),
		cmocka_unit_test(test_files_pair_inside_themselves),
		cmocka_unit_test(test_one_file_after_the_other),
		cmocka_unit_test(test_windows_without_work_are_counted),
		cmocka_unit_test(test_settings_are_not_mixed),
		cmocka_unit_test(test_largest_worker_count),
		cmocka_unit_test(test_layouts),
		cmocka_unit_test(test_nothing_to_pick_from),
	};

	return run_tests(tests);
}
