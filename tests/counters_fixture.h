/* SPDX-License-Identifier: MIT */
/*
 * counters_fixture.h - a backend that does as it is told, on a machine that is told
 *
 * Every event counts what the probe's loop makes plausible, unless the script says otherwise; in
 * windows (script.window) it counts script.count. What a call refuses, it refuses with its sentence.
 */
#ifndef CHARGELINE_TESTS_COUNTERS_FIXTURE_H
#define CHARGELINE_TESTS_COUNTERS_FIXTURE_H

#include "test.h"

#include <math.h>
#include <time.h>

#include "../counters/counters_private.h"

/* the thread sanitizer's own memory faults beside that of the test */
#if defined(__SANITIZE_THREAD__)
#define SHADOW_FAULTS 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define SHADOW_FAULTS 1
#endif
#endif
#ifndef SHADOW_FAULTS
#define SHADOW_FAULTS 0
#endif

struct script {
	int open_rc, thread_rc;
	const char *add_refuses, *start_refuses, *stop_refuses; /* a part of an event's name */
	int add_code, start_code, stop_code;
	const char *odd; /* an event that counts odd_value, in the probe too */
	int64_t odd_value;
	int most;      /* counters of the processor there are */
	double share;  /* of every reading; 0 until window: 1 */
	bool window;   /* the probe is over */
	int64_t count; /* of every event of the processor in a window */
	int nr_open, nr_threads;
};
static struct script script;

struct scripted_set {
	int nr;
	struct counter_event event[SET_MAX_EVENTS];
	struct timespec since;
};

static bool named(const char *part, const struct counter_event *e)
{
	return part && strstr(e->name, part);
}

static int scripted_open(char *version, size_t size, struct err *err)
{
	snprintf(version, size, "a script");
	return script.open_rc ? err_set(err, script.open_rc, "the script does not open") : 0;
}

static int scripted_thread_begin(struct err *err)
{
	if (script.thread_rc)
		return err_set(err, script.thread_rc, "the script has no threads");
	__atomic_add_fetch(&script.nr_threads, 1, __ATOMIC_RELAXED);
	return 0;
}

static void scripted_thread_end(void)
{
	__atomic_sub_fetch(&script.nr_threads, 1, __ATOMIC_RELAXED);
}

static int scripted_set_open(void **set, const struct counter_event *const *events, int nr,
			     bool multiplex, struct err *err)
{
	struct scripted_set *s;
	int i, used = 0;

	for (i = 0; i < nr; i++) {
		used += events[i]->kind != EVENT_SOFTWARE;
		if (named(script.add_refuses, events[i]))
			return err_set(err, script.add_code, "%s is refused", events[i]->name);
	}
	if (used > script.most && !multiplex)
		return err_set(err, -EBUSY, "%d events on %d counters", used, script.most);
	s = calloc(1, sizeof(*s));
	for (s->nr = 0; s->nr < nr; s->nr++)
		s->event[s->nr] = *events[s->nr];
	__atomic_add_fetch(&script.nr_open, 1, __ATOMIC_RELAXED);
	*set = s;
	return 0;
}

static int refuse_any(const struct scripted_set *s, const char *part, int code, struct err *err)
{
	int i;

	for (i = 0; i < s->nr; i++)
		if (named(part, &s->event[i]))
			return err_set(err, code, "%s does not go on", s->event[i].name);
	return 0;
}

static int scripted_start(void *set, struct err *err)
{
	struct scripted_set *s = set;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &s->since);
	return refuse_any(s, script.start_refuses, script.start_code, err);
}

static int64_t count_of_event(const struct scripted_set *s, const struct counter_event *e)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	if (named(script.odd, e))
		return script.odd_value;
	switch (e->expect) {
	case EXPECT_TASK_CLOCK:
		return (now.tv_sec - s->since.tv_sec) * 1000000000LL + now.tv_nsec -
		       s->since.tv_nsec;
	case EXPECT_FAULTS:
		return 16;
	case EXPECT_SWITCHES:
		return 1;
	case EXPECT_LOOP:
		return script.window ? script.count : 200000;
	case EXPECT_ANY:
		break;
	}
	return script.window && e->kind != EVENT_SOFTWARE ? script.count : 0;
}

static int scripted_stop(void *set, struct counter_reading *readings, struct err *err)
{
	struct scripted_set *s = set;
	int i;

	for (i = 0; i < s->nr; i++)
		readings[i] =
			(struct counter_reading){count_of_event(s, &s->event[i]), script.share};
	return refuse_any(s, script.stop_refuses, script.stop_code, err);
}

static void scripted_set_close(void *set)
{
	__atomic_sub_fetch(&script.nr_open, 1, __ATOMIC_RELAXED);
	free(set);
}

__attribute__((unused)) static const struct counter_backend scripted = {
	.open = scripted_open,
	.thread_begin = scripted_thread_begin,
	.thread_end = scripted_thread_end,
	.set_open = scripted_set_open,
	.start = scripted_start,
	.stop = scripted_stop,
	.set_close = scripted_set_close};

__attribute__((unused)) static const struct counter_machine icelake = {
	.uarch = "icx",
	.permission = "perf_event_paranoid 4: lower it",
	.watchdog = "nmi_watchdog on (1): switch it off"};

static inline int begin_script(void **state)
{
	script = (struct script){.most = 4, .share = 1};
	return 0;
}

/* what was opened is closed, by the threads that opened it */
static inline int end_script(void **state)
{
	return script.nr_open || script.nr_threads;
}

static inline struct counters *opened(const struct counter_machine *machine, const char *choice,
				      bool multiplex)
{
	struct counters *c = NULL;
	struct err err = ERR_INIT;

	assert_ok(counters_open_with(&c, machine, &scripted, NULL, choice, multiplex, &err), &err);
	assert_non_null(c);
	script.window = true;
	return c;
}

static inline int column(struct counters *c, const char *name)
{
	int i;

	for (i = 0; i < counters_nr(c); i++)
		if (!strcmp(counters_info(c, i)->name, name))
			return i;
	fail_msg("no column %s", name);
	return -1;
}

static inline void assert_state(struct counters *c, const char *name, enum counter_state state,
				const char *part)
{
	const struct counter_info *info = counters_info(c, column(c, name));

	if (info->state != state || !strstr(info->reason, part))
		fail_msg("%s is %s, '%s' (wanted %s, '%s')", name, counter_state_names[info->state],
			 info->reason, counter_state_names[state], part);
}

#endif
