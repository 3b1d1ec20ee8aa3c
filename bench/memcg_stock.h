/* SPDX-License-Identifier: MIT */
/*
 * memcg_stock.h - the per-CPU stock of pages that were charged ahead, in five layouts
 *
 * A charge that finds its memcg in the CPU's stock touches no line that another CPU writes. Where
 * memcgs and counts lie decides what a look-up costs, how many memcgs fit and how large a batch may
 * be. l lock, n count, e eviction index, "." unused; 64-byte lines, "|" is a line's end.
 *
 *   single (2009 to 6.15): one memcg, the object stock in the same line
 *     l...nnnn cached   [ object stock, 48 bytes, not touched here          ] |
 *     [ work item, 32 bytes             ] flags    ........                   |
 *
 *   seven_8bit (f735eebe55f8, 6.16 on): seven memcgs in exactly the line that a look-up reads;
 *   counts of 8 bits: batch is 127 at most, for the sum of two stored counts must fit
 *     lnnnnnnn cached0  cached1  cached2  cached3  cached4  cached5  cached6  |
 *     [ work item                       ] flags    e.......                   |
 *
 *   seven_wide, 7 slots: 32-bit counts; up to 5 slots fit one line
 *     l...nnnn nnnnnnnn nnnnnnnn nnnnnnnn cached0  cached1  cached2  cached3  |
 *     cached4  cached5  cached6                                               |
 *     [ work item                       ] flags    e.......                   |
 *
 *   array_of_structs, 7 slots: memcg beside its count; up to 3 slots fit one line
 *     l....... cached0  nnnn.... cached1  nnnn.... cached2  nnnn.... cached3  |
 *     nnnn.... cached4  nnnn.... cached5  nnnn.... cached6  nnnn....          |
 *     [ work item                       ] flags    e.......                   |
 *
 *   per_counter (proposed, June 2026): no slots, no lock; each memcg's counter has one atomic count
 *   per CPU, 16 of them to a line of that CPU. Where it is and the batch are read from the
 *   counter's read-mostly line, which is not restated here.
 *     nnnnnnnn nnnnnnnn nnnnnnnn nnnnnnnn nnnnnnnn nnnnnnnn nnnnnnnn nnnnnnnn |
 *
 * With blocks=packed the next CPU's stock begins right after: the flag's line then holds its first
 * slots, too; of per_counter, counts of 16 CPUs share a line.
 *
 * Rules (mm/memcontrol.c of 6.6 and of mid-2026; trim as posted in August 2026):
 *   consume  fails when n is over the batch, the memcg is in no slot, or has fewer pages left.
 *            Empty slots may be anywhere, so all are looked at
 *   refill   n over the batch goes to the counters. Memcg found: add; over the batch overflow=drain
 *            gives all back and drops the memcg, overflow=trim gives back all but batch/2 and keeps
 *            it. Not found: the first empty slot, or one is evicted, its pages given back
 *   charge   consume; else max(batch, n) from the counters, the surplus to refill; where that is
 *            over a limit exactly n
 *   drain    another CPU looks whether this one holds pages and sets its flag; the owner gives all
 *            back, whichever memcg was meant. per_counter: the other CPU takes the counts by xchg
 *
 * Threads: all functions belong to the CPU that owns @cpu, but stock_ask(), which touches another
 * CPU's lines as said above. Every function takes the layout as its first argument: pass a
 * constant, then no choice is left at run time. The lock is local: two stores, never waited for.
 * Private to bench/.
 */
#ifndef BENCH_MEMCG_STOCK_H
#define BENCH_MEMCG_STOCK_H

#include <limits.h>

#include "experiment.h"
#include "katomic.h"
#include "page_counter_tree.h"
#include "bench.h"
#include "stats.h"

#define STOCK_SLOTS	     7 /* the kernel's, and what layouts without a choice are given */
#define STOCK_MAX_SLOTS	     15
#define STOCK_MAX_SLOTS_8BIT 7
#define STOCK_MAX_BATCH_8BIT (UCHAR_MAX / 2)
#define STOCK_MAX_MEMCGS     32

enum stock_layout {
	STOCK_SINGLE,
	STOCK_SEVEN_8BIT,
	STOCK_SEVEN_WIDE,
	STOCK_ARRAY_OF_STRUCTS,
	STOCK_PER_COUNTER,
};
enum stock_overflow { STOCK_DRAIN, STOCK_TRIM };
enum stock_eviction { STOCK_ROUND_ROBIN, STOCK_RANDOM };
enum stock_blocks { STOCK_ALIGNED, STOCK_PACKED };
/*
 * Sockets and objects are uncharged to the stock, since 2017; user memory, and all of it as the
 * per-counter stock was posted, to the counters. That took netperf SCTP_RR from 11.7 to 3.1 M/s on
 * 224 CPUs (202607090957.6713a660-lkp@intel.com).
 */
enum stock_uncharge { STOCK_TO_STOCK, STOCK_TO_COUNTERS };

extern const char *const stock_layout_names[]; /* these end with NULL */
extern const char *const stock_overflow_names[];
extern const char *const stock_eviction_names[];
extern const char *const stock_blocks_names[];
extern const char *const stock_uncharge_names[];

/* the line after the slots */
struct stock_tail {
	unsigned char work[32]; /* queued by whoever wants the stock drained; not touched here */
	unsigned long flags;	/* not 0: a drain is asked for */
	unsigned char evict;	/* the slot that goes next */
};

struct stock_single {
	unsigned char lock;
	unsigned int nr_pages;
	void *cached;
	unsigned char objects[48];
	struct stock_tail tail;
};

struct stock_seven_8bit {
	unsigned char lock, nr_pages[STOCK_MAX_SLOTS_8BIT];
	void *cached[STOCK_MAX_SLOTS_8BIT];
	struct stock_tail tail;
};

/* as many as there are slots; cached[] follows at the next multiple of 8 */
struct stock_seven_wide {
	unsigned char lock;
	unsigned int nr_pages[];
};

struct stock_array_of_structs {
	unsigned char lock;
	struct stock_slot {
		void *cached;
		unsigned int nr_pages;
	} slot[];
};

#define STOCK_ROUND_UP(n, to)  (((n) + (to)-1UL) & ~((to)-1UL))
#define STOCK_WIDE_CACHED(nr)  STOCK_ROUND_UP(offsetof(struct stock_seven_wide, nr_pages[nr]), 8)
#define STOCK_WIDE_TAIL(nr)    STOCK_ROUND_UP(STOCK_WIDE_CACHED(nr) + 8 * (nr), 64)
#define STOCK_STRUCTS_TAIL(nr) STOCK_ROUND_UP(offsetof(struct stock_array_of_structs, slot[nr]), 64)

_Static_assert(sizeof(struct stock_tail) == 48, "tail");
_Static_assert(offsetof(struct stock_single, nr_pages) == 4 &&
		       offsetof(struct stock_single, cached) == 8 &&
		       offsetof(struct stock_single, tail) == 64,
	       "single");
_Static_assert(offsetof(struct stock_seven_8bit, lock) == 0 &&
		       offsetof(struct stock_seven_8bit, nr_pages) == 1 &&
		       offsetof(struct stock_seven_8bit, cached) == 8 &&
		       offsetof(struct stock_seven_8bit, tail) == 64,
	       "seven_8bit: lock, counts and pointers are exactly one line");
_Static_assert(offsetof(struct stock_seven_8bit, tail.flags) == 96 &&
		       offsetof(struct stock_seven_8bit, tail.evict) == 104,
	       "flag and index are on the next line");
_Static_assert(STOCK_WIDE_CACHED(7) == 32 && STOCK_WIDE_TAIL(5) == 64 && STOCK_WIDE_TAIL(7) == 128,
	       "seven_wide");
_Static_assert(sizeof(struct stock_slot) == 16 && STOCK_STRUCTS_TAIL(3) == 64 &&
		       STOCK_STRUCTS_TAIL(7) == 128,
	       "array_of_structs");

struct stock_config {
	enum stock_layout layout;
	enum stock_overflow overflow;
	enum stock_eviction eviction;
	enum stock_blocks blocks;
	enum stock_uncharge uncharge_to;
	int nr_slots;  /* single and per_counter: not read */
	int nr_memcgs; /* of one CPU */
	unsigned int batch;
	int64_t call_ns; /* local work of each charge and uncharge: interrupts off and on, the call */
};

/* where the parts of one CPU's stock are; never changes */
struct stock_lines {
	void *block;		 /* struct stock_<layout>, or the counts of per_counter */
	void **cached;		 /* seven_wide */
	struct stock_tail *tail; /* NULL for per_counter */
	int nr_slots;		 /* counts, for per_counter */
};

/* what a CPU knows, on lines of its own that no other CPU looks at */
struct stock_cpu {
	struct stock_lines lines;
	const struct page_counter_tree *tree;
	void *const *memcg; /* the leaves of its memcgs: "memcg" below is an index into it */
	unsigned int batch, low;
	bool trim, random, to_counters;
	uint64_t rng;
	int64_t call_ns;
	/* since setup */
	uint64_t nr_charges, nr_misses; /* a charge consumes once; a miss goes to the counters */
	uint64_t nr_updates;		/* hierarchical charges and uncharges, tried ones too */
	uint64_t nr_evictions, nr_asked, nr_over_high;
	uint64_t nr_drains; /* stored pages given back: over the batch, evicted or asked for */
};

/* ---------------------------------------------------- memcg_stock_lines.c, not hot */

/* -EINVAL with a sentence: what the layout cannot hold, or slots chosen where there are none */
int stock_validate(const struct stock_config *c, struct err *err);

/*
 * stock_block - memory for the stock of worker @idx, 0 first; NULL when there is no more
 * @packed: of all workers, NULL before the first call: stocks that are packed are one array
 */
void *stock_block(const struct env *env, const struct stock_config *c, int idx, void **packed);

/* the stock of one CPU in @block; its memcgs are @memcg[0 .. nr_memcgs), leaves of @tree; @seed for
 * eviction=random */
void stock_init(struct stock_cpu *cpu, const struct stock_config *c, void *block,
		const struct page_counter_tree *tree, void *const *memcg, uint64_t seed);

/*
 * stock_count - adds what is stored for each memcg to @pages
 * -EUCLEAN with a sentence: a count over the batch, a memcg in two slots, pages of no memcg.
 */
int stock_count(enum stock_layout layout, const struct stock_cpu *cpu, int nr_memcgs, long *pages,
		struct err *err);

/* "stock[3].nr_pages": fields of the stock of worker @idx; counts and pointers by their arrays */
void stock_describe(enum stock_layout layout, const struct stock_lines *l, int idx,
		    field_teller tell, void *ctx);

#include "memcg_stock_ops.h"

#endif
