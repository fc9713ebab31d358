#!/usr/bin/env bash
# build_ruby.sh VERSION: builds CRuby with YJIT from Debian's source package into the cache folder.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/env.sh"
source "$HOLDUP_ROOT/bin/support/progress.sh"
source "$HOLDUP_ROOT/bin/support/debian.sh"
version="$1"
package="ruby${version%.*}"
prefix="$HOLDUP_CACHE/ruby-$version"
work="$HOLDUP_CACHE/build-$version.$$"
log="$HOLDUP_CACHE/build-$version.log"
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
# Debian's suites, the likeliest first: which of them has a version changes with Debian's releases.
case "$version" in
  3.4.*) suites="experimental sid forky trixie" ;;
  *) suites="trixie sid forky experimental" ;;
esac
instead="Install Ruby $version with YJIT in another way (rbenv, mise, ruby-install; rustc has to be there), \
and put it on PATH or name it in HOLDUP_RUBY."

[ -x "$prefix/bin/ruby" ] && exit 0
mkdir -p "$work"

step() { say "  Ruby $version: $*"; }

finish() {
  local status=$?
  rm -rf "$work"
  [ "$status" -eq 0 ] && return
  [ -s "$log" ] && tail -25 "$log" >&2
  say "Ruby $version was not built: ${problem:-the step above failed} (log: $log)."
  say "$instead"
}
trap finish EXIT
fail() { problem="$*"; exit 1; }

# An apt configuration of our own: the machine's lists stay as they are, its keys and proxies are used. A
# mirror that stands still for weeks is as good as any, because exactly this version is wanted, and its
# signature is checked.
isolated() {
  "$1" -qq -o Dir::Etc::sourcelist="$work/sources.list" -o Dir::Etc::sourceparts=/dev/null \
    -o Dir::State::lists="$work/lists" -o Dir::Cache="$work/cache" \
    -o APT::Sandbox::User=root -o Acquire::Check-Valid-Until=false "${@:2}"
}

# use_suite ARCHIVE SUITE: fails when the archive has no such suite.
use_suite() {
  local options=""
  [ -f "$keyring" ] && options="[signed-by=$keyring] "
  rm -rf "$work/lists"
  mkdir -p "$work/lists/partial" "$work/cache/archives/partial"
  printf 'deb-src %s%s %s main\n' "$options" "$1" "$2" >"$work/sources.list"
  isolated apt-get update >>"$log" 2>&1
}

# A suite may carry several revisions of the package; this is the one of the Ruby we want.
debian_revision() {
  isolated apt-cache showsrc "$package" 2>>"$log" |
    awk -v want="$version-" '/^Version:/ && index($2, want) == 1 && !found {print $2; found = 1}'
}

fetch() {
  local archive suite revision
  archive="$(debian_archive)"
  for suite in $suites; do
    step "looking for Debian's source package in $suite of $archive"
    use_suite "$archive" "$suite" || continue
    revision="$(debian_revision || true)"
    [ -n "$revision" ] || continue
    (cd "$work" && isolated apt-get source --download-only "$package=$revision" >>"$log" 2>&1) && return
  done
  fail "$archive has no source package $package $version in $suites, or could not be reached"
}

# Files that a build of Ruby 3.3 or 3.4 compiles, on Linux.
files=415

compiled() {
  printf 'Ruby %s, compiling: %d of about %d files' "$version" \
    "$(count_lines '^compiling ' "$work/make.log")" $files
}

configured() {
  printf 'Ruby %s, configuring: %d checks' "$version" "$(count_lines '^checking ' "$log")"
}

make_ruby() { make -j"$(nproc)" 2>&1; }

compile() {
  local status=0
  with_progress compiled make_ruby >"$work/make.log" || status=$?
  cat "$work/make.log" >>"$log"
  return $status
}

configure() {
  ./configure --prefix="$prefix" --enable-yjit --with-baseruby=no --disable-install-doc --enable-shared 2>&1
}

: >"$log"
fetch
tarball="$(find "$work" -maxdepth 1 -name "${package}_${version}*.orig.tar.*" ! -name '*.asc' | head -1)"
[ -n "$tarball" ] || fail "Debian's source package has no tarball of $version"
mkdir "$work/src"
tar -xf "$tarball" -C "$work/src" --strip-components=1
cd "$work/src"
step "configuring"
with_progress configured configure >>"$log" || fail "its configure script failed"
step "compiling on $(nproc) cores"
compile || fail "its compilation failed"
step "installing into $prefix"
make install >>"$log" 2>&1 || fail "its installation failed"
ruby_fits "$prefix/bin/ruby" || fail "the new Ruby has no YJIT (is rustc >= 1.58 there?)"
