/* SPDX-License-Identifier: MIT */
/* The rule of effects.h: each of its answers is reached, and only where it should be. */
#include "test.h"

#include <stdbool.h>

#include "effects.h"

static enum effect judged(double lo, double hi, int n)
{
	struct estimate e = {(lo + hi) / 2, lo, hi, n};

	return effect_judge(&e);
}

static void test_holds(void **state)
{
	assert_int_equal(judged(1.8, 2.1, 41), EFFECT_HOLDS);
	assert_int_equal(judged(0.98, 1.3, 41), EFFECT_HOLDS);
	/* slower, but by less than the margin */
	assert_int_equal(judged(0.98, 0.99, 41), EFFECT_HOLDS);
}

static void test_refuted(void **state)
{
	assert_int_equal(judged(0.5, 0.6, 41), EFFECT_REFUTED);
	assert_int_equal(judged(0.96, 0.999, 41), EFFECT_REFUTED);
	assert_int_equal(judged(0.01, 0.999, 41), EFFECT_REFUTED);
}

static void test_cannot_tell(void **state)
{
	assert_int_equal(judged(0.96, 1.0, 41), EFFECT_CANNOT_TELL);
	assert_int_equal(judged(0.5, 4, 41), EFFECT_CANNOT_TELL);
	assert_int_equal(judged(1.8, 2.1, EFFECTS_MIN_PAIRS - 1), EFFECT_CANNOT_TELL);
	assert_int_equal(judged(0.5, 0.6, EFFECTS_MIN_PAIRS - 1), EFFECT_CANNOT_TELL);
	assert_int_equal(judged(0.5, 0.6, EFFECTS_MIN_PAIRS), EFFECT_REFUTED);
}

/* windows that are alike, apart from noise: once refuted happens to one run in 40, twice hardly */
static void test_equal_sides(void **state)
{
	struct estimate e[EFFECTS_TRIES];
	int run, try, i, n = 41, found[3] = {0}, once = 0;
	double a[41], b[41];
	uint64_t rng = 1;

	for (run = 0; run < 400; run++) {
		for (try = 0; try < EFFECTS_TRIES; try++) {
			for (i = 0; i < n; i++) {
				a[i] = 1 + stats_rng_below(&rng, 1000) / 4000.0;
				b[i] = 1 + stats_rng_below(&rng, 1000) / 4000.0;
			}
			assert_int_equal(stats_ratio_ci(a, b, n, run + 1, &e[try]), 0);
			once += effect_judge(&e[try]) == EFFECT_REFUTED;
		}
		found[effect_judge_all(e, EFFECTS_TRIES)]++;
	}
	assert_true(once > 0);
	assert_true(found[EFFECT_REFUTED] <= 2);
	assert_true(found[EFFECT_HOLDS] > 0);
	assert_true(found[EFFECT_CANNOT_TELL] > 0);
}

static void test_twice(void **state)
{
	const struct estimate good = {2, 1.8, 2.2, 41}, bad = {0.5, 0.4, 0.6, 41},
			      wide = {1, 0.5, 2, 41};
	struct estimate bad_bad[] = {bad, bad}, bad_good[] = {bad, good}, bad_wide[] = {bad, wide},
			wide_bad[] = {wide, bad};

	assert_int_equal(effect_judge_all(&good, 1), EFFECT_HOLDS);
	assert_int_equal(effect_judge_all(&bad, 1), EFFECT_CANNOT_TELL);
	assert_int_equal(effect_judge_all(bad_bad, 2), EFFECT_REFUTED);
	assert_int_equal(effect_judge_all(bad_good, 2), EFFECT_HOLDS);
	assert_int_equal(effect_judge_all(bad_wide, 2), EFFECT_CANNOT_TELL);
	assert_int_equal(effect_judge_all(wide_bad, 2), EFFECT_CANNOT_TELL);
}

int main(void)
{
	const struct CMUnitTest effects_judge[] = {
		cmocka_unit_test(test_holds),	    cmocka_unit_test(test_refuted),
		cmocka_unit_test(test_cannot_tell), cmocka_unit_test(test_equal_sides),
		cmocka_unit_test(test_twice),
	};

	return run_tests(effects_judge);
}
