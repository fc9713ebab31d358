# frozen_string_literal: true

module Holdup
  module Analysis
    class ProcessReport
      # CPUs that the other processes of a host used while the measured ones ran.
      #
      # What a container used and measured processes did not is the use of others only as long as there are
      # measured processes, and as long as their CPU time is known. Before that, an application that boots
      # counts as another process, and so does the one that it replaces.
      class UnmeasuredCpu
        # Share of the time that a process was there, from which its known CPU time stands for all of it:
        # samples of a process and of its container come at different seconds.
        KNOWN = 0.5

        # @param container [SampleTrail]
        # @param processes [Array<SampleTrail>] measured ones of the same host
        def initialize(container, processes)
          @container = container
          @processes = processes
        end

        # @return [Array<OtherCpuInterval>] from one sample of the container to the next
        def intervals
          @container.points(:cpu_ns).each_cons(2).filter_map do |(from_s, before), (to_s, after)|
            measured_ns = measured_ns(from_s, to_s) or next
            cpus = (after - before - measured_ns).fdiv((to_s - from_s) * NS)
            OtherCpuInterval.new(from_s:, to_s:, cpus: [cpus, 0.0].max)
          end
        end

        private

        # @return [Float, nil] CPU time of the measured processes; nil if they were there for a part only, or
        #   it is not known
        def measured_ns(from_s, to_s)
          # A process that lives has a sample in each interval.
          sampled = @processes.select { |trail| trail.last_s > from_s }
          lives = sampled.map { |trail| TimeInInterval.of(trail, from_s, to_s) }
          lives = lives.select { |life| life.seconds.positive? }
          there = MeasuredTime.of_any(lives.map { |life| [life.from_s, life.to_s] })
          return if lives.empty? || there.total_s < to_s - from_s || !lives.all?(&:known?)
          lives.sum(0.0, &:cpu_ns)
        end

        # The part of an interval in which a process was there.
        TimeInInterval = Data.define(:trail, :from_s, :to_s) do
          def self.of(trail, from_s, to_s)
            born_s = [trail[:since_s] || trail.first_s, trail.first_s].min
            to_s = [to_s, trail.last_s].min if trail[:ended]
            new(trail:, from_s: [from_s, born_s].max, to_s:)
          end

          def seconds = to_s - from_s

          def known? = known_s >= KNOWN * seconds

          def cpu_ns
            trail.grown_between(:cpu_ns, from_s, to_s) * seconds.fdiv(known_s)
          end

          # Seconds for which its samples tell its CPU time.
          def known_s
            first_s, last_s = trail.points(:cpu_ns).map(&:first).minmax
            first_s ? [to_s, last_s].min - [from_s, first_s].max : 0
          end
        end
        private_constant :TimeInInterval
      end
    end
  end
end
