/* SPDX-License-Identifier: MIT */
/*
 * headers.c - a public header stands alone: nothing is included before it, and twice does no harm
 *
 * Built once per header, with HEADER its name; those that the C++ shim reads once more as C++.
 * That it compiles is the test.
 */
#include HEADER
#include HEADER

/* a translation unit must declare something, and not every header does so for both languages */
extern int headers_alone;
