# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "support/played_fleet"

class Holdup::Fleet::ReportTest < Minitest::Test
  View = Holdup::View

  def fleet(**played)
    played = PlayedFleet.new(**played)
    Holdup::Fleet::Reader.call(played.store, from_s: played.from_s, to_s: played.to_s)
  end

  def report(fleet, **options) = Holdup::Fleet::Report.new(fleet, words: View::Words.new, **options)

  def section(report, title)
    report.blocks.grep(View::Section).find { |one| one.title.start_with?(title) }
  end

  def notes(report) = report.blocks.grep(View::Blocks::Notes).flat_map(&:texts).join(" ")

  def test_an_empty_fleet_is_a_sentence_and_what_to_do
    blocks = report(fleet(hosts: 0)).blocks
    assert_equal [View::Blocks::Lead, View::Blocks::Notes], blocks.map(&:class)
  end

  def test_outliers_come_first_and_hosts_that_ended_last
    found = fleet(hosts: 12, starved: {"web-7" => 0.3}, ended: %w[web-1])
    names = section(report(found), "Hosts").rows.map(&:first)
    assert_equal "web-7", names.first
    assert_equal "web-1", names.last
    assert_equal %w[web-2 web-3], names[1, 2], "in the order of numbers"
  end

  def test_a_host_that_ended_has_no_processes
    found = section(report(fleet(hosts: 3, ended: %w[web-1])), "Hosts")
    processes = found.rows.to_h { |row| [row.first, row[2]] }
    assert_equal({"web-2" => "2", "web-3" => "2", "web-1" => "-"}, processes)
    assert_includes found.notes.join(" "), View::Words.new.call(:fleet_ended, hosts: "1")
  end

  def test_names_what_stands_out_or_says_that_nothing_does
    assert_includes notes(report(fleet(hosts: 12, starved: {"web-7" => 0.3}))), "web-7 starved"
    alike = View::Words.new.call(:fleet_alike, group: "puma (requests)", hosts: "12")
    assert_includes notes(report(fleet(hosts: 12))), alike
    assert_match(/\b3\b/, notes(report(fleet(hosts: 3))), "too few hosts to tell")
    assert_empty notes(report(fleet(hosts: 1)))
  end

  def test_rows_beyond_the_limit_are_summed_up
    found = section(report(fleet(hosts: 5), limit: 2), "Hosts")
    assert_equal 2, found.rows.size
    assert_match(/3 more hosts with 600 requests/, found.notes.first)
    assert_equal "all", found.total.first
  end

  def test_a_single_host_has_no_total
    assert_nil section(report(fleet(hosts: 1)), "Hosts").total
  end

  COMMIT = "0123456789abcdef0123456789abcdef01234567"

  def test_a_commit_is_shortened_and_a_host_says_how_many_revisions_it_had
    found = report(fleet(hosts: 2, revisions: {"web-1" => {5.. => COMMIT}}))
    revisions = section(found, "Hosts").rows.to_h { |row| [row.first, row[1]] }
    assert_equal "01234567 +1", revisions["web-1"]
    assert_equal "1.0", revisions["web-2"]
  end

  def test_revisions_that_ran_at_the_same_time_are_compared
    found = report(fleet(hosts: 4, minutes: 20, revisions: {"web-1" => {0.. => "2.0"}}))
    together = found.blocks.grep(View::Section).find { |one| one.notes.join.include?("2.0") }
    assert_equal %w[1.0 2.0], together.rows.map(&:first)
    assert_equal [["3", "6"], ["1", "2"]], together.rows.map { |row| row[1, 2] }, "hosts and processes"
  end

  def test_cells_of_hosts_can_be_links
    link = ->(host) { View::Blocks::Link.new(text: host, page: "overview", params: {"host" => host}) }
    cell = section(report(fleet(hosts: 2), link:), "Hosts").rows.first.first
    assert_equal({"host" => "web-1"}, cell.params)
  end

  def test_json_has_each_group_with_its_hosts_and_outliers
    document = JSON.parse(Holdup::Fleet::Report::Json.new(fleet(hosts: 12, starved: {"web-7" => 0.3})).call)
    group = document["groups"].first
    assert_equal ["puma", "request"], group.values_at("role", "kind")
    assert_equal 12, group["hosts"].size
    assert_equal [["web-7", "starved_share"]], group["outliers"].map { |one| one.values_at("host", "figure") }
    assert_equal 24, document["processes"]
    assert_in_delta 0.3, group["outliers"].first["value"], 0.05
  end
end
