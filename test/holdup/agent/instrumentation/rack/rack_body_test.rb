# frozen_string_literal: true

require "test_helper"
require "holdup/agent/instrumentation/rack"

class Holdup::Instrumentation::RackBodyTest < Minitest::Test
  class Ending
    attr_reader :finishes, :failures

    def initialize
      @finishes = @failures = 0
    end

    def finished = @finishes += 1

    def failed = @failures += 1
  end

  class Closable
    attr_reader :closed

    def initialize(parts) = @parts = parts

    def each(&) = @parts.each(&)

    def close = @closed = true
  end

  def setup
    @unit = Ending.new
  end

  def wrap(body)
    Holdup::Instrumentation::RackBody.new(body, @unit)
  end

  def test_answers_to_what_the_body_answers_to
    array = wrap(["a"])
    stream = wrap(->(io) { io << "a" })
    assert_equal [true, true, false, false],
      %i[each to_ary call to_path].map { |name| array.respond_to?(name) }
    assert_equal [false, false, true, false],
      %i[each to_ary call to_path].map { |name| stream.respond_to?(name) }
    assert_respond_to stream, :close
    file = Struct.new(:to_path) { def each = yield("a") }.new("/a.txt")
    assert_equal "/a.txt", wrap(file).to_path
  end

  def test_ends_the_unit_when_it_is_closed_not_before
    body = wrap(Closable.new(%w[a b]))
    parts = []
    body.each { |part| parts << part }
    assert_equal [%w[a b], 0], [parts, @unit.finishes]
    body.close
    assert_equal 1, @unit.finishes
  end

  def test_closes_the_wrapped_body_and_lets_its_failure_through
    inner = Closable.new([])
    wrap(inner).close
    assert inner.closed
    broken = Closable.new([])
    def broken.close = raise(IOError, "theirs")
    assert_raises(IOError) { wrap(broken).close }
    assert_equal 2, @unit.finishes
  end

  def test_an_array_that_is_taken_is_closed
    inner = Closable.new(%w[a])
    def inner.to_ary = %w[a]
    assert_equal %w[a], wrap(inner).to_ary
    assert inner.closed
    assert_equal 1, @unit.finishes
  end

  def test_a_streaming_body_ends_with_its_call
    io = []
    wrap(->(stream) { stream << "a" }).call(io)
    assert_equal [["a"], 1, 0], [io, @unit.finishes, @unit.failures]
  end

  def test_failures_while_sending_are_the_units
    body = wrap(Enumerator.new { raise "theirs" })
    assert_raises(RuntimeError) { body.each { nil } }
    assert_equal 1, @unit.failures
    assert_raises(RuntimeError) { wrap(->(_) { raise "theirs" }).call(nil) }
    assert_equal [2, 1], [@unit.failures, @unit.finishes]
  end

  def test_each_without_a_block_is_the_bodys_own
    assert_equal %w[a b], wrap(%w[a b]).each.to_a
  end
end
