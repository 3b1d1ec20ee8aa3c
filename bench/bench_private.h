/* SPDX-License-Identifier: MIT */
/*
 * bench_private.h - the parts of the runner, private to bench/
 *
 *   runner.c   sessions, windows, blocks: who runs what when
 *   worker.c   the pinned threads; the only file that makes threads
 *   window.c   what a worker does in a window, and the sum over workers
 *   memory.c   lines on a chosen node, and the proof that they are there
 *   counting.c the counters of all workers
 *   noise.c    what the system did to us meanwhile: steal, throttling
 *   work.c     cpu_work_ns and its calibration
 */
#ifndef BENCH_PRIVATE_H
#define BENCH_PRIVATE_H

#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "bench.h"
#include "katomic.h"

#define NS_PER_S 1000000000LL

/* how long a chunk of operations lasts between two looks at the clock; at about 25 ns a look this
 * is 1/800 of the time, and a window of 20 ms has 1000 chunks */
#define BENCH_CHUNK_NS 20000

static inline int64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * NS_PER_S + ts.tv_nsec;
}

/* workers have a CPU each, so waiting means spinning; with more threads than CPUs it must yield */
#define WAIT_UNTIL(cond)                       \
	do {                                   \
		unsigned spins_ = 0;           \
		while (!(cond)) {              \
			cpu_relax();           \
			if (++spins_ > 5000)   \
				sched_yield(); \
		}                              \
	} while (0)

/* ------------------------------------------------------------------ memory.c */

struct arena; /* the memory of one window */
struct kept;  /* what outlives a window, see env_keep(); a list, NULL at first */
void kept_free(struct kept *kept);

/*
 * arena_open - for workers on @cpus, shared lines on node @home_node (-1: spread over all nodes)
 * @kept: what env_keep() finds and adds to; NULL: it has none
 * Lives for one window. NULL when out of memory.
 */
struct arena *arena_open(const struct topo *topo, const struct cpulist *cpus, int home_node,
			 struct kept **kept);

/*
 * arena_verify - ask the kernel where every page is
 * Returns 1 all where they should be, 0 some are not, -errno when the kernel will not say
 * (-EPERM: seccomp; -ENOSYS: a kernel without NUMA), with the sentence in @note.
 */
int arena_verify(struct arena *arena, char *note, size_t size);
void arena_close(struct arena *arena);

/* ------------------------------------------------------------------- noise.c */

struct noise;

struct noise_reading {
	uint64_t throttled; /* nr_throttled of our cgroup; 0 when it has none */
	uint64_t *steal;    /* clock ticks, by OS CPU number up to nr_steal; NULL: not readable */
	int nr_steal;
};

int noise_open(struct noise **out);
void noise_close(struct noise *n);
void noise_read(struct noise *n, struct noise_reading *out); /* reuses out->steal */

/* -------------------------------------------------------------------- work.c */

void work_calibrate(void); /* of the calling thread */
double work_error(void);   /* largest relative error at 250 ns, 1 us and 4 us, now */

/* ------------------------------------------------------------------ worker.c */

struct crew; /* one pinned thread per CPU */
struct worker_slot;

/* What all workers of a window share. Written by the runner before, by workers as noted. */
struct job {
	void (*body)(struct job *job, struct worker_slot *slot); /* on each worker's thread */
	void *arg;						 /* of the body */
	/* for windows: */
	const struct bench_case *c;
	void *shared;
	int nr_workers;
	int64_t warmup_ns, window_ns;
	int counter_set; /* of the workers that have counters */
	/* start together: the last to arrive sets the time, the others wait for it */
	atomic_int nr_ready, nr_ended;
	_Atomic int64_t start_ns;
	atomic_bool failed;			/* a worker_init() refused: nobody runs */
	int over __attribute__((aligned(128))); /* worker_over(); read while waiting */
	atomic_int nr_running
		__attribute__((aligned(128))); /* threads that have not finished the job */
};

/* One worker's part: given in, and what came out. A pair of lines each, or they would contend. */
struct worker_slot {
	struct worker w;
	uint64_t ops;	    /* in the window */
	uint64_t ops_total; /* with warm-up and what came after the window */
	int64_t start_ns, end_ns;
	bool switched, migrated;
	struct counter_thread *counters; /* NULL: nothing is counted */
	double work_error;
	int rc; /* of worker_init */
	struct err err;
} __attribute__((aligned(128)));

/* a thread pinned to each of @cpus (a CPU may be named more than once), proven to be there;
 * -EAGAIN, or -EOPNOTSUPP naming the CPU */
int crew_open(struct crew **out, const struct cpulist *cpus, struct err *err);

/* run @job on the threads of @cpus (all of them in the crew), slot i on cpus[i]; returns when done */
void crew_run(struct crew *crew, struct job *job, const struct cpulist *cpus,
	      struct worker_slot *slots);
void crew_close(struct crew *crew);

/* ---------------------------------------------------------------- counting.c */

struct counting; /* the plan's counters on all threads of a crew; NULL: nothing is counted */

/* @cpus, of the crew, and @slots, one for each, are the session's and outlive it. 0 or -ENOMEM */
int counting_open(struct counting **out, const struct plan *plan, struct crew *crew,
		  const struct cpulist *cpus, struct worker_slot *slots, struct err *err);
void counting_close(struct counting *n);
int counting_turn(struct counting *n, int case_idx); /* which set the case's next window counts */
struct counter_thread *counting_on(const struct counting *n, int cpu);
void counting_none(struct sample *out);
int counting_read(struct counting *n, const struct worker_slot *slots, int nr, struct sample *out,
		  struct err *err); /* after the window; @out has its ops */

/* ------------------------------------------------------------------ window.c */

/* a job's body: warm up, start together, count until the window ends, keep on until all have */
void window_body(struct job *job, struct worker_slot *slot);

/* sums, fairness, overlap and the marks that follow from them; @out starts zeroed; all windows > 0 */
void sample_from_slots(const struct worker_slot *slots, int nr, double clock_resolution_ns,
		       struct sample *out);

#endif
