# frozen_string_literal: true

module Holdup
  module Capture
    # Takes stacks of running threads during a requested capture: from tick to tick with vernier where the
    # application has it, else with the probe itself. A vernier profile is on the heap and is handed over in
    # one piece with the GVL held: so each is short, and none runs while the process switches threads a lot.
    class StackSampling
      # Limit of events in a tick; vernier keeps about a marker for each, and needs 2 to 5 ms for so many at
      # its end.
      BUSY_EVENTS = 3_000
      LONGEST_S = 60
      MOST_SAMPLES = 1_000

      # @param wish [Symbol] :auto; :holdup for none
      def self.of(wish, probe:, guard:)
        new(probe:, guard:) if wish == :auto
      end

      # @param profiles [Class, nil] nil: VernierProfile, loaded with the first capture
      def initialize(probe:, guard:, profiles: nil)
        @probe = probe
        @guard = guard
        @profiles = profiles
        @lock = Mutex.new # the application's threads end a profile too
      end

      def begin(ring)
        @ring = ring
        @known = Hash.new { |known, function| known[function] = function }
        @off = false
        @events = @probe.sample_elsewhere(false)
      end

      def tick
        attempt { go_on } if @ring
      end

      def finish
        attempt { take } if @ring
        @ring = @known = nil
      end

      # The application begins its own profile or forks, which a profiler's locks do not survive. Runs on any
      # of its threads.
      def give_way
        @off = true
        @guard.call(:capture_sampler) { stop } if @profile
      end

      private

      def go_on
        take
        start if quiet? && possible?
      end

      def attempt
        before = cpu_ns
        succeeded = @guard.call(:capture_sampler) do
          yield
          true
        end
        give_up unless succeeded
        @probe.charge_capture(cpu_ns - before)
      end

      # The probe continues alone.
      def give_up
        @off = true
        @guard.call(:capture_sampler) { stop }
      end

      def possible?
        return false if @off || !profiles.here?
        @hooked ||= profiles.before_each { give_way unless @lock.owned? }
        @hooked && profiles.free?
      end

      def profiles
        @profiles ||= begin
          require_relative "vernier_profile"
          VernierProfile
        end
      end

      def quiet?
        before = @events
        @events = @probe.sample_elsewhere(false)
        before && @events && @events - before < BUSY_EVENTS
      end

      def start
        @lock.synchronize do
          return if @off
          @ring.add_facts("sampler" => profiles.title)
          @profile = profiles.new
          @probe.sample_elsewhere(true)
          @profile.start
        end
      end

      def stop
        @lock.synchronize do
          profile = @profile
          @profile = nil
          @samples = profile.stop if profile
          @probe.charge_capture(profile.cpu_ns) if profile
        ensure
          @probe.sample_elsewhere(false)
        end
      end

      def take
        stop
        samples = @samples
        @samples = nil
        hand_over(samples.call(@known).first(MOST_SAMPLES)) if samples
      end

      # Only the exact time of its sample identifies a thread that is gone.
      def hand_over(samples)
        threads = Thread.list.to_h { |thread| [thread.object_id, thread] }
        samples.each do |id, at_ns, stack, exact|
          @probe.take_sample(threads[id], at_ns, stack) if exact || threads.key?(id)
        end
      end

      def cpu_ns
        Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID, :nanosecond)
      end
    end
  end
end
