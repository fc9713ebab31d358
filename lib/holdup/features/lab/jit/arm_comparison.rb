# frozen_string_literal: true

module Holdup
  module Lab
    module Jit
      # Each arm's CPU time of a request, compared with off in the same round, so that a disturbance of a
      # whole round cancels; and its memory.
      class ArmComparison
        # A smaller difference is noise, even if two runs of the same setting agree.
        LEAST_NOISE = 0.02
        # The arm of Jit.arms without a memory limit.
        UNLIMITED = "after boot"

        # @param result [Sweep::SweepReport] of Jit.arms
        def initialize(result)
          @result = result
        end

        # @return [Numeric, nil] requests per second of the comparison: the lowest rate
        def rate = @result.rates.first

        def lines
          rate ? @result.lines(rate) : []
        end

        # @return [Sweep::SweepReport::SettingLine, nil] off
        def base
          lines.find { |line| line.arm == @result.plan.baseline }
        end

        # @return [Spread, nil] additional CPU of a request compared with off, as a share; nil if unknown
        def change(line)
          off_ns = base ? base.readings.to_h { |reading| [reading.round, reading.cpu_ns] } : {}
          pairs = line.readings.map { |reading| [reading.cpu_ns, off_ns[reading.round]] }
          pairs = pairs.reject { |pair| pair.include?(nil) }
          Spread.paired(*pairs.transpose) { |cpu_ns, off| cpu_ns / off.to_f - 1 } if pairs.any?
        end

        # @return [Float, nil] difference of two runs of off, as a share; nil before the second
        def noise
          again = lines.find { |line| line.arm == @result.plan.baseline.with(again: true) }
          spread = again && change(again)
          spread && [LEAST_NOISE, *spread.values.map(&:abs)].max
        end

        # @return [Sweep::SweepReport::SettingLine, nil] the arm with the least CPU, if the difference exceeds
        #   the noise
        def best
          return unless noise
          others = lines.reject { |line| line.arm.setting == @result.plan.baseline }
          better = others.select { |line| faster?(line) }
          better.min_by { |line| change(line).median }
        end

        # @return [Boolean] whether an arm other than off was measured
        def compared?
          lines.any? { |line| line.arm.setting != @result.plan.baseline }
        end

        # @return [Float, nil] additional bytes of all its processes compared with off
        def memory(line)
          line.memory_bytes && base&.memory_bytes && line.memory_bytes - base.memory_bytes
        end

        # @return [Array<Sweep::SweepReport::SettingLine>] that ran with another JIT than their name says: the
        #   application enabled it, or this Ruby has none
        def misnamed
          lines.select do |line|
            kinds = line.readings.filter_map { |reading| reading.jit[:kind] }
            kinds.any? { |kind| kind != Jit.kind(line.arm) }
          end
        end

        # @return [Array<Sweep::SweepReport::SettingLine>] whose JIT had no memory left
        def saturated
          lines.select { |line| line.readings.any? { |reading| reading.jit[:saturated] } }
        end

        # @return [Integer, nil] MiB for code and metadata, half of the use after boot; nil if a limit was
        #   tried, or nothing was compiled
        def half_mib
          return if lines.any? { |line| line.arm.extra["RUBYOPT"].to_s.include?("mem-size") }
          unlimited = lines.find { |line| line.arm.label == UNLIMITED }
          jit = unlimited&.readings&.last&.jit.to_h
          sizes = jit.values_at(:code_bytes, :metadata_bytes).compact
          [sizes.sum / 2 / MIB, 1].max if sizes.any?
        end

        def to_h
          {rate:, noise: noise&.round(4), best: best&.arm&.name, arms: lines.map { |line| figures(line) }}
        end

        private

        def faster?(line)
          spread = change(line)
          spread && spread.median < -noise
        end

        def figures(line)
          {
            name: line.arm.name,
            cpu_ns: line.cpu_ns,
            change: change(line)&.values&.map { |share| share.round(4) },
            memory_bytes: line.memory_bytes,
            rounds: line.readings.size,
            steady: line.readings.count(&:steady),
            jit: line.readings.last.jit
          }
        end

        # The comparison as a report: the verdict first, then its evidence.
        class ArmReport
          # @param comparison [ArmComparison] of it
          def initialize(result, comparison, words: View::Words.new)
            @result = result
            @comparison = comparison
            @words = words
            @sentences = Sweep::Report::Sentences.new(result, words:)
          end

          def page
            View::Page.new(title: word(:title, **@sentences.facts, jit:), about: @sentences.recorded,
              blocks: [View::Blocks::Lead.new(text: verdict),
                View::Blocks::Notes.new(texts: doubts, warning: true), speed, costs])
          end

          private

          def verdict
            return word(:early) unless @comparison.noise
            return word(:only_off) unless @comparison.compared?
            noise = View::Figures.share(@comparison.noise)
            best = @comparison.best
            best ? word(:best, noise:, **better(best)) : word(:same, noise:, jit:)
          end

          def better(best)
            low, high = @comparison.change(best).values.minmax.map { |share| signed(share) }
            memory = @comparison.memory(best)&.round&.clamp(0, nil)
            {
              best: (Jit.kind(best.arm) == "yjit") ? "YJIT #{best.arm.name}" : best.arm.name,
              cpu: View::Figures.duration(best.cpu_ns),
              before: View::Figures.duration(@comparison.base.cpu_ns),
              low:,
              high:,
              memory: View::Figures.bytes(memory)
            }
          end

          def doubts
            misnamed = names(@comparison.misnamed)
            lists = {misnamed:, saturated: names(@comparison.saturated), unsteady:}
            lists = lists.reject { |_, names| names.empty? }
            said = lists.map { |key, names| word(key, names: names.join("; "), jit:) }
            [*left, *@sentences.left_out, *said]
          end

          # The arms of ZJIT have its name, those of YJIT have none.
          def jit
            kinds = @comparison.lines.map { |line| Jit.kind(line.arm) }
            kinds.include?("zjit") ? "JIT" : "YJIT"
          end

          def names(lines)
            lines.map { |line| line.arm.name }
          end

          # @return [Array<String>] arms that did not become steady, with the number of rounds unless it was
          #   all
          def unsteady
            @comparison.lines.filter_map do |line|
              all = line.readings.size
              count = line.readings.count { |reading| !reading.steady }
              next if count.zero?
              (all == count) ? line.arm.name : word(:rounds, name: line.arm.name, count:, all:)
            end
          end

          def left
            return [] if @result.left.zero?
            [word(:left, left: @result.left, all: @result.plan.steps.size, path: @result.path)]
          end

          def speed
            titles = %i[arm cpu change range].map { |key| word(key, jit:) }
            columns = [*titles, "p50", "p95", "p99", word(:served)]
            View::Section.new(title: word(:speed, level: @sentences.level(@comparison.rate)), columns:,
              rows: @comparison.lines.map { |line| speed_row(line) }, notes: [word(:speed_note)])
          end

          def speed_row(line)
            percentiles = [0.5, 0.95, 0.99].map { |share| ms(line.percentile(share)) }
            [line.arm.name, ms(line.cpu_ns), *change(line), *percentiles, View::Figures.rate(line.throughput)]
          end

          def change(line)
            spread = @comparison.change(line) unless line.arm == @result.plan.baseline
            return [View::Figures::NONE] * 2 unless spread
            bounds = spread.values.minmax.map { |share| View::Figures.change(share, 0) }
            [signed(spread.median), @words.range(*bounds)]
          end

          def costs
            columns = %i[arm memory code metadata full cold warm].map { |key| word(key, jit:) }
            rows = @comparison.lines.map { |line| [line.arm.name, *cost(line)] }
            View::Section.new(title: word(:costs), columns:, rows:, notes: [word(:costs_note), *half])
          end

          def half
            mib = @comparison.half_mib
            mib ? [word(:half, mib:)] : []
          end

          def cost(line)
            readings = line.readings
            jit = readings.last.jit
            sizes = [line.memory_bytes&.round, jit[:code_bytes], jit[:metadata_bytes]]
            [
              *sizes.map { |bytes| View::Figures.bytes(bytes) },
              word(jit[:saturated] ? :yes : :no),
              signed(median(readings, &:cold)),
              "#{median(readings, &:warm_after_s).round} s"
            ]
          end

          def median(readings, &)
            Spread.of(readings.map(&)).median
          end

          def signed(share)
            "#{View::Figures.change(share)} %"
          end

          def ms(value)
            value ? View::Figures.rate(value / 1e6) : View::Figures::NONE
          end

          def word(key, **facts)
            @words.call(:"jitlab_#{key}", **facts)
          end
        end
      end
    end
  end
end
