# frozen_string_literal: true

module Holdup
  module Lab
    module Jit
      # The comparison as a report: the verdict first, then what it stands on.
      class Report
        MS = 1e6

        # @param result [Sweep::SweepReport]
        # @param comparison [Comparison] of it
        # @param words [View::Words]
        def initialize(result, comparison, words: View::Words.new)
          @result = result
          @comparison = comparison
          @words = words
          @sentences = Sweep::Sentences.new(result, words:)
        end

        # @return [View::Page]
        def page
          View::Page.new(title: word(:title, **@sentences.facts), facts: @sentences.recorded, lead: verdict,
            remarks: doubts, sections: [speed, costs])
        end

        private

        def verdict
          return word(:early) unless @comparison.noise
          noise = View::Figures.share(@comparison.noise)
          (best = @comparison.best) ? word(:best, noise:, **better(best)) : word(:same, noise:)
        end

        def better(best)
          low, high = @comparison.change(best).values.minmax.map { |share| signed(share) }
          {best: best.arm.name, cpu: View::Figures.duration(best.cpu_ns), before: View::Figures.duration(@comparison.base.cpu_ns), low:, high:,
           memory: View::Figures.bytes(@comparison.memory(best)&.round&.clamp(0, nil))}
        end

        def doubts
          lists = {misnamed: names(@comparison.misnamed), saturated: names(@comparison.saturated), unsteady:}
          [*left, *@sentences.left_out,
            *lists.reject { |_, names| names.empty? }.map { |key, names| word(key, names: names.join("; ")) }]
        end

        def names(lines)
          lines.map { |line| line.arm.name }
        end

        # In how many rounds, for one of several shifts a median less.
        def unsteady
          @comparison.lines.map { |line|
            [line.arm.name, line.readings.size,
              line.readings.count { |reading| !reading.steady }]
          }
            .select { |*, count| count.positive? }.map { |name, all, count|
            (all == count) ? name : word(
              :rounds, name:, count:, all:
            )
          }
        end

        def left
          @result.left.zero? ? [] : [word(:left, left: @result.left, all: @result.plan.steps.size,
            path: @result.path)]
        end

        def speed
          columns = [word(:arm), *%i[cpu change range].map { |key| word(key) }, "p50", "p95", "p99",
            word(:served)]
          rows = @comparison.lines.map { |line|
            [line.arm.name, ms(line.cpu_ns), *change(line),
              *[0.5, 0.95, 0.99].map { |share| ms(line.percentile(share)) }, View::Figures.rate(line.throughput)]
          }
          View::Section.new(title: word(:speed, level: @sentences.level(@comparison.rate)), columns:, rows:,
            notes: [word(:speed_note)])
        end

        def change(line)
          spread = (unless line.arm == @result.plan.baseline
                      @comparison.change(line)
          end) or return [View::Figures::NONE] * 2
          [signed(spread.median),
            spread.values.minmax.map { |share| View::Figures.change(share, 0) }.join("..")]
        end

        def costs
          columns = [word(:arm), *%i[memory code metadata full cold warm].map { |key| word(key) }]
          View::Section.new(title: word(:costs), columns:,
            rows: @comparison.lines.map { |line| [line.arm.name, *cost(line)] }, notes: [word(:costs_note), *half])
        end

        def half
          (mib = @comparison.half_mib) ? [word(:half, mib:)] : []
        end

        def cost(line)
          readings = line.readings
          jit = line.readings.last.jit
          [line.memory_bytes&.round, jit[:code_bytes],
            jit[:metadata_bytes]].map { |bytes| View::Figures.bytes(bytes) } +
            [word(jit[:saturated] ? :yes : :no), signed(median(readings, &:cold)),
              "#{median(readings, &:warm_after_s).round} s"]
        end

        def median(readings, &)
          Spread.of(readings.map(&)).median
        end

        def signed(share)
          "#{View::Figures.change(share)} %"
        end

        def ms(value)
          value ? View::Figures.rate(value / MS) : View::Figures::NONE
        end

        def word(key, **facts)
          @words.call(:"jitlab_#{key}", **facts)
        end
      end
    end
  end
end
