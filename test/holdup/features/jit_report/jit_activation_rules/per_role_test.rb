# frozen_string_literal: true

require "test_helper"
require_relative "../../../../support/jit_situations"

class Holdup::JitReport::JitActivationRules::PerRoleTest < Minitest::Test
  include JitSituations

  RULE = Holdup::JitReport::JitActivationRules::PerRole

  WEB = {"server" => "puma"}.freeze
  JOBS = {"server" => nil, "jobs" => "sidekiq", "workers" => nil, "preload" => nil}.freeze

  def roles(web: {}, jobs: {})
    @settings = [jit_setting(**WEB), jit_setting(**JOBS)]
    [life(0, setting: @settings.first.fingerprint, **web),
      life(1, name: "pid 5", server: "sidekiq", host: "job-1", setting: @settings.last.fingerprint, **jobs)]
  end

  def found(*lives)
    advise(RULE, *lives, settings: @settings)
  end

  def test_jobs_are_short_of_memory
    short = found(*roles, container(used: 0.9, host: "job-1"), container(used: 0.5))
    assert_equal ["sidekiq", (32 * JitSamples::MIB * 1.3).round, 250 * JitSamples::MIB, "HOLDUP_JIT=off"],
      [*short.facts.values_at(:server, :memory_bytes, :rss_bytes), short.change.new]
    killer = {"killer.name": "sidekiqswarm", "killer.server": "sidekiq", "killer.of": "process",
              "killer.limit_bytes": 255 * JitSamples::MIB}
    assert_equal "sidekiq", found(*roles(jobs: killer)).facts[:server]
  end

  def test_silent
    assert_nil found(*roles)
    assert_nil found(*roles, container(used: 0.9, host: "job-1"), container(used: 0.9)), "both are"
    assert_nil found(*roles(jobs: {base: JitSamples::OFF}), container(used: 0.9, host: "job-1")),
      "it is off there"
    assert_nil found(roles.last, container(used: 0.9, host: "job-1")), "there is no web server"
  end
end
