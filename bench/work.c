/* SPDX-License-Identifier: MIT */
#include "bench_private.h"

#include <math.h>

#if defined(__aarch64__)
#include <asm/hwcap.h>
#include <sys/auxv.h>
#endif

/*
 * What a call costs and how many steps a nanosecond has, as 20-bit fixed point numbers; 0 steps
 * before calibration: no work is done. Per thread, since cores of one machine differ in speed.
 */
static _Thread_local uint64_t call_ns_q20, steps_per_ns_q20;

/* work begins when everything before it has ended: a wide core would otherwise run it, or the work
 * of the next operation, in the shadow of an atomic that waits for its line */
static inline void wait_for_the_past(void)
{
#if defined(__x86_64__)
	__builtin_ia32_lfence();
#elif defined(__aarch64__)
	__asm__ volatile("isb" : : : "memory");
#else
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
#endif
}

/* each step waits for the one before: time is the multiplier's latency, whatever a sibling does */
static void chain(uint64_t nr_steps)
{
	uint64_t x = nr_steps;

	wait_for_the_past();
	while (nr_steps--) {
		x = x * 6364136223846793005ULL + 1442695040888963407ULL;
		__asm__ volatile("" : "+r"(x));
	}
}

void cpu_work_ns(int64_t n)
{
	uint64_t ns_q20;

	if (n <= 0 || !steps_per_ns_q20)
		return;
	ns_q20 = (uint64_t)n << 20;
	ns_q20 = ns_q20 > call_ns_q20 ? ns_q20 - call_ns_q20 : 0;
	chain((ns_q20 >> 10) * (steps_per_ns_q20 >> 10) >> 20);
}

static int64_t least_time(void (*body)(int64_t), int64_t arg, int repeat, int tries)
{
	int64_t best = INT64_MAX, t;
	int i;

	while (tries--) {
		t = now_ns();
		for (i = 0; i < repeat; i++)
			body(arg);
		t = now_ns() - t;
		if (t < best)
			best = t;
	}
	return best;
}

static void chain_of(int64_t nr_steps)
{
	chain(nr_steps);
}

#define SHORT_STEPS 200
#define LONG_STEPS  4000
#define REPEAT	    10

/* two lengths give the time of a step and the time of a call */
void work_calibrate(void)
{
	double short_ns, long_ns, step_ns, call_ns;

	least_time(chain_of, LONG_STEPS, REPEAT, 20); /* an idle core comes up slowly */
	short_ns = least_time(chain_of, SHORT_STEPS, 20 * REPEAT, 25) / (20.0 * REPEAT);
	long_ns = least_time(chain_of, LONG_STEPS, REPEAT, 25) / (double)REPEAT;
	step_ns = (long_ns - short_ns) / (LONG_STEPS - SHORT_STEPS);
	if (step_ns <= 0)
		return;
	call_ns = short_ns - SHORT_STEPS * step_ns;
	steps_per_ns_q20 = (1 << 20) / step_ns;
	call_ns_q20 = call_ns > 0 ? call_ns * (1 << 20) : 0;
}

double work_error(void)
{
	static const int64_t demands[] = {250, 1000, 4000};
	double worst = 0, e;
	size_t i;

	for (i = 0; i < sizeof(demands) / sizeof(demands[0]); i++) {
		e = least_time(cpu_work_ns, demands[i], 40, 15) / (40.0 * demands[i]) - 1;
		if (fabs(e) > fabs(worst))
			worst = e;
	}
	return fabs(worst);
}

/*
 * On aarch64 compare-and-swap loops (LL/SC) and LSE instructions differ by multiples under
 * contention, and builds differ in silence: gcc calls out-of-line helpers that choose at run time
 * unless -march says LSE, or -mno-outline-atomics without it says LL/SC.
 */
const char *bench_atomics(void)
{
#if defined(__x86_64__)
	return "lock-prefixed";
#elif defined(__aarch64__) && defined(__ARM_FEATURE_ATOMICS)
	return "LSE";
#elif defined(__aarch64__)
	return getauxval(AT_HWCAP) & HWCAP_ATOMICS ? "LSE through helpers, or LL/SC by build flags"
						   : "LL/SC";
#else
	return "as the compiler chose";
#endif
}
