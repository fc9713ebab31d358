# frozen_string_literal: true

require "test_helper"
require_relative "../../benchmark/support/fresh"

# A twentieth of `bin/bench memory`: processes with ten endpoints, one of which leaks, or has a cache that
# fills.
class RetainedMemoryTest < Minitest::Test
  REQUESTS = 36_000

  def recording(kind) = Bench::Fresh.call("memory", kind, REQUESTS, 1, options: [])

  one_ruby def test_the_endpoint_that_leaks_is_named_with_what_it_keeps
    leak = recording("leak")
    found = leak.fetch("found")
    assert_equal [leak.fetch("special")], found.map { |one| one.fetch("name") }, leak.to_s
    assert_includes 1024..1200, found.first.fetch("each"), leak.to_s
  end

  one_ruby def test_a_cache_that_fills_once_is_not_named
    assert_empty recording("cache").fetch("found")
  end
end
