# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Queries::SettingHistoryTest < Minitest::Test
  START_S = SampleWindows::START_S / 3600 * 3600
  UNITS = {"A#a" => {ms: {cpu: 4}, acquisitions: 6, units: 3, blame: 1}}.freeze

  # @param settings [Hash{Integer => Hash}] facts from a minute on, for ten minutes
  def store(settings, kind: :request)
    store = Holdup::Store.open("memory:")
    settings.each do |minute, facts|
      sample = SampleWindows.new(units: UNITS, minutes: 10, accounts: {}, kind:,
        setting: SampleWindows::SETTING.merge(facts))
      moved_s = START_S + minute * 60 - sample.from_s
      store.commit(sample.to_a.map { |window| window.with(start_s: window.start_s + moved_s) }, {})
    end
    store
  end

  def changes(store, from_s: START_S, to_s: START_S + 3600)
    Holdup::Queries::SettingHistory.changes(store, from_s:, to_s:)
  end

  def test_a_setting_that_takes_the_place_of_another_is_a_change
    found = changes(store({0 => {}, 20 => {"threads" => 3}}))
    assert_equal [["threads"]], found.map { |change| change.differences.map(&:subject) }
    assert_in_delta START_S + 20 * 60, found.first.at_s, 60
  end

  def test_jobs_have_settings_too
    found = changes(store({0 => {}, 20 => {"threads" => 3}}, kind: :job))
    assert_equal 1, found.size
  end

  def test_what_changed_before_the_span_is_no_change_in_it
    assert_empty changes(store({0 => {}, 20 => {"threads" => 3}}), from_s: START_S + 25 * 60)
    assert_empty changes(store({0 => {}}))
    before = {from_s: START_S + 20 * 60 + 30, to_s: START_S + 20 * 3600}
    assert_empty changes(store({0 => {}, 20 => {"threads" => 3}}), **before)
  end
end
