# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Store::RetriesTest < Minitest::Test
  Passing = Holdup::Store::ServerErrors::Conflict
  Lasting = Holdup::Store::ServerErrors::Denied

  # Notes how long it would sleep.
  class Patient < Holdup::Store::Retries
    attr_reader :waits

    attr_writer :now_s

    def initialize
      super
      @waits = []
      @now_s = 0.0
    end

    private

    def sleep(seconds)
      @waits << seconds
      @now_s += seconds
    end

    attr_reader :now_s
  end

  def setup
    @retries = Patient.new
  end

  def test_what_passes_is_tried_again_a_few_times
    assert_equal [true] * 5 + [false], Array.new(6) { again? }
  end

  def test_what_stays_is_not_tried_again
    refute @retries.again?(Lasting.new(location: "pg", reason: "no"))
    assert_empty @retries.waits
  end

  # Two that ended each other must not meet again, so chance shortens each wait.
  def test_each_wait_is_about_twice_as_long
    5.times { again? }
    @retries.waits.zip([0.05, 0.1, 0.2, 0.4, 0.8]) { |wait, most| assert_includes (most / 2)..most, wait }
  end

  def test_nothing_is_tried_long_after_the_first_failure
    assert again?
    @retries.now_s = 3.1
    refute again?
  end

  private

  def again? = @retries.again?(Passing.new(location: "pg", reason: "deadlock"))
end
