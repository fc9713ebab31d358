# frozen_string_literal: true

require "native/native_helper"
require "holdup/segment/directory"

# Other tools in the same process: none disturbs another, and the figures agree.
class CoexistenceTest < NativeTest
  STATES = {duration: :wall_ns, running_duration: :running_ns, stalled_duration: :stalled_ns,
            idle_duration: :idle_ns}.freeze

  # An independent reader of the same events, between two of ours: a thread that loses its turn or its CPU at
  # an end of one has waited in the ones around it, too.
  def test_gvl_timing_agrees_within_two_percent
    skip_unless_installed "gvl_timing"
    threads = Array.new(5) { |seed| Thread.new { Array.new(40) { both(Random.new(seed)) } } }
    requests = threads.flat_map(&:value)
    STATES.each do |theirs, ours|
      expected = requests.sum { |timing, _, _| timing.public_send(theirs, :nanosecond) }
      least, most = [1, 2].map { |place| requests.sum { |all| all[place].public_send(ours) } }
      assert_includes (least * 0.98)..(most * 1.02), expected, ours
    end
  end

  def test_gvltools_gvl_timing_and_vernier_in_one_process
    %w[gvltools gvl_timing vernier].each { |gem| skip_unless_installed gem }
    Dir.mktmpdir do |folder|
      output = fresh_ruby(<<~RUBY, gems: true)
        require "gvltools"
        require "gvl_timing"
        require "vernier"
        [GVLTools::LocalTimer, GVLTools::GlobalTimer, GVLTools::WaitingThreads].each(&:enable)
        Holdup::Probe.enable
        units = nil
        Vernier.profile(out: "#{folder}/profile.json") do
          units = Array.new(4) do
            Thread.new do
              before = GVLTools::LocalTimer.monotonic_time
              unit = nil
              GVLTiming.measure { unit = measured { 30.times { GvlWork.hold(3_000_000); sleep(0.0005) } } }
              [unit, GVLTools::LocalTimer.monotonic_time - before]
            end
          end.map(&:value)
        end
        sleep 0.02 while Holdup::Probe.snapshot[:waiting_threads] > 0
        stalled_ns = units.sum { |unit, _| unit.stalled_ns }
        puts stalled_ns, units.sum(&:last), Holdup::Probe.snapshot[:identity_ticks]
      RUBY
      ours, gvltools, identity = output.lines.last(3).map(&:to_i)
      assert_equal 0, identity
      assert_in_delta 1.0, ours.fdiv(gvltools), 0.05
      assert_operator File.size("#{folder}/profile.json"), :>, 1000
    end
  end

  PROFILERS = {
    "stackprof" => "StackProf.start(mode: :wall, interval: 1000, raw: true); " \
      "at_end = -> { StackProf.stop; StackProf.results[:samples] }",
    "vernier" => "Vernier.start_profile(mode: :wall, interval: 500); " \
      "at_end = -> { Vernier.stop_profile.threads.values.sum { |thread| thread[:samples].size } }",
    "datadog" => <<~RUBY
      Datadog.configure do |c|
        c.logger.instance = Logger.new(File::NULL)
        c.profiling.enabled = c.profiling.advanced.gvl_enabled = true
        c.tracing.enabled = c.telemetry.enabled = c.remote.enabled = false
      end
      at_end = -> { Thread.list.count { |thread| thread.name.to_s.include?("CpuAndWallTimeWorker") } }
    RUBY
  }.freeze

  # Each takes stacks in its own way, by signals or by postponed jobs too.
  def test_profilers_that_run_while_a_capture_takes_stacks
    PROFILERS.each do |gem, start|
      skip "#{gem} is not in this bundle" unless Gem.loaded_specs.key?(gem)
      assert_equal ["", "true", "true"],
        fresh_ruby(<<~RUBY, gems: true).lines.last(3).map(&:chomp), gem
          require "#{gem}"
          require "holdup/capture/event_log"
          require "holdup/loader"
          require "support/captured"
          require "tmpdir"
          P = Holdup::Probe
          P.enable
          #{start}
          Dir.mktmpdir("holdup", "/dev/shm") do |folder|
            file = File.join(folder, "events")
            P.open_capture(file, 100_000, 0, 0, 100_000)
            until Holdup::Capture::Header.parse(File.binread(file, 4096), path: file).stacks.taken > 20
              work = -> { 10.times { GvlWork.hold(1_000_000); GvlWork.release(1) } }
              Array.new(3) { Thread.new(&work) }.each(&:join)
            end
            sleep 0.01 while P.snapshot[:waiting_threads] > 0
            P.close_capture
            puts Captured.disagreement(file)
            puts Captured.read(file).stacks.any?, at_end.call > 0
          end
          $stdout.flush
          exit!(0)
        RUBY
    end
  end

  # Holds of 40 ms of CPU in three methods, for 60, 30 and 10 % of the CPU.
  SHARES = {large: 60, medium: 30, small: 10}.freeze
  HOLD = "(to) = (nil while Process.clock_gettime(*CLOCK) < to)"
  PLANTED = <<~RUBY
    module Planted
      CLOCK = [Process::CLOCK_THREAD_CPUTIME_ID, :millisecond].freeze

      #{SHARES.keys.map { |name| "def self.#{name}#{HOLD}" }.join("\n  ")}
    end
  RUBY

  def test_profilers_that_run_while_long_holds_are_sampled
    PROFILERS.each do |gem, start|
      skip "#{gem} is not in this bundle" unless Gem.loaded_specs.key?(gem)
      Dir.mktmpdir do |folder|
        File.write("#{folder}/planted.rb", PLANTED) # code without a file is not the application's
        output = fresh_ruby(<<~RUBY, gems: true)
          require "#{gem}"
          load "#{folder}/planted.rb"
          P = Holdup::Probe
          P.open_segment("#{folder}/1-1.segment", 20, 128, 3, 7)
          P.application_folders("/nowhere/", [], "/nowhere/")
          P.enable
          P.sample_holds(10_000_000)
          #{start}
          Array.new(3) { Thread.new { loop { sleep 0.0005 } } }
          calls = #{SHARES}.flat_map { |name, share| [name] * (share / 2) }.shuffle(random: Random.new(7))
          held = calls.to_h { |name| [name, 0] }
          now = -> { Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond) }
          calls.each do |name|
            handle = P.enter
            from = now.call
            Planted.public_send(name, Process.clock_gettime(*Planted::CLOCK) + 40)
            held[name] += now.call - from
            P.record(handle, 1, "A#b", nil, nil, false)
            sleep 0.003
          end
          P.tick([])
          P.close_segment
          puts held.values_at(*%i[#{SHARES.keys.join(" ")}]).join(" ")
          puts at_end.call > 0
          $stdout.flush
          exit!(0)
        RUBY
        *, held, goes_on = output.lines(chomp: true)
        assert_equal "true", goes_on, "#{gem} goes on"
        found = planted_shares(Dir["#{folder}/*.segment"].first)
        held_shares(held).each do |name, share|
          assert_in_delta share, found.fetch(name, 0), 10, "#{name} beside #{gem}"
        end
      end
    end
  end

  private

  # Others wait as long as a hold takes, not for the CPU it uses: a thread that gets no CPU holds for longer.
  #
  # @return [Hash{Symbol => Float}] % of the time in which the methods held the GVL
  def held_shares(line)
    ns = SHARES.keys.zip(line.split.map(&:to_i)).to_h
    ns.transform_values { |each| 100.0 * each / ns.values.sum }
  end

  # @return [Hash{Symbol => Float}] % of the sampled stall, by method
  def planted_shares(file)
    slots = Holdup::Segment::Reader.open(file, gone: true, &:snapshot).slots
    methods = slots.select { |slot| slot.series.kind == :method }
    by_method = methods.group_by do |slot|
      (slot.series.queue[/:\d+ Planted\.(\w+)/, 1] || "other").to_sym
    end
    caused = by_method.transform_values { |same| same.sum { |slot| slot.named_sums[:caused_ns] } }
    caused.transform_values { |ns| 100.0 * ns / caused.values.sum }
  end

  # @return [Array(Object, Measurement, Measurement)] theirs, ours inside of it, ours around it
  def both(random)
    timing = inner = nil
    outer = measured { timing = GVLTiming.measure { inner = measured { request(random) } } }
    [timing, inner, outer]
  end

  # Some CPU, some waiting, several releases: a request.
  def request(random)
    random.rand(1..4).times do
      GvlWork.hold(random.rand(1_000_000..5_000_000))
      GvlWork.wait(random.rand(200_000..3_000_000))
    end
    sleep(0.0005)
  end

  def skip_unless_installed(gem)
    require gem
  rescue LoadError
    skip "#{gem} is not in this bundle"
  end
end
