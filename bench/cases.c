/* SPDX-License-Identifier: MIT */
/*
 * The published cases: facts of kernel-facts.md 5 (tags in brackets) as parameter sets.
 *
 * What the sources do not say is not made up: where depth, size or machine are not published, the
 * row has the subject's default and the case says so. Numbers that nobody published:
 *
 *   a rate per worker is published (s0, s2)   work = bits of an operation / uncontended rate
 *   only a share of CPU time (s1, s3, s4)     work is what makes the model's share of the base row
 *                                             the published one (of a range its middle)
 *   pages per operation (s0, s2)              what makes the model's ratio of two rows the published
 *
 * How a message is cut is not published either, and is chosen: charged by two pages (sendfile queues
 * page by page, a receiver whole buffers); freed by 64 KiB where TCP merges (s0: an operation is 64
 * KiB), else as charged.
 */
#include "plan_private.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * One cost for all cases: interrupts off and on, and the call, of each charge and uncharge, which a
 * loop in user space does not have. kernel-facts 5, row 25: accounting of kmalloc and kfree through
 * per-CPU stocks takes (96 / 438.8 M/s - 96 / 1481.3 M/s) = 154 ns a pair, four such sections, on
 * two threads a core (taken as 1.6 times slower than one): 24 ns (derived).
 */
#define CALL "call_ns=24"
#define NETPERF \
	CALL ",source=socket,uncharge=other_cpu,memcgs=shared,slot_layout=single,base_offset=16"

static const struct bench_published_row s0_rows[] = {
	{.name = "root cgroup",
	 .sets = "charging=off",
	 .value = {21694.8, 21694.8},
	 .change = 107.0,
	 .note = "published as -51.6% in the hierarchy"},
	{.name = "batch 32",
	 .sets = "batch=32",
	 .base = true,
	 .value = {10482.7, 10482.7},
	 .change = 0},
	{.name = "batch 64", .sets = "batch=64", .value = {17064.7, 17064.7}, .change = 62.7},
	{.name = "fewer atomics",
	 .sets = "batch=32,protection=conditional",
	 .value = {14542.5, 14542.5},
	 .change = 38.7,
	 .note = "cfdab60bfa66, (A) of the cover letter"},
	{.name = "padded",
	 .sets = "batch=32,layout=padded_2022",
	 .value = {12413.7, 12413.7},
	 .change = 18.4,
	 .note = "408587baee39, (B) of the cover letter"},
	{.name = "all three",
	 .sets = "batch=64,protection=conditional,layout=padded_2022",
	 .value = {20120.3, 20120.3},
	 .change = 91.9,
	 .note = "(A+B+C) of the cover letter"},
	{NULL}};

static const struct bench_published_row s1_rows[] = {
	{.name = "drain",
	 .sets = "overflow=drain",
	 .base = true,
	 .value = {44.6, 57.0},
	 .change = 0,
	 .note = "in the bad range of message sizes"},
	{.name = "trim",
	 .sets = "overflow=trim",
	 .value = {0.27, 0.71},
	 .change = NAN,
	 .note = "the loss is gone; the figures are of sizes outside the bad range"},
	{NULL}};

static const struct bench_published_row s2_rows[] = {
	{.name = "uncontended",
	 .sets = "reclaim=2m_keep_1m,layout=packed_5_19,batch=32",
	 .base = true,
	 .value = {15722, 15722},
	 .change = 0,
	 .note = "before 4890b686f408: hardly anything reaches the memcg"},
	{.name = "packed, batch 32",
	 .sets = "layout=packed_5_19,batch=32",
	 .value = {4792, 4792},
	 .change = -69.5},
	{.name = "neighbours moved, batch 32",
	 .sets = "layout=packed_5_19,batch=32,css=apart",
	 .value = {9300, 9300},
	 .change = -40.8,
	 .note = "css.parent and the counters of v1 moved away from usage [M3]"},
	{.name = "aligned, batch 32",
	 .sets = "layout=aligned_2022_test,batch=32",
	 .value = {11341, 11341},
	 .change = -27.9},
	{.name = "aligned, batch 64",
	 .sets = "layout=aligned_2022_test,batch=64",
	 .value = {13521, 13521},
	 .change = -14.0},
	{.name = "aligned, batch 128",
	 .sets = "layout=aligned_2022_test,batch=128",
	 .value = {13772, 13772},
	 .change = -12.4},
	{.name = "packed, batch 32, 72 clients",
	 .sets = "layout=packed_5_19,batch=32",
	 .nr_workers = 144,
	 .value = {NAN, NAN},
	 .change = -73.7,
	 .note = "against uncontended with 72 clients"},
	{NULL}};

static const struct bench_published_row s3_rows[] = {{.name = "unguarded",
						      .sets = "rule=global_unconditional",
						      .base = true,
						      .value = {44.88, 44.88},
						      .change = 0},
						     {.name = "guarded",
						      .sets = "rule=global_guarded",
						      .value = {0.12, 0.12},
						      .change = 95,
						      .note = "x1.95 of the score"},
						     {NULL}};

static const struct bench_published_row s4_rows[] = {
	{.name = "reclaim at any page",
	 .sets = "reclaim=zero",
	 .base = true,
	 .value = {49.1, 49.1},
	 .change = 0,
	 .note = "page_counter_try_charge 16.8, page_counter_cancel 16.6, try_charge 15.7"},
	{.name = "reclaim at 64 KiB",
	 .sets = "reclaim=64k",
	 .value = {NAN, NAN},
	 .change = 107,
	 .note = "x2.07 of the requests per second"},
	{NULL}};

const struct bench_published_case bench_published_cases[] = {
	{.name = "s0",
	 .title = "charge batch 64",
	 .machine = "72 CPUs; model and sockets are not published",
	 .load = "36 netperf TCP_SENDFILE 10K, 3-level cgroup, min and low set at its top level",
	 .source = "patch of August 2022 and its cover letter [C1][C2]",
	 .unit = "Mbps",
	 .experiment = "charge_path",
	 .sets = NETPERF ",charge_bytes=8192,free_bytes=65536,layout=packed_5_19,depth=4,"
			 "protection=unconditional,protection_level=2",
	 .nr_workers = 72,
	 .fit = {{"work_ns", 24167, "64 KiB at 21694.8 Mbps: the root cgroup", .on = "root cgroup",
		  .per_value = 65536 * 8 * 1e3},
		 {"message_bytes", 331776,
		  "gives the ratio of the rows 'batch 32' and 'root cgroup'", .on = "batch 32",
		  .lo = 65536, .hi = 1 << 20}},
	 .rows = s0_rows,
	 .model = "clx-2s18c",
	 .model_note = "two sockets of 18 cores are assumed: 72 CPUs are all that is published"},
	{.name = "s1",
	 .title = "trim the stock, do not drain it",
	 .machine = "not published",
	 .load = "request/response traffic: 1 page charged, 2 uncharged, on one CPU; depth not "
		 "published",
	 .source = "patch of August 2026, v2 (seed 001)",
	 .unit = "% of CPU in charge and uncharge",
	 .experiment = "memcg_stock",
	 .sets = CALL ",pattern=request_response,slot_layout=seven_8bit,batch=64,sharing=shared",
	 .fit = {{"work_ns", 9517, "gives the share of CPU of the row 'drain', 50.8%",
		  .on = "drain", .lo = 1000, .hi = 100000}},
	 .rows = s1_rows,
	 .kind = BENCH_SHARES,
	 .count = "shared_updates",
	 .model = "clx-2s18c",
	 .model_note = "assumed: no machine is published"},
	{.name = "s2",
	 .title = "alignment of page_counter x batch",
	 .machine = "4 x Xeon Gold 5318H, 144 CPUs",
	 .load = "36 netperf SCTP_STREAM_MANY 10K; depth not published",
	 .source = "LKP and replies, June and July 2022 [M1][M3] (seed 002)",
	 .unit = "Mbps per client",
	 .experiment = "charge_path",
	 .sets = NETPERF ",charge_bytes=8192,free_bytes=8192,protection=off,reclaim=zero",
	 .nr_workers = 72,
	 .fit = {{"work_ns", 5211, "10,240 bytes at 15722 Mbps: uncontended", .on = "uncontended",
		  .per_value = 10240 * 8 * 1e3},
		 {"message_bytes", 90112,
		  "gives the ratio of the rows 'neighbours moved, batch 32' and 'uncontended'",
		  .on = "neighbours moved, batch 32", .lo = 10240, .hi = 1 << 18}},
	 .rows = s2_rows,
	 .model = "cpx-5318h"},
	{.name = "s3",
	 .title = "guard of the flush threshold",
	 .machine = "2 x Xeon Platinum 8380, 160 CPUs",
	 .load = "pts/hackbench, count 4, 160 threads",
	 .source = "patch of July 2022 (seed 003)",
	 .unit = "% of cycles in the update",
	 .experiment = "vmstats_flush",
	 .sets = "batch=32,memcgs=shared",
	 .nr_workers = 160,
	 .fit = {{"work_ns", 218, "gives the share of cycles of the row 'unguarded', 44.88%",
		  .on = "unguarded", .lo = 10, .hi = 10000}},
	 .rows = s3_rows,
	 .kind = BENCH_SHARES,
	 .model = "icx-8380"},
	{.name = "s4",
	 .title = "reclaim threshold of sockets",
	 .machine = "224 logical CPUs (derived); model not published",
	 .load = "8 memcached/memtier pairs, each with 28 CPUs; message size and depth not published",
	 .source = "series of May 2023 (seed 004) [K8]",
	 .unit = "% of cycles in charge and cancel",
	 .experiment = "charge_path",
	 .sets = CALL ",source=socket,uncharge=other_cpu,memcgs=shared,layout=padded_2022,batch=64,"
		      "slot_layout=single,message_bytes=32768,charge_bytes=4096,free_bytes=4096",
	 .nr_workers = 224,
	 .fit = {{"work_ns", 1969,
		  "gives the share of cycles of the row 'reclaim at any page', 49.1%",
		  .on = "reclaim at any page", .lo = 500, .hi = 50000}},
	 .rows = s4_rows,
	 .kind = BENCH_SHARES,
	 .model = "spr-2s56c",
	 .model_note = "assumed: of the machine only 224 CPUs can be derived"},
	{NULL}};

/* ------------------------------------------------------------------------- look-up */

const struct bench_published_case *bench_published_find(const char *name)
{
	const struct bench_published_case *c;

	for (c = bench_published_cases; c->name; c++)
		if (!strcmp(c->name, name))
			return c;
	return NULL;
}

const struct bench_published_row *bench_published_base(const struct bench_published_case *c)
{
	const struct bench_published_row *row = c->rows;

	while (!row->base)
		row++;
	return row;
}

const struct bench_published_row *bench_published_row(const struct bench_published_case *c,
						      const char *name)
{
	const struct bench_published_row *row;

	for (row = c->rows; row->name; row++)
		if (!strcmp(row->name, name))
			return row;
	return NULL;
}

bool bench_published_fitted(const struct bench_published_case *c,
			    const struct bench_published_row *row)
{
	bool fitted = row->base;
	int i;

	for (i = 0; i < BENCH_PUBLISHED_FITS && c->fit[i].name; i++)
		fitted |= c->fit[i].on && !strcmp(c->fit[i].on, row->name);
	return fitted;
}

/* "name=value,name=value" over @params */
static int apply_sets(const struct experiment *exp, const char *sets, void *params, struct err *err)
{
	char text[512], *set, *value, *save;
	const struct param *p;
	int64_t v;

	if (snprintf(text, sizeof(text), "%s", sets) >= (int)sizeof(text))
		return err_set(err, -EINVAL, "sets of %zu bytes", strlen(sets));
	for (set = strtok_r(text, ",", &save); set; set = strtok_r(NULL, ",", &save)) {
		value = strchr(set, '=');
		if (!value)
			return err_set(err, -EINVAL, "'%.80s' is not name=value", set);
		*value++ = 0;
		p = params_find(exp, set, err);
		if (!p || param_parse(p, value, &v, err))
			return -EINVAL;
		param_set(p, params, v);
	}
	return 0;
}

int bench_published_params(const struct bench_published_case *c,
			   const struct bench_published_row *row, void *params, struct err *err)
{
	const struct experiment *exp = experiment_find(c->experiment, err);
	const struct param *p;
	int i, rc;

	if (!exp)
		return -EINVAL;
	params_defaults(exp, params);
	rc = apply_sets(exp, c->sets, params, err);
	for (i = 0; i < BENCH_PUBLISHED_FITS && c->fit[i].name && !rc; i++) {
		p = params_find(exp, c->fit[i].name, err);
		if (!p)
			return -EINVAL;
		param_set(p, params, c->fit[i].value);
	}
	return rc ? rc : apply_sets(exp, row->sets, params, err);
}

bool bench_published_tells_apart(const struct bench_published_case *c, const char *param)
{
	const struct experiment *exp = experiment_find(c->experiment, NULL);
	const struct param *p = exp ? params_find(exp, param, NULL) : NULL;
	const struct bench_published_row *row;
	void *params = p ? calloc(1, exp->params_size) : NULL;
	bool differs = false;
	int64_t first = 0, v;

	for (row = c->rows; params && row->name; row++) {
		if (bench_published_params(c, row, params, NULL))
			break;
		v = param_get(p, params);
		first = row == c->rows ? v : first;
		differs |= v != first;
	}
	free(params);
	return differs;
}

/* ---------------------------------------------------------------------------- plan */

/* rows that differ in name only (the same at another number of clients) are measured once */
static bool same_as_an_earlier(const struct bench_published_case *c,
			       const struct bench_published_row *row, const void *params,
			       size_t size)
{
	const struct bench_published_row *r;
	void *other = calloc(1, size);
	bool same = false;

	for (r = c->rows; other && r != row && !same; r++)
		same = !bench_published_params(c, r, other, NULL) && !memcmp(other, params, size);
	free(other);
	return same;
}

/* a set of what the rows differ in: not the rows are asked for, but another one of the same load */
static bool asks_for_another_row(const struct bench_published_case *c, const struct plan_spec *spec)
{
	char name[64];
	int i;

	for (i = 0; i < spec->nr_sets; i++) {
		snprintf(name, sizeof(name), "%.*s", (int)strcspn(spec->sets[i], "="),
			 spec->sets[i]);
		if (bench_published_tells_apart(c, name))
			return true;
	}
	return false;
}

int plan_published(const struct bench_published_case *c, const struct plan_spec *spec,
		   int (*add)(void *ctx, const struct experiment *exp, const void *params,
			      struct err *err),
		   void *ctx, struct err *err)
{
	static const struct bench_published_row asked[] = {{.name = "asked for", .sets = ""},
							   {NULL}};
	const struct experiment *exp = experiment_find(c->experiment, err);
	const struct bench_published_row *row = asks_for_another_row(c, spec) ? asked : c->rows;
	int rc = exp ? 0 : -EINVAL;
	void *params = exp ? calloc(1, exp->params_size) : NULL;

	if (!rc && !params)
		rc = err_set(err, -ENOMEM, "out of memory");
	for (; row->name && !rc; row++) {
		rc = bench_published_params(c, row, params, err);
		if (!rc && (row == asked || !same_as_an_earlier(c, row, params, exp->params_size)))
			rc = add(ctx, exp, params, err);
	}
	free(params);
	return rc;
}
