# frozen_string_literal: true

require "test_helper"
require "json"

# Two concurrencies of a real Sidekiq on a real Redis. What a machine does that others use too is no matter
# here: errors are only held to be figures of the right size.
class LabJobsTest < Minitest::Test
  include CommandLine
  include TemporaryFolder

  COMMAND = %w[lab jobs --concurrency 1,4 --baseline 4 --seconds 2 --warm-up 1 --rounds 1 --json --out
    jobs.json --store store.sqlite3].freeze

  def test_prints_measured_next_to_predicted
    Dir.mkdir(rest = File.join(folder, "tmp"))
    said = holdup_process(*COMMAND, env: {"TMPDIR" => rest}, chdir: folder)
    assert_equal 0, said.status, said.err
    json = JSON.parse(said.out)
    one, four = json["lines"]
    assert_equal [1, 4, 0], [one["threads"], four["threads"], json["errors"]]
    assert_operator four["measured"].first, :>, 1.5 * one["measured"].first
    assert_operator one["replay"]["errors"].first.abs, :<, 0.5
    assert_operator four["replay"]["errors"].first.abs, :<, 0.5
    assert_equal 0, one["lock_share"].round(1)
    assert_empty Dir.children(rest)
    assert_equal json["jobs"], assert_kept
  end

  # @return [Integer] jobs in the store, as many as in the file
  def assert_kept
    readings = JSON.parse(File.read(File.join(folder, "jobs.json")))["readings"]
    assert_equal [[4, false], [4, true], [1, false]],
      readings.map { |reading| reading.values_at("threads", "again") }
    report = JSON.parse(holdup_process("report", "--store", File.join(folder, "store.sqlite3"), "--kind",
      "job", "--format", "json").out)
    assert_equal readings.sum { |reading| reading["count"] }, report["totals"]["count"]
    report["totals"]["count"]
  end
end
