# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Doctor::ServerChecksTest < Minitest::Test
  include DoctorHost

  def server(pid, measures: false, loaded: true, age_s: 3600, name: "puma", dir: nil)
    servers = Holdup::Doctor::Reader::RunningServers
    servers::RunningServer.new(pid:, name:, age_s:, loaded:, measures:, dir:)
  end

  def unmeasured(*servers)
    Holdup::Doctor::ServerChecks::UnmeasuredServers.call(host(servers:)).map { |finding|
      [finding.level,
        finding.key, finding.facts]
    }
  end

  def killers(**facts)
    profile = {"server" => "puma", "killer.name" => "puma_worker_killer",
               "killer.server" => "puma"}.merge(facts.to_h { |name, value| ["killer.#{name}", value] })
    Holdup::Doctor::ServerChecks::MemoryKillers.call(host(segments: [process(profile:),
      process(pid: 9, profile:)])).map { |finding| [finding.key, finding.facts] }
  end

  def test_how_far_away_redis_is
    near, far = [900_000, 25_000_000].map { |redis_rtt_ns|
      findings(segments: [process,
        process(gauges: {redis_rtt_ns:})]).find { |finding| finding.key.start_with?("redis") }
    }
    assert_equal [:ok, :redis], [near.level, near.key]
    assert_equal [:warn, :redis_slow, {rtt: 25.0, jobs: 40}], [far.level, far.key, far.facts]
    assert_empty troubles(segments: [process, process(alive: false, gauges: {redis_rtt_ns: 25_000_000})])
  end

  def test_servers_and_their_levers
    profile = {"server" => "puma", "pool.0" => "web", "lever.threads.value" => 5,
               "lever.threads.live" => true, "lever.threads.write" => "threads 5, 5",
               "lever.threads.where" => "config/puma.rb:3", "lever.preload.value" => false,
               "lever.preload.live" => false, "lever.preload.how" => "puma_preload"}
    workers = [1, 0].map { |worker| process(worker:, profile:) }
    shown = findings(segments: [*workers, process(profile: {"server" => "sidekiq"})]).select { |finding|
      finding.key.start_with?("server", "lever")
    }
    assert_equal %i[server_workers lever_where_live lever server], shown.map(&:key)
    assert_equal({server: "puma", processes: 2, workers: "0, 1"}, shown[0].facts)
    assert_equal ["threads", 5, "threads 5, 5", "config/puma.rb:3"],
      shown[1].facts.values_at(:name, :value, :write, :where)
    assert_equal ["sidekiq", 1], shown[3].facts.values_at(:server, :processes)
  end

  def test_finds_nothing_about_servers_that_measure
    assert_empty unmeasured(server(7), server(8, measures: true, dir: SOUND[:dir]), server(9, measures: true))
  end

  def test_names_servers_that_are_not_measured
    assert_equal [[:warn, :unmeasured_loaded, {server: "puma", pids: "11, 12"}]],
      unmeasured(server(12), server(11))
    assert_equal [[:warn, :unmeasured_without, {server: "sidekiq", pids: "13"}]],
      unmeasured(server(13, name: "sidekiq", loaded: false))
    assert_equal [[:warn, :unmeasured_starting, {server: "puma", pids: "14"}]],
      unmeasured(server(14, age_s: 3, loaded: false))
  end

  def test_names_the_folder_of_servers_that_measure_elsewhere
    assert_equal [[:ok, :measured_elsewhere, {dir: "/dev/shm/x", server: "puma", pids: "15"}]],
      unmeasured(server(15, measures: true, dir: "/dev/shm/x"))
  end

  def test_names_variables_that_no_setting_has
    here = Holdup::Doctor::ServerChecks::EnvironmentVariables.call(host(variables: %w[HOLDUP_TYPO],
      segments: [process(profile: {"variables.unknown" => "HOLDUP_ENABLE HOLDUP_TYPO"})]))
    assert_equal [[:variable_mistyped, {name: "HOLDUP_ENABLE", nearest: "HOLDUP_ENABLED"}],
      [:variable_unknown, {name: "HOLDUP_TYPO"}]],
      here.map { |finding| [finding.key, finding.facts] }
    assert_empty Holdup::Doctor::ServerChecks::EnvironmentVariables.call(host)
  end

  def test_names_methods_of_libraries_that_are_measured_by_notifications
    notified = {"notified" => "Adapter#log Store#instrument"}
    found = Holdup::Doctor::ServerChecks::UnhookedMethods.call(host(segments: [
      process(pid: 8, profile: notified), process(pid: 9)
    ]))
    expected = Holdup::Doctor::Checks::CheckResult.warn(:notified, methods: "Adapter#log, Store#instrument",
      pids: "8")
    assert_equal [expected], found
  end

  def test_names_methods_of_libraries_that_could_not_be_hooked
    unhooked = {"unhooked" => "Net::HTTP#request Redis::Client#process"}
    here = Holdup::Doctor::ServerChecks::UnhookedMethods.call(host(segments: [
      process(pid: 8, profile: unhooked), process(pid: 7, profile: unhooked), process(pid: 9)
    ]))
    facts = {methods: "Net::HTTP#request, Redis::Client#process", pids: "7, 8"}
    assert_equal [:unhooked], here.map(&:key)
    assert_equal :warn, here.first.level
    assert_equal facts, here.first.facts
  end

  def test_development_needs_no_jit_no_proxy_and_no_second_process
    setting = {"jit" => "off", "environment" => "development"}
    local = process(setting:, queued: 0)
    assert_empty troubles(segments: [local], machines: [machine])
    production = process(setting: setting.merge("environment" => "production"), queued: 0)
    assert_equal %i[jit_off queue_unknown ceiling],
      troubles(segments: [local, production], machines: [machine]).keys
  end

  def test_queue_time_without_a_header
    assert_equal({queue_unknown: :warn}, troubles(segments: [process(queued: 0)]))
    assert_empty troubles(segments: [process(queued: 0, requests: 3)])
  end

  def test_a_queue_header_that_is_too_coarse
    seconds = process(queued: 0, profile: {"queue.step_ms" => 1_000, "queue.header" => "X-Request-Start"})
    found = findings(segments: [seconds]).find { |finding| finding.key == :queue_in_seconds }
    assert_equal [:warn, {header: "X-Request-Start"}], [found&.level, found&.facts]
    tenths = process(queued: 0, profile: {"queue.step_ms" => 100, "queue.header" => "X-Begin"})
    assert_equal({queue_in_steps: :warn}, troubles(segments: [tenths, process(queued: 0)]))
  end

  def test_names_what_ends_processes
    who = {name: "puma_worker_killer", pids: "7, 9"}
    assert_equal [[:killer_all, {megabytes: 531.5, **who}], [:killer_every, {minutes: 360, **who}]],
      killers(of: "all", limit_bytes: 531_502_202, every_s: 21_600)
    assert_equal [[:killer, {megabytes: 300.0, **who}], [:killer_units, {units: 3072, **who}]],
      killers(of: "process", limit_bytes: 300_000_000, units: 3072)
    assert_equal [[:killer_every_seconds, {seconds: 20, **who}]], killers(every_s: 20)
    assert_equal [[:killer_every_seconds, {seconds: 90, **who}]], killers(every_s: 90)
    assert_empty killers(server: "unicorn", of: "process", limit_bytes: 5)
  end
end
