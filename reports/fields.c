/* SPDX-License-Identifier: MIT */
#include "fields.h"

#include <fcntl.h>
#include <malloc.h>
#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "text.h"

/* --------------------------------------------------------------------- the file */

static int too_large(const char *path, size_t max, struct err *err)
{
	return err_set(err, -EFBIG, "file '%.200s': is over %zu MiB, too large", path, max >> 20);
}

/* a file, or a pipe that somebody writes to */
static int open_file(const char *path, size_t max, struct err *err)
{
	struct stat st = {0};
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY), rc = 0;

	if (fd < 0 || fstat(fd, &st))
		rc = err_set(err, -errno, "cannot read '%.200s': %s", path, strerror(errno));
	else if (S_ISDIR(st.st_mode))
		rc = err_set(err, -EISDIR, "cannot read '%.200s': it is a directory", path);
	else if (!S_ISREG(st.st_mode) && !S_ISFIFO(st.st_mode))
		rc = err_set(err, -EBADMSG, "cannot read '%.200s': it is not a file", path);
	else if (S_ISREG(st.st_mode) && (size_t)st.st_size > max)
		rc = too_large(path, max, err);
	if (rc && fd >= 0)
		close(fd);
	if (rc)
		return rc;
	fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
	return fd;
}

static int read_all(int fd, const char *path, size_t max, char **data, size_t *size,
		    struct err *err)
{
	size_t room = 0;
	ssize_t n = 1;
	char *grown;

	while (n) {
		if (*size == room) {
			room = room ? 2 * room : 1 << 16;
			grown = realloc(*data, room);
			if (!grown)
				return err_set(err, -ENOMEM, "file '%.200s': out of memory", path);
			*data = grown;
		}
		n = read(fd, *data + *size, room - *size);
		if (n > 0)
			*size += n;
		else if (n < 0 && errno != EINTR)
			return err_set(err, -errno, "cannot read '%.200s': %s", path,
				       strerror(errno));
		if (*size > max)
			return too_large(path, max, err);
	}
	return 0;
}

int fields_read(const char *path, size_t max, char **data, size_t *size, struct err *err)
{
	int fd = open_file(path, max, err), rc;

	*data = NULL;
	*size = 0;
	if (fd < 0)
		return fd;
	rc = read_all(fd, path, max, data, size, err);
	close(fd);
	if (rc) {
		free(*data);
		*data = NULL;
	}
	return rc;
}

/* ------------------------------------------------------------------- bounded memory */

/* what a parse on this thread may still take; jansson's allocator is told of no context */
static _Thread_local struct {
	bool on, used_up;
	size_t left;
} room;

static void *take(size_t size)
{
	size_t taken;
	void *p;

	if (room.on && size > room.left) {
		room.used_up = true;
		return NULL;
	}
	p = malloc(size);
	if (p && room.on) {
		/* more than was asked for, perhaps more than is left */
		taken = malloc_usable_size(p);
		room.left -= taken < room.left ? taken : room.left;
	}
	return p;
}

static void give(void *p)
{
	if (p && room.on)
		room.left += malloc_usable_size(p);
	free(p);
}

static void set_allocator(void)
{
	json_set_alloc_funcs(take, give);
}

static json_t *parse(const char *data, size_t size, json_error_t *why)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	json_t *root;

	pthread_once(&once, set_allocator);
	room.on = true;
	room.used_up = false;
	room.left = FIELDS_MEMORY(size);
	root = json_loadb(data, size, JSON_REJECT_DUPLICATES, why);
	room.on = false;
	return root;
}

int fields_parse(const char *path, const char *data, size_t size, json_t **root, struct err *err)
{
	json_error_t why;
	bool cut;

	*root = parse(data, size, &why);
	if (*root)
		return 0;
	if (room.used_up)
		return err_set(err, -EBADMSG,
			       "file '%.200s': it would take more than %zu MiB of memory, which no "
			       "result of its size does",
			       path, FIELDS_MEMORY(size) >> 20);
	if (why.line < 0)
		return err_set(err, -ENOMEM, "file '%.200s': out of memory", path);
	cut = json_error_code(&why) == json_error_premature_end_of_input;
	return err_set(err, -EBADMSG, "file '%.200s': not JSON%s: line %d, column %d: %s", path,
		       cut ? ", or cut short" : "", why.line, why.column, why.text);
}

/* ----------------------------------------------------------------------- refusals */

void field_refuse(struct fields *f, const char *name, const char *fmt, ...)
{
	char where[64] = "", why[160];
	va_list ap;
	int len = 0;

	if (f->rc)
		return;
	va_start(ap, fmt);
	vsnprintf(why, sizeof(why), fmt, ap);
	va_end(ap);
	if (f->case_idx >= 0)
		len = snprintf(where, sizeof(where), "cases[%d]", f->case_idx);
	if (f->sample_idx >= 0)
		len += snprintf(where + len, sizeof(where) - len, ".samples[%d]", f->sample_idx);
	if (len && *name)
		snprintf(where + len, sizeof(where) - len, ".");
	f->rc = err_set(f->err, -EBADMSG, "file '%.200s': %s%s%.80s %s", f->path, where, f->section,
			name, why);
}

void field_no_memory(struct fields *f)
{
	if (!f->rc)
		f->rc = err_set(f->err, -ENOMEM, "file '%.200s': out of memory", f->path);
}

/* ---------------------------------------------------------------------- getters */

const json_t *field_get(struct fields *f, const json_t *o, const char *name)
{
	const json_t *v = f->rc ? NULL : json_object_get(o, name);

	if (!v)
		field_refuse(f, name, "is missing");
	return v;
}

const json_t *field_object(struct fields *f, const json_t *o, const char *name)
{
	const json_t *v = field_get(f, o, name);

	if (v && !json_is_object(v))
		field_refuse(f, name, "is not an object");
	return f->rc ? NULL : v;
}

const json_t *field_list(struct fields *f, const json_t *o, const char *name, size_t max, int *nr)
{
	const json_t *v = field_get(f, o, name);

	if (v && !json_is_array(v))
		field_refuse(f, name, "is not a list");
	else if (v && json_array_size(v) > max)
		field_refuse(f, name, "has %zu elements, more than %zu", json_array_size(v), max);
	*nr = f->rc ? 0 : json_array_size(v);
	return f->rc ? NULL : v;
}

bool field_bool(struct fields *f, const json_t *o, const char *name)
{
	const json_t *v = field_get(f, o, name);

	if (v && !json_is_boolean(v))
		field_refuse(f, name, "is not true or false");
	return v && json_is_true(v);
}

static int64_t int_value(struct fields *f, const json_t *v, const char *name, int64_t min,
			 int64_t max)
{
	int64_t i = v ? json_integer_value(v) : 0;

	if (v && !json_is_integer(v))
		field_refuse(f, name, "is not a whole number");
	else if (v && (i < min || i > max))
		field_refuse(f, name, "is %lld, outside %lld..%lld", (long long)i, (long long)min,
			     (long long)max);
	return f->rc ? 0 : i;
}

int64_t field_int(struct fields *f, const json_t *o, const char *name, int64_t min, int64_t max)
{
	return int_value(f, field_get(f, o, name), name, min, max);
}

int64_t field_int_or_null(struct fields *f, const json_t *o, const char *name, int64_t min,
			  int64_t max, int64_t absent)
{
	const json_t *v = field_get(f, o, name);

	return v && json_is_null(v) ? absent : int_value(f, v, name, min, max);
}

double field_real(struct fields *f, const json_t *o, const char *name, double max)
{
	const json_t *v = field_get(f, o, name);
	double d = v ? json_number_value(v) : 0;

	if (v && !json_is_number(v))
		field_refuse(f, name, "is not a number");
	else if (v && !(d >= 0 && d <= max))
		field_refuse(f, name, "is %.6g, outside 0..%g", d, max);
	return f->rc ? 0 : d;
}

double field_real_or_null(struct fields *f, const json_t *o, const char *name, double max)
{
	const json_t *v = field_get(f, o, name);

	return v && json_is_null(v) ? NAN : field_real(f, o, name, max);
}

char *field_text_value(struct fields *f, const json_t *v, const char *name)
{
	char *s = NULL;

	if (v && !json_is_string(v))
		field_refuse(f, name, "is not a text");
	if (!v || f->rc)
		return NULL;
	s = strdup(json_string_value(v));
	if (s)
		text_tame(s);
	else
		field_no_memory(f);
	return s;
}

char *field_text(struct fields *f, const json_t *o, const char *name)
{
	return field_text_value(f, field_get(f, o, name), name);
}

char *field_text_or_null(struct fields *f, const json_t *o, const char *name)
{
	const json_t *v = field_get(f, o, name);

	return v && json_is_null(v) ? NULL : field_text_value(f, v, name);
}

char *field_text_or_none(struct fields *f, const json_t *o, const char *name)
{
	char *s = field_text_or_null(f, o, name);

	if (!s && !f->rc) {
		s = strdup("");
		if (!s)
			field_no_memory(f);
	}
	return s;
}
