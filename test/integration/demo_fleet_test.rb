# frozen_string_literal: true

require "test_helper"
require "json"
require "open3"

# bin/demo --fleet from the outside: two storefronts, two collectors, one PostgreSQL.
class DemoFleetTest < Minitest::Test
  OUTSIDE = {**OtherBundle::NONE,
    "STOREFRONT_YJIT" => "0"}.freeze # what is compiled runs too few times to pay for it
  COMMAND = File.expand_path("../../bin/demo", __dir__)

  def test_two_hosts_with_one_store_are_counted_exactly
    out, err, status = Open3.capture3(OUTSIDE, COMMAND, "--fleet", "--json", "--seconds", "5", "--rate", "20")
    assert_equal 0, status.exitstatus, err
    assert_match(/all \d+ requests that the shops of 2 hosts served are in one store/, err)
    assert_match(/the page of the fleet shows web-1 and web-2/, err)
    fleet = JSON.parse(out)
    assert_equal %w[web-1 web-2], fleet["hosts"]
    lines = fleet.dig("groups", 0, "hosts")
    assert_equal [["web-1", ["1.4.0"]], ["web-2", ["1.5.0"]]],
      lines.map { |line| line.values_at("name", "revisions") }
    assert_equal(%w[1.4.0 1.5.0], fleet.dig("side_by_side", 0, "revisions").map { |line| line["name"] })
    assert_empty Dir["{#{Dir.tmpdir},/dev/shm}/holdup-demo-#{status.pid}-*"]
  end
end
