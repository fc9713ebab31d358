# frozen_string_literal: true

module Holdup
  module Lab
    module Jit
      # What each arm does to the CPU time of a request, round by round against off: what disturbs a whole
      # round cancels. And what it costs in memory.
      class Comparison
        # Less than that is noise even where two runs of the same happened to agree.
        LEAST_NOISE = 0.02
        # The arm of Jit.arms without a limit.
        UNLIMITED = "after boot"
        MIB = 1 << 20

        # @param result [Sweep::SweepReport] of Jit.arms
        def initialize(result)
          @result = result
        end

        # @return [Numeric, nil] requests per second at which it is compared: the lowest
        def rate = @result.rates.first

        # @return [Array<Sweep::SweepResult>]
        def lines
          rate ? @result.lines(rate) : []
        end

        # @return [Sweep::SweepResult, nil] off
        def base
          lines.find { |line| line.arm == @result.plan.baseline }
        end

        # @param line [Sweep::SweepResult]
        # @return [Spread, nil] by what share a request takes more CPU than with off; nil where nobody knows
        def change(line)
          pairs = line.readings.filter_map { |reading|
            (other = base&.readings&.find { |one| one.round == reading.round }) && [
              reading.cpu_ns, other.cpu_ns
            ]
          }.reject { |pair|
            pair.include?(nil)
          }
          Spread.paired(*pairs.transpose) { |one, other| one / other.to_f - 1 } if pairs.any?
        end

        # @return [Float, nil] by what share two runs of off differ; nil before the second
        def noise
          again = lines.find { |line| line.arm == @result.plan.baseline.with(again: true) }
          again && change(again)&.then { |spread| [LEAST_NOISE, *spread.values.map(&:abs)].max }
        end

        # @return [Sweep::SweepResult, nil] that takes least CPU, by more than chance
        def best
          return unless noise
          better = lines.reject { |line| line.arm.setting == @result.plan.baseline }.select { |line|
            change(line)&.then { |spread| spread.median < -noise }
          }
          better.min_by { |line| change(line).median }
        end

        # @param line [Sweep::SweepResult]
        # @return [Float, nil] bytes that all its processes take more than with off
        def memory(line)
          line.memory_bytes && base&.memory_bytes && line.memory_bytes - base.memory_bytes
        end

        # @return [Array<Sweep::SweepResult>] that ran with another JIT than their name says: the application
        #   switches it on, or it was not to be had
        def misnamed
          lines.select { |line|
            line.readings.any? { |reading|
              reading.jit[:kind] && (reading.jit[:kind] == "off") != off?(line.arm)
            }
          }
        end

        # @return [Array<Sweep::SweepResult>] whose JIT had no memory left
        def saturated
          lines.select { |line| line.readings.any? { |reading| reading.jit[:saturated] } }
        end

        # @return [Integer, nil] MiB for code and metadata, half of what it took after boot; nil where a limit
        #   was tried, or nothing compiled
        def half_mib
          return if lines.any? { |line| line.arm.extra["RUBYOPT"].to_s.include?("mem-size") }
          sizes = lines.find { |line| line.arm.label == UNLIMITED }&.readings&.last&.jit.to_h.values_at(
            :code_bytes, :metadata_bytes
          ).compact
          [sizes.sum / 2 / MIB, 1].max if sizes.any?
        end

        # @return [Hash] for programs
        def to_h
          {rate:, noise: noise&.round(4), best: best&.arm&.name, arms: lines.map { |line| told(line) }}
        end

        private

        def told(line)
          {name: line.arm.name, cpu_ns: line.cpu_ns, change: change(line)&.values&.map { |share| share.round(4) }, memory_bytes: line.memory_bytes,
           rounds: line.readings.size, steady: line.readings.count(&:steady), jit: line.readings.last.jit}
        end

        def off?(arm) = arm.extra["HOLDUP_JIT"] == "off"
      end
    end
  end
end
