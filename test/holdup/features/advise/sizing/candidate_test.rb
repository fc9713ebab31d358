# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Advise::Sizing::CandidateTest < Minitest::Test
  Candidate = Holdup::Advise::Sizing::Candidate

  def test_threads_of_each_pool_the_sized_one_first
    jobs = candidate(threads: 10, other_threads: [2, 3])
    assert_equal [5, 2, 3], jobs.caps
    assert_equal [4], candidate(threads: 4).caps
  end

  # Threads for jobs in a Puma take no requests.
  def test_threads_that_take_the_sized_kind
    assert_equal 5, candidate(threads: 8, other_threads: [3], concurrent_threads: [3]).own_threads
  end

  def test_each_thread_may_have_a_connection
    assert_equal 2 * (5 + 1), candidate(io_threads: 1).slots
    apart = candidate(pool: candidate(processes: 1, threads: 3))
    assert_equal 2 * 5 + 3, apart.slots
    assert_equal [[2, 5], [1, 3]], apart.groups.map { |group| [group.processes, group.threads] }
  end

  def test_processes_are_shared_where_another_pool_has_threads
    refute_predicate candidate, :shared?
    assert_predicate candidate(pool: candidate(other_threads: [2])), :shared?
  end

  def test_what_has_to_change
    assert_equal %i[processes threads], candidate.differences(candidate(processes: 3, threads: 4))
    assert_empty candidate.differences(candidate)
  end

  def test_the_smallest_change_comes_first
    now = candidate
    both = candidate(processes: 1, threads: 3)
    threads = candidate(threads: 7)
    for_io = candidate(io_threads: 2)
    assert_equal [now, threads, both, for_io], [both, for_io, threads, now].sort_by { |one| one.effort(now) }
  end

  # The application has to mark the requests.
  def test_threads_for_io_are_two_changes
    changes = [candidate(io_threads: 1), candidate(threads: 4)].map { |one| one.effort(candidate).first }
    assert_equal [2, 1], changes
  end

  def test_of_equal_changes_fewer_threads_come_first
    more, fewer = candidate(threads: 7), candidate(threads: 3)
    assert_equal [fewer, more], [more, fewer].sort_by { |one| one.effort(candidate) }
  end

  def test_a_scenario_has_each_group
    scenario = candidate(pool: candidate(processes: 1, threads: 3)).scenario(vcpus: 2)
    assert_equal [[2, 5], [1, 3]], scenario.groups.map { |group| [group.processes, group.threads] }
    assert_equal 2, scenario.vcpus
  end

  private

  def candidate(processes: 2, threads: 5, **rest) = Candidate.new(processes:, threads:, **rest)
end
