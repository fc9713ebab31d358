# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "json"

class Holdup::Scaling::ScalingSignalTest < Minitest::Test
  include TemporaryFolder

  Signal = Holdup::Scaling::ScalingSignal
  WEB = {"app" => "shop", "server" => "puma", "threads" => 5, "revision" => "a"}.freeze
  JOBS = {"app" => "shop", "jobs" => "sidekiq", "job_threads" => 5}.freeze
  START_S = SampleWindows::START_S

  # Gives what a test says, once.
  class Capacity
    attr_accessor :answer
    attr_reader :closed, :hosts

    def poll(host)
      (@hosts ||= []) << host
      answer.tap { @answer = nil }
    end

    def close = @closed = true
  end

  def setup
    @clock = HandClock.new(realtime_ns: START_S * 1_000_000_000)
    def @clock.realtime_s = realtime_ns / 1_000_000_000
    @capacity = Capacity.new
    goal = Holdup::ConfigurationKeys::ScalingGoal.new(slo: "p95=300ms")
    @signal = Signal.new(goal, capacity: @capacity, dir: folder, clock: @clock)
  end

  # A commit, ten seconds after the one before.
  def commit(count = 0, setting: WEB, kind: :request, queued_ms: 5, samples: [], after_s: 10)
    @clock.realtime_ns += after_s * 1_000_000_000
    sample = SampleWindows.new(kind:, setting:)
    queued = Holdup::Histogram.of([queued_ms * 1_000_000] * count)
    windows = [sample.window("main", kind: :account),
      *(sample.window("A", count:, histograms: {queued:}) if count.positive?)]
    @signal.add(windows, samples)
  end

  # A minute and ten seconds at so many per second.
  def minute(rate, **options)
    7.times { commit(rate * 10, **options) }
  end

  def sample(setting = WEB, pid: 7, **facts)
    {host: "web-1", pid:, start: 1, at_s: @clock.realtime_s, setting: fingerprint(setting), **facts}
  end

  def fingerprint(setting) = Holdup::Setting.new(attributes: setting).fingerprint

  def shape(setting) = fingerprint(setting.except("revision"))

  def known(per_second, setting: WEB, kind: "request", processes: 1)
    role = setting.values_at("server", "jobs").compact.join("+")
    {app: "shop", role:, kind:, shape: shape(setting), per_second:, processes:, reason: nil}
  end

  def role(kind = :request) = @signal.roles.find { |one| one.role.kind == kind }

  def gauge(name) = @signal.gauges.find { |found, _, _| found == name }.last

  def test_load_against_capacity
    @capacity.answer = [known(40.0)]
    minute(20)
    found = role
    assert_equal [20.0, 40.0, 0.5, nil],
      [found.load_per_second, found.capacity_per_second, found.load_ratio, found.reason]
    assert_in_delta 0.005, found.queue_p95_seconds, 0.0002
    assert_equal({{app: "shop", role: "puma", kind: "request", host: "web-1"} => 0.5},
      gauge(:holdup_load_ratio))
    assert_equal %w[web-1], @capacity.hosts.uniq
  end

  def test_is_unknown_while_it_starts
    @capacity.answer = [known(40.0)]
    3.times { commit(200) }
    assert_equal [:starting, nil], [role.reason, role.load_ratio]
    assert_empty gauge(:holdup_load_ratio)
    assert_equal ["starting"], gauge(:holdup_load_ratio_unknown).keys.map { |labels| labels[:reason] }
  end

  def test_without_a_capacity_the_load_is_known_and_the_ratio_is_not
    minute(20)
    assert_equal [20.0, nil, nil, :no_capacity_yet],
      [role.load_per_second, role.capacity_per_second, role.load_ratio, role.reason]
  end

  def test_says_why_the_replay_has_no_answer
    @capacity.answer = [known(nil).merge(reason: "not_enough")]
    minute(20)
    assert_equal [:not_enough, nil], [role.reason, role.load_ratio]
  end

  def test_an_idle_service_has_no_ratio
    @capacity.answer = [known(40.0)]
    minute(20, samples: [sample])
    40.times { commit(0, samples: [sample]) }
    assert_equal [:idle, 0.0, nil, 40.0],
      [role.reason, role.load_per_second, role.load_ratio, role.capacity_per_second]
    assert_nil role.queue_p95_seconds
    refute_match(/NaN|Infinity/, @signal.document)
  end

  def test_one_request_in_minutes_is_little_load_but_not_none
    @capacity.answer = [known(40.0)]
    minute(20)
    25.times { commit(0) }
    commit(3)
    10.times { commit(0) }
    assert_operator role.load_per_second, :>, 0
    assert_nil role.reason
  end

  def test_a_role_without_processes_and_requests_is_gone
    minute(20, samples: [sample])
    40.times { commit(0) }
    assert_empty @signal.roles
  end

  def test_the_capacity_grows_with_the_processes
    @capacity.answer = [known(40.0, processes: 2)]
    minute(20)
    commit(200, samples: [1, 2, 3].map { |pid| sample(pid:) })
    assert_equal [60.0, 3], [role.capacity_per_second, role.processes]
    commit(200, samples: [sample(pid: 3, ended: true)])
    assert_equal 40.0, role.capacity_per_second
  end

  def test_a_release_keeps_the_capacity_and_another_setting_does_not
    @capacity.answer = [known(40.0)]
    released = WEB.merge("revision" => "b")
    minute(20, setting: released)
    commit(200, setting: released, samples: [sample(released)])
    assert_equal 0.5, role.load_ratio
    other = WEB.merge("threads" => 3)
    commit(200, setting: other)
    commit(200, setting: other, samples: [sample(other, pid: 8), sample(released, ended: true)])
    assert_equal :no_capacity_yet, role.reason
  end

  def test_an_earlier_capacity_lasts_while_there_is_no_newer_one
    @capacity.answer = [known(40.0)]
    minute(20)
    @capacity.answer = [known(nil).merge(reason: "not_enough")]
    commit(200)
    assert_equal 0.5, role.load_ratio
    @capacity.answer = [known(nil).merge(reason: "not_enough")]
    commit(200, after_s: Signal::CAPACITY_S)
    minute(20)
    assert_equal :not_enough, role.reason
  end

  def test_waiting_jobs_count_as_load_once_however_many_processes_report_them
    @capacity.answer = [known(10.0, setting: JOBS, kind: "job", processes: 2)]
    waiting = {"pool.0": "default", "pool.0.backlog": 600, "pool.1": "db primary", "pool.1.backlog": 9}
    minute(3, setting: JOBS, kind: :job)
    commit(30, setting: JOBS, kind: :job, samples: [1, 2].map { |pid| sample(JOBS, pid:, **waiting) })
    assert_equal [600, 0.5], [role(:job).backlog, role(:job).load_ratio]
  end

  def test_waiting_jobs_are_load_also_when_none_ends
    @capacity.answer = [known(10.0, setting: JOBS, kind: "job")]
    waiting = {"pool.0": "default", "pool.0.backlog": 600}
    40.times { commit(0, setting: JOBS, samples: [sample(JOBS, **waiting)]) }
    assert_equal [0.0, 0.2], [role(:job).load_per_second, role(:job).load_ratio]
  end

  def test_a_store_that_was_down_is_no_burst
    @capacity.answer = [known(40.0)]
    minute(20)
    commit(6000, after_s: 300)
    assert_equal 20.0, role.load_per_second
  end

  def test_a_clock_that_goes_back_starts_anew
    minute(20)
    commit(200, after_s: -30)
    commit(200)
    assert_equal [:starting, nil], [role.reason, role.load_per_second]
    minute(20)
    assert_equal 20.0, role.load_per_second
  end

  def test_the_document_is_for_programs_and_lies_in_the_folder
    @capacity.answer = [known(40.0)]
    minute(20)
    said = JSON.parse(@signal.document)
    assert_equal [1, "web-1", "p95=300ms", 300], said.values_at("schema", "host", "slo", "within_s")
    expected = {"app" => "shop", "role" => "puma", "kind" => "request", "load_per_second" => 20.0,
                "capacity_per_second" => 40.0, "load_ratio" => 0.5, "backlog" => nil, "reason" => nil}
    assert_equal expected, said["roles"].first.slice(*expected.keys)
    path = File.join(folder, Signal::FILE)
    assert_equal @signal.document, File.read(path)
    @signal.close
    refute_path_exists path
    assert @capacity.closed
  end
end
