# shellcheck shell=bash
# SPDX-License-Identifier: MIT
#
# setup.sh - what quickstart and check share: sourced, never run
#
# The caller sets me, its name in messages. Sets root, the top of the source tree.

: "${me:?}"
root=$(dirname -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")")

die() {
	printf '%s: %s\n' "$me" "$1" >&2
	exit 1
}

# runs a command with its output in the file $1, and shows that file's end only if it fails
logged() {
	local log=$1
	shift
	"$@" >>"$log" 2>&1 && return
	printf '%s: failed: %s\n' "$me" "$*" >&2
	tail -n 200 -- "$log" >&2
	printf '%s: all of it: %s\n' "$me" "$log" >&2
	return 1
}

# ------------------------------------------------------------------ packages

# the rows of the dependency list that are for one of the kinds in "$@"
deps_rows() {
	local kind rest
	while read -r kind rest; do
		[[ " $* " != *" $kind "* ]] || printf '%s %s\n' "$kind" "$rest"
	done <"$root/scripts/deps"
}

# debian, fedora or other; the variable is for the tests
deps_distro() {
	local ID='' ID_LIKE='' file=${CHARGELINE_OS_RELEASE:-/etc/os-release}
	if [[ -r $file ]]; then
		# shellcheck disable=SC1090
		. "$file"
	fi
	case " $ID $ID_LIKE " in
	*' debian '*) echo debian ;;
	*' fedora '*) echo fedora ;;
	*) echo other ;;
	esac
}

deps_installed() { # DISTRO PACKAGE
	case $1 in
	# a removed package whose configuration is left is still known, hence the state
	debian) [[ $(dpkg-query -W -f '${db:Status-Status}' "$2" 2>/dev/null) == installed ]] ;;
	fedora) rpm -q "$2" >/dev/null 2>&1 ;;
	*) false ;;
	esac
}

# prints the version of what a row is found by; fails if it is not there
deps_version() {
	local text
	case $1 in
	-) return 1 ;;
	lib:*) pkg-config --modversion "${1#lib:}" 2>/dev/null ;;
	*)
		command -v "$1" >/dev/null || return 1
		text=$("$1" --version 2>/dev/null </dev/null) || return 1
		[[ $text =~ [0-9]+(\.[0-9]+)+ ]] && printf '%s\n' "${BASH_REMATCH[0]}"
		;;
	esac
}

deps_new_enough() { # VERSION MINIMUM
	[[ $2 == - ]] || printf '%s\n' "$2" "$1" | sort -C -V
}

# prints the packages of the kinds "$2"... that are not there
deps_missing() {
	local distro=$1 kind debian fedora minimum probe why name
	shift
	deps_rows "$@" | while read -r kind debian fedora minimum probe why; do
		case $distro in
		debian) name=$debian ;;
		fedora) name=$fedora ;;
		*) name=$probe ;;
		esac
		[[ $name != - ]] || continue
		deps_installed "$distro" "$name" && continue
		# it may have come by another way, or in a package of another name
		deps_version "$probe" >/dev/null && continue
		printf '%s\n' "$name"
	done
}

# ends with a sentence if something of the kinds "$@" is there but too old
deps_check_versions() {
	local kind debian fedora minimum probe why found
	while read -r kind debian fedora minimum probe why; do
		found=$(deps_version "$probe") || continue
		deps_new_enough "$found" "$minimum" ||
			die "${probe#lib:} $found is too old, $minimum or newer is needed ($why)"
	done < <(deps_rows "$@")
}

# the commands that install "$2"..., one a line
deps_commands() {
	local distro=$1
	shift
	case $distro in
	debian)
		echo 'apt-get update'
		echo "apt-get install -y --no-install-recommends $*"
		;;
	fedora) echo "dnf install -y --setopt=install_weak_deps=False $*" ;;
	esac
}

# installs what is missing of the kinds "$@"; asks no package manager for anything if nothing is
deps_install() {
	local distro missing commands command sudo=()
	distro=$(deps_distro)
	mapfile -t missing < <(deps_missing "$distro" "$@")
	if ((${#missing[@]} == 0)); then
		deps_check_versions "$@"
		return
	fi
	if [[ $distro == other ]]; then
		deps_other "$@"
		return
	fi

	mapfile -t commands < <(deps_commands "$distro" "${missing[@]}")
	if [[ $(id -u) != 0 ]]; then
		if command -v sudo >/dev/null; then
			sudo=(sudo -n)
		fi
		if ((${#sudo[@]} == 0)) || ! sudo -n true 2>/dev/null; then
			printf '%s: packages are missing, and installing them needs root:\n\n' "$me" >&2
			printf '    %s\n' "${commands[@]/#/${sudo[0]+sudo }}" >&2
			printf '\n%s: run that, then this again\n' "$me" >&2
			exit 1
		fi
	fi
	printf '%s: installing %s\n' "$me" "${missing[*]}"
	for command in "${commands[@]}"; do
		# words on purpose: package names hold no spaces
		# shellcheck disable=SC2086
		"${sudo[@]}" env DEBIAN_FRONTEND=noninteractive $command </dev/null ||
			# an update can fail for a source that we do not need
			[[ $command == *update ]] || die "this failed: $command"
	done
	deps_check_versions "$@"
}

# neither Debian nor Fedora: names what is needed, goes on if what the build needs is found
deps_other() {
	local kind debian fedora minimum probe why lacks=''
	printf '%s: this is neither Debian nor Fedora; needed, under whatever name it has here:\n' "$me"
	while read -r kind debian fedora minimum probe why; do
		if [[ $minimum == - ]]; then
			minimum=
		else
			minimum=" >= $minimum"
		fi
		if [[ $probe == - ]]; then
			[[ $debian != - ]] || debian=$fedora
			printf '    %-24s %s\n' "$debian" "$why (not looked for)"
		elif deps_version "$probe" >/dev/null; then
			printf '    %-24s %s\n' "${probe#lib:}$minimum" "$why (found)"
		else
			printf '    %-24s %s\n' "${probe#lib:}$minimum" "$why (NOT FOUND)"
			[[ $kind != build && $probe != lib:cmocka ]] || lacks+=" ${probe#lib:}"
		fi
	done < <(deps_rows "$@")
	[[ -z $lacks ]] || die "not found, and nothing works without:$lacks"
	deps_check_versions "$@"
}
