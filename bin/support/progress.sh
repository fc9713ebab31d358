# shellcheck shell=bash
# Sourced by what takes minutes: says what was done so far, and after how long. It promises nothing, because
# the same work takes ten times as long on a machine that does other things as well.

PROGRESS_SECONDS="${PROGRESS_SECONDS:-30}" # between two lines

# Seconds as minutes and seconds: 2:10.
minutes() { printf '%d:%02d' $(($1 / 60)) $(($1 % 60)); }

# with_progress DONE COMMAND ...: runs the command; now and then a line with what DONE prints and for how
# long the command has run. DONE is a command that prints, for example, "compiling: 214 files". The command
# stays in the foreground, where Ctrl-C reaches it.
with_progress() {
  local reporter status=0 self=$BASHPID
  report_progress "$1" "$self" &
  reporter=$!
  shift
  "$@" || status=$?
  # Where a caller ignores TERM, so does the reporter.
  kill -KILL "$reporter" 2>/dev/null || true
  wait "$reporter" 2>/dev/null || true
  return $status
}

# report_progress DONE PID: until that process has ended, so that it does not outlive a script that was killed
report_progress() {
  local started=$SECONDS next="$PROGRESS_SECONDS"
  while kill -0 "$2" 2>/dev/null; do
    sleep 1
    [ $((SECONDS - started)) -ge "$next" ] || continue
    next=$((next + PROGRESS_SECONDS))
    say "  $("$1") after $(minutes $((SECONDS - started)))"
  done
}

# count_lines PATTERN FILE: how many lines match; 0 while there is no such file
count_lines() {
  if [ -f "$2" ]; then grep -cE "$1" "$2" || true; else echo 0; fi
}
