# frozen_string_literal: true

require "test_helper"
require "open3"

# bin/soak in short: faults that no other test injects, and what it demands each time.
class SoakTest < Minitest::Test
  FAULTS = %w[worker_stop collector_stop memory_limit io_error].freeze
  OPTIONS = %w[--rate 3 --jobs 1 --calm 1 --hold 3 --stop 3].freeze
  # Where no process may limit the memory of others.
  LEFT_OUT = /no memory cgroup/

  thorough def test_counts_each_request_once_under_faults
    skip "no Redis here: bin/setup --services installs it" unless RedisServer.installed?
    soak = File.expand_path("../../bin/soak", __dir__)
    said, status = Open3.capture2e({"SOAK_IS_SET_UP" => "1"}, soak, "--faults", FAULTS.join(","), *OPTIONS)
    assert_predicate status, :success?, said
    rows = said.lines.grep(/\A(SIGSTOP|memory limit|EIO)/)
    assert_equal FAULTS.size, rows.size, said
    rows.grep_v(LEFT_OUT).each do |row|
      finished, counted, open = row.scan(/(?<=\s)\d+(?=\s)/).first(3).map(&:to_i)
      assert_operator finished, :>, 0, row
      assert_includes finished..(finished + open), counted, row
    end
  end
end
