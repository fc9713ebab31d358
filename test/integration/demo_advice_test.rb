# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "json"
require_relative "../../bin/support/demo/advice"
require_relative "../../bin/support/demo/checks"
require_relative "../../bin/support/demo/following"
require_relative "../../bin/support/demo/full_output"
require_relative "../../bin/support/demo/options"

# What bin/demo makes of an advice. That it works as a whole takes two minutes of traffic, and bin/demo
# itself.
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

  def test_where_all_is_to_stay_a_neighbour_is_tried
    row = ->(threads, **rest) {
      {**NOW, "io_threads" => 0, "wait_ns" => {"p95" => 1},
     "threads" => threads}.merge(rest.transform_keys(&:to_s))
    }
    others = [row[1, wait_ns: {}], row[2, processes: 3], row[3], row[4], row[2, time_slice_ns: 10_000_000]]
    keep = {"verdict" => "keep", "current" => row[5], "candidates" => [*others, row[5], row[7]]}
    assert_equal({workers: 2, threads: 3, slice_ns: nil}, Demo::Advice.neighbour(keep))
    assert_nil Demo::Advice.neighbour(keep.merge("candidates" => [row[5], row[7]]))
    %w[change unknown].each { |verdict| assert_nil Demo::Advice.neighbour(keep.merge("verdict" => verdict)) }
  end

  # Writes down what is done, in its order.
  class Written
    attr_reader :done

    def initialize(advice)
      @advice = advice
      @done = []
    end

    def print = @advice

    def restart(**setting) = @done << setting

    def verify(started) = @done << started
  end

  def test_what_is_advised_is_done_and_verified
    written = Written.new({"verdict" => "change", "best" => NOW.merge("threads" => 3), "current" => NOW})
    Demo::Following.new(advice: written, storefront: written, say: ->(*) {}).call { :started }
    assert_equal [{workers: 2, threads: 3, slice_ns: nil}, :started], written.done
    result = []
    written = Written.new({"verdict" => "unknown"})
    say = ->(*lines) { result.concat(lines) }
    Demo::Following.new(advice: written, storefront: written, say:).call { flunk }
    assert_empty written.done
    assert_includes result.last, "no recommendation"
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
    assert_equal "1\n2\n3\n[...]\n", screen.string
    screen.truncate(screen.rewind)
    output.print_verification("Title\n\n1\n2\n3\n4\n\nhead\nmean\np95\nwait\n  note\n")
    assert_equal "1\n2\n[...]\nhead\nmean\np95\nwait\n", screen.string
  end

  # Set-up, boot, traffic, the count, advice, restart, traffic, verification, and the file.
  PROGRESS = 9

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

  def test_says_once_that_the_machine_can_not_keep_up
    outcome = lambda do |lost|
      Holdup::Lab::Exchange::Outcome.new(
        label: "GET /",
        count: 100,
        errors: lost,
        lost:,
        unexpected: lost,
        p50_ns: 1,
        p95_ns: 1,
        p99_ns: 1
      )
    end
    report = JSON.generate(series: [],
      totals: {stalled_ns: {sum: 0}, caused_ns: 0, handoff_ns: 0, accounts: []})
    assert_match(/\A30 requests got no answer in time: .*--rate/,
      Demo::Checks.new(report, {"GET /" => outcome.call(30)}).failures.join)
    assert_operator Demo::Checks.new(report, {"GET /" => outcome.call(2)}).failures.size, :>, 1
  end

  # So that on each machine somebody waits for the GVL, and no queue grows without end.
  def test_the_load_is_what_the_machine_can_serve
    assert_includes 64.0..192.0, Demo::Options.parse([]).rate
    assert_in_delta 20, Demo::Options.parse(%w[--rate 20]).rate
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
