# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Advise::CalculationReportTest < Minitest::Test
  Sizing = Holdup::Advise::Sizing

  def plot(share)
    calculator = Sizing::Calculator.new(Sizing::ServiceDemand.of_share(share))
    page = Holdup::Advise::CalculationReport.new(calculator).page
    rows = Holdup::View::Text.new(page).call.lines.grep(/^ +\d+ \|/)
    rows.map { |line| line.split("|").last.chomp }
  end

  def test_amdahl_is_never_beyond_the_model_nor_the_model_beyond_the_bound
    [0.0, 0.2, 0.45, 0.9, 0.97].each do |share|
      plot(share).each do |bar|
        assert_operator bar.index("a"), :<=, bar.rindex("#").to_i + 1, bar
        assert_operator bar.size, :<=, 80
      end
    end
  end

  def test_titles_of_charts_say_what_enough_threads_bring
    calculator = Sizing::Calculator.new(Sizing::ServiceDemand.of_share(0.45))
    charts = Holdup::Advise::CalculationReport.new(calculator).charts
    best = calculator.line(calculator.recommended)
    enough = "#{best.threads} threads"
    assert_equal format("Speed-up over one thread: %.2fx with %s", best.speed_up, enough), charts.plotted
    assert_equal charts.plotted, charts.charts.keys.first
    held = Holdup::View::Figures.share(best.utilisation)
    assert_equal "GVL held: #{held} with #{enough}", charts.charts.keys[1]
  end

  def test_more_threads_never_draw_a_shorter_bar
    assert_equal plot(0.9).map { |bar| bar.count("#") }, plot(0.9).map { |bar| bar.count("#") }.sort
  end
end
