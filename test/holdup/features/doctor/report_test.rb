# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Doctor::ReportTest < Minitest::Test
  include DoctorHost

  def test_the_lines_fit_and_say_how_it_stands
    sick = findings(collector: false, refused: ["/dev/shm/x\e[1m is not a segment"],
      segments: [process(counters: {clock_backward: 3}, queued: 0)])
    %w[en ja].each do |language|
      report = text(sick, words: Holdup::View::Words.new(language))
      refute_includes report, "\e"
      report.each_line(chomp: true) { |line| assert_operator Holdup::View::Width.of(line), :<=, 80, line }
    end
    report = text(sick)
    assert_match(/^FAIL  No collector is running/, report)
    assert_match(/^      -> Run `holdup collect`/, report)
    assert_match(/^1 failed, 3 warnings, \d fine\.$/, report)
    assert_includes text(findings), "All is well."
  end

  def test_a_screen_begins_with_the_summary_and_the_worst
    sick = troubled
    lead, checks, = Holdup::Doctor::Report.new(sick).page(sick.size - 1).blocks
    assert_match(/\A1 failed, 3 warnings, \d fine\.\z/, lead.text)
    assert_equal %i[fail warn warn warn], checks.items.map(&:level).first(4)
    assert_equal sick.size, checks.items.size
  end

  def test_a_screen_keeps_problems_longest_and_counts_what_it_leaves_out
    sick = troubled
    problems, sound = sick.partition { |finding| !finding.ok? }
    assert_equal problems.size + 1, shown(sick, problems.size).size
    assert_includes screen(sick, problems.size),
      "#{sound.size - 1} more checks found nothing wrong; `holdup doctor --full` lists them."
    assert_equal [:fail], shown(sick, 0)
    assert_includes screen(sick, 0), "3 more checks found something wrong; `holdup doctor --full` lists them."
    refute_includes text(sick), "--full"
  end

  one_ruby def test_a_screen_of_many_long_problems_fits
    many = troubled.reject(&:ok?).flat_map { |finding| [finding] * 9 }
    %w[en ja].each do |language|
      report = Holdup::Doctor::Report.new(many, words: Holdup::View::Words.new(language))
      console = Holdup::CLI::Console.new(out: StringIO.new, err: StringIO.new, env: {"COLUMNS" => "80"},
        clock: nil)
      assert_operator Holdup::CLI::Formats.screen(report, console:).lines.size, :<=, 39
    end
  end

  # One check has failed, three warn.
  def troubled
    findings(collector: false, refused: ["/dev/shm/x is not a segment"],
      segments: [process(counters: {clock_backward: 3}, queued: 0)])
  end

  def shown(findings, kept)
    Holdup::Doctor::Report.new(findings).page(kept).blocks[1].items.map(&:level)
  end

  def screen(findings, kept)
    Holdup::View::Text.new(Holdup::Doctor::Report.new(findings).page(kept)).call.gsub(/\s+/, " ")
  end
end
