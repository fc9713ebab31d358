# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Notify::CollectorPartTest < Minitest::Test
  NOW_S = 1_790_000_000
  # After which a run is due again, also where starting Ruby took much CPU.
  LATER_NS = 20_000 * 1_000_000_000

  def setup
    @clock = HandClock.new(realtime_ns: NOW_S * 1_000_000_000)
    def @clock.realtime_s = realtime_ns / 1_000_000_000
    @log = CollectedLog.new
  end

  def teardown = @part&.close

  # @param script [String] of Ruby, instead of `holdup notify --send`
  def part(script)
    @part = Holdup::Notify::CollectorPart.new(store: "postgres://u:secret@db/holdup", dir: "/segments",
      host: "web-1", log: @log, clock: @clock, command: [RbConfig.ruby, "--disable=gems", "-e", script])
  end

  def running? = recurring.instance_variable_get(:@child).running?

  def recurring = @part.instance_variable_get(:@recurring)

  # One run, to its end.
  def run_once
    @clock.realtime_ns += LATER_NS
    @part.call
    wait_until { @part.call || !running? }
  end

  def test_the_lines_of_a_run_are_in_the_log
    part("puts '{\"lines\": [\"Waits for the GVL\"], \"failures\": []}'")
    run_once
    assert_equal ["Waits for the GVL"], @log.lines
  end

  def test_a_failure_that_stays_is_logged_once
    part("puts '{\"lines\": [], \"failures\": [\"Slack: no answer\"]}'")
    2.times { run_once }
    assert_equal ["Slack: no answer"], @log.lines
  end

  def test_the_child_knows_the_store_and_the_folder
    part("puts %({\"lines\": [\"\#{ENV.values_at('HOLDUP_STORE', 'HOLDUP_DIR').join(' ')}\"]})")
    run_once
    assert_equal ["postgres://u:secret@db/holdup /segments"], @log.lines
  end

  def test_a_run_that_hangs_is_ended_and_no_round_waits
    part("sleep")
    @clock.realtime_ns += LATER_NS
    @part.call
    assert_predicate self, :running?
    @clock.realtime_ns += (Holdup::Notify::CollectorPart::LONGEST_S + 1) * 1_000_000_000
    @part.call
    refute_predicate self, :running?
    assert_match(/nobody is told: `holdup notify --send` took longer than 120 s/, @log.lines.first)
  end
end
