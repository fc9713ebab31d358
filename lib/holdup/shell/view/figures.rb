# frozen_string_literal: true

module Holdup
  module View
    # Numbers as people read them: three significant digits and the fitting unit. The only place that converts
    # nanoseconds. Units are ASCII ("us"), so columns stay aligned in every terminal.
    module Figures
      DURATIONS = [[1_000, 1, "ns"], [1_000_000, 1_000, "us"], [1_000_000_000, 1_000_000, "ms"],
        [600_000_000_000, 1_000_000_000, "s"], [7_200_000_000_000, 60_000_000_000, "min"],
        [259_200_000_000_000, 3_600_000_000_000, "h"], [Float::INFINITY, 86_400_000_000_000, "d"]].freeze
      ROUGH = [[90_000_000_000, 1_000_000_000, "s"], [5_400_000_000_000, 60_000_000_000, "min"],
        [172_800_000_000_000, 3_600_000_000_000, "h"], [Float::INFINITY, 86_400_000_000_000, "d"]].freeze
      BYTES = {1_000_000_000 => "GB", 1_000_000 => "MB", 1_000 => "kB"}.freeze
      NONE = "-"

      module_function

      # @return [String] "34.2 ms"
      def duration(ns)
        return NONE unless ns
        return "0" if ns.abs < 0.5
        limit_unit = DURATIONS.find { |limit, _, _| ns.abs < limit * 0.9995 }
        "#{significant(ns.fdiv(limit_unit[1]))} #{limit_unit[2]}"
      end

      # Sentences about elapsed time use it where tenths of a minute do not matter.
      # @return [String] "31 min"
      def rough(ns)
        return NONE unless ns
        _, unit_ns, unit = ROUGH.find { |limit, _, _| ns < limit }
        "#{count(ns.fdiv(unit_ns))} #{unit}"
      end

      # @param bytes [Integer, nil] 1,234,567 => "1.23 MB"
      def bytes(bytes)
        return NONE unless bytes
        # Rounded to three digits, 999,950 bytes are a megabyte.
        unit, name = BYTES.find { |each, _| bytes.abs >= each * 0.9995 }
        unit ? "#{significant(bytes.fdiv(unit))} #{name}" : "#{bytes} B"
      end

      # @return [String] "12,345"
      def count(number)
        return NONE unless number
        number.round.to_s.gsub(/(?<=\d)(?=(\d{3})+\z)/, ",")
      end

      # @return [String] "1,234", or "~1,234" if it is not certain
      def estimate(number, certain:)
        (number.nil? || certain) ? short_count(number) : "~#{short_count(number)}"
      end

      # A count for table cells, at most seven columns wide: "1.23 M".
      def short_count(number)
        return NONE unless number
        return count(number) if number < 1_000_000
        unit, name = (number < 1_000_000_000) ? [1_000_000, "M"] : [1_000_000_000, "G"]
        "#{significant(number.fdiv(unit))} #{name}"
      end

      # @param fraction [Float, nil] 0.298 => "29.8 %"
      def share(fraction)
        text = bare_share(fraction)
        (text == NONE) ? NONE : "#{text} %"
      end

      def bare_share(fraction)
        return NONE if fraction.nil? || fraction.to_f.nan?
        return "0" if fraction.zero?
        percent = fraction * 100
        return "<0.1" if percent.positive? && percent < 0.05
        return "0" if percent.abs < 0.05
        format((percent.abs >= 99.95) ? "%.0f" : "%.1f", percent)
      end

      # A share for tables that are read at a glance, or aloud.
      # @return [String] 0.298 => "30 %"
      def rounded_share(fraction)
        return NONE unless fraction
        return NONE if fraction.to_f.nan?
        percent = (fraction * 100).round
        (percent.zero? && fraction.positive?) ? "<1 %" : "#{percent} %"
      end

      # @param digits [Integer] after the point
      # @return [String] -0.298 => "-29.8", in %; a value that rounds to zero has no sign
      def change(fraction, digits = 1)
        format("%+.#{digits}f", fraction * 100).sub(/\A[+-](?=0(\.0+)?\z)/, "")
      end

      def rate(per_second)
        return NONE unless per_second
        return "0" if per_second.zero?
        (per_second < 0.01) ? "<0.01" : significant(per_second)
      end

      # Countable things whose mean may be a fraction. Little is not nothing: 0.04 stays 0.04.
      # @return [String] "2", "1.50"
      def amount(number)
        whole = number && (number - number.round).abs < 0.05 && (number.zero? || number >= 0.5)
        whole ? count(number) : rate(number)
      end

      def significant(value)
        magnitude = value.abs
        return count(value) if magnitude >= 99.95
        format((magnitude >= 9.995) ? "%.1f" : "%.2f", value)
      end
      private_class_method :significant
    end

    module Figures
      # Moments in sentences, with their zone: readers elsewhere know when it was, and a page can convert them
      # to its viewer's zone.
      module Moments
        MOMENT = /\d{4}-\d\d-\d\d \d\d:\d\d(?::\d\d)?/
        # One or two moments in a text, and the zone of both.
        PATTERN = /(#{MOMENT})(?: [-〜] (#{MOMENT}))? (UTC|[+-]\d\d:\d\d)/

        module_function

        # @param second [Integer] since 1970
        # @return [String] "2026-11-21 12:00 +09:00"
        def at(second, format = "%F %H:%M")
          Time.at(second).strftime("#{format} %:z")
        end

        # @param from_s [Integer] seconds since 1970, as to_s
        # @return [String] "2026-11-21 12:00 - 2026-11-21 13:00 +09:00"
        def span(from_s, to_s)
          to = Time.at(to_s)
          [Time.at(from_s, in: to.utc_offset),
            to].map { |time| time.strftime("%F %H:%M") }.join(" - ") + to.strftime(" %:z")
        end

        # @param moment [String] as MOMENT matches it
        # @return [Time, nil] nil for an invalid date
        def read(moment, zone)
          Time.new("#{moment}#{":00" if moment.count(":") == 1} #{zone}")
        rescue ArgumentError
          nil
        end
      end
    end
  end
end
