/* SPDX-License-Identifier: MIT */
#include "doctor_private.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "topo_private.h"

const char *const finding_state_names[FINDING_NR_STATES] = {"ok", "warning", "fault", "unknown"};

#define DOCTOR_ENTER(name) {#name, check_##name},
static const struct {
	const char *name;
	void (*run)(const struct exam *x, struct finding *f);
} checks[] = {DOCTOR_CHECKS(DOCTOR_ENTER)};
#define NR_CHECKS ((int)(sizeof(checks) / sizeof(checks[0])))

/* -------------------------------------------------------------------- the findings */

/* what comes from files may hold any byte */
static void set_text(char *buf, size_t size, const char *fmt, va_list ap)
{
	int len = vsnprintf(buf, size, fmt, ap);
	char *c;

	if (len >= (int)size)
		memcpy(buf + size - 4, "...", 4);
	for (c = buf; *c; c++)
		if (*c < ' ' || *c > '~')
			*c = '?';
}

void found(struct finding *f, enum finding_state state, const char *fmt, ...)
{
	va_list ap;

	f->state = state;
	va_start(ap, fmt);
	set_text(f->value, sizeof(f->value), fmt, ap);
	va_end(ap);
}

void advise(struct finding *f, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	set_text(f->remedy, sizeof(f->remedy), fmt, ap);
	va_end(ap);
}

/* ---------------------------------------------------------------------- the files */

bool exam_path(const struct exam *x, char *buf, size_t size, const char *path)
{
	return (size_t)snprintf(buf, size, "%s%s", x->root, path) < size;
}

bool exam_there(const struct exam *x, const char *path)
{
	char full[EXAM_MAX_PATH];
	struct stat st;

	return exam_path(x, full, sizeof(full), path) && !stat(full, &st);
}

bool exam_line(const struct exam *x, struct finding *f, const char *path, char *buf, size_t size)
{
	char full[EXAM_MAX_PATH];
	int error = ENAMETOOLONG;
	bool ok = false;

	buf[0] = 0;
	if (exam_path(x, full, sizeof(full), path)) {
		errno = 0;
		ok = system_read_line(full, buf, size);
		error = errno;
	}
	if (ok && strlen(buf) < size - 1)
		return true;
	if (f && ok)
		advise(f, "%s holds too much to be an answer", path);
	else if (f && error)
		advise(f, "cannot read %s: %s", path, strerror(error));
	else if (f)
		advise(f, "%s is empty", path);
	buf[0] = 0;
	return false;
}

bool exam_next_line(FILE *f, char *buf, size_t size)
{
	int c = 0;

	if (!fgets(buf, (int)size, f))
		return false;
	if (!strchr(buf, '\n'))
		while (c != '\n' && c != EOF)
			c = getc(f);
	buf[strcspn(buf, "\n")] = 0;
	return true;
}

FILE *exam_open(const struct exam *x, const char *path)
{
	char full[EXAM_MAX_PATH];

	return exam_path(x, full, sizeof(full), path) ? fopen(full, "re") : NULL;
}

bool exam_number(const struct exam *x, struct finding *f, const char *path, int64_t min,
		 int64_t max, int64_t *out)
{
	char text[64];

	if (!exam_line(x, f, path, text, sizeof(text)))
		return false;
	text[strcspn(text, " \t")] = 0;
	if (!text_parse_int(text, min, max, out, NULL))
		return true;
	exam_garbage(f, path, text);
	return false;
}

void exam_garbage(struct finding *f, const char *path, const char *text)
{
	if (f)
		advise(f, "%s holds '%.40s', which says nothing", path, text);
}

bool exam_is_word(const char *s)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "0123456789-_";

	return *s && strlen(s) < 32 && !s[strspn(s, letters)];
}

/* ---------------------------------------------------------------- the examination */

static void watch(struct exam *x)
{
	const struct timespec pause = {.tv_nsec = DOCTOR_WATCH_MS * 1000000L};

	x->watched = ticks_read(x, x->before);
	if (x->live && x->watched)
		nanosleep(&pause, NULL);
	x->watched = x->watched && ticks_read(x, x->after);
}

static int check_arguments(const struct topo *topo, const char *root, struct err *err)
{
	struct stat st;

	if (!*root && !topo_info(topo)->is_this_system)
		return err_set(err, -EOPNOTSUPP,
			       "the topology is not that of this system: only this system can be "
			       "examined");
	if (strlen(root) > EXAM_MAX_PATH / 2)
		return err_set(err, -EINVAL, "the name of the folder to examine is too long");
	if (*root && (stat(root, &st) || !S_ISDIR(st.st_mode)))
		return err_set(err, -ENOENT, "there is no folder '%.200s' to examine", root);
	return 0;
}

int doctor_examine(const struct topo *topo, const char *root, struct finding **out, int *nr,
		   struct err *err)
{
	struct exam x = {.root = root, .live = !*root, .topo = topo};
	struct finding *f = NULL;
	int i, nr_cpus, rc = check_arguments(topo, root, err);

	if (rc)
		return rc;
	topo_cpus(topo, &nr_cpus);
	x.before = calloc(nr_cpus + 1, sizeof(*x.before));
	x.after = calloc(nr_cpus + 1, sizeof(*x.after));
	f = calloc(NR_CHECKS, sizeof(*f));
	if (!x.before || !x.after || !f) {
		free(f);
		rc = err_set(err, -ENOMEM, "out of memory");
		goto out;
	}
	watch(&x);
	for (i = 0; i < NR_CHECKS; i++) {
		f[i].name = checks[i].name;
		f[i].state = FINDING_UNKNOWN;
		checks[i].run(&x, &f[i]);
	}
	*out = f;
	*nr = NR_CHECKS;
out:
	free(x.before);
	free(x.after);
	return rc;
}
