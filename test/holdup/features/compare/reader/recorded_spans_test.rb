# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

# Whatever span is asked for, whichever windows are left of it and however settings are grouped: a comparison
# counts what a report counts.
class Holdup::Compare::Reader::RecordedSpansTest < Minitest::Test
  include TemporaryFolder

  HOUR_S = 3600
  # A whole day, so that windows of all lengths lie inside.
  START_S = 20_700 * 24 * HOUR_S
  FILTER = Holdup::Analysis::UnitFilter.new(kind: :request)
  SETTINGS = [[3, "stable"], [3, "canary"], [5, "stable"]].map do |threads, arm|
    Holdup::Setting.new(attributes: {"ruby" => "3.4.5", "threads" => threads, "arm" => arm})
  end.freeze
  # Roll-ups that were made, and windows that were pruned, so long after the end.
  AGES_S = [0, 10 * 60, 5 * HOUR_S, 3 * 24 * HOUR_S, 20 * 24 * HOUR_S].freeze
  GROUPINGS = %w[threads arm].freeze

  # It was read by five minutes, and of the last of these only the first minute.
  def test_a_long_span_counts_the_minutes_at_its_end
    store = store(minutes_from(HOUR_S * 6 - 720, 12, SETTINGS.first), aged_s: 0)
    end_s = START_S + 6 * HOUR_S
    short, long = [720, 6 * HOUR_S].map { |length_s| counts(recorded(store, end_s - length_s, end_s)) }
    assert_equal 120, short
    assert_equal short, long
  end

  def test_a_setting_that_was_seen_late_in_a_long_window_is_found
    windows = minutes_from(HOUR_S, 60, SETTINGS.last) + minutes_from(5 * HOUR_S + 120, 2, SETTINGS.first)
    store = store(windows, aged_s: 2 * HOUR_S)
    sides = sides(recorded(store, START_S, START_S + 24 * HOUR_S), "threads")
    assert_equal({"threads 5" => 600, "threads 3" => 20}, sides)
  end

  one_ruby def test_any_span_of_any_windows_counts_what_a_report_counts
    40.times do |seed|
      random = Random.new(seed)
      store = store(windows(random), began: began(random), aged_s: AGES_S.sample(random:), url: url(seed))
      from_s, to_s = spans(random)
      expected = reported(store, from_s, to_s).values.sum
      assert_equal expected, counts(recorded(store, from_s, to_s)), "seed #{seed}, whole span"
    end
  end

  one_ruby def test_any_grouping_counts_what_a_report_counts
    40.times do |seed|
      random = Random.new(seed)
      store = store(windows(random), began: began(random), aged_s: AGES_S.sample(random:))
      from_s, to_s = spans(random)
      by = GROUPINGS.sample(random:)
      groups = reported(store, from_s, to_s).group_by { |setting, _| "#{by} #{setting[by]}" }
      next unless groups.size == 2
      expected = groups.transform_values { |same| same.sum(&:last) }
      assert_equal expected, sides(recorded(store, from_s, to_s), by), "seed #{seed}, by #{by}"
    end
  end

  private

  # A database adds up by itself.
  def url(seed)
    (seed % 13).zero? ? "sqlite://#{File.join(folder, "#{seed}.sqlite3")}" : "memory:"
  end

  def store(windows, aged_s:, began: [], url: "memory:")
    Holdup::Store.open(url).tap do |store|
      store.commit(windows, {}, processes: began)
      now_s = windows.map(&:end_s).max + aged_s
      store.rollup(now_s)
      store.prune(now_s, max_bytes: 1 << 40)
    end
  end

  def minutes_from(after_s, minutes, setting, count = 10)
    Array.new(minutes) { |index| window(START_S + after_s + 60 * index, count, setting) }
  end

  # Some stretches, each of a setting, with pauses between them.
  def windows(random)
    at_s = 0
    Array.new(random.rand(2..6)) { |index|
      at_s += 60 * [0, random.rand(1..20), random.rand(30..400)].sample(random:)
      setting = SETTINGS[(index < 2) ? index * 2 : random.rand(SETTINGS.size)]
      minutes = [random.rand(1..8), random.rand(20..90), random.rand(100..300)].sample(random:)
      minutes_from(at_s, minutes, setting, random.rand(5..40)).tap { at_s += 60 * minutes }
    }.flatten
  end

  def window(start_s, count, setting)
    empty = Holdup::Window.empty(series: Holdup::Series.new(kind: :request, name: "A#b"), setting:,
      host: "a", start_s:, seconds: 60)
    empty.with(count:, histograms: empty.histograms.merge(wall: Holdup::Histogram.of([20_000_000] * count)))
  end

  # Processes that begin in between, whose first minutes are looked at apart.
  def began(random)
    Array.new(random.rand(0..3)) do |index|
      since_s = START_S + random.rand(0..8 * HOUR_S)
      {at_s: since_s + 90, host: "a", pid: 7 + index, start: 1, since_s:,
       setting: SETTINGS.sample(random:).fingerprint}
    end
  end

  def spans(random)
    after_s = [-3 * 24 * HOUR_S, -HOUR_S, 0, random.rand(0..2 * HOUR_S)].sample(random:)
    from_s = START_S + after_s + random.rand(0..1) * random.rand(1..400)
    [from_s, from_s + [24 * HOUR_S * 4, 12 * HOUR_S, random.rand(HOUR_S..6 * HOUR_S)].sample(random:)]
  end

  def recorded(store, from_s, to_s)
    Holdup::Compare::Reader.new(store, from_s:, to_s:, filter: FILTER)
  end

  def sides(recorded, by)
    picked = Holdup::Compare::SettingGroups.new(recorded.settings, by).pick(nil)
    parts = picked.sides.map { |label, settings| [recorded, label, settings] }
    Holdup::Compare::Reader.sides(parts).to_h { |side| [side.label, counted(side)] }
  end

  def counts(recorded)
    counted(Holdup::Compare::Reader.sides([[recorded, "all"]]).first)
  end

  # The first minutes of processes are shown apart.
  def counted(side)
    (side.windows + side.cold).sum(&:count)
  end

  def reported(store, from_s, to_s)
    summary = Holdup::Queries::LoadSummary.call(store, from_s:, to_s:, filter: FILTER, by: :setting)
    summary.setting_names.settings.to_h do |setting|
      [setting, summary.rows.select { |row| row.settings == [setting.fingerprint] }.sum(&:count)]
    end
  end
end
