/* SPDX-License-Identifier: MIT */
/*
 * page_counter.h - five layouts of the kernel's struct page_counter
 *
 * A page_counter is one level of a cgroup's memory accounting. A charge adds pages to usage of the
 * leaf, then of its parent, up to the root; so the nearer the root, the more CPUs write that line.
 * The layouts differ in what shares a line with usage. 64-bit, 64-byte lines; "|" is a line's end.
 *
 *   packed_5_19 (5.12 to 5.19), at byte 16 of a line, as memory.usage lay in struct mem_cgroup:
 *     ........ ........ usage    min      low      high     max      emin     |
 *     min_use  ch_min   elow     low_use  ch_low   watermrk failcnt  parent   |
 *
 *   aligned_2022_test (E. Dumazet, June 2022, two alignment attributes):
 *     usage                                                                   |
 *     min      low      high     max      emin     min_use  ch_min   elow     |
 *     low_use  ch_low   watermrk failcnt  parent                              |
 *
 *   padded_2022 (408587baee39):
 *     usage                                                                   |
 *     emin     min_use  ch_min   elow     low_use  ch_low   watermrk failcnt  |
 *     min      low      high     max      parent                              |
 *
 *   v6_12 (c6f53ed8f213; local_watermark pushed failcnt to a line of its own):
 *     usage                                                                   |
 *     emin     min_use  ch_min   elow     low_use  ch_low   watermrk local_wm |
 *     failcnt                                                                 |
 *     min      low      high     max      parent                              |
 *
 *   v6_15 (March 2025 series):
 *     usage    failcnt                                                        |
 *     emin     min_use  ch_min   elow     low_use  ch_low   watermrk local_wm |
 *     flags    min      low      high     max      parent                     |
 *
 * Offsets are facts read in the kernel's headers and asserted below; the structs are ours.
 */
#ifndef BENCH_PAGE_COUNTER_H
#define BENCH_PAGE_COUNTER_H

#include <stddef.h>

#include "katomic.h"

#define CACHE_LINE	  64
#define CACHELINE_ALIGNED __attribute__((aligned(CACHE_LINE)))

/* what protection writes: effective and current protected usage, own and of the children */
#define PC_MIN_FIELDS            \
	unsigned long emin;      \
	atomic_long_t min_usage; \
	atomic_long_t children_min_usage
#define PC_LOW_FIELDS            \
	unsigned long elow;      \
	atomic_long_t low_usage; \
	atomic_long_t children_low_usage

struct page_counter_packed_5_19 {
	atomic_long_t usage;
	unsigned long min, low, high, max;
	PC_MIN_FIELDS;
	PC_LOW_FIELDS;
	unsigned long watermark, failcnt;
	struct page_counter_packed_5_19 *parent;
};

struct page_counter_aligned_2022_test {
	atomic_long_t usage CACHELINE_ALIGNED;
	unsigned long min CACHELINE_ALIGNED;
	unsigned long low, high, max;
	PC_MIN_FIELDS;
	PC_LOW_FIELDS;
	unsigned long watermark, failcnt;
	struct page_counter_aligned_2022_test *parent;
};

struct page_counter_padded_2022 {
	atomic_long_t usage CACHELINE_ALIGNED;
	unsigned long emin CACHELINE_ALIGNED;
	atomic_long_t min_usage, children_min_usage;
	PC_LOW_FIELDS;
	unsigned long watermark, failcnt;
	unsigned long min CACHELINE_ALIGNED;
	unsigned long low, high, max;
	struct page_counter_padded_2022 *parent;
};

struct page_counter_v6_12 {
	atomic_long_t usage CACHELINE_ALIGNED;
	unsigned long emin CACHELINE_ALIGNED;
	atomic_long_t min_usage, children_min_usage;
	PC_LOW_FIELDS;
	unsigned long watermark, local_watermark, failcnt;
	unsigned long min CACHELINE_ALIGNED;
	unsigned long low, high, max;
	struct page_counter_v6_12 *parent;
};

struct page_counter_v6_15 {
	atomic_long_t usage CACHELINE_ALIGNED;
	unsigned long failcnt;
	unsigned long emin CACHELINE_ALIGNED;
	atomic_long_t min_usage, children_min_usage;
	PC_LOW_FIELDS;
	unsigned long watermark, local_watermark;
	_Bool protection_support CACHELINE_ALIGNED;
	_Bool track_failcnt;
	unsigned long min, low, high, max;
	struct page_counter_v6_15 *parent;
};

/* columns: usage failcnt min low high max parent emin min_usage ch_min elow low_usage ch_low wm */
#define PC_ASSERT_LAYOUT(layout, size, us, fa, mi, lo, hi, ma, pa, em, mu, cm, el, lu, cl, wm) \
	_Static_assert(                                                                        \
		sizeof(struct page_counter_##layout) == (size) &&                              \
			offsetof(struct page_counter_##layout, usage) == (us) &&               \
			offsetof(struct page_counter_##layout, failcnt) == (fa) &&             \
			offsetof(struct page_counter_##layout, min) == (mi) &&                 \
			offsetof(struct page_counter_##layout, low) == (lo) &&                 \
			offsetof(struct page_counter_##layout, high) == (hi) &&                \
			offsetof(struct page_counter_##layout, max) == (ma) &&                 \
			offsetof(struct page_counter_##layout, parent) == (pa) &&              \
			offsetof(struct page_counter_##layout, emin) == (em) &&                \
			offsetof(struct page_counter_##layout, min_usage) == (mu) &&           \
			offsetof(struct page_counter_##layout, children_min_usage) == (cm) &&  \
			offsetof(struct page_counter_##layout, elow) == (el) &&                \
			offsetof(struct page_counter_##layout, low_usage) == (lu) &&           \
			offsetof(struct page_counter_##layout, children_low_usage) == (cl) &&  \
			offsetof(struct page_counter_##layout, watermark) == (wm),             \
		#layout ": an offset is not the kernel's")

PC_ASSERT_LAYOUT(packed_5_19, 112, 0, 96, 8, 16, 24, 32, 104, 40, 48, 56, 64, 72, 80, 88);
PC_ASSERT_LAYOUT(aligned_2022_test, 192, 0, 152, 64, 72, 80, 88, 160, 96, 104, 112, 120, 128, 136,
		 144);
PC_ASSERT_LAYOUT(padded_2022, 192, 0, 120, 128, 136, 144, 152, 160, 64, 72, 80, 88, 96, 104, 112);
PC_ASSERT_LAYOUT(v6_12, 256, 0, 128, 192, 200, 208, 216, 224, 64, 72, 80, 88, 96, 104, 112);
PC_ASSERT_LAYOUT(v6_15, 192, 0, 8, 136, 144, 152, 160, 168, 64, 72, 80, 88, 96, 104, 112);
_Static_assert(offsetof(struct page_counter_v6_12, local_watermark) == 120, "v6_12");
_Static_assert(offsetof(struct page_counter_v6_15, local_watermark) == 120, "v6_15");
_Static_assert(offsetof(struct page_counter_v6_15, protection_support) == 128, "v6_15");
_Static_assert(offsetof(struct page_counter_v6_15, track_failcnt) == 129, "v6_15");

#endif
