# frozen_string_literal: true

module Holdup
  class Web
    # What the address of a page asks for: the span, which units, how they are sorted. It stands whole in the
    # address, so a page can be sent to somebody else, and links keep it.
    class PageQuery
      # What goes from page to page.
      KEPT = %w[since until app kind name queue threads lang theme].freeze
      SPANS = {"15m" => 900, "1h" => 3600, "6h" => 6 * 3600, "24h" => 86_400, "7d" => 7 * 86_400,
               "30d" => 30 * 86_400}.freeze
      SINCE = "1h"
      KINDS = %i[request job].freeze
      LIMIT = 50
      # Longer ones nobody types.
      LENGTH = View::Pages::Base::LONGEST_NAME

      # @param params [Hash{String => String}] from the address
      # @param now_s [Integer]
      # @raise [UsageError] for what can't be read
      def initialize(params, now_s:)
        @params = params.reject { |_, value| value == "" }
        @now_s = now_s
        check
      end

      # @return [String, nil] as it stands in the address
      def [](name) = @params[name]

      def since
        self["since"] || SINCE
      end

      # @return [Integer] seconds since 1970
      def from_s
        @from_s ||= Queries::OptionValues.moment("since", since, now_s: @now_s)
      end

      # @return [Integer]
      def until_s
        @until_s ||= self["until"] ? Queries::OptionValues.moment("until", self["until"],
          now_s: @now_s) : @now_s
      end

      # @return [Boolean] whether the span ends now
      def live? = self["until"].nil?

      # @return [Symbol, nil]
      def kind
        self["kind"] && Queries::OptionValues.choice("kind", self["kind"], KINDS)
      end

      # @return [Integer, nil]
      def threads
        self["threads"] && Queries::OptionValues.whole("threads", self["threads"], 1..10_000)
      end

      # @return [Integer] rows of a table
      def limit
        self["limit"] ? Queries::OptionValues.whole("limit", self["limit"], 1..10_000) : LIMIT
      end

      # @return [Integer] units that a name must have to be listed
      def least
        self["least"] ? Queries::OptionValues.whole("least", self["least"], 1..1_000_000_000) : 1
      end

      # @return [String] "2026-11-21 12:00 - 2026-11-21 13:00 +09:00"
      def span = View::Moments.span(from_s, until_s)

      # @param overriding [Hash] what the page says itself
      # @return [Analysis::UnitFilter]
      def filter(**overriding)
        Analysis::UnitFilter.new(kind:, name: pattern, queue: self["queue"], threads:, **overriding)
      end

      # @return [Hash{String => String}] what links to other pages have
      def kept = @params.slice(*KEPT)

      # @return [Hash{String => String}]
      def all = @params

      private

      # A part of a name finds it; * stands for anything. Other signs of globs are taken as they are: braces
      # in braces would take time without end.
      def pattern
        text = self["name"] or return
        glob = View::Pages::Unit.glob_of(text).gsub("\\*", "*")
        glob.include?("*") ? glob : "*#{glob}*"
      end

      def check
        @params.each { |name, value| check_text(name, value) }
        unless from_s < until_s
          raise UsageError.new("since is not before until",
            "there would be nothing to show; swap or correct them")
        end
        [kind, threads, limit, least]
      end

      def check_text(name, value)
        unless value.is_a?(String)
          raise UsageError.new("#{name[0, 40].inspect} is not readable",
            "give it once, as text")
        end
        unless value.size <= LENGTH && value.valid_encoding? && !value.include?("\0")
          raise UsageError.new("#{name[0, 40].inspect} is too long or is not text", "shorten it")
        end
      end
    end
  end
end
