# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Scaling::CapacityProcessTest < Minitest::Test
  ANSWER = 'puts %({"capacities": [{"app": null, "role": "puma", "kind": "request", "per_second": 4.5}]})'

  def setup
    @clock = HandClock.new(realtime_ns: 1_700_000_000_000_000_000)
    def @clock.realtime_s = realtime_ns / 1_000_000_000
    @log = CollectedLog.new
  end

  def teardown = @process&.close

  # @param script [String] of Ruby, instead of `holdup scale`
  def process(script)
    goal = Holdup::ConfigurationKeys::ScalingGoal.new(slo: "p95=300ms", within: 60)
    @process = Holdup::Scaling::CapacityProcess.new(goal, store: "memory:", log: @log, clock: @clock,
      command: [RbConfig.ruby, "--disable=gems", "-e", script, "--"])
  end

  def advance(seconds) = @clock.realtime_ns += seconds * 1_000_000_000

  def poll = @process.poll("web-1")

  def child = @process.instance_variable_get(:@child).pid

  def due_s
    @process.instance_variable_get(:@recurring).instance_variable_get(:@due_s) - @clock.realtime_s
  end

  def test_asks_and_gets_an_answer_later
    file = File.join(Dir.mktmpdir, "may_answer")
    process("500.times { File.exist?(#{file.dump}) ? break : sleep(0.02) }; #{ANSWER}")
    assert_nil poll, "it may not answer yet"
    FileUtils.touch(file)
    assert_equal [{app: nil, role: "puma", kind: "request", per_second: 4.5}], wait_until { poll }
    assert_empty @log.lines
  ensure
    FileUtils.rm_rf(File.dirname(file))
  end

  def test_the_child_gets_the_host_the_goal_and_the_store
    process('require "json"; puts JSON.generate(capacities: [{argv: ARGV, store: ENV["HOLDUP_STORE"]}])')
    poll
    said, = wait_until { poll }
    expected = %w[--host web-1 --within 60s --format json --slo p95=300ms]
    assert_equal [expected, "memory:"], said.values_at(:argv, :store)
  end

  def test_asks_again_after_ten_minutes
    process(ANSWER)
    poll
    wait_until { poll }
    advance(599)
    poll
    assert_nil child
    advance(1)
    poll
    refute_nil child
  end

  one_ruby def test_an_expensive_answer_puts_the_next_question_off
    busy = "nil while Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID) <"
    process("#{busy} 0.2; #{ANSWER}")
    poll
    wait_until { poll }
    assert_operator due_s, :>=, 600
    process("#{busy} 4; #{ANSWER}")
    poll
    wait_until { poll }
    assert_operator due_s, :>=, 800
  end

  def test_a_child_that_fails_is_logged_once
    process("exit(3)")
    3.times do
      poll
      wait_until { poll || child.nil? }
      advance(120)
    end
    assert_equal 1, @log.lines.size
    assert_match(/`holdup scale` gave no answer \(.*exit 3\)/, @log.lines.first)
  end

  def test_a_child_that_hangs_is_killed
    process("sleep")
    poll
    pid = child
    advance(121)
    poll
    assert_nil child
    assert_raises(Errno::ESRCH) { Process.kill(0, pid) }
    assert_match(/took longer than 120 s/, @log.lines.first)
  end

  def test_what_can_not_be_started_is_logged
    goal = Holdup::ConfigurationKeys::ScalingGoal.new
    @process = Holdup::Scaling::CapacityProcess.new(goal, store: "memory:", log: @log, clock: @clock,
      command: ["/nonexistent/ruby"])
    assert_nil poll
    assert_match(/could not be started/, @log.lines.first)
  end

  def test_close_ends_the_child
    process("sleep")
    poll
    pid = child
    @process.close
    assert_raises(Errno::ESRCH) { Process.kill(0, pid) }
  end
end
