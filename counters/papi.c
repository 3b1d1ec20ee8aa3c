/* SPDX-License-Identifier: MIT */
/*
 * PAPI: events by libpfm's names. Its presets are not used, newer processors have none; nor is what
 * it says about availability: num_hwctrs and the list of events are full where nothing counts.
 */
#include "counters_private.h"

#include <papi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct opened {
	int id, nr;
	long long value[SET_MAX_EVENTS];
};

/* adding events opens and closes descriptors of the whole library's tables */
static pthread_mutex_t setting_up = PTHREAD_MUTEX_INITIALIZER;
static int component = -1; /* of perf_event */

static unsigned long thread_id(void)
{
	return (unsigned long)pthread_self();
}

static int find_component(struct err *err)
{
	const PAPI_component_info_t *info;
	int i;

	for (i = 0; i < PAPI_num_components(); i++) {
		info = PAPI_get_component_info(i);
		if (!info || strcmp(info->name, "perf_event"))
			continue;
		if (info->disabled && info->disabled != PAPI_EDELAY_INIT)
			return err_set(err, -EOPNOTSUPP,
				       "PAPI cannot count here (%.120s): it may be too old for "
				       "this processor; events are counted by code, not by name",
				       info->disabled_reason);
		component = i;
		return 0;
	}
	return err_set(err, -EOPNOTSUPP, "PAPI was built without its perf_event component");
}

static int papi_open(char *version, size_t size, struct err *err)
{
	int v = PAPI_is_initialized() ? (int)PAPI_VER_CURRENT : PAPI_library_init(PAPI_VER_CURRENT);

	if (v != (int)PAPI_VER_CURRENT)
		return err_set(err, -EOPNOTSUPP, "PAPI does not start: %s",
			       v > 0 ? "another version than at build time" : PAPI_strerror(v));
	if (PAPI_thread_init(thread_id) != PAPI_OK)
		return err_set(err, -EOPNOTSUPP, "PAPI does not start with threads");
	snprintf(version, size, "PAPI %d.%d.%d", PAPI_VERSION_MAJOR(v), PAPI_VERSION_MINOR(v),
		 PAPI_VERSION_REVISION(v));
	return find_component(err);
}

static int papi_error(int rc, const char *what, struct err *err)
{
	int code = rc == PAPI_EPERM			     ? -EACCES
		   : rc == PAPI_ECNFLCT || rc == PAPI_ECOUNT ? -EBUSY
		   : rc == PAPI_ENOMEM			     ? -ENOMEM
		   : rc == PAPI_ESYS			     ? -EIO
							     : -ENOENT;

	return err_set(err, code, "%s: PAPI: %s", what, PAPI_strerror(rc));
}

static int papi_thread_begin(struct err *err)
{
	int rc = PAPI_register_thread();

	return rc == PAPI_OK ? 0 : papi_error(rc, "cannot register the thread", err);
}

static void papi_thread_end(void)
{
	PAPI_unregister_thread();
}

static void papi_set_close(void *set)
{
	struct opened *o = set;

	pthread_mutex_lock(&setting_up);
	PAPI_cleanup_eventset(o->id);
	PAPI_destroy_eventset(&o->id);
	pthread_mutex_unlock(&setting_up);
	free(o);
}

/* by name, else by code where the name is too new for the library */
static int add_event(int id, const struct counter_event *e, struct err *err)
{
	char name[sizeof(e->name) + 16];
	int rc;

	snprintf(name, sizeof(name), "%s%s", e->name, e->in_kernel ? ":u=1:k=1" : "");
	rc = PAPI_add_named_event(id, name);
	if (rc != PAPI_OK && rc != PAPI_EPERM && rc != PAPI_ECNFLCT && e->kind == EVENT_RAW) {
		snprintf(name, sizeof(name), "perf_raw::r%llx", (unsigned long long)e->config);
		rc = PAPI_add_named_event(id, name);
	}
	return rc == PAPI_OK ? 0 : papi_error(rc, e->name, err);
}

static int papi_set_open(void **set, const struct counter_event *const *events, int nr,
			 bool multiplex, struct err *err)
{
	struct opened *o = calloc(1, sizeof(*o));
	int i, rc;

	if (!o)
		return err_set(err, -ENOMEM, "out of memory");
	o->id = PAPI_NULL;
	o->nr = nr;
	pthread_mutex_lock(&setting_up);
	rc = PAPI_create_eventset(&o->id);
	if (rc == PAPI_OK)
		rc = PAPI_assign_eventset_component(o->id, component);
	rc = rc == PAPI_OK ? 0 : papi_error(rc, "cannot make a set of events", err);
	for (i = 0; i < nr && !rc; i++)
		rc = add_event(o->id, events[i], err);
	pthread_mutex_unlock(&setting_up);
	if (rc)
		papi_set_close(o);
	else
		*set = o;
	return rc;
}

static int papi_start(void *set, struct err *err)
{
	int rc = PAPI_start(((struct opened *)set)->id);

	return rc == PAPI_OK ? 0 : papi_error(rc, "cannot start counting", err);
}

/* not multiplexed, PAPI's groups are pinned: on a counter for the whole time, or an error */
static int papi_stop(void *set, struct counter_reading *readings, struct err *err)
{
	struct opened *o = set;
	int i, rc = PAPI_stop(o->id, o->value);

	if (rc != PAPI_OK)
		return papi_error(rc, "cannot read the counters", err);
	for (i = 0; i < o->nr; i++)
		readings[i] = (struct counter_reading){o->value[i], 1};
	return 0;
}

const struct counter_backend papi_backend = {.open = papi_open,
					     .thread_begin = papi_thread_begin,
					     .thread_end = papi_thread_end,
					     .set_open = papi_set_open,
					     .start = papi_start,
					     .stop = papi_stop,
					     .set_close = papi_set_close};
