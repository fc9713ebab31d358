# frozen_string_literal: true

require "test_helper"
require "holdup/model/errors"

class Holdup::ErrorsTest < Minitest::Test
  def test_every_error_is_one_of_ours
    [
      Holdup::UsageError, Holdup::ConfigurationError, Holdup::UnsupportedError, Holdup::DamagedData,
      Holdup::SegmentError, Holdup::StoreError
    ].each { |error| assert_operator error, :<, Holdup::Error }
  end

  def test_problem_and_advice_make_one_sentence
    assert_equal "no time 5x; write 5m", Holdup::UsageError.new("no time 5x", "write 5m").message
  end

  def test_a_sentence_loses_its_full_stop_to_the_advice
    assert_equal "record for longer; `holdup advise` says more",
      Holdup::Error.new("record for longer.", "`holdup advise` says more").message
    assert_equal "nothing was recorded.", Holdup::Error.new("nothing was recorded.").message
  end

  def test_a_configuration_error_names_key_value_and_what_is_expected
    error = Holdup::ConfigurationError.new(key: :ring_size, value: "x" * 900, expected: "a number above 0")

    assert_match(/ring_size can't be "xx.*; give a number above 0/, error.message)
    assert_operator error.message.size, :<, 300
  end

  def test_an_unknown_layout_says_what_to_restart
    error = Holdup::SegmentError::UnknownLayout

    assert_match(/restart the collector/, error.new(path: "/s", found: 2, known: 1).message)
    assert_match(/restart the application/, error.new(path: "/s", found: 1, known: 2).message)
    assert_match(%r{/s is not a segment},
      Holdup::SegmentError::NotASegment.new(path: "/s", reason: "short").message)
  end

  def test_every_store_error_names_the_store_and_what_to_do
    store = Holdup::StoreError
    [
      store::Locked.new(location: "db", seconds: 1),
      store::Full.new(location: "db"),
      store::ReadOnly.new(location: "db"),
      store::Corrupt.new(location: "db", reason: "bad page"),
      store::Unreachable.new(location: "db", reason: "no folder"),
      store::NewerSchema.new(location: "db", found: 9, known: 1),
      store::UnknownScheme.new(location: "db", known: ["sqlite"])
    ].each do |error|
      assert_match(/\Athe store db .+; .+/, error.message)
      assert_equal "db", error.location
    end
  end
end
