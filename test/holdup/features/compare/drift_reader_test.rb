# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Compare::DriftReaderTest < Minitest::Test
  # Remembers what was read of it.
  RecordedStore = Data.define(:store, :asked) do
    def settings = store.settings

    def processes(from_s, to_s, every_s:)
      asked << [:processes, to_s - from_s, every_s]
      store.processes(from_s, to_s, every_s:)
    end

    def windows(from_s, to_s, **options)
      asked << [:windows, from_s, to_s]
      store.windows(from_s, to_s, **options)
    end
  end
  MINUTES = 30
  CHANGED_S = SampleWindows::START_S / 3600 * 3600 + 7200
  NOW_S = CHANGED_S + MINUTES * 60
  REVISIONS = {CHANGED_S - MINUTES * 60 => "aaa", CHANGED_S => "bbb"}.freeze

  # Half an hour of each revision: the second takes three times as much CPU.
  def store(revisions = REVISIONS)
    store = Holdup::Store.open("memory:")
    revisions.each_with_index do |(start_s, revision), index|
      shape = {ms: {cpu: 4 + 8 * index, stalled: 2, io: 6}, acquisitions: 6, units: 30, blame: 1}
      sample = SampleWindows.new(units: {"A#fast" => shape}, minutes: MINUTES,
        setting: SampleWindows::SETTING.merge("revision" => revision))
      moved_s = start_s - sample.from_s
      windows = sample.to_a.map { |window| window.with(start_s: window.start_s + moved_s) }
      setting = windows.first.setting
      processes = Array.new(MINUTES) { |minute| process(start_s + minute * 60, setting, start_s) }
      store.commit(windows, {}, processes:)
    end
    store
  end

  def process(at_s, setting, since_s)
    {at_s:, host: "web-1", pid: 7, start: since_s, since_s:, name: "worker 0", server: "puma",
     setting: setting.fingerprint}
  end

  def test_reads_what_moved_since_the_last_change
    drift = Holdup::Compare::DriftReader.call(store, NOW_S).first
    assert_equal :cpu_unit, drift.moved.first.metric.name
    assert_equal :worse, drift.moved.first.verdict
    assert_in_delta CHANGED_S, drift.change.at_s, 600
  end

  def test_reads_the_windows_of_an_hour_before_the_change_and_of_the_last_hour
    asked = []
    Holdup::Compare::DriftReader.call(RecordedStore.new(store:, asked:), NOW_S)
    windows = asked.select { |kind, *| kind == :windows }
    assert_equal 2, windows.size
    assert_equal 3600, windows.first.last - windows.first[1]
    assert_equal [windows.first.last, NOW_S], windows.last.drop(1)
  end

  # A report waits for it, and mostly nothing has changed.
  def test_reads_no_windows_where_no_setting_has_changed
    asked = []
    unchanged = RecordedStore.new(store: store(REVISIONS.first(1).to_h), asked:)
    found = Holdup::Compare::DriftReader.call(unchanged, NOW_S)
    assert_empty found
    assert_equal [[:processes, 48 * 3600, 3600]], asked
  end
end
