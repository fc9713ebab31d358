# frozen_string_literal: true

require "test_helper"
require "delegate"
require "holdup/inquiry/recorded"
require "holdup/stores"

class Holdup::Inquiry::RecordedTest < Minitest::Test
  DAY_S = 86_400

  # Counts what is asked for.
  class Asked < SimpleDelegator
    attr_reader :spans

    def profiles(from_s, to_s)
      (@spans ||= []) << [from_s, to_s]
      super
    end
  end

  def test_single_units_of_a_long_span_are_read_of_some_of_its_time
    store = Asked.new(Holdup::Stores.open("memory:"))
    Holdup::Inquiry::Recorded.new(store, from_s: 0, to_s: 7 * DAY_S, filter: Holdup::Analysis::Filter.new(kind: :request))
    assert_includes 60..72, store.spans.size
    assert_equal [600], store.spans.map { |from_s, to_s| to_s - from_s }.uniq
  end

  def test_sides_by_setting
    sample = SampleWindows.new(minutes: 2)
    store = Holdup::Stores.open("memory:")
    store.commit(sample.to_a, {})
    recorded = Holdup::Inquiry::Recorded.new(store, from_s: sample.from_s, to_s: sample.to_s, filter: Holdup::Analysis::Filter.new(kind: :request, name: "Orders*"))
    assert_equal [200], recorded.settings.values
    assert_equal [200, 0], [recorded.side("x", recorded.settings.keys).units, recorded.side("x", []).units]
  end
end
