# frozen_string_literal: true

require "test_helper"
require_relative "../../bin/support/demo/run"

# The exit status of bin/demo, and what it says of a false figure and of answers that did not come. The shop
# and its report are given; test/integration/demo_test.rb has real ones.
class DemoRunTest < Minitest::Test
  one_ruby

  SIGNALS = %w[INT TERM HUP].freeze

  # A demo ignores signals at its end.
  def setup
    super
    @traps = SIGNALS.to_h { |signal| [signal, Signal.trap(signal, "DEFAULT")] }
  end

  def teardown
    @traps.each { |signal, trap| Signal.trap(signal, trap) }
    super
  end

  # A demo whose shop has already served what `counts` say.
  class ServedRun < Demo::Run
    def initialize(json, counts, unanswered:)
      super(Demo::Options.parse(%w[--json]), err: @said = StringIO.new)
      @json = json
      @counts = counts
      @unanswered = unanswered
    end

    def said = @said.string

    private

    def boot = nil

    def measure = @json
  end

  def run_demo(reported:, unanswered: 0)
    series = {name: "A#b", count: reported, errors: 0, stalled_ns: {sum: 0}, wall_ns: {sum: 0},
              **Demo::Checks::PARTS.to_h { |part| [part.to_sym, 0] }}
    totals = {stalled_ns: {sum: 0}, caused_ns: 0, handoff_ns: 0, accounts: []}
    counts = {"A#b" => Demo::ShopLedger::EndpointCount.new(count: 20, errors: 0)}
    demo = ServedRun.new(JSON.generate(series: [series], totals:), counts, unanswered:)
    status = nil
    capture_io { status = demo.call }
    [status, demo.said]
  end

  def test_succeeds_where_the_report_has_what_the_shop_counted
    status, said = run_demo(reported: 20)
    assert_equal 0, status
    assert_equal "the reports have all requests that the shop served, and their sums come out\n", said
  end

  def test_fails_for_a_false_figure
    status, said = run_demo(reported: 19)
    assert_equal 1, status
    assert_equal "false: A#b: the shop counted 20 requests, the report has 19\n", said
  end

  def test_answers_that_did_not_come_are_no_failure
    status, said = run_demo(reported: 20, unanswered: 10)
    assert_equal 0, status
    assert_match(/^this machine was too busy: 10 requests got no answer within 60 s$/, said)
    refute_match(/wrong|false/, said)
  end
end
