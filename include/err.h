/* SPDX-License-Identifier: MIT */
/*
 * err.h - an error is a value with a sentence
 *
 * A function that can fail returns 0 (or a count) or -errno, and takes a struct err that it fills
 * on failure and leaves untouched on success. The place that knows the cause writes the sentence;
 * a caller may put in front where it was. Only cli/ prints, only main exits.
 *
 *   -EINVAL      the user's mistake: a value, a name, an option        exit status 2
 *   -EOPNOTSUPP  cannot be done on this machine, now; tests skip       exit status 1
 *   -EUCLEAN     an invariant of a subject broke: there is no number   exit status 3
 *   -ENOMEM, -EIO and the rest of errno keep their meaning             exit status 1
 *
 * Threads: a struct err belongs to one thread; the functions hold no state.
 */
#ifndef CHARGELINE_ERR_H
#define CHARGELINE_ERR_H

#include <errno.h>

#ifdef __cplusplus
extern "C" {
#endif

struct err {
	int code;      /* -errno, 0 before any failure */
	char msg[480]; /* one sentence, no newline; longer ones are cut with "..." */
};

#define ERR_INIT      \
	{             \
		0, "" \
	}

/*
 * err_set - record a failure and return it
 * @err:  may be NULL: the caller does not want the sentence
 * @code: -errno; returned, so that failing is one statement
 * @fmt:  what went wrong, naming the thing and the place; no final newline
 */
int err_set(struct err *err, int code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/*
 * err_prefix - put where it was in front of a sentence that is already set
 *
 * "cannot read x" with prefix "file 'a': " becomes "file 'a': cannot read x". Returns err->code.
 */
int err_prefix(struct err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#ifdef __cplusplus
}
#endif
#endif
