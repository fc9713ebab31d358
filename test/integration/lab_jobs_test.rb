# frozen_string_literal: true

require "test_helper"
require "json"

# Two concurrencies of a real Sidekiq on a real Redis. What a machine does that others use too is no matter here: errors are
# only held to be figures of the right size.
class LabJobsTest < Minitest::Test
  include CommandLine
  include TemporaryFolder

  COMMAND = %w[lab jobs --concurrency 1,4 --baseline 4 --seconds 2 --warm-up 1 --rounds 1 --json].freeze

  def test_measured_beside_predicted
    said = holdup_process(*COMMAND, env: {"TMPDIR" => folder})
    assert_equal 0, said.status, said.err
    json = JSON.parse(said.out)
    one, four = json["lines"]
    assert_equal [1, 4, 0], [one["threads"], four["threads"], json["errors"]]
    assert_operator four["measured"].first, :>, 1.5 * one["measured"].first
    assert_operator one["replay"]["errors"].first.abs, :<, 0.5
    assert_operator four["replay"]["errors"].first.abs, :<, 0.5
    assert_equal 0, one["lock_share"].round(1)
    assert_empty Dir.children(folder)
  end
end
