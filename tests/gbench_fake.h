/* SPDX-License-Identifier: MIT */
/*
 * gbench_fake.h - a runner that answers from a script, a plan of three cases, gbench_main() with
 * its output caught (the linker's --wrap puts the runner in the place of bench/runner.c)
 */
#ifndef CHARGELINE_TESTS_GBENCH_FAKE_H
#define CHARGELINE_TESTS_GBENCH_FAKE_H

#include "test.h"

#include <jansson.h>
#include <math.h>

#include "bench.h"

/* ----------------------------------------------------------------- the runner */

static struct {
	int (*window)(int idx, int nr, struct sample *out, struct err *err);
	int nr_open, nr_close, nr_windows;
	int order[256];
	int64_t window_ns, warmup_ns;
	const char *memory_note;
} fake;

int __wrap_bench_open(struct bench_session **out, const struct topo *topo, const struct plan *plan,
		      struct err *err);
int __wrap_bench_window(struct bench_session *s, int case_idx, struct sample *out, struct err *err);
void __wrap_bench_session_context(struct bench_session *s, struct bench_context *out);
void __wrap_bench_close(struct bench_session *s);

int __wrap_bench_open(struct bench_session **out, const struct topo *topo, const struct plan *plan,
		      struct err *err)
{
	fake.nr_open++;
	fake.window_ns = plan->window_ns;
	fake.warmup_ns = plan->warmup_ns;
	*out = (struct bench_session *)&fake;
	return 0;
}

int __wrap_bench_window(struct bench_session *s, int case_idx, struct sample *out, struct err *err)
{
	int nr = fake.nr_windows++;

	assert_ptr_equal(s, &fake);
	if (nr < 256)
		fake.order[nr] = case_idx;
	memset(out, 0, sizeof(*out));
	return fake.window(case_idx, nr, out, err);
}

void __wrap_bench_session_context(struct bench_session *s, struct bench_context *out)
{
	memset(out, 0, sizeof(*out));
	out->clock_read_ns = 25;
	if (fake.memory_note)
		snprintf(out->memory_note, sizeof(out->memory_note), "%s", fake.memory_note);
}

void __wrap_bench_close(struct bench_session *s)
{
	fake.nr_close += !!s;
}

/* ------------------------------------------------------------------- the plan */

struct fake_params {
	int64_t layout, batch;
};
static const char *const layouts[] = {"packed", "padded"};
static const struct param params[] = {
	{"layout", "", "", 1, 0, 1, 0, layouts, offsetof(struct fake_params, layout)},
	{"batch", "pages", "", 64, 1, 1024, 0, NULL, offsetof(struct fake_params, batch)},
	{NULL},
};
static const struct metric metrics[] = {{"shared_updates", "per page", ""}, {NULL}};
static const struct experiment experiment = {.name = "fake",
					     .params = params,
					     .params_size = sizeof(struct fake_params),
					     .metrics = metrics};

#define NR 3
static struct fake_params values[NR] = {{0, 32}, {1, 32}, {1, 64}};
static int cpus[NR] = {1, 1, 8};
static struct bench_case cases[NR];
static struct plan plan;

static int setup(void **state)
{
	int i;

	memset(&fake, 0, sizeof(fake));
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

/* an operation takes 1 ms whatever the number of workers */
static int steady(int idx, int nr, struct sample *out, struct err *err)
{
	out->window_ns = 20e6;
	out->ops = 20 * (uint64_t)cpus[idx];
	out->rate = 1000.0 * cpus[idx];
	out->jain = 1;
	out->metrics[0] = 0.5 + nr;
	return 0;
}

static char said[1 << 16], noted[1 << 14];

static void slurp(FILE *f, char *buf, size_t size)
{
	size_t n;

	rewind(f);
	n = fread(buf, 1, size - 1, f);
	buf[n] = '\0';
	fclose(f);
}

/* gbench_main with standard output in said[] and standard error in noted[] */
static int bench(struct err *err, const char *const *args)
{
	FILE *out = tmpfile(), *aside = tmpfile();
	int was_out, was_err, argc, rc;
	char *argv[16] = {(char *)"chargeline"};

	for (argc = 1; args[argc - 1]; argc++)
		argv[argc] = (char *)args[argc - 1];
	fflush(stdout);
	was_out = dup(1);
	was_err = dup(2);
	dup2(fileno(out), 1);
	dup2(fileno(aside), 2);
	*err = (struct err)ERR_INIT;
	rc = gbench_main(NULL, &plan, argc, argv, err);
	fflush(stdout);
	dup2(was_out, 1);
	dup2(was_err, 2);
	close(was_out);
	close(was_err);
	slurp(out, said, sizeof(said));
	slurp(aside, noted, sizeof(noted));
	assert_int_equal(fake.nr_open, fake.nr_close);
	return rc;
}
#define BENCH(err, ...) bench(err, (const char *const[]){__VA_ARGS__, NULL})

/* jansson is strict: no NaN, no raw control characters, no bad UTF-8, nothing behind the end */
static json_t *parse(const char *text)
{
	json_error_t e;
	json_t *j = json_loads(text, JSON_REJECT_DUPLICATES, &e);

	if (!j)
		fail_msg("line %d: %s in: %s", e.line, e.text, text);
	return j;
}

static json_t *parse_file(const char *path)
{
	json_error_t e;
	json_t *j = json_load_file(path, JSON_REJECT_DUPLICATES, &e);

	if (!j)
		fail_msg("%s line %d: %s", path, e.line, e.text);
	return j;
}

static json_t *entry(const json_t *file, const char *list, size_t i)
{
	json_t *run = json_array_get(json_object_get(file, list), i);

	assert_non_null(run);
	return run;
}

static size_t count(const json_t *file, const char *list)
{
	return json_array_size(json_object_get(file, list));
}

static const char *text_of(const json_t *run, const char *key)
{
	const char *s = json_string_value(json_object_get(run, key));

	if (!s)
		fail_msg("%s is not a string", key);
	return s;
}

static double number_of(const json_t *run, const char *key)
{
	const json_t *v = json_object_get(run, key);

	if (!json_is_number(v))
		fail_msg("%s is not a number", key);
	return json_number_value(v);
}

static void assert_close(double is, double wanted)
{
	if (!(fabs(is - wanted) <= 1e-9 * fabs(wanted)))
		fail_msg("%.17g instead of %.17g", is, wanted);
}

static char dir[64];

static const char *in_dir(const char *name)
{
	static char path[2][128];
	static int turn;

	turn = !turn;
	snprintf(path[turn], sizeof(path[turn]), "%s/%s", dir, name);
	return path[turn];
}

static const char *out_option(const char *name)
{
	static char option[160];

	snprintf(option, sizeof(option), "--benchmark_out=%s", in_dir(name));
	return option;
}

#endif
