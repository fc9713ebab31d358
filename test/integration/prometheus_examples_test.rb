# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "json"
require "support/example_deaths"

# The Grafana dashboard and the alert rules of examples/prometheus, against a real Prometheus that scrapes a
# shop's figures.
class PrometheusExamplesTest < Minitest::Test
  include TemporaryFolder
  include ExampleDeaths

  EXAMPLES = File.expand_path("../../examples/prometheus", __dir__)
  RULES = File.join(EXAMPLES, "rules.yml")
  DASHBOARD = JSON.parse(File.read(File.join(EXAMPLES, "grafana.json")))
  PANELS = DASHBOARD.fetch("panels")
  # What Grafana puts in their place.
  VARIABLES = {"$__rate_interval" => "1m", "$app" => "shop", "$role" => ".*", "$host" => "web-1|web-2",
               "$__range" => "1m"}.freeze
  SETTING = SampleWindows::SETTING.merge("app" => "shop", "server" => "puma", "jobs" => "sidekiq").freeze

  def setup
    skip "no Prometheus here: bin/setup --services installs it" unless PrometheusServer.installed?
    @minute = 0
  end

  def teardown
    @exporter&.close
    super
  end

  def export
    settings = Holdup::ConfigurationKeys::PrometheusExport.new(port: FreePorts.take, pairs: true)
    @exporter = Holdup::Export::Prometheus.new(settings, dir: folder, log: CollectedLog.new,
      clock: Holdup::Clock.new)
    @exporter.start
    add
  end

  # Another minute of the shop.
  def add
    @minute += 1
    shop = SampleWindows.new(minutes: 1, setting: SETTING).stored
    jobs = SampleWindows.new(minutes: 1, setting: SETTING, kind: :job, queue: "low",
      units: SampleWindows::STOREFRONT.slice("ReportsController#sales"))
    died = death(pid: @minute, reason: :oom, setting: Holdup::Setting.new(attributes: SETTING).fingerprint)
    @exporter.add([*shop, *jobs.to_a, call], [sample], deaths: [died])
  end

  def call
    SampleWindows.new(setting: SETTING).window("A#b", kind: :call, queue: "sql primary", count: 1,
      histograms: {idle: Holdup::Histogram.of_sum(NS)})
  end

  def sample
    {
      host: "web-1", pid: 7, start: 1, at_s: 1000 + @minute, since_s: 2_000_000_000,
      setting: Holdup::Setting.new(attributes: SETTING).fingerprint, rss_bytes: 9, pss_bytes: 8,
      cpu_ns: @minute * 10**9, busy_threads: 1, max_threads: 5, backlog: 0, "jit.kind": "yjit",
      jit_enabled: 1, jit_saturated: 1, jit_code_bytes: 5, jit_alloc_bytes: 6
    }
  end

  def scrape(rules: [], &)
    export
    target = {"targets" => ["127.0.0.1:#{@exporter.port}"]}
    PrometheusServer.run([{"job_name" => "holdup", "static_configs" => [target]}], rules:, &)
  end

  def queries
    targets = PANELS.flat_map { |panel| panel.fetch("targets") }
    targets.map { |target| target.fetch("expr").gsub(/\$\w+/) { |name| VARIABLES.fetch(name) } }
  end

  def test_every_query_of_the_dashboard_has_an_answer
    scrape do |prometheus|
      # A rate needs two scrapes.
      queries.each do |query|
        results = wait_until(every: 0.5) do
          add
          prometheus.query(query).then { |found| found if found.any? }
        end
        refute results.map(&:value).any?(&:infinite?), query
      end
      shares = prometheus.query(queries.find { |query| query.start_with?("sum by (state)") })
      assert_in_delta 1, shares.sum(&:value), 1e-9
    end
  end

  def test_every_panel_has_its_place
    places = PANELS.map { |panel| panel.fetch("gridPos").values_at("x", "y") }
    assert_equal places.uniq, places
    assert_equal PANELS.size, PANELS.map { |panel| panel["id"] }.uniq.size
    known = %w[datasource app role host]
    assert_equal known, DASHBOARD.dig("templating", "list").map { |variable| variable["name"] }
  end

  def test_promtool_accepts_the_rules
    fine, said = PrometheusServer.check("rules", RULES)
    assert fine, said
    assert_match(/SUCCESS: \d+ rules found/, said)
  end

  # The shop stalls on the GVL and has a full YJIT.
  def test_prometheus_evaluates_all_rules
    scrape(rules: [RULES]) do |prometheus|
      rules = wait_until(every: 0.5) do
        add
        found = prometheus.api("rules").fetch("groups").flat_map { |group| group["rules"] }
        found if (%w[HoldupYjitFull HoldupRequestsStall] - pending(found)).empty?
      end
      assert_equal({"ok" => 8}, rules.map { |rule| rule["health"] }.tally)
      refute_includes pending(rules), "HoldupNamesDropped"
    end
  end

  # Their limit is exceeded, for a shorter time than they ask for.
  def pending(rules)
    rules.select { |rule| rule["state"] == "pending" }.map { |rule| rule["name"] }
  end
end
