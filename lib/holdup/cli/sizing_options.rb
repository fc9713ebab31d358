# frozen_string_literal: true

require "shellwords"

module Holdup
  class CLI
    # The options that `advise` and `whatif` share: which recording, and what its deployment may use.
    module SizingOptions
      SINCE_S = 2 * 3600
      BYTES = {"" => 1, "K" => 1 << 10, "M" => 1 << 20, "G" => 1 << 30, "T" => 1 << 40}.freeze

      module_function

      # @param parser [OptionParser]
      # @param values [Hash] that they go to
      # @param now_s [Integer]
      # @return [void]
      def declare(parser, values, now_s)
        parser.on("--slo WHAT", "the promise: p95=300ms, or only p99 (p95)") { |text|
          values[:slo] = slo(text)
        }
        parser.on("--kind KIND", "request (the default) or job") { |text| values[:kind] = Queries::OptionValues.choice("--kind", text, %i[request job]) }
        parser.on("--app NAME", "only this application's units (HOLDUP_APP)") { |text| values[:app] = text }
        parser.on("--vcpus N", "of a host, where the samples don't know") { |text| values[:vcpus] = Queries::OptionValues.positive("--vcpus", text) }
        span(parser, values, now_s)
        parser.on("--store URL", "sqlite:///path or a path ($HOLDUP_STORE)") { |text| values[:store] = text }
        parser.on("--lang LANG", View::Words::LANGUAGES.keys.join(" or ")) { |text| values[:language] = text }
      end

      # @param text [String] "2G", "512M"
      # @return [Integer]
      def bytes(option, text)
        match = /\A(\d{1,9}(?:\.\d{1,3})?)([KMGT]?)(?:i?B)?\z/i.match(text)
        return (Float(match[1]) * BYTES.fetch(match[2].upcase)).round if match && Float(match[1]).positive?
        raise UsageError.new("#{option} can't be #{text[0, 100].inspect}",
          "it takes a size such as 512M or 2G")
      end

      # @return [Sizing::Slo]
      def slo(text)
        Sizing::Slo.parse(text) || raise(UsageError.new("--slo can't be #{text[0, 100].inspect}",
          "it takes a percentile from p50 on and a time, such as p95=300ms"))
      end

      # @param values [Hash]
      # @param now_s [Integer]
      # @return [Hash{Symbol => Integer}] from_s and to_s; the others of values stay
      def span_of(values, now_s)
        to_s = values.fetch(:until, now_s)
        from_s = values.fetch(:since, to_s - SINCE_S)
        unless from_s < to_s
          raise UsageError.new("--since is not before --until",
            "there would be no recording; swap or correct them")
        end
        {from_s:, to_s:}
      end

      # @return [String] "2026-11-21 12:00 - 2026-11-21 14:00"
      def told(from_s:, to_s:)
        [from_s, to_s].map { |second| Time.at(second).strftime("%Y-%m-%d %H:%M") }.join(" - ")
      end

      # @param app [String, nil]
      # @param store [String, nil]
      # @return [String] options with which another command looks at the same
      def again(from_s:, to_s:, app: nil, store: nil)
        since, till = [from_s, to_s].map { |second| Time.at(second).utc.strftime("%FT%TZ") }
        Shellwords.join(["--since", since, "--until", till, *(["--app", app] if app),
          *(["--store", store] if store)])
      end

      def span(parser, values, now_s)
        parser.on("--since TIME", "2h (the default) ago, or 2026-11-21T12:00") { |text| values[:since] = Queries::OptionValues.moment("--since", text, now_s:) }
        parser.on("--until TIME", "the same; now is the default") { |text| values[:until] = Queries::OptionValues.moment("--until", text, now_s:) }
      end
      private_class_method :span
    end
  end
end
