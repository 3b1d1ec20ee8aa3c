/* SPDX-License-Identifier: MIT */
/*
 * ticket_log.h - in which order CPUs got a line, read from what their fetch_add returned
 *
 * Every fetch_add(1) on one counter returns a ticket that nobody else gets, so the tickets that the
 * workers keep are the order of service:
 *
 *   ticket     17 18 19 20 21 22 23 24 25 26 27
 *   worker      0  0  0  1  1  2  2  2  0  0  1
 *   visits     |  3    | 2   |  3    | 2   |		operations before the line leaves a CPU
 *   cluster 0  |     2 visits| 1     |			visits before it leaves a cluster, a socket
 *
 * A visit is a run of tickets of one worker. The first and the last run are not used: where they
 * began or ended is not in the log. Groups (clusters, sockets) are runs of visits, by the same rule.
 *
 * Every worker keeps its tickets from a chosen one on until its log is full. So the logs together
 * have every ticket from the latest of the first ones to the earliest of the last ones.
 */
#ifndef BENCH_TICKET_LOG_H
#define BENCH_TICKET_LOG_H

#include "experiment.h"

#define TICKET_LOG_MAX 4096

struct ticket_log {
	int nr;
	long ticket[TICKET_LOG_MAX]; /* ascending */
};

struct visits {
	long nr_tickets;	   /* that all logs together hold without a hole */
	double ops_per_visit;	   /* NaN: fewer than three runs */
	double visits_per_cluster; /* NaN: one cluster, no clusters, or fewer than three runs */
	double visits_per_socket;  /* the same */
};

/*
 * visits_from_tickets - runs of tickets
 * @log:     of @nr workers, each ascending
 * @cluster, @socket: of each worker; NULL, or -1 for any of them: has none, and no runs of them
 * @owner:   room for as many as all logs hold together; overwritten
 * 0, or -EUCLEAN: a ticket was got by two workers, or by none.
 */
int visits_from_tickets(const struct ticket_log *const *log, int nr, const int *cluster,
			const int *socket, int16_t *owner, struct visits *out, struct err *err);

#endif
