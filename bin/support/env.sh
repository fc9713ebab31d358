# shellcheck shell=bash
# Sourced by every script of bin/: where Holdup keeps what is slow to build, and which Ruby it runs on.
# Nothing here installs anything; bin/setup does.

HOLDUP_ROOT="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
HOLDUP_CACHE="${HOLDUP_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/holdup}"
HOLDUP_PRIMARY="3.4.5"   # built when no Ruby >= 3.3 with YJIT is at hand; runs every test
HOLDUP_SECOND="3.3.8"    # the oldest line we support; runs the unit, native and JIT tests (in bin/test only
                         # those of unit that depend on the Ruby)
# An uncached run takes long.
export RUBOCOP_CACHE_ROOT="$HOLDUP_CACHE"
export HOLDUP_ROOT HOLDUP_CACHE HOLDUP_SECOND

say() { printf '%s\n' "holdup: $*" >&2; }
die() { say "$*"; exit 1; }

# What an outer `bundle exec` has set for another bundle and perhaps another Ruby. From Bundler 4 on, a
# BUNDLE_LOCKFILE that is left would be overwritten.
leave_bundle() {
  local name
  for name in BUNDLE_GEMFILE BUNDLE_LOCKFILE BUNDLE_BIN_PATH BUNDLER_SETUP BUNDLER_VERSION GEM_HOME GEM_PATH \
    RUBYOPT RUBYLIB $(compgen -e BUNDLER_ORIG_); do
    unset "$name"
  done
}

ruby_fits() {
  "$1" -e '
    recent = (RUBY_VERSION.split(".").map(&:to_i) <=> [3, 3, 0]) >= 0
    exit(RUBY_ENGINE == "ruby" && recent && defined?(RubyVM::YJIT.enable) ? 0 : 1)' 2>/dev/null
}

# Prints the Ruby to use; fails when there is none yet.
find_ruby() {
  leave_bundle # in the subshell of $(find_ruby)
  if [ -n "${HOLDUP_RUBY:-}" ]; then
    ruby_fits "$HOLDUP_RUBY" ||
      die "HOLDUP_RUBY=$HOLDUP_RUBY is not a CRuby >= 3.3 with YJIT; point it at one or unset it"
    printf '%s\n' "$HOLDUP_RUBY"
  elif command -v ruby >/dev/null && ruby_fits "$(command -v ruby)"; then
    command -v ruby
  elif ruby_fits "$HOLDUP_CACHE/ruby-$HOLDUP_PRIMARY/bin/ruby"; then
    printf '%s\n' "$HOLDUP_CACHE/ruby-$HOLDUP_PRIMARY/bin/ruby"
  else
    return 1
  fi
}

# use_ruby RUBY: puts that Ruby first on PATH and gives its gems a folder of their own.
use_ruby() {
  local dir; dir="$(dirname "$1")"
  leave_bundle
  export PATH="$dir:$PATH"
  export BUNDLE_GEMFILE="$HOLDUP_ROOT/Gemfile"
  BUNDLE_PATH="$HOLDUP_CACHE/gems/$("$1" -e 'print "#{RUBY_ENGINE}-#{RUBY_VERSION}"')"
  export BUNDLE_PATH
}
