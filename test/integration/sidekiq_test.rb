# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "rails/version"

class SidekiqIntegrationTest < Minitest::Test
  include NoSlower

  BOOT = File.join(ServedApp::ROOT, "lib/holdup/agent/exec_boot")
  EARLIER = %w[puma6 puma7].map { |name| File.join(ServedApp::ROOT, "gemfiles/#{name}.gemfile") }.freeze
  ALL_KINDS = "5.times { PlainJob.perform_async }; RaisingJob.perform_async; OuterJob.perform_async; " \
    "ForkingJob.perform_async; SingleJob.perform_async"
  COUNTED = {"PlainJob" => [5, 0],
             "RaisingJob" => [2, 1],
             "OuterJob" => [1, 0],
             "InnerJob" => [1, 0],
             "ForkingJob" => [1, 0],
             "SingleJob" => [1, 0]}.freeze
  HOUR_NS = 3_600_000_000_000

  def with_sidekiq(*arguments, **options, &)
    RedisServer.run { |redis| SidekiqProcess.run(redis, "-t", "1", *arguments, **options, &) }
  end

  def run_all_kinds(sidekiq)
    sidekiq.push(ALL_KINDS)
    sidekiq.make_retries_due
    {"plain" => 5, "raising" => 2, "inner" => 1, "forking" => 1, "single" => 1}.each { |what, times|
      sidekiq.wait_reported(what, times)
    }
    assert_equal 0, sidekiq.stop.exitstatus
  end

  def jobs(app)
    app.snapshots.flat_map(&:slots).compact.select { |slot| slot.series.kind == :job }.to_h { |slot|
      [slot.series.name, slot.count]
    }
  end

  def jobs_of(sidekiq)
    sidekiq.snapshots.find { |snapshot| snapshot.setting["jobs"] && snapshot.header.generation.zero? }
  end

  def test_jobs_of_all_kinds_each_counted_as_its_user_expects
    with_sidekiq("-c", "3", "-q", "default", "-q", "low") do |sidekiq|
      gauge = sidekiq.wait { sidekiq.snapshots.first&.gauges&.fetch(:redis_rtt_ns) }
      assert_includes 1_000..HOUR_NS, gauge
      run_all_kinds(sidekiq)
      assert_equal COUNTED.merge("in the child" => [1, 0]), sidekiq.counts
      assert_match(/\AHoldup::Instrumentation::Sidekiq Greedy /, sidekiq.reported_text("chain"))
      assert_includes 1..HOUR_NS, sidekiq.unit("RaisingJob").histogram(:queued).max
      refute_match(/holdup: (?!measuring |the collector ends; requests )/, sidekiq.log)
    end
  end

  # Its API has no way to change the number of its threads, so arms are processes.
  def test_says_why_no_experiment_changes_its_threads_and_takes_arms_by_process
    with_sidekiq("-c", "3", env: {"HOLDUP_ARM" => "three"}) do |sidekiq|
      sidekiq.wait { sidekiq.snapshots.any? }
      Holdup::ExperimentPlan::PlanFile.new(sidekiq.dir).write(running_plan)
      sidekiq.wait { sidekiq.log.include?("experiment x7k2 is not followed") }
      reason =
        /: this server can't change its threads while it runs; give processes different values and another/
      assert_match(reason, sidekiq.log)
      assert_equal ["three", 4], sidekiq.snapshots.first.setting.attributes.values_at("arm", "job_threads")
      assert_equal "sidekiq", sidekiq.entries.first.read(&:profile)["live.none"]
    end
  end

  def running_plan
    from_s = Time.now.to_i / 120 * 120
    turns = Holdup::Switchback.new(from_s:, turn_s: 60, settle_s: 15, cycles: 5)
    Holdup::ExperimentPlan.new(id: "x7k2", lever: "threads", values: [3, 2], turns:, by: "test", why: "")
  end

  def test_what_it_knows_of_the_process
    with_sidekiq("-c", "3", "-q", "default", "-q", "low") do |sidekiq|
      sidekiq.push("LongJob.perform_async")
      sidekiq.wait_reported("long")
      pools = sidekiq.wait {
        sidekiq.snapshots.first.header.pools.then { |known|
          known if known.dig(0, :busy) == 1
        }
      }
      assert_equal [[3, 1], [1, 0]], pools.map { |pool| pool.values_at(:max, :busy) }
      facts = sidekiq.snapshots.first.setting.attributes
      assert_equal ["sidekiq", 4, -1, "default:3 single:1", "default low single"],
        facts.values_at("jobs", "job_threads", "job_priority", "job_capsules", "job_queues")
      assert_equal ["strict", nil, nil], facts.values_at("job_mode", "job_weights", "job_fetch")
      servers = Holdup::Doctor::Reader::RunningServers
      seen = sidekiq.wait { servers.new.call.find { |server| server.pid == sidekiq.pid } }
      assert_equal ["sidekiq", sidekiq.dir], [seen.name, seen.dir]
      profile = sidekiq.entries.first.read(&:profile)
      assert_equal ["default (default, low)", "single"], profile.values_at("pool.0", "pool.1")
      initializer = File.expand_path("apps/sidekiq/config/initializers/sidekiq.rb", __dir__)
      line = 1 + File.readlines(initializer).index { |text| text.include?("capsule.concurrency") }
      assert_equal [3, "ARGV", "config/initializers/sidekiq.rb:#{line}"],
        profile.values_at("lever.concurrency.value", "lever.concurrency.where",
          "lever.concurrency single.where")
    end
  end

  # Threads that have just been started wait for each other, and the main thread has never been without the
  # GVL.
  def test_the_books_of_an_idle_process_balance_from_the_first_tick
    with_sidekiq("-c", "5") do |sidekiq|
      5.times do |tick|
        snapshot = sidekiq.wait {
          sidekiq.snapshots.first.then { |found|
            found if found&.counters&.fetch(:stalled_ns)&.positive?
          }
        }
        slots = snapshot.slots.compact
        explained = slots.sum { |slot| slot.named_sums[:caused_ns] } + snapshot.counters[:handoff_ns]
        stalled = slots.sum { |slot| slot.histogram(:stalled).sum }
        assert_in_delta stalled, explained, stalled * 0.001, "reading #{tick}"
        sidekiq.wait { sidekiq.snapshots.first.header.heartbeat_ns > snapshot.header.heartbeat_ns }
      end
    end
  end

  # Two capsules; of one the only thread is busy. The first heartbeat comes at once.
  def test_what_waits_in_redis
    with_sidekiq("-c", "2", before: "5.times { LongJob.set(queue: 'single').perform_async }") do |sidekiq|
      default, single = sidekiq.wait {
        sidekiq.snapshots.first&.header&.pools&.then { |pools|
          pools if pools.dig(0, :backlog)
        }
      }
      assert_equal [0, 0], default.values_at(:backlog, :oldest_ns)
      assert_includes 4..5, single[:backlog]
      assert_includes 1..HOUR_NS, single[:oldest_ns]
      profile = sidekiq.wait do
        sidekiq.entries.first.read(&:profile).then { |read| read if read["waiting.1.0"] }
      end
      assert_equal "0:default=0", profile["waiting.0.0"]
      assert_match(/\A0:single=[45]\z/, profile["waiting.1.0"])
      refute_match(/holdup: (?!measuring |the collector ends; requests )/, sidekiq.log)
    end
  end

  def test_asks_redis_nothing_when_it_is_switched_off
    with_sidekiq("-c", "2", env: {"HOLDUP_BACKLOG" => "false"}) do |sidekiq|
      pools = sidekiq.wait {
        sidekiq.snapshots.first&.then { |snapshot|
          snapshot.header.pools if snapshot.gauges[:redis_rtt_ns]
        }
      }
      assert_equal [nil, nil], pools.map { |pool| pool[:backlog] }
    end
  end

  def test_earlier_versions
    EARLIER.each do |gemfile|
      with_sidekiq("-c", "3", env: {**OtherBundle::OF_THE_TESTS, "BUNDLE_GEMFILE" => gemfile}) do |sidekiq|
        sidekiq.wait { sidekiq.snapshots.first&.header&.pools&.dig(0, :backlog) }
        run_all_kinds(sidekiq)
        assert_equal COUNTED.merge("in the child" => [1, 0]), sidekiq.counts
        assert_match(/\A7\./, jobs_of(sidekiq).setting["jobs_version"])
        assert_equal 0, jobs_of(sidekiq).setting["job_priority"]
        assert_includes 1..HOUR_NS, sidekiq.unit("PlainJob").histogram(:queued).max
        assert_equal %w[default single], %w[PlainJob SingleJob].map { |name| sidekiq.unit(name).series.pool }
      end
    end
  end

  # As `holdup exec` starts it: one more variable in the environment of an application whose Gemfile does not
  # know Holdup.
  def untouched(*gems)
    Dir.mktmpdir do |folder|
      gemfile = File.join(folder, "Gemfile")
      File.write(gemfile, "source \"https://rubygems.org\"\n#{gems.map { |name| "gem \"#{name}\"\n" }.join}")
      yield OtherBundle.of(gemfile, RUBYOPT: "-r#{BOOT}", WITHOUT_HOLDUP: "1")
    end
  end

  def test_an_application_whose_gemfile_does_not_know_holdup
    untouched("sidekiq") do |env|
      with_sidekiq("-c", "3", env:, command: %w[bundle exec sidekiq -r ./jobs.rb]) do |sidekiq|
        run_all_kinds(sidekiq)
        assert_equal COUNTED.merge("in the child" => [1, 0]), sidekiq.counts
      end
    end
  end

  def run_in_rails(*program, env: {})
    program = [*ServedApp::BUNDLED, "sidekiq"] if program.empty?
    with_sidekiq(env: {"ACTIVE_JOB" => "1", "RAILS_ENV" => "production"}.merge(env),
      command: [*program, "-r", "./rails"]) do |sidekiq|
      sidekiq.push("WelcomeJob.perform_later; DigestJob.perform_later; MovedJob.perform_later")
      {"welcome" => 2, "digest" => 1, "moved" => 1}.each { |what, times| sidekiq.wait_reported(what, times) }
      sidekiq.stop
      assert_equal({"WelcomeJob" => [2, 0], "DigestJob" => [1, 0], "MovedJob" => [1, 1]}, sidekiq.counts)
      assert_equal ["sidekiq", Rails.version], jobs_of(sidekiq).setting.attributes.values_at("jobs", "rails")
    end
  end

  def test_rails_needs_no_line_at_all = run_in_rails

  def test_rails_whose_gemfile_does_not_know_holdup
    untouched("rails", "sidekiq") { |env| run_in_rails(*%w[bundle exec sidekiq], env:) }
  end

  def test_a_job_that_is_stopped_and_put_back_is_two_runs_and_no_error
    with_sidekiq("-c", "1") do |sidekiq| # one thread: an idle one could take what is put back, and lose it
      sidekiq.push("LongJob.perform_async")
      sidekiq.wait_reported("long")
      sidekiq.stop
      assert_equal({"LongJob" => [1, 0]}, sidekiq.counts)
      sidekiq.report("release")
      sidekiq.start
      sidekiq.wait_reported("long done")
      sidekiq.stop
      assert_equal({"LongJob" => [2, 0]}, sidekiq.counts)
    end
  end

  def test_an_iterable_job_that_gives_way_has_not_failed
    with_sidekiq("-c", "1") do |sidekiq|
      sidekiq.push("ListJob.perform_async")
      sidekiq.wait_reported("element 2")
      sidekiq.stop
      sidekiq.start
      sidekiq.wait_reported("element 3")
      sidekiq.stop
      assert_equal({"ListJob" => [2, 0]}, sidekiq.counts)
    end
  end

  def test_a_quiet_process_measures_its_jobs_to_their_end
    with_sidekiq do |sidekiq|
      sidekiq.push("LongJob.perform_async")
      sidekiq.wait_reported("long")
      sidekiq.signal(:TSTP)
      sidekiq.signal(:TTIN)
      sidekiq.wait { sidekiq.log.include?("no longer accepting") }
      sidekiq.report("release")
      sidekiq.wait { sidekiq.counts == {"LongJob" => [1, 0]} }
      sidekiq.stop
      assert_equal 0, jobs_of(sidekiq).header.pools.dig(0, :busy)
    end
  end

  def test_a_killed_process_loses_no_finished_unit
    with_sidekiq do |sidekiq|
      sidekiq.push("20.times { PlainJob.perform_async }; LongJob.perform_async")
      sidekiq.wait { sidekiq.counts == {"PlainJob" => [20, 0]} && sidekiq.reported("long") == 1 }
      sidekiq.stop(:KILL)
      assert_equal({"PlainJob" => [20, 0]}, sidekiq.counts)
      assert_equal [false], sidekiq.entries.map(&:alive)
    end
  end

  def test_active_job_is_counted_once_under_its_own_class
    with_sidekiq(env: {"ACTIVE_JOB" => "1"}) do |sidekiq|
      sidekiq.push("WelcomeJob.perform_later; MovedJob.perform_later; DigestJob.perform_later")
      {"welcome" => 2, "moved" => 1, "digest" => 1}.each { |what, times| sidekiq.wait_reported(what, times) }
      sidekiq.stop
      assert_equal({"WelcomeJob" => [2, 0], "MovedJob" => [1, 1], "DigestJob" => [1, 0]}, sidekiq.counts)
      assert_includes 1..HOUR_NS, sidekiq.unit("MovedJob").histogram(:queued).max
    end
  end

  def test_stops_as_fast_as_without_us
    stop = ->(env) { with_sidekiq(env:) { |sidekiq| seconds { sidekiq.stop } } }
    assert_no_slower(1, with: -> { stop.call({}) }, without: -> { stop.call({"WITHOUT_HOLDUP" => "1"}) })
  end

  def test_embedded_in_a_script_that_starts_holdup_later
    RedisServer.run do |redis|
      SidekiqProcess.run(redis, command: [*ServedApp::BUNDLED_RUBY, "embedded.rb"]) do |sidekiq|
        sidekiq.wait { sidekiq.counts == {"PlainJob" => [1, 0]} }
        assert_equal 2, jobs_of(sidekiq).setting["job_threads"]
        assert_equal 0, sidekiq.stop.exitstatus
        assert_equal({"PlainJob" => [1, 0]}, sidekiq.counts)
      end
    end
  end

  def test_embedded_in_puma
    RedisServer.run do |redis|
      ServedApp.serve(*ServedApp::BUNDLED, "puma", "-C", "puma.rb", app: "sidekiq",
        env: {"REDIS_URL" => redis.url}) do |app|
        redis.call("FLUSHALL") # a server that got stuck in its shutdown is tried again
        3.times { app.get("/push") }
        app.wait { redis.get("reported:plain") == "3" && app.counts["GET /push"] == 3 }
        app.wait { jobs(app) == {"PlainJob" => 3} }
        snapshot = app.wait { app.snapshots.first.then { |known| known if known.header.pools.size == 2 } }
        assert_equal [0, 3, 2],
          [snapshot.header.worker_index, *snapshot.header.pools.map { |pool| pool[:max] }]
        assert_equal ["puma", "sidekiq", 3, 2],
          snapshot.setting.attributes.values_at("server", "jobs", "threads", "job_threads")
        app.stop(idle_s: 8) # Sidekiq gives its jobs seconds, in which nothing runs
        assert_equal 1, app.snapshots.size
      end
    end
  end
end
