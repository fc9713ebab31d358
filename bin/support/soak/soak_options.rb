# frozen_string_literal: true

require "optparse"

module Soak
  SoakOptions = Data.define(:minutes, :rate, :jobs, :poll, :seed, :faults, :calm, :hold, :stop, :forks,
    :report, :samples) do
    # @param argv [Array<String>]
    # @return [SoakOptions]; exits with 2 for an argument it doesn't know
    def self.parse(argv)
      values = {
        minutes: 120.0,
        rate: 4.0,
        jobs: 0.5,
        poll: 10.0,
        seed: 1,
        faults: nil,
        calm: 3.0,
        hold: 20.0,
        stop: 60.0,
        forks: 10_000,
        report: nil,
        samples: nil
      }
      rest = parser.parse(argv, into: values)
      raise OptionParser::InvalidArgument, rest.first if rest.any?
      new(**values)
    rescue OptionParser::ParseError => error
      warn "soak: #{error.message}; bin/soak --help lists what it takes"
      exit 2
    end

    # Each block gives the value.
    def self.parser
      OptionParser.new("Usage: bin/soak [options]") do |parser|
        parser.on("--minutes N", Float, "of traffic (120)") { positive(_1) }
        parser.on("--rate N", Float, "requests a second to each storefront (4)") { positive(_1) }
        parser.on("--jobs N", Float, "jobs a second to each Sidekiq (0.5)") { positive(_1) }
        parser.on("--poll N", Float, "seconds between two pages of the dashboard (10)") { positive(_1) }
        parser.on("--seed N", Integer, "of the traffic and the order of faults (1)")
        parser.on("--faults [LIST]", Array, "injects faults instead: all, or these") { |list| list || [] }
        parser.on("--calm N", Float, "seconds of traffic before and after a fault (3)") { positive(_1) }
        parser.on("--hold N", Float, "seconds that a full disk and the like last (20)") { positive(_1) }
        parser.on("--stop N", Float, "seconds that a process is stopped (60)") { positive(_1) }
        parser.on("--forks N", Integer, "children that the fault forks starts (10000)") { positive(_1) }
        parser.on("--report FILE", "write the report to it as Markdown too") { File.expand_path(_1) }
        parser.on("--samples FILE", "write all samples to it, a line of JSON each") { File.expand_path(_1) }
      end
    end

    def self.positive(number)
      raise OptionParser::InvalidArgument, "must be above 0" unless number.positive?
      number
    end
    private_class_method :parser, :positive
  end
end
