/* SPDX-License-Identifier: MIT */
#include "ticket_log.h"

#include <limits.h>
#include <math.h>

/* the tickets from which, and up to which, no log lacks one; false: the logs do not meet */
static bool find_range(const struct ticket_log *const *log, int nr, long *first, long *last)
{
	int i;

	*first = 0;
	*last = LONG_MAX;
	for (i = 0; i < nr; i++) {
		if (!log[i]->nr)
			return false;
		if (log[i]->ticket[0] > *first)
			*first = log[i]->ticket[0];
		if (log[i]->ticket[log[i]->nr - 1] < *last)
			*last = log[i]->ticket[log[i]->nr - 1];
	}
	return nr > 0 && *first <= *last;
}

static int find_owners(const struct ticket_log *const *log, int nr, long first, long last,
		       int16_t *owner, struct err *err)
{
	long t, k, nr_all = 0, range = last - first + 1;
	int i;

	for (i = 0; i < nr; i++)
		nr_all += log[i]->nr;
	for (k = 0; k < nr_all && k < range; k++)
		owner[k] = -1;
	for (i = 0; i < nr; i++) {
		for (k = 0; k < log[i]->nr; k++) {
			t = log[i]->ticket[k];
			if (t < first || t > last || t - first >= nr_all)
				continue;
			if (owner[t - first] >= 0)
				return err_set(err, -EUCLEAN,
					       "ticket %ld was got by workers %d and %d", t,
					       owner[t - first], i);
			owner[t - first] = i;
		}
	}
	for (k = 0; k < range; k++)
		if (k == nr_all || owner[k] < 0)
			return err_set(err, -EUCLEAN, "ticket %ld was got by no worker", first + k);
	return 0;
}

/* runs that are whole: from the first change to the last one */
struct runs {
	long nr_changes, first_change, last_change;
};

static void change(struct runs *r, long at)
{
	if (!r->nr_changes++)
		r->first_change = at;
	r->last_change = at;
}

static double mean_run(const struct runs *r)
{
	return r->nr_changes > 1 ? (double)(r->last_change - r->first_change) / (r->nr_changes - 1)
				 : NAN;
}

static bool all_grouped(const int *group, int nr)
{
	int i = 0;

	while (group && i < nr && group[i] >= 0)
		i++;
	return i == nr;
}

int visits_from_tickets(const struct ticket_log *const *log, int nr, const int *cluster,
			const int *socket, int16_t *owner, struct visits *out, struct err *err)
{
	struct runs workers = {0}, clusters = {0}, sockets = {0};
	long first, last, k;
	int rc;

	*out = (struct visits){0, NAN, NAN, NAN};
	if (!find_range(log, nr, &first, &last))
		return 0;
	rc = find_owners(log, nr, first, last, owner, err);
	if (rc)
		return rc;
	cluster = all_grouped(cluster, nr) ? cluster : NULL;
	socket = all_grouped(socket, nr) ? socket : NULL;
	out->nr_tickets = last - first + 1;
	for (k = 1; k < out->nr_tickets; k++) {
		if (owner[k] == owner[k - 1])
			continue;
		change(&workers, k);
		if (cluster && cluster[owner[k]] != cluster[owner[k - 1]])
			change(&clusters, workers.nr_changes);
		if (socket && socket[owner[k]] != socket[owner[k - 1]])
			change(&sockets, workers.nr_changes);
	}
	out->ops_per_visit = mean_run(&workers);
	out->visits_per_cluster = mean_run(&clusters);
	out->visits_per_socket = mean_run(&sockets);
	return 0;
}
