# frozen_string_literal: true

require "json"

module Holdup
  module Advise
    # The current and the changed setting side by side.
    class WhatIfReport
      # What an answer says whose self-test fails, see CertainChange#json, and in which keys.
      NO_REPLAY = {measured: nil, before: nil, after: nil, gain: nil, gain_interval: nil, boots: nil}.freeze

      # @param test [Sizing::SelfTest::SelfTestResult]
      # @return [Hash{Symbol => Object}] for programs
      def self.self_test(test)
        {grade: test.grade, reasons: test.reasons,
         errors: test.errors.transform_values { |error| error.round(4) }}
      end

      # @param found [Sizing::WhatIf::WhatIfResult, nil] nil: only its title is asked for
      # @param change [Sizing::WhatIf::WhatIfChange]
      # @param exactness [Boolean] whether it says how exact the answer is; a page of advice says so itself
      def initialize(found, change:, kind:, slo:, span:, words: View::Words.new, exactness: true)
        @found = found
        @exactness = exactness
        @change = change
        @kind = kind
        @slo = slo
        @span = span
        @words = words
        @figures = AdviceFigures.new(words)
      end

      # @return [View::Page]
      def page
        View::Page.new(title:, blocks: [*answer, section])
      end

      # @return [Array<Object>] for a page with another title
      def blocks
        [*answer, section.with(title:)]
      end

      # @return [String] for programs; ends with a newline
      def json
        "#{JSON.pretty_generate(to_h)}\n"
      end

      def to_h
        gained = {gain: known? ? @found.gain.round(4) : nil,
                  gain_interval: known? ? @found.interval.minmax.map { |bound| bound.round(4) } : nil,
                  boots: JsonAdvice.boots(@found.boots)}
        context = {amdahl_threads: @found.amdahl, unsupported: @found.unsupported,
                   bias: AdviceFigures::Bias.json(@found.bias), misses: @found.misses, dominance: nil}
        {text: lead, **json_of(@found), **gained, **self_test, **groups, **context}
      end

      def title
        word(:title, changes: @words.list(changes), kind: @words.call(:"advice_kind_#{@kind}"), span: @span)
      end

      private

      def answer
        [View::Blocks::Lead.new(text: lead), View::Blocks::Notes.new(texts: remarks, warning: true)]
      end

      # A model that was wrong twice says so first; a page of advice says it itself.
      def lead
        return sentence unless @exactness && @found.wrong_again?
        wrong = @words.call(:advice_wrong_again, misses: View::Figures.count(@found.misses))
        @words.sentences([wrong, sentence])
      end

      # Units that the change names, and the others, where it treats them differently.
      def groups
        return {} unless @found.named
        {named: json_of(@found.named), others: json_of(@found.others)}
      end

      def self_test
        @exactness ? {self_test: self.class.self_test(@found.self_test)} : {}
      end

      def json_of(sides)
        measured = sides.measured && JsonAdvice.prediction(sides.measured)
        {measured:, before: JsonAdvice.prediction(sides.before), after: JsonAdvice.prediction(sides.after)}
      end

      def word(key, **facts)
        @words.call(:"whatif_#{key}", **facts)
      end

      def known? = @found.replayed?

      def measured? = !@found.measured.nil?

      def changes
        {**of_setting, **of_units}.compact.map { |key, value|
          word(:"change_#{key}", value: View::Width.clean(value))
        }
      end

      def of_setting
        {threads: @change.threads, processes: @change.processes,
         slice: @change.time_slice_ns && View::Figures.duration(@change.time_slice_ns),
         vcpus: @change.vcpus && View::Figures.rate(@change.vcpus)}
      end

      def of_units
        {factor: ((@change.factor - 1).abs < 1e-9) ? nil : format("%g", @change.factor),
         without: @change.without, halved: @change.halved,
         mix: pairs(@change.mix) { |share| View::Figures.share(share) }, own_pool: own(true),
         own_threads: own(false), priorities: pairs(@change.priorities, &:to_s), io: @change.io}
      end

      def own(apart)
        @change.own_pool.name if @change.own_pool&.apart? == apart
      end

      def pairs(named)
        named.map { |name, value| "#{yield value} #{name}" }.join(", ") if named.any?
      end

      def sentence
        return word(:unserved) unless known?
        return overloaded if overload
        worse = @found.gain.negative?
        low, high = @found.interval.minmax.map { |bound| worse ? -bound : bound }.minmax
        word(worse ? :worse : :better, gain: @figures.share(@found.gain.abs), percentile: @slo.name,
          low: @figures.share(low), high: @figures.share(high))
      end

      # More arrives than is served: each wait is as long as the replayed time, and no share of a response.
      # @return [Sizing::Guards::Violation, nil]
      def overload
        @found.after.guards.find { |hit| hit.name == :stability && hit.value > @found.after.ceiling }
      end

      def overloaded
        word(:overloaded, rate: View::Figures.rate(overload.value),
          ceiling: View::Figures.rate(@found.after.ceiling))
      end

      def notes
        corrected = AdviceFigures::Bias.new(@found.bias, words: @words).sentences
        [*(word(:replayed_note) if measured?), *exactness, *boots, *corrected, amdahl]
      end

      def exactness
        return [] unless @exactness
        reasons = AdviceVerdict::Reasons.new(@found, words: @words, kind: @kind)
        AdviceVerdict::Exactness.new(reasons:, words: @words,
          **@found.to_h.slice(:self_test, :peak, :warnings)).call
      end

      def boots = @figures.boots(@found.boots)

      def amdahl
        @words.call(:advice_amdahl, amdahl: @found.amdahl, share: View::Figures.share(@found.idle_share))
      end

      def remarks
        needs + unknown_cost
      end

      # What the answer assumes about Ruby or the server, if the recorded ones differ.
      def needs
        @found.unsupported.map { |key|
          word(:"needs_#{key}", ruby: fact("ruby"), server: fact("server", "server_version"))
        }
      end

      def unknown_cost
        hits = @found.after.guards.select { |hit| hit.name == :unknown_cost }
        hits.map { |hit| word(:unknown_cost, share: @figures.share(hit.value)) }
      end

      def fact(*names)
        View::Width.clean(names.filter_map { |name| @found.setting[name] }.join(" "))
      end

      def section
        columns = [word(:figure), word(:before), *(word(:replayed) if measured?), word(:after)]
        View::Section.new(title: "", columns:, rows:, notes:)
      end

      def rows
        sides.map { |label, value| row(label, @found, &value) } + parts + pools
      end

      # The present as it was measured, and as its replay has it, with which the change is compared.
      def row(label, sides)
        measured = sides.measured ? yield(sides.measured) : View::Figures::NONE
        [label, *(measured if measured?), *[sides.before, sides.after].map { |prediction| yield prediction }]
      end

      # Units that are treated differently may gain at the cost of others.
      def parts
        return [] unless @found.named
        names = View::Width.clean(@change.names.join(", "))
        {word(:named, percentile: @slo.name, names:) => @found.named,
         word(:others, percentile: @slo.name) => @found.others}
          .map { |label, sides|
          row(label, sides) { |one| View::Figures.duration(one.responses[@slo.percentile]) }
        }
      end

      def pools
        @found.pools.flat_map do |name, sides|
          name = View::Width.clean(name)
          load = word(@found.concurrent_units ? :pools_peak : :pools_busy)
          [row(word(:pool_rate, name:, load:), sides) { |one| View::Figures.rate(one.throughput) },
            row(word(:pool_stalled, name:, load:), sides) { |one| View::Figures.duration(one.stalled_ns) }]
        end
      end

      def sides
        at = @slo.percentile
        {word(:setting) => ->(one) { @figures.setting(one.candidate, slice: !@change.time_slice_ns.nil?) },
         word(:ceiling) => ->(one) { View::Figures.rate(one.ceiling) },
         word(:used) => ->(one) { View::Figures.share([one.utilisation, 1].min) },
         word(:cpus) => ->(one) { View::Figures.rate(one.cpus) },
         word(:queued) => ->(one) { View::Figures.duration(one.queued_ns) },
         word(:stalled) => ->(one) { View::Figures.duration(one.stalled_ns) },
         word(:wait, percentile: @slo.name) => ->(one) { View::Figures.duration(one.waits[at]) },
         **responses(at),
         word(:memory) => ->(one) { View::Figures.bytes(one.memory_bytes) },
         word(:connections) => ->(one) { View::Figures.count(one.connections) },
         word(:binds) => ->(one) { one.guards.empty? ? View::Figures::NONE : @figures.guards(one.guards) }}
      end

      def responses(at)
        [0.5, 0.95, 0.99, at].uniq.to_h { |share|
          name = word(:response, percentile: @slo.with(percentile: share).name)
          [name, ->(one) { View::Figures.duration(one.responses[share]) }]
        }
      end
    end
  end
end
