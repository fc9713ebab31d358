# frozen_string_literal: true

require "test_helper"
require_relative "../../benchmark/support/fresh"

# A twentieth of `bin/bench memory`: processes with ten endpoints, one of which leaks, or has a cache that
# fills.
class RetainedMemoryTest < Minitest::Test
  REQUESTS = 36_000

  FEW_REQUESTS = 1_500
  MB = 1_000_000

  def recording(kind, requests: REQUESTS) = Bench::Fresh.call("memory", kind, requests, 1, options: [])

  one_ruby def test_the_endpoint_that_leaks_is_named_with_what_it_keeps
    leak = recording("leak")
    found = leak.fetch("found")
    assert_equal [leak.fetch("special")], found.map { |one| one.fetch("name") }, leak.to_s
    assert_includes 1024..1200, found.first.fetch("each"), leak.to_s
  end

  # Twenty texts of a thousand are 20 MB with what a text takes itself.
  one_ruby def test_the_peak_of_the_endpoint_that_builds_much_is_what_it_builds
    large = recording("large", requests: FEW_REQUESTS)
    said = large.fetch("said").grep(/ takes up to /)
    assert_equal 1, said.size, large.to_s
    assert said.first.start_with?("#{large.fetch("special")} takes up to "), large.to_s
    assert_in_delta 20 * MB, large.dig("peak", "bytes"), 3 * MB, large.to_s
    assert_operator large.dig("peak", "live_bytes"), :<=, large.dig("peak", "bytes")
  end

  one_ruby def test_a_cache_that_fills_once_is_not_named
    assert_empty recording("cache").fetch("found")
  end
end
