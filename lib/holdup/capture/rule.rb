# frozen_string_literal: true

require_relative "../model/warm_up"
require_relative "layout"

module Holdup
  module Capture
    # A client's request to a process: one number in its segment (docs/internals/segment.md), which costs the
    # process nothing to check. Anyone who may write to the segment may ask.
    #
    # - `asked_ms`: time of the request, ms since 1970; identifies it
    # - `seconds`: length, in SECONDS; `attended`: whether the client takes the file, else the collector
    Request = Data.define(:asked_ms, :seconds, :attended) do
      def initialize(asked_ms:, seconds:, attended: true)
        super
      end

      def self.decode(number)
        seconds = number >> 48 & ((1 << 15) - 1)
        if Request::SECONDS.cover?(seconds)
          new(asked_ms: number & ((1 << 48) - 1), seconds:, attended: number < Request::UNATTENDED)
        end
      end

      def encode
        (attended ? 0 : Request::UNATTENDED) | seconds << 48 | asked_ms
      end

      def fresh?(now_ms)
        (now_ms - asked_ms).abs <= Request::PATIENCE_MS
      end
    end

    Request::SECONDS = (1..3600)
    Request::UNATTENDED = 1 << 63
    Request::PATIENCE_MS = 15_000

    # The unit that a capture waits for: the first that stalled, or took, longer than so many nanoseconds.
    # Like the Request, it is one number in the process's segment.
    Trigger = Data.define(:what, :over_ns) do
      def self.decode(number)
        what = Trigger::WHATS.key(number >> 48)
        new(what:, over_ns: number & ((1 << 48) - 1)) if what
      end

      # @param text [String] such as "stall > 50 ms"
      def self.parse(text)
        what, number, unit = Trigger::TEXT.match(text)&.captures
        over_ns = (Rational(number) * Trigger::UNITS.fetch(unit)).round if what
        new(what: what.to_sym, over_ns:) if over_ns&.between?(1, (1 << 48) - 1)
      end

      def encode
        Trigger::WHATS.fetch(what) << 48 | over_ns
      end

      def to_s
        unit, ns = Trigger::UNITS.reverse_each.find { |_, ns| (over_ns % ns).zero? } || ["us", 1_000]
        "#{what} > #{over_ns.fdiv(ns).to_s.delete_suffix(".0")} #{unit}"
      end

      def to_h = {what => over_ns}
    end

    Trigger::WHATS = {stall: 1, wall: 2}.freeze
    Trigger::UNITS = {"us" => 1_000, "ms" => 1_000_000, "s" => 1_000_000_000}.freeze
    Trigger::TEXT = /\A(stall|wall)\s*>\s*(\d{1,9}(?:\.\d{1,9})?)\s*(us|ms|s)\z/

    # A unit's limit: in nanoseconds, or as a multiple of its own series' 99th percentile.
    #
    # - `text`: as given; `over_ns`: nil for a multiple; `factor`: nil for nanoseconds
    Threshold = Data.define(:text, :over_ns, :factor) do
      # @param text [String] such as "50 ms" or "p99 x 2"
      def self.parse(text)
        factor = Threshold::MULTIPLE.match(text)&.captures&.first&.to_f
        return (new(text:, over_ns: nil, factor:) if factor.positive?) if factor
        over_ns = Trigger.parse("wall > #{text}")&.over_ns
        new(text:, over_ns:, factor: nil) if over_ns
      end

      # @return [Integer] 0 for none
      def ns(p99_ns)
        return over_ns if over_ns
        p99_ns ? [(p99_ns * factor).round, Threshold::LEAST_NS].max : 0
      end

      def relative? = over_ns.nil?
    end

    # Minimum for a multiple: where units hardly ever stall, a multiple of almost nothing is harmless.
    Threshold::LEAST_NS = 1_000_000
    Threshold::MULTIPLE = /\Ap99\s*(?:x|\*|×)\s*(\d{1,4}(?:\.\d{1,4})?)\z/

    # A process's permanent capture rule (`config.capture`): it keeps its latest events, and what led to the
    # first unit that stalled, or took, too long.
    #
    # - `stall`, `wall`: Threshold or nil, at least one of them
    # - `only`: the unit's name, or its start before a `*`, or a Regexp; nil for any
    # - `every_s`: shortest time between two captures; `warm_up_s`: how long after its first unit a process
    #   does not capture; `events`: how many are kept; `stacks`: whether to take them
    Rule = Data.define(:stall, :wall, :only, :every_s, :warm_up_s, :events, :stacks) do
      def initialize(
        stall: nil, wall: nil, only: nil, every_s: 60, warm_up_s: WARM_UP_S, events: 200_000, stacks: true
      )
        super
      end

      # @param value [Hash, String, Object] {stall: "50 ms", only: "GET /orders"}, "stall > 50 ms, only=GET
      #   /orders"
      def self.from(value)
        given = value.is_a?(String) ? RuleText.read(value) : value
        return unless given.is_a?(Hash) && (given.keys - Rule::READ.keys).empty?
        read = given.to_h { |key, text| [key, Rule::READ.fetch(key).call(text)] }
        read = read.transform_keys(every: :every_s, warm_up: :warm_up_s)
        new(**read) unless read.values.any?(&:nil?) || read.values_at(:stall, :wall).none?
      end

      def by_series?
        !only.nil? || [stall, wall].compact.any?(&:relative?)
      end

      # @return [Array(Integer, Integer)] ns that units may stall, and take; 0 for any time
      def limits(p99_ns = {})
        [stall&.ns(p99_ns[:stall]).to_i, wall&.ns(p99_ns[:wall]).to_i]
      end

      def for?(name)
        return only.nil? || only.match?(name) unless only.is_a?(String)
        only.end_with?("*") ? name.start_with?(only.delete_suffix("*")) : name == only
      end

      # @return [String] "stall > 50 ms or wall > 2 s, only=GET /orders"
      def to_s
        conditions = {stall:, wall:}.compact.map { |what, limit| "#{what} > #{limit.text}" }
        names = only.is_a?(Regexp) ? only.inspect : only
        [conditions.join(" or "), ("only=#{names}" if names)].compact.join(", ")
      end
    end

    module RuleText
      SWITCHES = {"on" => true, "off" => false}.freeze

      module_function

      # @return [Hash, nil] nil when it makes no sense
      def read(text)
        conditions, *options = text.split(/,\s*(?=(?:only|every|warm_up|events|stacks)=)/)
        pairs = conditions.to_s.split(/\s+or\s+/).map { |one| one.split(/\s*>\s*/, 2) }
        return unless pairs.any? && pairs.all? { |what, limit| %w[stall wall].include?(what) && limit }
        limits = pairs.to_h { |what, limit| [what.to_sym, limit] }
        limits.merge(options.to_h { |option| option(*option.split("=", 2)) })
      end

      def option(name, text)
        case name
        when "only" then [:only, text]
        when "stacks" then [:stacks, SWITCHES[text]]
        else [name.to_sym, Integer(text, 10, exception: false)]
        end
      end
    end

    # Events that a ring may keep; as Probe::CAPTURE_SIZES.
    Rule::EVENTS = 1024..Layout::MAX_EVENTS

    # Reads each option; nil when invalid.
    Rule::READ = {
      stall: ->(text) { Threshold.parse(text) if text.is_a?(String) },
      wall: ->(text) { Threshold.parse(text) if text.is_a?(String) },
      only: ->(names) { names if names.is_a?(Regexp) || (names.is_a?(String) && !names.empty?) },
      every: ->(seconds) { seconds if seconds.is_a?(Integer) && seconds.between?(1, 86_400) },
      warm_up: ->(seconds) { seconds if seconds.is_a?(Integer) && seconds.between?(0, 86_400) },
      events: ->(count) { count if count.is_a?(Integer) && Rule::EVENTS.cover?(count) },
      stacks: ->(on) { on if on == true || on == false }
    }.freeze
  end
end
