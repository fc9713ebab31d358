# frozen_string_literal: true

require "test_helper"
require "holdup/agent/configuration"

class Holdup::ConfigurationKeys::SpellingTest < Minitest::Test
  Spelling = Holdup::ConfigurationKeys::Spelling
  Variables = Holdup::Configuration::Variables

  # What users write for a setting that they remember wrongly.
  MEANT = {
    "LOG_LEVEL" => "LOG", "LOGGER" => "LOG", "STORE_URL" => "STORE", "DATABASE_URL" => "STORE",
    "SPOOL_DIR" => "SPOOL", "SEGMENT_DIR" => "DIR", "DISABLED" => "ENABLED", "YJIT" => "JIT",
    "JIT_ENABLED" => "JIT",
    "PROMETHEUS_PORT" => "PROMETHEUS", "APP_NAME" => "APP", "REVISON" => "REVISION",
    "CAPTURE_SAMPLR" => "CAPTURE_SAMPLER", "SERIES_LIMITS" => "SERIES_LIMIT", "THREADS" => "LIVE_THREADS",
    "DRI" => "DIR"
  }.freeze

  def test_names_the_variable_that_was_meant
    MEANT.each { |given, meant| assert_equal "HOLDUP_#{meant}", Variables.nearest("HOLDUP_#{given}"), given }
  end

  def test_names_none_where_none_is_near
    %w[TYPO FOO WRONG REDIS_URL].each { |given| assert_nil Variables.nearest("HOLDUP_#{given}"), given }
  end

  def test_works_without_did_you_mean
    lib = File.expand_path("../../../../lib", __dir__)
    script = 'require "holdup/agent/configuration"; ' \
      "print Holdup::ConfigurationKeys::Spelling.nearest('log_level', %w[jit log stats_log])"
    command = [RbConfig.ruby, "--disable=gems,did_you_mean", "-I#{lib}", "-e", script]
    assert_equal "log", IO.popen([{"RUBYOPT" => nil}, *command], &:read)
  end

  def refusal(env: {}, **settings)
    assert_raises(Holdup::ConfigurationError, settings.inspect) do
      Holdup::Configuration.build(env:) { |draft| settings.each { |name, value| draft[name] = value } }
    end.message
  end

  OPTIONS = {
    jit: [{mem_sice: 64}, "mem_size"], stats_log: [{evry: 3}, "every"], prometheus: [{prot: 1}, "port"],
    opentelemetry: [{end_point: "x"}, "endpoint"], statsd: [{adress: "x"}, "address"],
    capture: [{stal: "50 ms"}, "stall"], prices: [{vcpus: 1}, "vcpu"], calls: [[:sqll], "sql"],
    autopilot: [{slo: {p95: "3ms"}, thraeds: 1..3}, "threads"], collector: [:proces, "process"],
    capture_sampler: [:hold_up, "holdup"]
  }.freeze

  def test_names_the_option_or_value_that_was_meant
    OPTIONS.each do |name, (value, meant)|
      assert_match(/did you mean #{meant}\?/, refusal(name => value), name)
    end
  end

  TEXTS = {
    "HOLDUP_JIT" => ["mem_sice=4", "mem_size"], "HOLDUP_ENABLED" => %w[ture true],
    "HOLDUP_COLLECTOR" => %w[tread thread], "HOLDUP_STATS_LOG" => ["to=stdout,evry=4", "every"],
    "HOLDUP_LOG" => %w[stder stderr], "HOLDUP_PROMETHEUS" => ["prt=3", "port"],
    "HOLDUP_CALLS" => ["sql,htp", "http"]
  }.freeze

  def test_also_of_the_environment
    TEXTS.each do |name, (text, meant)|
      assert_match(/#{name} can't be .*did you mean #{meant}\?/, refusal(env: {name => text}), name)
    end
  end

  def test_a_wrong_number_is_no_mistyped_word
    refute_includes refusal(series_limit: "200"), "did you mean"
    refute_includes refusal(env: {"HOLDUP_JIT" => "mem_size=many"}), "did you mean"
  end

  def test_a_password_is_not_repeated
    refute_includes refusal(web_auth: {user: "secret", password: ""}), "secret"
  end

  def test_a_mistyped_setting_in_a_block
    error = assert_raises(NoMethodError) { Holdup::Configuration.build { |draft| draft.serie_limit = 3 } }
    assert_match(/series_limit=/, error.detailed_message)
  end

  def test_a_mistyped_key_of_rails
    error = assert_raises(Holdup::ConfigurationError) do
      Holdup::Configuration.draft.set(:serie_limit, 3, source: "config.holdup")
    end
    assert_match(/config.holdup can't be :serie_limit; .*did you mean series_limit\?/, error.message)
  end
end
