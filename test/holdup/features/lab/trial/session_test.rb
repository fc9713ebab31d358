# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Lab::Trial::SessionTest < Minitest::Test
  Lab = Holdup::Lab
  Served = Struct.new(:target, :cpu_seconds, :said) do
    def check = nil
  end

  # Takes in the same units each time.
  Intake = Struct.new(:windows, :unit_samples, :samples, :jit, :cleared) do
    def clear = self.cleared = cleared.to_i + 1

    def take = self

    def close = self

    def gauges
      {Process.pid => {jit_code_bytes: 7, **jit.to_h}}
    end
  end

  Load = Struct.new(:kind, :status) do
    def call(_target, routes:, rate:, seconds:, **)
      tally = Lab::Exchange::Counts.new
      (rate * seconds).to_i.times { |number| tally.add(routes.first, status, number + 1) }
      Lab::Load::OpenLoop::Seen.new(
        total: tally.total,
        routes: tally.outcomes,
        seconds:,
        mean_ns: 1_000_000_000
      )
    end
  end

  def session(facts: {"threads" => 5, "workers" => 2}, arm: Lab::Arm.new(processes: 2, threads: 5),
    windows: nil, kind: :open, status: 200)
    setting = Holdup::Setting.new(facts)
    windows ||= [window(setting)]
    unit_sample = Holdup::UnitSample.new(
      series:,
      setting:,
      host: "h",
      process: Holdup::UnitSample::SampledProcess.new(pid: Process.pid, since_ns: 0),
      start_ns: 1,
      running_ns: 2,
      cpu_ns: 2,
      idle_ns: 3,
      stalled_ns: 4,
      acquisitions: 1,
      longest_hold_ns: 1,
      gc_ns: 0,
      queued_ns: 1,
      in_flight_milli: 1000,
      weight: 1.0
    )
    @intake = Intake.new(windows, [unit_sample], [], {})
    @steps = []
    Lab::Trial::Session.new(
      arm:,
      served: Served.new(nil, 1.5, "it said: hello"),
      intake: @intake,
      routes: [Lab::Route.new(label: "/", path: "/")],
      load: Load.new(kind, status),
      progress: ->(step, **) { @steps << step }
    )
  end

  def series
    Holdup::Series.new(kind: :request, name: "GET /")
  end

  def window(setting)
    empty = Holdup::Window.empty(series:, setting:, host: "h", start_s: 0, seconds: 60)
    wall = Holdup::Histogram.of([1_000_000] * 10)
    empty.with(count: 10, sums: empty.sums.merge(cpu_ns: 5_000_000),
      histograms: empty.histograms.merge(wall:, queued: wall, stalled: wall))
  end

  def test_warms_up_until_steady
    warmed = session.warm_up(50).warmed
    assert_equal [500_000.0] * 3, warmed.cpu_ns
    assert_predicate warmed, :steady
    assert_equal [:warm_up] * 3, @steps
  end

  def test_is_not_warm_while_a_process_compiles_more_and_does_not_call_itself_warm
    compiling = session
    counts = [100, 200, 300, 300, 300].each
    @intake.define_singleton_method(:gauges) { {Process.pid => {jit_compiled_iseqs: counts.next}} }
    assert_equal 10, compiling.warm_up(50).warmed.seconds
    calls_itself_warm = session
    @intake.jit = {jit_compiled_iseqs: 1, jit_warm_ns: 5}
    assert_equal 6, calls_itself_warm.warm_up(50).warmed.seconds
  end

  def test_measures_without_what_came_before
    outcome = session.measure(rate: 50, seconds: 2)
    assert_equal [1, 100, 50.0], [@intake.cleared, outcome.seen.total.count, outcome.throughput]
    assert_equal [2_000_000.0, 2_000_000.0, 10],
      [outcome.wait_ns, outcome.response_ns, outcome.percentile(0.95)]
    assert_equal [0.0, 10], [outcome.cpu_ns, outcome.total.count]
    assert_operator outcome.memory_bytes, :>, 1_000_000
    assert_equal [{jit_code_bytes: 7}], outcome.gauges
  end

  def test_where_requests_do_not_tell_when_they_were_sent_the_client_knows
    outcomes = %i[closed paced].map { |kind| session(kind:).measure(rate: 4, seconds: 2) }
    outcomes.each { |outcome|
      assert_equal [1_000_000_000, 999_000_000.0, outcome.seen.total.p99_ns],
        [outcome.response_ns, outcome.queued_ns, outcome.percentile(0.99)]
    }
  end

  def test_refuses_a_server_that_ignores_its_variables
    error = assert_raises(Holdup::Error) { session(facts: {"threads" => 3}).warm_up(50) }
    assert_match(/runs with 3 threads, not 5; .*RAILS_MAX_THREADS, or write \{threads\} into the command/,
      error.message)
  end

  def test_refuses_a_server_with_another_jit
    {true => ["off", /runs without YJIT; RUBYOPT or the command/],
     false => ["yjit",
       /runs with YJIT; keep the application .*config\.yjit = false/]}.each do |yjit, (jit, message)|
      assert_match(message,
        assert_raises(Holdup::Error) {
          session(facts: {"jit" => jit},
            arm: Lab::Arm.new(yjit:)).warm_up(50)
        }.message)
    end
    [nil, true].each { |yjit|
      assert_predicate session(facts: {"jit" => "yjit"}, arm: Lab::Arm.new(yjit:)).warm_up(50).warmed,
        :steady
    }
  end

  def test_refuses_time_slices_that_a_ruby_does_not_know
    arm = Lab::Arm.new(time_slice_ns: 10_000_000)
    assert_match(/Ruby 3.3.8 has time slices of 100 ms .*; leave out --slice/,
      assert_raises(Holdup::Error) { session(facts: {"ruby" => "3.3.8"}, arm:).warm_up(50) }.message)
    assert_predicate session(facts: {"ruby" => "3.4.5"}, arm:).warm_up(50).warmed, :steady
  end

  def test_refuses_to_measure_an_error_page
    error = assert_raises(Holdup::Error) { session(status: 404).warm_up(50) }
    assert_match(
      %r{none of 100 requests was answered with a status from 200 to 399; try / by hand; it said: hello},
      error.message
    )
  end

  def test_refuses_what_holdup_does_not_measure
    error = assert_raises(Holdup::Error) { session(windows: []).warm_up(50) }
    assert_match(/measured none of 100 requests .*see `holdup doctor`; it said: hello/, error.message)
  end
end
