# shellcheck shell=bash
# Sourced after env.sh and progress.sh by what needs Debian's or Ubuntu's packages: bin/setup and
# build_ruby.sh.

on_debian() { [ -f /etc/debian_version ] && command -v apt-get >/dev/null; }

as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo -n "$@"; fi; }

missing_packages() {
  local name
  for name in "$@"; do
    [ "$name" = rustc ] && command -v rustc >/dev/null && continue
    dpkg -s "$name" >/dev/null 2>&1 || printf '%s ' "$name"
  done
}

# install_packages NAME...: installs those that are not there. An image's package lists may be empty or old,
# so they are updated first.
install_packages() {
  local missing log="$HOLDUP_CACHE/apt.log"
  missing="$(missing_packages "$@")"
  [ -n "$missing" ] || return 0
  if [ "$(id -u)" != 0 ] && ! sudo -n true 2>/dev/null; then
    die "these Debian packages are missing and this user may not install them: $missing
holdup: run as root: apt-get update && apt-get install $missing"
  fi
  say "installing Debian packages: $missing"
  as_root apt-get update -qq >"$log" 2>&1 ||
    { tail -5 "$log" >&2
      die "apt-get update failed; check the network and /etc/apt, then run bin/setup again (log: $log)"; }
  # RUNLEVEL=1: what is installed is not started; tests start servers of their own.
  # shellcheck disable=SC2086
  with_progress packages_done install_now $missing >>"$log" ||
    { tail -5 "$log" >&2; die "apt-get could not install $missing(log: $log)"; }
}

packages_done() {
  printf 'packages: %d unpacked, %d set up' "$(count_lines '^Unpacking ' "$HOLDUP_CACHE/apt.log")" \
    "$(count_lines '^Setting up ' "$HOLDUP_CACHE/apt.log")"
}

install_now() {
  as_root env RUNLEVEL=1 DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "$@" 2>&1
}

# offered NAME...: prints those that the archive has. With empty package lists that is none.
offered() {
  local name
  for name in "$@"; do
    apt-cache show "$name" >/dev/null 2>&1 && printf '%s\n' "$name"
  done
  return 0
}

# The addresses in apt's own files, of both formats ("deb [options] URI suite" and "URIs: ...").
configured_archives() {
  local list="" parts=""
  eval "$(apt-config shell list Dir::Etc::sourcelist/f parts Dir::Etc::sourceparts/d)"
  find "$list" "$parts" -maxdepth 1 -type f \( -name '*.list' -o -name '*.sources' \) -exec sed -nE \
    -e 's/^deb(-src)?[[:space:]]+(\[[^]]*\][[:space:]]+)?([^[:space:]]+).*/\3/p' \
    -e 's/^URIs:[[:space:]]*//p' {} + 2>/dev/null | tr ' ' '\n'
}

# Prints the address of a Debian archive. A mirror that this machine uses stays in use. apt knows the
# addresses only while it has package lists, so its files are read too.
debian_archive() {
  {
    apt-get indextargets --format '$(REPO_URI)' 2>/dev/null || true
    configured_archives || true
    echo "http://deb.debian.org/debian"
  } | awk '/^https?:.*\/debian\/?$/ && !found {print; found = 1}'
}
