# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "json"

# From a real Sidekiq through a real collector to what `holdup report` and `holdup doctor` say of its jobs and
# its process.
class JobReportTest < Minitest::Test
  include CommandLine

  PUSH = "30.times { PdfJob.perform_async; 2.times { MailJob.perform_async } }; " \
    "20.times { MailJob.set(queue: 'single').perform_async }"

  def test_jobs_queues_and_the_process
    with_report do |store|
      made = JSON.parse(report(store, "--kind", "job", "--format", "json"))
      assert_equal({%w[PdfJob default] => 30, %w[MailJob default] => 60, %w[MailJob single] => 20},
        made["series"].to_h { |row| [row.values_at("name", "queue"), row["count"]] })
      check_pairs(made)
      check_process(made)
      check_capsules(made)
      check_pools(store)
      assert_match(/^default +90 /, report(store, "--kind", "job", "--by", "queue"))
      assert_match(/PdfJob caused \d+ % of the GVL wait of MailJob/,
        report(store, "--threads", "6").gsub(/\s+/, " "))
      assert_match(/The CPU alarm at 100 % (may never fire|never fires|can fire)/, doctor(store, "100"))
    end
  end

  private

  # The one that computes is the cause.
  def check_pairs(made)
    pair = made["pairs"].find { |each| each.dig("victim", "name") == "MailJob" }
    assert_equal "PdfJob", pair.dig("causer", "name")
    assert_operator pair["share"], :>, 0.5
    assert_operator pair["share"], :>, 0.5
  end

  def check_process(made)
    process = made["processes"].find { |each| each["server"] == "sidekiq" }
    assert_includes 0.05..1.5, process["cpu_share"]
    assert_operator process["uss_bytes"], :<=, process["rss_bytes"]
    assert_operator process["redis_rtt_ns"], :>, 0
    assert_equal [5, 1], process["pools"].map { |pool| pool["max"] }
    assert_equal [1], made["machines"].map { |machine| machine["processes"] }
    assert_operator made["machines"].first["vcpus"], :>, 0
  end

  # Five threads for one queue and one for the other: each counts its own.
  def check_capsules(made)
    assert_includes 0.1..1.0, made["totals"]["capacity_share"]
    default, single = %w[default single].map { |queue| made["series"].find { |row| row["queue"] == queue } }
    threads = [default, single].map { |row| row["wall_ns"]["sum"] / row["capacity_share"] }
    assert_in_delta 5, threads[0] / threads[1], 0.2
    pools = made["pool_cpu"].to_h { |line| [[line["kind"], line["name"]], line["units"]] }
    assert_equal({%w[pool default] => 90, %w[pool single] => 20, ["outside", nil] => nil}, pools)
    assert_equal "default", made["pool_cpu"].first["name"]
  end

  # As sizing takes them: two pools on one GVL, and who takes which queue.
  def check_pools(path)
    Holdup::Store.open(path, read_only: true).then do |store|
      sized = Holdup::Advise::Reader.new(store, from_s: 0, to_s: Time.now.to_i + 1, kind: :job,
        objective: Holdup::Advise::Sizing::Objective.new(name: :throughput), warm_up_s: 0, pool: "single")
      found = sized.recordings.first
      assert_equal [%w[single default], [5], 6], [found.pools.names, found.pools.other_threads, found.threads]
      assert_equal({%w[MailJob single] => 0, %w[MailJob default] => 1, %w[PdfJob default] => 1},
        found.unit_samples.to_h { |unit_sample|
          [[unit_sample.series.name, unit_sample.series.queue],
            found.pools.index(unit_sample)]
        })
    ensure
      store.close
    end
  end

  def with_report
    RedisServer.run do |redis|
      SidekiqProcess.run(redis, "-t", "2", "-c", "5") do |sidekiq|
        store = File.join(sidekiq.root, "store.sqlite3")
        sidekiq.wait { sidekiq.snapshots.first&.header&.pools&.any? } # its first tick has reported it
        collect(sidekiq, store)
        sidekiq.push(PUSH)
        sidekiq.wait { sidekiq.reported("pdf") >= 30 && sidekiq.reported("mail") >= 80 }
        sidekiq.stop
        collect(sidekiq, store)
        assert_empty sidekiq.entries
        @dir = sidekiq.dir
        yield store
      end
    end
  end

  def collect(sidekiq, store)
    assert_equal(0, holdup_process("collect", "--once", "--dir", sidekiq.dir, "--store", store).status)
  end

  def report(store, *arguments)
    holdup_process("report", "--full", "--store", store, *arguments).out
  end

  def doctor(store, target)
    holdup_process("doctor", "--store", store, "--dir", @dir, "--autoscale-target", target).out.gsub(/\s+/,
      " ")
  end
end
