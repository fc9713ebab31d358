# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Analysis::MachineTest < Minitest::Test
  Machine = Holdup::Analysis::Machine
  # What its container's samples say: last values, rates in a second, and growth.
  Trail = Data.define(:last, :rates, :growth) do
    def initialize(last: {}, rates: {}, growth: {}) = super

    def [](key) = last[key]

    def rate(key) = rates[key]

    def grown(key) = growth[key]
  end
  Member = Data.define(:from_s, :to_s, :cpu_share, :requests) do
    def initialize(from_s: 0, to_s: 60, cpu_share: 0.5, requests: true) = super

    def takes? = requests

    def seconds = to_s - from_s
  end
  FULL = {last: {vcpus: 4.0, host_cpus: 8}, rates: {cpu_ns: 3.9, host_busy_ns: 7.5, steal_ns: 0.5}}.freeze

  def machine(members: [Member.new], vcpus: nil, **trail)
    Machine.new(host: "web-1", trail: (Trail.new(**trail) if trail.any?), members:, vcpus:)
  end

  def test_without_samples_of_the_container_nothing_is_known
    unknown = machine
    figures = %i[vcpus used cpu_share neighbours host_share stolen steal_share throttled_share throttled_ns
      memory_bytes memory_share ceiling collector_bytes]
    assert_empty figures.reject { |figure| unknown.public_send(figure).nil? }
    assert_in_delta 0, unknown.other_cpus
    assert_in_delta 2.0, machine(vcpus: 2.0).vcpus, 1e-9, "as somebody says"
  end

  def test_cpus_in_use_here_and_by_others
    found = machine(**FULL)
    assert_in_delta 0.975, found.cpu_share
    assert_in_delta 3.6, found.neighbours
    assert_in_delta 1.0, found.host_share
    assert_in_delta 0.0625, found.steal_share
    assert_in_delta 3.4, found.other_cpus, 1e-9, "one process takes half a CPU"
  end

  def test_neighbours_never_use_less_than_nothing
    found = machine(last: {}, rates: {cpu_ns: 2.0, host_busy_ns: 1.0})
    assert_in_delta 0, found.neighbours
    assert_in_delta 0, machine(members: [Member.new(cpu_share: 3.0)], rates: {cpu_ns: 2.0}).other_cpus
  end

  def test_throttling_is_a_share_of_the_periods
    assert_in_delta 0.25, machine(growth: {periods: 40, throttled_periods: 10}).throttled_share
    assert_nil machine(growth: {periods: 0, throttled_periods: 0}).throttled_share
  end

  def test_memory_without_what_can_be_given_back
    found = machine(last: {memory_bytes: 900, reclaimable_bytes: 100, memory_limit_bytes: 1000})
    assert_in_delta 0.8, found.memory_share
    assert_nil machine(last: {memory_bytes: 900}).memory_share
    assert_equal 900, machine(last: {memory_bytes: 900}).memory_bytes
  end

  # Two that follow each other are one at a time.
  def test_processes_are_those_at_the_same_time
    follow = [Member.new(to_s: 30), Member.new(from_s: 30)]
    beside = [Member.new, Member.new(from_s: 10, to_s: 50)]
    assert_equal 1, machine(members: follow).processes
    assert_equal 2, machine(members: beside).processes
    assert_equal 60, Machine.covered_s(beside)
    assert_in_delta 100 / 60.0, Machine.concurrent(beside)
    assert_equal 1, machine(members: []).processes
  end

  def test_children_that_take_no_requests_count_only_where_nobody_does
    child = Member.new(requests: false)
    assert_equal 1, machine(members: [Member.new, child, child]).processes
    assert_equal 2, machine(members: [child, child]).processes
  end

  def test_no_ceiling_where_too_little_was_seen_or_others_share_the_container
    assert machine(**FULL).ceiling
    assert_nil machine(members: [Member.new(to_s: 2)], **FULL).ceiling
    shared = {**FULL, last: {**FULL[:last], shared: true}}
    assert_nil machine(**shared).ceiling
  end

  def test_the_ceiling_is_that_of_the_time_in_which_requests_ran
    busy = machine(members: [Member.new, Member.new], **FULL)
    assert_equal busy.ceiling.processes, machine(**FULL).under_load(busy).ceiling.processes
    assert_equal 1, machine(**FULL).under_load(nil).ceiling.processes
  end

  def culprit(members: [Member.new(cpu_share: 0.2)], rates: {}, last: {})
    one = machine(members:, rates: {cpu_ns: 1.0, host_busy_ns: 1.0, steal_ns: 0.0, **rates},
      last: {vcpus: 4.0, host_cpus: 8, **last})
    Machine::CpuStarvation.new(one)
  end

  def test_who_uses_the_cpus_that_are_missing
    assert_nil culprit.culprit
    assert_equal :own, culprit(members: [Member.new(cpu_share: 3.9)], rates: {cpu_ns: 3.9}).culprit
    others = culprit(rates: {cpu_ns: 3.9})
    assert_equal :other_processes, others.culprit
    assert_in_delta 3.7, others.taken
    assert_equal :host, culprit(rates: {host_busy_ns: 7.9}).culprit
    assert_equal :steal, culprit(rates: {steal_ns: 0.5}).culprit
    assert_nil culprit(rates: {steal_ns: 0.01}).culprit, "a hundredth of a CPU"
  end
end
