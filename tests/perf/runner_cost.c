/* SPDX-License-Identifier: MIT */
/*
 * What the runner adds to an operation: windows of chargeline's runner in turn with windows of the
 * same loop written by hand, and the median of their paired ratios. Above 1: the runner is slower.
 * Prints a table; the last line is the largest of the two ratios' distance to its bound.
 */
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "bench.h"
#include "stats.h"

#define BLOCKS	   41
#define WINDOW_NS  20000000
#define MAX_TRIES  20
#define BARE_CHUNK 4096

static int64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000LL + ts.tv_nsec;
}

/* ------------------------------------------------------------- the loop by hand */

struct bare {
	pthread_t thread;
	int cpu;
	bool add; /* atomic add; else load and store */
	long *line;
	double rate;
};

static atomic_int nr_ready, nr_bare;
static _Atomic int64_t bare_end;

static void *bare_main(void *arg)
{
	struct bare *b = arg;
	long *line = b->line;
	cpu_set_t set;
	int64_t start, now;
	long n = 0, i;

	CPU_ZERO(&set);
	CPU_SET(b->cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
	if (atomic_fetch_add(&nr_ready, 1) + 1 == atomic_load(&nr_bare))
		atomic_store(&bare_end, now_ns() + WINDOW_NS);
	while (!atomic_load(&bare_end))
		;
	start = now_ns();
	do {
		if (b->add)
			for (i = 0; i < BARE_CHUNK; i++)
				__asm__ volatile(
					""
					:
					: "r"(__atomic_fetch_add(line, 1, __ATOMIC_SEQ_CST)));
		else
			for (i = 0; i < BARE_CHUNK; i++)
				__atomic_store_n(line, __atomic_load_n(line, __ATOMIC_RELAXED) + 1,
						 __ATOMIC_RELAXED);
		n += BARE_CHUNK;
		now = now_ns();
	} while (now < atomic_load(&bare_end));
	b->rate = n * 1e9 / (now - start);
	return NULL;
}

static double bare_window(const struct cpulist *cpus, bool add)
{
	struct bare b[2];
	double sum = 0;
	long *line;
	int i;

	/* a fresh page each time, as the runner takes */
	line = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	atomic_store(&nr_ready, 0);
	atomic_store(&nr_bare, cpus->nr);
	atomic_store(&bare_end, 0);
	for (i = 0; i < cpus->nr; i++) {
		b[i] = (struct bare){.cpu = cpus->cpu[i], .add = add, .line = line};
		pthread_create(&b[i].thread, NULL, bare_main, &b[i]);
	}
	for (i = 0; i < cpus->nr; i++) {
		pthread_join(b[i].thread, NULL);
		sum += b[i].rate;
	}
	munmap(line, 4096);
	return sum;
}

/* ----------------------------------------------------------------- in turn */

static int compare(struct bench_session *s, const struct plan *plan, int idx, const char *what,
		   bool add, struct estimate *out, struct err *err)
{
	double ours[BLOCKS], bare[BLOCKS];
	int block, tries, rc, left_out = 0;
	struct sample sample;

	for (block = 0; block < BLOCKS; block++) {
		for (tries = 0; tries < MAX_TRIES; tries++) {
			/* the order alternates: neither side is always the one that comes first */
			if (block % 2)
				bare[block] = bare_window(&plan->cases[idx].cpus, add);
			rc = bench_window(s, idx, &sample, err);
			if (rc)
				return rc;
			if (!(block % 2))
				bare[block] = bare_window(&plan->cases[idx].cpus, add);
			ours[block] = sample.rate;
			if (!sample.marks)
				break;
			left_out++;
		}
	}
	rc = stats_ratio_ci(bare, ours, BLOCKS, 1, out);
	printf("%-44s %8.3f ns %8.3f ns  %.4f  [%.4f, %.4f]  %d disturbed\n", what,
	       1e9 / stats_median(bare, BLOCKS), 1e9 / stats_median(ours, BLOCKS), out->mid,
	       out->lo, out->hi, left_out);
	return rc;
}

int main(void)
{
	static const char *const names[] = {"contended_line"};
	static const char *const sets[] = {"op=load_store,fetch_add"};
	struct plan_spec spec = {.experiments = names,
				 .nr_experiments = 1,
				 .sets = sets,
				 .nr_sets = 1,
				 .workers = "1,2",
				 .window_ns = WINDOW_NS};
	struct estimate alone, both;
	struct bench_session *s;
	struct err err = ERR_INIT;
	struct topo *topo;
	struct plan plan;

	if (topo_load(&topo, NULL, &err) || plan_build(topo, &spec, &plan, &err) ||
	    bench_open(&s, topo, &plan, &err)) {
		fprintf(stderr, "runner_cost: %s\n", err.msg);
		return 1;
	}
	printf("%-44s %11s %11s  ratio   [95%% interval]\n", "operation", "by hand", "runner");
	/* the plan's order: load_store on 1 and 2 workers, fetch_add on 1 and 2 */
	if (compare(s, &plan, 0, "1 thread, load and store (the cheapest)", false, &alone, &err) ||
	    compare(s, &plan, 2, "1 thread, fetch_add", true, &both, &err) ||
	    compare(s, &plan, 3, "2 threads, fetch_add on one line", true, &both, &err)) {
		fprintf(stderr, "runner_cost: %s\n", err.msg);
		return 1;
	}
	bench_close(s);
	plan_free(&plan);
	topo_free(topo);
	printf("bounds: 1 thread at most 1.02, 2 threads within 3%% of 1\n");
	printf("%.4f %.4f\n", alone.mid, both.mid);
	return 0;
}
