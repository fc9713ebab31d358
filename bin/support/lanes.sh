# shellcheck shell=bash
# Sourced by bin/test: runs lanes, `beside` at once, each a function that calls `step`. What a step prints
# goes to a file, and is shown when the step fails. Every progress_seconds a line says what runs.

source "$HOLDUP_ROOT/bin/support/progress.sh"

progress_seconds=30
beside=3
within=()
computing=() # lanes that begin with the others and are not counted: they have a low priority
notes="$(mktemp -d)"
trap 'rm -rf "$notes"' EXIT

# on RUBY COMMAND ...: with that Ruby and its bundle
on() (
  use_ruby "$1"
  shift
  "$@"
)

# tests RUBY ARGUMENT ...: of test/run.rb, whose notes of each test stay beside the output of the step. With
# the heap and the limits of Ruby's own, a third of what computes goes into collecting garbage. `within` is a
# command that runs them.
tests() {
  local -x RUBY_GC_MALLOC_LIMIT=128000000 RUBY_GC_MALLOC_LIMIT_MAX=256000000
  local -x RUBY_GC_OLDMALLOC_LIMIT=500000000 RUBY_GC_OLDMALLOC_LIMIT_MAX=1000000000
  local -x RUBY_GC_HEAP_0_INIT_SLOTS=1000000 RUBY_GC_HEAP_1_INIT_SLOTS=500000
  local -x RUBY_GC_HEAP_2_INIT_SLOTS=150000 RUBY_GC_HEAP_3_INIT_SLOTS=50000 RUBY_GC_HEAP_4_INIT_SLOTS=30000
  local ruby="$1"
  shift
  HOLDUP_TEST_TIMES="$notes/$lane.times" on "$ruby" "${within[@]}" bundle exec ruby test/run.rb "$@"
}

# step NAME COMMAND ...: all steps of a lane run, so that one failure does not hide another
step() {
  local name="$1" from=$SECONDS output="$notes/$lane.output" result="took"
  shift
  times >"$notes/$lane.cpu"
  rm -f "$notes/$lane.times"
  printf '%s\n' "$name" >"$notes/$lane.running"
  "$@" >"$output" 2>&1 || result="failed after"
  if [ "$result" != "took" ]; then
    cat "$output" >&2
    note_failure "$name"
  fi
  rm -f "$notes/$lane.running"
  times >>"$notes/$lane.cpu"
  say "$lane: $name $result $(minutes $((SECONDS - from))), $(cpu_seconds) s of CPU$(summary "$output")"
}

# What the lane's children took of CPUs between two calls of `times`, which has them in its second line.
cpu_seconds() {
  awk -F '[ms ]+' '
    NR % 2 == 0 { s = $1 * 60 + $2 + $3 * 60 + $4 - s }
    END { printf "%d", s }
  ' "$notes/$lane.cpu"
}

# The line in which minitest counts.
summary() {
  local line
  line="$(grep -E '^[0-9]+ runs, ' "$1" | tail -1 || true)"
  [ -z "$line" ] || printf ': %s' "$line"
}

# note_failure STEP: with its lane, the tests, and how to repeat them
note_failure() {
  {
    printf '%s: %s (again: bin/test --lane %s)\n' "$lane" "$1" "$lane"
    [ ! -f "$notes/$lane.times" ] ||
      awk -F '\t' '
        $3 == "F" || $3 == "E" { print "  " $4 " (again: bin/test " $5 ")" ($6 ? "\n    " $6 : "") }
      ' "$notes/$lane.times"
  } >>"$notes/failed"
}

tell_failures() {
  [ -f "$notes/failed" ] || return 0
  say "failed after $(minutes "$SECONDS"):"
  cat "$notes/failed" >&2
  return 1
}

# tell_progress LANE ...: one line for all
tell_progress() {
  local lane line="" step count
  for lane in "$@"; do
    # A step may end between any two looks at its files.
    step="$(cat "$notes/$lane.running" 2>/dev/null)" || continue
    line+="; $lane: $step"
    # The first line is "# 3 tests: ...".
    count="$(awk 'NR == 1 { all = $2 } END { print NR - 1 " of " all }' "$notes/$lane.times" 2>/dev/null)" ||
      continue
    line+=", $count"
  done
  [ -z "$line" ] || say "$(minutes "$SECONDS")$line"
}

# A lane is a process group, so that Ctrl-C ends it with all that runs in it; between its steps it sees that
# itself.
run_lane() {
  local lane="$1"
  trap 'exit 130' INT TERM
  "$lane" </dev/null
}

interrupt() {
  local pid
  trap '' INT TERM
  for pid in "${pids[@]}"; do
    kill -INT -- "-$pid" 2>/dev/null || true
  done
  wait
  exit 130
}

# How many lanes run of those that are counted.
counted() {
  local one count=0
  for one in "${running[@]}"; do
    case " ${computing[*]} " in
      *" $one "*) ;;
      *) count=$((count + 1)) ;;
    esac
  done
  printf '%d' "$count"
}

# run_lanes LANE ...: in this order, as many as `beside` at once, besides those that only compute
run_lanes() {
  local lanes=("$@") one names=("${computing[@]}" "$@") ticks=0
  running=()
  pids=()
  trap interrupt INT TERM
  for one in "${computing[@]}"; do
    start_lane "$one"
  done
  while [ ${#lanes[@]} -gt 0 ] || [ ${#pids[@]} -gt 0 ]; do
    while [ ${#lanes[@]} -gt 0 ] && [ "$(counted)" -lt "$beside" ]; do
      start_lane "${lanes[0]}"
      lanes=("${lanes[@]:1}")
    done
    sleep 1
    end_lanes
    ticks=$((ticks + 1))
    [ $((ticks % progress_seconds)) -ne 0 ] || tell_progress "${names[@]}"
  done
}

start_lane() {
  set -m
  run_lane "$1" &
  set +m
  running+=("$1")
  pids+=($!)
}

# Takes the lanes that have ended out of those that run.
end_lanes() {
  local index one
  for index in "${!pids[@]}"; do
    if kill -0 "${pids[index]}" 2>/dev/null; then continue; fi
    one="${running[index]}"
    wait "${pids[index]}" ||
      printf '%s: ended early (again: bin/test --lane %s)\n' "$one" "$one" >>"$notes/failed"
    unset "pids[index]" "running[index]"
  done
  pids=("${pids[@]}")
  running=("${running[@]}")
}
