# frozen_string_literal: true

require "test_helper"
require "json"

# From a real Sidekiq through a real collector to what `holdup report` and `holdup doctor` say of its jobs and its process.
class JobReportTest < Minitest::Test
  include CommandLine

  PUSH = "30.times { PdfJob.perform_async; 2.times { MailJob.perform_async } }"

  def setup
    skip "redis-server is not on this machine; bin/setup --services installs it" unless RedisServer.installed?
  end

  def test_jobs_queues_and_the_process
    with_report do |store|
      made = JSON.parse(report(store, "--kind", "job", "--format", "json"))
      assert_equal({"PdfJob" => 30, "MailJob" => 60}, made["series"].to_h { |row| row.values_at("name", "count") })
      check_pairs(made)
      check_process(made)
      check_capacity(made)
      assert_match(/^default +90 /, report(store, "--kind", "job", "--by", "queue"))
      assert_match(/PdfJob \[default\] caused about \d+ % of the stall that MailJob \[default\]/, report(store, "--threads", "6").gsub(/\s+/, " "))
      assert_match(/The CPU alarm at 100 % (may never fire|never fires|can fire)/, doctor(store, "100"))
    end
  end

  private

  # The one that computes is the cause; what is estimated lies between what is certain.
  def check_pairs(made)
    pair = made["pairs"].find { |each| each.dig("victim", "name") == "MailJob" }
    assert_equal "PdfJob", pair.dig("causer", "name")
    assert_includes pair["least_ns"]..pair["most_ns"], pair["stall_ns"]
    assert_operator pair["share"], :>, 0.5
  end

  def check_process(made)
    process = made["processes"].find { |each| each["server"] == "sidekiq" }
    assert_includes 0.05..1.5, process["cpu_share"]
    assert_operator process["uss_bytes"], :<=, process["rss_bytes"]
    assert_equal [5, 1], process["pools"].map { |pool| pool["max"] }
    assert_equal [1], made["machines"].map { |machine| machine["processes"] }
    assert_operator made["machines"].first["vcpus"], :>, 0
  end

  # Five threads for the queue and one beside them: jobs can't have had more, and with so many waiting not much less.
  def check_capacity(made)
    assert_includes 0.1..1.0, made["totals"]["capacity_share"]
  end

  def with_report
    RedisServer.run do |redis|
      SidekiqProcess.run(redis, "-t", "2", "-c", "5") do |sidekiq|
        store = File.join(sidekiq.root, "store.sqlite3")
        collect(sidekiq, store)
        sidekiq.push(PUSH)
        sidekiq.wait { sidekiq.told("pdf") >= 30 && sidekiq.told("mail") >= 60 }
        sidekiq.stop
        collect(sidekiq, store)
        assert_empty sidekiq.entries
        @dir = sidekiq.dir
        yield store
      end
    end
  end

  def collect(sidekiq, store) = assert_equal(0, holdup_process("collect", "--once", "--dir", sidekiq.dir, "--store", store).status)

  def report(store, *arguments) = holdup_process("report", "--store", store, *arguments).out

  def doctor(store, target) = holdup_process("doctor", "--store", store, "--dir", @dir, "--autoscale-target", target).out.gsub(/\s+/, " ")
end
