# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Report::Sections::MethodTableTest < Minitest::Test
  MS = 1_000_000
  SAMPLE = SampleWindows.new
  SALES = "ReportsController#sales"
  ROWS = "app/models/sales_report.rb:41 SalesReport#rows"

  def window(place, name: SALES, caused: 10)
    SAMPLE.window(name, kind: :method, queue: place, count: 1, sums: {caused_ns: caused * MS})
  end

  def summary(*windows, **options)
    Holdup::Analysis::Summary.new(SAMPLE.to_a, from_s: SAMPLE.from_s, to_s: SAMPLE.to_s,
      holding_methods: windows, **options)
  end

  def table(*windows, language: "en", limit: 10, **options)
    words = Holdup::View::Words.new(language)
    Holdup::Report::Sections::MethodTable.new(summary(*windows, **options), words:, limit:)
  end

  WINDOWS = [
    ["#{ROWS} | Array#sort_by", 71], ["#{ROWS} | (GC)", 9], ["lib/pdf.rb:7 Pdf#draw | (native C)", 20]
  ].freeze

  def windows = WINDOWS.map { |place, caused| window(place, caused:) }

  def test_nothing_without_samples
    assert_nil table.call
    assert_nil table(*windows, by: :queue).call
    assert_empty table.sentences
  end

  def test_a_row_for_each_method
    assert_equal [
      ["#{SALES}: SalesReport#rows app/models/sales_report.rb:41", "80.0", "80.0 ms", "11.2 %", "",
        "Array#sort_by"],
      ["#{SALES}: Pdf#draw lib/pdf.rb:7", "20.0", "20.0 ms", "", "100 %", ""]
    ], table(*windows).call.rows
  end

  def test_says_how_many_rows_are_left_out
    assert_includes table(*windows, limit: 1).call.notes, "... and 1 more (--limit)"
  end

  def test_says_how_much_of_the_stall_the_samples_explain
    caused_ns = summary.total.caused_ns
    half = window(ROWS, caused: caused_ns / 2.0 / MS)
    assert_match(/explain 50\.0 % of the wait/, table(half).call.notes.first)
  end

  def test_a_sentence_for_each_of_the_worst
    assert_equal ["#{SALES} makes others wait in SalesReport#rows (app/models/sales_report.rb:41): " \
      "80 % of the sampled wait, with Array#sort_by."], table(*windows).sentences
    assert_equal ["#{SALES} は SalesReport#rows（app/models/sales_report.rb:41）でほかのスレッドを待たせています。" \
      "サンプルの 80 % を占めます（呼び出し先は Array#sort_by）。"], table(*windows, language: "ja").sentences
    assert_match(/in Pdf#draw \(lib\/pdf.rb:7\): .*, most of it in native C\.\z/,
      table(window("lib/pdf.rb:7 Pdf#draw | (native C)")).sentences.first)
    assert_match(/, most of it in GC\.\z/, table(window("#{ROWS} | (GC)")).sentences.first)
  end

  def test_the_main_method_of_a_cause_on_one_line
    assert_equal "80 % of it in SalesReport#rows (app/models/sales_report.rb:41)",
      table(*windows).main_method(SALES)
    assert_equal "80 % は SalesReport#rows（app/models/sales_report.rb:41）",
      table(*windows, language: "ja").main_method(SALES)
    assert_equal "100 % of it in Pdf#draw (lib/pdf.rb:7), most of it in native C",
      table(windows.last).main_method(SALES)
    assert_nil table(*windows).main_method("OrdersController#index")
    assert_nil table(*windows, by: :queue).main_method(SALES)
  end

  def test_threads_outside_of_requests_have_their_name
    assert_match(/cron.*: SalesReport#rows/, table(window(ROWS, name: "thread:cron")).call.rows[0][0])
  end

  # Two revisions that ran the same requests: the later one causes more, each sample by 10 ms.
  def deployed(before, after, language: "en")
    facts = SampleWindows::SETTING
    settings = %w[aaa111 bbb222cc9].map { |revision| facts.merge("revision" => revision) }
    samples = settings.map { |setting| SampleWindows.new(setting:) }
    later = samples.last.to_a.map { |one| one.with(start_s: one.start_s + 600) }
    methods = samples.zip([before, after]).flat_map do |sample, count|
      next [] if count.zero?
      [sample.window(SALES, kind: :method, queue: ROWS, count:, sums: {caused_ns: count * 10 * MS})]
    end
    summary = Holdup::Analysis::Summary.new(later + samples.first.to_a, from_s: SAMPLE.from_s,
      to_s: SAMPLE.to_s + 600, holding_methods: methods)
    Holdup::Report::Sections::MethodTable.new(summary, words: Holdup::View::Words.new(language),
      limit: 5).call
  end

  # Of 240 requests under each.
  def test_two_revisions_have_a_column_each
    section = deployed(24, 48)
    assert_equal ["each, aaa111", "each, bbb222c"], section.columns.last(2)
    assert_equal [["1.00 ms", "2.00 ms"]], section.rows.map { |row| row.last(2) }
    assert_equal [section.columns.size], section.rows.map(&:size).uniq
  end

  def test_says_which_method_a_revision_changed
    changed = "Since revision bbb222c, SalesReport#rows (app/models/sales_report.rb:41) makes others wait " \
      "2.00 times as long in each ReportsController#sales: 2.00 ms, before 1.00 ms."
    assert_operator deployed(24, 48).notes.first, :start_with?, changed
    assert_includes deployed(24, 48, language: "ja").notes.first, "2.00 倍になりました（1.00 ms から 2.00 ms）"
    assert_match(/makes others wait, which it did not before: 2\.00 ms/, deployed(0, 48).notes.first)
    assert_match(/no longer makes others wait in #{SALES}: before, it was 1/o, deployed(24, 0).notes.first)
  end

  def test_few_samples_and_small_changes_are_not_named
    [[9, 18], [48, 60]].each do |counts|
      refute_match(/Since revision/, deployed(*counts).notes.join)
    end
  end

  def test_the_sentences_stand_under_the_causes
    words = Holdup::View::Words.new("en")
    causes = Holdup::Report::Sections::Stalls::BlameTable.new(summary(*windows), words:, limit: 10).call
    assert_includes causes.notes, table(*windows).sentences.first
  end
end
