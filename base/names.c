/* SPDX-License-Identifier: MIT */
#include "text.h"

#include <stdlib.h>
#include <string.h>

#define NAME_MAX_LEN 64

/* Levenshtein distance with two rows; names are short */
static size_t edit_distance(const char *a, const char *b)
{
	size_t la = strnlen(a, NAME_MAX_LEN), lb = strnlen(b, NAME_MAX_LEN);
	size_t row[NAME_MAX_LEN + 1], prev, cost, i, j;

	for (j = 0; j <= lb; j++)
		row[j] = j;
	for (i = 1; i <= la; i++) {
		prev = row[0];
		row[0] = i;
		for (j = 1; j <= lb; j++) {
			cost = prev + (a[i - 1] != b[j - 1]);
			prev = row[j];
			if (row[j] + 1 < cost)
				cost = row[j] + 1;
			if (row[j - 1] + 1 < cost)
				cost = row[j - 1] + 1;
			row[j] = cost;
		}
	}
	return row[lb];
}

const char *text_nearest(const char *s, const char *const *names, size_t nr)
{
	const char *best = NULL;
	size_t best_distance = SIZE_MAX, i, len = strlen(s), longest, d;

	for (i = 0; i < nr; i++) {
		longest = strlen(names[i]) > len ? strlen(names[i]) : len;
		/* an abbreviation is near whatever is missing */
		if (len >= 2 && !strncmp(names[i], s, len))
			d = 1;
		else
			d = edit_distance(s, names[i]);
		if (d < best_distance && (d * 3 <= longest || d == 1)) {
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
	for (i = 0; i < nr && len < sizeof(all) - 1; i++)
		len += snprintf(all + len, sizeof(all) - len, "%s%s", i ? ", " : "", names[i]);
	return err_set(err, -EINVAL, "unknown %s '%.80s': there are %s", what, s, all);
}
