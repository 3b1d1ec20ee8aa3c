/* SPDX-License-Identifier: MIT */
/*
 * results_fixture.h - a small result of an invented experiment, and a folder of its own per test
 */
#ifndef CHARGELINE_RESULTS_FIXTURE_H
#define CHARGELINE_RESULTS_FIXTURE_H

#include "test.h"

#include <dirent.h>
#include <math.h>
#include <sys/stat.h>

#include "results.h"

#define NR(a) ((int)(sizeof(a) / sizeof((a)[0])))

struct fake_params {
	int64_t layout, batch;
};

static const char *const layouts[] = {"packed", "padded", NULL};
static const struct param fake_table[] = {
	{.name = "layout",
	 .unit = "",
	 .help = "which",
	 .max = 1,
	 .choices = layouts,
	 .off = offsetof(struct fake_params, layout)},
	{.name = "batch",
	 .unit = "pages",
	 .help = "how many",
	 .def = 64,
	 .min = 1,
	 .max = 1024,
	 .off = offsetof(struct fake_params, batch)},
	{.name = NULL},
};
static const struct metric fake_metrics[] = {
	{"shared_updates", "per page", ""}, {"rollbacks", "per page", ""}, {NULL, NULL, NULL}};
static const struct experiment fake = {.name = "fake",
				       .params = fake_table,
				       .params_size = sizeof(struct fake_params),
				       .metrics = fake_metrics};

static struct fake_params all_params[3] = {{0, 32}, {1, 64}, {1, 1024}};
static struct topo *topo;
static char dir[64];

static inline void make_plan(struct plan *plan)
{
	static const char *const cpus[] = {"0", "0-1", "6,4-5,0"};
	struct err err = ERR_INIT;
	int i;

	memset(plan, 0, sizeof(*plan));
	plan->cases = calloc(3, sizeof(*plan->cases));
	plan->nr_cases = 3;
	for (i = 0; i < 3; i++) {
		plan->cases[i] = (struct bench_case){.exp = &fake,
						     .params = &all_params[i],
						     .placement = "cores-first",
						     .home = "local",
						     .home_node = i - 1};
		assert_ok(cpulist_parse(cpus[i], &plan->cases[i].cpus, &err), &err);
	}
	plan->window_ns = 20000000;
	plan->warmup_ns = 2000000;
	plan->budget_ns = 180000000000;
	plan->min_blocks = 5;
	plan->max_blocks = 40;
	plan->target = 0.01;
	plan->seed = UINT64_MAX - 1;
	snprintf(plan->thinned, sizeof(plan->thinned), "left out: depth 4..6");
}

static inline void drop_plan(struct plan *plan)
{
	int i;

	for (i = 0; i < plan->nr_cases; i++)
		cpulist_free(&plan->cases[i].cpus);
	free(plan->cases);
}

static inline struct sample make_sample(int block)
{
	return (struct sample){.block = block,
			       .ops = 123456789 + block,
			       .window_ns = 20000000.25,
			       .rate = 1e7 / 3 + block,
			       .slowest = 1.5e6,
			       .fastest = 1e7 / 3 - 1.5e6,
			       .jain = 0.97,
			       .overlap = 0.99,
			       .metrics = {0.015625, 0}};
}

static inline struct results *make_results(void)
{
	struct err err = ERR_INIT;
	struct results *r;
	struct sample s;
	struct plan plan;
	int c, b;

	make_plan(&plan);
	assert_ok(results_new(&r, topo, &plan, "chargeline run \"fake\" --set batch=32", &err),
		  &err);
	for (c = 0; c < 2; c++) {
		for (b = 0; b < 3; b++) {
			s = make_sample(b);
			s.marks = b == 1 ? MARK_STEAL | MARK_SWITCHED : 0;
			s.metrics[1] = b == 2 ? NAN : 0.5;
			assert_ok(results_add_sample(r, c, &s, &err), &err);
		}
	}
	drop_plan(&plan);
	r->elapsed_ns = 123456789012345;
	return r;
}

static inline const char *in_dir(const char *name)
{
	static char path[2][128];
	static int turn;

	turn = !turn;
	snprintf(path[turn], sizeof(path[turn]), "%s/%s", dir, name);
	return path[turn];
}

static inline void save(const struct results *r, const char *path)
{
	struct err err = ERR_INIT;

	assert_ok(results_save(r, path, &err), &err);
}

static inline struct results *load(const char *path)
{
	struct err err = ERR_INIT;
	struct results *r;

	assert_ok(results_load(&r, path, &err), &err);
	return r;
}

static inline char *slurp(const char *path, size_t *size)
{
	FILE *f = fopen(path, "r");
	char *data = calloc(1, 1 << 20);

	assert_non_null(f);
	*size = fread(data, 1, (1 << 20) - 1, f);
	fclose(f);
	return data;
}

static inline void write_file(const char *path, const char *data, size_t size)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(data, 1, size, f), size);
	assert_int_equal(fclose(f), 0);
}

static inline void assert_same_file(const char *path, const char *data, size_t size)
{
	size_t now;
	char *read_back = slurp(path, &now);

	assert_int_equal(now, size);
	assert_memory_equal(read_back, data, size);
	free(read_back);
}

/* files in the folder: a temporary one that was left behind would be counted */
static inline int count_files(const char *folder)
{
	DIR *d = opendir(folder);
	struct dirent *e;
	int nr = 0;

	assert_non_null(d);
	while ((e = readdir(d)))
		nr += strcmp(e->d_name, ".") && strcmp(e->d_name, "..");
	closedir(d);
	return nr;
}

static inline void empty_dir(void)
{
	DIR *d = opendir(dir);
	struct dirent *e;

	while ((e = readdir(d)))
		unlinkat(dirfd(d), e->d_name, 0);
	closedir(d);
}

static inline int make_dir(void **state)
{
	snprintf(dir, sizeof(dir), "/tmp/chargeline-test-XXXXXX");
	return mkdtemp(dir) ? 0 : -1;
}

static inline int remove_dir(void **state)
{
	empty_dir();
	return rmdir(dir);
}

/* the machine: 2 packages, 4 cores, 8 CPUs */
#define run_result_tests(tests) (load_machine() ? 1 : free_machine(run_tests(tests)))

static inline int load_machine(void)
{
	struct err err = ERR_INIT;

	if (!topo_load(&topo, "Package:2 L3Cache:1(size=8388608) Core:2 PU:2", &err))
		return 0;
	fprintf(stderr, "%s\n", err.msg);
	return 1;
}

static inline int free_machine(int rc)
{
	topo_free(topo);
	return rc;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_dir, remove_dir)

#endif
