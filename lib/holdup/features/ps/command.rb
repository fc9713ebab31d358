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
        check_watch if watch
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

      def check_watch
        if @format == :json
          raise UsageError.new("--watch and --json can't be combined", "leave out one of them")
        end
        return if @input.tty? && @console.out.tty?
        raise UsageError.new("--watch needs a terminal", "leave it out to print once")
      end

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
        terminal.take { follow(terminal) }
        CLI::OK
      end

      # A key of the terminal ends it, or a terminal that is gone.
      def follow(terminal)
        loop do
          height, = terminal.size
          terminal.draw(text(@reader.look).lines(chomp: true).first(height))
          keys = terminal.keys(1)
          return if keys.intersect?(QUIT)
          terminal.suspend if keys.include?(:suspend)
        end
      end

      QUIT = ["q", :interrupt, :closed].freeze
      private_constant :QUIT
    end
  end
end
