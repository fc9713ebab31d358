# frozen_string_literal: true

require "test_helper"
require "holdup/agent/configuration"

class Holdup::ConfigurationTest < Minitest::Test
  def build(env = {}, &)
    Holdup::Configuration.build(env:, &)
  end

  # @return [String, nil] what another key of the same type has in ENVIRONMENT, where it fits this one
  def text_for(key, keys)
    others = keys.select { |other| other.type.instance_of?(key.type.class) }
    texts = ENVIRONMENT.values_at(*others.map(&:env)).compact
    texts.find do |text|
      value = key.type.parse(text)
      key.type.valid?(value) && value != key.default
    end
  end

  def test_defaults
    config = build
    assert config.enabled
    assert_equal [200, 4096, 1, :process],
      config.to_h.values_at(:series_limit, :ring_size, :tick_seconds, :collector)
    assert_predicate config, :frozen?
  end

  def test_code_sets_and_the_environment_is_stronger
    config = build("HOLDUP_SERIES_LIMIT" => "300", "HOLDUP_APP" => "") do |draft|
      draft.series_limit = 50
      draft.app = "shop"
    end
    assert_equal 300, config.series_limit
    assert_equal "shop", config.app
  end

  # Texts of variables. A key of a type that is here needs none of its own.
  ENVIRONMENT = {
    "HOLDUP_ENABLED" => "no",
    "HOLDUP_DIR" => "/dev/shm/x",
    "HOLDUP_STORE" => "memory:",
    "HOLDUP_HOST" => "web-1",
    "HOLDUP_SPOOL" => "/var/spool/holdup",
    "HOLDUP_SPOOL_MIB" => "10",
    "HOLDUP_APP" => "a",
    "HOLDUP_REVISION" => "r",
    "HOLDUP_ARM" => "canary",
    "HOLDUP_SERIES_LIMIT" => "1",
    "HOLDUP_PAIR_LIMIT" => "256",
    "HOLDUP_RING_SIZE" => "64",
    "HOLDUP_IGNORE_PATHS" => "/up, /jobs/*",
    "HOLDUP_QUEUE_HEADER" => "X-Q",
    "HOLDUP_CALLS" => "sql, HTTP",
    "HOLDUP_OPEN_UNITS" => "path=off",
    "HOLDUP_HOLD_SAMPLE" => "off",
    "HOLDUP_ON_FINISH_SAMPLE" => "0.5",
    "HOLDUP_ADD_FIGURES_TO" => "rails_log, sidekiq_log",
    "HOLDUP_SERVER_TIMING" => "always",
    "HOLDUP_BACKLOG" => "off",
    "HOLDUP_TICK_SECONDS" => "0.5",
    "HOLDUP_COLLECTOR" => "thread",
    "HOLDUP_LOG" => "off",
    "HOLDUP_JIT" => "mem_size=64,call_threshold=31",
    "HOLDUP_LIVE_THREADS" => "8",
    "HOLDUP_AUTOPILOT" => "p95=300ms threads=1..8",
    "HOLDUP_STATS_LOG" => "to=stdout,every=30,format=emf,sample=0.5,workers=1,namespace=Shop/Ruby",
    "HOLDUP_WEB_AUTH" => "ops:a:b",
    "HOLDUP_CAPTURE" => "stall > 50 ms",
    "HOLDUP_CAPTURE_SAMPLER" => "holdup",
    "HOLDUP_WEB_CAPTURE" => "yes",
    "HOLDUP_EXAMPLE_PATHS" => "on",
    "HOLDUP_SCALING" => "p95=300ms",
    "HOLDUP_KEEP_ADVICE" => "on",
    "HOLDUP_NOTIFY" => "slack=https://hooks.example/T1,stall=0.3",
    "HOLDUP_WEB_URL" => "https://shop.example/holdup",
    "HOLDUP_PRICES" => "vcpu=0.04,gb=0.005",
    "HOLDUP_PROMETHEUS" => "port=9395,bind=0.0.0.0,series=50,labels=app name",
    "HOLDUP_OPENTELEMETRY" => "endpoint=http://otel:4318,interval=30",
    "HOLDUP_REPEATED_QUERIES" => "10",
    "HOLDUP_STATSD" => "unix:///run/datadog/dsd.socket"
  }.freeze

  def test_every_key_reads_its_variable
    keys = Holdup::Configuration::KEYS.select(&:env)
    assert_empty ENVIRONMENT.keys - keys.map(&:env)
    keys.each do |key|
      text = ENVIRONMENT[key.env] || text_for(key, keys) or flunk "no text for #{key.env} in ENVIRONMENT"
      value = build({key.env => text}).public_send(key.name)
      assert_equal key.read(text), value, key.env
      refute_equal key.default, value, key.env
    end
  end

  def test_each_type_reads_its_text
    config = build(ENVIRONMENT)
    refute config.enabled
    refute config.backlog
    assert_equal [true, false], [config, build].map(&:keep_advice)
    assert_equal ["canary", 8], [config.arm, config.live_threads]
    assert_equal %i[sql http], config.calls
    assert_empty build("HOLDUP_CALLS" => "off").calls
    assert_equal [0, 25, 10], [config, build("HOLDUP_HOLD_SAMPLE" => "25"), build].map(&:hold_sample)
    assert_nil build { |draft| draft.hold_sample = nil }.hold_sample
    assert_equal [10, 0], [config, build].map(&:repeated_queries)
    assert_raises(Holdup::ConfigurationError) { build("HOLDUP_HOLD_SAMPLE" => "soon") }
    assert_raises(Holdup::ConfigurationError) { build("HOLDUP_CALLS" => "sql,ftp") }
    assert_equal [["/up", "/jobs/*"], :thread, 0.5],
      config.to_h.values_at(:ignore_paths, :collector, :tick_seconds)
    assert_equal({mem_size: 64, call_threshold: 31}, config.jit)
    assert_equal({to: :stdout, every: 30.0, format: :emf, sample: 0.5, workers: 1, namespace: "Shop/Ruby"},
      config.stats_log)
    assert_equal IO::NULL, config.log
    assert_equal({username: "ops", password: "a:b"}, config.web_auth)
    assert_equal ["stall > 50 ms", :holdup, true, true],
      [config.capture, config.capture_sampler, config.web_capture, config.example_paths]
  end

  def log_target(env = {}, log: $stderr)
    draft = Holdup::Configuration.draft
    draft.log = log
    Holdup::Configuration.log_target(env:, draft:)
  end

  def test_the_environment_says_where_messages_go
    assert_nil log_target({"HOLDUP_LOG" => "off"})
    assert_same $stderr, log_target({"HOLDUP_LOG" => "stderr"}, log: $stdout)
    assert_same $stdout, log_target(log: $stdout)
    assert_nil log_target(log: IO::NULL)
    assert_nil log_target({"HOLDUP_LOG" => "/dev/null"})
    assert_same $stdout, log_target({"HOLDUP_LOG" => "stdout"})
    assert_equal "/var/log/holdup.log", log_target({"HOLDUP_LOG" => "/var/log/holdup.log"})
    assert_equal "/var/log/holdup.log", log_target(log: "/var/log/holdup.log")
  end

  # Nothing stops for it.
  def test_a_log_that_is_named_wrongly_is_left_out
    env = {"HOLDUP_LOG" => "log/holdup.log", "HOLDUP_APP" => "shop"}
    assert_equal ["shop", $stderr], build(Holdup::Configuration.readable(env)).to_h.values_at(:app, :log)
    complaint = Holdup::Configuration.complaints(env).first
    assert_match(/\AHOLDUP_LOG can't be "log\/holdup.log"; give an IO,.*; it is left out\z/, complaint)
    fine = {"HOLDUP_LOG" => "/dev/null"}
    assert_same fine, Holdup::Configuration.readable(fine)
    assert_empty Holdup::Configuration.complaints(fine)
  end

  def test_messages_have_a_place_to_go_even_when_the_place_is_wrong
    assert_same $stdout, log_target({"HOLDUP_LOG" => "somewhere"}, log: $stdout)
  end

  def test_what_is_captured_by_itself
    assert_equal [nil, :off], [build.capture, build("HOLDUP_CAPTURE" => "off").capture]
    assert_equal({stall: "50 ms"}, build { |draft| draft.capture = {stall: "50 ms"} }.capture)
    assert_match(/give "stall > 50 ms"/,
      assert_raises(Holdup::ConfigurationError) { build("HOLDUP_CAPTURE" => "stall > 50") }.message)
  end

  def test_who_sees_the_dashboard
    assert_equal [nil, :none], [build.web_auth, build("HOLDUP_WEB_AUTH" => "none").web_auth]
    [:none, ->(_env) { true }, {username: "a", password: "b"}].each do |value|
      assert_equal [value], [build { |draft| draft.web_auth = value }.web_auth]
    end
    [:all, true, "a:b", {username: "a"}, {username: "a", password: ""},
      {username: "a", password: "b", realm: "c"}].each do |value|
      assert_raises(Holdup::ConfigurationError, value.inspect) { build { |draft| draft.web_auth = value } }
    end
  end

  def test_a_wrong_value_of_web_auth_is_not_repeated
    wrong = {user: "ops", password: "secret"}
    error = assert_raises(Holdup::ConfigurationError) { build { |draft| draft.web_auth = wrong } }
    assert_match(/\Aweb_auth can't be Hash; give/, error.message)
    error = assert_raises(Holdup::ConfigurationError) { build("HOLDUP_WEB_AUTH" => "secret") }
    refute_includes error.message, "secret"
  end

  def test_the_jit
    assert_equal [nil, :on, :off],
      [build, build("HOLDUP_JIT" => "on"), build("HOLDUP_JIT" => "OFF")].map(&:jit)
    [:on, :off, nil, {after: :boot, mem_size: 2048}, {stats: :quiet, stats_share: 1}].each do |value|
      assert_equal [value], [build { |draft| draft.jit = value }.jit]
    end
    assert_equal({stats: :quiet, stats_share: 0.25},
      build("HOLDUP_JIT" => "stats=quiet,stats_share=0.25").jit)
    %w[stats=1 stats_share=2 mem_size=1.5 stats=quiet,stats=quiet;].each do |text|
      assert_raises(Holdup::ConfigurationError, text) { build("HOLDUP_JIT" => text) }
    end
    [true, {after: :fork}, {mem_size: 0}, {mem_size: 4096}, {call_threshold: "30"}, {stats: true},
      {stats_share: 0}].each do |value|
      assert_raises(Holdup::ConfigurationError) { build { |draft| draft.jit = value } }
    end
  end

  def test_the_lines_of_statistics
    texts = {"stdout" => :stdout, "OFF" => :off, "/var/log/a=b.log" => "/var/log/a=b.log",
             "every=5" => {every: 5.0}}
    texts.each { |text, value| assert_equal value, build("HOLDUP_STATS_LOG" => text).stats_log }
    [nil, :stderr, $stdout, CollectedLog.new.tap { |log| log.define_singleton_method(:info) { |_| nil } },
      {sample: 1, workers: 2}].each do |value|
      assert_equal [value], [build { |draft| draft.stats_log = value }.stats_log]
    end
    [:file, "log/stats.log", 3, {to: "x"}, {every: 0.5}, {sample: 0}, {sample: 1.1}, {workers: 0},
      {format: :xml}, {namespace: "AWS/EC2"}, {cols: 1}].each do |value|
      assert_raises(Holdup::ConfigurationError, value.inspect) { build { |draft| draft.stats_log = value } }
    end
    %w[log/stats.log every=x every=5,every=6 to=stdout;every=5 workers=1.5 color=1 =].each do |text|
      assert_raises(Holdup::ConfigurationError, text) { build("HOLDUP_STATS_LOG" => text) }
    end
  end

  def test_prices
    assert_equal({vcpu: 0.04, gb: 0.005}, build("HOLDUP_PRICES" => "vcpu=0.04,gb=0.005").prices)
    assert_equal({gb: 0, vcpu: 1}, build { |draft| draft.prices = {gb: 0, vcpu: 1} }.prices)
    [{vcpu: 1}, {vcpu: 0, gb: 1}, {vcpu: 1, gb: -1}, {vcpu: "1", gb: 1}, {vcpu: 1, gb: 1, disk: 1},
      3].each do |value|
      assert_raises(Holdup::ConfigurationError, value.inspect) { build { |draft| draft.prices = value } }
    end
    %w[0.04 vcpu=x,gb=1 vcpu=1 vcpu=1,vcpu=2 =].each do |text|
      assert_raises(Holdup::ConfigurationError, text) { build("HOLDUP_PRICES" => text) }
    end
  end

  def test_every_wrong_value_is_refused_with_what_to_give
    wrong = {
      "ENABLED" => "maybe",
      "DIR" => "relative",
      "SERIES_LIMIT" => "0",
      "RING_SIZE" => "many",
      "TICK_SECONDS" => "-1",
      "IGNORE_PATHS" => "up",
      "COLLECTOR" => "cron",
      "LOG" => "syslog",
      "QUEUE_HEADER" => "a b",
      "STORE" => "x" * 2000,
      "ARM" => "x" * 61,
      "JIT" => "mem_size=64;threshold=3"
    }
    wrong.each do |name, value|
      error = assert_raises(Holdup::ConfigurationError, name) { build("HOLDUP_#{name}" => value) }
      assert_match(/\AHOLDUP_#{name} can't be .+; give .+/, error.message)
      assert_operator error.message.size, :<, 600
    end
  end

  def test_wrong_values_of_code_are_refused_by_their_key
    error = assert_raises(Holdup::ConfigurationError) { build { |draft| draft.series_limit = "200" } }
    assert_match(/\Aseries_limit can't be "200"; give a whole number from 1 to 10000/, error.message)
    assert_raises(Holdup::ConfigurationError) { build { |draft| draft.name = "GraphQL" } }
    assert_raises(Holdup::ConfigurationError) { build { |draft| draft.enabled = nil } }
    assert_raises(Holdup::ConfigurationError) { build { |draft| draft.log = 3 } }
    assert_raises(NoMethodError) { build { |draft| draft.serieslimit = 3 } }
  end

  def test_segment_folder_is_on_the_first_tmpfs_there_is
    assert_equal "/elsewhere", build { |draft| draft.dir = "/elsewhere" }.segment_dir
    assert_equal Holdup::Configuration::SegmentLocation.find(nil), build.segment_place
  end

  def test_ignored_paths
    ignored = build { |draft| draft.ignore_paths = ["/up", "/admin/*", /\.png\z/] }.ignored
    assert_equal %w[/up /admin/x /a.png], %w[/up /upper /x/up /admin/x /admin /a.png].grep(ignored)
    refute_match build { |draft| draft.ignore_paths = [] }.ignored, "/up"
  end

  def test_beginnings_of_ignored_paths_are_known_without_regexps
    found = [["/up", "/admin/*"], [], ["/up", /x/], ["/café"]].map do |paths|
      build { |draft| draft.ignore_paths = paths }.ignored_starts
    end
    assert_equal [%w[/up /admin/], [], nil, nil], found
  end
end
