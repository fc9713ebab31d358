# frozen_string_literal: true

module Holdup
  module Queries
    # The part of a filter that matches nothing in a span with requests or jobs, and the values that exist.
    #
    # - `part`: :kind, :queue, :name, :threads; `asked`: its value; `kind`: of the filter, nil for any
    # - `known`: Array of String, most units first
    class UnmatchedFilter < Data.define(:part, :asked, :kind, :known)
      # The order counts: each is checked within what the earlier ones match.
      PARTS = %i[kind queue name threads].freeze
      PROBLEMS = {
        kind: "no %<asked>s was measured in that span",
        queue: "no job of that span is of the queue %<asked>s",
        name: "no %<kind>s of that span is called %<asked>s",
        threads: "no %<kind>s of that span ran with %<asked>s threads"
      }.freeze
      SHOWN = 5
      LONGEST = 80

      # @return [UnmatchedFilter, nil] nil when something matches, or when the span is empty
      def self.of(store, from_s, to_s, filter)
        windows = store.sums(from_s, to_s, kinds: Series::UNITS, histograms: []).map(&:window)
        windows = windows.select { |window| window.count.positive? }
        return if windows.empty?
        PARTS.each do |part|
          asked = filter.public_send(part) or next
          matched = matching(windows, Analysis::UnitFilter.new(part => asked))
          if matched.empty?
            return new(part:, asked: asked.to_s, kind: filter.kind, known: known(part, windows))
          end
          windows = matched
        end
        nil
      end

      def self.matching(windows, filter)
        windows.select { |window| filter.series?(window.series) && filter.setting?(window.setting) }
      end

      def self.known(part, windows)
        counts = Hash.new(0)
        windows.each do |window|
          values(part, window).each { |value| counts[value] += window.count }
        end
        counts.sort_by { |value, count| [-count, value] }.map(&:first)
      end

      def self.values(part, window)
        series = window.series
        case part
        when :threads then threads(window.setting)
        when :queue then [series.queue].compact
        when :kind then (series.kind == :overflow) ? [] : [series.kind.name]
        else (series.kind == :overflow) ? [] : [series.name]
        end
      end

      def self.threads(setting)
        setting.attributes.values_at(*Setting::THREADS).compact.map(&:to_s).uniq
      end
      private_class_method :matching, :known, :values, :threads

      # What was probably meant, or the most frequent.
      def shown
        names = nearest.any? ? nearest : known.first(SHOWN)
        names.map { |name| name[0, LONGEST] }
      end

      # Known values similar to the requested one.
      def nearest
        return [] unless %i[name queue].include?(part)
        OptionValues::NearestName.to(asked.gsub(/[*?\[\]{}\\]/, ""), known)
      end

      def error
        text = %i[name queue].include?(part) ? asked[0, 100].inspect : asked
        problem = format(PROBLEMS.fetch(part), asked: text, kind: kind || "request or job")
        return UsageError.new(problem, "did you mean #{shown.join(" or ")}?") if nearest.any?
        UsageError.new(problem, known.empty? ? "there was none at all" : "there were #{instead}")
      end

      private

      def instead
        return shown.map { |value| "#{value}s" }.join(", ") if part == :kind
        more = " ..." if known.size > shown.size
        "#{shown.join(", ")}#{more}"
      end
    end
  end
end
