/* SPDX-License-Identifier: MIT */
#include "page_counter_tree.h"

#include <stdio.h>

#include "page_counter.h"

/*
 * The protected part of usage is min(usage, limit). The 5.19 rule exchanges it on every call once
 * protection is set; the rule of cfdab60bfa66 reads first and exchanges only what differs.
 */
static inline long protected_delta(unsigned long limit, atomic_long_t *own, unsigned long usage,
				   enum page_counter_rule rule)
{
	unsigned long old = atomic_long_read(own);
	unsigned long now = usage < limit ? usage : limit;

	if (rule == PAGE_COUNTER_UNCONDITIONAL ? !limit && !old : now == old)
		return 0;
	return now - atomic_long_xchg(own, now);
}

static void tell_field(field_teller tell, void *ctx, int level, const volatile void *field,
		       size_t size, const char *name)
{
	char text[64];

	snprintf(text, sizeof(text), "%d:%s", level, name);
	tell(ctx, field, size, text);
}

#define PC_TELL(field) tell_field(tell, ctx, level, &c->field, sizeof(c->field), #field)

#define PC_LAYOUT packed_5_19
#include "page_counter_tmpl.h"
#define PC_LAYOUT aligned_2022_test
#include "page_counter_tmpl.h"
#define PC_LAYOUT padded_2022
#include "page_counter_tmpl.h"
#define PC_LAYOUT v6_12
#define PC_LOCAL_WATERMARK
#include "page_counter_tmpl.h"
#define PC_LAYOUT v6_15
#define PC_LOCAL_WATERMARK
#define PC_FLAGS
#include "page_counter_tmpl.h"

static const struct page_counter_ops *const layouts[] = {
	[PAGE_COUNTER_PACKED_5_19] = &packed_5_19_ops,
	[PAGE_COUNTER_ALIGNED_2022_TEST] = &aligned_2022_test_ops,
	[PAGE_COUNTER_PADDED_2022] = &padded_2022_ops,
	[PAGE_COUNTER_V6_12] = &v6_12_ops,
	[PAGE_COUNTER_V6_15] = &v6_15_ops,
};

const char *const page_counter_layout_names[] = {
	"packed_5_19", "aligned_2022_test", "padded_2022", "v6_12", "v6_15", NULL};
const char *const page_counter_rule_names[] = {"off", "unconditional", "conditional", NULL};

#define CSS_ROOM 256 /* before the counter, and a pair of lines between css.parent and it */

/* a page each: struct mem_cgroup is allocated on its own, 2-4 KiB aligned (kernel-facts 1.2) */
static void *make_counter(const struct page_counter_tree *t, const struct env *env,
			  size_t base_offset, void *parent)
{
	const size_t align = t->ops->align;
	size_t offset = CSS_ROOM + ((base_offset + align - 1) & ~(align - 1));
	char *base = env_alloc(env, offset + t->ops->size, 4096);

	if (!base)
		return NULL;
	t->ops->init(base + offset, parent, PAGE_COUNTER_RESIDENT);
	t->ops->set_watermark(base + offset, PAGE_COUNTER_MAX);
	*(void **)(base + offset - t->css_before) = parent;
	return base + offset;
}

int page_counter_tree_make(struct page_counter_tree *t, const struct env *env,
			   const struct page_counter_config *config, struct err *err)
{
	void *parent = NULL;
	int i;

	*t = (struct page_counter_tree){.ops = layouts[config->layout],
					.rule = config->rule,
					.depth = config->depth,
					.css_before =
						config->css_apart ? CSS_ROOM - 64 : sizeof(void *),
					.nr_leaves = config->nr_leaves};
	for (i = t->depth - 1; i > 0; i--) {
		parent = t->above[i] = make_counter(t, env, config->base_offset, parent);
		if (!parent)
			return err_set(err, -ENOMEM, "out of memory");
	}
	t->leaf = env_alloc(env, sizeof(*t->leaf) * t->nr_leaves, 64);
	for (i = 0; t->leaf && i < t->nr_leaves; i++) {
		t->leaf[i] = make_counter(t, env, config->base_offset, parent);
		if (!t->leaf[i])
			return err_set(err, -ENOMEM, "out of memory");
	}
	return t->leaf ? 0 : err_set(err, -ENOMEM, "out of memory");
}

void *page_counter_tree_level(const struct page_counter_tree *t, int leaf, int level)
{
	return level ? t->above[level] : t->leaf[leaf];
}

static int check_level(const struct page_counter_tree *t, int leaf, int level, long expected,
		       struct page_counter_reading *r, struct err *err)
{
	t->ops->read(page_counter_tree_level(t, leaf, level), r);
	if (r->usage == expected)
		return 0;
	return err_set(err, -EUCLEAN, "usage of level %d is %ld pages, the workers account for %ld",
		       level, r->usage, expected);
}

int page_counter_tree_check(const struct page_counter_tree *t, const long *pages, struct err *err)
{
	struct page_counter_reading r, below = {0};
	long sum = 0, min_usage = 0, low_usage = 0;
	int i, rc;

	for (i = 0; i < t->nr_leaves; i++) {
		rc = check_level(t, i, 0, PAGE_COUNTER_RESIDENT + pages[i], &r, err);
		if (rc)
			return rc;
		sum += pages[i];
		min_usage += r.min_usage;
		low_usage += r.low_usage;
	}
	for (i = 1; i < t->depth; i++) {
		rc = check_level(t, 0, i, PAGE_COUNTER_RESIDENT + sum, &r, err);
		if (rc)
			return rc;
		below.min_usage = i == 1 ? min_usage : below.min_usage;
		below.low_usage = i == 1 ? low_usage : below.low_usage;
		if (r.children_min_usage != below.min_usage ||
		    r.children_low_usage != below.low_usage)
			return err_set(
				err, -EUCLEAN,
				"level %d has %ld/%ld protected pages of its children, they have "
				"%ld/%ld",
				i, r.children_min_usage, r.children_low_usage, below.min_usage,
				below.low_usage);
		below = r;
	}
	return 0;
}

static void describe_level(const struct page_counter_tree *t, const void *counter, int level,
			   field_teller tell, void *ctx)
{
	const char *css_parent = (const char *)counter - t->css_before;

	tell_field(tell, ctx, level, css_parent, sizeof(void *), "css.parent");
	t->ops->describe(counter, level, tell, ctx);
}

void page_counter_tree_describe(const struct page_counter_tree *t, field_teller tell, void *ctx)
{
	int i;

	for (i = 0; i < t->nr_leaves; i++)
		describe_level(t, t->leaf[i], 0, tell, ctx);
	for (i = 1; i < t->depth; i++)
		describe_level(t, t->above[i], i, tell, ctx);
}
