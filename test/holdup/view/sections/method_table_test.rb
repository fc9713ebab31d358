# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::View::Sections::MethodTableTest < Minitest::Test
  MS = 1_000_000
  SAMPLE = SampleWindows.new
  SALES = "ReportsController#sales"
  ROWS = "app/models/sales_report.rb:41 SalesReport#rows"

  def window(place, name: SALES, caused: 10)
    SAMPLE.window(name, kind: :method, queue: place, count: 1, sums: {caused_ns: caused * MS})
  end

  def summary(*windows, **options)
    Holdup::Analysis::Summary.new(SAMPLE.to_a, from_s: SAMPLE.from_s, to_s: SAMPLE.to_s,
      methods: -> { windows }, **options)
  end

  def table(*windows, language: "en", limit: 10, **options)
    words = Holdup::View::Words.new(language)
    Holdup::View::Sections::MethodTable.new(summary(*windows, **options), words:, limit:)
  end

  WINDOWS = [["#{ROWS} | Array#sort_by", 71], ["#{ROWS} | (GC)", 9], ["lib/pdf.rb:7 Pdf#draw | (native C)", 20]]
    .freeze

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
    assert_match(/explain 50\.0 % of the stall/, table(half).call.notes.first)
  end

  def test_a_sentence_for_each_of_the_worst
    assert_equal ["#{SALES} keeps others waiting in SalesReport#rows (app/models/sales_report.rb:41): " \
      "80 % of its sampled stall, with Array#sort_by."], table(*windows).sentences
    assert_equal ["#{SALES} は SalesReport#rows（app/models/sales_report.rb:41）でほかのスレッドを待たせています。" \
      "サンプルの 80 % を占めます（呼び出し先は Array#sort_by）。"], table(*windows, language: "ja").sentences
    assert_match(/in Pdf#draw \(lib\/pdf.rb:7\): .*, most of it in native C\.\z/,
      table(window("lib/pdf.rb:7 Pdf#draw | (native C)")).sentences.first)
    assert_match(/, most of it in GC\.\z/, table(window("#{ROWS} | (GC)")).sentences.first)
  end

  def test_threads_outside_of_requests_have_their_name
    assert_match(/cron.*: SalesReport#rows/, table(window(ROWS, name: "thread:cron")).call.rows[0][0])
  end

  def test_the_sentences_stand_under_the_causes
    words = Holdup::View::Words.new("en")
    causes = Holdup::View::Sections::Stalls::BlameTable.new(summary(*windows), words:, limit: 10).call
    assert_includes causes.notes, table(*windows).sentences.first
  end
end
