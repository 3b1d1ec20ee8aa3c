/* SPDX-License-Identifier: MIT */
/*
 * atomic.h - a file that is there whole or not at all
 *
 * The bytes go to a new file in the same folder; commit syncs it, gives it the owner and the
 * permission bits of the file it replaces (a new one gets those of the umask), renames it over the
 * path and syncs the folder. Whatever goes wrong before the rename: the old file is untouched, the
 * new one removed. Until it is whole the new file has no name (O_TMPFILE), so that a kill leaves
 * nothing; where the file system knows no such files, or without /proc, it is called
 * ".<name>.<pid>-<n>.tmp", and a kill leaves that. So it is where the system refuses a name later.
 *
 * A file over the size limit (ulimit -f) is an error where the process ignores SIGXFSZ, as main does.
 *
 * A symbolic link is followed: the file that it names is replaced, the link stays. A link to
 * nothing, a folder, a device or a pipe is refused: renaming over /dev/null would destroy it.
 *
 *   begin -> put, put, ... -> end      the first failure of put is kept and reported by end
 */
#ifndef CHARGELINE_REPORTS_ATOMIC_H
#define CHARGELINE_REPORTS_ATOMIC_H

#include <stddef.h>
#include <sys/stat.h>

#include "err.h"

struct atomic_file {
	const char *path;    /* the caller's; for sentences */
	char *target, *temp; /* temp: NULL while the file has no name */
	struct stat old;
	int fd, rc;
	size_t len, total; /* bytes in buf; bytes so far */
	char buf[1 << 16];
};

/* -errno with path and cause; then there is nothing to end */
int atomic_begin(struct atomic_file *f, const char *path, struct err *err);

/* 0, or -1 after a failure; the signature is that of jansson's dump callback. @f: the file */
int atomic_put(const char *data, size_t size, void *f);

/*
 * atomic_end - commit, or when anything failed (f->rc, which a caller may set) throw away
 * Returns 0 or that -errno, with path and cause.
 */
int atomic_end(struct atomic_file *f, struct err *err);

#endif
