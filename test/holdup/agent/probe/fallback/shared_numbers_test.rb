# frozen_string_literal: true

require "test_helper"
require "holdup/agent/configuration"
require "holdup/agent/probe"
require "holdup/capture/rule"
require "holdup/segment/layout"

# Numbers that both C and Ruby know. Code inside the application reads the probe's. What also has to work
# without the extension (the fallback, readers of segments, the configuration) has its own, which are the
# same.
class Holdup::Probe::SharedNumbersTest < Minitest::Test
  Layout = Holdup::Segment::Layout

  def range_of(option)
    Holdup::Configuration::KEYS.find { |key| key.name == option }.type.range
  end

  def test_the_fallback_has_the_numbers_of_the_extension
    Holdup::Probe::Fallback.constants.each do |name|
      fallback, probe = [Holdup::Probe::Fallback, Holdup::Probe].map { |owner| owner.const_get(name) }
      next if fallback.is_a?(Module)
      probe = probe.slice(*fallback.keys) if fallback.is_a?(Hash)
      assert_equal probe, fallback, name
    end
  end

  def test_counters_of_the_process_are_in_the_order_of_the_layout
    assert_equal Layout::COUNTERS.each_with_index.to_h, Holdup::Probe::COUNTERS
  end

  def test_kinds_of_units_are_those_of_the_layout
    assert_equal Layout::KINDS.invert.slice(:request, :job), Holdup::Probe::KINDS
  end

  def test_options_take_what_a_segment_has_room_for
    assert_equal Holdup::Probe::SERIES_LIMITS, range_of(:series_limit)
    assert_equal Holdup::Probe::RING_SIZES, range_of(:ring_size)
    assert_equal Holdup::Probe::PAIR_LIMITS, range_of(:pair_limit)
  end

  def test_a_rule_takes_as_many_events_as_a_capture
    assert_equal Holdup::Probe::CAPTURE_SIZES, Holdup::Capture::Rule::EVENTS
  end
end
