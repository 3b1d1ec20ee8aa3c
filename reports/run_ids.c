/* SPDX-License-Identifier: MIT */
#include "run_ids.h"

#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct run_id {
	char *key, *path;
};

static int id_cmp(const void *a, const void *b)
{
	return strcmp(((const struct run_id *)a)->key, ((const struct run_id *)b)->key);
}

static void id_free(void *node)
{
	struct run_id *id = node;

	free(id->key);
	free(id->path);
	free(id);
}

static struct run_id *id_of(const struct results *r)
{
	struct run_id *id = calloc(1, sizeof(*id));

	if (!id)
		return NULL;
	if (asprintf(&id->key, "%s\n%llu\n%s\n%s", r->started, (unsigned long long)r->seed,
		     r->machine.hostname ? r->machine.hostname : "",
		     r->command ? r->command : "") < 0)
		id->key = NULL;
	id->path = strdup(r->path ? r->path : "");
	if (id->key && id->path)
		return id;
	id_free(id);
	return NULL;
}

int run_ids_add(struct run_ids *ids, const struct results *r, const char **before)
{
	struct run_id *id, **found;

	*before = NULL;
	if (!r->started)
		return 0;
	id = id_of(r);
	found = id ? tsearch(id, &ids->tree, id_cmp) : NULL;
	if (!found) {
		if (id)
			id_free(id);
		return -ENOMEM;
	}
	if (*found != id) {
		*before = (*found)->path;
		id_free(id);
	}
	return 0;
}

void run_ids_free(struct run_ids *ids)
{
	tdestroy(ids->tree, id_free);
	ids->tree = NULL;
}
