/* SPDX-License-Identifier: MIT */
/*
 * Is this text XML that can be an hwloc topology? hwloc would refuse most of what is refused here,
 * but without a reason, and some of it only after seconds of work.
 */
#include "topo_private.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define MAX_DEPTH    256
#define MAX_ELEMENTS 1000000
#define MAX_VALUE    (12 * TOPO_MAX_OS / 32) /* the longest is a CPU set: 12 characters a word */

struct scan {
	const char *path, *at;
	int depth, elements, pus;
	bool root_seen;
};

static int malformed(const struct scan *s, const char *what, struct err *err)
{
	return err_set(err, -EINVAL, "'%.200s' is not well-formed XML: %s", s->path, what);
}

static int truncated(const struct scan *s, struct err *err)
{
	return err_set(err, -EINVAL,
		       "'%.200s' is truncated: it ends before the closing </topology>", s->path);
}

/* the '>' of the tag at @s, values in quotes skipped; NULL: none, or a value out of all measure */
static const char *tag_end(const char *s)
{
	const char *value = s;
	bool plain = s[1] != '!' && s[1] != '?';
	char quote = 0;

	for (s++; *s; s++) {
		if (quote && s - value > MAX_VALUE)
			return NULL;
		if (quote) {
			quote = *s == quote ? 0 : quote;
		} else if (*s == '"' || *s == '\'') {
			/* NAME="VALUE" as hwloc writes it, so that searching for it finds it */
			if (plain && (*s != '"' || s[-1] != '=' || isspace((unsigned char)s[-2])))
				return NULL;
			quote = *s;
			value = s;
		} else if (*s == '>' || *s == '<') {
			return *s == '>' ? s : NULL;
		}
	}
	return NULL;
}

static bool tag_has(const char *tag, const char *end, const char *what)
{
	return memmem(tag, end - tag, what, strlen(what));
}

static int too_new(const struct scan *s, struct err *err)
{
	return err_set(
		err, -EINVAL,
		"'%.200s' is XML of hwloc 3, which this hwloc cannot read: write it again with "
		"lstopo --of xml --export-xml-flags v2",
		s->path);
}

/* a bit of a set is as far away as its number is large: nothing else would bound the memory */
static bool numbers_sane(const char *tag, const char *end)
{
	static const char name[] = " os_index=\"";
	const char *value = memmem(tag, end - tag, name, sizeof(name) - 1);

	if (strncmp(tag, "<object", 7))
		return true;
	if (!tag_has(tag, end, "type=\"PU\"") && !tag_has(tag, end, "type=\"NUMANode\""))
		return true;
	return value && strtoul(value + sizeof(name) - 1, NULL, 10) < TOPO_MAX_OS;
}

static int check_root(struct scan *s, const char *end, struct err *err)
{
	s->root_seen = true;
	if (strncmp(s->at, "<topology", 9) && strncmp(s->at, "<root", 5))
		return err_set(
			err, -EINVAL,
			"'%.200s' is not an hwloc topology: its first element is not <topology>",
			s->path);
	if (tag_has(s->at, end, "version=\"3"))
		return too_new(s, err);
	return 0;
}

static int scan_element(struct scan *s, const char *end, struct err *err)
{
	int rc = s->root_seen ? 0 : check_root(s, end, err);

	if (rc)
		return rc;
	if (s->at[1] == '/')
		s->depth--;
	else if (end[-1] != '/')
		s->depth++;
	if (s->depth < 0)
		return malformed(s, "an element is closed that is not open", err);
	if (s->depth > MAX_DEPTH || ++s->elements > MAX_ELEMENTS)
		return err_set(err, -EINVAL, "'%.200s' has more elements than a topology has",
			       s->path);
	if (!numbers_sane(s->at, end))
		return err_set(err, -EINVAL, "'%.200s' has a CPU or node without a number in 0..%d",
			       s->path, TOPO_MAX_OS - 1);
	s->pus += !strncmp(s->at, "<object", 7) && tag_has(s->at, end, "type=\"PU\"");
	if (s->pus > TOPO_MAX_PUS)
		return err_set(err, -EINVAL, "'%.200s' has more than %d PUs", s->path,
			       TOPO_MAX_PUS);
	return 0;
}

static int scan_tag(struct scan *s, struct err *err)
{
	const char *end;
	int rc = 0;

	if (!strncmp(s->at, "<!--", 4)) {
		end = strstr(s->at + 4, "-->");
		if (end)
			end += 2;
	} else {
		end = tag_end(s->at);
	}
	if (!end && s->root_seen && !strpbrk(s->at + 1, "<>"))
		return truncated(s, err);
	if (!end)
		return malformed(s, "a tag is not closed or not written as hwloc does", err);
	if (!strncmp(s->at, "<!DOCTYPE", 9)) {
		if (tag_has(s->at, end, "hwloc3.dtd"))
			rc = too_new(s, err);
		else if (tag_has(s->at, end, "["))
			rc = err_set(err, -EINVAL,
				     "'%.200s' is not an hwloc topology: it defines entities",
				     s->path);
	} else if (s->at[1] != '!' && s->at[1] != '?') {
		rc = scan_element(s, end, err);
	}
	s->at = end + 1;
	return rc;
}

int xml_check(const char *path, const char *text, size_t size, struct err *err)
{
	struct scan s = {.path = path, .at = text};
	int rc = 0;

	if (strlen(text) != size)
		return err_set(err, -EINVAL, "'%.200s' is not a text file: it has a NUL byte",
			       path);
	while (!rc && (s.at = strchr(s.at, '<')))
		rc = scan_tag(&s, err);
	if (rc)
		return rc;
	if (!s.root_seen)
		return err_set(err, -EINVAL,
			       "'%.200s' is not an hwloc topology: no <topology> element", path);
	return s.depth ? truncated(&s, err) : 0;
}
