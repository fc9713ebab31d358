# frozen_string_literal: true

require "test_helper"
require "tmpdir"
require "holdup/loader"
require "holdup/segment/directory"

class Holdup::Collector
  class ProcessSamplerTest < Minitest::Test
    NS = 1_000_000_000

    def setup
      @dir = Dir.mktmpdir("holdup-sampler")
      @writer = SegmentWriter.new(@dir, now_ns: 5 * NS)
      @sampler = ProcessSampler.new(
        facts: ->(_pid) { {rss_bytes: 5} }, container: ->(pid) { {vcpus: 2.0, asked: pid} },
        own: -> { {collector_cpu_ns: 7} }, spread: ->(_pid) { 0 }, work_ns: -> { @work_ns }
      )
    end

    def teardown = FileUtils.remove_entry(@dir)

    def test_again_only_after_a_minute_in_the_store
      first = samples(100)
      assert_equal first, samples(100), "what was not committed is sampled again"
      @sampler.committed(first)
      assert_empty samples(159)
      assert_equal [160, 160], samples(160).map { |sample| sample[:at_s] }
    end

    def test_processes_that_were_started_together_are_spread_over_the_minute
      @sampler = ProcessSampler.new(facts: ->(_pid) { {} }, container: ->(_pid) { {} },
        spread: ->(pid) { pid.zero? ? 0 : 20 })
      seen = (100..300).flat_map { |at_s| samples(at_s).each { |sample| @sampler.committed([sample]) } }
      assert_equal [100, 140, 200, 260],
        seen.reject { |sample| sample[:pid].zero? }.map { |sample| sample[:at_s] }
    end

    def test_prefers_the_system_to_the_segment_and_omits_unknown_values
      @writer.gauge(:threads, 3)
      @writer.gauge(:rss_bytes, 99)
      sample = samples(100).first
      assert_equal [5, 3, Process.pid], sample.values_at(:rss_bytes, :threads, :pid)
      refute sample.key?(:backlog)
      refute sample.key?(:ended)
    end

    def test_the_container_of_the_processes_comes_with_them
      assert_equal(
        {at_s: 100, host: "h", pid: 0, name: "container", segment_bytes: File.size(@writer.path),
         collector_cpu_ns: 7, vcpus: 2.0, asked: Process.pid}, samples(100).last
      )
    end

    def test_the_machines_speed_comes_with_the_container
      @work_ns = 900_000
      assert_equal [nil, 900_000], samples(100).map { |sample| sample[:fixed_work_ns] }
    end

    def test_the_machines_speed_is_the_mean_of_all_rounds_of_its_minute
      work = [900_000, 800_000, 700_000, 600_000, 500_000].each
      @work_ns = work.next
      @sampler.committed(samples(100))
      [110, 130, 150].each do |at_s|
        @work_ns = work.next
        @sampler.committed(samples(at_s))
      end
      @work_ns = work.next
      assert_equal 650_000, samples(160).last[:fixed_work_ns]
    end

    # A minute has turns of both arms.
    def test_the_machines_speed_in_the_turns_of_each_arm
      work = {"x:control" => [800_000, 700_000], "x:candidate" => [500_000], nil => [900_000]}
      seconds = (100..).step(10)
      work.each do |arm, times|
        times.each do |ns|
          @work_ns = ns
          @last = samples(seconds.next, attributes: {"arm" => arm}.compact)
        end
      end
      means = work.keys.compact.map { |arm| work_of(Holdup::Setting.new(attributes: {"arm" => arm})) }
      assert_equal [[750_000, 105], [500_000, 120]], means
      assert_equal 725_000, @last.last[:fixed_work_ns]
      assert_equal 4, @last.last.keys.grep(/\Afixed_work\./).size
    end

    def work_of(setting)
      @last.last.values_at(*Holdup::Analysis::Machine::ArmWork.keys(setting.fingerprint))
    end

    def test_a_minute_that_was_not_committed_keeps_its_rounds
      @work_ns = 900_000
      samples(100)
      @work_ns = 700_000
      assert_equal 800_000, samples(110).last[:fixed_work_ns]
    end

    def test_without_a_process_of_this_host_no_work_is_timed
      @sampler = ProcessSampler.new(facts: ->(_pid) { {} }, container: ->(_pid) { {} },
        work_ns: -> { flunk "timed" })
      refute_empty samples(100, here: false)
    end

    def test_a_process_that_ended_is_sampled_as_of_its_last_tick
      @sampler.committed(samples(100))
      @writer.heartbeat(107 * NS)
      @writer.gauge(:cpu_ns, 42)
      last = samples(110, ended: true)
      assert_equal [[107, true, 42]], last.map { |sample| sample.values_at(:at_s, :ended, :cpu_ns) }
      @sampler.committed(last)
      assert_empty samples(120, ended: true)
    end

    def test_the_end_of_a_hung_process_follows_its_last_sample
      @writer.heartbeat(95 * NS)
      @sampler.committed(samples(100))
      last = samples(110, ended: true)
      assert_equal [[101, true]], last.map { |sample| sample.values_at(:at_s, :ended) }
      @sampler.committed(last)
      assert_empty samples(120, ended: true)
    end

    def test_samples_a_process_that_lived_between_two_ticks_with_its_start_and_its_end
      @writer.heartbeat(9 * NS)
      of_processes = samples(15, ended: true).reject { |sample| sample[:pid].zero? }
      assert_equal [[5, 9, true]], of_processes.map { |sample| sample.values_at(:since_s, :at_s, :ended) }
    end

    def test_a_process_of_another_container_is_not_looked_up_here
      sample = samples(100, here: false)
      assert_equal [Process.pid], sample.map { |one| one[:pid] }
      refute sample.first.key?(:rss_bytes)
    end

    def test_pools_have_their_names
      @writer.profile = {"server" => "puma+sidekiq", "pool.0" => "web", "pool.1" => "default"}
      @writer.pools = [[5, 2, 0], [10, nil, 3]]
      sample = samples(100).first
      assert_equal ["puma+sidekiq", "web", 5, 2, 0],
        sample.values_at(:server, :"pool.0", :"pool.0.max", :"pool.0.busy", :"pool.0.backlog")
      assert_equal ["default", 10, nil, 3],
        sample.values_at(:"pool.1", :"pool.1.max", :"pool.1.busy", :"pool.1.backlog")
    end

    def test_levers_only_when_they_change_and_each_hour
      @writer.profile = {"lever.threads.value" => 5, "lever.threads.live" => true}
      assert_equal [5, true],
        (first = samples(100)).first.values_at(:"lever.threads.value", :"lever.threads.live")
      @sampler.committed(first)
      refute samples(160).first.key?(:"lever.threads.value")
      @writer.profile = {"lever.threads.value" => 3}
      assert_equal 3, (changed = samples(160)).first[:"lever.threads.value"]
      @sampler.committed(changed)
      3600.fdiv(60).to_i.times { |minute| @sampler.committed(samples(220 + minute * 60)) }
      assert_equal 3, samples(160 + 3600 + 3600).first[:"lever.threads.value"]
    end

    def test_facts_of_the_jit_and_the_killer_are_in_each_sample
      @writer.profile = {"jit.at" => "process", "killer.name" => "sidekiqswarm", "lever.threads.value" => 5}
      @sampler.committed(samples(100))
      assert_equal ["process", "sidekiqswarm", nil],
        samples(160).first.values_at(:"jit.at", :"killer.name", :"lever.threads.value")
    end

    TOGETHER = {"killer.name" => "puma_worker_killer", "killer.of" => "all"}.freeze

    # @param parents [Hash{Integer => Integer}] pid => parent
    def snapshots(parents, profile)
      parents.map do |pid, parent|
        dir = File.join(@dir, pid.to_s).tap { |path| Dir.mkdir(path) }
        SegmentWriter.new(dir, pid:, start: 1, parent:).profile = profile
        entry = Holdup::Segment::Directory.new(dir).entries.first.with(alive: true)
        ProcessSnapshot.new(header: entry.read(&:header), setting: Holdup::Setting.new(attributes: {}),
          entry:, ended: false)
      end
    end

    def masters(parents, profile)
      sampler = ProcessSampler.new(facts: ->(_pid) { {} }, container: ->(_pid) { {} }, own: -> { {} },
        rss: ->(pid) { pid * 10 })
      sampler.samples(snapshots(parents, profile), "h", 100 * NS).reject { |sample| sample[:pid].zero? }
        .to_h { |sample| [sample[:pid], sample.values_at(:master_pid, :master_rss_bytes)] }
    end

    def test_looks_at_the_master_where_it_is_counted_too
      assert_equal({2 => [1, 10], 3 => [1, 10]}, masters({2 => 1, 3 => 1}, TOGETHER))
    end

    def test_a_worker_that_forked_others_is_not_their_master
      assert_equal({2 => [1, 10], 3 => [1, 10]}, masters({2 => 1, 3 => 2}, TOGETHER))
    end

    def test_ignores_a_master_that_is_not_counted
      assert_equal({2 => [nil, nil]}, masters({2 => 1}, TOGETHER.merge("killer.of" => "process")))
    end

    private

    def samples(at_s, ended: false, here: true, attributes: {})
      entry = Holdup::Segment::Directory.new(@dir).entries.first.with(alive: here)
      header = entry.read(&:header)
      @sampler.samples(
        [ProcessSnapshot.new(header:, setting: Holdup::Setting.new(attributes:), entry:,
          ended:)], "h", at_s * NS
      )
    end
  end
end
