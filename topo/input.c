/* SPDX-License-Identifier: MIT */
#include "topo_private.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_SYNTHETIC_TEXT     4096
#define MAX_SYNTHETIC_LEVELS   32
#define MAX_SYNTHETIC_OBJECTS  (8ul * TOPO_MAX_PUS)
#define MAX_SYNTHETIC_COMPARES 500000000ul

enum input_kind input_classify(const char *input)
{
	size_t len;
	struct stat st;

	if (!input)
		return INPUT_SYSTEM;
	len = strlen(input);
	if (!stat(input, &st) || strchr(input, '/') ||
	    (len > 4 && !strcmp(input + len - 4, ".xml")))
		return INPUT_XML;
	return INPUT_SYNTHETIC;
}

static int read_all(int fd, char *buf, size_t size, size_t *done)
{
	ssize_t n;

	*done = 0;
	while (*done < size) {
		n = read(fd, buf + *done, size - *done);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (!n)
			break;
		*done += n;
	}
	return 0;
}

int input_read_xml(const char *path, char **out, size_t *size, struct err *err)
{
	char *text = NULL;
	struct stat st;
	int fd, rc;

	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return err_set(err, -errno, "cannot open '%.200s': %s", path, strerror(errno));
	if (fstat(fd, &st)) {
		rc = err_set(err, -errno, "cannot read '%.200s': %s", path, strerror(errno));
		goto out;
	}
	if (!S_ISREG(st.st_mode)) {
		rc = err_set(err, -EINVAL, "'%.200s' is %s, not a file", path,
			     S_ISDIR(st.st_mode) ? "a directory" : "a device or pipe");
		goto out;
	}
	if (st.st_size > TOPO_MAX_FILE) {
		rc = err_set(err, -EFBIG, "'%.200s' has %lld MiB: a topology file has at most %d",
			     path, (long long)st.st_size >> 20, TOPO_MAX_FILE >> 20);
		goto out;
	}
	text = malloc((size_t)st.st_size + 1);
	if (!text) {
		rc = err_set(err, -ENOMEM, "out of memory for '%.200s'", path);
		goto out;
	}
	rc = read_all(fd, text, st.st_size, size);
	if (rc) {
		err_set(err, rc, "cannot read '%.200s': %s", path, strerror(-rc));
		goto out;
	}
	text[*size] = 0;
	if (!*size)
		rc = err_set(err, -EINVAL, "'%.200s' is empty", path);
	else
		rc = xml_check(path, text, *size, err);
out:
	close(fd);
	if (rc)
		free(text);
	else
		*out = text;
	return rc;
}

/* "4GiB" and the like: digits, then a binary unit or none; the largest is 2^50 bytes */
static int check_size(const char *value, const char *end, struct err *err)
{
	static const char units[] = "KMGT";
	const char *unit, *found;
	double bytes = 0;

	for (unit = value; unit < end && isdigit((unsigned char)*unit); unit++)
		bytes = bytes * 10 + (*unit - '0');
	found = unit < end ? strchr(units, toupper((unsigned char)*unit)) : NULL;
	if (found && unit + 1 < end && toupper((unsigned char)unit[1]) == 'B')
		return err_set(
			err, -EINVAL,
			"decimal unit in '%.*s': write %ciB, hwloc would take powers of 1000",
			(int)(unit + 2 - value > 40 ? 40 : unit + 2 - value), value, *found);
	for (; found && found >= units; found--)
		bytes *= 1024;
	if (bytes > 1125899906842624.0)
		return err_set(err, -EINVAL, "'%.*s' in the synthetic topology is over 1024 TiB",
			       (int)(end - value > 40 ? 40 : end - value), value);
	return 0;
}

/* NAME=VALUE between brackets: sizes must be sane; hwloc judges the rest */
static int check_attributes(const char *s, const char *end, struct err *err)
{
	const char *value, *stop;
	int rc;

	while (s < end && (s = memchr(s, '=', end - s))) {
		value = s + 1;
		for (stop = value; stop < end && isalnum((unsigned char)*stop); stop++)
			;
		rc = isdigit((unsigned char)*value) && *stop != '*' ? check_size(value, stop, err)
								    : 0;
		if (rc)
			return rc;
		s = stop;
	}
	return 0;
}

/* the count of a level: "Core:18", "18", "18(...)"; 0 when there is none to be read */
static unsigned long level_count(const char *s, size_t len)
{
	const char *colon = memchr(s, ':', len), *paren = memchr(s, '(', len);
	unsigned long v = 0;

	if (colon && (!paren || colon < paren)) {
		len -= colon + 1 - s;
		s = colon + 1;
	}
	for (; len && isdigit((unsigned char)*s); s++, len--) {
		v = v * 10 + (*s - '0');
		if (v > 1ul << 40)
			break;
	}
	return v;
}

int input_check_synthetic(const char *text, struct err *err)
{
	unsigned long pus = 1, objects = 0, compares = 0, count;
	const char *s = text, *start, *end;
	int levels = 0, depth, rc;

	if (!*text)
		return err_set(err, -EINVAL, "the topology to load is empty");
	if (strlen(text) > MAX_SYNTHETIC_TEXT)
		return err_set(err, -EINVAL, "'%.40s...' is too long for a synthetic topology",
			       text);
	for (s = text; *s; s++)
		if (!isalnum((unsigned char)*s) && !strchr(" :()[]=*,.+-_", *s))
			return err_set(
				err, -EINVAL,
				"'%.80s' is neither a file nor a synthetic topology such as "
				"\"Package:2 [NUMANode(memory=96GiB)] L3Cache:1 Core:18 PU:2\"",
				text);
	for (s = text; *s; s = end) {
		s += strspn(s, " ");
		if (!*s)
			break;
		start = s;
		for (depth = 0; *s && (depth || *s != ' '); s++)
			depth += (*s == '(' || *s == '[') - (*s == ')' || *s == ']');
		end = s;
		if (depth)
			return err_set(err, -EINVAL, "'%.80s': a bracket is not closed", start);
		rc = check_attributes(start, end, err);
		if (rc)
			return rc;
		if (*start == '[' || *start == '(')
			continue; /* memory at this level, attributes of the machine */
		count = level_count(start, end - start);
		if (!count)
			return err_set(
				err, -EINVAL,
				"'%.*s' is no level of a synthetic topology: neither a file, nor "
				"TYPE:COUNT as in \"Package:2 Core:18 PU:2\"",
				(int)(end - start > 80 ? 80 : end - start), start);
		if (++levels > MAX_SYNTHETIC_LEVELS)
			return err_set(err, -EINVAL, "the synthetic topology has over %d levels",
				       MAX_SYNTHETIC_LEVELS);
		if (count > TOPO_MAX_PUS || (pus *= count) > TOPO_MAX_PUS)
			return err_set(err, -EINVAL,
				       "the synthetic topology has more than %d PUs (at '%.40s')",
				       TOPO_MAX_PUS, start);
		objects += pus;
		compares += pus * count;
	}
	if (!levels)
		return err_set(err, -EINVAL, "the synthetic topology '%.80s' has no level", text);
	/* hwloc compares every object with its siblings, a word of 64 CPUs at a time */
	if (objects > MAX_SYNTHETIC_OBJECTS || compares * (pus / 64 + 1) > MAX_SYNTHETIC_COMPARES)
		return err_set(
			err, -EINVAL,
			"the synthetic topology has too many objects in one place: %lu in all",
			objects);
	return 0;
}
