/* SPDX-License-Identifier: MIT */
/* libbenchmark's front end without libbenchmark: options, names, strict JSON */
#include "test.h"

#include <jansson.h>
#include <locale.h>
#include <math.h>

#include "../bench/gbench.h"
#include "bench.h"

/* ----------------------------------------------------------------------- atoms */

static char *written(void (*write)(FILE *, const void *), const void *what)
{
	char *buf = NULL;
	size_t size;
	FILE *f = open_memstream(&buf, &size);

	write(f, what);
	fclose(f);
	return buf;
}

static void write_string(FILE *f, const void *s)
{
	gbench_json_string(f, s);
}

static void write_number(FILE *f, const void *v)
{
	gbench_json_number(f, *(const double *)v);
}

static void test_json_string(void **state)
{
	static const struct {
		const char *in, *out, *back;
	} t[] = {
		{"", "\"\"", ""},
		{"a \"b\" \\c", "\"a \\\"b\\\" \\\\c\"", "a \"b\" \\c"},
		{"\x01\t\n\x1f\x7f", "\"\\u0001\\u0009\\u000a\\u001f\\u007f\"", "\x01\t\n\x1f\x7f"},
		{"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", NULL,
		 "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"},
		{"x\xffy", "\"x\\ufffdy\"", "x\xef\xbf\xbdy"},
		{"cut \xe2\x82", "\"cut \\ufffd\\ufffd\"", NULL},
		{"\xc0\xaf", "\"\\ufffd\\ufffd\"", NULL},	     /* overlong */
		{"\xed\xa0\x80", "\"\\ufffd\\ufffd\\ufffd\"", NULL}, /* a surrogate */
		{"\xf4\x90\x80\x80", NULL, NULL},		     /* past U+10FFFF */
	};
	json_t *j;
	char *s;
	size_t i;

	for (i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		s = written(write_string, t[i].in);
		if (t[i].out)
			assert_string_equal(s, t[i].out);
		j = json_loads(s, JSON_DECODE_ANY, NULL);
		assert_non_null(j);
		if (t[i].back)
			assert_string_equal(json_string_value(j), t[i].back);
		json_decref(j);
		free(s);
	}
}

static void test_json_number(void **state)
{
	static const struct {
		double in;
		const char *out;
	} t[] = {{0, "0"},	    {0.1, "0.1"},	{-2.5, "-2.5"},
		 {NAN, "null"},	    {INFINITY, "null"}, {-INFINITY, "null"},
		 {1e300, "1e+300"}, {64, "64"},		{1.0 / 3, "0.3333333333333333"}};
	char *s;
	size_t i;

	for (i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		s = written(write_number, &t[i].in);
		assert_string_equal(s, t[i].out);
		free(s);
	}
}

static void test_json_number_locale(void **state)
{
	static const char *const names[] = {"de_DE.UTF-8", "de_DE", "fr_FR.UTF-8"};
	double half = 0.5;
	size_t i;
	char *s;

	for (i = 0; i < 3 && !setlocale(LC_NUMERIC, names[i]); i++)
		;
	if (i == 3)
		test_skip("no locale with a decimal comma is installed");
	s = written(write_number, &half);
	setlocale(LC_NUMERIC, "C");
	assert_string_equal(s, "0.5");
	free(s);
}

static void put(const char *dir, const char *cpu, const char *governor)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s/cpufreq/scaling_governor", dir, cpu);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(governor, f);
	fclose(f);
}

static void test_scaling(void **state)
{
	char dir[] = "/tmp/test_gbench.XXXXXX", command[256];

	assert_non_null(mkdtemp(dir));
	assert_int_equal(gbench_scaling(dir), -1);
	snprintf(command, sizeof(command), "mkdir -p %s/cpu0/cpufreq %s/cpu1/cpufreq", dir, dir);
	assert_int_equal(system(command), 0);
	assert_int_equal(gbench_scaling(dir), -1);
	put(dir, "cpu0", ""); /* as in some guests: unknown, not '' */
	assert_int_equal(gbench_scaling(dir), -1);
	put(dir, "cpu0", "performance\n");
	assert_int_equal(gbench_scaling(dir), 0);
	put(dir, "cpu1", "schedutil\n");
	assert_int_equal(gbench_scaling(dir), 1);
	snprintf(command, sizeof(command), "rm -r %s", dir);
	assert_int_equal(system(command), 0);
}

/* --------------------------------------------------------------------- options */

static int parse_one(const char *arg, struct gbench_options *o, struct err *err)
{
	char *argv[] = {(char *)"chargeline", (char *)arg};

	return gbench_options_parse(2, argv, o, err);
}

static void test_times(void **state)
{
	static const struct {
		const char *arg;
		int64_t ns;
	} t[] = {{"0.01", 10000000}, {"0.01s", 10000000}, {"1", 1000000000},
		 {"2s", 2000000000}, {"10ms", 10000000},  {".5", 500000000}};
	struct err err = ERR_INIT;
	struct gbench_options o;
	char arg[64];
	size_t i;

	for (i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		snprintf(arg, sizeof(arg), "--benchmark_min_time=%s", t[i].arg);
		assert_ok(parse_one(arg, &o, &err), &err);
		assert_int_equal(o.window_ns, t[i].ns);
		snprintf(arg, sizeof(arg), "--benchmark_min_warmup_time=%s", t[i].arg);
		assert_ok(parse_one(arg, &o, &err), &err);
		assert_int_equal(o.warmup_ns, t[i].ns);
	}
	assert_ok(parse_one("--benchmark_min_warmup_time=0", &o, &err), &err);
	assert_int_equal(o.warmup_ns, 0);
	assert_refused(parse_one("--benchmark_min_time=0", &o, &err), -EINVAL, "not a time", &err);
	assert_refused(parse_one("--benchmark_min_time=", &o, &err), -EINVAL, "not a time", &err);
	assert_refused(parse_one("--benchmark_min_time=-1", &o, &err), -EINVAL, "not a time", &err);
	assert_refused(parse_one("--benchmark_min_time=10x", &o, &err), -EINVAL, "is a count",
		       &err);
	assert_refused(parse_one("--benchmark_min_time=nan", &o, &err), -EINVAL, "min_time", &err);
	assert_refused(parse_one("--benchmark_min_time=2h", &o, &err), -EINVAL, "hour", &err);
}

static void test_options_refused(void **state)
{
	static const struct {
		const char *arg, *part;
	} t[] = {
		{"--benchmark_fliter=x", "nearest is '--benchmark_filter'"},
		{"--benchmark_zzzzzzzzzz", "there are list_tests, filter"},
		{"--benchmark_filter", "needs a value: --benchmark_filter=REGEX"},
		{"--benchmark_repetitions=0", "--benchmark_repetitions: 0 is outside"},
		{"--benchmark_repetitions=two", "not a whole number"},
		{"--benchmark_list_tests=maybe", "neither true nor false"},
		{"--benchmark_format=csv", "csv is withdrawn"},
		{"--benchmark_format=jsn", "nearest is 'json'"},
		{"--benchmark_out_format=xml", "there are console, json"},
		{"--benchmark_color=blue", "neither"},
		{"--benchmark_time_unit=min", "there are ns, us, ms, s"},
		{"--benchmark_context=date=now", "'date' is taken"},
		{"--benchmark_context=novalue", "not KEY=VALUE"},
		{"--benchmark_perf_counters=CYCLES", "waiting thread"},
		{"--v=2", "not a --benchmark_"},
		{"--help", "not a --benchmark_"},
		{"page_counter", "not a --benchmark_"},
	};
	struct gbench_options o;
	struct err err;
	size_t i;

	for (i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		assert_refused(parse_one(t[i].arg, &o, &err), -EINVAL, t[i].part, &err);
		gbench_options_free(&o);
	}
}

static void test_environment(void **state)
{
	struct gbench_options o;
	struct err err;

	setenv("BENCHMARK_REPETITIONS", "5", 1);
	assert_ok(parse_one("--benchmark_list_tests", &o, &err), &err);
	assert_int_equal(o.repetitions, 5);
	assert_true(o.list);
	assert_ok(parse_one("--benchmark_repetitions=2", &o, &err), &err);
	assert_int_equal(o.repetitions, 2);
	setenv("BENCHMARK_REPETITIONS", "many", 1);
	assert_refused(parse_one("--benchmark_list_tests", &o, &err), -EINVAL,
		       "environment variable BENCHMARK_REPETITIONS", &err);
	unsetenv("BENCHMARK_REPETITIONS");
}

/* ----------------------------------------------------------------------- names */

struct fake_params {
	int64_t layout, batch;
};
static const char *const layouts[] = {"packed", "padded"};
static const struct param params[] = {
	{"layout", "", "", 1, 0, 1, 0, layouts, offsetof(struct fake_params, layout)},
	{"batch", "pages", "", 64, 1, 1024, 0, NULL, offsetof(struct fake_params, batch)},
	{NULL},
};
static const struct experiment experiment = {
	.name = "fake",
	.params = params,
	.params_size = sizeof(struct fake_params),
};

#define NR 3
static struct fake_params values[NR] = {{0, 32}, {1, 32}, {1, 64}};
static int cpus[NR] = {1, 1, 8};
static struct bench_case cases[NR];
static struct plan plan;

static int setup(void **state)
{
	int i;

	for (i = 0; i < NR; i++)
		cases[i] = (struct bench_case){.exp = &experiment,
					       .params = &values[i],
					       .cpus = {.nr = cpus[i]},
					       .placement = "cores-first",
					       .home = "local"};
	plan = (struct plan){
		.cases = cases, .nr_cases = NR, .window_ns = 20000000, .warmup_ns = 5000000};
	return 0;
}

static void test_names(void **state)
{
	char **names = gbench_names(&plan);

	assert_string_equal(names[0], "fake/layout=packed/batch=32/workers:1");
	assert_string_equal(names[1], "fake/layout=padded/batch=32/workers:1");
	assert_string_equal(names[2], "fake/layout=padded/batch=64/workers:8");
	gbench_names_free(names, NR);

	plan.nr_cases = 1; /* nothing varies: only what is not the default */
	cases[0].params = &values[2];
	names = gbench_names(&plan);
	assert_string_equal(names[0], "fake/workers:1");
	gbench_names_free(names, 1);

	plan.nr_cases = NR;
	cases[1].params = cases[2].params = &values[2];
	cases[1].placement = "compact";
	cases[2].placement = "compact";
	cases[2].cpus.nr = 1;
	cases[2].home = NULL;
	names = gbench_names(&plan);
	assert_string_equal(names[0], "fake/placement=cores-first/home=local/workers:1");
	assert_string_equal(names[1], "fake/placement=compact/home=local/workers:1");
	gbench_names_free(names, NR);

	cases[2].home = "local"; /* twins */
	names = gbench_names(&plan);
	assert_string_equal(names[1], "fake/placement=compact/workers:1");
	assert_string_equal(names[2], "fake/placement=compact/workers:1/case:2");
	gbench_names_free(names, NR);
}

int main(void)
{
	const struct CMUnitTest gbench_parts[] = {
		cmocka_unit_test(test_json_string),
		cmocka_unit_test(test_json_number),
		cmocka_unit_test(test_json_number_locale),
		cmocka_unit_test(test_scaling),
		cmocka_unit_test(test_times),
		cmocka_unit_test(test_options_refused),
		cmocka_unit_test(test_environment),
		cmocka_unit_test_setup(test_names, setup),
	};

	return run_tests(gbench_parts);
}
