# frozen_string_literal: true

require "delegate"

module Holdup
  module Queries
    # A store for one page or command. Its parts are read one after the other, and several of them ask
    # the same: when anything was measured (for rates, CPU ceilings and charts), which settings there are (for
    # the choices, the filter and the changes), the windows and samples of the span (for all units, and for
    # one among all). In the store of a fleet each of these answers can take as long as the whole page, so
    # each is read once. With `origin` it shows only what came from there.
    class RequestCache < SimpleDelegator
      # Samples of a process are a minute apart, windows a minute long. Who asks for those of a span soon asks
      # for the nearest ones outside of its windows, so both are read at once.
      EDGE_S = 121

      # A span whose samples of processes were read. Of a long one they are far apart, and do for a question
      # that wants them about as far apart and goes on a little at its ends.
      SampleSpan = Data.define(:from_s, :to_s, :every_s, :ends, :hosts) do
        def answers?(other)
          return false unless every_s.nil? == other.every_s.nil? && ends == other.ends && hosts == other.hosts
          little_s = other.every_s.to_i / 10
          (every_s.to_i - other.every_s.to_i).abs <= little_s && within?(other, little_s)
        end

        # For Reader#processes.
        def options = {every_s:, ends: ends || nil, hosts:}.compact

        private

        def within?(other, more_s)
          other.from_s >= from_s - more_s && other.to_s <= to_s + more_s
        end
      end
      private_constant :SampleSpan

      def initialize(store, origin: Origin.new)
        super(store)
        @whole = store
        @origin = origin
        @answers = {}
        @samples = {}
        @unit_spans = {}
      end

      def snapshot(&) = @whole.snapshot(&)

      def part? = @origin.limits.any?

      # To choose from, whatever was chosen.
      # @param part [Symbol] one of Origin::FACTS
      def names(part)
        @answers[[:names, part]] ||= Origin.names(all_settings, part)
      end

      def settings
        @answers[:settings] ||= store.equal?(@whole) ? all_settings : store.settings
      end

      def windows(*span, **options)
        @answers[[:windows, span, options]] ||= store.windows(*span, **options).to_a
      end

      def sums(*span, **options)
        @answers[[:sums, span, options]] ||= store.sums(*span, **options)
      end

      def setting_starts(*span, **options)
        @answers[[:setting_starts, span, options]] ||= store.setting_starts(*span, **options)
      end

      def processes(from_s, to_s, every_s: nil, ends: false, hosts: nil)
        samples = samples_for(SampleSpan.new(from_s:, to_s:, every_s:, ends:, hosts:))
        samples.select { |sample| sample[:at_s] >= from_s && sample[:at_s] < to_s }
      end

      def unit_samples(*span, **options)
        @answers[[:unit_samples, span, options]] ||= store.unit_samples(*span, **options).to_a
      end

      def slowest_units(*span, **options)
        @answers[[:slowest_units, span, options]] ||= store.slowest_units(*span, **options)
      end

      def slowest_from_s
        @answers[:slowest_from_s] ||= [store.slowest_from_s]
        @answers[:slowest_from_s].first
      end

      def unit_spans(starts)
        missing = starts - @unit_spans.keys
        found = missing.empty? ? {} : store.unit_spans(missing)
        missing.each { |start_s| @unit_spans[start_s] = found.fetch(start_s, []) }
        @unit_spans.slice(*starts).reject { |_, blocks| blocks.empty? }
      end

      def unit_sample_starts(*span)
        @answers[[:unit_sample_starts, span]] ||= store.unit_sample_starts(*span)
      end

      def answer(question) = @whole.answer(question)

      def audit_entries(*span, **options)
        @answers[[:audit_entries, span, options]] ||= store.audit_entries(*span, **options)
      end

      def deaths(*span)
        @answers[[:deaths, span]] ||= store.deaths(*span)
      end

      def recent_figures(*span, **options)
        @answers[[:recent_figures, span, options]] ||= store.recent_figures(*span, **options)
      end

      def collector_checkpoints
        @answers[:collector_checkpoints] ||= store.collector_checkpoints
      end

      def extent
        @answers[:extent] ||= store.extent
      end

      def health
        @answers[:health] ||= store.health
      end

      def close = @whole.close

      # The store of the origin, which is looked for when something of it is asked for.
      # @raise [UsageError] for an unknown name
      def __getobj__
        @store ||= @origin.of(@whole)
      end

      private

      def all_settings
        @all_settings ||= @whole.settings
      end

      def samples_for(span)
        kept = @samples.find { |read, _| read.answers?(span) }
        return kept.last if kept
        span = span.with(from_s: span.from_s - EDGE_S, to_s: span.to_s + EDGE_S) unless span.every_s
        @samples[span] = store.processes(span.from_s, span.to_s, **span.options)
      end

      def store = __getobj__
    end
  end
end
