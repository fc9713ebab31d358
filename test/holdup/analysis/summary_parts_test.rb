# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Analysis::SummaryPartsTest < Minitest::Test
  SummaryParts = Holdup::Analysis::SummaryParts

  def test_parts_that_are_left_out_have_nothing_in_them
    parts = SummaryParts.new
    assert_equal [[], [], [], []], [parts.samples, parts.calls, parts.holding_methods, parts.repeats]
    assert_empty parts.heap_counts.windows
    assert SummaryParts.members.all? { |part| parts.read?(part) }
  end

  def test_unread_parts_are_not_empty_ones
    parts = SummaryParts.new(**SummaryParts.unread, calls: [])
    assert parts.read?(:calls)
    unread = SummaryParts.members.reject { |part| parts.read?(part) }
    expected = %i[samples coverage under_load pairs connection_pairs transactions holding_methods repeats
      slowest heap_counts]
    assert_equal expected, unread
  end
end
