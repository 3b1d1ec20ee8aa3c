/* SPDX-License-Identifier: MIT */
/*
 * page_counter_tmpl.h - charge, try_charge, uncharge and cancel, written once, included per layout
 *
 * The includer defines PC_LAYOUT (the layout's name) and, where its release has them,
 * PC_LOCAL_WATERMARK and PC_FLAGS. Walks go from the leaf to the root through parent. What each
 * level writes and reads, in order (kernel-facts: mm/page_counter.c of 5.19, 6.1, 6.12, 6.15):
 *
 *   charge      usage += n; protection; watermark, written only when exceeded
 *   try_charge  usage += n, then compare with max; over it: usage -= n, count the failure, cancel
 *               every level below
 *   cancel      usage -= n; clamp at 0 on underflow; protection
 */
#define PC_CAT_(a, b) a##_##b
#define PC_CAT(a, b)  PC_CAT_(a, b)
#define PC(name)      PC_CAT(PC_LAYOUT, name)
#define PC_STRUCT     struct PC_CAT(page_counter, PC_LAYOUT)

/* what changed in a level's protected usage is added to its parent; the root has none */
static inline void PC(protect)(PC_STRUCT *c, unsigned long usage, enum page_counter_rule rule)
{
	long delta;

	if (!READ_ONCE(c->parent))
		return;
	delta = protected_delta(READ_ONCE(c->min), &c->min_usage, usage, rule);
	if (delta)
		atomic_long_add(delta, &READ_ONCE(c->parent)->children_min_usage);
	delta = protected_delta(READ_ONCE(c->low), &c->low_usage, usage, rule);
	if (delta)
		atomic_long_add(delta, &READ_ONCE(c->parent)->children_low_usage);
}

/* racy by design: two chargers may both see the old mark, and the smaller one may win */
static inline void PC(mark)(PC_STRUCT *c, unsigned long usage)
{
#ifdef PC_LOCAL_WATERMARK
	if (usage <= READ_ONCE(c->local_watermark))
		return;
	WRITE_ONCE(c->local_watermark, usage);
#endif
	if (usage > READ_ONCE(c->watermark))
		WRITE_ONCE(c->watermark, usage);
}

/* the flag is looked up once, on the leaf (2025 series); before, protection was always tracked */
static inline bool PC(tracks_protection)(PC_STRUCT *leaf)
{
#ifdef PC_FLAGS
	return READ_ONCE(leaf->protection_support);
#else
	return true;
#endif
}

static inline void PC(cancel)(PC_STRUCT *c, long nr_pages, enum page_counter_rule rule)
{
	long usage = atomic_long_sub_return(nr_pages, &c->usage);

	if (__builtin_expect(usage < 0, 0)) {
		usage = 0;
		atomic_long_set(&c->usage, 0);
	}
	if (PC(tracks_protection)(c))
		PC(protect)(c, usage, rule);
}

static inline void PC(uncharge)(PC_STRUCT *leaf, long nr_pages, enum page_counter_rule rule)
{
	PC_STRUCT *c;

	for (c = leaf; c; c = READ_ONCE(c->parent))
		PC(cancel)(c, nr_pages, rule);
}

static inline void PC(charge)(PC_STRUCT *leaf, long nr_pages, enum page_counter_rule rule)
{
	bool protection = PC(tracks_protection)(leaf);
	PC_STRUCT *c;
	long usage;

	for (c = leaf; c; c = READ_ONCE(c->parent)) {
		usage = atomic_long_add_return(nr_pages, &c->usage);
		if (protection)
			PC(protect)(c, usage, rule);
		PC(mark)(c, usage);
	}
}

static inline void PC(count_failure)(PC_STRUCT *leaf, PC_STRUCT *at)
{
#ifdef PC_FLAGS
	if (!READ_ONCE(leaf->track_failcnt))
		return;
#endif
	WRITE_ONCE(at->failcnt, READ_ONCE(at->failcnt) + 1);
}

static inline bool PC(try_charge)(PC_STRUCT *leaf, long nr_pages, enum page_counter_rule rule)
{
	bool protection = PC(tracks_protection)(leaf);
	PC_STRUCT *c, *undo;
	long usage;

	for (c = leaf; c; c = READ_ONCE(c->parent)) {
		usage = atomic_long_add_return(nr_pages, &c->usage);
		if ((unsigned long)usage > READ_ONCE(c->max)) {
			atomic_long_sub(nr_pages, &c->usage);
			PC(count_failure)(leaf, c);
			for (undo = leaf; undo != c; undo = READ_ONCE(undo->parent))
				PC(cancel)(undo, nr_pages, rule);
			return false;
		}
		if (protection)
			PC(protect)(c, usage, rule);
		PC(mark)(c, usage);
	}
	return true;
}

/* @usage pages are in use; @parent NULL for the root */
static void PC(init)(void *counter, void *parent, long usage)
{
	PC_STRUCT *c = counter;

	atomic_long_set(&c->usage, usage);
	c->parent = parent;
	c->max = PAGE_COUNTER_MAX;
	c->high = PAGE_COUNTER_MAX;
#ifdef PC_FLAGS
	c->protection_support = true;
	c->track_failcnt = true;
#endif
}

static void PC(set_max)(void *counter, unsigned long nr_pages)
{
	((PC_STRUCT *)counter)->max = nr_pages;
}

static void PC(set_protection)(void *counter, unsigned long nr_pages)
{
	PC_STRUCT *c = counter;

	c->min = c->low = nr_pages;
}

static void PC(set_watermark)(void *counter, unsigned long nr_pages)
{
	PC_STRUCT *c = counter;

	c->watermark = nr_pages;
#ifdef PC_LOCAL_WATERMARK
	c->local_watermark = nr_pages;
#endif
}

static void PC(read)(const void *counter, struct page_counter_reading *out)
{
	const PC_STRUCT *c = counter;

	out->usage = atomic_long_read(&c->usage);
	out->min_usage = atomic_long_read(&c->min_usage);
	out->low_usage = atomic_long_read(&c->low_usage);
	out->children_min_usage = atomic_long_read(&c->children_min_usage);
	out->children_low_usage = atomic_long_read(&c->children_low_usage);
	out->failcnt = READ_ONCE(c->failcnt);
}

/* those that charging touches, and their neighbours on the lines */
static void PC(describe)(const void *counter, int level, field_teller tell, void *ctx)
{
	const PC_STRUCT *c = counter;

	PC_TELL(usage);
	PC_TELL(failcnt);
	PC_TELL(min);
	PC_TELL(low);
	PC_TELL(high);
	PC_TELL(max);
	PC_TELL(parent);
	PC_TELL(min_usage);
	PC_TELL(children_min_usage);
	PC_TELL(low_usage);
	PC_TELL(children_low_usage);
	PC_TELL(watermark);
#ifdef PC_LOCAL_WATERMARK
	PC_TELL(local_watermark);
#endif
#ifdef PC_FLAGS
	PC_TELL(protection_support);
#endif
}

static bool PC(try_charge_fn)(void *leaf, long nr_pages, enum page_counter_rule rule)
{
	return PC(try_charge)(leaf, nr_pages, rule);
}

static void PC(charge_fn)(void *leaf, long nr_pages, enum page_counter_rule rule)
{
	PC(charge)(leaf, nr_pages, rule);
}

static void PC(uncharge_fn)(void *leaf, long nr_pages, enum page_counter_rule rule)
{
	PC(uncharge)(leaf, nr_pages, rule);
}

static bool PC(over_high)(const void *counter)
{
	const PC_STRUCT *c = counter;

	return (unsigned long)atomic_long_read(&c->usage) > READ_ONCE(c->high);
}

static const struct page_counter_ops PC(ops) = {
	.size = sizeof(PC_STRUCT),
	.align = _Alignof(PC_STRUCT),
	.init = PC(init),
	.set_max = PC(set_max),
	.set_protection = PC(set_protection),
	.set_watermark = PC(set_watermark),
	.read = PC(read),
	.describe = PC(describe),
	.try_charge = PC(try_charge_fn),
	.charge = PC(charge_fn),
	.uncharge = PC(uncharge_fn),
	.over_high = PC(over_high),
};

#undef PC_CAT_
#undef PC_CAT
#undef PC
#undef PC_STRUCT
#undef PC_LAYOUT
#undef PC_LOCAL_WATERMARK
#undef PC_FLAGS
