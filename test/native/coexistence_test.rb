# frozen_string_literal: true

require "native/native_helper"

# Other tools of the field in the same process: nobody disturbs anybody, and the figures agree.
class CoexistenceTest < NativeTest
  STATES = {duration: :wall_ns, running_duration: :running_ns, stalled_duration: :stalled_ns, idle_duration: :idle_ns}.freeze

  # An independent reader of the same events, each request measured by both at once.
  def test_gvl_timing_agrees_within_two_percent
    skip_unless_installed "gvl_timing"
    pairs = Array.new(5) { |seed| Thread.new { Array.new(40) { both(Random.new(seed)) } } }.flat_map(&:value)
    STATES.each do |theirs, ours|
      expected = pairs.sum { |timing, _| timing.public_send(theirs, :nanosecond) }
      actual = pairs.sum { |_, unit| unit.public_send(ours) }
      assert_in_delta 1.0, actual.fdiv(expected), 0.02, "#{ours}: ours #{actual}, theirs #{expected}"
    end
  end

  def test_gvltools_gvl_timing_and_vernier_in_one_process
    %w[gvltools gvl_timing vernier].each { |gem| skip_unless_installed gem }
    Dir.mktmpdir do |folder|
      output = fresh_ruby(<<~RUBY)
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
        puts units.sum { |unit, _| unit.stalled_ns }, units.sum(&:last), Holdup::Probe.snapshot[:identity_ticks]
      RUBY
      ours, gvltools, identity = output.lines.last(3).map(&:to_i)
      assert_equal 0, identity
      assert_in_delta 1.0, ours.fdiv(gvltools), 0.05
      assert_operator File.size("#{folder}/profile.json"), :>, 1000
    end
  end

  private

  def both(random)
    unit = nil
    timing = GVLTiming.measure { unit = measured { request(random) } }
    [timing, unit]
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
