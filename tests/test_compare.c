/* SPDX-License-Identifier: MIT */
/* What a comparison finds, and how often it finds what is not there. */
#include "compare_fixture.h"

#include <math.h>

/* ---------------------------------------------------------------- a planted effect */

struct found {
	int effect; /* the planted one */
	int other;  /* any row without one */
};

/* 200 comparisons of two runs of four cases; of batch 64 B has @factor of A's rate */
static struct found repeat(double noise, double drift, double factor)
{
	struct synth s = FOUR_CASES;
	struct found found = {0, 0};
	const struct compare_row *rows;
	struct results *a, *b;
	struct compare *c;
	int round, i, nr;
	bool other;

	s.noise = noise;
	s.drift = drift;
	for (round = 0; round < 200; round++) {
		a = run_at(s, 1, 2 * round + 1000);
		b = run_at(s, 2, 2 * round + 1001);
		plant(b, 64, factor);
		c = compare_two(a, b);
		rows = compare_rows(c, &nr);
		assert_int_equal(nr, 4);
		for (other = false, i = 0; i < nr; i++)
			other |= &rows[i] != row_of(c, 64) &&
				 rows[i].rate.verdict != COMPARE_NONE_SEEN;
		if (row_of(c, 64)->rate.verdict != COMPARE_NONE_SEEN) {
			found.effect++;
			if (factor != 1)
				assert_int_equal(row_of(c, 64)->rate.verdict,
						 factor < 1 ? COMPARE_SLOWER : COMPARE_FASTER);
		}
		found.other +=
			other || (factor == 1 && row_of(c, 64)->rate.verdict != COMPARE_NONE_SEEN);
		compare_free(c);
	}
	return found;
}

/* at most COMPARE_ERROR of 200 are wrong anywhere; 5% among up to 2% noise is found nearly always */
static void test_planted_effect(void **state)
{
	static const struct {
		double noise, drift;
		int least;
	} levels[] = {{0.002, 0, 200}, {0.01, 0, 200}, {0.02, 0, 196}, {0.01, 0.01, 196}};
	struct found f;
	int i;

	for (i = 0; i < 4; i++) {
		f = repeat(levels[i].noise, levels[i].drift, 0.95);
		if (f.effect < levels[i].least || f.other > 10)
			fail_msg("noise %g: 5%% found in %d of 200, others in %d", levels[i].noise,
				 f.effect, f.other);
		f = repeat(levels[i].noise, levels[i].drift, 1);
		if (f.other > 10)
			fail_msg("noise %g: 0%% found in %d of 200", levels[i].noise, f.other);
	}
	f = repeat(0.01, 0, 1.05);
	assert_true(f.effect == 200 && f.other <= 10);
}

/* what the interval leaves open is what could hide: it holds the truth */
static void test_hidden_difference_is_honest(void **state)
{
	struct synth s = FOUR_CASES;
	int round, inside = 0;
	struct estimate e;
	struct results *b;
	struct compare *c;

	s.noise = 0.03;
	for (round = 0; round < 200; round++) {
		b = run_at(s, 2, 2 * round + 1);
		plant(b, 64, 0.99);
		c = compare_two(run_at(s, 1, 2 * round + 2), b);
		e = row_of(c, 64)->rate.ratio;
		inside += e.lo <= 0.99 && 0.99 <= e.hi;
		compare_free(c);
	}
	assert_in_range(inside, 186, 199);
}

static void test_fail_over(void **state)
{
	static const struct {
		double factor, fail_over;
		bool regressed;
	} table[] = {{0.95, 0.03, true}, {0.95, 0.1, false}, {0.95, 0, true},	{1.05, 0, false},
		     {1, 0, false},	 {0.5, 0.49, true},  {0.5, 0.51, false}};
	struct synth s = FOUR_CASES;
	struct compare *c;
	struct results *b;
	int i;

	s.noise = 0.002;
	for (i = 0; i < 7; i++) {
		c = compare_empty();
		b = run_at(s, 2, 12);
		plant(b, 64, table[i].factor);
		add(c, COMPARE_A, run_at(s, 1, 11));
		add(c, COMPARE_B, b);
		make(c, table[i].fail_over);
		assert_int_equal(compare_regressed(c), table[i].regressed);
		assert_int_equal(row_of(c, 64)->regression, table[i].regressed);
		assert_false(row_of(c, 32)->regression);
		assert_true(compare_tells(c));
		compare_free(c);
	}
}

/* ----------------------------------------------------------------------- several runs */

/*
 * Ten runs of each side on a machine that gets 2x slower by and by, or in its second half; B is
 * @factor of A. @minute: when the k-th run of a side started.
 */
static struct compare *ten_runs(double factor, int (*minute)(int side, int k), uint64_t seed)
{
	struct synth s = FOUR_CASES;
	struct compare *c = compare_empty();
	struct results *r;
	int k, side, at;

	s.blocks = 6;
	s.batches = one_batch;
	for (k = 0; k < 10; k++) {
		for (side = 0; side < 2; side++) {
			at = minute(side, k);
			r = run_at(s, at, seed + 2 * k + side);
			plant(r, 0, (side ? factor : 1) * (at < 10 ? 1 : 1 - at * 0.02));
			add(c, side, r);
		}
	}
	make(c, COMPARE_FAIL_OVER);
	return c;
}

static int in_turn(int side, int k)
{
	return 2 * k + side;
}

static int turns_swapped(int side, int k)
{
	return 2 * k + (side ^ (k & 1));
}

static int one_after_the_other(int side, int k)
{
	return 10 * side + k;
}

static void test_runs_in_turn_pair(void **state)
{
	struct compare *c = ten_runs(0.95, in_turn, 1);

	assert_int_equal(compare_unit(c), COMPARE_PAIRED_RUNS);
	assert_int_equal(row_of(c, 64)->rate.n[0], 10);
	assert_int_equal(row_of(c, 64)->rate.verdict, COMPARE_SLOWER);
	assert_true(compare_regressed(c));
	compare_free(c);
	c = ten_runs(0.95, turns_swapped, 1);
	assert_int_equal(compare_unit(c), COMPARE_PAIRED_RUNS);
	assert_int_equal(row_of(c, 64)->rate.verdict, COMPARE_SLOWER);
	compare_free(c);
	c = ten_runs(0.95, one_after_the_other, 1);
	assert_int_equal(compare_unit(c), COMPARE_RUNS);
	assert_int_equal(row_of(c, 64)->rate.n[0], 10);
	compare_free(c);
}

/* field report B13: load in one half of the time, runs in turn, nothing differs: seen in <= 5% */
static void test_load_in_one_half(void **state)
{
	struct compare *c;
	int round, seen = 0;

	for (round = 0; round < 100; round++) {
		c = ten_runs(1, turns_swapped, 100 * round);
		seen += row_of(c, 64)->rate.verdict != COMPARE_NONE_SEEN;
		compare_free(c);
	}
	assert_in_range(seen, 0, 5);
}

static void test_other_hosts_do_not_pair(void **state)
{
	struct synth s = FOUR_CASES;
	struct compare *c = compare_empty();
	struct results *r;
	int k;

	for (k = 0; k < 6; k++) {
		add(c, COMPARE_A, run_at(s, 2 * k, k + 1));
		r = run_at(s, 2 * k + 1, k + 50);
		if (k == 3)
			synth_set(&r->machine.hostname, "another");
		add(c, COMPARE_B, r);
	}
	make(c, COMPARE_FAIL_OVER);
	assert_int_equal(compare_unit(c), COMPARE_RUNS);
	compare_free(c);
}

static void test_four_runs_are_windows(void **state)
{
	struct synth s = FOUR_CASES;
	struct compare *c = compare_empty();
	int k;

	for (k = 0; k < 4; k++) {
		add(c, COMPARE_A, run_at(s, 2 * k, k + 1));
		add(c, COMPARE_B, run_at(s, 2 * k + 1, k + 50));
	}
	make(c, COMPARE_FAIL_OVER);
	assert_int_equal(compare_unit(c), COMPARE_WINDOWS);
	assert_int_equal(row_of(c, 64)->rate.n[0], 80);
	compare_free(c);
}

static struct results *drifting(struct synth s, int minute, uint64_t seed)
{
	struct results *r = run_at(s, minute, seed);
	int pair = minute / 2;

	plant(r, 0, 1 - pair * 0.1);
	return r;
}

/*
 * A case that some runs do not have pairs where both have it, in whatever order the files come; the
 * drift, ten times the noise from pair to pair, would be in the interval if others were paired.
 */
static void test_pairs_of_what_both_have(void **state)
{
	struct synth s = FOUR_CASES, without = FOUR_CASES;
	struct compare *c = compare_empty();
	int k;

	without.batches = one_batch;
	for (k = 7; k >= 0; k--)
		add(c, COMPARE_A, drifting(k == 2 ? without : s, 2 * k, k + 1));
	for (k = 0; k < 8; k++)
		add(c, COMPARE_B, drifting(k == 5 ? without : s, 2 * k + 1, k + 50));
	make(c, COMPARE_FAIL_OVER);
	assert_int_equal(compare_unit(c), COMPARE_PAIRED_RUNS);
	assert_int_equal(row_of(c, 64)->rate.n[0], 8);
	assert_int_equal(row_of(c, 32)->rate.n[0], 6);
	assert_true(row_of(c, 64)->rate.ratio.lo > 0.98 && row_of(c, 64)->rate.ratio.hi < 1.02);
	assert_true(row_of(c, 32)->rate.ratio.lo > 0.98 && row_of(c, 32)->rate.ratio.hi < 1.02);
	compare_free(c);
}

static void test_same_run_twice(void **state)
{
	struct synth s = FOUR_CASES;
	struct compare *c = compare_empty();
	char *text;

	add(c, COMPARE_A, run_at(s, 1, 5));
	add(c, COMPARE_A, run_at(s, 1, 5));
	add(c, COMPARE_B, run_at(s, 1, 5));
	make(c, COMPARE_FAIL_OVER);
	assert_int_equal(row_of(c, 64)->rate.n[0], 20);
	assert_float_equal(row_of(c, 64)->rate.ratio.mid, 1, 0);
	assert_float_equal(row_of(c, 64)->rate.p, 1, 1e-12);
	text = compared(c, compare_text);
	assert_says(text, "is the same run as");
	assert_says(text, "1 run is on both sides");
	free(text);
	compare_free(c);
}

int main(void)
{
	const struct CMUnitTest compare[] = {
		cmocka_unit_test(test_planted_effect),
		cmocka_unit_test(test_hidden_difference_is_honest),
		cmocka_unit_test(test_fail_over),
		cmocka_unit_test(test_runs_in_turn_pair),
		cmocka_unit_test(test_load_in_one_half),
		cmocka_unit_test(test_other_hosts_do_not_pair),
		cmocka_unit_test(test_four_runs_are_windows),
		cmocka_unit_test(test_pairs_of_what_both_have),
		cmocka_unit_test(test_same_run_twice),
	};

	return run_tests(compare);
}
