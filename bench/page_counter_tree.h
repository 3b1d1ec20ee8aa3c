/* SPDX-License-Identifier: MIT */
/*
 * page_counter_tree.h - memory cgroups as their counters: leaves under common ancestors
 *
 *   leaf 0   leaf 1 ... leaf n      level 0, one cgroup each
 *       \       |        /
 *        level 1 .. depth-1         their common ancestors, the root last
 *
 * What the subjects build on: page_counter itself, memcg_stock, charge_path. The struct layouts are
 * in page_counter.h, the algorithm in page_counter_tmpl.h; a call goes through one pointer per
 * shared update, which is nothing beside the atomics it makes.
 *
 * A counter lies in a struct mem_cgroup of its own. Of that, the pointer to the parent's memcg
 * (css.parent) is here too, because charging reads it at every level: it ends where the counter
 * begins, on its line when base_offset leaves room (2022: kernel-facts 1.2), or with css_apart on a
 * line that nobody writes.
 *
 * Every counter starts with PAGE_COUNTER_RESIDENT pages in use and a watermark that is never
 * reached: a working set that was charged long ago. So patterns that give back more than they took
 * (request/response traffic) never reach 0.
 *
 * Threads: making and checking belong to setup and check; the three operations to anybody.
 * Private to bench/.
 */
#ifndef BENCH_PAGE_COUNTER_TREE_H
#define BENCH_PAGE_COUNTER_TREE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "experiment.h"
#include "katomic.h"

#define PAGE_COUNTER_MAX_DEPTH 6
#define PAGE_COUNTER_MAX       (LONG_MAX / 4096) /* pages: no limit, as in the kernel */
#define PAGE_COUNTER_RESIDENT  (1L << 40)

enum page_counter_layout {
	PAGE_COUNTER_PACKED_5_19,
	PAGE_COUNTER_ALIGNED_2022_TEST,
	PAGE_COUNTER_PADDED_2022,
	PAGE_COUNTER_V6_12,
	PAGE_COUNTER_V6_15,
};
extern const char *const page_counter_layout_names[]; /* ends with NULL */

/* how protected usage is handed to the parent; off: nobody set memory.min or memory.low */
enum page_counter_rule {
	PAGE_COUNTER_OFF,
	PAGE_COUNTER_UNCONDITIONAL, /* 5.19: exchanged on every call */
	PAGE_COUNTER_CONDITIONAL,   /* cfdab60bfa66: exchanged when it differs */
};
extern const char *const page_counter_rule_names[]; /* ends with NULL */

struct page_counter_reading {
	long usage, min_usage, low_usage, children_min_usage, children_low_usage;
	unsigned long failcnt;
};

/* one layout; counters are void * here, each is a struct page_counter_<layout> */
struct page_counter_ops {
	size_t size, align;
	void (*init)(void *counter, void *parent, long usage);
	void (*set_max)(void *counter, unsigned long nr_pages);
	void (*set_protection)(void *counter, unsigned long nr_pages); /* min and low */
	void (*set_watermark)(void *counter, unsigned long nr_pages);
	void (*read)(const void *counter, struct page_counter_reading *out);
	void (*describe)(const void *counter, int level, field_teller tell, void *ctx);
	/* from the leaf to the root; try_charge undoes what it did when a level is over its max */
	bool (*try_charge)(void *leaf, long nr_pages, enum page_counter_rule rule);
	void (*charge)(void *leaf, long nr_pages, enum page_counter_rule rule);
	void (*uncharge)(void *leaf, long nr_pages, enum page_counter_rule rule);
	bool (*over_high)(const void *counter); /* this level alone */
};

struct page_counter_config {
	enum page_counter_layout layout;
	enum page_counter_rule rule;
	int depth, nr_leaves;
	size_t base_offset; /* of a counter in its line, rounded up to the layout's alignment */
	bool css_apart;
};

struct page_counter_tree {
	const struct page_counter_ops *ops;
	enum page_counter_rule rule;
	int depth, nr_leaves;
	size_t css_before; /* bytes from css.parent to the counter */
	void **leaf;
	void *above[PAGE_COUNTER_MAX_DEPTH]; /* by level; [0] is not used */
};

/* memory comes from env_alloc(); 0 or -ENOMEM */
int page_counter_tree_make(struct page_counter_tree *t, const struct env *env,
			   const struct page_counter_config *config, struct err *err);
void *page_counter_tree_level(const struct page_counter_tree *t, int leaf, int level);

/*
 * page_counter_tree_check - nothing is lost
 * @pages: for each leaf, pages that the workers account for beyond PAGE_COUNTER_RESIDENT
 * Usage at every level is the sum of what is below; a parent's children's protection is the sum of
 * its children's. -EUCLEAN with a sentence.
 */
int page_counter_tree_check(const struct page_counter_tree *t, const long *pages, struct err *err);

/* "0:usage", "1:max": level and field, leaf 0 */
void page_counter_tree_describe(const struct page_counter_tree *t, field_teller tell, void *ctx);

static inline bool tree_try_charge(const struct page_counter_tree *t, int leaf, long nr_pages)
{
	return t->ops->try_charge(t->leaf[leaf], nr_pages, t->rule);
}

static inline void tree_uncharge(const struct page_counter_tree *t, int leaf, long nr_pages)
{
	t->ops->uncharge(t->leaf[leaf], nr_pages, t->rule);
}

static inline void *tree_css_parent(const struct page_counter_tree *t, const void *counter)
{
	return READ_ONCE(*(void *const *)((const char *)counter - t->css_before));
}

/*
 * tree_over_high - what ends a successful charge of the counters: usage against high, level by
 * level, from memcg to parent memcg (mm/memcontrol.c, end of try_charge). No level is ever over it.
 */
static inline bool tree_over_high(const struct page_counter_tree *t, const void *leaf)
{
	const void *c;

	for (c = leaf; c; c = tree_css_parent(t, c))
		if (t->ops->over_high(c))
			return true;
	return false;
}

/*
 * tree_pressure_walk - is a memcg above under socket pressure? Asked when a socket gives pages back
 * (include/net/sock.h, sk_under_memory_pressure). The times that are compared lie on lines that
 * nobody writes and are left out: what is read is css.parent of every level.
 */
static inline int tree_pressure_walk(const struct page_counter_tree *t, const void *leaf)
{
	const void *c;
	int nr = 0;

	for (c = leaf; c; c = tree_css_parent(t, c))
		nr++;
	return nr;
}

#endif
