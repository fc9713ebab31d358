# frozen_string_literal: true

require "test_helper"
require "support/fake_program"
require "support/swept"
require "holdup/loader"

class Holdup::Lab::Sweep::CommandTest < Minitest::Test
  include CommandLine
  include FakeProgram
  include Swept
  include TemporaryFolder

  REST = ["--rate", "40", "--url", "/", "--", "puma"].freeze

  def parse(*argv, now_s: 0)
    console = Struct.new(:clock, :env).new(CommandLine::Still.new(now_s:), {"PATH" => folder})
    Sweep::Command.parse(argv, console)
  end

  def refused(*argv)
    holdup("lab", "sweep", *argv).then { |said| assert_equal(2, said.status) && said.err }
  end

  def test_plans_all_settings_with_the_first_as_baseline
    plan = parse("--threads", "5,1", "--processes", "1,2", "--slo", "p99=1s", "--url", "/a",
      *REST)[:ledger].plan
    assert_equal ["1 x 5", "1 x 5 (again)", "1 x 1", "2 x 5", "2 x 1"], plan.arms.map(&:name)
    assert_equal [%w[puma], ["/a", "/"], [40.0], 20, 2, "p99=1s"],
      [plan.command, plan.requests, plan.rates, plan.seconds, plan.rounds, plan.slo]
  end

  def test_other_knobs_a_ladder_and_a_baseline
    plan = parse("--threads", "1,3", "--yjit", "on,off", "--slice", "10ms", "--baseline", "1x3", "--ladder",
      "80,20", "--url", "/", "--", "puma", "-p", "{port}")[:ledger].plan
    assert_equal [
      "x 3, yjit, 10 ms",
      "x 3, yjit, 10 ms (again)",
      "x 1, yjit, 10 ms",
      "x 1, no yjit, 10 ms",
      "x 3, no yjit, 10 ms"
    ],
      plan.arms.map(&:name)
    assert_equal [20.0, 80.0], plan.rates
  end

  def test_wrk_with_connections
    plan = parse("--threads", "1", "--load-tool", "wrk", "--connections", "10,5", "--url", "/", "--",
      "puma")[:ledger].plan
    assert_equal [true, [5, 10]], [plan.closed?, plan.rates]
  end

  def test_other_load_tools
    assert_equal ["oha", false, [40.0]],
      parse("--threads", "1", "--load-tool", "oha",
        *REST)[:ledger].plan.then { |plan| [plan.tool, plan.closed?, plan.rates] }
    assert_match(/--connections needs wrk or hey, and neither is on this machine/,
      assert_raises(Holdup::UsageError) {
        parse("--threads", "1", "--connections", "4", "--url", "/", "--",
          "puma")
      }.message)
    fake_program("hey", "")
    assert_equal "hey",
      parse("--threads", "1", "--connections", "4", "--url", "/", "--", "puma")[:ledger].plan.tool
    assert_match(/hey asks for one address only; leave out the other requests/,
      refused(
        "--threads", "1", "--load-tool", "hey", "--connections", "4", "--url", "/a", "--url", "/b",
        "--", "puma"
      ))
  end

  def test_refuses_what_is_missing_or_contradictory
    assert_match(/needs the command of a server; end with it/, refused("--threads", "1"))
    assert_match(/nothing to try; give --threads/, refused(*REST))
    assert_match(/needs one load; give --rate, --ladder or --connections/,
      refused("--threads", "1", "--ladder", "1,2", *REST))
    assert_match(/wrk can't send at a rate; give --connections/,
      refused("--threads", "1", "--load-tool", "wrk", *REST))
    assert_match(/oha sends at a rate; give --rate or --ladder/,
      refused("--threads", "1", "--load-tool", "oha", "--connections", "4", "--url", "/", "--", "puma"))
    assert_match(/no request to send/, refused("--threads", "1", "--rate", "4", "--", "puma"))
    assert_match(/--baseline can't be "2x1"; it takes processes x threads of a setting that is tried/,
      refused("--threads", "1", "--baseline", "2x1", *REST))
    assert_match(/--resume goes on as it was begun; leave out the other options/,
      refused("--resume", "x", "--threads", "1"))
  end

  def test_refuses_values_that_cannot_be
    {"--threads" => "0", "--rate" => "-1", "--slice" => "10", "--slo" => "p5", "--yjit" => "maybe",
     "--seconds" => "0", "--processes" => "", "--ladder" => ""}.each do |option, value|
      assert_includes refused(option, value), "#{option} can't be #{value.inspect}"
    end
  end

  NOW_S = SampleWindows.new.to_s

  # @return [String] a store with three minutes of a shop, and these paths of it
  def recorded(paths)
    File.join(folder, "store.sqlite3").tap do |path|
      store = Holdup::Store.open(path)
      store.commit(SampleWindows.new.to_a, {},
        paths: paths.transform_keys { |name| Holdup::Series.new(kind: :request, name:) })
      store.close
    end
  end

  def test_requests_and_rates_of_a_recording
    store = recorded("ProductsController#index" => "/products", "OrdersController#index" => "/orders")
    plan = parse("--threads", "1,3", "--recorded", store, "--since", "1h", "--", "puma",
      now_s: NOW_S)[:ledger].plan
    assert_equal [["405.405 GET /products", "135.135 GET /orders"], [3.33, 6.67, 10.0, 13.3]],
      [plan.requests, plan.rates]
    assert_equal [2, 6.667, "QuotesController#show", 0.4595],
      plan.recorded.values_at(:endpoints, :rate, :left,
        :left_share).then { |count, rate, left, share| [count, rate, left.first, share] }
    assert_equal [5.0],
      parse("--threads", "1", "--rate", "5", "--recorded", store, "--", "puma",
        now_s: NOW_S)[:ledger].plan.rates
  end

  def test_a_recording_without_paths_gives_a_file_to_fill_in
    said = holdup("lab", "sweep", "--threads", "1", "--recorded", recorded({}), "--", "puma", now_s: NOW_S)
    assert_equal [1, "405.405 GET /... # ProductsController#index"],
      [said.status, said.out.lines(chomp: true).first]
    remedy = /set config\.example_paths = true \(HOLDUP_EXAMPLE_PATHS=on\) where/
    assert_match(/no paths were recorded; #{remedy} .*--requests FILE/, said.err)
    assert_match(/no requests were recorded in that span/,
      holdup("lab", "sweep", "--threads", "1", "--recorded", recorded({}), "--until", "1d", "--", "puma",
        now_s: NOW_S).err)
  end

  def test_a_store_of_several_applications
    store = recorded("ProductsController#index" => "/products")
    %w[shop back].each { |app|
      Holdup::Store.open(store).tap { |opened|
        opened.commit(
          SampleWindows.new(minutes: 1, setting: {"app" => app}).to_a,
          {}
        )
      }.close
    }
    said = holdup("lab", "sweep", "--threads", "1", "--recorded", store, "--", "puma", now_s: NOW_S)
    assert_equal [2, "holdup: the recording is of several applications: back, shop; say with HOLDUP_APP " \
      "which one the command serves\n"],
      [said.status, said.err]
  end

  def test_refuses_a_recording_that_is_contradicted_or_too_small
    store = recorded("ExportsController#create" => "/exports")
    {
      ["--recorded", store, "--url", "/"] => /--recorded brings its own requests; leave out --url/,
      ["--since", "1h", "--url", "/", "--rate", "4"] => /--since and --until choose a recording/,
      ["--recorded", store] => /only 0.33 requests a second were recorded, .*give --rate or --ladder/,
      ["--recorded", store, "--rate", "1", "--ladder", "1,2"] => /needs one load/
    }.each do |options, message|
      said = holdup("lab", "sweep", "--threads", "1", *options, "--", "puma", now_s: NOW_S)
      assert_equal 2, said.status
      assert_match message, said.err
    end
  end

  def test_says_what_it_sends_before_it_begins
    recorded = {endpoints: 3, rate: 21.3, left: ["A#a"], left_share: 0.2, left_cpu: 0.4}
    _, _, err = run_command(result(reading(arm)), plan: plan(recorded:))
    assert_match(/\ARequests as recorded: 3 endpoints.*^left out, .*A#a/m, err)
  end

  def test_goes_on_with_a_file
    path = File.join(folder, "sweep.json")
    ledger(reading(arm), path:).write
    assert_equal [reading(arm)], parse("--resume", path)[:ledger].readings
    assert_match(/can't be read/, holdup("lab", "sweep", "--resume", "#{path}.none").err)
  end

  # What the experiment gives, without running it.
  Lab = Struct.new(:result) do
    def new(*, **) = self

    def call = result
  end

  def run_command(result, plan: self.plan, **options)
    out = StringIO.new
    err = StringIO.new
    console = Holdup::CLI::Console.new(out:, err:, env: {"HOME" => folder},
      clock: CommandLine::Still.new(now_s: 0))
    status = Sweep::Command.new(console:, ledger: ledger(plan:), lab: Lab.new(result), **options).run
    [status, out.string, err.string]
  end

  def test_prints_the_result_and_where_it_is
    status, out, err = run_command(result(reading(arm)))
    assert_equal [0, "Everything is in sweep.json.\n"], [status, err]
    assert_match(/Too early to say/, out)
  end

  def test_markdown_for_a_pull_request
    _, out, = run_command(result(reading(arm)), format: :markdown)
    title = /\A# Settings of \\`puma\\`: 2, .*\*\*Too early to say/m
    assert_match(/#{title}.*^\| setting \| served\/s .*^\| 1 x 5 \\\* \| 40\.0 /m, out)
    assert_match(/--json and --markdown can't be combined/,
      refused("--json", "--markdown", "--threads", "1", *REST))
    assert_equal :markdown, parse("--threads", "1", "--markdown", *REST)[:format]
  end

  def test_where_a_server_fails_prints_what_there_is
    out = StringIO.new
    err = StringIO.new
    console = Holdup::CLI::Console.new(out:, err:, env: {"HOME" => folder},
      clock: CommandLine::Still.new(now_s: 0))
    failed = Swept::Sweep::SweepReport.new(ledger(reading(arm)),
      failure: Holdup::Error.new("the server has ended"))
    error = assert_raises(Holdup::Error) do
      Sweep::Command.new(console:, ledger:, lab: Lab.new(failed)).run
    end
    assert_equal "the server has ended", error.message
    assert_match(/Stopped: 2 of 3 steps are left/, out.string)
  end

  def test_after_ctrl_c_prints_what_there_is
    status, out, = run_command(Swept::Sweep::SweepReport.new(ledger(reading(arm)), signal: 2), format: :json)
    assert_equal [130, 2], [status, JSON.parse(out)["left"]]
  end
end
