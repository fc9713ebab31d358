# frozen_string_literal: true

require "test_helper"
require "json"
require "support/dashboard"
require "support/played_fleet"

class Holdup::Fleet::PageTest < Minitest::Test
  include Dashboard

  def test_shows_hosts_outliers_and_deployments
    show(PlayedFleet.new(minutes: 30, starved: {"web-7" => 0.14},
      revisions: (1..20).to_h { |number| ["web-#{number}", {15.. => "2.0"}] }))
    get "/fleet"
    assert_equal 200, last_response.status
    assert_match(/20 hosts with 40 live processes, 2 revisions and 2 settings/, text)
    assert_match(/web-7 starved 14\.\d % of its time, the others 1\.\d %/, text)
    assert_includes markup, %(<a href="/?host=web-7">web-7</a>)
    assert_match(/deployed: revision 1\.0 -&gt; 2\.0|deployed: revision 1\.0 -> 2\.0/, text)
  end

  # On the charts of the page.
  def test_deployments_are_marked_over_time
    show(PlayedFleet.new(hosts: 2, minutes: 30,
      revisions: {"web-1" => {15.. => "2.0"}, "web-2" => {15.. => "2.0"}}))
    get "/series/fleet"
    marks = JSON.parse(last_response.body).values.map { |chart| chart["marks"] }.uniq
    assert_equal [[{"at" => @played.from_s + 15 * 60, "label" => "deployed: revision 1.0 -> 2.0",
                    "page" => "compare", "around" => true}]], marks
  end

  def test_one_host
    show(PlayedFleet.new(hosts: 1))
    get "/fleet"
    assert_includes text, "1 host with 2 live processes"
    refute_includes text, "stands out"
  end

  def test_says_which_hosts_its_table_leaves_out
    show(PlayedFleet.new(hosts: 120, minutes: 2))
    get "/fleet"
    assert_match(/\.\.\. and 70 more hosts with 2,800 requests or jobs/, text)
    get "/fleet", {"limit" => "120"}
    assert_includes markup, "web-120"
  end

  def test_its_files
    show(PlayedFleet.new(hosts: 3))
    get "/fleet.json"
    assert_equal %w[web-1 web-2 web-3], JSON.parse(last_response.body).fetch("hosts")
    get "/fleet.csv"
    assert_match(/^web-3,1\.0,2,/, last_response.body)
    get "/fleet.md"
    assert_match(/^\| web-3 \| 1\.0 \| 2 \|/, last_response.body)
  end

  def test_every_page_can_be_limited_to_hosts_a_role_and_a_revision
    show(PlayedFleet.new(hosts: 3, revisions: {"web-3" => {0.. => "2.0"}}))
    {"/" => {"host" => "web-2"}, "/requests" => {"revision" => "2.0"},
     "/processes" => {"host" => "web-[12]"}, "/fleet" => {"role" => "puma"}}.each do |path, params|
      get path, params
      assert_equal 200, last_response.status, path
      assert_includes markup, URI.encode_www_form(params), path
    end
    get "/", {"host" => "web-2"}
    assert_match(/\b200 requests\b/, text)
    get "/", {"host" => "db-1"}
    assert_equal 400, last_response.status
    assert_match(/the store has no host named .*db-1/, text)
  end

  def test_an_unknown_host_in_japanese
    show(PlayedFleet.new(hosts: 2))
    get "/fleet", {"host" => "db-1", "lang" => "ja"}
    assert_includes text, "というホストはありません"
  end

  def test_an_empty_store
    clock = CommandLine::Still.new(now_s: 1_790_000_000)
    @app = dashboard(store: Holdup::Store.open("memory:"), clock:)
    get "/fleet"
    assert_equal [200, true], [last_response.status, text.include?("No host measured anything")]
  end

  private

  def show(played)
    @played = played
    @app = dashboard(store: played.store, clock: CommandLine::Still.new(now_s: played.to_s))
  end
end
