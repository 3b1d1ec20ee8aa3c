/* SPDX-License-Identifier: MIT */
/* what the doctor found, in result files and in reports */
#include "results_fixture.h"

#include <jansson.h>

#include "doctor.h"
#include "report_fixture.h"

static void add_some(struct results *r)
{
	synth_finding(r, "smt", "ok", "off", NULL);
	synth_finding(r, "turbo", "warning", "on (no_turbo is 0)", "echo 1 > no_turbo");
	synth_finding(r, "governor", "unknown", NULL, "no cpufreq");
	synth_finding(r, "cpu_quota", "fault", "1 CPU for the 4 \"x\"", "at most 1");
}

static bool same(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static void assert_same_findings(const struct results *a, const struct results *b)
{
	int i;

	assert_int_equal(a->nr_findings, b->nr_findings);
	for (i = 0; i < a->nr_findings; i++) {
		assert_string_equal(a->findings[i].name, b->findings[i].name);
		assert_string_equal(a->findings[i].state, b->findings[i].state);
		assert_true(same(a->findings[i].value, b->findings[i].value));
		assert_true(same(a->findings[i].remedy, b->findings[i].remedy));
	}
}

/* ---------------------------------------------------------------------- result files */

static void test_this_system_is_examined(void **state)
{
	struct topo *t = NULL;
	struct plan plan = {.window_ns = 1, .target = 0.01};
	struct results *r, *back;
	struct finding *f;
	struct err err = ERR_INIT;
	int nr, i;

	assert_ok(topo_load(&t, NULL, &err), &err);
	if (doctor_examine(t, "", &f, &nr, &err)) {
		topo_free(t);
		test_skip("this system is not examined: %s", err.msg);
	}
	assert_ok(results_new(&r, t, &plan, NULL, &err), &err);
	assert_int_equal(r->nr_findings, nr);
	for (i = 0; i < nr; i++)
		assert_string_equal(r->findings[i].name, f[i].name);
	save(r, in_dir("r.json"));
	back = load(in_dir("r.json"));
	assert_same_findings(r, back);
	results_free(back);
	results_free(r);
	free(f);
	topo_free(t);
}

/* an invented machine has none, and says so */
static void test_others_are_not(void **state)
{
	struct results *r = make_results(), *back;
	bool warned = false;
	int i;

	assert_int_equal(r->nr_findings, 0);
	for (i = 0; i < r->nr_warnings; i++)
		warned |= !!strstr(r->warnings[i], "was not examined: the topology");
	assert_true(warned);
	save(r, in_dir("r.json"));
	back = load(in_dir("r.json"));
	assert_int_equal(back->nr_findings, 0);
	results_free(back);
	results_free(r);
}

static void test_round_trip(void **state)
{
	struct results *r = make_results(), *back;

	add_some(r);
	save(r, in_dir("r.json"));
	back = load(in_dir("r.json"));
	assert_int_equal(back->nr_findings, 4);
	assert_same_findings(r, back);
	results_free(back);
	results_free(r);
}

/* @value as "findings" of a good file, NULL: no such field */
static int load_with(const char *value, struct results **out, struct err *err)
{
	struct results *r = make_results();
	const char *path = in_dir("f.json");
	json_t *root;

	save(r, path);
	results_free(r);
	root = json_load_file(path, 0, NULL);
	assert_non_null(root);
	if (value)
		json_object_set_new(root, "findings", json_loads(value, JSON_DECODE_ANY, NULL));
	else
		json_object_del(root, "findings");
	assert_int_equal(json_dump_file(root, path, 0), 0);
	json_decref(root);
	return results_load(out, path, err);
}

#define ONE(name, state, value, remedy) \
	"[{\"name\":" name ",\"state\":" state ",\"value\":" value ",\"remedy\":" remedy "}]"

static void test_read_strictly(void **state)
{
	static const struct {
		const char *value, *part;
	} cases[] = {
		{"{}", "findings is not a list"},
		{"7", "findings is not a list"},
		{"[7]", "findings[0] is not an object"},
		{"[{}]", "findings[0].name is missing"},
		{ONE("7", "\"ok\"", "null", "null"), "findings[0].name is not a text"},
		{ONE("null", "\"ok\"", "null", "null"), "findings[0].name is not a text"},
		{ONE("\"a\"", "\"fine\"", "null", "null"), "findings[0].state is not ok, warning"},
		{ONE("\"a\"", "\"OK\"", "null", "null"), "findings[0].state is not ok, warning"},
		{ONE("\"a\"", "0", "null", "null"), "findings[0].state is not a text"},
		{ONE("\"a\"", "\"ok\"", "0", "null"), "findings[0].value is not a text"},
		{ONE("\"a\"", "\"ok\"", "null", "[]"), "findings[0].remedy is not a text"},
		{"[{\"name\":\"a\",\"state\":\"ok\",\"value\":null}]", "remedy is missing"},
	};
	struct results *r = NULL;
	struct err err;
	char *many;
	int i;

	for (i = 0; i < NR(cases); i++)
		assert_refused(load_with(cases[i].value, &r, &err), -EBADMSG, cases[i].part, &err);
	many = calloc(2, RESULTS_MAX_FINDINGS + 2);
	for (i = 0; i <= RESULTS_MAX_FINDINGS; i++)
		memcpy(many + 2 * i, i ? ",1" : "[1", 2);
	strcat(many, "]");
	assert_refused(load_with(many, &r, &err), -EBADMSG, "more than 1000", &err);
	free(many);
	assert_null(r);
	/* files made before there were findings, and checks of other builds */
	assert_ok(load_with(NULL, &r, &err), &err);
	assert_int_equal(r->nr_findings, 0);
	results_free(r);
	assert_ok(load_with("null", &r, &err), &err);
	assert_int_equal(r->nr_findings, 0);
	results_free(r);
	assert_ok(load_with(ONE("\"new\"", "\"fault\"", "\"5\"", "null"), &r, &err), &err);
	assert_string_equal(r->findings[0].name, "new");
	assert_null(r->findings[0].remedy);
	results_free(r);
}

/* ---------------------------------------------------------------------- what is said */

static char *json_of(const struct finding *f, int nr)
{
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	assert_int_equal(json_doctor(f, nr, to), 0);
	fclose(to);
	return text;
}

static void test_json(void **state)
{
	static const struct finding f[] = {
		{"governor", FINDING_UNKNOWN, "", "no cpufreq \"folder\""},
		{"smt", FINDING_OK, "off", ""},
	};
	char *text = json_of(f, 2);
	json_t *root = json_loads(text, 0, NULL), *o = json_array_get(root, 0);

	assert_int_equal(json_array_size(root), 2);
	assert_int_equal(json_object_size(o), 4);
	assert_string_equal(json_string_value(json_object_get(o, "name")), "governor");
	assert_string_equal(json_string_value(json_object_get(o, "state")), "unknown");
	assert_true(json_is_null(json_object_get(o, "value")));
	assert_string_equal(json_string_value(json_object_get(o, "remedy")),
			    "no cpufreq \"folder\"");
	o = json_array_get(root, 1);
	assert_string_equal(json_string_value(json_object_get(o, "value")), "off");
	assert_true(json_is_null(json_object_get(o, "remedy")));
	json_decref(root);
	free(text);
	text = json_of(f, 0);
	assert_string_equal(text, "[]\n");
	free(text);
}

static void test_report(void **state)
{
	struct synth s = SYNTH_DEFAULT;
	struct results *a = synth_results(&s), *b;
	const struct results *both[2];
	struct report *rep;
	char *text;

	s.seed = 2;
	b = synth_results(&s);
	text = report_as(a, report_text);
	assert_silent(text, "What could spoil");
	free(text);
	synth_finding(a, "smt", "ok", "off", NULL);
	text = report_as(a, report_text);
	assert_says(text, "What could spoil this measurement");
	assert_says(text, "Nothing of what was looked at.");
	free(text);
	add_some(a);
	check_all(a);
	add_some(b);
	synth_set(&b->started, "2026-11-30T13:00:00Z");
	synth_finding(b, "steal", "warning", "2%", NULL);
	both[0] = a;
	both[1] = b;
	rep = build_many(both, 2);
	text = written(rep, report_text);
	report_free(rep);
	assert_says(text, "- fault cpu_quota: 1 CPU for the 4 \"x\". Remedy: at most 1\n"
			  "- warning turbo: on (no_turbo is 0). Remedy: echo 1 > no_turbo\n"
			  "- warning steal: 2%.\n");
	assert_says(text, "1 thing the system does not tell");
	assert_silent(text, "smt");
	assert_silent(text, "no cpufreq");
	free(text);
	results_free(a);
	results_free(b);
}

int main(void)
{
	const struct CMUnitTest findings[] = {
		TEST(test_this_system_is_examined),
		TEST(test_others_are_not),
		TEST(test_round_trip),
		TEST(test_read_strictly),
		TEST(test_json),
		TEST(test_report),
	};

	return run_result_tests(findings);
}
