# frozen_string_literal: true

require "test_helper"
require "holdup/agent/configuration"
require "holdup/agent/runtime"
require "holdup/agent/servers"
require "holdup/agent/servers/live_lever"
require "holdup/model/autopilot_folder"
require "json"

class Holdup::RuntimeTest < Minitest::Test
  MAIN_PID = Process.pid

  class Collector
    attr_reader :calls

    def initialize
      @calls = []
    end

    def start = @calls << :start

    def stop = @calls << :stop

    def let_go = @calls << :let_go

    def finish = @calls << :finish

    def before_fork = @calls << :before_fork

    def build(*, **) = self
  end

  def setup
    @root = Dir.mktmpdir
    @probe = RecordingProbe.new(enabled: false)
    @log = CollectedLog.new
    @collector = Collector.new
    @settings = {dir: @root, tick_seconds: 5}
    @runtime = runtime
  end

  def teardown
    @runtime.stop
    FileUtils.remove_entry(@root)
  end

  def runtime(env: {}, clock: Holdup::Clock.new, log: @log, **options)
    settings = lambda do
      Holdup::Configuration.build { |draft| @settings.each { |key, value| draft[key] = value } }
    end
    Holdup::Runtime.new(settings:, log:, env:, probe: @probe, collectors: @collector, clock:, **options)
  end

  def test_starts_once
    assert @runtime.start
    refute @runtime.start
    assert_predicate @runtime, :running?
    assert_equal [1, [:enable], [:start]], [@probe.opened.size, @probe.calls, @collector.calls]
  end

  def test_a_child_for_one_job_keeps_its_server_and_few_units_until_it_leaves
    @runtime.expect_brief_forks
    serve({"jobs" => "resque"}, name: "resque", pool_of: ->(_queue) { "queues mails" })
    child = in_child do
      found = [@probe.opened.map { |values| values[2] }, @runtime.pool_of("mails")]
      @runtime.leave("resque")
      [*found, @runtime.running?, @probe.calls.last]
    end
    assert_equal [[4096, 64], "queues mails", false, :close], child
    assert_predicate @runtime, :running?
  end

  def test_stop_ticks_a_last_time_and_closes_the_segment
    @runtime.start
    wait_until { @probe.ticks.size == 1 }
    @runtime.stop
    assert_equal [2, %i[enable disable close], %i[start stop]],
      [@probe.ticks.size, @probe.calls, @collector.calls]
    @runtime.stop
    refute_predicate @runtime, :running?
  end

  def test_off_means_off
    @settings[:enabled] = false
    refute @runtime.start
    assert_empty @probe.opened
    assert_empty @collector.calls
  end

  def served(worker:, generation: 0)
    Holdup::Servers::Identity.new(name: "puma", worker:, generation:)
  end

  def test_says_once_that_it_measures_and_how_to_switch_it_off
    2.times do
      @runtime.start
      @runtime.stop
    end
    line = "measuring this process (pid #{Process.pid}) into #{@root}; `holdup report` shows it, " \
      "HOLDUP_ENABLED=false switches it off"
    assert_equal [line], @log.infos
  end

  def test_says_by_what_server_the_process_is_run
    @runtime.wait_for_server
    assert_empty @log.infos
    @runtime.serve(served(worker: 0))
    assert_match(/\Ameasuring puma \(worker 0, pid \d+\) into /, @log.infos.first)
  end

  def test_only_the_first_worker_says_that_it_measures
    [{worker: 1}, {worker: 0, generation: 1}].each do |place|
      other = runtime
      other.serve(served(**place))
      other.stop
      assert_empty @log.infos, place.inspect
    end
  end

  def test_a_job_runner_that_is_ready_before_its_web_server_leaves_the_line_at_boot_to_it
    @runtime.wait_for_server("puma")
    serve({"jobs" => "good_job"}, name: "good_job")
    assert_predicate @runtime, :running?
    assert_empty @log.infos
    2.times { serve({"server" => "puma"}, worker: 0) }
    assert_equal 1, @log.infos.size
    assert_match(/\Ameasuring puma\+good_job \(worker 0, pid \d+\) into /, @log.infos.first)
  end

  def test_a_job_runner_that_a_web_server_forks_says_that_it_measures
    @runtime.wait_for_server("puma")
    assert_match(/\Ameasuring solid_queue \(worker 0, pid \d+\) into /, said_by_forked_runner)
    serve({"server" => "puma"})
    assert_match(/\Ameasuring solid_queue \(worker 0, pid \d+\) into /, said_by_forked_runner)
  end

  def said_by_forked_runner
    in_child do
      @runtime.wait_for_server("solid_queue")
      serve({"jobs" => "solid_queue"}, name: "solid_queue", worker: 0)
      @log.infos.last
    end
  end

  def test_a_worker_that_replaces_another_is_silent
    clock = HandClock.new
    @runtime = runtime(clock:)
    @runtime.wait_for_server
    said = [0, 60].map do |later_s|
      clock.monotonic_ns += later_s * 1_000_000_000
      in_child do
        @runtime.serve(served(worker: 0))
        @log.infos.size
      end
    end
    assert_equal [1, 0], said
  end

  def test_says_once_that_it_does_not_measure_and_why
    @settings[:enabled] = false
    2.times { @runtime.start }
    assert_equal ["not measuring: HOLDUP_ENABLED or config.enabled is false; HOLDUP_ENABLED=true measures"],
      @log.infos
  end

  def test_only_the_first_worker_that_loads_the_application_says_that_it_does_not_measure
    @settings[:enabled] = false
    said = [0, 1, nil].map do |index|
      log = CollectedLog.new
      runtime(worker: -> { index }, log:).start
      log.infos.size
    end
    assert_equal [1, 0, 1], said
  end

  def test_a_wrong_setting_is_the_only_reason_given
    @settings[:series_limit] = 0
    2.times { refute @runtime.start }
    assert_match(/\Anot measuring: series_limit can't be 0/, @log.lines.first)
    assert_equal 1, @log.lines.size
    assert_empty @log.infos
  end

  def test_warns_once_of_variables_that_no_setting_has
    mistaken = runtime(env: {"HOLDUP_ENABLE" => "0", "HOLDUP_DIR" => "/x"})
    mistaken.start
    assert_match(/\Ano such setting, so it has no effect: HOLDUP_ENABLE \(did you mean HOLDUP_ENABLED\?\);/,
      @log.lines.first)
    mistaken.stop
    mistaken.start
    assert_equal 1, @log.lines.size
    assert_equal "HOLDUP_ENABLE", JSON.parse(@probe.profiles.last)["variables.unknown"]
  ensure
    mistaken&.stop
  end

  def test_warns_once_without_a_probe
    @probe.supported = false
    2.times { refute @runtime.start }
    assert_equal ["nothing to measure with"], @log.lines
  end

  # Where nothing is measured, Ruby's own methods stay as they are: it may have no `Process._fork`.
  def test_hooks_no_fork_without_a_probe
    @probe.supported = false
    before = Process.method(:_fork)
    @runtime.start
    assert_equal before, Process.method(:_fork)
  end

  def test_warns_of_a_segment_that_can_not_be_made_and_does_not_run
    @probe.refusal = ->(*) { Errno::EACCES.new("/dev/shm/x") }
    refute @runtime.start
    refute_predicate @runtime, :running?
    assert_empty @probe.calls
    assert_match(/start failed.*Permission denied/, @log.lines.first)
  end

  def test_the_setting_is_there_before_the_first_unit_and_written_again_when_it_changes
    @runtime.start
    wait_until { @probe.ticks.size == 1 }
    assert_match(/"ruby":"#{RUBY_VERSION}"/o, @probe.settings.first)
    assert_equal 1, @probe.settings.size
  end

  def test_labels_threads_by_name_without_their_numbers
    names = ["puma srv tp 001", "worker-7", "sidekiq", "falcon (C=1/1 L=0.2)", "dispatcher-7fd0#{"a1" * 8}",
      "", nil]
    stop = Queue.new
    threads = names.map { |name| Thread.new { stop.pop }.tap { |thread| thread.name = name if name } }
    @runtime.start
    wait_until { (threads - @probe.labels.keys).empty? }
    labels = threads.map { |thread| @probe.labels[thread] }
    assert_equal ["puma srv tp", "worker", "sidekiq", "falcon", "dispatcher", "(unnamed)", "(unnamed)"],
      labels.map { |label| label.delete_prefix("thread:") }
    assert_equal "main", @probe.labels[Thread.main]
  ensure
    stop&.close
    threads&.each(&:join)
  end

  # A thread may be named by any bytes; a part of a tick that fails keeps the others from nothing.
  def test_a_failing_part_of_a_tick_does_not_stop_the_others
    stop = Queue.new
    thread = Thread.new { stop.pop }.tap { |one| one.name = "bad \xFF-12" }
    serve({"server" => "puma"}, pools: -> { @broken ? raise("no pools") : [] })
    wait_until { @probe.labels[thread] == "thread:bad ?" }
    @broken = true
    @runtime.stop
    assert_equal [nil], @probe.ticks.last.uniq
    assert_includes @probe.calls, :close
  ensure
    stop&.close
    thread&.join
  end

  def test_a_profile_that_is_too_long_lacks_its_end
    levers = Array.new(40) do |index|
      Holdup::Lever.new(name: "lever#{index}", value: index, write: "設定" * 60)
    end
    serve({"server" => "puma"}, levers: -> { levers })
    profile = @probe.profiles.last
    assert_operator profile.bytesize, :<=, Holdup::Segment::Layout::PROFILE_BYTES
    assert_equal 0, JSON.parse(profile)["lever.lever0.value"]
  end

  def test_waits_for_the_server
    @runtime.wait_for_server
    refute @runtime.start
    serve({"server" => "puma", "threads" => 5}, worker: 2)
    assert_equal 2, @probe.opened.first[3]
    assert_match(/"server":"puma"/, @probe.settings.first)
    assert_match(/"threads":5/, @probe.settings.first)
  end

  def serve(facts, name: "puma", **options)
    @runtime.serve(Holdup::Servers::Identity.new(name:, facts:, **options))
  end

  def test_a_server_that_comes_after_the_start_keeps_the_segment
    @runtime.start
    serve({}, worker: 0, generation: 3)
    assert_equal [nil], @probe.opened.map { |values| values[3] }
    assert_equal [[0, 3]], @probe.identified
  end

  # A worker that is born during an experiment changes its threads, and says so at once.
  def test_a_server_that_changes_while_the_session_opens_has_one_session
    served = false
    changing = Object.new.extend(Holdup::Runtime::Resource)
    changing.define_singleton_method(:install) do
      next if served
      served = true
      nested.call
    end
    changing.define_singleton_method(:nested) { @nested }
    changing.instance_variable_set(:@nested, -> { serve({"server" => "puma", "threads" => 3}) })
    @runtime.add(changing)
    serve({"server" => "puma", "threads" => 5})
    assert_equal 1, @probe.opened.size
    assert_equal 3, JSON.parse(@probe.settings.last)["threads"]
    assert_equal 1, Thread.list.count { |thread| thread.name == "holdup" }
  end

  # It has no requests of its own that could be watched.
  def test_sets_what_a_plan_says_in_a_process_that_measures_nothing
    @settings = {dir: @root, tick_seconds: 0.1, autopilot: {slo: {p95: "1s"}, processes: 1..4}}
    @runtime = runtime
    lease = Holdup::PlanLease.new(leased_s: Time.now.to_i, lease_s: 600)
    plan = Holdup::ExperimentPlan.new(id: "k3f9", lever: "processes", values: [2, 3], turns: nil, lease:,
      by: "x", why: "y")
    Holdup::AutopilotFolder.new(@root).kept_file.write(plan)
    values = Queue.new
    lever = Object.new.extend(Holdup::Servers::LiveLever)
    {name: "processes", configured: 2, install: nil, share: nil, settled?: true}.each do |name, value|
      lever.define_singleton_method(name) { value }
    end
    lever.define_singleton_method(:set) { |value| values << value }
    @runtime.follow_plans { lever }
    assert_equal 3, values.pop(timeout: 60)
    assert_empty @log.lines
  end

  # Puma's master, for what only it can change.
  def test_follows_plans_in_a_process_that_measures_nothing
    @settings = {dir: @root, tick_seconds: 0.1}
    @runtime = runtime
    looks = Queue.new
    lever = Object.new.extend(Holdup::Servers::LiveLever)
    lever.define_singleton_method(:name) { "processes" }
    %i[install share].each { |step| lever.define_singleton_method(step) { looks << step } }
    folders = []
    ticker = @runtime.follow_plans do |settings|
      folders << settings.segment_dir
      lever
    end
    assert_equal [@root], folders
    assert_equal %i[install share], Array.new(2) { looks.pop(timeout: 60) }
    refute_predicate @runtime, :running?
    assert_predicate ticker, :alive?
    @runtime.let_go
    wait_until { !ticker.alive? }
    assert_nil(@runtime.follow_plans {})
    @settings = {dir: @root, enabled: false}
    assert_nil(@runtime.follow_plans { flunk })
  end

  def test_let_go_our_threads_end_and_come_back_when_the_process_serves_again
    before = Thread.list
    serve({}, worker: 0)
    @runtime.let_go
    wait_until { (Thread.list - before).empty? }
    assert_predicate @runtime, :running?
    serve({}, worker: 0)
    assert_equal ["holdup"], (Thread.list - before).map(&:name)
    assert_equal 1, @probe.opened.size
  end

  def test_a_job_runner_shares_the_process_of_its_server
    levers = -> { [Holdup::Lever.new(name: "concurrency", value: 2, write: "config.concurrency = 2")] }
    serve({"server" => "puma"}, worker: 1, pools: -> { [Holdup::Servers::Pool.new(name: "web", max: 3)] })
    serve({"jobs" => "sidekiq"}, name: "sidekiq", levers:,
      pools: -> { [Holdup::Servers::Pool.new(name: "default", max: 2)] })
    assert_empty @log.lines
    assert_equal [1, 0], @probe.identified.last
    setting = JSON.parse(@probe.settings.last)
    profile = JSON.parse(@probe.profiles.last)
    assert_equal %w[puma sidekiq], setting.values_at("server", "jobs")
    assert_equal ["puma+sidekiq", "web", "default", 2],
      profile.values_at("server", "pool.0", "pool.1", "lever.concurrency.value")
  end

  Connections = Struct.new(:facts, :pools) do
    def install = nil

    def gauges = {connections_kept_ns: 77}

    def profile = {}
  end

  def test_records_a_resource_with_the_server_and_in_its_children
    @runtime.add(Connections.new({"db_pool" => 5}, [Holdup::Servers::Pool.new(name: "db primary", max: 5)]))
    refute_predicate @runtime, :running?
    serve({"server" => "puma"}, pools: -> { [Holdup::Servers::Pool.new(name: "web", max: 3)] })
    assert_equal ["puma", 5], JSON.parse(@probe.settings.last).values_at("server", "db_pool")
    assert_equal ["puma", "web", "db primary"],
      JSON.parse(@probe.profiles.last).values_at("server", "pool.0", "pool.1")
    wait_until { @probe.ticks.last&.fetch(Holdup::Segment::Layout::GAUGES.index(:connections_kept_ns)) == 77 }
    assert_equal "db primary", in_child { JSON.parse(@probe.profiles.last)["pool.0"] }
  end

  def test_who_knows_the_pool_of_a_job_is_asked_until_it_leaves
    serve({"server" => "puma"})
    serve({"jobs" => "good_job"}, name: "good_job", pool_of: ->(queue) { "queues #{queue}" if queue })
    assert_equal ["queues mails", nil], [@runtime.pool_of("mails"), @runtime.pool_of(nil)]
    @runtime.leave("good_job")
    assert_nil @runtime.pool_of("mails")
  end

  def test_a_job_runner_that_ends_leaves_the_process_to_its_server
    serve({"server" => "puma"})
    serve({"jobs" => "sidekiq"}, name: "sidekiq")
    @runtime.leave("sidekiq")
    assert_equal ["puma", nil], JSON.parse(@probe.settings.last).values_at("server", "jobs")
    assert_predicate @runtime, :running?
  end

  def test_measuring_ends_with_the_last_of_them_until_there_is_another
    serve({}, name: "sidekiq")
    @runtime.leave("puma")
    assert_predicate @runtime, :running?
    @runtime.leave("sidekiq")
    refute_predicate @runtime, :running?
    refute @runtime.start
    serve({})
    assert_equal %i[enable disable close enable], @probe.calls
  end

  def test_the_collector_of_a_waiting_master
    @runtime.wait_for_server
    2.times { @runtime.start_collector }
    assert_equal [:start], @collector.calls
    @runtime.stop_collector
    assert_equal %i[start stop], @collector.calls
  end

  def test_a_collector_is_ended_before_the_process_becomes_another_program
    @runtime.start_collector
    2.times { @runtime.end_collector }
    @runtime.stop
    assert_equal %i[start finish], @collector.calls
  end

  def test_a_child_of_a_measuring_process_measures_for_itself
    @runtime.start
    child = in_child { [@runtime.running?, @probe.calls, @probe.opened.last[4], @collector.calls] }
    assert_equal [true, %i[enable after_fork enable], 1, %i[start before_fork]], child
    assert_equal [1, [:enable]], [@probe.opened.size, @probe.calls]
  end

  def test_a_child_of_a_worker_has_no_worker_index
    serve({"server" => "puma"}, worker: 3)
    assert_equal([3, nil], in_child { @probe.opened.map { |values| values[3] } })
  end

  def test_a_child_is_what_its_parent_was_until_it_is_something_itself
    serve({"jobs" => "solid_queue"}, name: "solid_queue")
    settings = in_child do
      serve({"server" => "puma"})
      @probe.settings.last(2).map { |json| JSON.parse(json).values_at("server", "jobs") }
    end
    assert_equal [[nil, "solid_queue"], ["puma", nil]], settings
  end

  def test_a_child_of_a_waiting_master_waits_too
    @runtime.wait_for_server
    child = in_child do
      before = @runtime.running?
      serve({}, worker: 1)
      [before, @runtime.running?, @probe.opened.first[3]]
    end
    assert_equal [false, true, 1], child
  end

  def test_a_helper_that_a_measuring_server_forks_waits_and_its_children_too
    serve({}, worker: 1)
    grandchild = @runtime.wait_in_forks do
      in_child {
        [@runtime.running?, in_child { [@runtime.running?, serve({}, worker: 2), @runtime.running?] }]
      }
    end
    assert_equal [false, [false, true, true]], grandchild
    assert_predicate @runtime, :running?
    assert_equal true, in_child { @runtime.running? }
  end

  def test_no_thread_of_ours_is_there_when_a_server_forks_its_helper
    serve({}, worker: 1)
    threads = @runtime.wait_in_forks { Thread.list.map(&:name) }
    refute_includes threads, "holdup"
    ticks = @probe.ticks.size
    wait_until { @probe.ticks.size > ticks } # a new one
  end

  def test_waiting_again_leaves_the_collector_alone
    @runtime.wait_for_server
    @runtime.start_collector
    @runtime.wait_for_server
    assert_equal [:start], @collector.calls
  end

  def test_a_child_of_a_stopped_process_does_nothing
    @runtime.start
    @runtime.stop
    assert_equal([false, %i[enable disable close after_fork]], in_child { [@runtime.running?, @probe.calls] })
  end

  # CRuby 3.4 can lose a child inside of fork, with and without Holdup (docs/guide/fork-safety.md): another
  # one is forked then.
  def in_child(&)
    3.times do
      pid, reader = forked(&)
      text = reader.read if reader.wait_readable(patience_s)
      Process.kill(:KILL, pid) unless text
      Process.wait(pid)
      return Marshal.load(text) if text
    end
    flunk "no child came out of fork"
  end

  # A child of a child is given up first.
  def patience_s = (Process.pid == MAIN_PID) ? 40 : 10

  def forked
    reader, writer = IO.pipe
    pid = fork do
      writer.write(Marshal.dump(yield))
      writer.close
      exit!(0)
    end
    writer.close
    [pid, reader]
  end
end
