/* SPDX-License-Identifier: MIT */
/*
 * The subject compiled a second time, against a katomic.h that reports every access: what one
 * charge reads, writes and exchanges, in which order, in each layout. That is what a model sees.
 */
#define KATOMIC_HOOKED
#include "../bench/page_counter.c"
#include "../bench/page_counter_tree.c"

#include "test.h"

/* a level's fields by offset, so that an access can be called by name */
struct field {
	const char *name;
	size_t off;
};

#define F(layout, f)                                          \
	{                                                     \
#f, offsetof(struct page_counter_##layout, f) \
	}
#define COMMON_FIELDS(l)                                                           \
	F(l, usage), F(l, failcnt), F(l, min), F(l, low), F(l, max), F(l, parent), \
		F(l, min_usage), F(l, children_min_usage), F(l, low_usage),        \
		F(l, children_low_usage), F(l, watermark)

static const struct field packed_fields[] = {COMMON_FIELDS(packed_5_19), {NULL}};
static const struct field aligned_fields[] = {COMMON_FIELDS(aligned_2022_test), {NULL}};
static const struct field padded_fields[] = {COMMON_FIELDS(padded_2022), {NULL}};
static const struct field v6_12_fields[] = {
	COMMON_FIELDS(v6_12), F(v6_12, local_watermark), {NULL}};
static const struct field v6_15_fields[] = {COMMON_FIELDS(v6_15),
					    F(v6_15, local_watermark),
					    F(v6_15, protection_support),
					    F(v6_15, track_failcnt),
					    {NULL}};
static const struct field *const fields[] = {packed_fields, aligned_fields, padded_fields,
					     v6_12_fields, v6_15_fields};

static char seen[4096];
static size_t seen_len;
static const struct page_counter_tree *watched;
static const struct field *watched_fields;
static long work_ns_spent;

void cpu_work_ns(int64_t n)
{
	work_ns_spent += n;
}

void katomic_hook(enum katomic_access access, const volatile void *addr, size_t size)
{
	static const char sign[] = {
		[KATOMIC_READ] = 'r', [KATOMIC_WRITE] = 'w',   [KATOMIC_ADD] = '+',
		[KATOMIC_XCHG] = 'x', [KATOMIC_CMPXCHG] = 'c', [KATOMIC_POST] = '+'};
	const struct field *f;
	int level;

	/* what no longer fits is not compared with anything either */
	for (level = 0; watched && level < watched->depth && seen_len < sizeof(seen); level++)
		for (f = watched_fields; f->name; f++)
			if ((const char *)page_counter_tree_level(watched, 0, level) + f->off ==
				    (const char *)addr &&
			    seen_len < sizeof(seen))
				seen_len += snprintf(seen + seen_len, sizeof(seen) - seen_len,
						     "%s%d:%s %c", seen_len ? ", " : "", level,
						     f->name, sign[access]);
}

void *env_alloc(const struct env *env, size_t size, size_t align)
{
	void *p = aligned_alloc(4096, (size + 4095) & ~4095UL);

	memset(p, 0, size);
	return p;
}

void *env_alloc_worker(const struct env *env, int idx, size_t size, size_t align)
{
	return env_alloc(env, size, align);
}

/* ------------------------------------------------------------------- fixture */

struct subject {
	struct pc_params params;
	struct env env;
	struct worker w;
	struct pc_shared *shared;
};

static void subject_init(struct subject *s, int layout, int protection)
{
	struct err err = ERR_INIT;

	memset(s, 0, sizeof(*s));
	params_defaults(&page_counter_experiment, &s->params);
	s->params.layout = layout;
	s->params.protection = protection;
	s->env.nr_workers = 1;
	watched = NULL;
	assert_ok(pc_setup(&s->env, &s->params, &s->w, (void **)&s->shared, &err), &err);
	watched = &s->shared->tree;
	watched_fields = fields[layout];
	seen_len = 0;
	seen[0] = 0;
}

static void subject_free(struct subject *s)
{
	int i;

	watched = NULL;
	for (i = 0; i < s->shared->tree.depth; i++)
		free((void *)((uintptr_t)page_counter_tree_level(&s->shared->tree, 0, i) &
			      ~4095UL));
	free(s->w.priv);
	free(s->shared->tree.leaf);
	free(s->shared);
}

/* what was seen since the last look */
static void assert_seen(const char *expected)
{
	assert_string_equal(seen, expected);
	seen_len = 0;
	seen[0] = 0;
}

void params_defaults(const struct experiment *exp, void *params)
{
	const struct param *p;

	for (p = exp->params; p->name; p++)
		*(int64_t *)((char *)params + p->off) = p->def;
}

/* one page with an empty stock: exactly one charge of a batch */
static void charge_once(struct subject *s)
{
	pc_run(s->shared, &s->params, &s->w, 1);
}

/* --------------------------------------------------------------------- tests */

/* 5.19 to 6.1: one watermark, no flags. The order does not depend on the layout; the lines do. */
#define CHARGE_OLD                                                                         \
	"0:usage +, 0:max r, 0:parent r, 0:min r, 0:min_usage r, 0:low r, 0:low_usage r, " \
	"0:watermark r, 0:parent r, "                                                      \
	"1:usage +, 1:max r, 1:parent r, 1:min r, 1:min_usage r, 1:low r, 1:low_usage r, " \
	"1:watermark r, 1:parent r, "                                                      \
	"2:usage +, 2:max r, 2:parent r, 2:watermark r, 2:parent r"

static void one_charge_packed_5_19(void **state)
{
	struct subject s;

	subject_init(&s, PAGE_COUNTER_PACKED_5_19, PAGE_COUNTER_OFF);
	charge_once(&s);
	assert_seen(CHARGE_OLD);
	subject_free(&s);
}

static void one_charge_aligned_2022_test(void **state)
{
	struct subject s;

	subject_init(&s, PAGE_COUNTER_ALIGNED_2022_TEST, PAGE_COUNTER_OFF);
	charge_once(&s);
	assert_seen(CHARGE_OLD);
	subject_free(&s);
}

static void one_charge_padded_2022(void **state)
{
	struct subject s;

	subject_init(&s, PAGE_COUNTER_PADDED_2022, PAGE_COUNTER_OFF);
	charge_once(&s);
	assert_seen(CHARGE_OLD);
	subject_free(&s);
}

/* the local watermark is tested first, and alone decides */
static void one_charge_v6_12(void **state)
{
	struct subject s;

	subject_init(&s, PAGE_COUNTER_V6_12, PAGE_COUNTER_OFF);
	charge_once(&s);
	assert_seen(
		"0:usage +, 0:max r, 0:parent r, 0:min r, 0:min_usage r, 0:low r, 0:low_usage r, "
		"0:local_watermark r, 0:parent r, "
		"1:usage +, 1:max r, 1:parent r, 1:min r, 1:min_usage r, 1:low r, 1:low_usage r, "
		"1:local_watermark r, 1:parent r, "
		"2:usage +, 2:max r, 2:parent r, 2:local_watermark r, 2:parent r");
	subject_free(&s);
}

/* the leaf's flag is looked up once, before the walk */
static void one_charge_v6_15(void **state)
{
	struct subject s;

	subject_init(&s, PAGE_COUNTER_V6_15, PAGE_COUNTER_OFF);
	charge_once(&s);
	assert_seen(
		"0:protection_support r, "
		"0:usage +, 0:max r, 0:parent r, 0:min r, 0:min_usage r, 0:low r, 0:low_usage r, "
		"0:local_watermark r, 0:parent r, "
		"1:usage +, 1:max r, 1:parent r, 1:min r, 1:min_usage r, 1:low r, 1:low_usage r, "
		"1:local_watermark r, 1:parent r, "
		"2:usage +, 2:max r, 2:parent r, 2:local_watermark r, 2:parent r");
	subject_free(&s);
}

/* the lines that one charge touches at the leaf: what alignment is about */
static void lines_of_a_charge(void **state)
{
	static const struct {
		int layout;
		size_t usage, max, parent, watermark;
	} lines[] = {
		/* packed, at byte 16: usage with max on one line, watermark with parent on the next */
		{PAGE_COUNTER_PACKED_5_19, 0, 0, 1, 1},
		{PAGE_COUNTER_ALIGNED_2022_TEST, 0, 1, 2, 2},
		{PAGE_COUNTER_PADDED_2022, 0, 2, 2, 1},
		{PAGE_COUNTER_V6_12, 0, 3, 3, 1},
		{PAGE_COUNTER_V6_15, 0, 2, 2, 1},
	};
	const struct field *f;
	struct subject s;
	size_t i, base, line, want;

	for (i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		subject_init(&s, lines[i].layout, PAGE_COUNTER_OFF);
		base = (uintptr_t)page_counter_tree_level(&s.shared->tree, 0, 0) % 256;
		assert_int_equal(base, lines[i].layout == PAGE_COUNTER_PACKED_5_19 ? 16 : 64);
		for (f = watched_fields; f->name; f++) {
			line = (base + f->off) / 64 - base / 64;
			want = !strcmp(f->name, "usage")       ? lines[i].usage
			       : !strcmp(f->name, "max")       ? lines[i].max
			       : !strcmp(f->name, "parent")    ? lines[i].parent
			       : !strcmp(f->name, "watermark") ? lines[i].watermark
							       : line;
			assert_int_equal(line, want);
		}
		subject_free(&s);
	}
}

static void uncharge_walks_to_the_root(void **state)
{
	struct subject s;

	subject_init(&s, PAGE_COUNTER_PADDED_2022, PAGE_COUNTER_OFF);
	padded_2022_uncharge(page_counter_tree_level(&s.shared->tree, 0, 0), 1, PAGE_COUNTER_OFF);
	assert_seen(
		"0:usage +, 0:parent r, 0:min r, 0:min_usage r, 0:low r, 0:low_usage r, 0:parent r, "
		"1:usage +, 1:parent r, 1:min r, 1:min_usage r, 1:low r, 1:low_usage r, 1:parent r, "
		"2:usage +, 2:parent r, 2:parent r");
	subject_free(&s);
}

/* 2025: cancel looks at each counter's own flag */
static void uncharge_v6_15_reads_every_flag(void **state)
{
	struct subject s;

	subject_init(&s, PAGE_COUNTER_V6_15, PAGE_COUNTER_OFF);
	v6_15_uncharge(page_counter_tree_level(&s.shared->tree, 0, 0), 1, PAGE_COUNTER_OFF);
	assert_seen(
		"0:usage +, 0:protection_support r, 0:parent r, 0:min r, 0:min_usage r, 0:low r, "
		"0:low_usage r, 0:parent r, "
		"1:usage +, 1:protection_support r, 1:parent r, 1:min r, 1:min_usage r, 1:low r, "
		"1:low_usage r, 1:parent r, "
		"2:usage +, 2:protection_support r, 2:parent r, 2:parent r");
	subject_free(&s);
}

/* charge has no limit to look at: no max */
static void charge_without_limit(void **state)
{
	struct subject s;

	subject_init(&s, PAGE_COUNTER_PACKED_5_19, PAGE_COUNTER_OFF);
	packed_5_19_charge(page_counter_tree_level(&s.shared->tree, 0, 0), 1, PAGE_COUNTER_OFF);
	assert_null(strstr(seen, "max"));
	assert_non_null(strstr(seen, "2:usage +"));
	subject_free(&s);
}

/* the first charge hands the protected part up, also by the conditional rule */
#define LEAF_EXCHANGES                                                                        \
	"0:usage +, 0:max r, 0:parent r, 0:min r, 0:min_usage r, 0:min_usage x, 0:parent r, " \
	"1:children_min_usage +, 0:low r, 0:low_usage r, 0:low_usage x, 0:parent r, "         \
	"1:children_low_usage +, 0:watermark r, 0:parent r, "
#define UPPER_LEVELS                                                                       \
	"1:usage +, 1:max r, 1:parent r, 1:min r, 1:min_usage r, 1:low r, 1:low_usage r, " \
	"1:watermark r, 1:parent r, 2:usage +, 2:max r, 2:parent r, 2:watermark r, 2:parent r"

static void unconditional_protection_always_exchanges(void **state)
{
	struct subject s;

	subject_init(&s, PAGE_COUNTER_PACKED_5_19, PAGE_COUNTER_UNCONDITIONAL);
	assert_true(packed_5_19_try_charge(page_counter_tree_level(&s.shared->tree, 0, 0), 1,
					   PAGE_COUNTER_UNCONDITIONAL));
	assert_seen(LEAF_EXCHANGES UPPER_LEVELS);
	assert_true(packed_5_19_try_charge(page_counter_tree_level(&s.shared->tree, 0, 0), 1,
					   PAGE_COUNTER_UNCONDITIONAL));
	assert_seen(
		"0:usage +, 0:max r, 0:parent r, 0:min r, 0:min_usage r, 0:min_usage x, 0:low r, "
		"0:low_usage r, 0:low_usage x, 0:watermark r, 0:parent r, " UPPER_LEVELS);
	subject_free(&s);
}

static void conditional_protection_only_reads_when_steady(void **state)
{
	struct subject s;

	subject_init(&s, PAGE_COUNTER_PADDED_2022, PAGE_COUNTER_CONDITIONAL);
	assert_true(padded_2022_try_charge(page_counter_tree_level(&s.shared->tree, 0, 0), 1,
					   PAGE_COUNTER_CONDITIONAL));
	assert_seen(LEAF_EXCHANGES UPPER_LEVELS);
	assert_true(padded_2022_try_charge(page_counter_tree_level(&s.shared->tree, 0, 0), 1,
					   PAGE_COUNTER_CONDITIONAL));
	assert_seen(CHARGE_OLD);
	subject_free(&s);
}

static void protection_at_a_level_above_the_leaf(void **state)
{
	struct subject s;

	subject_init(&s, PAGE_COUNTER_PADDED_2022, PAGE_COUNTER_CONDITIONAL);
	subject_free(&s);
	subject_init(&s, PAGE_COUNTER_PADDED_2022, PAGE_COUNTER_OFF);
	((struct page_counter_padded_2022 *)page_counter_tree_level(&s.shared->tree, 0, 1))->min =
		5;
	assert_true(padded_2022_try_charge(page_counter_tree_level(&s.shared->tree, 0, 0), 1,
					   PAGE_COUNTER_CONDITIONAL));
	assert_non_null(strstr(seen, "1:min_usage x, 1:parent r, 2:children_min_usage +"));
	assert_null(strstr(seen, "0:min_usage x"));
	subject_free(&s);
}

/* the root's limit: undone there with a plain subtraction, the failure counted there, the levels
 * below cancelled from the leaf up */
static void limit_hit_rolls_back(void **state)
{
	struct page_counter_reading level;
	struct subject s;
	int i;

	subject_init(&s, PAGE_COUNTER_V6_15, PAGE_COUNTER_OFF);
	((struct page_counter_v6_15 *)page_counter_tree_level(&s.shared->tree, 0, 2))->max =
		PAGE_COUNTER_RESIDENT;
	assert_false(v6_15_try_charge(page_counter_tree_level(&s.shared->tree, 0, 0), 1,
				      PAGE_COUNTER_OFF));
	assert_non_null(strstr(seen, "2:usage +, 2:max r, 2:usage +, 0:track_failcnt r, "
				     "2:failcnt r, 2:failcnt w, 0:usage +, "));
	assert_non_null(strstr(seen, "1:usage +, 1:protection_support r, 1:parent r, 1:min r, "
				     "1:min_usage r, 1:low r, 1:low_usage r, 1:parent r"));
	watched = NULL;
	for (i = 0; i < 3; i++) {
		v6_15_read(page_counter_tree_level(&s.shared->tree, 0, i), &level);
		assert_int_equal(level.usage, PAGE_COUNTER_RESIDENT);
		assert_int_equal(level.failcnt, i == 2);
	}
	subject_free(&s);
}

static void growth_writes_both_watermarks(void **state)
{
	struct subject s;

	subject_init(&s, PAGE_COUNTER_V6_15, PAGE_COUNTER_OFF);
	((struct page_counter_v6_15 *)page_counter_tree_level(&s.shared->tree, 0, 1))->watermark =
		PAGE_COUNTER_RESIDENT;
	((struct page_counter_v6_15 *)page_counter_tree_level(&s.shared->tree, 0, 1))
		->local_watermark = PAGE_COUNTER_RESIDENT;
	charge_once(&s);
	assert_non_null(strstr(seen, "1:local_watermark r, 1:local_watermark w, 1:watermark r, "
				     "1:watermark w, 1:parent r"));
	subject_free(&s);
}

static void underflow_is_clamped(void **state)
{
	struct page_counter_reading level;
	struct subject s;

	subject_init(&s, PAGE_COUNTER_PADDED_2022, PAGE_COUNTER_OFF);
	padded_2022_cancel(page_counter_tree_level(&s.shared->tree, 0, 0),
			   PAGE_COUNTER_RESIDENT + 5, PAGE_COUNTER_OFF);
	watched = NULL;
	padded_2022_read(page_counter_tree_level(&s.shared->tree, 0, 0), &level);
	assert_int_equal(level.usage, 0);
	subject_free(&s);
}

/* one shared charge and one shared uncharge per batch, and the local work of every page */
static void a_batch_costs_two_shared_updates(void **state)
{
	struct pc_worker *me;
	struct subject s;

	subject_init(&s, PAGE_COUNTER_V6_15, PAGE_COUNTER_OFF);
	s.params.work_ns = 7;
	work_ns_spent = 0;
	pc_run(s.shared, &s.params, &s.w, 10 * s.params.batch);
	me = s.w.priv;
	assert_int_equal(me->nr_calls, 20);
	assert_int_equal(me->stock, 0);
	assert_int_equal(me->held, 0);
	assert_int_equal(work_ns_spent, 7 * 10 * s.params.batch);
	subject_free(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_charge_packed_5_19),
		cmocka_unit_test(one_charge_aligned_2022_test),
		cmocka_unit_test(one_charge_padded_2022),
		cmocka_unit_test(one_charge_v6_12),
		cmocka_unit_test(one_charge_v6_15),
		cmocka_unit_test(lines_of_a_charge),
		cmocka_unit_test(uncharge_walks_to_the_root),
		cmocka_unit_test(uncharge_v6_15_reads_every_flag),
		cmocka_unit_test(charge_without_limit),
		cmocka_unit_test(unconditional_protection_always_exchanges),
		cmocka_unit_test(conditional_protection_only_reads_when_steady),
		cmocka_unit_test(protection_at_a_level_above_the_leaf),
		cmocka_unit_test(limit_hit_rolls_back),
		cmocka_unit_test(growth_writes_both_watermarks),
		cmocka_unit_test(underflow_is_clamped),
		cmocka_unit_test(a_batch_costs_two_shared_updates),
	};

	return run_tests(tests);
}
