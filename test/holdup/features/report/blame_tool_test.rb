# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "json"

class Holdup::Report::BlameToolTest < Minitest::Test
  Answer = Data.define(:text, :failed)
  # A tool whose arguments are its options.
  Tool = Data.define(:command) do
    def options(arguments) = arguments.map { |name, value| "--#{name}=#{value}" }
  end
  Tools = Data.define(:answer, :ran) do
    def run(words)
      ran << words
      answer
    end

    def bounded(answer) = answer.with(text: "bounded #{answer.text}")
  end

  def call(text, failed: false, **arguments)
    @ran = []
    tools = Tools.new(answer: Answer.new(text:, failed:), ran: @ran)
    Holdup::Report::BlameTool.call(tools, Tool.new(command: %w[report --json]), **arguments)
  end

  # A report with all its figures, of requests that one other stalls.
  def report
    sample = SampleWindows.new(minutes: 1)
    summary = Holdup::Analysis::Summary.new(sample.to_a, from_s: sample.from_s, to_s: sample.to_s,
      pairs: sample.pairs)
    Holdup::View::Json.new(summary).call
  end

  def test_keeps_who_stalls_and_who_causes_it
    found = JSON.parse(call(report, since: "1h").text.delete_prefix("bounded "))
    assert_equal [%w[report --json --since=1h]], @ran
    assert_equal %w[by from pairs schema series to totals uncollected verdict].sort, found.keys.sort
    assert_equal SampleWindows::STOREFRONT.keys.sort, found["series"].map { |row| row["name"] }.sort
    assert_equal %w[caused_ns count kind name queue stalled_ns], found["series"].first.keys.sort
    assert_operator found["totals"]["caused_ns"], :>, 0
  end

  def test_a_report_that_fails_is_the_answer
    answer = call("holdup: no store", failed: true)
    assert_equal "holdup: no store", answer.text
  end
end
