# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require_relative "../../../support/played_fleet"

class Holdup::Fleet::ReaderTest < Minitest::Test
  def test_one_host
    played = PlayedFleet.new(hosts: 1)
    group = ask(played).groups.fetch(0)
    line = group.hosts.fetch(0)
    assert_equal ["-", "puma", :request], [group.app, group.role, group.kind]
    assert_equal ["web-1", played.units, 2, 10], [line.name, line.count, line.processes, line.threads]
    assert_in_delta PlayedFleet::UNITS_A_MINUTE / 60.0, line.per_second
    assert_in_delta 0.02, line.stalled_share, 0.001
    assert_in_delta 0.01, line.starved_share, 0.001
    assert_in_delta PlayedFleet::UNITS_A_MINUTE / 60.0 * 0.1 / 10, line.load, 0.0005
    refute_predicate group.outliers, :enough?
  end

  def test_two_hosts_with_a_revision_each_are_side_by_side
    fleet = ask(PlayedFleet.new(hosts: 2, revisions: {"web-2" => {0.. => "2.0"}}))
    assert_equal %w[web-1 web-2], fleet.hosts
    assert_equal 2, fleet.settings.size
    pair = fleet.side_by_side.fetch(0)
    assert_equal [["1.0", 1], ["2.0", 1]], pair.revisions.map { |line| [line.name, line.hosts] }
    assert_equal 1, fleet.side_by_side.size
  end

  def test_names_the_one_of_twenty_hosts_that_starves
    fleet = ask(PlayedFleet.new(starved: {"web-7" => 0.14}))
    group = fleet.groups.fetch(0)
    assert_equal %w[web-1 web-2 web-3], group.hosts.first(3).map(&:name)
    assert_equal ["web-20", 20], [group.hosts.last.name, group.hosts.size]
    assert_equal [["web-7", :starved_share]], group.outliers.to_a.map { |one| [one.host, one.figure] }
  end

  # The canary is compared with the others only while it ran.
  def test_a_canary_next_to_the_stable_revision
    played = PlayedFleet.new(hosts: 20, minutes: 20, revisions: {"web-3" => {12.. => "2.0"}})
    pair = ask(played).side_by_side.fetch(0)
    assert_equal [["1.0", 19], ["2.0", 1]], pair.revisions.map { |line| [line.name, line.hosts] }
    assert_equal played.from_s + 12 * 60, pair.from_s
    assert_equal [8 * 19, 8], pair.revisions.map { |line| line.count / PlayedFleet::UNITS_A_MINUTE }
  end

  def test_revisions_that_run_together_when_one_host_was_idle_in_the_last_step
    played = PlayedFleet.new(hosts: 2, minutes: 2, revisions: {"web-2" => {0.. => "2.0"}})
    store = played.store
    last = store.windows(played.from_s, played.to_s).find { |window| window.host == "web-1" }
    fleets = [1, 2].map do |minutes|
      at_s = played.to_s + (minutes - 1) * 60
      store.commit([last.with(start_s: at_s)], {})
      Holdup::Fleet::Reader.call(store, from_s: played.from_s, to_s: at_s + 60)
    end
    assert_equal([1, 0], fleets.map { |fleet| fleet.side_by_side.size })
  end

  # Both are seen in a minute or two of it.
  def test_a_rolling_restart_is_no_canary
    revisions = {"web-1" => {10.. => "2.0"}, "web-2" => {12.. => "2.0"}}
    fleet = ask(PlayedFleet.new(hosts: 2, minutes: 20, revisions:))
    assert_empty fleet.side_by_side
    assert_equal %w[1.0 2.0], fleet.groups.fetch(0).revisions.map(&:name)
  end

  def test_a_host_that_is_gone_has_no_processes
    lines = ask(PlayedFleet.new(hosts: 3, ended: ["web-2"])).groups.fetch(0).hosts
    assert_equal [false, true, false], lines.map(&:ended?)
    assert_nil lines[1].load
  end

  # The same of their processes, which count them too. `without`: minutes in which no process was recorded.
  def add_processes(store, played, without: [])
    windows = store.windows(played.from_s, played.to_s, kinds: [:request]).to_a
    known = windows.reject { |window| without.include?((window.start_s - played.from_s) / 60) }
    of_process = Holdup::Series.new(kind: :process, name: "worker 0")
    store.commit(known.map { |window| window.with(series: of_process) }, {})
  end

  # Reads only sums of these kinds.
  class WatchedStore < SimpleDelegator
    def kinds = @kinds ||= []

    def sums(*span, kinds:, **options)
      self.kinds.concat(kinds)
      super
    end
  end

  def test_processes_count_what_they_ran_where_that_is_one_kind_of_work
    played = PlayedFleet.new(hosts: 3, revisions: {"web-2" => {0.. => "2.0"}})
    store = WatchedStore.new(played.store)
    by_name = ask(played, store)
    store.kinds.clear
    add_processes(store, played)
    by_process = ask(played, store)
    assert_equal by_name.groups, by_process.groups
    assert_equal by_name.side_by_side, by_process.side_by_side
    assert_equal [:process], store.kinds.uniq
  end

  def test_names_count_where_processes_were_recorded_only_part_of_the_time_or_ran_jobs_too
    played = PlayedFleet.new(hosts: 2)
    partly = WatchedStore.new(played.store)
    add_processes(partly, played, without: [3])
    assert_equal [played.units] * 2, ask(played, partly).groups.fetch(0).hosts.map(&:count)
    both = WatchedStore.new(PlayedFleet.new(hosts: 2).store)
    add_processes(both, played)
    window = both.windows(played.from_s, played.to_s, kinds: [:request]).first
    both.commit([window.with(series: Holdup::Series.new(kind: :job, name: "Mail"))], {})
    assert_equal({request: 2 * played.units, job: window.count},
      ask(played, both).groups.to_h { |group| [group.kind, group.total.count] })
    assert_equal [[:request, :job, :overflow]] * 2, [partly, both].map { |store| store.kinds.uniq }
  end

  def test_requests_beyond_the_limit_of_names_are_counted
    played = PlayedFleet.new(hosts: 1)
    store = played.store
    window = store.windows(played.from_s, played.to_s).first
    overflow = window.with(series: Holdup::Series.new(kind: :overflow, name: "(series beyond the limit)"))
    store.commit([overflow], {})
    assert_equal played.units + window.count, ask(played, store).groups.fetch(0).total.count
  end

  def test_an_empty_store
    fleet = Holdup::Fleet::Reader.call(Holdup::Store.open("memory:"), from_s: 0, to_s: 3600)
    assert_predicate fleet, :empty?
    assert_empty fleet.groups
  end

  private

  def ask(played, store = played.store)
    Holdup::Fleet::Reader.call(store, from_s: played.from_s, to_s: played.to_s)
  end
end
