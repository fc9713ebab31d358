# frozen_string_literal: true

require "json"
require_relative "advice_figures"
require_relative "advice_verdict"
require_relative "json_advice"
require_relative "section"
require_relative "style"
require_relative "table"
require_relative "words"

module Holdup
  module Reports
    # Now and then beside each other.
    class WhatIf
      # @param found [Analysis::Sizing::WhatIf]
      # @param change [Analysis::Sizing::WhatIf::Change]
      # @param kind [Symbol]
      # @param slo [Analysis::Sizing::Slo]
      # @param span [String]
      # @param words [Words]
      # @param width [Integer] columns
      # @param style [Style]
      def initialize(found, change:, kind:, slo:, span:, words: Words.new, width: 80, style: Style.none)
        @found = found
        @change = change
        @kind = kind
        @slo = slo
        @span = span
        @words = words
        @figures = AdviceFigures.new(words)
        @width = width
        @style = style
      end

      # @return [String] ends with a newline
      def call = "#{[*wrap(title), "", *wrap(sentence).map { |line| @style.paint(line, :bold) }, "", *table].join("\n")}\n"

      # @return [String] for programs; ends with a newline
      def json
        "#{JSON.pretty_generate(before: JsonAdvice.prediction(@found.before), after: JsonAdvice.prediction(@found.after), gain: known? ? @found.gain.round(4) : nil,
          gain_interval: known? ? @found.interval.minmax.map { |bound| bound.round(4) } : nil)}\n"
      end

      private

      def word(key, **facts) = @words.call(:"whatif_#{key}", **facts)

      def known? = @found.before.replayed? && @found.after.replayed?

      def title = word(:title, changes: changes.join(", "), kind: @words.call(:"advice_kind_#{@kind}"), span: @span)

      def changes
        {threads: @change.threads, processes: @change.processes, slice: @change.time_slice_ns && Figures.duration(@change.time_slice_ns), vcpus: @change.vcpus && Figures.rate(@change.vcpus),
         factor: ((@change.factor - 1).abs < 1e-9) ? nil : format("%g", @change.factor), without: @change.without && Width.clean(@change.without), halved: @change.halved && Width.clean(@change.halved)}
          .compact.map { |key, value| word(:"change_#{key}", value:) }
      end

      def sentence
        return word(:unserved) unless known?
        worse = @found.gain.negative?
        low, high = @found.interval.minmax.map { |bound| worse ? -bound : bound }.minmax
        word(worse ? :worse : :better, gain: @figures.share(@found.gain.abs), percentile: @slo.name, low: @figures.share(low), high: @figures.share(high))
      end

      def table
        layout = Table.new(Section.new(title: "", columns: [word(:figure), word(:before), word(:after)], rows:), width: [@width, 72].min)
        [@style.paint(layout.head, :dim), *layout.body]
      end

      def rows = sides.map { |label, value| [label, *[@found.before, @found.after].map { |prediction| value.call(prediction) }] }

      def sides
        at = @slo.percentile
        {word(:setting) => ->(one) { @figures.setting(one.candidate, slice: !@change.time_slice_ns.nil?) },
         word(:ceiling) => ->(one) { Figures.rate(one.ceiling) },
         word(:used) => ->(one) { Figures.share([one.utilisation, 1].min) },
         word(:cpus) => ->(one) { Figures.rate(one.cpus) },
         word(:queued) => ->(one) { Figures.duration(one.queued_ns) },
         word(:stalled) => ->(one) { Figures.duration(one.stalled_ns) },
         word(:wait, percentile: @slo.name) => ->(one) { Figures.duration(one.waits[at]) },
         **[0.5, 0.95, 0.99, at].uniq.to_h { |share| [word(:response, percentile: @slo.with(percentile: share).name), ->(one) { Figures.duration(one.responses[share]) }] },
         word(:memory) => ->(one) { Figures.bytes(one.memory_bytes) },
         word(:connections) => ->(one) { Figures.count(one.connections) },
         word(:binds) => ->(one) { one.guards.empty? ? Figures::NONE : @figures.guards(one.guards) }}
      end

      def wrap(text) = Width.wrap(text, @width)
    end
  end
end
