/* SPDX-License-Identifier: MIT */
#include "golden.h"
#include "matrix_fixture.h"

#include <locale.h>

static void test_csv_refused(void **state)
{
	struct synth s = SYNTH_DEFAULT;
	struct results *r = synth_results(&s);

	csv_refused(r, NULL, -ENOENT, "there is no core_to_core to write");
	results_free(r);
	r = pairs_record(2);
	planted_all(r, "read", 2);
	csv_refused(r, "cas", -ENOENT, "protocol 'cas' was not measured, these were: read");
	csv_refused(r, "rd", -ENOENT, "protocol 'rd'");
	results_free(r);
}

static void test_csv_round_trip(void **state)
{
	static double back[160 * 160];
	struct results *r = pairs_record(80);
	char *csv;
	double ns;
	int i, j;

	planted_all(r, "cas", 80);
	csv = csv_of(r, NULL);
	assert_int_equal(csv_read(csv, back, 160), 160);
	for (i = 0; i < 160; i++) {
		for (j = 0; j < 160; j++) {
			ns = (planted_ns(80, i, j) + planted_ns(80, j, i)) / 2;
			if (j < i)
				assert_true(fabs(back[i * 160 + j] - ns) < 0.00051);
			else
				assert_true(isnan(back[i * 160 + j]));
		}
	}
	free(csv);
	results_free(r);
}

/* measured matrices of real machines go in and come out */
static void test_csv_of_real_machines(void **state)
{
	static const char *const names[] = {"elbrus8c-4s8c1t", "m1ultra-1s20c1t",
					    "zen2-7302-2s16c2t", "icx-8375c-2s32c2t"};
	static double in[128 * 128], back[128 * 128];
	char path[512], *text = NULL, *csv;
	struct results *r;
	int i, k, n;

	if (!test_shared())
		test_skip("../shared is not there");
	for (k = 0; k < 4; k++) {
		snprintf(path, sizeof(path), "%s/machines/%s.csv", test_shared(), names[k]);
		text = read_file(path);
		n = csv_read(text, in, 128);
		free(text);
		assert_true(n >= 20);
		r = pairs_record(n / 2);
		r->machine.pus = n;
		for (i = 0; i < n * n; i++) {
			if (isnan(in[i / n * 128 + i % n]))
				continue;
			add_pair(r, "cas", "local", i / n, i % n, "same-node");
			add_windows(r, in[i / n * 128 + i % n]);
		}
		csv = csv_of(r, "cas");
		assert_int_equal(csv_read(csv, back, 128), n);
		for (i = 0; i < n * n; i++) {
			if (isnan(in[i / n * 128 + i % n]))
				assert_true(isnan(back[i / n * 128 + i % n]));
			else
				assert_true(fabs(in[i / n * 128 + i % n] -
						 back[i / n * 128 + i % n]) < 0.00051);
		}
		free(csv);
		results_free(r);
	}
}

static void test_csv_decimal_comma(void **state)
{
	static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "de_DE", "fr_FR.UTF-8"};
	struct results *r = pairs_record(2);
	char *plain, *comma;
	int i;

	planted_all(r, "cas", 2);
	plain = csv_of(r, "cas");
	for (i = 0; i < 4 && !setlocale(LC_ALL, names[i]); i++)
		;
	comma = csv_of(r, "cas");
	setlocale(LC_ALL, "C");
	assert_string_equal(comma, plain);
	free(comma);
	free(plain);
	results_free(r);
	if (i == 4)
		test_skip("no locale with a decimal comma is installed");
}

/* one direction only is a number; numbers that no machine has break nothing */
static void test_odd_numbers(void **state)
{
	struct results *r = pairs_record(2);
	char *csv;

	add_pair(r, "cas", "local", 2, 0, "same-core");
	add_windows(r, 7.25);
	add_pair(r, "cas", "local", 0, 1, "same-node");
	add_window(r, 0, 1e15, 0);
	add_pair(r, "cas", "local", 1, 2, "same-node");
	add_window(r, 0, 1e-299, 0);
	csv = csv_of(r, NULL);
	assert_string_equal(csv, ",,\n1000000000000000,,\n7.250,0.000,\n");
	free(csv);
	check_all(r);
	r->cases[1].samples[0].rate = 1e-290;
	check_all(r);
	r->cases[1].samples[0].rate = 5e-324;
	check_all(r);
	results_free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_csv_refused),
		cmocka_unit_test(test_csv_round_trip),
		cmocka_unit_test(test_csv_of_real_machines),
		cmocka_unit_test(test_csv_decimal_comma),
		cmocka_unit_test(test_odd_numbers),
	};

	return run_tests(tests);
}
