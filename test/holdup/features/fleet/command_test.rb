# frozen_string_literal: true

require "test_helper"
require "json"
require_relative "../../../support/played_fleet"
require "support/watched_text"

class Holdup::Fleet::CommandTest < Minitest::Test
  include CommandLine
  include WatchedText

  COMMAND = Holdup::Fleet::Command

  def test_shows_the_hosts_and_names_the_one_that_differs
    said = fleet(PlayedFleet.new(starved: {"web-7" => 0.14}))
    assert_equal [0, ""], [said.status, said.err]
    assert_match(/20 hosts with 40 live processes, 1 revision and 1 setting: puma \(requests\) on 20\./,
      said.out.tr("\n", " "))
    assert_match(/! web-7 starved 14\.\d % of its time, the others 1\.\d %/, said.out)
    assert_match(/^Hosts: puma \(requests\)\nhost .* load .* starved .*\nweb-7 /, said.out)
    said.out.each_line { |line| assert_operator line.chomp.size, :<=, 80, line }
  end

  def test_one_host_has_nothing_to_be_compared_with
    said = fleet(PlayedFleet.new(hosts: 1))
    assert_match(/\A.*^1 host with 2 live processes/m, said.out)
    refute_match(/outlier|stands out/, said.out)
  end

  def test_two_hosts_are_too_few_for_an_outlier
    out = fleet(PlayedFleet.new(hosts: 2, starved: {"web-2" => 0.4})).out.gsub(/\s+/, " ")
    assert_match(/2 hosts have enough requests or jobs to be compared\. With fewer than 5, none is called/,
      out)
  end

  def test_a_canary_is_shown_next_to_the_stable_revision
    said = fleet(PlayedFleet.new(hosts: 5, revisions: {"web-5" => {5.. => "2.0"}}))
    assert_match(/^Two revisions at the same time: puma \(requests\)$/, said.out)
    assert_match(/^2\.0 +1 +2 /, said.out)
    assert_match(/holdup compare --revision 1\.0 2\.0/, said.out.gsub(/\s+/, " "))
    assert_match(/deployed: revision 1\.0 -> 2\.0/, said.out)
  end

  def test_the_table_of_many_hosts_says_what_it_leaves_out
    said = fleet(PlayedFleet.new(hosts: 200, minutes: 6, starved: {"web-77" => 0.2, "web-150" => 0.1}),
      "--limit", "3")
    rows = said.out[/^host .*?(?=^\s+\.\.\.)/m].lines.drop(1).map { |line| line[/\S+/] }
    assert_equal %w[web-77 web-150 web-1 all], rows
    more = /\.\.\. and 197 more hosts with 23,640 requests or jobs; there, the GVL wait is at most/
    assert_match(/#{more} 2\.0 %/, said.out.gsub(/\s+/, " "))
  end

  def test_json_has_all_hosts
    json = JSON.parse(fleet(PlayedFleet.new(starved: {"web-7" => 0.14}), "--json", "--limit", "2").out)
    group = json.fetch("groups").fetch(0)
    assert_equal 20, group.fetch("hosts").size
    assert_equal [{"host" => "web-7", "figure" => "starved_share"}],
      group.fetch("outliers").map { |outlier| outlier.slice("host", "figure") }
    line = group.fetch("hosts").find { |host| host["name"] == "web-7" }
    assert_equal [200, 2, 10, ["1.0"]], line.values_at("count", "processes", "threads", "revisions")
    assert_equal [20, 40], [json["hosts"].size, json["processes"]]
  end

  def test_every_format_has_every_host
    played = PlayedFleet.new(hosts: 3)
    {"text" => /^web-3 /, "markdown" => /^\| web-3 \|/, "html" => />web-3\s*</, "json" => /"name": "web-3"/}
      .each { |format, pattern| assert_match pattern, fleet(played, "--format", format).out, format }
  end

  def test_japanese
    out = fleet(PlayedFleet.new(starved: {"web-7" => 0.14}), "--lang", "ja").out
    assert_match(/ホスト 20 台、稼働中のプロセス 40 個/, out)
    assert_match(/web-7 は処理時間の 14\.\d % で CPU が足りませんでした/, out.delete("\n"))
  end

  def test_only_some_hosts
    said = fleet(PlayedFleet.new, "--host", "web-1?")
    assert_match(/^10 hosts with 20 live processes/, said.out)
    said = fleet(PlayedFleet.new, "--host", "wob-7")
    assert_equal 2, said.status
    assert_match(/the store has no host named "wob-7"; did you mean web-7/, said.err)
  end

  def test_a_span_without_measurements
    said = fleet(PlayedFleet.new(hosts: 1), "--until", "2026-01-01")
    assert_equal 0, said.status
    assert_match(/No host measured anything in this time/, said.out)
  end

  def test_a_span_that_ends_before_it_begins
    said = fleet(PlayedFleet.new(hosts: 1), "--since", "1h", "--until", "2h")
    assert_equal 2, said.status
    assert_equal "holdup: --since is not before --until; swap or correct them\n",
      said.err
  end

  # One store for several hosts: reports of one of them, or with a row for each.
  def test_other_commands_choose_by_host_role_and_revision
    played = PlayedFleet.new(hosts: 3, revisions: {"web-3" => {0.. => "2.0"}})
    report = lambda do |*options|
      JSON.parse(said_of(played, "report", "--json", *options).out).dig("totals", "count")
    end
    assert_equal [600, 200, 400, 200, 600],
      [report.call, report.call("--host", "web-2"), report.call("--revision", "1.0"),
        report.call("--host", "web-*", "--revision", "2"), report.call("--role", "puma")]
    by_host = JSON.parse(said_of(played, "report", "--json", "--by", "host").out)
    assert_equal [["web-1", 200], ["web-2", 200], ["web-3", 200]],
      by_host["series"].map { |row| row.values_at("name", "count") }.sort
    by_revision = JSON.parse(said_of(played, "report", "--json", "--by", "revision").out)
    assert_equal [["1.0", 400], ["2.0", 200]],
      by_revision["series"].map { |row| row.values_at("name", "count") }.sort
    assert_match(/^web-1 /, said_of(played, "report", "--by", "host").out)
    %w[advise whatif].each do |command|
      options = (command == "whatif") ? ["--load", "x2"] : []
      said = said_of(played, command, *options, "--role", "sidekiq")
      assert_equal 2, said.status, command
      assert_includes said.err, 'no role named "sidekiq"; there are puma', command
    end
    said = said_of(played, "compare", "--revision", "1.0", "2.0", "--host", "db")
    assert_match(/no host named "db"/, said.err)
  end

  def test_watches_in_a_terminal_until_a_key_ends_it
    played = PlayedFleet.new(hosts: 1)
    drawn = stored(played) { |path| watched(COMMAND, "--store", path, "-w", now_s: played.to_s) }
    assert_includes drawn, "1 host with 2 live processes"
    assert_includes drawn, Holdup::Top::Terminal::LEAVE
    assert_match(/--watch needs a terminal/, fleet(played, "-w").err)
    assert_match(/--watch and --until can't be combined/, fleet(played, "-w", "--until", "1m").err)
  end

  private

  def fleet(played, *options) = said_of(played, "fleet", *options)

  def said_of(played, *arguments)
    stored(played) { |path| holdup(*arguments, "--store", path, now_s: played.to_s) }
  end

  # @yieldparam path [String] of a store that has it
  def stored(played)
    Dir.mktmpdir do |folder|
      path = File.join(folder, "store.sqlite3")
      store = Holdup::Store.open(path)
      played.fill(store)
      store.close
      yield path
    end
  end
end
