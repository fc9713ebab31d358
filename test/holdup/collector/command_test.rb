# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "etc"
require "json"
require_relative "../../support/played_store"

class Holdup::Collector::CommandTest < Minitest::Test
  include CommandLine

  def setup
    @dir = Dir.mktmpdir
    @segments = File.join(@dir, "segments")
    @store = File.join(@dir, "store.sqlite3")
  end

  def teardown
    @service&.close
    if @pid
      Process.kill("KILL", @pid)
      Process.wait(@pid)
    end
    FileUtils.rm_rf(@dir)
  end

  def collect(*options, now_s: Time.now.to_i)
    holdup("collect", "--dir", @segments, "--store", @store, *options, now_s:)
  end

  def stored
    said = holdup("report", "--store", @store, "--format", "json", now_s: Time.now.to_i + 60)
    JSON.parse(said.out).dig("totals", "count")
  end

  # A collector as systemd starts it, with the socket "notify".
  def spawn_service(error, *options, interval: "0.1", **environment)
    environment = {**OWN_LOAD_PATH, "NOTIFY_SOCKET" => File.join(@dir, "notify"), **environment}
    @pid = Process.spawn(environment.transform_keys(&:to_s), RbConfig.ruby, CommandLine::EXE, "collect",
      "--dir", @segments, "--store", @store, "--interval", interval, *options, err: error)
  end

  # @return [Process::Status]
  def terminated
    Process.kill("TERM", @pid)
    Process.wait2(@pid).last.tap { @pid = nil }
  end

  # Its name decides when a host begins: this one does at once.
  HOST_THAT_BEGINS = "web-244"

  one_ruby def test_keeps_advice_ready_where_it_is_asked_to
    played = PlayedStore.new(PlayedRecording.new(minutes: 10), from_s: (Time.now.to_i / 60 - 11) * 60)
    played.in_a_file { |path| FileUtils.cp(path, @store) }
    spawn_service(File::NULL, HOLDUP_KEEP_ADVICE: "true", HOLDUP_HOST: HOST_THAT_BEGINS)
    wait_until(WHOLE_RUN_S, every: 0.1) { advice_kept? || too_slow?(@pid) }
    said = holdup("advise", "--store", @store, "--since", "24h", now_s: Time.now.to_i).out
    assert_includes said, "kept in the store;"
    assert_match(/^CHANGE processes x threads/, said)
    assert_predicate terminated, :success?
  end

  # A process of the lowest priority may wait for a CPU for as long as other tests run.
  WHOLE_RUN_S = 3600
  # Of CPU: so many times what the advice takes.
  ENOUGH_S = 60

  # Whether the collector has had time enough: on a busy machine only its own CPU tells.
  def too_slow?(pid)
    cpu_s = Holdup::Lab::Child::ProcessTree.new(pid).cpu_seconds
    flunk "nothing after #{cpu_s.round} s of CPU" if cpu_s > ENOUGH_S
  end

  # Whether the store has the usual advice of a day.
  def advice_kept?
    span = Time.now.to_i - 86_400..Time.now.to_i
    asked = Holdup::Advise::AdviceQuestion.of(kind: :request, span:,
      objective: Holdup::Advise::Sizing::Objective.new)
    store = Holdup::Store.open(@store, read_only: true)
    results = Holdup::Queries::KeptResults::InStore.new(store, json: Holdup::Advise::AnswerJson)
    results.due_s(asked).positive?
  ensure
    store&.close
  end

  # A segment of a process that has ended.
  def write(units)
    minute_ago = (Time.now.to_i - 60) * 1_000_000_000
    writer = SegmentWriter.new(@segments, pid: 2**22 - 1, start: 1, now_ns: minute_ago)
    writer.setting = "{}"
    units.times { writer.record("A", wall: 5_000_000, running: 5_000_000, cpu_ns: 5_000_000) }
    writer.path
  end

  def test_once_carries_what_is_there
    path = write(7)
    assert_equal [0, "", ""], collect("--once").to_h.values
    assert_equal 7, stored
    refute_path_exists path
    assert_equal 0, collect("--once").status
    assert_equal 7, stored
  end

  def test_the_name_of_the_host_is_that_of_the_setting_else_of_the_pod
    env = {"POD_NAME" => "web-7d4b9", "HOLDUP_HOST" => ""}
    assert_equal "web-7d4b9", Holdup::Collector.host_name(nil, env)
    assert_equal "blue", Holdup::Collector.host_name("blue", env)
    assert_equal "x-1", Holdup::Collector.host_name(nil, {"K8S_POD_NAME" => "x-1", "POD_NAME" => ""})
    assert_equal Etc.uname[:nodename], Holdup::Collector.host_name(nil, {})
  end

  # A pod whose store is down, and the next one of the same disk.
  def test_a_spool
    write(7)
    environment = {"HOLDUP_SPOOL" => File.join(@dir, "spool"), "HOLDUP_HOST" => "blue"}
    good, @store = [@store, "/proc/nowhere/store.sqlite3"]
    said = holdup("collect", "--dir", @segments, "--store", @store, "--once", now_s: Time.now.to_i,
      env: environment)
    assert_equal 1, said.status
    assert_match(/segments stay in .*; copied into the spool: 1 \(\d+ kB, .*\.spool\)/, said.err)
    FileUtils.rm_rf(@segments)
    @store = good
    said = holdup("collect", "--dir", @segments, "--store", @store, "--once", now_s: Time.now.to_i,
      env: environment)
    assert_match(/requests and jobs delivered from the spool: 7, which a collector of blue kept at/, said.err)
    assert_equal 7, stored
  end

  def test_once_while_another_collector_runs
    FileUtils.mkdir_p(@segments)
    File.open(File.join(@segments, "collector.lock"), File::CREAT | File::RDWR) do |lock|
      lock.flock(File::LOCK_EX)
      said = collect("--once")
      assert_equal [0, "holdup: another collector carries these segments already\n"], [said.status, said.err]
    end
  end

  def test_once_says_what_is_wrong_and_keeps_the_segments
    path = write(3)
    File.write(@store, "this is no database" * 100)
    said = collect("--once")
    assert_equal [1, 1], [said.status, said.err.lines.size]
    assert_match(/\Aholdup: the file .* is not a store of Holdup .*;/, said.err)
    assert_path_exists path
  end

  def test_runs_until_a_signal
    path = write(5)
    error, input = IO.pipe
    mistyped = {**OWN_LOAD_PATH, "HOLDUP_STROE" => "/x"}
    pid = Process.spawn(mistyped, RbConfig.ruby, CommandLine::EXE, "collect", "--dir", @segments, "--store",
      @store, "--interval", "0.1", err: input)
    input.close
    assert_match(/holdup: carrying .* every 0\.1 s; Ctrl-C ends it/, error.gets)
    assert_match(/HOLDUP_STROE \(did you mean HOLDUP_STORE\?\)/, error.gets)
    wait_until { !File.exist?(path) }
    Process.kill("TERM", pid)
    assert_equal 0, Process.wait2(pid).last.exitstatus
    assert_equal 5, stored
    assert_equal ["holdup: the collector ends; everything was stored before\n"], error.readlines
  end

  def test_tells_systemd_how_it_is_from_start_to_end
    @service = ServiceSocket.new(File.join(@dir, "notify"))
    spawn_service(error = File.join(@dir, "error"), interval: "3600", WATCHDOG_USEC: "2000000")
    received = []
    wait_until { (received += @service.received).count("WATCHDOG=1") >= 3 }
    write(5)
    assert_equal 0, terminated.exitstatus
    received += @service.received
    assert_match(/\AREADY=1\nSTATUS=leading; live processes: 0; everything stored at [-\d]+ [:\d]+ UTC\z/,
      received.first)
    assert_equal "WATCHDOG=1", received[1]
    assert_match(/\ASTOPPING=1\nSTATUS=storing /, received.last)
    assert_equal 5, stored
    assert_equal "holdup: the collector ends; requests and jobs stored in its last round: 5\n",
      File.readlines(error).last
  end

  # Else systemd would start it again and again while the database is down.
  def test_a_store_that_fails_does_not_stop_the_watchdog
    write(3)
    File.write(@store, "this is no database" * 100)
    @service = ServiceSocket.new(File.join(@dir, "notify"))
    spawn_service(error = File.join(@dir, "error"), WATCHDOG_USEC: "1000000")
    received = []
    wait_until { (received += @service.received).count("WATCHDOG=1") >= 4 }
    assert_match(/\AREADY=1\nSTATUS=leading; .* is not a store of Holdup .*; segments are kept/,
      received.first)
    assert_equal 0, terminated.exitstatus
    assert_match(/the collector ends; its last round failed: .* for the next collector: 1$/,
      File.readlines(error).last)
  end

  # The server that started it speaks to systemd itself.
  def test_a_collector_beside_a_server_does_not_speak_for_it
    @service = ServiceSocket.new(File.join(@dir, "notify"))
    path = write(5)
    spawn_service(File::NULL, "--parent", Process.pid.to_s)
    wait_until { !File.exist?(path) }
    assert_equal 0, terminated.exitstatus
    assert_empty @service.received
  end

  def test_wrong_options
    assert_equal 2, collect("--interval", "0").status
    assert_equal 2, collect("--parent", "x").status
    said = holdup("collect", "--once", "--dir", @segments, "--store", "mongodb://x")
    assert_operator said.status, :positive?
    assert_match(/sqlite/, said.err)
  end
end
