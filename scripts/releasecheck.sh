#!/bin/sh
# Tries bin/release (make release) as its users will:
#   sh scripts/releasecheck.sh [SUITE]...   in bare roots of Debian and Ubuntu (bookworm and jammy) by debootstrap, where nothing else is installed: the
#                                           tarball is unpacked and runs cases to their end, the package is installed, runs and leaves nothing
#   sh scripts/releasecheck.sh reproduce    makes it anew in a clone, with nothing compiled before, and compares the bytes
# Needs root for chroot, the internet, and what sh scripts/setup.sh roots installs. RELEASE is another folder than bin/release.
set -eu
umask 022
export LC_ALL=C.UTF-8
refuse() { echo "convect: $1" >&2 && exit 1; }

cd "$(dirname "$0")/.."
release=$(realpath -m "${RELEASE:-bin/release}")
[ -e "$release/SHA256SUMS" ] || refuse "there is no release in $release; run make release"
(cd "$release" && sha256sum --check --quiet --strict SHA256SUMS)
tarball=$(ls "$release"/convect-*.tar.gz)
package=$(ls "$release"/convect_*.deb)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tar -xzf "$tarball" -C "$work"
commit=$(cd "$work"/convect-* && bin/convect version | sed -n 's/^commit \([0-9a-f]*\) of .*/\1/p')

if [ "${1:-}" = reproduce ]; then
	git clone -q . "$work/clone"
	git -C "$work/clone" checkout -q "$commit"
	GOCACHE=$work/cache sh "$work/clone/scripts/release.sh" "$work/again"
	cmp "$release/SHA256SUMS" "$work/again/SHA256SUMS"
	echo "made anew, $commit gives the same bytes"
	exit
fi
[ "$(id -u)" = 0 ] || refuse "only root can change the root of a process"

# ubuntu_keys writes the key of Ubuntu's archive, which Debian has no package of, and takes no other.
ubuntu_keys() {
	[ ! -e "$work/ubuntu.gpg" ] || return 0
	wget -q -O "$work/keyring.deb" http://archive.ubuntu.com/ubuntu/pool/main/u/ubuntu-keyring/ubuntu-keyring_2021.03.26_all.deb ||
		refuse "archive.ubuntu.com has no keyring; name the suites that can be had, as bookworm"
	dpkg-deb --fsys-tarfile "$work/keyring.deb" | tar -xO ./usr/share/keyrings/ubuntu-archive-keyring.gpg >"$work/all.gpg"
	mkdir -m 700 "$work/gpg"
	gpg --quiet --homedir "$work/gpg" --no-default-keyring --keyring "$work/all.gpg" --export F6ECB3762474EDA9D21B7022871920D1991BC93C >"$work/ubuntu.gpg"
	[ -s "$work/ubuntu.gpg" ] || refuse "Ubuntu's keyring lacks the key of its archive"
}

# bare SUITE makes the root of one, in which there is a user beside root.
bare() {
	case $1 in
	jammy | noble)
		ubuntu_keys
		set -- "$1" http://archive.ubuntu.com/ubuntu "$work/ubuntu.gpg"
		;;
	*) set -- "$1" http://deb.debian.org/debian /usr/share/keyrings/debian-archive-keyring.gpg ;;
	esac
	debootstrap --variant=minbase --keyring="$3" "$1" "$work/$1" "$2" >"$work/log" 2>&1 || { tail -n 5 "$work/log" >&2 && refuse "debootstrap could not make $1"; }
	[ -z "$(find "$work/$1" -iname '*hdf5*' -o -iname '*cuda*')" ] || refuse "the root of $1 is not bare"
	mkdir -m 755 "$work/$1/home/user"
	chown 1000:1000 "$work/$1/home/user"
}

# inside SUITE USER COMMAND... runs a command in the root.
inside() {
	# The words are those of the inner shell.
	# shellcheck disable=SC2016
	unshare --mount --pid --fork sh -euc 'mount -t proc proc "$1/proc"; root=$1 user=$2; shift 2
		exec chroot --userspec="$user" "$root" env -i HOME=/home/user PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 "$@"' sh "$work/$1" "$2" sh -euc "$3"
}

# What a user does first. It ends with files of HDF5 written and read, pictures, a film and a published number.
trial='
	convect version | grep -q "^commit '$commit' of"
	convect version | grep -q "for processor and NVIDIA GPUs"
	convect devices
	convect init mine
	convect check mine.yaml
	convect run mine.yaml --set "grid.cells=[32,32]" --set time.end=0.1 --set output.compress=true
	convect run mine.yaml --set "grid.cells=[12,12,12]" --set "grid.size=[1,1,1]" --set time.end=0.01 --out box.out
	for made in summary.json report.html temperature.png snapshots.xmf; do [ -s mine.out/$made ]; done
	for snapshot in mine.out/snapshots/*.hdf; do convect inspect $snapshot; done
	convect restart mine.out --set time.end=0.11 --out longer.out
	convect export mine.out -o run.nc
	convect plot mine.out -o picture.pdf
	convect plot box.out --slice z=0.5 -o picture.svg
	convect movie mine.out -o film.gif
	convect sweep mine.yaml --set "grid.cells=[8,8]" --set time.end=0.01 --vary physics.rayleigh=50,100 --out many.sweep
	[ "$(head -c 4 picture.pdf)" = %PDF ]
	[ "$(head -c 3 film.gif)" = GIF ]
	[ "$(head -c 4 run.nc | tail -c 3)" = HDF ]
	convect validate --only decay,robin --quick
'

# try SUITE
try() {
	bare "$1"
	echo "=== $1: $(sed -n 's/^PRETTY_NAME="\(.*\)"/\1/p' "$work/$1/etc/os-release"), $(inside "$1" 0:0 'ldd --version | head -n 1')"
	cp "$tarball" "$work/$1/tmp/tarball"
	cp "$package" "$work/$1/tmp/package.deb"
	inside "$1" 1000:1000 'cd; tar -xzf /tmp/tarball; cd convect-*; PATH=$PWD/bin:$PATH; set -x
		[ -s runs/square/case.yaml ]'"$trial" >"$work/log" 2>&1 || { cat "$work/log" >&2 && refuse "the tarball fails in $1"; }
	tail -n 4 "$work/log"

	everything='find / -xdev \( -path /proc -o -path /tmp -o -path /home -o -path "/var/lib/dpkg/*" -o -path "/var/log/*" \) -prune -o -print | sort'
	inside "$1" 0:0 "$everything" >"$work/before"
	inside "$1" 0:0 'dpkg -i /tmp/package.deb; dpkg --verify convect'
	# Completion is asked for as bash asks.
	inside "$1" 1000:1000 'mkdir ~/installed; cd ~/installed; set -x
		for command in $(convect __complete ""); do gzip -cd "/usr/share/man/man1/convect-$command.1.gz" | grep -q "^.TH CONVECT"; done
		gzip -cd /usr/share/man/man1/convect.1.gz | grep -q "^.SH COMMANDS"
		bash -euc "COMP_LINE=\"convect val\" COMP_POINT=11; . /usr/share/bash-completion/completions/convect; _convect; [ \"\${COMPREPLY[*]}\" = validate ]"
		[ -s /usr/share/zsh/vendor-completions/_convect ]
		[ -s /usr/share/fish/vendor_completions.d/convect.fish ]
		[ -s /usr/share/doc/convect/examples/square/case.yaml ]
		[ -s /usr/share/doc/convect/licences/libhdf5-dev/copyright ]'"$trial" \
		>"$work/log" 2>&1 || { cat "$work/log" >&2 && refuse "the package fails in $1"; }
	inside "$1" 0:0 'dpkg -r convect'
	inside "$1" 0:0 "$everything" | diff "$work/before" - || refuse "the package leaves files in $1"
}

if command -v lintian >/dev/null 2>&1; then
	lintian --allow-root --fail-on error,warning "$package"
fi
[ $# -gt 0 ] || set -- bookworm jammy
for suite; do
	try "$suite"
done
echo "the release of $commit runs in: $*"
