# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Lab::Jobs::CommandTest < Minitest::Test
  include CommandLine
  include TemporaryFolder

  # Has measured already.
  class Finished
    attr_reader :given

    def initialize(**options)
      @options = options
    end

    def new(ledger, progress:, **given)
      @ledger = ledger
      @given = given
      @progress = progress
      self
    end

    def call
      @progress.call(1, 2, :count, arm: @ledger.plan.steps.first, seconds: 15)
      Holdup::Lab::Jobs::JobsResult.new(@ledger, **@options)
    end
  end

  def parse(*argv)
    Holdup::Lab::Jobs::Command.parse(argv, Struct.new(:clock).new(CommandLine::Still.new(now_s: 0)))
  end

  def said(lab = Finished.new, steps: nil, **options)
    plan = PlayedJobs.plan([1, 5], rounds: 1)
    out = StringIO.new
    err = StringIO.new
    console = Holdup::CLI::Console.new(out:, err:, env: {"PATH" => "/bin"},
      clock: CommandLine::Still.new(now_s: 0))
    status = Holdup::Lab::Jobs::Command.new(console:, ledger: PlayedJobs.new.ledger(plan, **{steps:}.compact),
      lab:, **options).run
    CommandLine::Said.new(status:, out: out.string, err: err.string)
  end

  def test_shows_its_options
    help = holdup("lab", "jobs", "--help")
    assert_equal 0, help.status
    %w[--concurrency --baseline --seconds --warm-up --rounds --job --redis-url --out --resume --store --json
      --lang].each { |option|
      assert_includes help.out, option
    }
  end

  def test_asked_wrongly
    {["--concurrency", "0"] => /--concurrency can't be "0"/,
     ["--job", "report"] => Regexp.new(
       %q(--job can't be "report"; it takes a class, and how often and with what, ) +
       %q(such as ReportJob,3,\[42,"pdf"\])
     ),
     ["--job", "Report,1,[1"] => /--job can't be/,
     ["--job", "Report"] => /--job needs the Sidekiq that has it; give its command last/,
     ["--", "sidekiq"] => /lab jobs needs jobs for the queue; name them with --job/,
     ["--resume", "x", "--rounds", "2"] => /--resume goes on as it was begun/,
     ["--baselines", "5"] => /did you mean --baseline\?/}.each do |arguments, message|
      answer = holdup("lab", "jobs", *arguments)
      assert_equal [2, ""], [answer.status, answer.out], arguments
      assert_match message, answer.err
    end
  end

  def test_plans_the_runs_and_where_they_are_kept
    ledger = parse("--concurrency", "1,2,5", "--rounds", "3", "--job", "A,2", "--out", "/x.json", "--",
      "sidekiq", "-r", "app")[:ledger]
    plan = ledger.plan
    assert_equal ["/x.json", [1, 2, 5], 2, 3, %w[sidekiq -r app], Dir.pwd, ["A"]],
      [ledger.path, plan.concurrency, plan.baseline, plan.rounds, plan.command, plan.root,
        plan.kinds.map(&:name)]
    assert_equal [10, Holdup::Lab::Jobs::JobSequence::OWN],
      parse("--baseline", "10")[:ledger].plan.then { |own| [own.baseline, own.kinds] }
  end

  def test_goes_on_with_a_file
    path = File.join(folder, "jobs.json")
    PlayedJobs.new.ledger(PlayedJobs.plan, steps: 1, path:).write
    values = parse("--resume", path, "--redis-url", "redis://x", "--json")
    assert_equal [7, "redis://x", :json], [values[:ledger].left.size, values[:redis_url], values[:format]]
    assert_equal 1, holdup("lab", "jobs", "--resume", "#{path}.none").status
  end

  def test_prints_the_result_and_where_it_is
    lab = Finished.new
    answer = said(lab, redis_url: "redis://y")
    assert_equal [0, "step 1/2, -c 5: counting jobs for 15 s, about 10 s left\nEverything is in " \
      "jobs.json.\n"],
      [answer.status, answer.err]
    assert_includes answer.out, "threads are enough"
    assert_equal ["redis://y", nil], lab.given.values_at(:redis_url, :store)
  end

  def test_prints_a_stopped_run_as_stopped
    answer = said(Finished.new(signal: 2), steps: 2, format: :json)
    assert_equal 130, answer.status
    assert_equal [true, 1], JSON.parse(answer.out).values_at("stopped", "left")
  end
end
