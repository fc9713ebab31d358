# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Deaths::RepeatedCulpritsTest < Minitest::Test
  Culprits = Holdup::Deaths::RepeatedCulprits
  NS = Holdup::NS
  HOUR_NS = 3600 * NS
  BEGUN_NS = 1_790_000_000 * NS

  # @param number [Integer] of the death; each is a quarter of an hour after the one before
  # @param names [Array<String>] in flight for a second
  def death(number, names, shares, host: "web-1", later_ns: 0, elapsed_ns: NS)
    died_ns = BEGUN_NS + number * HOUR_NS / 4 + later_ns
    units = names.map { |name| {kind: :job, name:, started_ns: died_ns - elapsed_ns} }
    Holdup::Autopsy.new(source: "#{host}/#{number}/#{later_ns}", host:, pid: 1, name: "worker 0",
      setting: "abc", since_ns: died_ns - HOUR_NS, alive_ns: died_ns, gone_ns: died_ns, units:, shares:)
  end

  def test_a_name_that_is_there_too_often
    shares = {"ReportJob" => 0.14, "MailJob" => 1.0}
    names = [*[%w[ReportJob MailJob]] * 7, %w[MailJob]]
    deaths = names.each_with_index.map { |running, number| death(number, running, shares) }
    found = Culprits.new(deaths).to_a
    assert_equal [["ReportJob", 7, 8]], found.map { |culprit| [culprit.name, culprit.deaths, culprit.of] }
    assert_in_delta 1.12, found.first.expected, 0.01
    assert_operator found.first.probability, :<, 0.0001
  end

  def test_silence_where_chance_explains_it
    often = Array.new(8) { |number| death(number, %w[MailJob], {"MailJob" => 0.9}) }
    assert_empty Culprits.new(often).to_a
    rare = Array.new(2) { |number| death(number, %w[ReportJob], {"ReportJob" => 0.001}) }
    assert_empty Culprits.new(rare).to_a, "two deaths"
    assert_empty Culprits.new([]).to_a
  end

  # One in flight on average of ten names; four when it dies.
  def test_silence_where_more_than_usual_is_in_flight_of_all_names
    shares = Array.new(10) { |number| ["A##{number}", 0.1] }.to_h
    running = Array.new(12) { |number| ["A##{number % 7 + 1}", "A##{number % 5 + 2}", "A##{number % 3 + 4}"] }
    slow = running.each_with_index.map do |names, number|
      death(number, (number < 5) ? [*names, "A#0"] : names, shares)
    end
    assert_empty Culprits.new(slow).to_a
  end

  def test_a_name_that_is_there_too_often_is_found_among_few_others
    shares = Array.new(10) { |number| ["A##{number}", 0.1] }.to_h
    deaths = Array.new(10) { |number| death(number, ["A#0", *("A##{number + 1}" if number.even?)], shares) }
    assert_equal ["A#0"], Culprits.new(deaths).to_a.map(&:name)
  end

  # Requests that never end are in no sums, so the hour before does not know them.
  def test_what_runs_until_the_end_has_a_share_by_that
    deaths = Array.new(5) { |number|
      death(number, %w[StreamJob], {"MailJob" => 0.1}, elapsed_ns: HOUR_NS)
    }
    assert_empty Culprits.new(deaths).to_a
  end

  def test_processes_that_die_with_their_container_are_one_death
    shares = {"ReportJob" => 0.05}
    together = Array.new(8) { |number| death(0, %w[ReportJob], shares, later_ns: number * NS) }
    assert_empty Culprits.new(together).to_a
    apart = Array.new(8) { |number| death(0, %w[ReportJob], shares, host: "web-#{number}") }
    assert_equal [8], Culprits.new(apart).to_a.map(&:of), "other hosts"
  end

  # It has finished its requests, so nobody knows what ran when its memory was too large.
  def test_what_a_worker_killer_ended_gracefully_does_not_count
    shares = {"ReportJob" => 0.01}
    killed = Array.new(3) { |number| death(number + 3, [], shares).with(reason: :killer) }
    known = Array.new(3) { |number| death(number, %w[ReportJob], shares) }
    assert_equal [[3, 3]], Culprits.new(known + killed).to_a.map { |found| [found.deaths, found.of] }
  end

  def test_deaths_of_which_nothing_is_known_do_not_count
    known = Array.new(3) { |number| death(number, %w[ReportJob], {"ReportJob" => 0.01}) }
    unknown = Array.new(3) { |number| death(number + 3, %w[ReportJob], {}) }
    assert_equal [[3, 3]], Culprits.new(known + unknown).to_a.map { |found| [found.deaths, found.of] }
  end

  # Of all ways in which some of them happen.
  def brute_force(least, chances)
    [true, false].repeated_permutation(chances.size).select { |way| way.count(true) >= least }.sum do |way|
      way.zip(chances).reduce(1.0) { |product, (happens, chance)| product * (happens ? chance : 1 - chance) }
    end
  end

  def test_the_tail_is_that_of_all_ways_added_up
    random = Random.new(7)
    20.times do
      chances = Array.new(random.rand(1..8)) { random.rand }
      (0..chances.size).each do |least|
        assert_in_delta brute_force(least, chances), Culprits.at_least(least, chances), 1e-12
      end
    end
  end

  # At most one of a hundred sets of deaths has a culprit by chance.
  def test_chance_is_seldom_blamed
    random = Random.new(11)
    blamed = Array.new(300) { by_chance(random) }.count { |deaths| Culprits.new(deaths).to_a.any? }
    assert_operator blamed, :<=, 3
  end

  def by_chance(random)
    shares = Array.new(10) { |number| ["Job#{number}", random.rand(0.01..0.6)] }.to_h
    Array.new(12) { |number| death(number, shares.keys.select { |name| random.rand < shares[name] }, shares) }
  end
end
