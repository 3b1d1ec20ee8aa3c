/* SPDX-License-Identifier: MIT */
#include "test.h"

#include <locale.h>
#include <math.h>

#include "text.h"

#define NR(a) (sizeof(a) / sizeof((a)[0]))

/* --------------------------------------------------------------------- numbers */

static void test_int(void **state)
{
	static const struct {
		const char *s;
		int64_t want;
	} good[] = {{"0", 0},
		    {"-0", 0},
		    {"007", 7},
		    {"-17", -17},
		    {"9223372036854775807", INT64_MAX},
		    {"-9223372036854775808", INT64_MIN}};
	static const char *const bad[] = {"",	 " 5",	"\t5", "\n5",  "+5",  "5 ",
					  "5\n", "-",	"- 5", "--5",  "-+5", "0x10",
					  "1e3", "1.0", "1,0", "five", "५"};
	static const char *const wide[] = {"9223372036854775808", "-9223372036854775809",
					   "99999999999999999999999999999999999999999999999999"};
	struct err err = ERR_INIT;
	int64_t v;
	size_t i;

	for (i = 0; i < NR(good); i++) {
		assert_ok(text_parse_int(good[i].s, INT64_MIN, INT64_MAX, &v, &err), &err);
		assert_true(v == good[i].want);
	}
	v = 42;
	for (i = 0; i < NR(bad); i++)
		assert_refused(text_parse_int(bad[i], INT64_MIN, INT64_MAX, &v, &err), -EINVAL,
			       "is not a whole number", &err);
	for (i = 0; i < NR(wide); i++)
		assert_refused(text_parse_int(wide[i], INT64_MIN, INT64_MAX, &v, &err), -EINVAL,
			       "is outside -9223372036854775808..9223372036854775807", &err);
	assert_refused(text_parse_int("0", 1, 8, &v, &err), -EINVAL, "0 is outside 1..8", &err);
	assert_refused(text_parse_int("9", 1, 8, &v, &err), -EINVAL, "9 is outside 1..8", &err);
	assert_int_equal(text_parse_int("nine", 1, 8, &v, NULL), -EINVAL);
	assert_true(v == 42);
}

static void test_percent(void **state)
{
	static const char *const bad[] = {"",	 "%",	"3%%", "3 %", " 3",   "+3", "-3",  "1e1",
					  "inf", "nan", "0x3", "3,5", "3.5.", ".",  "3.%x"};
	struct err err = ERR_INIT;
	double v = 0;
	size_t i;

	assert_ok(text_parse_percent("3", 0, 100, &v, &err), &err);
	assert_true(v == 3);
	assert_ok(text_parse_percent("2.5%", 0, 100, &v, &err), &err);
	assert_true(v == 2.5);
	assert_ok(text_parse_percent("0.1", 0, 100, &v, &err), &err);
	assert_true(v == 0.1);
	for (i = 0; i < NR(bad); i++)
		assert_refused(text_parse_percent(bad[i], 0, 100, &v, &err), -EINVAL,
			       "is not a percentage", &err);
	assert_refused(text_parse_percent("100.5", 0, 100, &v, &err), -EINVAL,
		       "100.5 is outside 0..100", &err);
	assert_true(v == 0.1);
}

/* a fraction of any length is a number, a number too long for a double is not */
static void test_long_decimals(void **state)
{
	struct err err = ERR_INIT;
	char s[600];
	double v;

	memset(s, '3', sizeof(s));
	s[0] = '0', s[1] = '.', s[599] = 0;
	assert_ok(text_parse_percent(s, 0, 1, &v, &err), &err);
	assert_true(fabs(v - 1 / 3.0) < 1e-15);
	memset(s + 2, '0', sizeof(s) - 3);
	assert_ok(text_parse_percent(s, 0, 1, &v, &err), &err);
	assert_true(v == 0);
	memset(s, '9', sizeof(s) - 1);
	assert_refused(text_parse_percent(s, 0, INFINITY, &v, &err), -EINVAL, "not a percentage",
		       &err);
}

static void test_duration(void **state)
{
	static const struct {
		const char *s;
		int64_t want;
	} good[] = {{"250ns", 250},	   {"20us", 20000},	 {"5ms", 5000000},
		    {"30s", 30000000000},  {"2m", 120000000000}, {"1h", 3600000000000},
		    {"0.5s", 500000000},   {"1.5us", 1500},	 {"1ns", 1},
		    {"2min", 120000000000}};
	static const char *const bad[] = {"",	 "30",	"s",  "0s",   "0.4ns", "-1s",  "+1s", "1 s",
					  " 1s", "1s ", "1S", "1sec", "1e3s",  "1,5s", "infs"};
	struct err err = ERR_INIT;
	int64_t ns = 42;
	size_t i;

	for (i = 0; i < NR(good); i++) {
		assert_ok(text_parse_duration(good[i].s, &ns, &err), &err);
		assert_true(ns == good[i].want);
	}
	for (i = 0; i < NR(bad); i++)
		assert_refused(text_parse_duration(bad[i], &ns, &err), -EINVAL, "is not a duration",
			       &err);
	assert_refused(text_parse_duration("9999999999h", &ns, &err), -EINVAL, "is too long", &err);
	assert_true(ns == 120000000000);
}

static void test_size(void **state)
{
	static const struct {
		const char *s;
		int64_t want;
	} good[] = {{"0", 0},
		    {"4096", 4096},
		    {"4096B", 4096},
		    {"300KiB", 300 << 10},
		    {"64MiB", 64 << 20},
		    {"64M", 64 << 20},
		    {"2GiB", 2LL << 30},
		    {"1.5GiB", 3LL << 29},
		    {"1TiB", 1LL << 40}};
	static const char *const bad[] = {"",	   "MiB",    "64MB",   "64kB",	"64 MiB",
					  "64mib", "-1",     "+1",     "1e6",	"0.5",
					  "0.5B",  "1,5GiB", "64MiBx", "0x100", "nan"};
	struct err err = ERR_INIT;
	int64_t bytes = 42;
	size_t i;

	for (i = 0; i < NR(good); i++) {
		assert_ok(text_parse_size(good[i].s, &bytes, &err), &err);
		assert_true(bytes == good[i].want);
	}
	for (i = 0; i < NR(bad); i++)
		assert_refused(text_parse_size(bad[i], &bytes, &err), -EINVAL, "is not a size",
			       &err);
	assert_refused(text_parse_size("99999999999GiB", &bytes, &err), -EINVAL, "is too large",
		       &err);
	assert_true(bytes == 1LL << 40);
}

/* a European locale changes neither what is accepted nor what it means */
static void test_decimal_comma(void **state)
{
	static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "de_DE", "fr_FR.UTF-8"};
	struct err err = ERR_INIT;
	int64_t ns;
	double v;
	size_t i;

	for (i = 0; i < NR(names) && !setlocale(LC_ALL, names[i]); i++)
		;
	if (i == NR(names))
		test_skip("no locale with a decimal comma is installed");
	assert_ok(text_parse_percent("2.5%", 0, 100, &v, &err), &err);
	assert_true(v == 2.5);
	assert_refused(text_parse_percent("2,5%", 0, 100, &v, &err), -EINVAL, "percentage", &err);
	assert_ok(text_parse_duration("0.5s", &ns, &err), &err);
	assert_true(ns == 500000000);
	assert_refused(text_parse_duration("0,5s", &ns, &err), -EINVAL, "duration", &err);
	setlocale(LC_ALL, "C");
}

/* ------------------------------------------------------------------ for people */

static void test_numbers_for_people(void **state)
{
	static const struct {
		const char *(*print)(char *, size_t, double);
		double value;
		const char *want;
	} cases[] = {
		{text_duration, 0, "0 ns"},
		{text_duration, 250, "250 ns"},
		{text_duration, 1500, "1.5 us"},
		{text_duration, 999.6, "1 us"},
		{text_duration, 20e6, "20 ms"},
		{text_duration, 3e9, "3 s"},
		{text_duration, 119.7e9, "2 min 0 s"},
		{text_duration, 125e9, "2 min 5 s"},
		{text_duration, 7200e9, "2 h 0 min"},
		{text_duration, 7199.8e9, "2 h 0 min"},
		{text_duration, 3600e9 * 1000, "1000 h 0 min"},
		{text_duration, 1e30, "1e+21 s"},
		{text_duration, INFINITY, "inf s"},
		{text_bytes, 0, "0 B"},
		{text_bytes, 1023, "1023 B"},
		{text_bytes, 18 * 1048576.0, "18 MiB"},
		{text_bytes, 1.5 * 1073741824, "1.5 GiB"},
		{text_bytes, 1048575, "1 MiB"},
		{text_bytes, 1e30, "888178419700125 PiB"},
		{text_si, 0, "0.00"},
		{text_si, 12.34, "12.3"},
		{text_si, 0.00123, "0.00123"},
		{text_si, 0.5, "0.500"},
		{text_si, 999.6, "1.00 k"},
		{text_si, 789000, "789 k"},
		{text_si, 45.6e6, "45.6 M"},
		{text_si, 1.234e9, "1.23 G"},
		{text_si, -1.234e9, "-1.23 G"},
		{text_si, 9.996, "10.0"},
		{text_si, 99.96, "100"},
	};
	char buf[64], tiny[4];
	size_t i;

	for (i = 0; i < NR(cases); i++)
		assert_string_equal(cases[i].print(buf, sizeof(buf), cases[i].value),
				    cases[i].want);
	assert_string_equal(text_si(tiny, sizeof(tiny), 45.6e6), "45.");
	text_duration(buf, sizeof(buf), NAN);
}

/* ----------------------------------------------------------------------- names */

static const char *const layouts[] = {"packed_5_19", "aligned_2022_test", "padded_2022", "v6_12",
				      "v6_15"};

static void test_nearest(void **state)
{
	char long_name[300];

	memset(long_name, 'p', sizeof(long_name) - 1);
	long_name[sizeof(long_name) - 1] = 0;
	assert_string_equal(text_nearest("paked_5_19", layouts, 5), "packed_5_19");
	assert_string_equal(text_nearest("padded", layouts, 5), "padded_2022");
	assert_string_equal(text_nearest("v6_51", layouts, 5), "v6_15");
	assert_string_equal(text_nearest("v6_15", layouts, 5), "v6_15");
	assert_string_equal(text_nearest("V6_15", layouts, 5), "v6_15");
	assert_string_equal(text_nearest("pakced_5_91", layouts, 5), "packed_5_19");
	assert_null(text_nearest("", layouts, 5));
	assert_null(text_nearest("zzzzzzz", layouts, 5));
	assert_null(text_nearest(long_name, layouts, 5));
	assert_null(text_nearest("padded_2022", layouts, 0));
}

static void test_unknown(void **state)
{
	static const char *many[60];
	struct err err;
	size_t i;

	assert_refused(text_unknown(&err, "layout", "paked_5_19", layouts, 5), -EINVAL,
		       "unknown layout 'paked_5_19': nearest is 'packed_5_19'", &err);
	assert_refused(text_unknown(&err, "layout", "zzz", layouts, 5), -EINVAL,
		       "there are packed_5_19, aligned_2022_test, padded_2022, v6_12, v6_15", &err);
	assert_refused(text_unknown(&err, "layout", "zzz", layouts, 0), -EINVAL, "there are none",
		       &err);
	for (i = 0; i < NR(many); i++)
		many[i] = "aligned_2022_test";
	assert_refused(text_unknown(&err, "layout", "zzz", many, NR(many)), -EINVAL, "...", &err);
}

/* ------------------------------------------------------------------- CPU lists */

static void test_cpulist(void **state)
{
	static const struct {
		const char *s, *text;
		int nr;
	} good[] = {
		{"0", "0", 1},
		{"0-3,8,12-15", "0-3,8,12-15", 9},
		{"159", "159", 1},
		{"0-159", "0-159", 160},
		{"1791", "1791", 1},
		{"1700-1791,0", "1700-1791,0", 93},
		{"65535", "65535", 1},
		{"3,2,1", "3,2,1", 3},
		{"4-6,0-2", "4-6,0-2", 6},
		{"8-159:8", "8,16,24,32,40,48,56,64,72,80,88,96,104,112,120,128,136,144,152", 19},
		{"0-31:2/8", "0-1,8-9,16-17,24-25", 8},
		{"0-9:3", "0,3,6,9", 4},
		{"0-3:1", "0-3", 4},
		{"0-3:4/4", "0-3", 4},
		{"5-5", "5", 1},
		{"0-7:2,1-7:2", "0,2,4,6,1,3,5,7", 8},
	};
	struct cpulist list = CPULIST_INIT;
	struct err err = ERR_INIT;
	char buf[256];
	size_t i;

	for (i = 0; i < NR(good); i++) {
		assert_ok(cpulist_parse(good[i].s, &list, &err), &err);
		assert_int_equal(list.nr, good[i].nr);
		assert_string_equal(cpulist_format(&list, buf, sizeof(buf)), good[i].text);
	}
	cpulist_free(&list);
	cpulist_free(&list);
}

static void test_cpulist_refused(void **state)
{
	static const char *const bad[] = {"",	     ",",	"0,",
					  ",0",	     "0,,1",	"-1",
					  "0-",	     "0--1",	"3-1",
					  " 0",	     "0 ",	"0\n",
					  "a",	     "0-3;5",	"0-8:0",
					  "0-8:",    "0-8:2/",	"0-8:0/2",
					  "0-8:3/2", "0-8:/2",	"4:2",
					  "0-8:2/0", "+1",	"0x1",
					  "65536",   "0-65536", "99999999999999999999",
					  "all",     "0-1-2",	"0.5"};
	struct cpulist list = CPULIST_INIT;
	struct err err = ERR_INIT;
	size_t i;

	assert_ok(cpulist_parse("7,9", &list, &err), &err);
	for (i = 0; i < NR(bad); i++)
		assert_refused(cpulist_parse(bad[i], &list, &err), -EINVAL, "is not a CPU list",
			       &err);
	assert_refused(cpulist_parse("0-3,2", &list, &err), -EINVAL, "names CPU 2 twice", &err);
	assert_refused(cpulist_parse("159,8-159", &list, &err), -EINVAL, "names CPU 159 twice",
		       &err);
	assert_int_equal(list.nr, 2); /* refused input changes nothing */
	assert_int_equal(list.cpu[1], 9);
	cpulist_free(&list);
}

static void test_cpulist_cut(void **state)
{
	struct cpulist list = CPULIST_INIT;
	struct err err = ERR_INIT;
	char whole[64], buf[64];
	size_t size, len;

	assert_ok(cpulist_parse("0-3,100,102,1000-1791", &list, &err), &err);
	len = strlen(cpulist_format(&list, whole, sizeof(whole)));
	for (size = 0; size <= len + 1; size++) {
		memset(buf, '#', sizeof(buf));
		cpulist_format(&list, buf, size);
		assert_int_equal(buf[size], '#');
		if (size > len)
			assert_string_equal(buf, whole);
		else if (size >= 4)
			assert_string_equal(buf + size - 4, "...");
		else if (size)
			assert_string_equal(buf, "");
	}
	cpulist_free(&list);
	assert_string_equal(cpulist_format(&list, buf, sizeof(buf)), "");
}

static void test_cpulist_others(void **state)
{
	struct cpulist list = CPULIST_INIT, copy = CPULIST_INIT;
	struct err err = ERR_INIT;
	char *text;
	int i;

	for (i = 0; i < 1000; i++)
		assert_int_equal(cpulist_add(&list, 1999 - i), 0);
	assert_int_equal(cpulist_copy(&copy, &list), 0);
	assert_int_equal(cpulist_copy(&copy, &copy), 0);
	assert_int_equal(copy.nr, 1000);
	assert_true(cpulist_has(&copy, 1000) && cpulist_has(&copy, 1999));
	assert_false(cpulist_has(&copy, 999) || cpulist_has(&copy, 2000));
	text = cpulist_text_sorted(&copy);
	assert_string_equal(text, "1000-1999");
	assert_int_equal(copy.cpu[0], 1999);
	free(text);
	assert_ok(cpulist_parse("65535,0-65534:2", &copy, &err), &err);
	text = cpulist_text_sorted(&copy);
	assert_int_equal(strncmp(text, "0,2,4,", 6), 0);
	assert_string_equal(text + strlen(text) - 18, ",65532,65534-65535");
	free(text);
	cpulist_free(&copy);
	text = cpulist_text_sorted(&copy);
	assert_string_equal(text, "");
	free(text);
	cpulist_free(&list);
}

/* ---------------------------------------------------------------------- errors */

static void test_err(void **state)
{
	struct err err = ERR_INIT;
	char big[1000];

	assert_int_equal(err_set(&err, -ENODEV, "node %d has no CPUs", 3), -ENODEV);
	assert_int_equal(err.code, -ENODEV);
	assert_int_equal(err_prefix(&err, "file '%s': ", "a"), -ENODEV);
	assert_string_equal(err.msg, "file 'a': node 3 has no CPUs");
	assert_int_equal(err_set(NULL, -EIO, "unwanted"), -EIO);
	err_prefix(NULL, "unwanted");

	memset(big, 'x', sizeof(big) - 1);
	big[sizeof(big) - 1] = 0;
	err_set(&err, -EIO, "%s", big);
	assert_int_equal(strlen(err.msg), sizeof(err.msg) - 1);
	assert_string_equal(err.msg + sizeof(err.msg) - 5, "x...");
	err_prefix(&err, "file 'a': ");
	assert_int_equal(strncmp(err.msg, "file 'a': xxx", 13), 0);
	assert_string_equal(err.msg + sizeof(err.msg) - 5, "x...");
	err_prefix(&err, "%s", big);
	assert_string_equal(err.msg + sizeof(err.msg) - 5, "x...");
}

/* what is quoted may hold anything; the sentence stays one line */
static void test_err_is_one_line(void **state)
{
	struct err err = ERR_INIT;

	err_set(&err, -EINVAL, "file '%s'", "a\nb\x1b[31m\x7f \t");
	assert_string_equal(err.msg, "file 'a?b?[31m? ?'");
	err_set(&err, -EINVAL,
		"\xc2\x9b"
		"31m \xc3\x9b \xc2\xae \xc2");
	assert_string_equal(err.msg, "??31m \xc3\x9b \xc2\xae \xc2");
	err_set(&err, -EINVAL, "file '%s'", "a\nb\x1b[31m\x7f \t");
	err_set(&err, -EINVAL, "again: %s", err.msg);
	assert_string_equal(err.msg, "again: file 'a?b?[31m? ?'");
}

int main(void)
{
	const struct CMUnitTest base[] = {
		cmocka_unit_test(test_int),
		cmocka_unit_test(test_percent),
		cmocka_unit_test(test_long_decimals),
		cmocka_unit_test(test_duration),
		cmocka_unit_test(test_size),
		cmocka_unit_test(test_decimal_comma),
		cmocka_unit_test(test_numbers_for_people),
		cmocka_unit_test(test_nearest),
		cmocka_unit_test(test_unknown),
		cmocka_unit_test(test_cpulist),
		cmocka_unit_test(test_cpulist_refused),
		cmocka_unit_test(test_cpulist_cut),
		cmocka_unit_test(test_cpulist_others),
		cmocka_unit_test(test_err),
		cmocka_unit_test(test_err_is_one_line),
	};

	return run_tests(base);
}
