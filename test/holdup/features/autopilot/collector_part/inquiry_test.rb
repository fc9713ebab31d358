# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Autopilot::CollectorPart::InquiryTest < Minitest::Test
  GOAL = Holdup::ConfigurationKeys::AutopilotGoal.parse("p95=300ms threads=1..8")

  def setup
    @clock = HandClock.new
    @log = CollectedLog.new
  end

  def teardown = @inquiry&.close

  # @param script [String] of Ruby, instead of `holdup autopilot`
  def inquiry(script)
    command = [RbConfig.ruby, "--disable=gems", "-e", script, "--"]
    @inquiry = Holdup::Autopilot::CollectorPart::Inquiry.new(store: "memory:", dir: "/segments",
      host: "web-1",
      log: @log, clock: @clock, command:)
  end

  def ask = @inquiry.ask(:candidate, goal: GOAL, since_s: 0)

  def test_the_child_gets_the_question_the_goal_and_the_store
    inquiry('require "json"; puts JSON.generate(argv: ARGV, env: ENV.values_at(*%w[HOLDUP_STORE HOLDUP_DIR ' \
      "HOLDUP_AUTOPILOT]))")
    assert_nil @inquiry.poll
    ask
    said = wait_until { @inquiry.poll }
    assert_equal %w[candidate --host web-1 --since 1970-01-01T00:00:00Z --json], said["argv"]
    assert_equal ["memory:", "/segments", GOAL.to_s], said["env"]
    assert_nil @inquiry.poll
  end

  def test_a_question_is_open_only_once
    inquiry("sleep(60)")
    ask
    pid = @inquiry.instance_variable_get(:@child).pid
    ask
    assert_equal pid, @inquiry.instance_variable_get(:@child).pid
  end

  def test_a_child_that_hangs_is_ended
    inquiry("sleep(60)")
    ask
    pid = @inquiry.instance_variable_get(:@child).pid
    @clock.monotonic_ns += 301_000_000_000
    assert_nil @inquiry.poll
    assert_raises(Errno::ESRCH) { Process.kill(0, pid) }
    assert_match(/longer than 300 s/, @log.lines.first)
  end

  def test_no_answer_is_said_once
    inquiry("puts 1 + ")
    2.times do
      ask
      wait_until { @inquiry.poll || @inquiry.instance_variable_get(:@child).pid.nil? }
    end
    assert_equal 1, @log.lines.size
    assert_match(/it gave no answer/, @log.lines.first)
  end

  def test_a_program_that_is_not_there_is_said
    @inquiry = Holdup::Autopilot::CollectorPart::Inquiry.new(store: "memory:", dir: "/", host: "x", log: @log,
      clock: @clock, command: ["/nonexistent"])
    ask
    assert_match(/could not be started/, @log.lines.first)
    assert_nil @inquiry.poll
  end
end
