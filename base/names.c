/* SPDX-License-Identifier: MIT */
#include "text.h"

#include <stdlib.h>
#include <string.h>

#define NAME_MAX_LEN 64

/* edits to turn one into the other; neighbours swapped ("bacth") are one edit. Names are short. */
static size_t edit_distance(const char *a, const char *b)
{
	size_t la = strnlen(a, NAME_MAX_LEN), lb = strnlen(b, NAME_MAX_LEN), i, j, d;
	unsigned char rows[3][NAME_MAX_LEN + 1], *row = rows[0], *last = rows[1], *before = rows[2];
	unsigned char *spare;

	for (j = 0; j <= lb; j++)
		row[j] = j;
	for (i = 1; i <= la; i++) {
		spare = before;
		before = last;
		last = row;
		row = spare;
		row[0] = i;
		for (j = 1; j <= lb; j++) {
			d = last[j - 1] + (a[i - 1] != b[j - 1]);
			d = d > last[j] + 1u ? last[j] + 1u : d;
			d = d > row[j - 1] + 1u ? row[j - 1] + 1u : d;
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
			    d > before[j - 2] + 1u)
				d = before[j - 2] + 1u;
			row[j] = d;
		}
	}
	return row[lb];
}

const char *text_nearest(const char *s, const char *const *names, size_t nr)
{
	const char *best = NULL;
	size_t best_distance = SIZE_MAX, i, len = strlen(s), longest, d;

	if (len > NAME_MAX_LEN)
		return NULL;
	for (i = 0; i < nr; i++) {
		longest = strlen(names[i]) > len ? strlen(names[i]) : len;
		/* an abbreviation is near whatever is missing */
		if (len >= 2 && !strncmp(names[i], s, len) && names[i][len])
			d = 1;
		else
			d = edit_distance(s, names[i]);
		if (d < best_distance && (d * 3 <= longest || (d == 1 && longest > 1))) {
			best = names[i];
			best_distance = d;
		}
	}
	return best;
}

int text_unknown(struct err *err, const char *what, const char *s, const char *const *names,
		 size_t nr)
{
	const char *near = text_nearest(s, names, nr);
	char all[320] = "";
	size_t i, len = 0;

	if (near)
		return err_set(err, -EINVAL, "unknown %s '%.80s': nearest is '%s'", what, s, near);
	for (i = 0; i < nr && len < sizeof(all); i++)
		len += snprintf(all + len, sizeof(all) - len, "%s%s", i ? ", " : "", names[i]);
	if (len >= sizeof(all))
		memcpy(all + sizeof(all) - 4, "...", 4);
	return err_set(err, -EINVAL, "unknown %s '%.80s': there are %s", what, s,
		       nr ? all : "none");
}
