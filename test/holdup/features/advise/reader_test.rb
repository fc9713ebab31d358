# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require_relative "../../../support/counted_arrivals"
require_relative "../../../support/learned"
require_relative "../../../support/played_store"

class Holdup::Advise::ReaderTest < Minitest::Test
  WEB = PlayedStore.new(PlayedRecording.new(minutes: 2))
  JOBS = PlayedStore.new(
    PlayedRecording.new(kind: :job, shapes: {"SyncJob" => [1.0, 5, 45, 6]}, rate: 5.0, minutes: 2,
      threads: 3), pid: 70
  )

  DAY_S = 86_400

  # Both have threads and processes, and one of them only is asked about.
  def test_levers_are_of_the_processes_that_take_such_units
    WEB.in_a_file(JOBS) do |path|
      store = Holdup::Store.open(path)
      servers = lambda do |kind|
        range = {from_s: WEB.from_s, to_s: WEB.to_s}
        inputs = Holdup::Advise::Reader.new(store, **range, kind:, objective: nil)
        inputs.lately.map { |sample| sample[:server] }.uniq
      end
      assert_equal [%w[puma], %w[sidekiq]], [servers.call(:request), servers.call(:job)]
      store.close
    end
  end

  def test_what_came_of_earlier_predictions_of_such_units_corrects_others
    store = Holdup::Store.open("memory:").tap { |one| WEB.fill(one) }
    ask = lambda do
      span = {from_s: WEB.from_s, to_s: WEB.to_s}
      Holdup::Advise::Reader.new(store, **span, kind: :request, objective: nil).recommendation.bias
    end
    store.keep(Learned.outcome(1.1, kind: :job))
    assert_predicate ask.call, :none?
    store.keep(Learned.outcome(1.1))
    assert_equal 1, ask.call.corrections.fetch(:p95).predictions
  end

  def test_reads_when_requests_came
    store = Holdup::Store.open("memory:").tap { |one| WEB.fill(one) }
    ask = lambda do
      span = {from_s: WEB.from_s, to_s: WEB.to_s}
      asked = {kind: :request, warm_up_s: 0, objective: Holdup::Advise::Sizing::Objective.new}
      found = Holdup::Advise::Reader.new(store, **span, **asked).recommendation
      [found.recording.arrival_times.any?, found.call.recording.arrivals]
    end
    assert_equal [false, :independent], ask.call, "of an older recording"
    units = store.unit_samples(WEB.from_s, WEB.to_s).to_a
    store.commit([], {}, arrivals: CountedArrivals.of(units))
    assert_equal [true, :recorded], ask.call
  end

  # A thousand hosts have millions of minutes in two days.
  def test_of_many_hosts_and_hours_reads_arrivals_of_some_minutes
    asked = []
    store = Holdup::Store.open("memory:").tap { |one| WEB.fill(one) }
    store.define_singleton_method(:arrivals) { |*span| super(*span).tap { asked << span } }
    most = Holdup::Advise::Reader::ArrivalQuery::MOST
    read = lambda do |hosts, hours|
      asked.clear
      Holdup::Advise::Reader::ArrivalQuery.call(store, 0, hours * 3600, hosts:)
      asked.sum { |from_s, to_s| (to_s - from_s) / 60 * hosts }
    end
    assert_equal 60, read.call(1, 1)
    assert_in_delta most, read.call(100, 48), 0.3 * most
  end

  # A job runner in a web server: both kinds of the same processes are read.
  one_ruby def test_requests_and_jobs_of_the_same_processes
    {request: [5, 3, %w[web default]], job: [3, 5, %w[default web]]}.each do |kind, (own, others, names)|
      found = mixed(kind:)
      assert_equal [[own, others], [others], names],
        [found.now.caps, found.now.concurrent_threads, found.recording.pools.names]
      assert_empty found.recording.warnings.keys - [:pool_bound]
      assert_operator found.self_test.errors[:utilisation].abs, :<, 0.05
      assert_equal others, found.limits.connections_of(found.now) - own
    end
  end

  # Their windows are read added up.
  one_ruby def test_many_hosts_give_the_same_as_few
    few, many = observed_on(8, 9)
    assert_equal [8, 9], [few.hosts, many.hosts]
    assert_in_delta few.units / 8.0, many.units / 9.0, 1e-6
    assert_in_delta few.demand.held_ns, many.demand.held_ns, 1
    assert_in_delta few.demand.idle_ns, many.demand.idle_ns, 1
    assert_in_delta few.measured.response_ns, many.measured.response_ns, 1
  end

  # The regression of memory needs some hosts, each of which stands for others.
  one_ruby def test_of_many_hosts_some_of_each_setting_are_counted
    store = Holdup::Store.open("memory:")
    played = PlayedRecording.new(minutes: 1)
    12.times { |index| PlayedStore.new(played, host: "web-#{index}").fill(store) }
    PlayedStore.new(played, host: "web-new", facts: {"revision" => "2"}).fill(store)
    asked = []
    store.define_singleton_method(:sums) do |*span, **options|
      asked << options[:hosts] if options[:by_host]
      super(*span, **options)
    end
    inputs = Holdup::Advise::Reader.new(store, from_s: WEB.from_s, to_s: WEB.to_s, kind: :request,
      objective: nil) { [:heap_counts] }
    assert_empty inputs.summary.heap_growth

    assert_equal [%w[web-0 web-10 web-2 web-4 web-6 web-8 web-new]], asked.uniq.map(&:sort)
  end

  # Five hosts have more five minutes in a day than eight have minutes in two hours.
  one_ruby def test_few_hosts_give_the_same_over_a_long_span
    alone, added_up = observed_on(1, 5, day: true)
    assert_equal [1, 5], [alone.hosts, added_up.hosts]
    assert_in_delta alone.units, added_up.units / 5.0, 1e-6
    assert_in_delta alone.demand.held_ns, added_up.demand.held_ns, 1
  end

  # Of a day five minutes are read, or hours if these would be very many; both have all units.
  def test_of_many_names_hours_are_read
    read = [1, 40].map do |names|
      store = Holdup::Store.open("memory:").tap { |one| WEB.fill(one) }
      repeat(store, WEB.from_s - DAY_S, names: Array.new(names) { |index| "Rare#more#{index}" })
      lengths = []
      store.define_singleton_method(:windows) do |*span, **options|
        lengths << options[:seconds] if options[:histograms] == []
        super(*span, **options)
      end
      inputs = Holdup::Advise::Reader.new(store, from_s: WEB.from_s - DAY_S, to_s: WEB.to_s,
        kind: :request, warm_up_s: 0, objective: nil)
      assert_equal inputs.summary.total.count, inputs.recordings.sum(&:units)
      lengths
    end
    assert_equal [[300], [3600]], read
  end

  # A second host takes as much as the first one, for the last third.
  one_ruby def test_a_host_that_began_late_has_no_part_in_the_time_before
    first, late = [[12, {}], [4, {host: "web-2", pid: 8}]].map do |minutes, options|
      from_s = WEB.from_s + (12 - minutes) * 60
      PlayedStore.new(PlayedRecording.new(minutes:, swing: 0.0), from_s:, booted_s: from_s, **options)
    end
    alone, both = [[first], [first, late]].map { |played| recommended(played, to_s: first.to_s) }
    assert_equal [1, 2], [alone.limits.hosts, both.limits.hosts]
    assert_in_epsilon alone.traffic.mean_rate, both.traffic.mean_rate, 0.01
    assert_in_epsilon alone.rate, both.rate, 0.01
    assert_in_delta alone.recording.measured.utilisation, both.recording.measured.utilisation, 0.01
    assert_operator both.self_test.errors.values.map(&:abs).max, :<, 0.05
  end

  # A deploy replaced all of them.
  def test_hosts_that_followed_each_other_are_not_counted_twice
    one, other = %w[old-1 new-1].each_with_index.map do |host, index|
      from_s = WEB.from_s + index * 360
      PlayedStore.new(PlayedRecording.new(minutes: 6, swing: 0.0), from_s:, booted_s: from_s, host:)
    end
    found = recommended([one, other], to_s: other.to_s)
    assert_equal 1, found.limits.hosts
    assert_in_delta 25, found.traffic.mean_rate, 1
  end

  # Measured in a demo: another application and its clients used 1.96 of 2 CPUs until this one booted, whose
  # first 25 requests came in the same interval: as if each of them took 4 s of CPU of others.
  def test_cpus_used_before_the_application_booted_are_not_used_for_its_requests
    found = recommended([JustBooted.new(PlayedRecording.new(minutes: 3, swing: 0.0))], to_s: WEB.to_s)
    assert_in_delta 0.1, found.limits.others.mean, 1e-6
    assert_operator found.limits.others.at(found.rate), :<, 2
    assert_nil found.self_test.refuted
  end

  # Two quiet minutes and a busy one, with a neighbour that uses a CPU all the time: three minutes do not show
  # that it does not work for the requests. As if it did, 16 could be served in a second, but 25 were.
  def test_a_neighbour_leaves_the_cpus_that_the_requests_used
    quiet = WithNeighbour.new(PlayedRecording.new(rate: 1.0, minutes: 2, swing: 0.0))
    busy = WithNeighbour.new(PlayedRecording.new(minutes: 1, swing: 0.0), from_s: quiet.to_s,
      booted_s: quiet.from_s - 3600)
    found = recommended([quiet, busy], to_s: busy.to_s)
    assert_in_delta 1.0, found.limits.others.mean, 1e-6
    assert_operator found.limits.others.at(25), :<, 2
    assert_nil found.self_test.refuted
  end

  # It uses a whole CPU.
  class WithNeighbour < PlayedStore
    private

    def samples
      [from_s, to_s].flat_map do |at_s|
        cpu_s = at_s - START_S
        [{at_s:, host: HOST, pid: 0, name: "container", vcpus: 2, cpu_ns: (1.3 * cpu_s * NS).round},
          process(at_s, 0).merge(cpu_ns: (0.3 * cpu_s * NS).round)]
      end
    end
  end
  private_constant :WithNeighbour

  # Of a server that booted two seconds before, in the same minute in which others used the CPUs.
  class JustBooted < PlayedStore
    BOOT_S = START_S + 48

    def initialize(recording)
      super(recording, from_s: BOOT_S + 2, booted_s: BOOT_S)
    end

    private

    # @return [Array<Hash{Symbol => Object}>] the server uses half a CPU, others a tenth after its boot
    def samples
      used_s = {START_S + 1 => 0, BOOT_S + 3 => 98, BOOT_S + 63 => 134, BOOT_S + 123 => 170}
      container = used_s.map do |at_s, cpu_s|
        {at_s:, host: HOST, pid: 0, name: "container", vcpus: 2, cpu_ns: cpu_s * NS, shared: true}
      end
      container + used_s.keys.drop(1).map { |at_s| process(at_s, 0).merge(cpu_ns: (at_s - BOOT_S) * NS / 2) }
    end
  end
  private_constant :JustBooted

  def recommended(played, to_s:)
    store = Holdup::Store.open("memory:")
    played.each { |one| one.fill(store) }
    Holdup::Advise::Reader.new(store, from_s: WEB.from_s, to_s:, kind: :request, warm_up_s: 0,
      objective: Holdup::Advise::Sizing::Objective.new).recommendation
  end

  # @param day [Boolean] whether the same was recorded a day before
  # @return [Array<Holdup::Advise::Sizing::Recording>] of so many hosts with the same recording
  def observed_on(*numbers, day: false)
    numbers.map do |hosts|
      store = Holdup::Store.open("memory:")
      played = PlayedRecording.new(minutes: 2)
      hosts.times { |index| PlayedStore.new(played, host: "web-#{index}").fill(store) }
      from_s = day ? WEB.from_s - DAY_S : WEB.from_s
      repeat(store, from_s) if day
      Holdup::Advise::Reader.new(store, from_s:, to_s: WEB.to_s, kind: :request, objective: nil)
        .recordings.first
    end
  end

  # @param names [Array<String>, nil] of requests that came as often as all others, each; nil: the same
  def repeat(store, from_s, names: nil)
    windows = store.windows(WEB.from_s, WEB.to_s, kinds: ([:request] if names)).map do |window|
      window.with(start_s: window.start_s - WEB.from_s + from_s)
    end
    renamed = names&.flat_map do |name|
      windows.map { |window| window.with(series: Holdup::Series.new(kind: :request, name:)) }
    end
    store.commit(renamed || windows, {})
  end

  # Too few to know what they are like: it says that only one kind was replayed.
  def test_does_not_replay_too_few_units_of_others
    found = mixed(rates: {request: 20.0, job: 0.05})
    assert_equal [[5], []], [found.now.caps, found.now.concurrent_threads]
    assert_includes found.recording.warnings.keys, :concurrent_units
  end

  def mixed(kind: :request, **options)
    played = PlayedStore.new(PlayedRecording.mixed(minutes: 4, **options))
    store = Holdup::Store.open("memory:").tap { |one| played.fill(one) }
    Holdup::Advise::Reader.new(store, from_s: played.from_s, to_s: played.to_s, kind:,
      objective: Holdup::Advise::Sizing::Objective.new).recommendation
  end
end
