/* SPDX-License-Identifier: MIT */
#include "refit.h"

#include <math.h>
#include <stdbool.h>

#define NEAR 1.005

struct bracket {
	int64_t first, step; /* the grid */
	int64_t lo, hi;
	double at_lo, at_hi;
};

static int64_t on_grid(const struct bracket *b, double x)
{
	return b->first + llround((x - b->first) / b->step) * b->step;
}

static bool holds(double a, double b, double target)
{
	return (a <= target && target <= b) || (b <= target && target <= a);
}

/* values between the ends, without doubles; returns how many */
static int spread(const struct bracket *b, int64_t *x)
{
	double ratio = log((b->hi + 1.0) / (b->lo + 1.0)) / (REFIT_POINTS + 1);
	int64_t last = b->lo, v;
	int i, nr = 0;

	for (i = 1; i <= REFIT_POINTS; i++) {
		v = on_grid(b, (b->lo + 1.0) * exp(i * ratio) - 1);
		if (v <= last || v >= b->hi)
			continue;
		x[nr++] = last = v;
	}
	/* of few values left the logarithm may hit the ends only */
	if (!nr && b->hi - b->lo > b->step)
		x[nr++] = b->lo + b->step;
	return nr;
}

/* the first two neighbours that hold the target */
static void narrow(struct bracket *b, const int64_t *x, const double *f, int nr, double target)
{
	int i = 0;

	for (; i < nr && !holds(b->at_lo, f[i], target); i++) {
		b->lo = x[i];
		b->at_lo = f[i];
	}
	if (i < nr) {
		b->hi = x[i];
		b->at_hi = f[i];
	}
}

static int64_t between(const struct bracket *b, double target)
{
	if (b->at_hi == b->at_lo)
		return b->lo;
	return on_grid(b, b->lo + (target - b->at_lo) / (b->at_hi - b->at_lo) * (b->hi - b->lo));
}

int refit_search(int64_t lo, int64_t hi, int64_t step, double target, refit_eval eval, void *ctx,
		 int64_t *found, struct err *err)
{
	int64_t x[REFIT_POINTS] = {lo, hi};
	double f[REFIT_POINTS];
	struct bracket b = {.first = lo, .step = step > 0 ? step : 1, .lo = lo, .hi = hi};
	int nr, rc = eval(ctx, x, 2, f, err);

	if (rc)
		return rc;
	b.at_lo = f[0];
	b.at_hi = f[1];
	if (!holds(b.at_lo, b.at_hi, target))
		return err_set(err, -ERANGE,
			       "%.4g is not between what %lld and %lld give: %.4g and %.4g", target,
			       (long long)lo, (long long)hi, b.at_lo, b.at_hi);
	while ((b.hi + 1.0) / (b.lo + 1.0) > NEAR && (nr = spread(&b, x))) {
		rc = eval(ctx, x, nr, f, err);
		if (rc)
			return rc;
		narrow(&b, x, f, nr, target);
	}
	*found = between(&b, target);
	return 0;
}
