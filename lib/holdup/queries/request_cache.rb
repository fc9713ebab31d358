# frozen_string_literal: true

module Holdup
  module Queries
    # A Store::Sql for one page: reads once what the page asks for twice (all units, and one among all). With
    # `origin` it shows only what came from there.
    class RequestCache
      # Samples of a process are a minute apart, windows a minute long. Who asks for those of a span soon asks
      # for the nearest ones outside of its windows, so both are read at once.
      EDGE_S = 121

      def initialize(store, origin: Origin.new)
        @whole = store
        @origin = origin
        @answers = {}
        @samples = {}
      end

      def snapshot(&) = @whole.snapshot(&)

      # To choose from, whatever was chosen.
      # @param part [Symbol] one of Origin::FACTS
      def names(part)
        @answers[[:names, part]] ||= Origin.names(@whole, part)
      end

      def settings
        @answers[:settings] ||= store.settings
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

      def stalls(*span, **options)
        @answers[[:stalls, span, options]] ||= store.stalls(*span, **options).to_a
      end

      def stall_sums(*span, **options)
        @answers[[:stall_sums, span, options]] ||= store.stall_sums(*span, **options)
      end

      def finest_s(from_s) = store.finest_s(from_s)

      def processes(from_s, to_s, every_s: nil)
        if every_s
          @answers[[:processes, from_s, to_s, every_s]] ||= store.processes(from_s, to_s, every_s:)
        else
          samples_around(from_s, to_s).select { |sample| sample[:at_s] >= from_s && sample[:at_s] < to_s }
        end
      end

      def profiles(*span, **options)
        @answers[[:profiles, span, options]] ||= store.profiles(*span, **options).to_a
      end

      def unit_spans(*span)
        @answers[[:unit_spans, span]] ||= store.unit_spans(*span)
      end

      def profile_starts(*span)
        @answers[[:profile_starts, span]] ||= store.profile_starts(*span)
      end

      def outcomes = store.outcomes

      def audit_entries(*span, **options)
        @answers[[:audit_entries, span, options]] ||= store.audit_entries(*span, **options)
      end

      def collection_states
        @answers[:collection_states] ||= store.collection_states
      end

      def health
        @answers[:health] ||= store.health
      end

      def close = @whole.close

      private

      def samples_around(from_s, to_s)
        kept = @samples.find { |(since_s, until_s), _| since_s <= from_s && until_s >= to_s }
        return kept.last if kept
        since_s, until_s = [from_s - EDGE_S, to_s + EDGE_S]
        @samples[[since_s, until_s]] = store.processes(since_s, until_s)
      end

      # @raise [UsageError] for an unknown name
      def store
        @store ||= @origin.of(@whole)
      end
    end
  end
end
