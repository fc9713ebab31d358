# frozen_string_literal: true

require "test_helper"
require "holdup/agent/guard"
require "holdup/agent/log"
require "holdup/agent/yabeda_figures"
require "support/collected_log"

# The real gem has its test in test/integration/yabeda_test.rb.
class Holdup::YabedaFiguresTest < Minitest::Test
  include TemporaryFolder

  MeasuredValues = Holdup::YabedaFigures::MeasuredValues
  ORDERS = {kind: "request", name: "Orders#index", queue: ""}.freeze

  # Reads the memory of a segment, as the probe does.
  class FileProbe
    attr_accessor :path

    def read_segment(offset, length)
      bytes = @path && File.binread(@path, length, offset)
      bytes if bytes&.bytesize == length
    end
  end

  # One metric of Yabeda; `got`: all values by tags.
  class PlainMetric
    attr_reader :options, :got

    def initialize(options)
      @options = options
      @got = Hash.new { |all, tags| all[tags] = [] }
    end

    def increment(tags, by:) = @got[tags] << by

    def measure(tags, value) = @got[tags] << value

    def set(tags, value) = @got[tags] << value
  end

  # What is used of Yabeda.
  class PlainYabeda
    attr_reader :metrics, :collectors
    attr_accessor :configured

    def initialize
      @metrics = {}
      @collectors = []
      @configured = true
    end

    def configured? = @configured

    def configure(&) = instance_exec(&)

    def group(name)
      @prefix = "#{name}_"
    end

    def collect(&block) = @collectors << block

    %i[counter histogram gauge].each do |type|
      define_method(type) { |name, **options| @metrics["#{@prefix}#{name}"] = PlainMetric.new(options) }
    end
  end

  def setup
    @yabeda = PlainYabeda.new
    @probe = FileProbe.new
    @clock = HandClock.new
    @guard = Holdup::Guard.new(log: Holdup::Log.new { nil }, clock: @clock)
    @figures = Holdup::YabedaFigures.new(@yabeda, probe: @probe, guard: @guard, clock: @clock)
    @figures.register
  end

  def measures
    @writer = SegmentWriter.new(folder, suffix: @writer && "-2")
    @probe.path = @writer.path
  end

  def record(name = "Orders#index", wall: 10_000_000, **rest)
    @writer.record(name, wall:, running: 6_000_000, cpu_ns: 5_000_000, stalled: 4_000_000, **rest)
  end

  def got(name, tags = ORDERS) = @yabeda.metrics.fetch("ruby_#{name}").got.fetch(tags, [])

  def give
    @figures.give
    assert_empty @guard.failures
  end

  def test_registers_histograms_with_bounds_of_ours_and_tags
    options = @yabeda.metrics.fetch("ruby_gvl_stalled_seconds").options
    assert_equal (18..31).map { |power| 2**power / 1e9 }, options[:buckets]
    assert_equal %i[kind name queue], options[:tags]
    assert_equal "Time for which a request or job waited for the GVL.", options[:comment]
    refute @yabeda.metrics.key?("ruby_memory_pss_bytes"), "no process knows it of itself"
  end

  def test_gives_each_request_once
    measures
    record
    give
    give
    record(wall: 30_000_000, error: true)
    give
    assert_equal 2, got(:gvl_duration_seconds).size
    assert_in_delta 0.04, got(:gvl_duration_seconds).sum, 1e-9
    assert_equal [1], got(:gvl_errors_total)
    assert_equal [0.005, 0.005], got(:gvl_time_seconds_total, {**ORDERS, state: "cpu"})
    assert_equal [0.004, 0.004], got(:gvl_time_seconds_total, {**ORDERS, state: "stalled"})
  end

  def test_jobs_have_their_queue
    measures
    record("ReportJob", kind: :job, queue: "low", queued: 2_000_000_000)
    give
    tags = {kind: "job", name: "ReportJob", queue: "low"}
    assert_in_delta 2.0, got(:gvl_queued_seconds, tags).first, 1e-9
  end

  def test_threads_handoff_and_nested_time_are_in_no_histogram
    measures
    @writer.account("thread:worker", running: 7_000_000)
    @writer.account("(handoff)", caused: 3_000_000)
    @writer.nested(wall: 2_000_000, running: 2_000_000, cpu_ns: 2_000_000)
    give
    tags = {kind: "thread", name: "thread:worker", queue: ""}
    assert_equal [0.007], got(:gvl_time_seconds_total, {**tags, state: "running"})
    assert_equal [0.003], got(:gvl_handoff_seconds_total, {})
    assert_equal [0.002], got(:gvl_nested_seconds_total, {state: "cpu"})
    assert_empty @yabeda.metrics.fetch("ruby_gvl_duration_seconds").got
  end

  def test_begins_anew_with_another_segment
    measures
    2.times { record }
    give
    measures
    record
    give
    assert_equal 3, got(:gvl_duration_seconds).size
  end

  def test_gives_nothing_before_yabeda_is_configured_and_where_nothing_is_measured
    give
    measures
    record
    @yabeda.configured = false
    give
    assert_empty got(:gvl_duration_seconds)
    @yabeda.configured = true
    @yabeda.collectors.each(&:call)
    assert_equal 1, got(:gvl_duration_seconds).size
  end

  def test_a_tick_gives_them_every_five_seconds
    measures
    sizes = [0, 4, 6].map do |second|
      @clock.monotonic_ns = second * 1_000_000_000
      record
      @figures.install
      got(:gvl_duration_seconds).size
    end
    assert_equal [1, 1, 3], sizes
  end

  def test_values_are_in_their_buckets_and_add_up_to_the_sum
    durations = [500, 1_048_576, 1_048_577, 20_000_000, 20_000_001, 900_000_000_000]
    histogram = Holdup::Histogram.of(durations)
    values = MeasuredValues.new(histogram).to_enum.flat_map { |seconds, count| [seconds] * count }
    assert_equal durations.size, values.size
    slots = [durations, values.map { |seconds| (seconds * 1e9).round }].map do |all|
      all.sort.map { |ns| Holdup::Histogram::Buckets.slot(ns) }
    end
    assert_equal slots.first, slots.last
    assert_in_epsilon durations.sum / 1e9, values.sum, 0.03
  end

  def test_one_value_is_exact
    MeasuredValues.new(Holdup::Histogram.of([123_456_789])).each do |seconds, count|
      assert_in_delta 0.123456789, seconds, 1e-12
      assert_equal 1, count
    end
  end

  def test_an_empty_histogram_has_no_value
    assert_empty MeasuredValues.new(Holdup::Histogram.empty).to_enum.to_a
  end
end
