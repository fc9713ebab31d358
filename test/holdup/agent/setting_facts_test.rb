# frozen_string_literal: true

require "test_helper"
require "holdup/agent/configuration"
require "holdup/model/setting"
require "holdup/agent/setting_facts"

class Holdup::SettingFactsTest < Minitest::Test
  def facts(env: {}, root: "/nowhere", **settings)
    configuration = Holdup::Configuration.build { |draft| settings.each { |key, value| draft[key] = value } }
    Holdup::SettingFacts.new(configuration:, env:, root:)
  end

  def test_has_the_ruby_in_a_steady_order
    known = facts.to_h
    assert_equal RUBY_VERSION, known["ruby"]
    assert_equal known.keys.sort, known.keys
  end

  def test_has_the_cpus_of_the_machine
    known = facts.to_h
    assert_operator known["cpus"], :>=, 1
    assert_operator known["vcpus"], :<=, known["cpus"]
  end

  def test_what_is_unknown_is_left_out
    refute(facts.to_h.value?(nil))
    refute facts.to_h.key?("malloc")
  end

  def test_the_environment_that_changes_results
    env = {
      "RUBY_GC_HEAP_INIT_SLOTS" => "9",
      "RUBY_GC_MALLOC_LIMIT" => "1",
      "LD_PRELOAD" => "/usr/lib/libjemalloc.so.2",
      "MALLOC_ARENA_MAX" => "2",
      "RUBY_THREAD_TIMESLICE" => "10",
      "RUBY_MN_THREADS" => "1",
      "RAILS_ENV" => "production"
    }
    known = facts(env:).to_h
    assert_equal "heap_init_slots=9 malloc_limit=1", known["gc"]
    assert_equal ["jemalloc", "2", "10", true, "production"],
      known.values_at("malloc", "malloc_arena_max", "time_slice_ms", "mn_threads", "environment")
  end

  def test_the_application_and_its_revision
    assert_equal %w[shop abc],
      facts(app: "shop", revision: "abc", env: {"GIT_COMMIT" => "other"}).to_h.values_at("app", "revision")
    assert_equal "other", facts(env: {"GIT_COMMIT" => "other"}).to_h["revision"]
  end

  def test_the_arm_of_an_experiment
    assert_equal "canary", facts(arm: "canary").to_h["arm"]
    refute facts.to_h.key?("arm")
  end

  def test_the_arm_that_a_worker_gets_after_its_master_has_read_the_configuration
    env = {"HOLDUP_ARM" => ""}
    known = facts(arm: "stable", env:)
    assert_equal "stable", known.to_h["arm"]
    env["HOLDUP_ARM"] = "canary"
    assert_equal "canary", known.to_h["arm"]
  end

  def test_the_servers_facts
    assert_equal ["puma", 5],
      facts.to_h(server: {"server" => "puma", "threads" => 5}).values_at("server", "threads")
  end

  def test_the_json_is_the_settings_own
    server = {"server" => "pu\"ma\\\n\u0007", "threads" => 5, "preload" => true, "quota" => 1.5}
    known = facts(app: "caf\u00e9")
    setting = Holdup::Setting.parse(known.to_json(server:))
    assert_equal known.to_h(server:), setting.attributes
  end

  def test_hostile_values_stay_valid_json_and_fit_the_segment
    env = 30.times.to_h { |number| ["RUBY_GC_X#{number}", "\xff\0\"" * 200] }
    json = facts(env:, app: "a" * 1000, arm: "\x01" * 60).to_json(server: {"server" => "\xff".b * 300})
    assert_kind_of Hash, Holdup::Setting.parse(json).attributes
    assert_operator json.bytesize, :<, 4096
  end

  def test_writes_it_without_loading_json_or_digest
    output = fresh_ruby(<<~RUBY, prelude: "")
      $LOAD_PATH.unshift(#{File.expand_path("../../../lib", __dir__).dump})
      require "holdup/agent/configuration"
      require "holdup/agent/setting_facts"
      Holdup::SettingFacts.new(configuration: Holdup::Configuration.build, env: ENV, root: "/").to_json
      p defined?(JSON), defined?(Digest)
    RUBY
    assert_equal "nil\nnil\n", output
  end
end
