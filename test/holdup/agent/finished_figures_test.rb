# frozen_string_literal: true

require "test_helper"
require "holdup/agent/configuration"
require "holdup/agent/finished_figures"

# With the real gems: test/integration/added_figures_test.rb
class Holdup::FinishedFiguresTest < Minitest::Test
  Figures = Struct.new(:kind, :elapsed_ns, :stalled_ns, :io_ns, :cpu_ns)
  JOB = Figures.new(:job, 9_000_000, 2_000_000, 3_000_000, 4_000_000).freeze
  SidekiqLog = Holdup::FinishedFigures::SidekiqLog

  def setup
    @guard = Holdup::Guard.new(log: @log = CollectedLog.new, clock: HandClock.new)
    @context = Thread.current[:sidekiq_context]
  end

  def teardown = Thread.current[:sidekiq_context] = @context

  def receiver(receivers: Holdup::FinishedFigures::RECEIVERS, **settings)
    configuration = Holdup::Configuration.build do |draft|
      settings.each { |name, value| draft[name] = value }
    end
    Holdup::FinishedFigures.receiver(configuration, @guard, receivers:)
  end

  def test_nobody_gets_them_unless_somebody_wants_them
    assert_nil receiver
    assert_nil receiver(add_figures_to: %i[rails_log])
  end

  def test_a_callback_alone_is_called_without_a_step_between
    callback = ->(_) {}
    assert_same callback, receiver(on_finish: callback)
  end

  def test_one_that_fails_does_not_keep_them_from_others
    got = []
    failing = ->(_) { raise NotImplementedError, "theirs" }
    all = Holdup::FinishedFigures.new([failing, ->(figures) { got << figures }], @guard)
    2.times { all.call(JOB) }
    assert_equal [JOB, JOB], got
    assert_equal({on_finish: 2}, @guard.failures)
    assert_equal 1, @log.lines.grep(/on_finish failed, the application is not affected: theirs/).size
  end

  def test_what_is_not_there_is_left_out_and_named
    receivers = {sidekiq_log: Struct.new(:missing).new("not loaded")}
    assert_nil receiver(receivers:, add_figures_to: %i[sidekiq_log])
    assert_equal({"config.add_figures_to :sidekiq_log" => "not loaded"}, @guard.unhooked)
  end

  def test_the_line_of_a_job_has_them
    Thread.current[:sidekiq_context] = {jid: "1"}
    SidekiqLog.call(JOB)
    assert_equal({jid: "1", gvl: 2.0, io: 3.0, cpu: 4.0}, Thread.current[:sidekiq_context])
  end

  def test_other_threads_have_no_context_of_a_job
    [nil, {}].each do |context|
      Thread.current[:sidekiq_context] = context
      SidekiqLog.call(JOB)
      assert_equal context.to_h, Thread.current[:sidekiq_context].to_h
    end
  end

  def test_a_request_inside_of_a_job_is_not_the_job
    Thread.current[:sidekiq_context] = {jid: "1"}
    SidekiqLog.call(JOB.dup.tap { |figures| figures.kind = :request })
    assert_equal({jid: "1"}, Thread.current[:sidekiq_context])
  end
end
