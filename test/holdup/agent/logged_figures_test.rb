# frozen_string_literal: true

require "test_helper"
require "holdup/agent/logged_figures"

class Holdup::LoggedFiguresTest < Minitest::Test
  Figures = Struct.new(:elapsed_ns, :stalled_ns, :io_ns, :cpu_ns)

  def test_milliseconds_with_two_digits
    figures = Holdup::LoggedFigures.of(Figures.new(90_000_000, 12_345_678, 48_000_000, 5_001))
    assert_equal({gvl: 12.35, io: 48.0, cpu: 0.01}, figures)
    assert_predicate figures, :frozen?
  end

  def test_nothing_where_they_are_unknown
    assert_nil Holdup::LoggedFigures.of(nil)
    assert_nil Holdup::LoggedFigures.of(Figures.new)
  end
end
