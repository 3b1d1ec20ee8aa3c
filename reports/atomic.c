/* SPDX-License-Identifier: MIT */
#include "atomic.h"

#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int refuse(const struct atomic_file *f, int rc, const char *why, struct err *err)
{
	return err_set(err, rc, "cannot write '%.200s': %s", f->path, why);
}

/* fills target and old; old.st_mode is 0 when there is no such file yet */
static int find_target(struct atomic_file *f, struct err *err)
{
	struct stat link;

	f->target = realpath(f->path, NULL);
	if (f->target && !stat(f->target, &f->old)) {
		if (S_ISREG(f->old.st_mode))
			return 0;
		if (S_ISDIR(f->old.st_mode))
			return refuse(f, -EISDIR, "it is a directory", err);
		return refuse(f, -EINVAL, "it is a device or a pipe, not a regular file", err);
	}
	if (errno != ENOENT)
		return refuse(f, -errno, strerror(errno), err);
	if (!lstat(f->path, &link))
		return refuse(f, -ENOENT, "it is a symbolic link to nothing", err);
	free(f->target);
	f->target = strdup(f->path);
	return f->target ? 0 : refuse(f, -ENOMEM, strerror(ENOMEM), err);
}

static int open_temp(struct atomic_file *f, struct err *err)
{
	const char *slash = strrchr(f->target, '/');
	int folder = slash ? slash - f->target + 1 : 0, n;

	for (n = 0; n < 1000; n++) {
		free(f->temp);
		if (asprintf(&f->temp, "%.*s.%.100s.%d-%d.tmp", folder, f->target,
			     f->target + folder, getpid(), n) < 0) {
			f->temp = NULL;
			return refuse(f, -ENOMEM, strerror(ENOMEM), err);
		}
		f->fd = open(f->temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		if (f->fd >= 0 || errno != EEXIST)
			break;
	}
	if (f->fd < 0)
		return err_set(err, -errno, "cannot write '%.200s': no new file beside it: %s",
			       f->path, strerror(errno));
	return 0;
}

int atomic_begin(struct atomic_file *f, const char *path, struct err *err)
{
	int rc;

	f->path = path;
	f->target = f->temp = NULL;
	memset(&f->old, 0, sizeof(f->old));
	f->fd = -1;
	f->rc = 0;
	f->len = f->total = 0;
	rc = find_target(f, err);
	rc = rc ? rc : open_temp(f, err);
	if (rc) {
		free(f->target);
		free(f->temp);
	}
	return rc;
}

/* a file over the size limit (ulimit -f) is to be an error, not the end of the process */
static ssize_t write_without_signal(int fd, const char *data, size_t size)
{
	static const struct timespec now;
	sigset_t xfsz, old;
	ssize_t n;
	int saved;

	sigemptyset(&xfsz);
	sigaddset(&xfsz, SIGXFSZ);
	pthread_sigmask(SIG_BLOCK, &xfsz, &old);
	n = write(fd, data, size);
	saved = errno;
	if (n < 0 && saved == EFBIG)
		sigtimedwait(&xfsz, NULL, &now);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	errno = saved;
	return n;
}

static void flush(struct atomic_file *f)
{
	size_t done = 0;
	ssize_t n;

	while (!f->rc && done < f->len) {
		n = write_without_signal(f->fd, f->buf + done, f->len - done);
		if (n > 0)
			done += n;
		else if (n < 0 && errno != EINTR)
			f->rc = -errno;
	}
	f->len = 0;
}

int atomic_put(const char *data, size_t size, void *file)
{
	struct atomic_file *f = file;
	size_t part;

	f->total += size;
	while (size && !f->rc) {
		part = size < sizeof(f->buf) - f->len ? size : sizeof(f->buf) - f->len;
		memcpy(f->buf + f->len, data, part);
		f->len += part;
		data += part;
		size -= part;
		if (f->len == sizeof(f->buf))
			flush(f);
	}
	return f->rc ? -1 : 0;
}

/* keep who owns it, as far as we may give files away, and who may read it */
static int take_over(const struct atomic_file *f)
{
	if (!f->old.st_mode)
		return 0;
	if (fchown(f->fd, f->old.st_uid, f->old.st_gid) && fchown(f->fd, -1, f->old.st_gid)) {
		/* not ours to give away: it is our own now */
	}
	return fchmod(f->fd, f->old.st_mode & 0777) ? -errno : 0;
}

/* best effort where the folder cannot be opened or has no sync: the file is in place */
static int sync_folder(const char *path)
{
	char *copy = strdup(path);
	int fd, rc = 0;

	if (!copy)
		return -ENOMEM;
	fd = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	free(copy);
	if (fd < 0)
		return 0;
	if (fsync(fd) && errno != EINVAL && errno != ENOTSUP && errno != EROFS)
		rc = -errno;
	close(fd);
	return rc;
}

int atomic_end(struct atomic_file *f, struct err *err)
{
	int rc;

	flush(f);
	if (!f->rc)
		f->rc = take_over(f);
	if (!f->rc && fsync(f->fd))
		f->rc = -errno;
	if (close(f->fd) && !f->rc)
		f->rc = -errno;
	if (!f->rc && rename(f->temp, f->target))
		f->rc = -errno;
	if (f->rc)
		unlink(f->temp);
	else
		f->rc = sync_folder(f->target);
	rc = f->rc;
	free(f->target);
	free(f->temp);
	return rc ? refuse(f, rc, strerror(-rc), err) : 0;
}
