/* SPDX-License-Identifier: MIT */
/*
 * What counting costs inside a window: windows with counters in turn with windows without, and the
 * median of their paired ratios of time per operation. Above 1: counting is slower.
 * Prints what was counted; the last line is the ratio, and whether it is at most 1.01.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "counters.h"
#include "stats.h"

#define BLOCKS	  41
#define MAX_TRIES 50
#define WINDOW_NS 4000000 /* short: what counting costs at its ends would show more */
#define BOUND	  1.01

/* rate of an undisturbed window; NaN: there was none */
static double rate(struct bench_session *s, struct err *err)
{
	struct sample sample;
	int i;

	for (i = 0; i < MAX_TRIES; i++) {
		if (bench_window(s, 0, &sample, err))
			return NAN;
		if (!sample.marks)
			return sample.rate;
	}
	return NAN;
}

static int compare(struct bench_session *with, struct bench_session *without, struct err *err)
{
	double ratio[BLOCKS], a, b;
	struct estimate e;
	int i, nr = 0;

	for (i = 0; i < BLOCKS; i++) {
		a = rate(i % 2 ? with : without, err);
		b = rate(i % 2 ? without : with, err);
		if (err->code)
			return err->code;
		if (isfinite(a) && isfinite(b))
			ratio[nr++] = i % 2 ? b / a : a / b;
	}
	if (!nr || stats_median_ci(ratio, nr, 1, &e))
		return err_set(err, -EOPNOTSUPP, "no two windows were undisturbed");
	printf("%d pairs of windows; time per operation with counters / without, 95%% interval "
	       "[%.4f, %.4f]; to be at most %.2f\n%.4f\n",
	       nr, e.lo, e.hi, BOUND, e.mid);
	return 0;
}

int main(int argc, char **argv)
{
	static const char *const name[] = {"contended_line"};
	const struct plan_spec spec = {.experiments = name,
				       .nr_experiments = 1,
				       .workers = "1",
				       .blocks = 1,
				       .window_ns = WINDOW_NS};
	struct bench_session *with = NULL, *without = NULL;
	struct counters *counters = NULL;
	struct topo *topo = NULL;
	struct plan plain = {0}, counted = {0};
	struct err err = ERR_INIT;
	int i, nr = 0, rc;

	rc = topo_load(&topo, NULL, &err);
	rc = rc ? rc : plan_build(topo, &spec, &plain, &err);
	rc = rc ? rc : plan_build(topo, &spec, &counted, &err);
	rc = rc ? rc : counters_open(&counters, topo, argc > 1 ? argv[1] : NULL, false, &err);
	counted.counters = counters;
	rc = rc ? rc : bench_open(&without, topo, &plain, &err);
	rc = rc ? rc : bench_open(&with, topo, &counted, &err);
	for (i = 0; !rc && counters && i < counters_nr(counters); i++)
		nr += counters_info(counters, i)->state == COUNTER_COUNTED;
	if (!rc)
		printf("%d metrics counted with %s\n", nr, counters_backend(counters));
	rc = rc ? rc : compare(with, without, &err);
	if (rc)
		fprintf(stderr, "counters_cost: %s\n", err.msg);
	bench_close(with);
	bench_close(without);
	plan_free(&plain);
	plan_free(&counted);
	counters_close(counters);
	topo_free(topo);
	return rc ? 1 : 0;
}
