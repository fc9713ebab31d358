# frozen_string_literal: true

require "date"
require "did_you_mean"

module Holdup
  module Queries
    # Parses values of options. A wrong value raises a UsageError that lists the allowed values.
    module OptionValues
      UNITS = {"s" => 1, "m" => 60, "min" => 60, "h" => 3600, "d" => 86_400, "w" => 604_800}.freeze
      # Other ways to write them.
      UNIT_NAMES = {"sec" => "s", "second" => "s", "minute" => "min", "hour" => "h", "day" => "d",
                    "week" => "w"}.freeze
      DURATIONS = {"ns" => 1, "us" => 1_000, "ms" => 1_000_000, "s" => 1_000_000_000}.freeze
      DURATION = /\A(\d{1,9}(?:\.\d{1,6})?)\s?(ns|us|ms|s)\z/
      SLICES_NS = (1_000_000..1_000_000_000)
      # Limit of rates, factors and numbers of CPUs.
      MOST = 100_000
      UNIT = Regexp.union(*UNITS.keys, *UNIT_NAMES.keys.map { |name| /#{name}s?/ })
      LENGTH = /(\d{1,9}(?:\.\d{1,6})?)\s?(#{UNIT})/
      SPAN = /\A#{LENGTH}\z/
      AGO = /\A-?#{LENGTH}(?: ago)?\z/
      # Days that are named; they begin at midnight, local time.
      DAYS = {"today" => 0, "yesterday" => 1}.freeze
      # No store goes back so far.
      FARTHEST_S = 3660 * 86_400
      DATE = /\A(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.\d+)?)?\s?(Z|[+-]\d\d:?\d\d)?)?\z/

      module_function

      # @param option [String] name for the message
      # @raise [UsageError]
      def choice(option, text, known)
        choice = known.find { |value| value.to_s == text }
        return choice if choice
        names = NearestName.spelled(text, known.map(&:to_s))
        refuse(option, text, :did_you_mean, names:) if names.any?
        refuse(option, text, :takes_one_of, names: known.join(", "))
      end

      def whole(option, text, range)
        number = Integer(text, 10, exception: false)
        return number if number && range.cover?(number)
        refuse(option, text, :takes_whole_number, from: range.begin, to: range.end)
      end

      # @param text [String] "2", "0.5"
      def positive(option, text)
        number = Float(text, exception: false)
        return number if number&.positive? && number <= MOST
        refuse(option, text, :takes_positive, most: MOST)
      end

      # @param text [String] "x1.3", "1.3"
      def factor(option, text)
        positive(option, text.delete_prefix("x"))
      end

      # @param text [String] "10ms": how long a thread keeps the GVL from others
      # @return [Integer] ns
      def time_slice(option, text)
        slice_ns = duration(option, text)
        return slice_ns if SLICES_NS.cover?(slice_ns)
        refuse(option, text, :takes_time, from: "1ms", to: "1s")
      end

      def seconds(option, text, range)
        number = Float(text, exception: false)
        return number if number && range.cover?(number)
        refuse(option, text, :takes_seconds, from: range.begin, to: range.end)
      end

      # @param text [String] "45%" or "0.45"
      def share(option, text)
        number = Float(text.delete_suffix("%").strip, exception: false)
        number /= 100 if number && text.end_with?("%")
        return number if number && (0...1).cover?(number)
        refuse(option, text, :takes_share)
      end

      # @param text [String] "12ms", "1.5s", "800us"
      # @return [Integer] ns
      def duration(option, text)
        return (Float($1) * DURATIONS.fetch($2)).round if DURATION =~ text
        refuse(option, text, :takes_duration)
      end

      # @param text [String] "40m", "2h", "1d"
      # @return [Integer] s
      def span(option, text)
        seconds = SPAN.match(text) { |match| in_seconds(match) } || 0
        return seconds if seconds.between?(60, FARTHEST_S)
        refuse(option, text, :takes_span)
      end

      # A length that somebody chose, said back exactly: whole hours or minutes, else seconds.
      # @param seconds [Integer]
      # @param space [String] nothing for an option's value
      # @return [String] "30 s", "3 min", "1 h"
      def length(seconds, space = " ")
        minute, hour = UNITS.fetch("m"), UNITS.fetch("h")
        return "#{seconds}#{space}s" if seconds < minute || (seconds % minute).positive?
        return "#{seconds / minute}#{space}#{space.empty? ? "m" : "min"}" if (seconds % hour).positive?
        "#{seconds / hour}#{space}h"
      end

      # @param text [String] "1, 2,5"
      # @return [Array<String>] at least one: an empty text is refused as any other wrong value
      def parts(text)
        parts = text.split(",").map(&:strip)
        parts.empty? ? [""] : parts
      end

      # @param text [String] "1,2,5"
      # @return [Array<Integer>] ascending, unique
      def list(option, text, range)
        parts(text).map { |part| whole(option, part, range) }.uniq.sort
      end

      # @param text [String] "1h", "1 hour ago", "-1h", "now", "today", "yesterday", or ISO 8601; local time
      #   where no zone is given
      # @return [Integer] s since 1970
      def moment(option, text, now_s:)
        found = second(text, now_s)
        return found if found && (found - now_s).abs <= FARTHEST_S
        refuse(option, text, :takes_moment)
      end

      def second(text, now_s)
        return now_s if text == "now"
        return midnight(Time.at(now_s).to_date - DAYS.fetch(text)) if DAYS.key?(text)
        ago = AGO.match(text)
        return now_s - in_seconds(ago) if ago
        match = DATE.match(text)
        match && date(match)
      rescue ArgumentError # a month 13
        nil
      end

      def midnight(date) = Time.new(date.year, date.month, date.day).to_i

      # @param match [MatchData] of LENGTH
      def in_seconds(match)
        unit = match[2]
        (Float(match[1]) * UNITS.fetch(UNIT_NAMES.fetch(unit.delete_suffix("s"), unit))).round
      end

      def date(match)
        *numbers, zone = match.captures
        zone = "UTC" if zone == "Z"
        zone = zone.sub(/(\d\d)(\d\d)\z/, '\1:\2') if zone&.match?(/\A[+-]\d{4}\z/)
        time = Time.new(*numbers.map(&:to_i), *zone)
        raise ArgumentError, "no such day" unless time.day == match[3].to_i
        time.to_i
      end

      # @param fix [Symbol] what the option takes: a sentence of the locales
      def refuse(option, text, fix, **facts)
        raise View::InputError.new(:invalid_value, fix, option:, value: text[0, 100].inspect, **facts)
      end
      private_class_method :second, :midnight, :in_seconds, :date, :refuse

      # What a mistyped name probably means.
      module NearestName
        MOST = 3

        # @return [Array<String>] names with similar spelling, else those that contain the word
        def self.to(word, known)
          found = spelled(word, known)
          found = known.select { |one| one.downcase.include?(word.downcase) } if found.empty? && !word.empty?
          found.first(MOST)
        end

        # @return [Array<String>] names with similar spelling
        def self.spelled(word, known)
          DidYouMean::SpellChecker.new(dictionary: known).correct(word[0, 50]).first(MOST)
        end

        # @return [String, nil] "did you mean report?"
        def self.hint(word, known)
          found = spelled(word, known)
          found.empty? ? nil : "did you mean #{found.join(" or ")}?"
        end
      end
    end
  end
end
