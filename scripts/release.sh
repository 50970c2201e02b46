#!/bin/sh
# Makes what users install without compilers, for Linux on amd64, of the commit that is checked out:
#   sh scripts/release.sh [FOLDER]   (bin/release)
#     convect-VERSION-linux-amd64.tar.gz, convect_VERSION_amd64.deb, SHA256SUMS
# One program runs on processors and GPUs. HDF5 is linked in, CUDA is not needed, and glibc 2.35 suffices. VERSION is the tag of the commit, as
# v1.2.0, else the time and the commit. The same commit and the same compilers give the same bytes, wherever and whenever they are made.
# ARCHITECTURES is that of scripts/kernels.sh; a release leaves it alone.
set -eu
umask 022
export LC_ALL=C TZ=UTC
refuse() { echo "convect: $1" >&2 && exit 1; }

folder=$(realpath -m "${1:-$(dirname "$0")/../bin/release}")
cd "$(dirname "$0")/.."
[ "$(go env GOOS)/$(go env GOARCH)" = linux/amd64 ] || refuse "a release is made on linux/amd64"
changed=$(git status --porcelain) || refuse "a release is made in a clone of the repository: the program names its commit"
[ -z "$changed" ] || refuse "a release is made of a commit; these files are not in it:
$changed"
tag=$(git describe --tags --exact-match --match 'v[0-9]*' 2>/dev/null || true)
[ -z "$tag" ] || grep -q "^## ${tag#v}\( \|\$\)" CHANGELOG.md || refuse "CHANGELOG.md has no heading '## ${tag#v}' for the tag $tag"
sh scripts/setup.sh release
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH
day=$(date -u -d "@$SOURCE_DATE_EPOCH" +%Y-%m-%d)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The program. An empty build ID, since one would be made of the names of folders.
sh scripts/kernels.sh
sh scripts/cuda.sh go build -buildvcs=true -trimpath -tags cuda -ldflags "-s -w -buildid= -extld=$PWD/scripts/static.sh" -o "$work/convect" ./cmd/convect
glibc=$(sh scripts/symbols.sh "$work/convect")
version=$("$work/convect" version | sed -n '1s/^convect v\([^ ]*\) .*/\1/p')
[ -n "$version" ] || refuse "the program does not know its version: $("$work/convect" version)"
[ -z "$tag" ] || [ "v$version" = "$tag" ] || refuse "the program is v$version, and the tag of its commit $tag"

# licences copies what the libraries in the program ask to be passed on, into a folder with a name for each.
licences() {
	mkdir "$1/go" && cp "$(go env GOROOT)/LICENSE" "$1/go"
	sh scripts/cuda.sh go list -tags cuda -deps -f '{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}} {{.Dir}}{{end}}{{end}}' ./cmd/convect |
		sort -u >"$work/modules"
	echo "Go $(go env GOVERSION): go" >"$work/list"
	while read -r module release source; do
		name=$(echo "$module" | tr / _)
		mkdir "$1/$name"
		find "$source" -maxdepth 1 -regextype posix-extended -iregex '.*/(licen[cs]e|unlicense|copying|notice|authors|patents|third_party)[^/]*' \
			! -name '*.go' -exec cp -r {} "$1/$name" \;
		[ -n "$(ls "$1/$name")" ] || refuse "$module comes without a licence: $source"
		echo "$module $release: $name" >>"$work/list"
	done <"$work/modules"
	for package in libhdf5-dev libaec-dev zlib1g-dev; do
		mkdir "$1/$package" && cp "/usr/share/doc/$package/copyright" "$1/$package"
		dpkg-query -W -f "\${source:Package} \${source:Upstream-Version}: $package\n" "$package" >>"$work/list"
	done
	mkdir "$1/batlow-vik" && cp cmd/convect/colours/LICENSE "$1/batlow-vik"
	echo "colour maps batlow and vik 7.0.1: batlow-vik" >>"$work/list"
	{
		echo "# What is in the program besides its own code"
		echo
		echo "Each has its licence in the folder that is named beside it."
		echo
		sed 's/^/- /' "$work/list"
		echo
		echo "The machine code for GPUs is of convect's own sources, compiled by nvcc $(sed -n '1s/.* by nvcc \([0-9.]*\).*/\1/p' kernels/cuda/modules/built/INDEX*)"
		echo "with mathematical functions of NVIDIA's libdevice, which CUDA's licence lets programs pass on."
	} >"$1/README.md"
	chmod -R u=rwX,go=rX "$1"
}

# dated gives all files the time of the commit.
dated() { find "$1" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +; }

# The tree of the tarball: what README.md calls bin/convect is there, and bin and share can be copied under any prefix.
tree=$work/convect-$version-linux-amd64
mkdir -p "$tree/bin" "$tree/licences" "$tree/share/man/man1" "$tree/share/convect" "$tree/share/bash-completion/completions" "$tree/share/zsh/site-functions" \
	"$tree/share/fish/vendor_completions.d"
git -c tar.umask=0022 archive HEAD README.md CHANGELOG.md CITATION.cff CONTRIBUTING.md LICENSE docs runs 'lab/*/notes.md' | tar -xf - -C "$tree"
mv "$tree/runs" "$tree/share/convect"
ln -s share/convect/runs "$tree/runs"
printf 'version: "%s"\ndate-released: %s\n' "$version" "$day" >>"$tree/CITATION.cff"
cp "$work/convect" "$tree/bin"
convect=$tree/bin/convect
"$convect" help --man >"$tree/share/man/man1/convect.1"
for command in $("$convect" __complete ''); do
	"$convect" help --man "$command" >"$tree/share/man/man1/convect-$command.1"
done
gzip -9n "$tree"/share/man/man1/*
"$convect" completion bash >"$tree/share/bash-completion/completions/convect"
"$convect" completion zsh >"$tree/share/zsh/site-functions/_convect"
"$convect" completion fish >"$tree/share/fish/vendor_completions.d/convect.fish"
licences "$tree/licences"
dated "$tree"
mkdir "$work/made"
tar --sort=name --owner=0 --group=0 --numeric-owner --format=gnu -C "$work" -cf - "${tree##*/}" | gzip -9n >"$work/made/${tree##*/}.tar.gz"

# The Debian package: the same files where Debian has them. A version that is older than its tag sorts before it, as 1.2.0~rc1.
debian=$(echo "$version" | tr - '~')
root=$work/root
documents=$root/usr/share/doc/convect
mkdir -p "$root/DEBIAN" "$root/usr"
cp -r "$tree/bin" "$tree/share" "$root/usr"
mv "$root/usr/share/zsh/site-functions" "$root/usr/share/zsh/vendor-completions"
mkdir -p "$root/usr/share/lintian/overrides" "$documents"
cp -r "$tree/README.md" "$tree/CHANGELOG.md" "$tree/CITATION.cff" "$tree/CONTRIBUTING.md" "$tree/docs" "$tree/lab" "$tree/licences" "$documents"
ln -s ../../convect/runs "$documents/runs"
ln -s ../../convect/runs "$documents/examples"
{
	cat LICENSE
	printf '\nThe program holds libraries of others. README.md in /usr/share/doc/convect/licences names them;\ntheir licences are in the folders beside it.\n'
} >"$documents/copyright"
maintainer=$(git log -1 --format='%cn <%ce>')
printf 'convect (%s) stable; urgency=medium\n\n  * CHANGELOG.md says what has changed.\n\n -- %s  %s\n' "$debian" "$maintainer" \
	"$(date -u -R -d "@$SOURCE_DATE_EPOCH")" | gzip -9n >"$documents/changelog.gz"
cat >"$root/usr/share/lintian/overrides/convect" <<END
# The program runs without HDF5 being installed, of whatever version: HDF5 and what it needs are linked in.
convect: embedded-library *
# Programs of Go stay where they are put unless they are built in another way, in which this one is not tested.
convect: hardening-no-pie *
# Texts of licences are passed on as they came.
convect: national-encoding *licences*
END
(cd "$root" && find usr -type f | sort | xargs -d '\n' md5sum) >"$root/DEBIAN/md5sums"
cat >"$root/DEBIAN/control" <<END
Package: convect
Version: $debian
Architecture: amd64
Maintainer: $maintainer
Installed-Size: $(find "$root/usr" -printf '%y %s\n' | awk '{ n += $1 == "f" ? int(($2 + 1023) / 1024) : 1 } END { print n }')
Depends: libc6 (>= $glibc)
Suggests: ffmpeg, libcuda1
Section: science
Priority: optional
Description: natural convection in fluid-saturated porous media
 Simulates geothermal systems, groundwater, storage of CO2 and insulation:
 heat and solutes in a porous medium, in two and three dimensions, by Darcy's
 law. One case file and one command make a run. Its files open in ParaView and
 Python, and a run that was killed goes on from its last checkpoint.
 .
 It runs on all cores of a processor, or on an NVIDIA GPU where there is one.
END
dated "$root"
dpkg-deb --root-owner-group -Zxz --threads-max=1 --build "$root" "$work/made/convect_${debian}_amd64.deb" >/dev/null

(cd "$work/made" && sha256sum * >SHA256SUMS)
mkdir -p "$folder"
rm -f "$folder"/convect* "$folder"/SHA256SUMS
mv "$work"/made/* "$folder"
echo "convect $version of $(git rev-parse HEAD) runs with glibc $glibc or later; in $folder:"
(cd "$folder" && wc -c convect* && cat SHA256SUMS)
