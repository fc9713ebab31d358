# frozen_string_literal: true

require "test_helper"
require "holdup/model/exported_figures"
require "holdup/model/histogram"

class Holdup::ExportedFiguresTest < Minitest::Test
  FIGURES = Holdup::ExportedFigures

  def test_seconds_are_kept_as_nanoseconds
    assert_equal 1_000_000_000, FIGURES.scale(:ruby_gvl_gc_seconds_total)
    assert_equal 1, FIGURES.scale(:ruby_gvl_acquisitions_total)
  end

  def test_time_with_the_gvl_whose_cpu_time_is_unknown_is_running
    sums = Holdup::UnitNumbers::STATES.values.to_h { |key| [key, 1_000_000_000] }
    assert_equal 1.0, FIGURES.by_state({**sums, running: 2_000_000_000})[:stalled]
    refute FIGURES.by_state({**sums, running: 2_000_000_000}).key?(:running)
    assert_equal 3.0, FIGURES.by_state({**sums, running: 5_000_000_000})[:running]
  end

  def test_a_figure_of_yjit_is_unknown_with_another_jit
    figure = FIGURES::PROCESS_GAUGES.fetch(:ruby_yjit_memory_bytes)
    sample = {jit_code_bytes: 100, jit_alloc_bytes: 200, "jit.kind": "yjit"}
    assert_equal 390, figure.of(sample)
    assert_nil figure.of({**sample, "jit.kind": "zjit"})
  end
end
