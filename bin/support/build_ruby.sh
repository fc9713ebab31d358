#!/usr/bin/env bash
# build_ruby.sh VERSION SUITE: builds CRuby with YJIT from Debian's source package into the cache folder.
# The archive's address comes from this machine's own apt configuration, so a mirror in use stays in use.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/env.sh"
version="$1" suite="$2"
package="ruby${version%.*}"
prefix="$HOLDUP_CACHE/ruby-$version"
work="$HOLDUP_CACHE/build-$version.$$"
log="$HOLDUP_CACHE/build-$version.log"

[ -x "$prefix/bin/ruby" ] && exit 0
mkdir -p "$work"

archive() {
  apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | grep -E '/debian/?$' | head -1
}

# An apt configuration of our own: the machine's lists stay as they are, its keys and proxies are used.
isolated() {
  "$1" -qq -o Dir::Etc::sourcelist="$work/sources.list" -o Dir::Etc::sourceparts=/dev/null \
    -o Dir::State::lists="$work/lists" -o Dir::Cache="$work/cache" -o APT::Sandbox::User=root "${@:2}"
}

# A suite may carry several revisions of the package; this is the one of the Ruby we want.
debian_revision() {
  isolated apt-cache showsrc "$package" | awk -v want="$version-" '/^Version:/ && index($2, want) == 1 {print $2; exit}'
}

fetch() {
  local uri; uri="$(archive)"
  [ -n "$uri" ] || die "no Debian archive in the apt configuration; install Ruby >= 3.3 with YJIT and set HOLDUP_RUBY"
  mkdir -p "$work/lists/partial" "$work/cache/archives/partial"
  printf 'deb-src %s %s main\n' "$uri" "$suite" >"$work/sources.list"
  isolated apt-get update >>"$log" 2>&1
  (cd "$work" && isolated apt-get source --download-only "$package=$(debian_revision)" >>"$log" 2>&1)
}

step() { say "  Ruby $version: $*"; }

fails() { tail -25 "$log" >&2; die "building Ruby $version failed; the whole log is $log"; }
trap 'rc=$?; rm -rf "$work"; [ $rc -eq 0 ] || fails' EXIT

: >"$log"
step "fetching Debian's source package $package ($suite)"
fetch
tarball="$(find "$work" -maxdepth 1 -name "${package}_${version}*.orig.tar.*" ! -name '*.asc' | head -1)"
[ -n "$tarball" ] || { say "  $suite no longer carries $package $version:"; find "$work" -maxdepth 1 -name '*.dsc' >&2; exit 1; }
mkdir "$work/src"
tar -xf "$tarball" -C "$work/src" --strip-components=1
cd "$work/src"
step "configuring"
./configure --prefix="$prefix" --enable-yjit --with-baseruby=no --disable-install-doc --enable-shared >>"$log" 2>&1
step "compiling on $(nproc) cores (about 3 minutes)"
make -j"$(nproc)" >>"$log" 2>&1
step "installing into $prefix"
make install >>"$log" 2>&1
ruby_fits "$prefix/bin/ruby" || { say "  the new Ruby has no YJIT (is rustc >= 1.58 there?)"; exit 1; }
