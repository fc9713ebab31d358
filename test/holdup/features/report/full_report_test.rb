# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Report::FullReportTest < Minitest::Test
  LONG = "Admin::Reporting::Quarterly::RevenueRecognitionExceptionsController" \
    "#recalculate_everything_for_all_tenants"

  def text(sample = SampleWindows.new, language: "en", style: Holdup::View::Drawing::Style.none, extra: [],
    by: :name, **options)
    summary = Holdup::Analysis::Summary.new(sample.to_a + extra, from_s: sample.from_s, to_s: sample.to_s,
      by:)
    layout = options.slice(:width, :table_width)
    page = Holdup::Report::FullReport.new(summary, words: Holdup::View::Words.new(language), zone: "UTC",
      **options.except(:width, :table_width)).page
    Holdup::View::Text.new(page, style:, **layout).call
  end

  def markdown(sample = SampleWindows.new)
    summary = Holdup::Analysis::Summary.new(sample.to_a, from_s: sample.from_s, to_s: sample.to_s)
    Holdup::View::Markdown.new(Holdup::Report::FullReport.new(summary, zone: "UTC").page).call
  end

  def many(count)
    units = (1..count).to_h { |i|
      ["#{LONG}_#{i}", {ms: {cpu: i % 7 + 1, stalled: 3, io: 5}, acquisitions: 4, units: 6, blame: i}]
    }
    SampleWindows.new(units:, minutes: 1)
  end

  def test_starts_with_the_sentence_to_understand
    lines = text.lines(chomp: true)
    assert_equal ["Holdup report", "2026-09-21 14:14:00 to 14:17:00 +00:00", ""], lines.first(3)
    assert_match(/\AReportsController#sales \(10.8 % of all requests and jobs\) caused 7\d\.\d % of the/,
      lines[3])
  end

  def test_units_that_hardly_take_the_gvl_have_no_stall_for_each_time
    units = {"GET /" => {ms: {cpu: 3}, acquisitions: 0, units: 50, blame: 1}}
    free = text(SampleWindows.new(units:)).tr("\n", " ")
    assert_includes free, "(most ran without having to take it)"
    assert_includes text.tr("\n", " "), "acquisitions)"
  end

  def test_a_cause_that_has_no_cpu_is_not_the_whole_truth
    starved = SampleWindows.new(units: {"GET /" => {ms: {cpu: 3, starved: 9, stalled: 18}, acquisitions: 4,
                                                    units: 50, blame: 1}})
    assert_match(/! For 7\d\.\d % of the time that a thread held the GVL, it had no CPU\./,
      text(starved).tr("\n", " ").squeeze(" "))
    assert_match(/GVL を保持していた時間の 7\d\.\d %/, text(starved, language: "ja").delete("\n"))
    refute_includes text, "it had no CPU"
  end

  def test_has_what_the_issue_asks_for
    report = text
    load = ["2,220 requests", "per second", "30 errors (1.4 %)", "threads=5"]
    percentiles = %w[p50 p90 p95 p99 p0-10 p50-60 p90-99 p99-99.9]
    states = ["cpu", "starved", "GVL wait", "io", "lock", "sleep", "native", "gc"]
    columns = ["caused", "suffered", "each", "per acq.", "que. p95", "hold max", "io %"]
    sections = ["Amdahl", "Known to be wrong", "(thread) main", "(hand-off: no holder)"]
    [load, percentiles, states, columns, sections].flatten.each { |part| assert_includes report, part }
  end

  def test_fits_in_80_columns_whatever_the_names
    [SampleWindows.new, many(1), many(60)].product(%w[en ja],
      [false, true]).each do |sample, language, details|
      text(sample, language:, details:).each_line(chomp: true) do |line|
        assert_operator Holdup::View::Width.of(line), :<=, 80, "#{language}: #{line}"
      end
    end
  end

  def test_fits_in_other_widths
    [72, 100, 120].each { |width|
      text(width:).each_line(chomp: true) { |line| assert_operator line.size, :<=, width, line }
    }
  end

  def test_long_figures_fit_too
    units = {"A" => {
      ms: {cpu: 90_000, starved: 80_000, stalled: 900_000, io: 99_999, lock: 88_888, sleep: 77_777,
           native: 66_666}, acquisitions: 123_456, units: 50, blame: 1
    }}
    text(SampleWindows.new(units:, minutes: 1)).each_line(chomp: true) { |line|
      assert_operator line.size, :<=, 80, line
    }
  end

  def test_shows_the_top_rows_and_says_how_many_are_left
    report = text(many(60))
    assert_includes report, "... and 45 more (--limit)"
    assert_includes report, "... 45 more"
    refute_includes text(many(60), limit: 60), "--limit"
  end

  def test_both_columns_of_the_blame_have_the_same_total
    total = text[/^Who made others wait.*?^all +(.*?)$/m, 1].split(/ {2,}/)
    assert_equal total[0], total[2]
  end

  def test_no_data_is_one_sentence_with_the_next_step
    sample = SampleWindows.new(minutes: 0)
    assert_equal 4, text(sample).lines.size
    assert_match(/No data on requests and jobs.*holdup doctor/m, text(sample))
  end

  def test_colours_only_add
    plain = text
    assert_equal plain, text(style: Holdup::View::Drawing::Style.new(true)).gsub(/\e\[\d+m/, "")
    refute_includes plain, "\e"
  end

  def test_names_can_not_write_to_the_terminal
    hostile = SampleWindows.new(
      units: {"\e]0;x\a\u202e\xff\0" => {ms: {cpu: 1, stalled: 1}, acquisitions: 1, units: 9,
                                         blame: 1}}, minutes: 1
    )
    refute_match(/[\e\a\0\u202e]/, text(hostile))
  end

  def test_says_why_a_number_may_mislead
    overflow = SampleWindows.new.window("(series beyond the limit)", kind: :overflow, count: 9)
    few = SampleWindows.new(units: {"A" => {ms: {cpu: 1}, acquisitions: 1, units: 9, blame: 1}}, minutes: 1)
    changed = SampleWindows::SETTING.merge("threads" => 3)
    other = SampleWindows.new(minutes: 1, setting: changed).to_a
    assert_includes text(few), "! Few requests (9)"
    assert_includes text(extra: [overflow]), "! The table of names was full: 9 requests and jobs are in"
    assert_includes text(extra: other), "! These figures mix 2 settings"
    refute_includes text(extra: other, by: :setting), "figures mix"
  end

  def test_details_show_the_slices_of_each_row
    assert_includes text(details: true), "Means of slices: ReportsController#sales"
  end

  def test_every_verdict_has_a_sentence_in_every_language
    keys = %i[no_data waits_for waits_for_own one_cause account_cause spread handoff starved lock sleep native
      io cpu calm]
    Holdup::View::Words::LANGUAGES.each_value do |table|
      keys.each { |key| assert table.key?(:"verdict_#{key}"), key }
    end
  end

  def test_tables_in_markdown_have_as_many_cells_in_each_line
    markdown.split("\n\n").grep(/\A\|/).each do |table|
      cells = table.lines.map { |line| line.gsub("\\|", "").count("|") }
      assert_equal 1, cells.uniq.size, table
    end
  end

  def test_markdown_starts_with_the_sentence
    assert_match(/\A# Holdup report\n\n- 2026.*\n\n\*\*ReportsController\\#sales \(10\.8 % of/, markdown)
  end

  def test_names_are_not_markup_in_markdown
    hostile = SampleWindows.new(
      units: {"<img src=x>|`a`" => {ms: {cpu: 1, stalled: 1}, acquisitions: 1, units: 9,
                                    blame: 1}}, minutes: 1
    )
    report = markdown(hostile)
    refute_match(/(?<!\\)</, report)
    assert_includes report, "\\<img src=x\\>\\|\\`a\\`"
  end

  def test_no_data_in_markdown
    assert_match(/No data on requests and jobs/, markdown(SampleWindows.new(minutes: 0)))
  end
end
