# frozen_string_literal: true

require "native/native_helper"
require "holdup/capture/event_log"

# Captures of a process that has vernier loaded, with the real gem.
class VernierSamplingTest < NativeTest
  SCRIPT = <<~RUBY
    require "vernier"
    require "holdup/capture/event_log"
    require "holdup/capture/controller"
    require "holdup/capture/stack_sampling"
    require "holdup/agent/fork_hook"
    require "holdup/agent/guard"
    require "holdup/loader"
    require "support/captured"
    require "tmpdir"
    $stdout.sync = true
    P = Holdup::Probe
    P.enable
    Log = Class.new { def warn(text) = puts(text); def monotonic_ns = 0 }.new
    SAMPLING = Holdup::Capture::StackSampling.new(probe: P, guard: Holdup::Guard.new(log: Log, clock: Log))

    # Two methods, so that a stack in the wrong thread is seen.
    module Hog
      def self.even(rounds) = rounds.times { 1_000.times { nil } }

      def self.odd(rounds) = rounds.times { 1_000.times { nil } }
    end

    # One after the other and beside each other.
    def work
      3.times do
        [Thread.new { Hog.even(3_000) }, Thread.new { Hog.odd(3_000) }].each { |thread| thread.join; yield }
      end
    end

    def captured(file, sampling: SAMPLING)
      ring = Holdup::Capture::Ring.new(probe: P, log: Log)
      ring.open(file, facts: {})
      sampling&.begin(ring)
      sampling&.tick
      yield
      sleep 0.01 while P.snapshot[:waiting_threads] > 0
      sampling&.finish
      ring.close
      puts Captured.disagreement(file)
      Holdup::Captures::Timeline::Scene.new(Captured.read(file))
    end

    # Of what had the GVL in the threads that hog: the share that has their methods.
    def share(scene)
      hogs = scene.lanes.reject { |lane| lane.name == "main" }
      pieces = hogs.flat_map { |lane| scene.samples.held(lane, 0, scene.recording.length_ticks) }
      stacks = scene.recording.stacks
      hog = ->(stack) { stacks.frames(stack).any? { |frame| frame.label.include?("Hog.") } }
      named = pieces.select { |piece| piece.stack && hog.(piece.stack) }
      named.sum(&:length).fdiv(pieces.sum(&:length))
    end

    def in_own_holds?(scene)
      scene.samples.all.select { |sample| sample.kind == :held }.all? do |sample|
        sample.lane.runs.any? { |run| (run.first.from..run.last.to).cover?(sample.time) }
      end
    end

    # The methods of ours that each thread was seen in.
    def seen(scene)
      method = ->(sample) { scene.recording.stacks.frames(sample.stack).map(&:label).grep(/Hog/).last }
      scene.samples.all.group_by(&:lane).values.map { |own| own.filter_map(&method).uniq }
    end
  RUBY

  def run_with_vernier(script, **options)
    skip "vernier is not in this bundle" unless Gem.loaded_specs.key?("vernier")
    fresh_ruby(SCRIPT + script, gems: true, **options)
  end

  def test_it_says_what_our_own_sampler_says
    lines = run_with_vernier(<<~RUBY).lines.map(&:chomp)
      Dir.mktmpdir("holdup", "/dev/shm") do |folder|
        own = captured(File.join(folder, "own"), sampling: nil) { work { nil } }
        theirs = captured(File.join(folder, "theirs")) { work { SAMPLING.tick } }
        sampler = theirs.recording.header.facts["sampler"]
        puts share(own), share(theirs), sampler == "vernier \#{Vernier::VERSION}"
        methods = seen(theirs)
        puts in_own_holds?(own), in_own_holds?(theirs)
        puts methods.map(&:size).max, methods.flatten.uniq.sort.join(" ")
        puts theirs.recording.stacks.table.count { |frame| frame.label != frame.method_name }
      end
    RUBY
    assert_equal ["", "", "true", "true", "true", "1", "Hog.even Hog.odd", "0"],
      lines.values_at(0, 1, 4, 5, 6, 7, 8, 9)
    own, theirs = lines.values_at(2, 3).map(&:to_f)
    assert_operator theirs, :>=, 0.9 * own, lines.inspect
    assert_operator theirs, :>, 0.5, lines.inspect
  end

  def test_a_profile_of_the_applications_is_its_own
    assert_equal ["", "true", "true", "true", "true"], run_with_vernier(<<~RUBY).lines.map(&:chomp)
      Dir.mktmpdir("holdup", "/dev/shm") do |folder|
        result = nil
        scene = captured(File.join(folder, "events")) do
          work { SAMPLING.tick }
          Vernier.start_profile(mode: :wall, interval: 500)
          work { SAMPLING.tick }
          GC.start
          result = Vernier.stop_profile
        end
        samples = result.threads.values.flat_map { |thread| thread[:samples] }
        names = samples.flat_map { |stack| result.stack(stack).frames.map(&:label) }
        puts names.include?("Hog.even"), result.gc_markers.any?, share(scene) > 0, in_own_holds?(scene)
      end
    RUBY
  end

  # A profiler's locks do not live in a child.
  def test_a_fork_ends_its_profile_first
    assert_equal ["", "child", "true", "true"], run_with_vernier(<<~RUBY).lines.map(&:chomp).last(4).sort
      Holdup::ForkHook.install(before: -> { SAMPLING.give_way }) { P.after_fork }
      Dir.mktmpdir("holdup", "/dev/shm") do |folder|
        scene = captured(File.join(folder, "events")) do
          child = fork do
            Array.new(3) { Thread.new { 20.times { Thread.pass } } }.each(&:join)
            puts "child"
            exit!(0)
          end
          Process.wait(child)
          work { SAMPLING.tick }
        end
        puts $?.success?, share(scene) > 0
      end
    RUBY
  end

  def test_a_killed_process_leaves_a_file
    Dir.mktmpdir("holdup", "/dev/shm") do |folder|
      file = File.join(folder, "events")
      work = "{ work { SAMPLING.tick }; puts :ready; loop { Hog.even(100) } }"
      script = "#{FreshRuby::PRELUDE}#{SCRIPT}captured(#{file.dump}) #{work}"
      io = IO.popen([RbConfig.ruby, "-W:no-experimental", "-e", script])
      assert_equal "ready", io.gets&.chomp
      Process.kill(:KILL, io.pid)
      io.close
      recording = Holdup::Capture::EventLog.parse(File.binread(file), path: file)
      refute_predicate recording.header, :closed?
      assert_match(/\Avernier \d/, recording.header.facts["sampler"])
      assert_includes recording.stacks.table.map(&:label), "Hog.odd"
    end
  end
end
