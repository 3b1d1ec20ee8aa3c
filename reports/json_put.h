/* SPDX-License-Identifier: MIT */
/* json_put - how every command ends its JSON: the tree, a line's end, and whether it was written */
#ifndef CHARGELINE_REPORTS_JSON_PUT_H
#define CHARGELINE_REPORTS_JSON_PUT_H

#include <errno.h>
#include <jansson.h>
#include <stdio.h>

/* @flags: jansson's; 0 or -EIO */
static inline int json_put(const json_t *root, size_t flags, FILE *to)
{
	return json_dumpf(root, to, flags) || fputc('\n', to) == EOF || ferror(to) ? -EIO : 0;
}

#endif
