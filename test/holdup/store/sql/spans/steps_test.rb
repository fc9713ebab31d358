# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

# That they are the sums of windows, each store's contract says.
class Holdup::Store::Sql::Spans::StepsTest < Minitest::Test
  include SampleMinutes

  def store = @store ||= Holdup::Store.open("memory:")

  def teardown
    @store&.close
    super
  end

  def steps(minutes = 10, **options)
    store.step_sums(MINUTE_START, MINUTE_START + minutes * 60, step_s: 60, **options)
  end

  def test_numbers_are_by_name_setting_and_start
    windows = [minute(values: [3]), minute(1, values: [4]), minute(1, name: "Other", values: [5])]
    store.commit(windows, {})
    setting = windows.first.setting

    assert_equal({[nil, setting] => {MINUTE_START => 3, MINUTE_START + 60 => 9}}, steps(of: %i[wall]))
    assert_equal({["Other", setting] => {MINUTE_START + 60 => 5}},
      steps(of: %i[wall], apart: :name, names: "Other"))
    assert_empty steps(of: %i[wall], kinds: [:job])
  end

  def test_of_a_pair_only_its_own_number_counts
    series = Holdup::Series.new(kind: :pair, name: "A", queue: "B")
    window = minute
    pair = Holdup::Window.of_pair(series:, ns: 7, start_s: MINUTE_START, seconds: 60, setting: window.setting,
      host: window.host)
    store.commit([pair], {})

    assert_equal [{MINUTE_START => 7}], steps(of: %i[stalled], kinds: [:pair]).values
    assert_equal [{MINUTE_START => 0}], steps(of: %i[lock_ns], kinds: [:pair]).values
  end
end
