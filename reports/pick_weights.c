/* SPDX-License-Identifier: MIT */
#include "report.h"

#include <math.h>
#include <stdlib.h>

#include "format.h"
#include "report_private.h"

static int set_weights(struct pick *p, const struct pick_options *opt, struct err *err)
{
	char work[FORMAT_MAX];
	double total = 0;
	int i, k;

	for (i = 0; i < p->nr_demands; i++)
		p->demands[i].weight = p->demands[i].work_ns && p->demands[i].nr_rows;
	for (k = 0; k < opt->nr_weights; k++) {
		for (i = 0; i < p->nr_demands; i++)
			if (p->demands[i].weight &&
			    p->demands[i].work_ns == opt->weights[k].work_ns)
				break;
		if (i == p->nr_demands)
			return err_set(err, -EINVAL, "weight of %s: no such demand was measured",
				       format_work(work, opt->weights[k].work_ns));
		p->demands[i].weight = opt->weights[k].weight;
	}
	for (i = 0; i < p->nr_demands; i++)
		total += p->demands[i].weight;
	return total > 0 ? 0 : err_set(err, -EINVAL, "every demand has the weight 0");
}

/* the batches that every demand with a weight has */
static void take_rows(struct pick *p, struct pick_demand *mean)
{
	const struct pick_demand *first = p->demands;
	int i, k;

	while (!first->weight)
		first++;
	for (i = 0; i < first->nr_rows; i++) {
		for (k = 0; k < p->nr_demands; k++)
			if (p->demands[k].weight &&
			    !pick_row_at(&p->demands[k], first->rows[i].batch))
				break;
		if (k < p->nr_demands)
			continue;
		mean->rows[mean->nr_rows] = first->rows[i];
		mean->rows[mean->nr_rows++].rate =
			(struct estimate){.lo = -INFINITY, .hi = INFINITY};
	}
}

/* the geometric mean of the ratios of @larger to @smaller; what varies in them is independent */
static struct estimate mean_gain(const struct pick *p, int64_t smaller, int64_t larger)
{
	struct estimate out = {.n = INT32_MAX};
	double mid = 0, down = 0, up = 0, total = 0, w;
	const struct pick_demand *d;
	const struct estimate *e;
	int i;

	for (i = 0; i < p->nr_demands; i++) {
		d = &p->demands[i];
		w = d->weight;
		if (!w)
			continue;
		e = &d->gain[(pick_row_at(d, smaller) - d->rows) * d->nr_rows +
			     (pick_row_at(d, larger) - d->rows)];
		out.n = e->n < out.n ? e->n : out.n;
		total += w;
		mid += w * log(e->mid);
		down += e->lo > 0 ? pow(w * log(e->mid / e->lo), 2) : INFINITY;
		up += pow(w * log(e->hi / e->mid), 2);
	}
	if (!out.n)
		return (struct estimate){.lo = -INFINITY, .hi = INFINITY};
	out.mid = exp(mid / total);
	out.lo = isfinite(down) ? exp((mid - sqrt(down)) / total) : -INFINITY;
	out.hi = exp((mid + sqrt(up)) / total);
	return out;
}

int pick_weigh(struct pick *p, const struct pick_options *opt, struct err *err)
{
	struct pick_demand *mean;
	int i, j, rc = opt->nr_weights ? set_weights(p, opt, err) : 0, most = 0;

	if (rc || !opt->nr_weights)
		return rc;
	for (i = 0; i < p->nr_demands; i++)
		most = p->demands[i].nr_rows > most ? p->demands[i].nr_rows : most;
	mean = p->weighted = calloc(1, sizeof(*mean));
	if (!mean)
		return err_set(err, -ENOMEM, "out of memory");
	mean->nr_workers = p->nr_workers;
	mean->weight = 1;
	mean->rows = calloc(most, sizeof(*mean->rows));
	mean->gain = calloc((size_t)most * most, sizeof(*mean->gain));
	if (!mean->rows || !mean->gain)
		return err_set(err, -ENOMEM, "out of memory");
	take_rows(p, mean);
	for (i = 0; i < mean->nr_rows; i++)
		for (j = i + 1; j < mean->nr_rows; j++)
			mean->gain[i * mean->nr_rows + j] =
				mean_gain(p, mean->rows[i].batch, mean->rows[j].batch);
	pick_judge(p, mean);
	return 0;
}
