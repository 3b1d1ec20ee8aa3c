/* SPDX-License-Identifier: MIT */
#include "sim_private.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#define TELL_EVERY_US 100000
#define MAX_THREADS   64

struct sweep {
	const struct sim_config *configs;
	struct sim_result *out;
	bool *done;
	int nr;
	struct err *err; /* one each: which comes first in time must not decide which is reported */
	int *rc;
	atomic_int next, nr_done, nr_running;
	atomic_bool stop;
};

static void *work(void *arg)
{
	struct sweep *w = arg;
	int i;

	while (!atomic_load(&w->stop)) {
		i = atomic_fetch_add(&w->next, 1);
		if (i >= w->nr)
			break;
		w->rc[i] = sim_run(&w->configs[i], &w->out[i], &w->err[i]);
		w->done[i] = !w->rc[i];
		atomic_fetch_add(&w->nr_done, 1);
	}
	atomic_fetch_sub(&w->nr_running, 1);
	return NULL;
}

static void run_threads(struct sweep *w, bool (*tell)(void *, int), void *ctx)
{
	long nr = sysconf(_SC_NPROCESSORS_ONLN);
	pthread_t thread[MAX_THREADS];
	int i, started = 0;

	nr = nr < 1 ? 1 : nr > MAX_THREADS ? MAX_THREADS : nr;
	nr = nr > w->nr ? w->nr : nr;
	atomic_store(&w->nr_running, (int)nr);
	for (i = 0; i < nr; i++) {
		if (pthread_create(&thread[started], NULL, work, w))
			atomic_fetch_sub(&w->nr_running, 1);
		else
			started++;
	}
	if (!started) {
		atomic_store(&w->nr_running, 1);
		work(w);
	}
	while (atomic_load(&w->nr_running)) {
		usleep(TELL_EVERY_US / 10);
		if (tell && tell(ctx, atomic_load(&w->nr_done)))
			atomic_store(&w->stop, true);
	}
	for (i = 0; i < started; i++)
		pthread_join(thread[i], NULL);
}

int sim_sweep(const struct sim_config *configs, int nr, struct sim_result *out, bool *done,
	      bool (*tell)(void *ctx, int nr_done), void *ctx, struct err *err)
{
	struct sweep w = {.configs = configs, .out = out, .done = done, .nr = nr};
	int i, rc = 0;

	w.err = calloc((size_t)nr, sizeof(*w.err));
	w.rc = calloc((size_t)nr, sizeof(*w.rc));
	if (!w.err || !w.rc) {
		rc = err_set(err, -ENOMEM, "out of memory");
	} else {
		run_threads(&w, tell, ctx);
		for (i = 0; i < nr && !rc; i++) {
			rc = w.rc[i];
			if (rc && err)
				*err = w.err[i];
		}
		if (!rc && atomic_load(&w.nr_done) < nr)
			rc = 1;
	}
	free(w.err);
	free(w.rc);
	return rc;
}
