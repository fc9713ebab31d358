# frozen_string_literal: true

require "test_helper"
require "puma"
require "holdup/agent/servers/puma"

# In scripted time, with a Puma whose signals arrive when the test says so.
class Holdup::Servers::Puma::ProcessesTest < Minitest::Test
  include TemporaryFolder

  Puma = Holdup::Servers::Puma
  Worker = Struct.new(:booted, :ending) do
    def booted? = booted

    def term? = ending
  end

  def setup
    super
    @clock = HandClock.new
    @log = CollectedLog.new
    @options = {workers: 2}
    @workers = Array.new(2) { Worker.new(true, false) }
    @signals = []
    @shared = Puma::SharedSize.new(folder)
    @size = Puma::ClusterSize.new(@options, shared: @shared, workers: -> { @workers }, log: @log,
      clock: @clock, signal: ->(name) { @signals << name })
  end

  def pass(seconds) = @clock.monotonic_ns += seconds * 1_000_000_000

  # As Puma's handlers and its loop do.
  def puma_follows
    @signals.each { |name| @options[:workers] += (name == :TTIN) ? 1 : -1 }
    @signals.clear
    @workers << Worker.new(true, false) while @workers.size < @options[:workers]
    @workers.pop while @workers.size > @options[:workers]
  end

  def test_one_signal_at_a_time_until_puma_has_the_number
    refute @size.set(4)
    3.times { refute_predicate @size, :settled? }
    assert_equal %i[TTIN], @signals
    puma_follows
    refute_predicate @size, :settled?
    puma_follows
    assert_predicate @size, :settled?
    assert_equal 4, @options[:workers]
    @size.restore
    assert_equal %i[TTOU], @signals
    assert_equal ["autopilot: processes 2 -> 3 (SIGTTIN of the master to itself)",
      "autopilot: processes 3 -> 4 (SIGTTIN of the master to itself)",
      "autopilot: processes 4 -> 3 (SIGTTOU of the master to itself)"], @log.infos
  end

  def test_a_signal_that_is_lost_is_sent_again
    @size.set(3)
    pass(Puma::ClusterSize::PATIENCE_S - 1)
    refute_predicate @size, :settled?
    assert_equal 1, @signals.size
    pass(1)
    @size.settled?
    assert_equal 2, @signals.size
  end

  def test_a_worker_that_boots_or_ends_does_not_serve
    @size.set(3)
    puma_follows
    @workers.last.booted = false
    refute_predicate @size, :settled?
    @workers.last.booted = true
    assert_predicate @size, :settled?
    @workers.first.ending = true
    refute_predicate @size, :settled?
  end

  # An operator who sends signals is right, as long as no plan has another number.
  def test_without_a_plan_the_number_is_the_operators
    @options[:workers] = 3
    @size.install
    assert_equal 3, @size.configured
    @size.set(2)
    puma_follows
    @size.install
    assert_equal 3, @size.configured
    @size.restore
    puma_follows
    @size.install
    @options[:workers] = 4
    @size.install
    assert_equal [4, []], [@size.configured, @signals]
  end

  def worker(first: 2)
    @size.share
    @changes = 0
    Puma::WorkerProcesses.new(@shared, first:, clock: @clock, changed: -> { @changes += 1 })
  end

  def test_a_worker_learns_from_the_master_when_the_number_is_reached
    worker = worker()
    refute worker.set(3)
    assert_equal [3, 2, 1], [worker.value, worker.configured, @changes]
    @size.set(3)
    @size.share
    refute_predicate worker, :settled?
    puma_follows
    @size.share
    assert_predicate worker, :settled?
    worker.restore
    assert_equal [2, 2], [worker.value, @changes]
  end

  def test_a_worker_that_the_change_has_started_is_new_to_it
    @options[:workers] = 3
    worker = worker(first: 3)
    assert worker.joined?(3)
    refute worker.joined?(2)
    worker.set(3)
    assert_equal 0, @changes
    refute worker(first: 2).joined?(2)
  end

  def test_new_workers_warm_up_before_an_arm_begins_or_their_times_count
    worker = worker()
    assert_predicate worker, :warming_up?
    pass(Puma::WorkerProcesses::WARM_UP_S)
    refute_predicate worker, :warming_up?
    assert_operator worker.steady_s, :>, Puma::WorkerProcesses::WARM_UP_S
  end

  def test_the_shared_file_has_no_name_and_is_read_by_forks
    @size.share
    assert_empty Dir.children(folder)
    reader, writer = IO.pipe
    pid = fork do
      writer.write(@shared.read.to_h.values.inspect)
      writer.close
      exit!(true)
    end
    writer.close
    Process.wait(pid)
    assert_equal "[2, 2, 2]", reader.read
  end
end
