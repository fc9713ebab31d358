# frozen_string_literal: true

require "test_helper"
require "open3"

# bin/support/lanes.sh, with steps that take no time.
class LanesTest < Minitest::Test
  one_ruby

  ROOT = File.expand_path("../..", __dir__)
  TIMES = <<~TEXT
    # 3 tests: seconds, CPU seconds with those of ended children, result, test, place, why it failed
    0.100\t0.100\t.\tATest#test_passes\ttest/a_test.rb:3
    0.100\t0.100\tF\tATest#test_fails\ttest/a_test.rb:7\tthe server is gone: | it ended (EOFError)
  TEXT

  def lanes(script)
    prelude = <<~BASH
      set -euo pipefail
      source bin/support/env.sh
      source bin/support/lanes.sh
      noted() { printf '%s' "$TIMES" >"$notes/$lane.times"; "$@"; }
    BASH
    Open3.capture2e({"TIMES" => TIMES}, "bash", "-c", prelude + script, chdir: ROOT)
  end

  def test_says_how_each_step_ended_and_hides_what_it_printed
    said, status = lanes(<<~'BASH')
      one() { step "first" printf 'noise\n3 runs, 9 assertions, 0 failures, 0 errors, 0 skips\n'; }
      two() { step "second" true; }
      run_lanes one two
      tell_failures
    BASH
    assert_predicate status, :success?, said
    counts = "3 runs, 9 assertions, 0 failures, 0 errors, 0 skips"
    assert_match(/^holdup: one: first took 0:0\d, \d s of CPU: #{counts}$/, said)
    assert_match(/^holdup: two: second took 0:0\d, \d s of CPU$/, said)
    refute_match(/noise/, said)
  end

  def test_ends_with_the_failed_tests_and_how_to_repeat_them
    said, status = lanes(<<~BASH)
      one() {
        step "first" noted bash -c 'echo what went wrong; exit 1'
        step "second" true
      }
      run_lanes one
      tell_failures || exit 1
    BASH
    refute_predicate status, :success?, said
    assert_match(/^what went wrong$/, said)
    assert_match(/^holdup: one: second took/, said, "later steps run all the same")
    failures = "one: first (again: bin/test --lane one)\n" \
      "  ATest#test_fails (again: bin/test test/a_test.rb:7)\n" \
      "    the server is gone: | it ended (EOFError)\n"
    assert said.end_with?(failures), said
  end

  def test_a_lane_that_ends_early_is_a_failure
    said, status = lanes(<<~BASH)
      one() { exit 3; }
      two() { true; }
      run_lanes one two
      tell_failures || exit 1
    BASH
    refute_predicate status, :success?, said
    assert_match(/^one: ended early \(again: bin\/test --lane one\)$/, said)
    refute_match(/two: ended early/, said)
  end

  # On two CPUs more of them only wait for each other.
  def test_a_lane_starts_when_another_ends
    said, status = lanes(<<~BASH)
      beside=1
      one() { step "first" true; touch "$notes/ended"; }
      two() { test -e "$notes/ended"; }
      run_lanes one two
      tell_failures
    BASH
    assert_predicate status, :success?, said
  end

  def test_what_only_computes_is_not_counted
    said, status = lanes(<<~BASH)
      beside=1
      computing=(low)
      low() { step "third" test_after_one; }
      test_after_one() {
        for _ in $(seq 1000); do if [ -e "$notes/ended" ]; then return; fi; sleep 0.01; done
        false
      }
      one() { step "first" true; }
      two() { step "second" touch "$notes/ended"; }
      run_lanes one two
      tell_failures || exit 1
    BASH
    assert_predicate status, :success?, said
    assert_match(/^holdup: low: third took/, said)
  end

  def test_says_what_runs_and_how_many_tests_are_done
    said, = lanes(<<~BASH)
      progress_seconds=1
      one() { step "first" noted wait_for_progress; }
      wait_for_progress() {
        for _ in $(seq 1000); do if [ -e "$notes/seen" ]; then return; fi; sleep 0.01; done
      }
      reported() { tell_progress "$@"; touch "$notes/seen"; }
      eval "$(declare -f run_lanes | sed 's/tell_progress/reported/')"
      run_lanes one
    BASH
    assert_match(/^holdup: \d:\d\d; one: first, 2 of 3$/, said)
  end

  # Else all lanes ended with it, and CI had failed.
  def test_a_step_may_end_while_it_is_told
    said, status = lanes(<<~BASH)
      printf '%s' "$TIMES" | tee "$notes/one.times" >"$notes/two.times"
      echo "first" >"$notes/one.running"
      echo "second" >"$notes/two.running"
      cat() { rm -f "$notes/one.running"; command cat "$@"; }
      awk() { rm -f "$notes/two.times"; command awk "$@"; }
      tell_progress one two
      echo "goes on"
    BASH
    assert_predicate status, :success?, said
    assert_match(/; two: second$/, said)
    assert_match(/^goes on$/, said)
    refute_match(/first|No such file/, said)
  end
end
