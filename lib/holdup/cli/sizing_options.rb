# frozen_string_literal: true

require "shellwords"

module Holdup
  class CLI
    # The options that `advise` and `whatif` share: the recording, and the limits of its deployment.
    module SizingOptions
      SINCE_S = 2 * 3600
      SIZE = /\A(\d{1,9}(?:\.\d{1,3})?)([KMGT]?)(?:i?B)?\z/i
      BYTES = {"" => 1, "K" => 1 << 10, "M" => 1 << 20, "G" => 1 << 30, "T" => 1 << 40}.freeze

      module_function

      # @param values [Hash] that they go to
      def declare(parser, values, now_s)
        parser.on("--slo WHAT", "the promise: p95=300ms, or only p99 (p95)") do |text|
          values[:slo] = slo(text)
        end
        Options.kind(parser, values)
        Options.origin(parser, values)
        parser.on("--vcpus N", "of a host, where the samples don't know") do |text|
          values[:vcpus] = Queries::OptionValues.positive("--vcpus", text)
        end
        Options.span(parser, values, now_s:, since: "2h (the default) ago, or 2026-11-21T12:00")
        Options.store(parser, values)
        Options.language(parser, values)
      end

      # @param text [String] "2G", "512M"
      # @return [Integer] at least 1
      def bytes(option, text)
        match = SIZE.match(text)
        bytes = match ? (Float(match[1]) * BYTES.fetch(match[2].upcase)).round : 0
        return bytes if bytes.positive?
        raise UsageError.new("#{option} can't be #{text[0, 100].inspect}",
          "it takes a size such as 512M or 2G")
      end

      def slo(text)
        slo = Sizing::Slo.parse(text)
        return slo if slo
        raise UsageError.new("--slo can't be #{text[0, 100].inspect}",
          "it takes a percentile from p50 on and a time, such as p95=300ms")
      end

      def prices(text)
        prices = Sizing::CheapestFleet::FleetPrices.parse(text)
        return prices if prices
        raise UsageError.new("--prices can't be #{text[0, 100].inspect}",
          "it takes the price of an hour of a vCPU and of a GiB of memory: vcpu=0.04,gb=0.005")
      end

      # @return [Hash{Symbol => Integer}] from_s and to_s
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
