/* SPDX-License-Identifier: MIT */
/* In a build without PAPI. */
#include "counters_private.h"

static int none_open(char *version, size_t size, struct err *err)
{
	return err_set(err, -EOPNOTSUPP,
		       "built without PAPI: events are counted by code, not by name");
}

const struct counter_backend papi_backend = {.open = none_open};
