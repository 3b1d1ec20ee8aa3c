#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# package.sh - from a clean clone: meson dist, then the Debian package from its tarball, and what
# lintian says of it. TAP.
#
# What is committed is what is packaged. One build proves the tarball, meson install and debian/;
# its tests are left out (nocheck), they are what everything else here is about.
set -u
root=$(readlink -f -- "${1:-$(dirname -- "$0")/..}")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
nr=0

ok() { # ok STATUS NAME: STATUS is the exit status of what was tested; its words are in log
	nr=$((nr + 1))
	if [ "$1" = 0 ]; then
		echo "ok $nr - $2"
	else
		echo "not ok $nr - $2"
		tail -n 30 log | sed 's/^/# /'
	fi
	return "$1"
}

end() {
	echo "1..$nr"
	exit
}

skip_all() {
	echo "1..0 # SKIP $1"
	exit
}

git -C "$root" rev-parse HEAD >log 2>&1 || skip_all 'this tree is not a git repository'
for tool in dpkg-buildpackage dh lintian; do
	command -v $tool >/dev/null || skip_all "$tool is not there"
done

: >log
git clone -q "$root" clone >log 2>&1
meson setup build clone >>log 2>&1 &&
	meson dist -C build --no-tests --formats gztar >>log 2>&1
ok $? 'meson dist from a clean clone' || end
tarball=$(echo build/meson-dist/chargeline-*.tar.gz)
version=${tarball##*/chargeline-}
version=${version%.tar.gz}
(cd build/meson-dist && sha256sum -c ./*.sha256sum) >log 2>&1
ok $? 'the tarball is what its checksum says'

tar xf "$tarball" && cd "chargeline-$version" || exit 1
head -n 1 debian/changelog >../log
grep -qxF "chargeline ($version) unstable; urgency=medium" debian/changelog
ok $? "debian/changelog is of the version that meson.build states, $version"

DEB_BUILD_OPTIONS="nocheck parallel=$(nproc)" dpkg-buildpackage -us -uc >../log 2>&1
status=$?
cd ..
ok $status 'dpkg-buildpackage' || end
deb=$(echo chargeline_"${version}"_*.deb)
dpkg-deb -c "$deb" | awk '{ print substr($6, 2) }' >files
cp files log
for file in /usr/bin/chargeline /usr/share/man/man1/chargeline.1.gz \
	/usr/share/bash-completion/completions/chargeline /usr/share/doc/chargeline/copyright; do
	grep -qx "$file" files
	ok $? "the package holds $file"
done
dpkg-deb -x "$deb" root
root/usr/bin/chargeline --version >log 2>&1 && grep -qxF "chargeline $version" log
ok $? 'the packaged program runs'
zcat root/usr/share/man/man1/chargeline.1.gz >page && root/usr/bin/chargeline help --man |
	cmp - page >log 2>&1
ok $? 'its man page is its own'

lintian --allow-root --fail-on error,warning chargeline_*.changes >log 2>&1
ok $? 'lintian finds neither errors nor warnings'
end
