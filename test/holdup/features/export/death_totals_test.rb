# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "support/example_deaths"

class Holdup::Export::DeathTotalsTest < Minitest::Test
  include ExampleDeaths

  LABELS = {app: "shop"}.freeze

  def setup
    @totals = Holdup::Export::DeathTotals.new
  end

  def count(reason) = @totals.counts[{**LABELS, reason: reason.name}]

  def test_a_known_process_begins_with_zeroes
    assert_nil count(:oom)
    @totals.know(LABELS)
    zeroes = Holdup::Autopsy::REASONS.to_h { |reason| [{**LABELS, reason: reason.name}, 0] }
    assert_equal zeroes, @totals.counts
  end

  def test_counts_by_reason
    2.times { @totals.add(death(reason: :oom), LABELS) }
    @totals.know(LABELS)
    assert_equal 2, count(:oom)
    assert_equal 0, count(:timeout)
  end
end
