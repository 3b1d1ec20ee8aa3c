/* SPDX-License-Identifier: MIT */
#include "results_fixture.h"

#include <jansson.h>

/* ------------------------------------------------------------------- bad files */

static void assert_load_refused(const char *data, size_t size, const char *part)
{
	const char *path = in_dir("bad.json");
	struct results *none = NULL;
	struct err err;

	write_file(path, data, size);
	assert_refused(results_load(&none, path, &err), -EBADMSG, part, &err);
	assert_non_null(strstr(err.msg, "bad.json"));
	assert_null(none);
	assert_same_file(path, data, size);
}

static void test_truncated_anywhere(void **state)
{
	struct results *r = make_results();
	size_t size, cut;
	char *data;

	r->nr_cases = 1;
	save(r, in_dir("r.json"));
	r->nr_cases = 3;
	data = slurp(in_dir("r.json"), &size);
	assert_int_equal(data[size - 1], '\n');
	for (cut = 0; cut < size - 1; cut++)
		assert_load_refused(data, cut, "not JSON");
	assert_load_refused(data, size / 2, "cut short");
	free(data);
	results_free(r);
}

static void test_not_a_result(void **state)
{
	static const struct {
		const char *data, *part;
	} cases[] = {
		{"", "not JSON"},
		{"hello\n", "line 1, column 5"},
		{"[]", "not a result of chargeline"},
		{"42", "not JSON"},
		{"{}", "not a result of chargeline"},
		{"{\"context\":{},\"benchmarks\":[]}", "not a result of chargeline"},
		{"{\"schema\":7,\"version\":1}", "not a result of chargeline"},
		{"{\"schema\":\"chargeline-pick\",\"version\":1}", "not a result of chargeline"},
		{"{\"schema\":\"chargeline-result\"}", "version is missing"},
		{"{\"schema\":\"chargeline-result\",\"version\":2}",
		 "version is 2, this program reads version 1"},
		{"{\"schema\":\"chargeline-result\",\"version\":\"1\"}",
		 "version is not a whole number"},
		{"{\"schema\":\"chargeline-result\",\"version\":1}", "complete is missing"},
		{"{\"schema\":\"chargeline-result\",\"schema\":\"x\"}", "duplicate"},
		{"{\"a\":NaN}", "not JSON"},
		{"{\"a\":Infinity}", "not JSON"},
		{"{\"a\":1e999}", "real number overflow"},
		{"{\"a\":99999999999999999999}", "too big integer"},
		{"{\"a\":\"\\u0000\"}", "not JSON"},
		{"{\"a\":\"\xff\"}", "unable to decode byte 0xff"},
		{"{\"a\":\"\x1b[31m\n\"}", "control character"},
		{"{\"a\":1}}", "end of file expected"},
	};
	char nested[100001];
	int i;

	for (i = 0; i < NR(cases); i++)
		assert_load_refused(cases[i].data, strlen(cases[i].data), cases[i].part);
	memset(nested, '[', sizeof(nested));
	assert_load_refused(nested, sizeof(nested), "maximum parsing depth");
	memset(nested, 0, sizeof(nested));
	assert_load_refused(nested, sizeof(nested), "not JSON");
}

static void test_too_large_is_not_read(void **state)
{
	const char *path = in_dir("huge.json");
	struct results *none;
	struct err err;

	write_file(path, "{", 1);
	assert_int_equal(truncate(path, RESULTS_MAX_FILE + 1L), 0);
	assert_refused(results_load(&none, path, &err), -EFBIG, "is over 256 MiB", &err);
}

/* @unit again and again up to @size bytes, between @head and @tail; free() it */
static char *repeat(const char *head, const char *unit, const char *tail, size_t size)
{
	char *data = malloc(size + strlen(head) + strlen(unit) + strlen(tail) + 1), *end = data;

	assert_non_null(data);
	for (end = stpcpy(end, head); (size_t)(end - data) < size;)
		end = stpcpy(end, unit);
	stpcpy(end, tail);
	return data;
}

/* what is small in a file and large in memory */
static void test_memory_is_bounded(void **state)
{
	static const char *const dense[][3] = {
		{"[", "[],", "[]]"},
		{"[", "{},", "{}]"},
		{"{\"cases\":[{\"samples\":[", "[[[]]],", "0]}]}"},
	};
	char *data;
	int i;

	for (i = 0; i < NR(dense); i++) {
		data = repeat(dense[i][0], dense[i][1], dense[i][2], 900 << 10);
		assert_load_refused(data, strlen(data), "it would take more than 18 MiB of memory");
		free(data);
	}
	data = repeat("[", "1,", "1]", 900 << 10);
	assert_load_refused(data, strlen(data), "not a result of chargeline");
	free(data);
}

/* the densest that is written: no fraction, no metric, no mark */
static void test_the_densest_result_is_read(void **state)
{
	struct results *r = make_results(), *back;
	struct sample s = {0};

	for (; s.block < 20000; s.block++)
		assert_int_equal(results_add_sample(r, 2, &s, NULL), 0);
	r->cases[2].nr_metrics = 0;
	save(r, in_dir("r.json"));
	r->cases[2].nr_metrics = 2;
	back = load(in_dir("r.json"));
	assert_int_equal(back->cases[2].nr_samples, 20000);
	results_free(back);
	results_free(r);
}

/* ----------------------------------------------------- every field, wrong or absent */

/* "cases[1].samples[0].rate"; the value there, and with @put a new one instead (NULL: none) */
static json_t *at(json_t *root, const char *path, bool replace, json_t *put)
{
	char name[64] = "";
	json_t *v = root, *parent = NULL;
	int len, idx = -1;

	for (; *path; path += len) {
		parent = v;
		len = 0;
		if (sscanf(path, "[%d]%n", &idx, &len) == 1 && len) {
			v = json_array_get(parent, idx);
			name[0] = 0;
		} else {
			path += *path == '.';
			assert_int_equal(sscanf(path, "%63[^.[]%n", name, &len), 1);
			v = json_object_get(parent, name);
		}
	}
	if (replace && name[0])
		put ? json_object_set_new(parent, name, put) : json_object_del(parent, name);
	else if (replace)
		json_array_set_new(parent, idx, put);
	return v;
}

static json_t *good_json(void)
{
	struct results *r = make_results();
	json_t *root;

	r->context_known = true;
	r->findings = calloc(1, sizeof(*r->findings));
	r->findings[r->nr_findings++] = (struct result_finding){strdup("smt"), strdup("warning"),
								strdup("on"), strdup("echo off")};
	save(r, in_dir("r.json"));
	results_free(r);
	root = json_load_file(in_dir("r.json"), 0, NULL);
	assert_non_null(root);
	return root;
}

static void assert_json_refused(json_t *root, const char *part)
{
	char *data = json_dumps(root, JSON_REAL_PRECISION(17));

	assert_load_refused(data, strlen(data), part);
	free(data);
}

/* younger than the first files */
static bool may_be_missing(const char *path)
{
	return !strcmp(path, "findings") || !strcmp(path, "machine.map") ||
	       !strcmp(path, "pairs") || !strcmp(path, "counters") || strstr(path, ".relation");
}

/* puts a value of a type that no field has there, and takes the field away */
static void spoil(const char *path)
{
	json_t *root = good_json(), *v = at(root, path, false, NULL);
	const char *name = strrchr(path, '.');
	bool is_list = json_is_array(v);
	char part[160];

	snprintf(part, sizeof(part), "'%s': %s is", in_dir("bad.json"), path);
	if (!strcmp(path, "schema"))
		snprintf(part, sizeof(part), "schema is not");
	at(root, path, true, is_list ? json_object() : json_array());
	assert_json_refused(root, part);
	if (path[strlen(path) - 1] != ']' && !strstr(path, "params.") && !may_be_missing(path)) {
		at(root, path, true, NULL);
		if (strcmp(path, "schema"))
			snprintf(part, sizeof(part), "%s is missing", name ? name + 1 : path);
		assert_json_refused(root, part);
	}
	json_decref(root);
}

static int spoil_all(json_t *v, const char *path)
{
	char below[160];
	const char *name;
	json_t *member;
	size_t i;
	int nr = 0;

	if (*path) {
		spoil(path);
		nr++;
	}
	json_object_foreach(v, name, member)
	{
		if (strstr(name, "_reason"))
			continue;
		snprintf(below, sizeof(below), "%s%s%s", path, *path ? "." : "", name);
		nr += spoil_all(member, below);
	}
	for (i = 0; i < json_array_size(v) && i < 2; i++) {
		snprintf(below, sizeof(below), "%s[%zu]", path, i);
		nr += spoil_all(json_array_get(v, i), below);
	}
	return nr;
}

static void test_every_field_is_checked(void **state)
{
	json_t *root = good_json();

	assert_true(spoil_all(root, "") > 100);
	json_decref(root);
}

static void test_ranges_and_types(void **state)
{
	static const struct {
		const char *path, *value, *part;
	} cases[] = {
		{"complete", "1", "complete is not true or false"},
		{"started", "\"yesterday\"", "started is not a time"},
		{"started", "\"2026-08-01T12:00:00Z \"", "started is not a time"},
		{"elapsed_ns", "-1", "elapsed_ns is -1, outside 0..9223372036854775807"},
		{"elapsed_ns", "1.5", "elapsed_ns is not a whole number"},
		{"settings", "[]", "settings is not an object"},
		{"settings.window_ns", "-20", "settings.window_ns is -20, outside"},
		{"settings.window_ns", "\"20\"", "settings.window_ns is not a whole number"},
		{"settings.target", "-0.5", "settings.target is -0.5, outside"},
		{"settings.target", "null", "settings.target is not a number"},
		{"settings.seed", "7", "settings.seed is not a text of digits"},
		{"settings.seed", "\"-7\"", "settings.seed is not a text of digits"},
		{"settings.seed", "\"\"", "settings.seed is not a text of digits"},
		{"settings.seed", "\"18446744073709551616\"", "settings.seed is not a text"},
		{"machine.pus", "0", "machine.pus is 0, outside 1.."},
		{"machine.class", "null", "machine.class is not a text"},
		{"machine.page_bytes", "0", "machine.page_bytes is 0, outside"},
		{"machine.map", "\"x\"", "machine.map is not a list"},
		{"machine.map", "[\"a\", 7]", "machine.map[1] is not a text"},
		{"machine.l3_bytes", "0", "machine.l3_bytes is 0, outside 1.."},
		{"build.flags", "false", "build.flags is not a text"},
		{"context", "false", "context is not an object"},
		{"context.work_error", "\"\"", "context.work_error is not a number"},
		{"context.memory_verified", "0", "context.memory_verified is not true or false"},
		{"warnings", "null", "warnings is not a list"},
		{"warnings", "[\"a\", 7]", "warnings[1] is not a text"},
		{"cases", "{}", "cases is not a list"},
		{"cases[2]", "7", "cases[2] is not an object"},
		{"cases[1].params", "[]", "cases[1].params is not an object"},
		{"cases[1].params.batch", "1.5", "cases[1].params.batch is neither"},
		{"cases[1].params.batch", "\"64\"", "cases[1].params.batch is neither"},
		{"cases[1].params.layout.value", "\"x\"",
		 "cases[1].params.layout.value is not a whole number"},
		{"cases[1].params.layout.text", "7", "cases[1].params.layout.text is not a text"},
		{"cases[1].workers", "0", "cases[1].workers is 0, outside 1..8192"},
		{"cases[1].workers", "3", "cases[1].cpus has 2 CPUs for 3 workers"},
		{"cases[1].cpus", "\"0-1,1\"", "cases[1].cpus is not right: CPU list"},
		{"cases[1].cpus", "\"\"", "cases[1].cpus is not right: '' is not a CPU list"},
		{"cases[1].cpus", "\"0-65535\"", "cases[1].cpus has 65536 CPUs"},
		{"cases[1].home_node", "-1", "cases[1].home_node is -1, outside"},
		{"cases[1].metrics", "[{\"name\":\"a\"}]", "cases[1].metrics[0].unit is missing"},
		{"cases[1].metrics", "[]", "cases[1].samples[0].metrics has 2 values for 0"},
		{"cases[1].metrics", "[1,2,3,4,5,6,7,8,9]", "cases[1].metrics has 9 elements"},
		{"cases[1].samples[2]", "[]", "cases[1].samples[2] is not an object"},
		{"cases[1].samples[2].block", "-1", "cases[1].samples[2].block is -1, outside"},
		{"cases[1].samples[2].ops", "-5", "cases[1].samples[2].ops is -5, outside"},
		{"cases[1].samples[2].ops", "1e3", "cases[1].samples[2].ops is not a whole number"},
		{"cases[1].samples[2].rate", "\"1\"", "cases[1].samples[2].rate is not a number"},
		{"cases[1].samples[2].rate", "-1", "cases[1].samples[2].rate is -1, outside 0.."},
		{"cases[1].samples[2].rate", "null",
		 "cases[1].samples[2].rate is null in a window without marks"},
		{"cases[1].samples[2].jain", "1.5", "cases[1].samples[2].jain is 1.5, outside"},
		{"cases[1].samples[2].overlap", "true", "samples[2].overlap is not a number"},
		{"cases[1].samples[2].marks", "\"steal\"", "samples[2].marks is not a list"},
		{"cases[1].samples[2].marks", "[\"stolen\"]",
		 "cases[1].samples[2].marks[0] is not the name of a mark"},
		{"cases[1].samples[2].marks", "[7]", "samples[2].marks[0] is not the name"},
		{"cases[1].samples[2].metrics", "[1]", "samples[2].metrics has 1 values for 2"},
		{"cases[1].samples[2].metrics", "[1,\"2\"]",
		 "cases[1].samples[2].metrics[1] is not a number"},
	};
	json_t *root, *v;
	int i;

	for (i = 0; i < NR(cases); i++) {
		root = good_json();
		v = json_loads(cases[i].value, JSON_DECODE_ANY, NULL);
		assert_non_null(v);
		at(root, cases[i].path, true, v);
		assert_json_refused(root, cases[i].part);
		json_decref(root);
	}
}

static void test_unknown_fields_are_ignored(void **state)
{
	json_t *root = good_json();
	struct results *r;

	at(root, "cases[1].samples[0].colour", true, json_string("blue"));
	at(root, "cases[1].colour", true, json_array());
	at(root, "colour", true, json_null());
	assert_int_equal(json_dump_file(root, in_dir("r.json"), 0), 0);
	r = load(in_dir("r.json"));
	results_free(r);
	json_decref(root);
}

/* a terminal would obey them, whatever prints the record */
static void test_no_control_character_gets_in(void **state)
{
	static const char evil[] = "a\x1b]0;x\a\x7f\n\xc2\x9b"
				   "1m\xc3\xbc",
			  tame[] = "a?]0;x?????1m\xc3\xbc";
	json_t *root = good_json();
	struct results *r;

	at(root, "machine.hostname", true, json_string(evil));
	at(root, "command", true, json_string(evil));
	at(root, "warnings[0]", true, json_string(evil));
	at(root, "findings[0].value", true, json_string(evil));
	at(root, "context.memory_note", true, json_string(evil));
	at(root, "cases[0].placement", true, json_string(evil));
	at(root, "cases[0].params.layout.text", true, json_string(evil));
	json_object_set_new(at(root, "cases[0].params", false, NULL), evil, json_integer(1));
	assert_int_equal(json_dump_file(root, in_dir("r.json"), 0), 0);
	r = load(in_dir("r.json"));
	assert_string_equal(r->machine.hostname, tame);
	assert_string_equal(r->command, tame);
	assert_string_equal(r->warnings[0], tame);
	assert_string_equal(r->findings[0].value, tame);
	assert_string_equal(r->context.memory_note, tame);
	assert_string_equal(r->cases[0].placement, tame);
	assert_string_equal(result_param_text(&r->cases[0], "layout"), tame);
	assert_string_equal(result_param_text(&r->cases[0], tame), "1");
	results_free(r);
	json_decref(root);
}

int main(void)
{
	const struct CMUnitTest results_read[] = {
		TEST(test_truncated_anywhere),
		TEST(test_not_a_result),
		TEST(test_too_large_is_not_read),
		TEST(test_every_field_is_checked),
		TEST(test_ranges_and_types),
		TEST(test_unknown_fields_are_ignored),
		TEST(test_memory_is_bounded),
		TEST(test_the_densest_result_is_read),
		TEST(test_no_control_character_gets_in),
	};

	return run_result_tests(results_read);
}
