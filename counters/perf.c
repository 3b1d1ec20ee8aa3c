/* SPDX-License-Identifier: MIT */
/*
 * The kernel's perf_event_open without a library: events by code. Counted together, the events are
 * one group with a pinned leader: all are on a counter for the whole time, or the read fails.
 * Multiplexed, each is alone, and the kernel says for how much of the time it was on a counter.
 */
#include "counters_private.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

struct opened {
	int nr, nr_leaders;
	bool multiplex;
	int fd[SET_MAX_EVENTS];
	uint64_t enabled[SET_MAX_EVENTS], running[SET_MAX_EVENTS]; /* of the leaders, before */
};

static int perf_open(char *version, size_t size, struct err *err)
{
	snprintf(version, size, "perf_event_open");
	return 0;
}

static int perf_thread_begin(struct err *err)
{
	return 0;
}

static void perf_thread_end(void)
{
}

static void perf_set_close(void *set)
{
	struct opened *o = set;
	int i;

	for (i = 0; i < o->nr; i++)
		close(o->fd[i]);
	free(o);
}

static int open_error(const struct counter_event *e, int error, struct err *err)
{
	if (error == EACCES || error == EPERM)
		return err_set(err, -EACCES, "%s: not permitted (perf_event_open: %s)", e->name,
			       strerror(error));
	if (error == ENOSYS)
		return err_set(err, -ENOSYS,
			       "the kernel or a seccomp filter has no perf_event_open");
	if (error == EBUSY || error == EINVAL || error == ENOSPC)
		return err_set(err, error == EBUSY ? -EBUSY : -ENOENT, "%s: perf_event_open: %s",
			       e->name, strerror(error));
	return err_set(err, -ENOENT, "%s: there is no such event here (perf_event_open: %s)",
		       e->name, strerror(error));
}

static int open_event(struct opened *o, const struct counter_event *e, struct err *err)
{
	static const uint32_t types[] = {[EVENT_SOFTWARE] = PERF_TYPE_SOFTWARE,
					 [EVENT_GENERIC] = PERF_TYPE_HARDWARE,
					 [EVENT_RAW] = PERF_TYPE_RAW};
	bool leader = o->multiplex || !o->nr;
	struct perf_event_attr attr = {.type = types[e->kind],
				       .size = sizeof(attr),
				       .config = e->config,
				       .read_format = PERF_FORMAT_TOTAL_TIME_ENABLED |
						      PERF_FORMAT_TOTAL_TIME_RUNNING |
						      (o->multiplex ? 0 : PERF_FORMAT_GROUP),
				       .disabled = leader,
				       .pinned = leader && !o->multiplex,
				       .exclude_kernel = !e->in_kernel,
				       .exclude_hv = 1};
	int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, leader ? -1 : o->fd[0],
			      (unsigned long)PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		return open_error(e, errno, err);
	o->fd[o->nr++] = fd;
	o->nr_leaders += leader;
	return 0;
}

static int perf_set_open(void **set, const struct counter_event *const *events, int nr,
			 bool multiplex, struct err *err)
{
	struct opened *o = calloc(1, sizeof(*o));
	int i, rc = 0;

	if (!o)
		return err_set(err, -ENOMEM, "out of memory");
	o->multiplex = multiplex;
	for (i = 0; i < nr && !rc; i++)
		rc = events[i]->kind == EVENT_NAMED
			     ? err_set(err, -ENOENT,
				       "%s: only PAPI knows events by name, and it cannot be used: "
				       "give the event as r and its code",
				       events[i]->name)
			     : open_event(o, events[i], err);
	if (rc)
		perf_set_close(o);
	else
		*set = o;
	return rc;
}

/* the leader alone: switched on together, page faults of Linux 6.18 count in some windows only */
static int perf_start(void *set, struct err *err)
{
	struct opened *o = set;
	int i;

	for (i = 0; i < o->nr_leaders; i++)
		if (ioctl(o->fd[i], PERF_EVENT_IOC_RESET, PERF_IOC_FLAG_GROUP) ||
		    ioctl(o->fd[i], PERF_EVENT_IOC_ENABLE, 0))
			return err_set(err, -EIO, "cannot start counting: %s", strerror(errno));
	return 0;
}

/* since the last stop */
static double share(struct opened *o, int leader, uint64_t enabled, uint64_t running)
{
	double on = running - o->running[leader], all = enabled - o->enabled[leader];

	o->enabled[leader] = enabled;
	o->running[leader] = running;
	return all > 0 ? on / all : 0;
}

/* nr, enabled, running, values; or value, enabled, running */
static int read_leader(struct opened *o, int leader, struct counter_reading *readings,
		       struct err *err)
{
	uint64_t word[3 + SET_MAX_EVENTS];
	ssize_t got = read(o->fd[leader], word, sizeof(word));
	double part;
	int i;

	if (!got)
		return err_set(err, -EBUSY, "no counter was free, another user holds it");
	if (got < (ssize_t)sizeof(word[0]) * 3)
		return err_set(err, -EIO, "cannot read the counters: %s",
			       got < 0 ? strerror(errno) : "too short");
	part = share(o, leader, word[1], word[2]);
	if (o->multiplex) {
		readings[leader].share = part;
		readings[leader].value = part > 0 ? (int64_t)(word[0] / part) : 0;
		return 0;
	}
	for (i = 0; i < o->nr; i++) {
		readings[i].share = part;
		readings[i].value = (int64_t)word[3 + i];
	}
	return 0;
}

static int perf_stop(void *set, struct counter_reading *readings, struct err *err)
{
	struct opened *o = set;
	int i, rc = 0;

	for (i = 0; i < o->nr_leaders; i++)
		ioctl(o->fd[i], PERF_EVENT_IOC_DISABLE, 0);
	for (i = 0; i < o->nr_leaders && !rc; i++)
		rc = read_leader(o, i, readings, err);
	return rc;
}

const struct counter_backend perf_backend = {.open = perf_open,
					     .thread_begin = perf_thread_begin,
					     .thread_end = perf_thread_end,
					     .set_open = perf_set_open,
					     .start = perf_start,
					     .stop = perf_stop,
					     .set_close = perf_set_close};
