/* SPDX-License-Identifier: MIT */
/*
 * digest.h - SHA-256 (FIPS 180-4), to know a file again by its bytes
 *
 * Any number of calls at once.
 */
#ifndef CHARGELINE_REPORTS_DIGEST_H
#define CHARGELINE_REPORTS_DIGEST_H

#include <stddef.h>

/* 64 hexadecimal digits and a 0, as sha256sum prints them */
void digest_sha256(const void *data, size_t size, char hex[65]);

#endif
