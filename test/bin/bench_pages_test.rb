# frozen_string_literal: true

require "test_helper"
require_relative "../../benchmark/support/fresh"
require_relative "../../benchmark/support/tracker/page_queries"

# The pages of benchmark/database_app: what bin/bench says of them is counted before it measures.
class BenchPagesTest < Minitest::Test
  CountedApp = Data.define(:count) do
    def queries(paths) = paths.map(&count)
  end
  private_constant :CountedApp

  def test_pages_with_as_many_queries_as_is_said_are_measured
    assert_nil check { |path| path.start_with?("/users") ? 300 : 500 }
  end

  def test_a_page_with_too_few_queries_is_named
    failure = assert_raises(Bench::Failure) { check { |path| (path == "/projects") ? 299 : 300 } }
    assert_equal "/projects sends 299 queries, but each page is to send 300 to 500", failure.message
  end

  def test_a_page_with_too_many_queries_is_named
    failure = assert_raises(Bench::Failure) { check { |path| (path == "/activities") ? 501 : 500 } }
    assert_includes failure.message, "/activities sends 501 queries"
  end

  def test_each_page_is_asked_for_several_records
    asked = []
    check { |path| asked << path && 400 }
    assert_empty asked.tally.select { |_, times| times > 1 }, "asked for more than once"
    assert_operator asked.grep(%r{\A/users/}).size, :>, Bench::PageQueries::RECORDS / 2
  end

  private

  # @yieldparam path [String]
  # @yieldreturn [Integer] queries that it sends
  def check(&count)
    Bench::PageQueries.check(CountedApp.new(count))
  end
end
