# frozen_string_literal: true

require "test_helper"
require "holdup/cli"
require "holdup/cli/lab"
require "holdup/cli/lab/jobs"

class Holdup::CLI::LabJobsTest < Minitest::Test
  include CommandLine

  # Has the result ready.
  class Finished
    attr_reader :given

    def initialize(order: [5, 1], **options)
      @order = order
      @options = options
    end

    def new(progress:, **given)
      @given = given
      @progress = progress
      self
    end

    def call
      @progress.call(5, 1, 2)
      Holdup::Lab::Jobs::Result.new(@order.map { |threads| PlayedJobs.new.outcome(threads) }, baseline: 5, **@options)
    end
  end

  def said(lab = Finished.new, **options)
    out, err = StringIO.new, StringIO.new
    console = Holdup::CLI::Console.new(out:, err:, env: {"PATH" => "/bin"}, clock: nil)
    status = Holdup::CLI::Lab::Jobs.new(console:, lab:, **options).run
    Said.new(status:, out: out.string, err: err.string)
  end

  def test_shows_its_options
    help = holdup("lab", "jobs", "--help")
    assert_equal 0, help.status
    %w[--concurrency --baseline --seconds --warm-up --rounds --job --redis-url --json --lang].each { |option| assert_includes help.out, option }
  end

  def test_asked_wrongly
    {["--concurrency", "0"] => /--concurrency can't be "0"/,
     ["--job", "report"] => /--job can't be "report"; it takes a class, and how often and with what, such as ReportJob,3,\[42,"pdf"\]/,
     ["--job", "Report,1,[1"] => /--job can't be/,
     ["--job", "Report"] => /--job needs the Sidekiq that has it; give its command last/,
     ["--", "sidekiq"] => /which jobs are to be put into the queue\?; name them with --job/,
     ["--baselines", "5"] => /did you mean --baseline\?/}.each do |arguments, message|
      answer = holdup("lab", "jobs", *arguments)
      assert_equal [2, ""], [answer.status, answer.out], arguments
      assert_match message, answer.err
    end
  end

  def test_prints_the_result
    lab = Finished.new
    answer = said(lab, concurrency: [1, 2, 5], rounds: 3, kinds: [Holdup::Lab::Jobs::Kind.new(name: "A")], command: %w[sidekiq -r app])
    assert_equal [0, "run 1 of 2: 5 threads\n"], [answer.status, answer.err]
    assert_includes answer.out, "threads are enough"
    assert_equal [[1, 2, 5], 2, 3, %w[sidekiq -r app]], [*lab.given.values_at(:concurrency, :baseline, :rounds), lab.given[:program].command]
  end

  def test_what_was_stopped_is_printed_and_says_so
    answer = said(Finished.new(order: [5], stopped: true), json: true)
    assert_equal 130, answer.status
    assert JSON.parse(answer.out)["stopped"]
  end
end
