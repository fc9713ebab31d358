# frozen_string_literal: true

require "optparse"

module Demo
  # Something without which the demo can't go on; the message is for the person at the terminal.
  Failure = Class.new(StandardError)

  Options = Data.define(:json, :keep, :store, :advice, :jobs, :fleet, :threads, :seconds, :rate, :seed) do
    # @param argv [Array<String>]
    # @return [Options]; exits with 2 for an argument it doesn't know
    def self.parse(argv)
      values = {
        json: false,
        keep: false,
        store: nil,
        advice: true,
        jobs: false,
        fleet: false,
        threads: [ENV.fetch("STOREFRONT_THREADS", 5).to_i],
        seconds: 20.0,
        rate: nil,
        seed: 1
      }
      parser(values).parse(argv).then { |rest| raise OptionParser::InvalidArgument, rest.first if rest.any? }
      new(**values)
    rescue OptionParser::ParseError => error
      warn "demo: #{error.message}; bin/demo --help lists what it takes"
      exit 2
    end

    # @return [Boolean] whether advice is asked for and followed: for people, programs get the report
    def advice? = advice && !json

    def self.parser(values)
      OptionParser.new("Usage: bin/demo [options]") do |parser|
        parser.on("--json", "print only the report's JSON") { values[:json] = true }
        parser.on("--no-advice", "end with the report") { values[:advice] = false }
        parser.on("--keep", "leave it running, and show the dashboard") { values[:keep] = true }
        parser.on(
          "--store FILE",
          "keep what is recorded in this file"
        ) { |path| values[:store] = File.expand_path(path) }
        parser.on("--jobs", "jobs in a Sidekiq beside it (needs redis-server)") { values[:jobs] = true }
        parser.on("--fleet", "two hosts with one PostgreSQL, and the fleet") { values[:fleet] = true }
        parser.on(
          "--threads LIST",
          Array,
          "of a worker, one setting after the other with the same traffic (5)"
        ) { |list| values[:threads] = list.map { |text| threads(text) } }
        parser.on("--seconds N", Float, "of the first traffic (20)") do |number|
          values[:seconds] = positive(number)
        end
        parser.on("--rate N", Float, "requests per second at most (as the machine serves)") do |number|
          values[:rate] = positive(number)
        end
        parser.on("--seed N", Integer, "of the traffic (1)") { |number| values[:seed] = number }
      end
    end

    def self.positive(number)
      raise OptionParser::InvalidArgument, "must be above 0" unless number.positive?
      number
    end

    def self.threads(text) = Integer(text, 10, exception: false)&.then { |count|
      positive(count)
    } || raise(OptionParser::InvalidArgument, text)
    private_class_method :parser, :positive, :threads
  end
end
