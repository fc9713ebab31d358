# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "json"
require "json_schemer"
require "browser/recorded"
require "holdup/features/lab/sidekiq_vcpu/sample_outcomes"
require "support/coarse_sizing"
require "support/example_deaths"
require "support/kept_capture"
require "support/played_jobs"
require "support/played_store"
require "support/swept"

# docs/schema describes what the commands print for programs. Each schema is held against real output: of the
# recorded storefront where it has what is asked.
class SchemasTest < Minitest::Test
  one_ruby

  include CommandLine
  include CoarseSizing
  include ExampleDeaths
  include Swept

  ROOT = File.expand_path("..", __dir__)
  NAMES = Dir["#{ROOT}/docs/schema/*.json"].map { |file| File.basename(file, ".json") }.sort.freeze
  PLAYED = PlayedStore.usual
  NOW_S = 1_790_000_000
  PRINTED = {}

  NAMES.each do |name|
    test = name.tr("-", "_")

    define_method(:"test_#{test}_is_as_printed") do
      printed(name).each { |document| assert_empty errors(schema(name), document) }
    end

    # Else a schema could be right by saying little.
    define_method(:"test_#{test}_has_every_key_that_is_printed") do
      printed(name).each { |document| assert_empty errors(closed(schema(name)), document) }
    end

    define_method(:"test_#{test}_refuses_what_lacks_a_key") do
      document = printed(name).first
      key = schema(name).fetch("required").first
      refute_empty errors(schema(name), document.except(key))
    end
  end

  def test_every_command_that_prints_json_has_a_schema
    commands = Holdup::Features.commands.keys.without("help", "lab") +
      Lab::Command::SUMMARIES.keys.map { |name| "lab #{name}" }
    printing = commands.select { |name| holdup(*name.split, "--help").out.match?(/--json|--export .*json/m) }
    assert_empty printing.map { |name| name.tr(" ", "-") } - NAMES
  end

  def test_the_page_names_every_schema
    page = File.read("#{ROOT}/docs/guide/json.md")
    NAMES.each { |name| assert_includes page, "(../schema/#{name}.json)" }
  end

  def test_schemas_are_schemas
    NAMES.each { |name| assert JSONSchemer.valid_schema?(schema(name)), name }
  end

  private

  def schema(name) = JSON.parse(File.read("#{ROOT}/docs/schema/#{name}.json"))

  # @return [Array<String>] where something is wrong, and why
  def errors(schema, document)
    JSONSchemer.schema(schema).validate(document).map { |error| error.fetch("error") }
  end

  # The same schema without room for keys that it does not name.
  def closed(schema)
    case schema
    when Hash
      inner = schema.transform_values { |value| closed(value) }
      open = schema["properties"].is_a?(Hash) && !schema.key?("additionalProperties")
      open ? inner.merge("additionalProperties" => false) : inner
    when Array then schema.map { |value| closed(value) }
    else schema
    end
  end

  # @return [Array<Hash>] what a command prints in several situations
  def printed(name)
    PRINTED[name] ||= send(:"#{name.tr("-", "_")}_documents").map { |text| JSON.parse(text) }
  end

  def output(*arguments, now_s: NOW_S)
    said = holdup(*arguments, now_s:)
    assert_includes [0, 1], said.status, said.err
    said.out
  end

  # @yieldparam recorded [Recorded]
  def recorded
    found = Recorded.new
    yield found
  ensure
    found&.remove
  end

  # @param variants [Array<Array<String>>] options
  def of_recorded(command, *variants)
    recorded do |one|
      variants.map { |options| output(command, "--store", one.store, "--json", *options, now_s: one.now_s) }
    end
  end

  def of_played(command, *variants, **coarseness)
    PLAYED.in_a_file do |path|
      share_sizing(PLAYED) do
        size_coarsely(**coarseness) do
          variants.map { |options|
            output(command, "--store", path, "--since", "1h", "--json", *options, now_s: PLAYED.to_s)
          }
        end
      end
    end
  end

  def report_documents
    live = recorded { |one|
      output("report", "--store", one.store, "--json", "--dir", one.segments, now_s: one.now_s)
    }
    [live, *of_deployed("report")] +
      of_recorded("report", %w[--since 2h], %w[--since 2h --by process], %w[--since 2h --by priority],
        %w[--since 2h --by setting], %w[--since 2h --until 1h])
  end

  # What a command prints of two revisions with methods that make others wait.
  def of_deployed(*command)
    samples = %w[aaa111 bbb222].map do |revision|
      SampleWindows.new(minutes: 6, setting: SampleWindows::SETTING.merge("revision" => revision))
    end
    windows = samples.each_with_index.flat_map do |sample, later|
      method = sample.window("OrdersController#index", kind: :method,
        queue: "app/a.rb:1 Order#rows | Array#map", count: 9, sums: {caused_ns: 9_000_000})
      [*sample.to_a, method].map { |window| window.with(start_s: window.start_s + later * 600) }
    end
    with_store(windows) do |path|
      [output(*command, "--json", "--store", path, now_s: samples.first.from_s + 1200)]
    end
  end

  def fleet_documents = of_recorded("fleet", %w[--since 2h], %w[--since 3d --until 2d])

  def ps_documents
    running = work(hogged, open_process(open_unit("Inner", outer: 0)))
    Dir.mktmpdir do |folder|
      SegmentWriter.new(folder)
      [Holdup::Ps::Report::Json.new(running, words: Holdup::View::Words.new).call,
        output("ps", "--json", "--dir", folder)]
    end
  end

  def deaths_documents
    Dir.mktmpdir do |folder|
      path = File.join(folder, "store.sqlite3")
      store = Holdup::Store.open(path)
      store.commit([], {}, deaths: [hogged_death, death(server: nil, ago_s: 60)])
      store.close
      [[], %w[--until 1h]].map { |more| output("deaths", "--json", "--store", path, *more) }
    end
  end

  def notify_documents
    Dir.mktmpdir do |folder|
      path = File.join(folder, "store.sqlite3")
      store = Holdup::Store.open(path)
      store.commit(SampleWindows.new.stored, {})
      store.close
      env = {"HOLDUP_NOTIFY" => "log=on,stall=0.1", "HOLDUP_STORE" => path, "HOLDUP_DIR" => folder}
      now_s = SampleWindows::START_S + 180
      holdup("notify", "--send", env:, now_s:)
      [env, env.merge("HOLDUP_NOTIFY" => "off"), env.merge("HOLDUP_STORE" => "#{path}.none")].map do |given|
        holdup("notify", "--json", env: given, now_s:).out
      end
    end
  end

  def scale_documents
    share_capacities(PLAYED) { of_played("scale", %w[--slo p95=200ms]) } +
      of_recorded("scale", %w[--since 2h --slo p95=300ms], %w[--since 2h])
  end

  def autopilot_documents
    Dir.mktmpdir do |folder|
      files = Holdup::AutopilotFolder.new(folder)
      waiting = output("autopilot", "status", "--json", "--dir", folder)
      lease = Holdup::PlanLease.new(leased_s: NOW_S, lease_s: 60)
      kept = Holdup::ExperimentPlan.new(id: "k3f9", lever: "threads", values: [5, 3], turns: nil, lease:,
        by: "collector", why: "p95")
      files.take_back(kept, at_s: NOW_S, why: "too slow")
      change = {at_s: NOW_S, id: "k3f9", from: 5, to: 3, by: "collector", why: "p95"}
      state = Holdup::Autopilot::State.new(kept:, history: [change])
      files.write_state(state.to_json)
      [waiting, output("autopilot", "status", "--json", "--dir", folder, "--store", changed(folder))]
    end
  end

  # @return [String] a store with an audit log of this host
  def changed(folder)
    path = File.join(folder, "store.sqlite3")
    store = Holdup::Store.open(path)
    host = Holdup::Collector.host_name(nil, {})
    change = Holdup::AuditEntry.new(source: "s", at_s: NOW_S - 1, host:, event: :kept, plan_id: "k3f9",
      lever: "threads", from: 5, to: 3, who: :autopilot, by: "collector", why: "p95")
    collector_checkpoint = Holdup::CollectorCheckpoint.new(host:, folder: "/x", at_ns: 1, units: {})
    store.commit(SampleWindows.new.to_a.map { |window| window.with(host:) }, {}, audit: [change],
      collector_checkpoint:)
    store.close
    path
  end

  def experiments_documents
    lease = Holdup::PlanLease.new(leased_s: SimulatedArms::START_S, lease_s: 60)
    keep = {at_s: SimulatedArms::START_S + 6000, event: :kept, from: 5, to: 3, why: "Better."}
    recordings = {TurnsRecording.new(minutes: 60) => [], TurnsRecording.new(minutes: 110, lease:) => [keep]}
    words = Holdup::View::Words.new
    recordings.map do |one, more|
      store = Holdup::Store.open("memory:").tap { |opened| one.fill(opened, more:) }
      query = Holdup::Web::PageQuery.new({}, now_s: one.to_s)
      page = Holdup::Experiment::Page.new(context: nil, store:, query:, words:)
      page.export("json", "Experiments")
    end
  end

  def experiment_documents
    Dir.mktmpdir do |folder|
      arms = SimulatedArms.new(minutes: 40, effect: 0.3, errors: {candidate: 8})
      path = File.join(folder, "store.sqlite3")
      store = Holdup::Store.open(path)
      arms.fill(store)
      store.close
      [
        %w[report --values control,candidate],
        %w[status --for 2h],
        %w[plan --for 2h],
        %w[plan]
      ].map do |options|
        output("experiment", *options, "--json", "--store", path, now_s: arms.to_s)
      end
    end
  end

  def compare_documents
    of_deployed("compare", "--by", "revision") +
      of_recorded("compare", %w[--by revision --since 2h], %w[--by revision --since 2h --name *#index])
  end

  def advise_documents
    prices = %w[--prices vcpu=0.04,gb=0.005]
    of_played("advise", ["--slo", "p95=100ms", *prices], prices, %w[--load x3]) +
      of_recorded("advise", %w[--since 2h], %w[--since 2h --kind job])
  end

  def whatif_documents
    of_played("whatif", %w[--threads 3], ["--own-pool", "Orders*=1x2"],
      ["--without", "Orders*", "--slice", "10ms"]) +
      of_played("whatif", %w[--threads 3], explained: [0.2] * 20)
  end

  def doctor_documents
    recorded do |one|
      with_jit(one)
      [["--dir", one.segments, "--autoscale-target", "70"], %w[--dir /nonexistent]].map { |options|
        output("doctor", "--store", one.store, "--json", *options, now_s: one.now_s)
      }
    end
  end

  # A worker with a JIT and with what ends it for its memory.
  def with_jit(one)
    worker = SegmentWriter.new(one.segments, worker: 0, pid: 1, now_ns: one.now_s * 1_000_000_000)
    worker.setting = JSON.generate("ruby" => "3.4.5", "jit" => "yjit")
    worker.profile = {"server" => "puma", "jit.by" => "holdup", "jit.at" => "process", "jit.kind" => "yjit",
                      "killer.name" => "puma_worker_killer", "killer.limit_bytes" => 500_000_000}
    {jit_enabled: 1, jit_code_bytes: 9_000_000, jit_alloc_bytes: 20_000_000, jit_limit_bytes: 128 << 20}
      .each { |gauge, value| worker.gauge(gauge, value) }
  end

  def calculate_documents
    given = [%w[--io 45%], %w[--running 40ms --idle 60ms],
      %w[--running 40ms --idle 60ms --rate 20 --processes 2]]
    recorded do |one|
      mean = output("calculate", "--json", "--store", one.store, now_s: one.now_s)
      [*given.map { |options| output("calculate", "--json", *options) }, mean]
    end
  end

  def timeline_documents = [output("timeline", KeptCapture::FILE, "--export", "json")]

  def blame_documents
    recorded do |one|
      console = Holdup::CLI::Console.new(out: nil, err: nil, env: {"HOME" => "/nonexistent"},
        clock: CommandLine::Still.new(now_s: one.now_s))
      tools = Holdup::Mcp::Command::McpTools.new(console, store: one.store, language: "en")
      tool = Holdup::Mcp::Command::McpTools.all.find { |each| each.name == "blame" }
      [{since: "2h"}, {since: "2h", kind: "job"}].map { |arguments| tools.call(tool, arguments).text }
    end
  end

  # What experiments print needs minutes to be measured: their results are made up, the printing is real.
  def lab_sweep_documents
    [result(reading(arm), reading(arm(1, 3), p95_ms: 80)), result(reading(arm))]
      .map { |found| JSON.generate(found.to_h) }
  end

  def lab_jit_documents
    arms = Holdup::Lab::Jit.arms({})
    found = result(*arms.map { |arm| reading(arm, cpu_ns: 20_000_000) }, plan: plan(arms:))
    [JSON.generate(found.to_h.merge(jit: Holdup::Lab::Jit::ArmComparison.new(found).to_h))]
  end

  def lab_check_documents
    figures = Holdup::Lab::Endpoints::EndpointFigures
    before = figures.new(count: 200, acquisitions: 4, longest_hold_ns: 5_000_000, p95_ns: 90_000_000)
    baseline = Holdup::Lab::Check::Baseline.new(nil, {"A#a" => before, "B#b" => before, "C#c" => before})
    after = {"A#a" => before.with(acquisitions: 9), "B#b" => before.with(count: 5), "D#d" => before}
    [JSON.generate(Holdup::Lab::Check.new(baseline, after, tolerance: 0.1).to_h)]
  end

  def lab_jobs_documents
    found = Holdup::Lab::Jobs::JobsResult.new(PlayedJobs.new.ledger(PlayedJobs.plan([1, 5], rounds: 1)))
    [Holdup::Lab::Jobs::Report::Json.new(found, words: Holdup::View::Words.new).call]
  end

  def lab_sidekiq_vcpu_documents
    found = SampleOutcomes.new.result
    [Holdup::Lab::SidekiqVcpu::Report::Json.new(found, words: Holdup::View::Words.new).call]
  end
end
