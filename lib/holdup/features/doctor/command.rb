# frozen_string_literal: true

module Holdup
  module Doctor
    # Reports what is measured on this host, what is missing, and why a number may be wrong, each with the
    # remedy.
    class Command
      extend CLI::CommandArguments

      OPTIONS = CLI::Options.new("holdup doctor [options]", [
        CLI::Options::STORE,
        CLI::Options::DIR,
        Queries::Option.whole("--autoscale-target N", 1..100, "whether a CPU alarm at N % can fire"),
        Queries::Option.switch("--full", "every check, also if it is more than a screen"),
        *CLI::Formats.options(%i[text json]),
        CLI::Options::LANGUAGE
      ])

      # @param autoscale_target [Integer, nil] percentage
      # @param full [Boolean] whether a text lists every check, also if it is more than a screen
      def initialize(console:, store: nil, dir: nil, autoscale_target: nil, format: :text, full: false,
        language: nil)
        @console = console
        @store = store
        @dir = dir
        @autoscale_target = autoscale_target
        @format = format
        @full = full
        @words = View::Words.new(language || CLI::Places.language(console.env))
      end

      # @return [Integer] exit status: 1 when something failed
      def run
        host = examination.call
        findings = Checks.call(host)
        @console.show((@format == :json) ? json(findings, host) : text(findings))
        findings.any?(&:fail?) ? CLI::FAILED : CLI::OK
      end

      private

      def text(findings)
        report = Report.new(findings, words: @words)
        return CLI::Formats.screen(report, console: @console) unless @full
        CLI::Formats.render(report.page, format: @format, console: @console, words: @words)
      end

      def json(findings, host)
        Report::Json.new(findings, processes: host.segments, words: @words).call
      end

      def examination
        Holdup::Doctor::Reader.new(dir: CLI::Places.directory(@console.env, @dir), clock: @console.clock,
          segments: Holdup::Doctor::SegmentReader, open_store: -> { open_store },
          autoscale_target: @autoscale_target, env: @console.env)
      end

      def open_store
        url = CLI::Places.store(@console.env, @store)
        Store.open(url, read_only: true)
      end
    end
  end
end
