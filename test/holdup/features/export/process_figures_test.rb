# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Export::ProcessFiguresTest < Minitest::Test
  FIGURES = Holdup::Export::ProcessFigures
  LABELS = {app: "shop"}.freeze

  def setup
    @figures = FIGURES.new(since_s: 1000)
  end

  def add(at_s, pid: 1, since_s: 1000, labels: LABELS, **facts)
    @figures.add({host: "h", pid:, start: pid, at_s:, since_s:, **facts}, labels)
  end

  def gauge(name) = @figures.gauge(Holdup::ExportedFigures::PROCESS_GAUGES.fetch(name))

  def test_gauges_add_up_living_processes
    add(1000, rss_bytes: 5)
    add(1000, pid: 2, rss_bytes: 7)
    add(1060, pid: 2, rss_bytes: 8)
    assert_equal({LABELS => 13}, gauge(:ruby_memory_rss_bytes))
    assert_equal({LABELS => 2}, @figures.processes)
  end

  def test_a_process_that_ended_or_is_silent_has_no_gauge
    add(1000, rss_bytes: 5)
    add(1000, pid: 2, rss_bytes: 7)
    add(1010, pid: 2, rss_bytes: 7, ended: true)
    assert_equal({LABELS => 5}, gauge(:ruby_memory_rss_bytes))
    add(1181, pid: 3)
    assert_equal({LABELS => 1}, @figures.processes)
    assert_empty gauge(:ruby_memory_rss_bytes)
  end

  def test_counters_keep_what_ended_processes_counted
    add(1000, gc_count: 5)
    add(1010, gc_count: 9, ended: true)
    add(1020, pid: 2, since_s: 1015, gc_count: 2)
    assert_equal({LABELS => 11}, @figures.counter(:ruby_gc_collections_total))
  end

  def test_a_process_from_before_starts_with_its_first_sample
    add(1000, since_s: 10, gc_time_ns: 5_000_000_000)
    assert_equal({LABELS => 0.0}, @figures.counter(:ruby_gc_seconds_total))
    add(1060, since_s: 10, gc_time_ns: 5_500_000_000)
    assert_equal({LABELS => 0.5}, @figures.counter(:ruby_gc_seconds_total))
  end

  def test_a_figure_that_falls_does_not_lower_its_counter
    [5, 3, 4].each_with_index { |count, index| add(1000 + index, gc_count: count) }
    assert_equal({LABELS => 6}, @figures.counter(:ruby_gc_collections_total))
  end

  def test_only_processes_that_run_yjit_have_its_figures
    add(1000, "jit.kind": "zjit", jit_code_bytes: 9)
    assert_empty gauge(:ruby_yjit_code_bytes)
    add(1000, pid: 2, "jit.kind": "yjit", jit_code_bytes: 7)
    assert_equal({LABELS => 7}, gauge(:ruby_yjit_code_bytes))
  end
end
