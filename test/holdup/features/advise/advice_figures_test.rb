# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Advise::AdviceFiguresTest < Minitest::Test
  MS = 1_000_000

  def figures = @figures ||= Holdup::Advise::AdviceFigures.new(Holdup::View::Words.new)

  def candidate(processes: 2, threads: 5, **more)
    Holdup::Advise::Sizing::Candidate.new(processes:, threads:, **more)
  end

  def test_a_setting_in_the_fewest_characters
    assert_equal "2 x 5", figures.setting(candidate)
    assert_equal "2 x 5+10 io", figures.setting(candidate(io_threads: 10))
    assert_equal "2 x (3+2)", figures.setting(candidate(other_threads: [2])), "pools share the process"
    assert_equal "2 x 5 + 1 x 1", figures.setting(candidate(pool: candidate(processes: 1, threads: 1)))
  end

  def test_the_time_slice_is_named_where_it_is_asked_for
    short = candidate(time_slice_ns: 10 * MS)
    assert_equal "2 x 5", figures.setting(short)
    assert_equal "2 x 5/10 ms", figures.setting(short, slice: true)
    assert_equal "2 x 5 with a time slice of 10 ms", figures.long(short, slice: true)
    assert_equal "2 x 5", figures.long(short)
  end

  def test_the_end_of_a_facts_name_says_its_unit
    facts = figures.facts({wait_ns: 2 * MS, used_share: 0.5, memory_bytes: 3 << 20, threads: 1200,
                           busy: 1.25, lost: nil, name: "A\e[1m#b", stopped: true})
    assert_equal "2.00 ms", facts[:wait_ns]
    assert_equal "50.0 %", facts[:used_share]
    assert_match(/3\.\d+ MB|3 MiB|3\.0 MiB/, facts[:memory_bytes])
    assert_equal %w[1,200 1.25 -], facts.values_at(:threads, :busy, :lost)
    refute_includes facts[:name], "\e"
    assert_equal "true", facts[:stopped]
  end

  # A part of a sentence that has facts of its own.
  def test_a_fact_can_be_a_phrase
    found = figures.facts({basis: {phrase: :growth_cold, wanted_ns: 0, seen_ns: 90_000 * MS, room_bytes: 0}})
    assert_match(/\ANo worker was seen older than (90\.0 s|1 min 30 s|90 s)/, found[:basis])
  end

  def test_changes_have_their_sign
    assert_equal ["+2.5 %", "-3.0 %"], [0.025, -0.03].map { |share| figures.signed(share) }
  end
end
