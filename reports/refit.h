/* SPDX-License-Identifier: MIT */
/*
 * refit.h - the value of a parameter at which a figure is the wanted one
 *
 * The figure is taken to rise or to fall over the whole range. Each round evaluates REFIT_POINTS
 * values between the two that have the target between them, spread evenly in their logarithm; the
 * caller may do them at the same time. It ends when the two are neighbours or within 0.5%; between
 * them the answer is interpolated.
 */
#ifndef CHARGELINE_REPORTS_REFIT_H
#define CHARGELINE_REPORTS_REFIT_H

#include <stdint.h>

#include "err.h"

#define REFIT_POINTS 4

/* figures @f of the values @x: 0, 1 stopped, or -errno */
typedef int (*refit_eval)(void *ctx, const int64_t *x, int nr, double *f, struct err *err);

/*
 * refit_search - find the value in @lo..@hi (0 <= lo < hi), a multiple of @step above @lo
 * Returns 0; 1 stopped; -ERANGE: @target is not between the figures of @lo and @hi, which the
 * sentence gives; or what @eval returned.
 */
int refit_search(int64_t lo, int64_t hi, int64_t step, double target, refit_eval eval, void *ctx,
		 int64_t *found, struct err *err);

#endif
