/* SPDX-License-Identifier: MIT */
#include "results_map.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "topo_map.h"

int results_map_fill(struct results *r, const struct topo *topo)
{
	size_t size;
	FILE *to = open_memstream(&r->machine.map, &size);
	int rc;

	if (!to)
		return -ENOMEM;
	rc = topo_map_body(topo, to);
	return fclose(to) || rc ? -ENOMEM : 0;
}

/* never in the middle of a character */
static size_t line_size(const char *at, const char *end)
{
	size_t size = end - at;

	if (size <= RESULTS_MAX_MAP_LINE)
		return size;
	for (size = RESULTS_MAX_MAP_LINE; size && (at[size] & 0xc0) == 0x80; size--)
		;
	return size;
}

json_t *results_map_json(const struct results *r)
{
	const char *at = r->machine.map, *end;
	json_t *list;
	int i;

	if (!at)
		return json_null();
	list = json_array();
	for (i = 0; list && *at && i < RESULTS_MAX_MAP; i++, at = *end ? end + 1 : end) {
		end = strchrnul(at, '\n');
		if (json_array_append_new(list, json_stringn(at, line_size(at, end)))) {
			json_decref(list);
			return NULL;
		}
	}
	return list;
}

void results_map_read(struct fields *f, const json_t *machine, struct results *r)
{
	const json_t *list = json_object_get(machine, "map"), *line;
	char name[32];
	size_t size;
	int i, nr;
	FILE *to;

	if (!list || json_is_null(list))
		return;
	list = field_list(f, machine, "map", RESULTS_MAX_MAP, &nr);
	if (f->rc)
		return;
	to = open_memstream(&r->machine.map, &size);
	if (!to)
		return field_no_memory(f);
	for (i = 0; i < nr && !f->rc; i++) {
		line = json_array_get(list, i);
		snprintf(name, sizeof(name), "map[%d]", i);
		if (!json_is_string(line))
			field_refuse(f, name, "is not a text");
		else if (json_string_length(line) > RESULTS_MAX_MAP_LINE)
			field_refuse(f, name, "has %zu bytes, more than %d",
				     json_string_length(line), RESULTS_MAX_MAP_LINE);
		else
			fprintf(to, "%s\n", json_string_value(line));
	}
	if (fclose(to))
		field_no_memory(f);
}
