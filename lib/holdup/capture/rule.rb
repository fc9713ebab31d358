# frozen_string_literal: true

require_relative "layout"
require_relative "threshold"

module Holdup
  module Capture
    # What a process waits for all the time (`config.capture`): it keeps its latest events, and what led to
    # the first unit that stalled, or took, too long.
    #
    # - `stall`, `wall`: Limit or nil, one of them at least; `only`: the unit's name, or its start before a
    #   `*`, or a Regexp; nil for any
    # - `every_s`: the least time between two captures; `events`: how many are kept; `stacks`: whether with
    #   stacks
    Rule = Data.define(:stall, :wall, :only, :every_s, :events, :stacks) do
      def initialize(stall: nil, wall: nil, only: nil, every_s: 60, events: 200_000, stacks: true)
        super
      end

      # @param value [Hash, String, Object] {stall: "50 ms", only: "GET /orders"}, or "stall > 50 ms, only=GET
      #   /orders"
      # @return [Rule, nil] nil when it is none
      def self.from(value)
        given = value.is_a?(String) ? RuleText.read(value) : value
        return unless given.is_a?(Hash) && (given.keys - Rule::READ.keys).empty?
        read = given.to_h { |key, one| [(key == :every) ? :every_s : key, Rule::READ.fetch(key).call(one)] }
        new(**read) unless read.values.any?(&:nil?) || read.values_at(:stall, :wall).none?
      end

      # @return [Boolean] whether units of each name have limits of their own
      def by_series?
        !only.nil? || [stall, wall].compact.any?(&:relative?)
      end

      # @param p99_ns [Hash{Symbol => Integer}] of a series
      # @return [Array(Integer, Integer)] ns that its units may stall, and take; 0 for any time
      def limits(p99_ns = {})
        [stall&.ns(p99_ns[:stall]).to_i, wall&.ns(p99_ns[:wall]).to_i]
      end

      # @param name [String] of a unit
      def for?(name)
        return only.nil? || only.match?(name) unless only.is_a?(String)
        only.end_with?("*") ? name.start_with?(only.delete_suffix("*")) : name == only
      end

      # @return [String] "stall > 50 ms or wall > 2 s, only=GET /orders"
      def to_s
        conditions = {stall:, wall:}.compact.map { |what, limit| "#{what} > #{limit.text}" }.join(" or ")
        [conditions, ("only=#{only.is_a?(String) ? only : only.inspect}" if only)].compact.join(", ")
      end
    end

    # A rule as one line, for the environment.
    module RuleText
      SWITCHES = {"on" => true, "off" => false}.freeze

      module_function

      # @param text [String]
      # @return [Hash, nil] nil when it makes no sense
      def read(text)
        conditions, *options = text.split(/,\s*(?=(?:only|every|events|stacks)=)/)
        pairs = conditions.to_s.split(/\s+or\s+/).map { |one| one.split(/\s*>\s*/, 2) }
        return unless pairs.any? && pairs.all? { |what, limit| %w[stall wall].include?(what) && limit }
        pairs.to_h { |what, limit|
          [what.to_sym,
            limit]
        }.merge(options.to_h { |option| option(*option.split("=", 2)) })
      end

      def option(name, text)
        case name
        when "only" then [:only, text]
        when "stacks" then [:stacks, SWITCHES[text]]
        else [name.to_sym, Integer(text, 10, exception: false)]
        end
      end
    end

    # How many events a ring may keep; as Probe::CAPTURE_SIZES.
    Rule::EVENTS = 1024..Layout::MAX_EVENTS

    # How each option is read; nil when it can't be.
    Rule::READ = {
      stall: ->(text) { Threshold.parse(text) if text.is_a?(String) },
      wall: ->(text) { Threshold.parse(text) if text.is_a?(String) },
      only: ->(names) { names if names.is_a?(Regexp) || (names.is_a?(String) && !names.empty?) },
      every: ->(seconds) { seconds if seconds.is_a?(Integer) && seconds.between?(1, 86_400) },
      events: ->(count) { count if count.is_a?(Integer) && Rule::EVENTS.cover?(count) },
      stacks: ->(on) { on if on == true || on == false }
    }.freeze
  end
end
