# frozen_string_literal: true

require "test_helper"
require "open3"

# bin/support/progress.sh, and that no script promises how long something takes.
class ProgressTest < Minitest::Test
  one_ruby

  include TemporaryFolder

  ROOT = File.expand_path("../..", __dir__)
  SCRIPTS = %w[bin/setup bin/test bin/support/build_ruby.sh bin/support/debian.sh bin/support/lanes.sh].freeze
  PROMISE = /\d+ (seconds?|minutes?|hours?) on|\(?about a minute|a minute or two|minutes left|\(\d+ seconds\)/

  def test_says_what_was_done_so_far_and_after_how_long
    said, status = bash(<<~BASH)
      work() { for name in a b c d; do echo "compiling $name.c"; sleep 1; done; }
      with_progress compiled work >"$LOG"
    BASH
    assert_predicate status, :success?, said
    lines = said.lines(chomp: true)
    assert_operator lines.size, :>=, 2, said
    lines.each { |line| assert_match(/\Aholdup:   compiling: [1-4] files after 0:0\d\z/, line) }
  end

  def test_returns_the_status_of_the_command
    said, status = bash(<<~BASH)
      work() { return 3; }
      with_progress compiled work
    BASH
    assert_equal 3, status.exitstatus, said
  end

  def test_counts_nothing_before_there_is_a_log
    said, = bash("compiled")
    assert_equal "compiling: 0 files", said
  end

  def test_its_reporter_ends_with_the_script
    said, status = bash(<<~BASH)
      with_progress compiled kill -KILL $$
    BASH
    refute_predicate status, :success?, said
  end

  def test_no_script_promises_a_time
    SCRIPTS.each { |script| refute_match(PROMISE, File.read(File.join(ROOT, script)), script) }
    %w[README.md README.ja.md CONTRIBUTING.md docs/guide/demo.md].each do |page|
      text = File.read(File.join(ROOT, page))
      refute_match(/(bin\/setup|bin\/demo|bin\/test)[^.\n]*takes (about )?\d+/, text, page)
      refute_match(/takes about \d+ (seconds|minutes)/, text, page)
    end
  end

  private

  def bash(script)
    prelude = <<~BASH
      set -euo pipefail
      source bin/support/env.sh
      PROGRESS_SECONDS=1
      source bin/support/progress.sh
      compiled() { printf 'compiling: %d files' "$(count_lines '^compiling ' "$LOG")"; }
    BASH
    Open3.capture2e({"LOG" => "#{folder}/log"}, "bash", "-c", prelude + script, chdir: ROOT)
  end
end
