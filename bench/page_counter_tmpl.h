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
static inline void PC(protect)(PC_STRUCT *c, unsigned long usage, enum pc_protection rule)
{
	long delta;

	if (!READ_ONCE(c->parent))
		return;
	delta = pc_protected_delta(READ_ONCE(c->min), &c->min_usage, usage, rule);
	if (delta)
		atomic_long_add(delta, &READ_ONCE(c->parent)->children_min_usage);
	delta = pc_protected_delta(READ_ONCE(c->low), &c->low_usage, usage, rule);
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

static inline void PC(cancel)(PC_STRUCT *c, long nr_pages, enum pc_protection rule)
{
	long usage = atomic_long_sub_return(nr_pages, &c->usage);

	if (__builtin_expect(usage < 0, 0)) {
		usage = 0;
		atomic_long_set(&c->usage, 0);
	}
	if (PC(tracks_protection)(c))
		PC(protect)(c, usage, rule);
}

static inline void PC(uncharge)(PC_STRUCT *leaf, long nr_pages, enum pc_protection rule)
{
	PC_STRUCT *c;

	for (c = leaf; c; c = READ_ONCE(c->parent))
		PC(cancel)(c, nr_pages, rule);
}

static inline void PC(charge)(PC_STRUCT *leaf, long nr_pages, enum pc_protection rule)
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

static inline bool PC(try_charge)(PC_STRUCT *leaf, long nr_pages, enum pc_protection rule)
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

/* @nr_ops pages: work, take a page from the stock (charged a batch ahead), give pages back a batch
 * at a time */
static void PC(run)(struct pc_shared *s, const struct pc_params *p, struct pc_worker *me,
		    uint64_t nr_ops)
{
	PC_STRUCT *leaf = s->level[0];
	enum pc_protection rule = p->protection;
	int64_t stock = me->stock, held = me->held;
	const int64_t work_ns = p->work_ns, batch = p->batch;
	const bool growing = p->phase == PC_PHASE_GROWTH;
	int64_t give;

	for (; nr_ops; nr_ops--) {
		if (work_ns)
			cpu_work_ns(work_ns);
		if (!stock) {
			me->nr_calls++;
			if (PC(try_charge)(leaf, batch, rule)) {
				stock = batch;
			} else if (PC(try_charge)(leaf, 1, rule)) {
				/* the kernel's second try: what is needed, nothing ahead */
				me->nr_calls++;
				stock = 1;
			} else {
				/* stands for reclaim: what this worker holds goes back */
				me->nr_calls++;
				me->nr_failed++;
				if (held) {
					PC(uncharge)(leaf, held, rule);
					me->nr_calls++;
					me->nr_uncharged += held;
					held = 0;
				}
				continue;
			}
		}
		stock--;
		held++;
		if (held < batch || growing)
			continue;
		give = pc_give(me, held);
		held = 0;
		if (give) {
			PC(uncharge)(leaf, give, rule);
			me->nr_calls++;
			me->nr_uncharged += give;
		}
	}
	me->stock = stock;
	me->held = held;
}

/* chain the levels, root last; limits and protection as the parameters say */
static void PC(init)(struct pc_shared *s, const struct pc_params *p, int nr_workers)
{
	PC_STRUCT *c;
	int i;

	for (i = 0; i < p->depth; i++) {
		c = s->level[i];
		c->parent = i + 1 < p->depth ? s->level[i + 1] : NULL;
		atomic_long_set(&c->usage, PC_RESIDENT);
		c->watermark = pc_first_watermark(p, nr_workers);
#ifdef PC_LOCAL_WATERMARK
		c->local_watermark = c->watermark;
#endif
		c->max = PC_UNLIMITED;
		c->high = PC_UNLIMITED;
		if (p->limit == PC_LIMIT_HIT && p->limit_level == i)
			c->max = pc_limit(p, nr_workers);
		if (p->protection != PC_PROTECTION_OFF && p->protection_level == i)
			c->min = c->low = PC_RESIDENT / 2;
#ifdef PC_FLAGS
		c->protection_support = true;
		c->track_failcnt = true;
#endif
	}
}

static void PC(read)(const struct pc_shared *s, int level, struct pc_level *out)
{
	const PC_STRUCT *c = s->level[level];

	out->usage = atomic_long_read(&c->usage);
	out->min_usage = atomic_long_read(&c->min_usage);
	out->low_usage = atomic_long_read(&c->low_usage);
	out->children_min_usage = atomic_long_read(&c->children_min_usage);
	out->children_low_usage = atomic_long_read(&c->children_low_usage);
	out->failcnt = READ_ONCE(c->failcnt);
}

static const struct pc_ops PC(ops) = {
	.size = sizeof(PC_STRUCT),
	.align = _Alignof(PC_STRUCT),
	.init = PC(init),
	.run = PC(run),
	.read = PC(read),
};

#undef PC_CAT_
#undef PC_CAT
#undef PC
#undef PC_STRUCT
#undef PC_LAYOUT
#undef PC_LOCAL_WATERMARK
#undef PC_FLAGS
