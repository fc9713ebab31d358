# frozen_string_literal: true

module Holdup
  module Advise
    # How many threads, processes and job slots. Several commands have this name: Recommend, and with an
    # option of their own Verify, TrackRecord and Keep, Whatif (--if) and Calculate (--io).
    class Command
      extend CLI::CommandArguments

      ROWS = 14
      FORMATS = %i[text json markdown html].freeze
      OBJECTIVES = %i[latency cost balanced throughput].freeze

      # What an hour of a vCPU and of a GiB of memory costs.
      PricesType = Data.define do
        include Queries::OptionTypes::Plain

        def read(option, text, _now_s)
          prices = Sizing::CheapestFleet::FleetPrices.parse(text)
          return prices if prices
          raise UsageError.new("#{option} can't be #{text[0, 100].inspect}",
            "it takes the price of an hour of a vCPU and of a GiB of memory: vcpu=0.04,gb=0.005")
        end
      end

      OPTIONS = CLI::Options.new("holdup advise [options]", [
        *SizingOptions::RECORDING,
        Queries::Option.text("--queue NAME", "of jobs: size what serves that queue", purpose: :question,
          tool: "of jobs: size what serves this queue"),
        Queries::Option.choice("--objective WHAT", OBJECTIVES, "latency, cost, balanced; jobs: throughput",
          purpose: :question, tool: "what counts"),
        Queries::Option.declare("--within TIME", Queries::OptionTypes::WholeSeconds.new(1),
          "of jobs: in which they are to begin (300s)", key: :within_s, purpose: :question,
          tool: "of jobs: the time in which they are to begin, such as 300s"),
        Queries::Option.declare("--prices WHAT", PricesType.new,
          "vcpu=0.04,gb=0.005: an hour of each; compares fleets", purpose: :question),
        Queries::Option.declare("--load FACTOR", Queries::OptionTypes::Factor.new,
          "x1.3: for so much of the recorded load", key: :factor, purpose: :question, default: 1.0,
          tool: "for so much of the recorded load, such as x1.3"),
        Queries::Option.declare("--memory SIZE", SizingOptions::SizeType.new,
          "limit of a host: 512M, 2G",
          purpose: :question, tool: "memory limit of a host, such as 2G"),
        Queries::Option.whole("--db-connections N", 1..1_000_000,
          "that the database server has for this app", key: :connections, purpose: :question,
          tool: "that the database server has for this application"),
        *CLI::Formats::SCREEN_OPTIONS,
        Queries::Option.whole("--limit N", 4..10_000, "with all tables: rows of settings (#{ROWS})",
          default: ROWS),
        *CLI::Formats.options(FORMATS),
        CLI::Options::OUT,
        Queries::Option.text("--save FILE", "also save it there for --verify"),
        Queries::Option.switch("--fresh", "compute it, even if the store keeps the answer"),
        Queries::Option.switch("--keep", "compute what collectors keep in the store, where due"),
        Queries::Option.text("--verify FILE", "what --save kept: has it come true since?"),
        Queries::Option.switch("--track-record", "how right predictions have been here"),
        Queries::Option.text("--if CHANGE", "what threads=3,load=x2 would do: see whatif"),
        Queries::Option.text("--io SHARE", "how many threads for 45% io: see calculate")
      ])

      class << self
        # @return [Hash{Symbol => Object}] keywords of `new`, or {help: text}
        # @raise [UsageError]
        def parse(argv, console)
          command, arguments = OtherQuestion.find(argv)
          return super unless command
          keywords = command.parse(arguments, console)
          keywords.key?(:help) ? keywords : {command:, keywords:}
        end

        # @return [Hash{Symbol => Object}] the command, and its own keywords
        # @raise [UsageError] options contradict each other
        def keywords(given, console)
          command = command(given.values)
          {command:, keywords: command.keywords(given, console)}
        end

        private

        def command(values)
          return KeepCommand if values.key?(:keep)
          return TrackRecordCommand if values.key?(:track_record)
          values.key?(:verify) ? VerifyCommand : RecommendCommand
        end
      end

      # @param command [Class] one of those above
      # @param keywords [Hash{Symbol => Object}] its own
      def initialize(console:, command:, keywords:)
        @command = command.new(console:, **keywords)
      end

      def run = @command.run

      # Shows the line of a configuration file that sets something, such as "config/puma.rb:12". The place
      # comes from a store, which is not trusted, so it reads only files below the working directory and
      # returns one short line.
      class SourceLines
        PLACE = /\A([^:]+):(\d{1,6})\z/
        LONGEST = 200
        MOST = 2000

        def initialize(root: Dir.pwd)
          @root = File.realpath(root)
        end

        # @param place [String] "config/puma.rb:12"
        def call(place)
          match = PLACE.match(place)
          file = match && inside(match[1])
          return unless file
          line = File.foreach(file, encoding: "UTF-8").lazy.drop(match[2].to_i - 1).first
          line.scrub.chomp if line && line.size <= LONGEST
        rescue SystemCallError, ArgumentError # line 0
          nil
        end

        # @param path [String] below the folder
        # @return [Array<String>] its lines; empty if the file can't be read
        def all(path)
          file = inside(path)
          return [] unless file
          File.foreach(file, encoding: "UTF-8").first(MOST).map { |line| line.scrub.chomp }
        rescue SystemCallError
          []
        end

        private

        def inside(path)
          file = File.realpath(path, @root)
          file if file.start_with?("#{@root}/") && File.file?(file)
        end
      end
    end
  end
end
