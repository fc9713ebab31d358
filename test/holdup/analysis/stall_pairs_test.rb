# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "holdup/model/series"

class Holdup::Analysis::StallPairsTest < Minitest::Test
  Part = Holdup::Analysis::StallPairs::StallPart

  def series(name, kind: :job)
    Holdup::Series.new(kind:, name:)
  end

  # name => [suffered, caused]
  def cell(figures, handoff: 0)
    parts = figures.map { |name, (suffered, caused)| Part.new(series(name), suffered, caused) }
    parts << Part.new(series("(handoff)", kind: :account), 0, handoff)
  end

  def pairs(*windows)
    pairs = Holdup::Analysis::StallPairs.new([windows]).to_a
    pairs.to_h { |pair| ["#{pair.causer.name}>#{pair.victim.name}", pair] }
  end

  def test_stall_is_split_as_it_was_caused
    found = pairs(cell({"PdfJob" => [10, 81], "MailJob" => [90, 18]}, handoff: 1))
    assert_equal [72, 71, 81, 90],
      found["PdfJob>MailJob"].to_h.values_at(:about_ns, :least_ns, :most_ns, :suffered_ns)
    assert_equal 16, found["MailJob>MailJob"].about_ns
    assert_in_delta 0.8, found["PdfJob>MailJob"].share
  end

  def test_only_those_that_met_can_have_stalled_each_other
    found = pairs(cell({"A" => [10, 10]}), cell({"B" => [30, 30]}), cell({"A" => [0, 6], "C" => [6, 0]}))
    assert_equal %w[A>A A>C B>B], found.keys.sort
    assert_equal [6, 6, 6], found["A>C"].to_h.values_at(:about_ns, :least_ns, :most_ns)
  end

  def test_the_totals_are_kept_and_the_bounds_hold_the_truth
    random = Random.new(7)
    200.times do
      truth = Array.new(4) { Array.new(4) { random.rand(1000) } } # [causer][victim]
      names = %w[a b c d]
      figures = names.each_with_index.to_h { |name, i| [name, [truth.sum { |row| row[i] }, truth[i].sum]] }
      found = pairs(cell(figures))
      names.each_with_index do |victim, v|
        assert_in_delta figures[victim].first,
          names.sum { |causer| found["#{causer}>#{victim}"]&.about_ns.to_i }, 4
        names.each_with_index do |causer, c|
          pair = found["#{causer}>#{victim}"] or next
          assert_includes pair.least_ns..pair.most_ns, truth[c][v]
        end
      end
    end
  end

  def test_a_cause_that_is_recorded_after_the_stall
    late = pairs(cell({"MailJob" => [50, 0]}), cell({"MailJob" => [40, 0]}),
      cell({"PdfJob" => [2, 92], "MailJob" => [0, 0]}), cell({"Other" => [5, 5]}))
    assert_equal [90, 90, 90], late["PdfJob>MailJob"].to_h.values_at(:about_ns, :least_ns, :most_ns)
    assert_equal %w[Other>Other PdfJob>MailJob PdfJob>PdfJob], late.keys.sort
  end

  def test_settings_and_hosts_are_apart
    apart = Holdup::Analysis::StallPairs.new([[cell({"A" => [10, 0]})], [cell({"B" => [0, 10]})]]).to_a
    assert_empty apart, "they never were in one process"
  end

  def test_a_cause_that_is_still_running_is_not_found_elsewhere
    found = pairs(cell({"MailJob" => [100, 10]}))
    assert_equal [10, 10, 10], found["MailJob>MailJob"].to_h.values_at(:about_ns, :least_ns, :most_ns)
  end

  def test_victims_may_be_chosen_and_threads_outside_of_units_may_cause
    cells = [cell({"A" => [10, 2],
"B" => [10, 2]}) << Part.new(series("thread:cache", kind: :account), 0, 16)]
    found = Holdup::Analysis::StallPairs.new([cells]).to_a(victims: ->(one) { one.name == "A" })
    assert_equal ["A"], found.map { |pair| pair.victim.name }.uniq
    assert_equal "thread:cache", found.first.causer.name
  end

  def test_causers_may_be_chosen
    all = Holdup::Analysis::StallPairs.new([[cell({"A" => [10, 40], "B" => [50, 20]})]])
    found = all.to_a(causers: ->(one) { one.name == "A" })
    assert_equal %w[B A], found.map { |pair| pair.victim.name }
    assert_equal all.to_a.select { |pair| pair.causer.name == "A" }, found
  end

  def pair(about, least, most)
    Holdup::Analysis::StallPairs::StallPair.new(causer: series("A"), victim: series("B"), about_ns: about,
      least_ns: least, most_ns: most, suffered_ns: 100)
  end

  def test_a_tenth_that_is_certain_is_informative
    assert_predicate pair(72, 71, 81), :informative?
    assert_predicate pair(71, 10, 100), :informative?
  end

  def test_a_most_near_the_estimate_is_informative
    assert_predicate pair(5, 0, 9), :informative?
    assert_predicate pair(60, 0, 90), :informative?
  end

  def test_bounds_that_exclude_next_to_nothing_are_not
    refute_predicate pair(38, 0, 100), :informative?
    refute_predicate pair(60, 5, 100), :informative?
    refute_predicate pair(7, 0, 70), :informative?, "ten times the estimate is possible"
  end

  # Ten names that each suffer a tenth: one caused 38 % of all, so it may have caused all or none of
  # anybody's.
  def test_one_of_many_names_causes_more_than_each_suffers
    shares = {"A" => [1000, 3800], **("B".."J").to_h { |name| [name, [1000, 689]] }}
    found = pairs(cell(shares, handoff: 0))
    assert_in_delta 0.38, found["A>B"].share, 0.01
    assert_equal 0, found["A>B"].least_ns
    assert_equal 1000, found["A>B"].most_ns
    refute_predicate found["A>B"], :informative?
  end

  def test_without_stalls
    assert_empty pairs(cell({"A" => [0, 0]}))
    assert_empty pairs
  end
end
