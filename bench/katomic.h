/* SPDX-License-Identifier: MIT */
/*
 * katomic.h - the kernel's atomic operations under the kernel's names and with its ordering
 *
 * Subjects touch shared memory through this file only. It has two backends:
 *
 *   native (default)   __atomic builtins: real lines, real contention
 *   KATOMIC_HOOKED     every access first calls katomic_hook(), then is done on real memory: the
 *                      model turns the call into time, a test into a list
 *
 * Ordering is the kernel's (Documentation/atomic_t.txt): an operation that returns a value is fully
 * ordered, one that does not is unordered; READ_ONCE and WRITE_ONCE are single relaxed accesses,
 * so races that the kernel accepts (the watermark) are not races to the thread sanitizer.
 *
 * A returned value passes through an empty asm: without it gcc 12 folds "add, then test the sign"
 * into a plain locked add, which is not the instruction that the kernel runs.
 */
#ifndef BENCH_KATOMIC_H
#define BENCH_KATOMIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum katomic_access {
	KATOMIC_READ,
	KATOMIC_WRITE,
	KATOMIC_ADD, /* read-modify-write that cannot fail and whose value is used: add_return, ... */
	KATOMIC_XCHG,
	KATOMIC_CMPXCHG, /* counted whether it succeeds or not */
	KATOMIC_POST,	 /* add, sub: nobody waits for the value, a far atomic can be posted */
};

#ifdef KATOMIC_HOOKED
void katomic_hook(enum katomic_access access, const volatile void *addr, size_t size);
#define KATOMIC_TOUCH(access, p) katomic_hook(access, p, sizeof(*(p)))
#else
#define KATOMIC_TOUCH(access, p) ((void)0)
#endif

/* between two looks at what another CPU writes */
#ifdef KATOMIC_HOOKED
void katomic_relax(void);
#define cpu_relax() katomic_relax()
#else
static inline void cpu_relax(void)
{
#if defined(__x86_64__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield");
#endif
}
#endif

#define READ_ONCE(x)                                     \
	({                                               \
		KATOMIC_TOUCH(KATOMIC_READ, &(x));       \
		__atomic_load_n(&(x), __ATOMIC_RELAXED); \
	})

#define WRITE_ONCE(x, v)                                                                      \
	({                                                                                    \
		__typeof__(x) value_ = (v); /* first: it may be made from reads of its own */ \
		KATOMIC_TOUCH(KATOMIC_WRITE, &(x));                                           \
		__atomic_store_n(&(x), value_, __ATOMIC_RELAXED);                             \
	})

#define smp_load_acquire(p)                             \
	({                                              \
		KATOMIC_TOUCH(KATOMIC_READ, p);         \
		__atomic_load_n((p), __ATOMIC_ACQUIRE); \
	})

#define smp_store_release(p, v)                                  \
	({                                                       \
		__typeof__(*(p)) value_ = (v);                   \
		KATOMIC_TOUCH(KATOMIC_WRITE, p);                 \
		__atomic_store_n((p), value_, __ATOMIC_RELEASE); \
	})

#define xchg(p, v)                                                  \
	({                                                          \
		__typeof__(*(p)) value_ = (v);                      \
		KATOMIC_TOUCH(KATOMIC_XCHG, p);                     \
		__atomic_exchange_n((p), value_, __ATOMIC_SEQ_CST); \
	})

/* true when *p was *old and is now new; else *old is what *p holds */
#define try_cmpxchg(p, old, new)                                                        \
	({                                                                              \
		KATOMIC_TOUCH(KATOMIC_CMPXCHG, p);                                      \
		__atomic_compare_exchange_n((p), (old), (new), false, __ATOMIC_SEQ_CST, \
					    __ATOMIC_RELAXED);                          \
	})

typedef struct {
	long counter;
} atomic_long_t;

static inline long katomic_keep(long value)
{
	__asm__ volatile("" : "+r"(value));
	return value;
}

static inline long atomic_long_read(const atomic_long_t *v)
{
	return READ_ONCE(v->counter);
}

static inline void atomic_long_set(atomic_long_t *v, long i)
{
	WRITE_ONCE(v->counter, i);
}

static inline long atomic_long_add_return(long i, atomic_long_t *v)
{
	KATOMIC_TOUCH(KATOMIC_ADD, &v->counter);
	return katomic_keep(__atomic_add_fetch(&v->counter, i, __ATOMIC_SEQ_CST));
}

static inline long atomic_long_sub_return(long i, atomic_long_t *v)
{
	return atomic_long_add_return(-i, v);
}

static inline long atomic_long_fetch_add(long i, atomic_long_t *v)
{
	KATOMIC_TOUCH(KATOMIC_ADD, &v->counter);
	return katomic_keep(__atomic_fetch_add(&v->counter, i, __ATOMIC_SEQ_CST));
}

static inline void atomic_long_add(long i, atomic_long_t *v)
{
	KATOMIC_TOUCH(KATOMIC_POST, &v->counter);
	(void)__atomic_fetch_add(&v->counter, i, __ATOMIC_RELAXED);
}

static inline void atomic_long_sub(long i, atomic_long_t *v)
{
	atomic_long_add(-i, v);
}

static inline long atomic_long_xchg(atomic_long_t *v, long i)
{
	return xchg(&v->counter, i);
}

static inline bool atomic_long_try_cmpxchg(atomic_long_t *v, long *old, long new_value)
{
	return try_cmpxchg(&v->counter, old, new_value);
}

#endif
