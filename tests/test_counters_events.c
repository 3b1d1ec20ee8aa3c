/* SPDX-License-Identifier: MIT */
/*
 * Every event name of the tables, encoded by libpfm for its PMU: it exists, and its code is the one
 * in the table, which is what is counted where libpfm is not at hand.
 */
#include "counters_fixture.h"

#include <linux/perf_event.h>
#include <perfmon/pfmlib.h>
#include <perfmon/pfmlib_perf_event.h>

static const struct native_table *const tables[] = {native_intel, native_amd, native_arm};

static const struct native_table *table_named(const char *uarch)
{
	const struct native_table *t;
	int i;

	for (i = 0; i < 3; i++)
		for (t = tables[i]; t->uarch; t++)
			if (!strcmp(t->uarch, uarch))
				return t;
	fail_msg("no table for %s", uarch);
	return NULL;
}

/* events of PMUs that are not here are encoded too */
static int start_libpfm(void **state)
{
	setenv("LIBPFM_ENCODE_INACTIVE", "1", 1);
	return pfm_initialize() != PFM_SUCCESS;
}

static bool libpfm_has(const char *pmu)
{
	pfm_pmu_info_t info;
	pfm_pmu_t i;

	pfm_for_all_pmus(i)
	{
		memset(&info, 0, sizeof(info));
		info.size = sizeof(info);
		if (pfm_get_pmu_info(i, &info) == PFM_SUCCESS && !strcmp(info.name, pmu))
			return true;
	}
	return false;
}

static void assert_encodes(const char *name, uint32_t type, uint64_t config)
{
	struct perf_event_attr attr = {.size = sizeof(attr)};
	pfm_perf_encode_arg_t arg = {.attr = &attr, .size = sizeof(arg)};
	int rc = pfm_get_os_event_encoding(name, PFM_PLM3, PFM_OS_PERF_EVENT, &arg);

	if (rc != PFM_SUCCESS)
		fail_msg("%s: %s", name, pfm_strerror(rc));
	if (attr.type != type || attr.config != config || attr.config1)
		fail_msg("%s is type %u config %#llx config1 %#llx, not type %u config %#llx", name,
			 attr.type, (unsigned long long)attr.config,
			 (unsigned long long)attr.config1, type, (unsigned long long)config);
}

static void encode_table(const char *uarch)
{
	const struct native_table *t = table_named(uarch);
	struct counter_event e[METRIC_MAX_EVENTS];
	const struct native_row *row;
	int i, nr, all = 0;

	assert_non_null(t->pmu);
	if (!libpfm_has(t->pmu))
		test_skip("this build of libpfm does not know the PMU %s", t->pmu);
	for (row = t->rows; row->metric; row++) {
		nr = native_events(uarch, row->metric, e);
		assert_true(nr > 0);
		for (i = 0; i < nr; i++, all++)
			assert_encodes(e[i].name, PERF_TYPE_RAW, e[i].config);
	}
	assert_true(all >= 6);
}

#define ENCODES(uarch)                             \
	static void names_of_##uarch(void **state) \
	{                                          \
		encode_table(#uarch);              \
	}
ENCODES(skx)
ENCODES(clx)
ENCODES(cpx)
ENCODES(icx)
ENCODES(spr)
ENCODES(zen2)
ENCODES(zen3)
ENCODES(zen4)
ENCODES(n1)
ENCODES(v1)
ENCODES(n2)
ENCODES(v2)
ENCODES(tsv110)

/* too new for libpfm 4.13: when it learns them, this fails and the names can be checked */
static void by_code_where_libpfm_has_no_names(void **state)
{
	static const char *const uarchs[] = {"emr", "gnr", "zen5"};
	static const char *const pmus[] = {"emr", "gnr", "amd64_fam1ah_zen5"};
	const struct native_table *t;
	const struct native_row *row;
	size_t i;

	for (i = 0; i < 3; i++) {
		t = table_named(uarchs[i]);
		assert_null(t->pmu);
		assert_non_null(strstr(t->source, "tools/perf/pmu-events"));
		for (row = t->rows; row->metric; row++)
			assert_true(row->event[0].config != 0);
		if (libpfm_has(pmus[i]))
			print_message("this libpfm knows %s: its names can be used\n", pmus[i]);
	}
}

/* what is the same everywhere is libpfm's "perf" PMU */
static void names_of_the_kernel(void **state)
{
	static const char *const metrics[] = {"task_clock", "page_faults", "context_switches",
					      "migrations", "cycles",	   "ipc"};
	struct counter_event e[METRIC_MAX_EVENTS];
	size_t i;
	int k, nr;

	for (i = 0; i < sizeof(metrics) / sizeof(metrics[0]); i++) {
		nr = native_events("", metrics[i], e);
		assert_int_equal(nr, strcmp(metrics[i], "ipc") ? 1 : 2);
		for (k = 0; k < nr; k++)
			assert_encodes(e[k].name,
				       e[k].kind == EVENT_SOFTWARE ? PERF_TYPE_SOFTWARE
								   : PERF_TYPE_HARDWARE,
				       e[k].config);
	}
}

/* ------------------------------------------------------------------- the tables */

static void tables_name_metrics_that_exist(void **state)
{
	const struct counter_metric *m, *k;
	const struct native_table *t;
	const struct native_row *row;
	int i;

	for (i = 0; i < 3; i++)
		for (t = tables[i]; t->uarch; t++)
			for (row = t->rows; row->metric; row++)
				if (!metric_find(row->metric))
					fail_msg("%s: no metric %s", t->uarch, row->metric);
	for (m = counter_metrics; m->name; m++) {
		assert_true(strlen(m->meaning) > 50 && m->meaning[strlen(m->meaning) - 1] == '.');
		for (k = counter_metrics; k != m; k++)
			assert_string_not_equal(k->name, m->name);
		for (i = 0; counter_groups[i].name; i++)
			if (!strcmp(counter_groups[i].name, m->group))
				break;
		assert_non_null(counter_groups[i].name);
	}
}

/* some processor has an event for each, or it is the same everywhere */
static void every_metric_has_an_event_somewhere(void **state)
{
	struct counter_event e[METRIC_MAX_EVENTS];
	const struct counter_metric *m;
	const struct native_table *t;
	int i, nr;

	for (m = counter_metrics; m->name; m++) {
		for (nr = 0, i = 0; i < 3; i++)
			for (t = tables[i]; t->uarch; t++)
				nr += native_events(t->uarch, m->name, e);
		if (!nr)
			fail_msg("%s has no event anywhere", m->name);
	}
}

/* field reports A14, O8: what is no HITM is not called so */
static void proxies_have_names_of_their_own(void **state)
{
	static const struct native_table *const others[] = {native_amd, native_arm};
	static const char *const intel[] = {"hitm_local", "hitm_remote", "forward_remote",
					    "memory_order_clears", "lock_loads"};
	const struct native_table *t;
	struct counter_event e[METRIC_MAX_EVENTS];
	size_t k;
	int i;

	for (i = 0; i < 2; i++)
		for (t = others[i]; t->uarch; t++)
			for (k = 0; k < sizeof(intel) / sizeof(intel[0]); k++)
				assert_int_equal(native_events(t->uarch, intel[k], e), 0);
	for (t = native_intel; t->uarch; t++) {
		assert_int_equal(native_events(t->uarch, "hitm_local", e), 1);
		assert_int_equal(e[0].config, 0x04d2); /* by whichever name */
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_of_skx),
		cmocka_unit_test(names_of_clx),
		cmocka_unit_test(names_of_cpx),
		cmocka_unit_test(names_of_icx),
		cmocka_unit_test(names_of_spr),
		cmocka_unit_test(names_of_zen2),
		cmocka_unit_test(names_of_zen3),
		cmocka_unit_test(names_of_zen4),
		cmocka_unit_test(names_of_n1),
		cmocka_unit_test(names_of_v1),
		cmocka_unit_test(names_of_n2),
		cmocka_unit_test(names_of_v2),
		cmocka_unit_test(names_of_tsv110),
		cmocka_unit_test(by_code_where_libpfm_has_no_names),
		cmocka_unit_test(names_of_the_kernel),
		cmocka_unit_test(tables_name_metrics_that_exist),
		cmocka_unit_test(every_metric_has_an_event_somewhere),
		cmocka_unit_test(proxies_have_names_of_their_own),
	};

	return run_group("tests", tests, start_libpfm, NULL);
}
