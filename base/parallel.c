/* SPDX-License-Identifier: MIT */
#include "parallel.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#define MAX_THREADS 64

struct share {
	void (*work)(void *ctx, int i);
	void *ctx;
	int nr;
	atomic_int next;
};

static void *take(void *arg)
{
	struct share *s = arg;
	int i;

	while ((i = atomic_fetch_add(&s->next, 1)) < s->nr)
		s->work(s->ctx, i);
	return NULL;
}

static int nr_threads(int nr)
{
	cpu_set_t cpus;
	int usable = 1;

	if (!sched_getaffinity(0, sizeof(cpus), &cpus))
		usable = CPU_COUNT(&cpus);
	usable = usable > MAX_THREADS ? MAX_THREADS : usable;
	return nr < usable ? nr : usable;
}

void parallel_each(int nr, void (*work)(void *ctx, int i), void *ctx)
{
	struct share s = {.work = work, .ctx = ctx, .nr = nr};
	pthread_t thread[MAX_THREADS];
	int i, started = 0, more = nr_threads(nr) - 1;

	while (started < more && !pthread_create(&thread[started], NULL, take, &s))
		started++;
	take(&s);
	for (i = 0; i < started; i++)
		pthread_join(thread[i], NULL);
}
