# frozen_string_literal: true

module Holdup
  class Web
    # The parameters of a page's address: span, unit filter, sort order. The address contains all of them, so
    # a page can be shared, and links keep them.
    class PageQuery
      # The options that choose measurements, without those that say where they are.
      SELECTION = Queries::SelectionOptions::BY_NAME.except(:store, :dir).freeze
      # Parameters that links to other pages keep.
      KEPT = [*SELECTION.keys.map(&:name), "lang", "theme"].freeze
      SPANS = {"15m" => 900, "1h" => 3600, "6h" => 6 * 3600, "24h" => 86_400, "7d" => 7 * 86_400,
               "30d" => 30 * 86_400}.freeze
      SINCE = "1h"
      LIMIT = 50
      # Longer values are not typed by people.
      LENGTH = View::PageBase::LONGEST_NAME

      # @param params [Hash{String => String}] from the address
      # @raise [UsageError] for invalid values
      def initialize(params, now_s:)
        @params = params.reject { |_, value| value == "" }
        @now_s = now_s
        check
      end

      # @return [String, nil] the unparsed value
      def [](name) = @params[name]

      def since
        self["since"] || SINCE
      end

      # @return [Integer] seconds since 1970
      def from_s
        @from_s ||= read(:since, since)
      end

      def until_s
        @until_s ||= read(:until) || @now_s
      end

      # @return [Boolean] whether the span ends now
      def live? = self["until"].nil?

      # @param span [String] a key of SPANS
      # @return [Boolean] whether it is the span: it began so long ago and ends now
      def last?(span)
        live? && since == span
      end

      def kind = read(:kind)

      def threads = read(:threads)

      # @return [Queries::Origin]
      def origin
        @origin ||= Queries::Origin.new(**Queries::Origin.members.to_h { |part| [part, self[part.name]] })
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
      def span = View::Figures::Moments.span(from_s, until_s)

      # @param overriding [Hash] filters that the page sets itself
      def filter(**overriding)
        Analysis::UnitFilter.new(kind:, name: pattern, queue: self["queue"], threads:, **overriding)
      end

      # @return [Hash{String => String}] parameters of links to other pages
      def kept = @params.slice(*KEPT)

      def all = @params

      private

      # @param name [Symbol] of an option that chooses measurements
      def read(name, text = self[name.name])
        text && SELECTION.fetch(name).read(text, now_s: @now_s, called: name.name)
      end

      # Finds names by a part; * matches anything. Other glob characters are literal: nested braces would take
      # exponential time.
      def pattern
        text = self["name"] or return
        glob = Analysis::UnitFilter.glob_of(text).gsub("\\*", "*")
        glob.include?("*") ? glob : "*#{glob}*"
      end

      def check
        @params.each { |name, value| check_text(name, value) }
        unless from_s < until_s
          raise View::InputError.new(:not_before, :swap_shown, one: "since", other: "until")
        end
        [kind, threads, limit, least]
      end

      def check_text(name, value)
        unless value.is_a?(String)
          raise View::InputError.new(:unreadable, name: name[0, 40].inspect)
        end
        unless value.size <= LENGTH && value.valid_encoding? && !value.include?("\0")
          raise View::InputError.new(:not_text, :shorten, name: name[0, 40].inspect)
        end
      end
    end
  end
end
