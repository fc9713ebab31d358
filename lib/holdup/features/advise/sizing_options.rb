# frozen_string_literal: true

require "shellwords"

module Holdup
  module Advise
    # The options of the commands that size a deployment: the recording, and the limits of what it ran on.
    module SizingOptions
      SINCE_S = 2 * 3600
      SINCE = "2h (the default) ago, or 2026-11-21T12:00"

      # The percentile and the time that users are promised.
      SloType = Data.define do
        include Queries::OptionTypes::Plain

        def read(option, text, _now_s)
          slo = Sizing::Slo.parse(text)
          return slo if slo
          raise UsageError.new("#{option} can't be #{text[0, 100].inspect}",
            "it takes a percentile from p50 on and a time, such as p95=300ms")
        end
      end

      # Bytes: "2G", "512M".
      SizeType = Data.define do
        include Queries::OptionTypes::Plain

        def read(option, text, _now_s)
          match = self.class::TEXT.match(text)
          bytes = match ? (Float(match[1]) * self.class::BYTES.fetch(match[2].upcase)).round : 0
          return bytes if bytes.positive?
          raise UsageError.new("#{option} can't be #{text[0, 100].inspect}",
            "it takes a size such as 512M or 2G")
        end
      end
      SizeType::TEXT = /\A(\d{1,9}(?:\.\d{1,3})?)([KMGT]?)(?:i?B)?\z/i
      SizeType::BYTES = {"" => 1, "K" => 1 << 10, "M" => 1 << 20, "G" => 1 << 30, "T" => 1 << 40}.freeze

      SLO = Queries::Option.declare("--slo WHAT", SloType.new, "the promise: p95=300ms, or only p99 (p95)",
        purpose: :question, tool: "the promise to users, such as p95=300ms")
      VCPUS = Queries::Option.positive("--vcpus N", "of a host, where the samples don't know",
        purpose: :question, tool: "CPUs of a host, where the recording does not know")
      WARM_UP = Queries::Option.declare("--warm-up TIME", Queries::OptionTypes::WholeSeconds.new(0),
        "after a boot, that don't count (measured, at most 120s)", key: :warm_up_s,
        purpose: :question)

      # Options of the recording and the limits of its deployment.
      RECORDING = [
        SLO, Queries::SelectionOptions[:kind], *Queries::SelectionOptions.origin, VCPUS,
        *Queries::SelectionOptions.span(SINCE), WARM_UP, CLI::Options::STORE, CLI::Options::LANGUAGE
      ].freeze

      module_function

      # @return [Hash{Symbol => Integer}] from_s and to_s
      def span_of(values, now_s)
        to_s = values.fetch(:until, now_s)
        from_s, to_s = Queries::SelectionOptions.ordered(values.fetch(:since, to_s - SINCE_S), to_s)
        {from_s:, to_s:}
      end

      # @return [String] "2026-11-21 12:00 - 2026-11-21 14:00"
      def span_text(from_s:, to_s:)
        [from_s, to_s].map { |second| Time.at(second).strftime("%Y-%m-%d %H:%M") }.join(" - ")
      end

      # @return [String] options that make another command read the same recording; a password is not shown,
      #   because reports are passed on
      def again(from_s:, to_s:, origin: Queries::Origin.new, store: nil)
        from, to = [from_s, to_s].map { |second| Time.at(second).utc.strftime("%FT%TZ") }
        words = ["--since", from, "--until", to]
        origin.limits.each { |part, name| words.push("--#{part}", name) }
        words.push("--store", Store.redact(store)) if store
        Shellwords.join(words)
      end
    end
  end
end
