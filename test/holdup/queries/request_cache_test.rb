# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Queries::RequestCacheTest < Minitest::Test
  def test_what_is_asked_twice_is_read_once
    sample = SampleWindows.new
    store = Holdup::Store.open("memory:")
    store.commit(sample.to_a, {})
    remembered = Holdup::Queries::RequestCache.new(store)
    ask = -> { remembered.windows(sample.from_s, sample.to_s, kinds: [:request]) }
    assert_same ask.call, ask.call
    assert_equal store.windows(sample.from_s, sample.to_s, kinds: [:request]).to_a, ask.call
    refute_same ask.call, remembered.windows(sample.from_s, sample.to_s)
    assert_same remembered.health, remembered.health
    profiles = -> { remembered.profiles(sample.from_s, sample.to_s) }
    assert_same profiles.call, profiles.call
  end
end
