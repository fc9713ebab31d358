# frozen_string_literal: true

require "test_helper"
require "open3"

# bin/soak in short: three faults, and what it demands each time.
class SoakTest < Minitest::Test
  FAULTS = %w[worker_kill collector_kill io_error].freeze
  OPTIONS = %w[--rate 3 --jobs 1 --hold 3 --stop 3].freeze

  thorough def test_three_faults
    skip "no Redis here: bin/setup --services installs it" unless RedisServer.installed?
    soak = File.expand_path("../../bin/soak", __dir__)
    said, status = Open3.capture2e({"SOAK_IS_SET_UP" => "1"}, soak, "--faults", FAULTS.join(","), *OPTIONS)
    assert_predicate status, :success?, said
    rows = said.lines.grep(/\A(SIGKILL|EIO)/)
    assert_equal FAULTS.size, rows.size, said
    rows.each do |row|
      finished, counted, open = row.scan(/(?<=\s)\d+(?=\s)/).first(3).map(&:to_i)
      assert_operator finished, :>, 0, row
      assert_includes finished..(finished + open), counted, row
    end
  end
end
