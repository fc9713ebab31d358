# frozen_string_literal: true

module Holdup
  module Ps
    # Which requests and jobs run now in the processes of this host, from their segments.
    class Command
      FORMATS = %i[text json].freeze

      extend CLI::CommandArguments

      OPTIONS = CLI::Options.new("holdup ps [options]", [
        Queries::Option.duration("--longer TIME", "only what has run for so long: 5s, 500ms",
          default: 0, tool: "only requests and jobs that have run for so long: 5s, 2m"),
        Queries::Option.switch("--watch", "each second anew, until q"),
        CLI::Options::DIR,
        *CLI::Formats.options(FORMATS),
        CLI::Options::LANGUAGE
      ])

      # @param longer [Integer] nanoseconds
      # @param watch [Boolean] whether it draws the picture each second anew, in a terminal
      # @param dir [String, nil] folder of the segments
      # @param input [IO] of the keys
      # @raise [UsageError] --watch without a terminal, or with --json
      def initialize(console:, longer: 0, watch: false, dir: nil, format: :text, language: nil, input: $stdin)
        @console = console
        @longer_ns = longer
        @format = format
        @dir = CLI::Places.directory(console.env, dir)
        @words = View::Words.new(language || CLI::Places.language(console.env))
        @reader = Holdup::Ps::Reader.new(@dir, clock: console.clock)
        @input = input
        @watch = watch
        Holdup::Top::LiveText.check(console, input:, format:) if watch
      end

      # @return [Integer] exit status
      # @raise [Error] no process measures
      def run
        return watch if @watch
        work = look
        @console.show((@format == :json) ? json(work) : text(work))
        CLI::OK
      end

      private

      def look
        work = @reader.look
        return work unless work.processes.empty?
        raise Error.new(@reader.trouble || "no process measures in #{@dir}",
          "`holdup doctor` says why; --dir names another folder")
      end

      def json(work) = Report::Json.new(work, words: @words, longer_ns: @longer_ns).call

      def text(work) = View::Text.new(page(work), **@console.layout).call

      def page(work)
        report = Report.new(work, words: @words, longer_ns: @longer_ns)
        report.page(about: ["#{host} #{Time.at(@console.clock.realtime_s).strftime("%T")}"])
      end

      def host
        configured = Configuration.build(env: Configuration.readable(@console.env)).host
        @host ||= View::Width.clean(Collector.host_name(configured, @console.env))
      end

      def watch
        terminal = Holdup::Top::Terminal.new(@input, @console.out)
        Holdup::Top::LiveText.new(terminal, clock: @console.clock, every_s: 1).call { text(@reader.look) }
        CLI::OK
      end
    end
  end
end
