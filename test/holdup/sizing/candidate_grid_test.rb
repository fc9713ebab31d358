# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

module Holdup::Sizing
  class CandidateGridTest < Minitest::Test
    NOW = Candidate.new(processes: 2, threads: 5)

    def candidates(vcpus: 2, share: 0.5, now: NOW)
      CandidateGrid.new(ServiceDemand.of_share(share), current: now, vcpus:).to_a
    end

    def test_the_grid
      found = candidates
      assert_equal [1, 2, 3], found.select { |one| one.threads == 1 }.map(&:processes)
      assert_equal [1, 2], found.select { |one| one.threads == 3 }.map(&:processes)
      assert_equal 7, found.map(&:threads).max # 2 N_sat + 1, N_sat = 3
      assert_includes found, NOW
      assert_equal found.uniq, found
    end

    # Unicorn and Pitchfork: processes do what threads do elsewhere.
    def test_a_server_without_threads
      found = CandidateGrid.new(ServiceDemand.of_share(0.5), current: NOW.with(threads: 1), vcpus: 2,
        threaded: false).to_a
      assert_equal [[1], [*1..8]], [found.map(&:threads).uniq, found.map(&:processes)]
    end

    def test_what_there_is_now_is_in_it_however_odd
      odd = Candidate.new(processes: 9, threads: 40)
      assert_includes candidates(now: odd), odd
    end

    def test_a_large_machine_has_no_thousand_candidates
      assert_operator candidates(vcpus: 96, share: 0.9).size, :<, 700
      assert_operator candidates(share: 0.99).map(&:threads).max, :<=, 32
    end

    # Of a process's seven threads three are of another pool.
    def test_other_pools_keep_their_threads
      now = NOW.with(threads: 7, other_threads: [3])
      found = candidates(now:)
      assert_equal [*4..10], found.map(&:threads).uniq.sort
      assert_equal [[1, 3], [7, 3]], found.map(&:caps).minmax
      assert_includes found, now
    end

    def test_half_a_cpu
      assert_equal [1], candidates(vcpus: 0.5, now: NOW.with(processes: 1)).map(&:processes).uniq
    end

    def test_slices_of_what_is_settled
      assert_equal [50, 20, 10], CandidateGrid.slices([NOW]).map { |one| one.time_slice_ns / 1_000_000 }
      assert_equal 2, CandidateGrid.slices([NOW.with(time_slice_ns: 10_000_000)]).size
    end

    def test_effort_is_smallest_for_what_is
      assert_equal NOW, candidates.min_by { |one| one.effort(NOW) }
      assert_equal %i[threads], NOW.with(threads: 3).differences(NOW)
      assert_operator NOW.with(threads: 9).effort(NOW) <=> NOW.with(threads: 1, processes: 1).effort(NOW),
        :<, 0
    end
  end
end
