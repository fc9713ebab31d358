# frozen_string_literal: true

module Holdup
  module Lab
    class Sweep
      # A sweep's result as a report: the verdict first, then its evidence.
      class Report
        def initialize(result, words: View::Words.new)
          @sentences = Sentences.new(result, words:)
          @tables = SettingTables.new(result, words:)
        end

        def page
          doubts = View::Blocks::Notes.new(texts: @sentences.doubts, warning: true)
          View::Page.new(title: @sentences.title, about: @sentences.recorded,
            blocks: [View::Blocks::Lead.new(text: @sentences.verdict), doubts, *@tables.sections])
        end

        # A sweep's result in sentences: the verdict, the errors of the predictions, and doubts.
        class Sentences
          # Endpoints to name; the others are only counted.
          NAMED = 5

          def initialize(result, words:)
            @result = result
            @words = words
          end

          def title = word(:title, **facts)

          # @return [Hash{Symbol => Object}] what it tried, for a title
          def facts
            plan = @result.plan
            {
              settings: plan.arms.map(&:setting).uniq.size,
              command: View::Width.clean(plan.command.join(" ")),
              rounds: plan.rounds,
              seconds: format("%g", plan.seconds)
            }
          end

          # @return [String] the main sentence
          def verdict
            rate = @result.rate
            return word(:early, base:) unless rate && @result.noise(rate)
            facts = {base:, level: level(rate), noise: share(@result.noise(rate)), percentile:}
            @result.best ? word(:best, **facts, **better(@result.best)) : word(:same, **facts)
          end

          # @return [String] the largest errors of the predictions
          def predictions
            return word(:unpredicted, base:) unless @result.predicted?
            lines = @result.rates.flat_map { |rate| @result.lines(rate) }
            errors = lines.map { |line| line.errors(@result.share) }.reject(&:empty?)
            worst = %i[throughput wait percentile].to_h do |key|
              [key, share(errors.map { |error| error[key].abs }.max)]
            end
            word(:predicted, base:, share: percentile, **worst)
          end

          # @return [String, nil] what Amdahl's law suggests for the baseline, next to the measurement
          def amdahl
            share = @result.idle_share
            return unless share
            @words.call(:advice_amdahl, amdahl: Analysis::Amdahl.suggestion(share), share: share(share))
          end

          # @return [Array<String>] the recording that the requests come from, if any
          def recorded
            recorded = @result.plan.recorded
            return [] unless recorded
            rate = View::Figures.rate(recorded[:rate])
            [word(:recorded, endpoints: recorded[:endpoints], rate:, level: level(*@result.plan.rates))]
          end

          # @return [Array<String>] what it leaves out of the recording
          def left_out
            recorded = @result.plan.recorded.to_h
            return [] if recorded.fetch(:left, []).empty?
            [word(:left_out, names: names(recorded[:left]), share: share(recorded[:left_share]),
              cpu: share(recorded[:left_cpu]))]
          end

          # @return [Array<String>] doubts about the figures
          def doubts
            [*left, *left_out, *unsteady, *overrun, *failed, *tool]
          end

          # @return [String] "20, 40 requests/s"
          def level(*rates)
            key = @result.plan.closed? ? :level_closed : :level_open
            word(key, rate: rates.map { |rate| format("%g", rate) }.join(", "), tool: @result.plan.tool)
          end

          private

          def names(all)
            named = all.first(NAMED).map { |name| View::Width.clean(name) }.join(", ")
            (all.size > NAMED) ? word(:and_more, names: named, count: all.size - NAMED) : named
          end

          def better(line)
            base = @result.at(@result.plan.baseline, @result.rate)
            gain = share(@result.gain(line))
            {best: line.arm.name, gain:, after: duration(line), before: duration(base)}
          end

          def left
            return [] if @result.left.zero?
            [word(:left, left: @result.left, all: @result.plan.steps.size, path: @result.path)]
          end

          def tool
            plan = @result.plan
            key = plan.closed? ? :closed : :paced
            plan.tool ? [word(key, tool: plan.tool)] : []
          end

          def unsteady = list(:unsteady, @result.unsteady)

          def overrun = list(:overrun, @result.overrun)

          def failed = list(:failed, @result.failed)

          def list(key, readings)
            return [] if readings.empty?
            [word(key, names: readings.map { |reading| reading.arm.name }.uniq.join(", "))]
          end

          def base = @result.plan.baseline.name

          def percentile = @result.plan.promise.name

          def duration(line)
            View::Figures.duration(line.percentile(@result.share))
          end

          def share(share) = View::Figures.share(share)

          def word(key, **facts)
            @words.call(:"sweep_#{key}", **facts)
          end
        end

        # A sweep's result as sections of a report: measured and predicted side by side at each rate, and the
        # cost of each setting.
        class SettingTables
          def initialize(result, words:)
            @result = result
            @words = words
            @sentences = Sentences.new(result, words:)
          end

          def sections
            [*@result.rates.map { |rate| rate(rate) }, costs]
          end

          private

          def rate(rate)
            rows = @result.lines(rate).map { |line| [name(line.arm), *figures(line)] }
            View::Section.new(title: word(:rate, level: @sentences.level(rate)), columns:, rows:,
              notes: (rate == @result.rates.last) ? notes : [])
          end

          def notes
            notes = [word(:note, percentile:)]
            notes.unshift(@sentences.predictions) unless @result.plan.tool
            notes << word(:predicted_note) if @result.predicted?
            [*notes, *@sentences.amdahl]
          end

          def columns
            compared = @result.predicted? ? [word(:expected), word(:off)] : []
            [
              word(:setting),
              word(:served), *compared,
              word(:wait), *compared,
              percentile, *compared,
              word(:client)
            ]
          end

          def figures(line)
            share = @result.share
            errors = line.errors(share)
            percentile = line.percentile(share)
            predicted_percentile = line.predicted_percentile(share)
            [
              View::Figures.rate(line.throughput),
              *compared(line.predicted_throughput, 1, errors[:throughput]),
              ms(line.wait_ns),
              *compared(line.predicted_wait_ns, 1e6, errors[:wait]),
              ms(percentile),
              *compared(predicted_percentile, 1e6, errors[:percentile]),
              ms(line.client_p95_ns)
            ]
          end

          # Two cells; none without any prediction.
          def compared(value, unit, error)
            return [] unless @result.predicted?
            value ? [View::Figures.rate(value / unit), "#{View::Figures.change(error, 0)} %"] : ["", ""]
          end

          def costs
            columns = %i[setting cpu memory warm_up errors rounds most].map { |key| word(key) }
            rows = @result.plan.arms.filter_map do |arm|
              line = @result.rates.filter_map { |rate| @result.at(arm, rate) }.first
              line && [name(arm), *cost(line)]
            end
            View::Section.new(title: word(:costs), columns:, rows:, notes: [word(:costs_note)])
          end

          def cost(line)
            readings = line.readings
            capacity = @result.capacity(line.arm)
            [
              ms(line.cpu_ns),
              View::Figures.bytes(line.memory_bytes&.round),
              "#{readings.map(&:warm_up_s).max.round} s",
              View::Figures.count(readings.sum(&:errors)),
              readings.size.to_s,
              capacity ? format("%g", capacity.round(1)) : View::Figures::NONE
            ]
          end

          def name(arm)
            "#{arm.name}#{" *" if arm == @result.plan.baseline}"
          end

          def ms(value)
            value ? View::Figures.rate(value / 1e6) : View::Figures::NONE
          end

          def percentile = @result.plan.promise.name

          def word(key, **facts)
            @words.call(:"sweep_#{key}", **facts)
          end
        end
      end
    end
  end
end
