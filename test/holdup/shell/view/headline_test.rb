# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::View::HeadlineTest < Minitest::Test
  MS = 1_000_000
  SAMPLE = SampleWindows.new
  WORDS = Holdup::View::Words.new
  START_S = SampleWindows::START_S

  # Units of 100 ms each that hold the GVL for 60 ms and stall for the rest.
  def window(name = "A#b", count: 1000, stalled: 0, wall: 100, running: 60, **rest)
    histograms = {wall:, stalled:, running:}.to_h do |key, ms|
      [key, Holdup::Histogram.of([ms * MS] * count)]
    end
    sums = {cpu_ns: running * MS * count, acquisitions: count, **rest.delete(:sums).to_h}
    SAMPLE.window(name, count:, histograms:, sums:, **rest)
  end

  def summary(windows, from_s: START_S, to_s: START_S + 600, **options)
    Holdup::Analysis::Summary.new(windows, from_s:, to_s:, **options)
  end

  # Ten minutes that were measured whole, so that only what a test is about is remarkable.
  def measured(*windows, minutes: 10, **options)
    last = window(count: 1).with(start_s: START_S + (minutes - 1) * 60)
    summary([*windows, last], to_s: START_S + minutes * 60, **options)
  end

  def headline(summary, words: WORDS, zone: "UTC", **options)
    Holdup::View::Headline.new(summary, words:, zone:, **options)
  end

  def span(from_s, to_s, zone: "UTC")
    headline(summary([], from_s:, to_s:), zone:).span
  end

  def test_a_span_within_a_day_has_the_day_once
    midnight = 1_790_035_200
    assert_equal "2026-09-22 00:00:00 to 23:59:59 +00:00", span(midnight, midnight + 86_399)
    assert_equal "2026-09-22 00:00:00 to 2026-09-23 00:00:00 +00:00", span(midnight, midnight + 86_400)
  end

  # The day is that of the reader's zone.
  def test_a_span_is_in_the_zone_that_was_asked_for
    midnight = 1_790_035_200
    assert_equal "2026-09-22 08:00:00 to 10:00:00 +09:00", span(midnight - 3600, midnight + 3600,
      zone: "+09:00")
    assert_equal "2026-09-21 23:00:00 to 2026-09-22 01:00:00 +00:00", span(midnight - 3600, midnight + 3600)
  end

  def test_nothing_to_remark_about_a_plain_recording
    assert_empty headline(measured(window)).remarks
  end

  def test_few_units_below_two_hundred
    few = ->(count) { headline(measured(window(count: count - 1))).remarks.grep(/\AFew/) }

    assert_equal ["Few requests (199): a high percentile is the value of a single one."], few[199]
    assert_empty few[200]
  end

  def test_a_short_time_below_five_minutes
    short = ->(minutes) { headline(measured(window, minutes:)).remarks.grep(/by the minute/) }

    assert_equal 1, short[4].size
    assert_empty short[5]
  end

  def test_a_short_time_that_is_known_exactly_is_no_remark
    minute = Holdup::Analysis::MeasuredTime.whole(START_S, START_S + 60)
    exact, rounded = [true, false].map do |known|
      headline(summary([window], coverage: minute.with(exact: known))).remarks.grep(/by the minute/)
    end

    assert_empty exact
    assert_equal 1, rounded.size
  end

  def test_names_that_found_no_room
    overflow = window("(series beyond the limit)", kind: :overflow, count: 1234)

    remarks = headline(measured(window, overflow)).remarks
    assert_equal 1, remarks.grep(/\AThe table of names was full: 1,234 /).size
  end

  def test_several_settings_unless_the_reader_asked_for_them
    changed = window.setting.attributes.merge("threads" => 3)
    other = window(setting: Holdup::Setting.new(attributes: changed))
    mixed = ->(**options) { headline(measured(window, other, **options)).remarks.grep(/settings/) }

    assert_match(/\AThese figures mix 2 settings/, mixed[].first)
    assert_empty mixed[by: :setting]
    assert_empty headline(measured(window, window("B"))).remarks.grep(/settings/)
  end

  # A server and a job runner differ without any change.
  def test_a_web_server_beside_a_job_runner_is_no_mix
    beside = [{"server" => "puma", "threads" => 5}, {"jobs" => "sidekiq", "job_threads" => 10}].map do |facts|
      window(setting: Holdup::Setting.new(attributes: {"app" => "shop", **facts}))
    end
    deployed = window(setting: Holdup::Setting.new(attributes: {"app" => "shop", "server" => "puma"}))

    assert_empty headline(measured(*beside)).remarks.grep(/settings/)
    assert_equal 1, headline(measured(*beside, deployed)).remarks.grep(/mix 2 settings/).size
  end

  # Each application has a setting of its own: the remark about applications says it all.
  def test_two_applications_with_a_setting_each_are_one_remark
    shops = %w[shop admin].map { |app| window(setting: Holdup::Setting.new(attributes: {"app" => app})) }
    at = shops.last.with(start_s: START_S + 540)
    remarks = headline(summary([*shops, at])).remarks

    assert_equal 1, remarks.grep(/2 applications/).size
    assert_empty remarks.grep(/settings/)
  end

  def starved(cpu:, starved:, running: cpu + starved, stalled: 40)
    sums = {cpu_ns: cpu * 1000 * MS, starved_ns: starved * 1000 * MS, caused_ns: stalled * 1000 * MS}
    headline(measured(window(running:, stalled:, wall: running + stalled, sums:)))
  end

  def test_a_holder_without_cpu_is_remarked_when_stall_is_the_verdict
    assert_match(/\AFor 74\.9 % of the time that a thread held the GVL, it had no CPU/,
      starved(cpu: 10, starved: 30).remarks.first)
    assert_empty starved(cpu: 30, starved: 10).remarks.grep(/it had no CPU/), "less than the time on a CPU"
    assert_empty starved(cpu: 1, starved: 2).remarks.grep(/it had no CPU/), "less than 5 % of the time"
  end

  # Threads that share native threads have no CPU clock of their own.
  def test_an_unknown_cpu_time_is_a_remark
    unknown = headline(measured(window, window("B", sums: {cpu_ns: 0}))).remarks
    assert_equal 1, unknown.grep(/\ACPU time is unknown/).size
    assert_empty headline(measured(window)).remarks.grep(/CPU time is unknown/)
    assert_empty headline(measured(window(sums: {cpu_ns: 0, starved_ns: 60_000 * MS})))
      .remarks.grep(/CPU time is unknown/), "it had no CPU, which is known"
  end

  def test_a_holder_without_cpu_is_not_repeated_when_it_is_the_verdict
    found = starved(cpu: 10, starved: 30, stalled: 0)

    assert_match(/74\.\d % of their time holding the GVL without a CPU/, found.verdict)
    assert_empty found.remarks.grep(/it had no CPU/)
  end

  def waiting(stalled:)
    sums = {pool_wait_ns: 20_000 * MS, sleep_ns: 20_000 * MS, caused_ns: stalled * 1000 * MS}
    headline(measured(window(running: 10, stalled:, wall: 30 + stalled, sums:)))
  end

  def test_connections_are_a_remark_unless_they_are_the_verdict
    assert_match(/waiting for a database connection/, waiting(stalled: 0).verdict)
    assert_empty waiting(stalled: 0).remarks.grep(/database connection/)
    refute_match(/database connection/, waiting(stalled: 70).verdict)
    both = waiting(stalled: 70)
    assert_match(/\AThey also spent 20\.0 % of their time waiting for a database connection/,
      both.remarks.first)
    assert_equal both.remarks.drop(1), both.caveats, "it is no doubt about figures"
  end

  # A screen may have room for the first remarks only.
  def test_general_remarks_come_before_those_on_precision_and_hold_without_figures
    remarks = ["The clock went back."]

    assert_includes headline(summary([]), general_remarks: remarks).remarks, "The clock went back."
    found = headline(measured(window(count: 5)), general_remarks: remarks).remarks
    assert_match(/\AFew requests/, found[found.index("The clock went back.") + 1])
  end

  def verdict_of(name, kind: :request, queue: nil, words: WORDS)
    stalls = {caused_ns: 40_000 * MS}
    headline(measured(window(name, kind:, queue:, stalled: 40, wall: 100, sums: stalls)), words:).verdict
  end

  def test_the_cause_is_named_with_its_queue
    assert_match(/\AReportJob \[low\] \(99\.9 % of all/, verdict_of("ReportJob", kind: :job, queue: "low"))
    assert_match(/\AA#b \(100 % of all/, verdict_of("A#b"))
  end

  def test_a_cause_can_not_write_to_the_terminal_or_fill_the_sentence
    assert_match(/\A\?\[31m \(99\.9 %/, verdict_of("\e[31m"))
    name = verdict_of("Admin::#{"Very" * 40}Controller#index")[/\A\S+/]
    assert_equal 60, name.size
    assert_includes name, "…"
  end

  def test_a_thread_is_named_without_its_prefix
    poller = SAMPLE.window("thread:poller", kind: :account, sums: {caused_ns: 40_000 * MS})
    found = headline(measured(window(stalled: 40), poller)).verdict

    assert_match(/\AThe thread "poller", which runs outside requests and jobs, caused 100 %/, found)
  end

  def test_no_data_says_what_to_do_next
    assert_match(/\ANo data on requests and jobs in this time\. Run `holdup doctor`/,
      headline(summary([])).verdict)
  end

  def test_units_are_called_by_their_kind
    job = window("J", kind: :job)
    assert_equal "requests", headline(measured(window)).units
    assert_equal "jobs", headline(summary([job])).units
    assert_equal "requests and jobs", headline(measured(window, job)).units
  end

  def test_figures_of_the_volume
    volume, = headline(measured(window(count: 1199, errors: 3))).figures
    assert_equal "1,200 requests in 10.0 min, 2.00 per second, 3 errors (0.2 %)", volume

    one, = headline(summary([window(count: 1)])).figures
    assert_match(/\A1 request in /, one)
    refute_match(/per second/, one, "a single one has no rate")
  end

  def test_the_cost_for_each_acquisition_only_where_units_take_the_gvl
    costs = lambda do |acquisitions|
      windows = [window(count: 1000, sums: {acquisitions:, caused_ns: 0}, stalled: 20)]
      headline(summary(windows)).figures.last
    end

    assert_match(/for each of 0\.10 acquisitions/, costs[100])
    assert_match(/most ran without having to take it/, costs[99])
    assert_match(/most ran without having to take it/, costs[0])
  end

  def test_every_sentence_is_there_in_japanese
    words = Holdup::View::Words.new("ja")
    found = headline(measured(window(stalled: 40, sums: {caused_ns: 40_000 * MS}), minutes: 3), words:)

    [found.verdict, *found.figures, *found.remarks].each { |text| assert_match(/\p{Han}|\p{Katakana}/, text) }
    assert_equal 1, found.remarks.size
    assert_match(/\AA#b/, found.verdict)
  end
end
