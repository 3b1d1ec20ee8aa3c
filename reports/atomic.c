/* SPDX-License-Identifier: MIT */
#include "atomic.h"

#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
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

/* the n-th name beside the target that a file may have until it takes its place */
static char *temp_name(const struct atomic_file *f, int n)
{
	const char *slash = strrchr(f->target, '/');
	int folder = slash ? slash - f->target + 1 : 0;
	char *name;

	if (asprintf(&name, "%.*s.%.100s.%d-%d.tmp", folder, f->target, f->target + folder,
		     getpid(), n) < 0)
		return NULL;
	return name;
}

static int open_folder(const char *path, int flags)
{
	char *copy = strdup(path);
	int fd = copy ? open(dirname(copy), flags | O_CLOEXEC, 0666) : -1, saved = errno;

	free(copy);
	errno = saved;
	return fd;
}

/* a file without a name, which no kill leaves behind; -1 where the file system has none */
static int open_nameless(const struct atomic_file *f)
{
	return access("/proc/self/fd", X_OK) ? -1 : open_folder(f->target, O_RDWR | O_TMPFILE);
}

/* gives the file the first name that is free, by @make; -errno */
static int take_name(struct atomic_file *f, int (*make)(struct atomic_file *f))
{
	int n, rc = -EEXIST;

	for (n = 0; n < 1000 && rc == -EEXIST; n++) {
		free(f->temp);
		f->temp = temp_name(f, n);
		rc = f->temp ? make(f) : -ENOMEM;
	}
	if (rc) {
		free(f->temp);
		f->temp = NULL;
	}
	return rc;
}

static int make_named(struct atomic_file *f)
{
	f->fd = open(f->temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	return f->fd < 0 ? -errno : 0;
}

static int make_link(struct atomic_file *f)
{
	char fd[32];

	snprintf(fd, sizeof(fd), "/proc/self/fd/%d", f->fd);
	return linkat(AT_FDCWD, fd, AT_FDCWD, f->temp, AT_SYMLINK_FOLLOW) ? -errno : 0;
}

static int open_temp(struct atomic_file *f, struct err *err)
{
	int rc;

	f->fd = open_nameless(f);
	rc = f->fd < 0 ? take_name(f, make_named) : 0;
	return rc ? err_set(err, rc, "cannot write '%.200s': no new file beside it: %s", f->path,
			    strerror(-rc))
		  : 0;
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
	if (rc)
		free(f->target);
	return rc;
}

static void flush(struct atomic_file *f)
{
	size_t done = 0;
	ssize_t n;

	while (!f->rc && done < f->len) {
		n = write(f->fd, f->buf + done, f->len - done);
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
	int fd = open_folder(path, O_RDONLY | O_DIRECTORY), rc = 0;

	if (fd < 0)
		return errno == ENOMEM ? -ENOMEM : 0;
	if (fsync(fd) && errno != EINVAL && errno != ENOTSUP && errno != EROFS)
		rc = -errno;
	close(fd);
	return rc;
}

/* where a system refuses to name what has none: the bytes go to a file that has */
static int copy_to_named(struct atomic_file *f)
{
	int from = f->fd, rc = take_name(f, make_named);
	off_t at = 0;
	ssize_t n;

	if (rc) {
		f->fd = from;
		return rc;
	}
	while ((n = sendfile(f->fd, from, &at, f->total)) > 0)
		;
	rc = n < 0 ? -errno : take_over(f);
	if (!rc && fsync(f->fd))
		rc = -errno;
	close(from);
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
	if (!f->rc && !f->temp && take_name(f, make_link))
		f->rc = copy_to_named(f);
	if (close(f->fd) && !f->rc)
		f->rc = -errno;
	if (!f->rc && rename(f->temp, f->target))
		f->rc = -errno;
	if (!f->rc)
		f->rc = sync_folder(f->target);
	else if (f->temp)
		unlink(f->temp);
	rc = f->rc;
	free(f->target);
	free(f->temp);
	return rc ? refuse(f, rc, strerror(-rc), err) : 0;
}
