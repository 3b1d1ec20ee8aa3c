/* SPDX-License-Identifier: MIT */
/*
 * fuzz.h - what the fuzz targets share: bytes as a file, and what a reader must never be shown
 */
#ifndef CHARGELINE_FUZZ_H
#define CHARGELINE_FUZZ_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* a descriptor whose /proc/self/fd name goes to @path; close() it */
static inline int fuzz_file(const uint8_t *data, size_t size, char path[64])
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	snprintf(path, 64, "/proc/self/fd/%d", fd);
	return fd;
}

/* what a terminal or a browser would take for a command */
static inline void fuzz_no_control(const char *text, size_t size)
{
	size_t i;

	for (i = 0; i < size; i++)
		if (((unsigned char)text[i] < ' ' && text[i] != '\n') || text[i] == 0x7f ||
		    (text[i] == '\xc2' && i + 1 < size && (text[i + 1] & 0xe0) == 0x80))
			abort();
}

#endif
