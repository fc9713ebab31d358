# frozen_string_literal: true

require "test_helper"
require "json"
require_relative "../../bin/support/demo/advice"
require_relative "../../bin/support/demo/full_output"
require_relative "../../bin/support/demo/options"

# What bin/demo makes of an advice, and how much of it is on the screen. That it works as a whole takes
# bin/demo itself.
class DemoAdviceTest < Minitest::Test
  NOW = {"processes" => 2, "threads" => 5, "time_slice_ns" => 100_000_000}.freeze

  def test_only_a_change_is_followed
    best = NOW.merge("threads" => 3)
    assert_equal({workers: 2, threads: 3, slice_ns: nil},
      Demo::Advice.followed({"verdict" => "change", "best" => best, "current" => NOW}))
    assert_equal 10_000_000,
      Demo::Advice.followed({"verdict" => "change", "best" => best.merge("time_slice_ns" => 10_000_000),
"current" => NOW})[:slice_ns]
    %w[keep unknown].each { |verdict| assert_nil Demo::Advice.followed({"verdict" => verdict}) }
  end

  # A command that prints its argument.
  def printing(text) = [RbConfig.ruby, "-e", "print ARGV[0]; exit 1", text]

  def test_the_screen_gets_the_beginning_and_the_file_all
    output = Demo::FullOutput.new(out: screen = StringIO.new, now: Time.at(Process.pid))
    split = "Where\n#{"#" * 80}\n# cpu 100 %"
    report = "Holdup report\nspan\n\nIt stalls.\n\n- figures\n\n#{split}\n\nWho\nA#b\n\nNext\n"
    assert_equal [report, 1], output.run({}, *printing(report), kept: false)
    output.print_report(report)
    assert_equal "\nIt stalls.\n\n#{split}\n\nWho\nA#b\n\n", screen.string
    advice, = output.run({}, *printing("Advice\n\nCHANGE it.\n\nmuch more\n"))
    screen.truncate(screen.rewind)
    output.print_advice(advice)
    assert_equal "CHANGE it.\n", screen.string
    screen.truncate(screen.rewind)
    output.print_verification("Title\n\nKEPT: true.\n\nhead\nmean\np95\nwait\n  a long note\n")
    assert_equal "KEPT: true.\nhead\nmean\np95\nwait\n", screen.string
    assert_match(/^Advice\n\nCHANGE it\.\n\nmuch more\n/, File.read(output.path))
  ensure
    File.delete(output.path) if output && File.exist?(output.path)
  end

  def test_long_sentences_are_cut
    output = Demo::FullOutput.new(out: screen = StringIO.new)
    output.print_advice("Advice\n\n1\n2\n3\n4\n5\n\nmore\n")
    assert_equal "1\n2\n[...]\n", screen.string
    screen.truncate(screen.rewind)
    output.print_verification("Title\n\n1\n2\n3\n4\n\nhead\nmean\np95\nwait\n  note\n")
    assert_equal "1\n2\n[...]\nhead\nmean\np95\nwait\n", screen.string
  end

  # Set-up and boot; the wrong setting (2), advice, restart; the count, an empty line, what it shows (3), and
  # the file. Lines about the traffic replace each other.
  PROGRESS = 12

  def test_all_that_it_prints_is_at_most_40_lines
    output = Demo::FullOutput.new(out: screen = StringIO.new)
    paragraph = ->(lines) { (1..lines).to_a.join("\n") }
    split = "Where the time goes\n#{"#" * 80}\n# cpu 90 %\nz sleep 10 %"
    # Title, sentence, figures, remarks, where the time goes, three causes with their methods, victims.
    output.print_report(["Title", *[3, 2, 4].map(&paragraph), split, *[8, 8].map(&paragraph)].join("\n\n"))
    output.print_advice(["Title", *[9, 20].map(&paragraph)].join("\n\n"))
    output.print_verification(["Title", *[9, 20].map(&paragraph)].join("\n\n"))
    assert_operator screen.string.lines.size + PROGRESS, :<=, 40, screen.string
  end

  def test_settings_one_after_the_other
    options = Demo::Options.parse(%w[--threads 5,3 --jobs])
    assert_equal [[5, 3], true], [options.threads, options.jobs]
    %w[5,x 0 5,-1].each { |list| assert_equal 2, refused(list) }
  end

  def refused(list)
    status = nil
    capture_io { status = assert_raises(SystemExit) { Demo::Options.parse(["--threads", list]) }.status }
    status
  end

  def test_programs_get_the_report_only
    assert_predicate Demo::Options.parse([]), :advice?
    refute_predicate Demo::Options.parse(%w[--json]), :advice?
    refute_predicate Demo::Options.parse(%w[--no-advice]), :advice?
  end
end
