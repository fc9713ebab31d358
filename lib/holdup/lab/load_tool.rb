# frozen_string_literal: true

require "json"
require "open3"

module Holdup
  module Lab
    # A program that others wrote, as a load. What it alone can know is taken from it: when a request was
    # sent, and how long its answer took. Subclasses say how it is called, what kind of load it is and how its
    # report is read.
    #
    # Constants of each: PROGRAM; KIND, see #kind; PACKAGES, how to install it
    class LoadTool
      PATIENCE_S = 30

      # @param path [String] folders with programs, as in PATH
      # @return [String, nil] where it is
      def self.which(path)
        path.split(":").map { |folder| File.join(folder, self::PROGRAM) }.find { |file|
          File.executable?(file) && !File.directory?(file)
        }
      end

      # @param path [String] the same
      # @return [LoadTool]
      # @raise [UnsupportedError] there is none
      def self.find(path)
        program = which(path)
        program ? new(program) : raise(UnsupportedError.new("there is no #{self::PROGRAM} on this machine",
          "install it (#{self::PACKAGES}), or leave out --load-tool"))
      end

      # @return [Boolean] whether it knows connections, each of which waits for its answer, and no rate
      def self.closed? = self::KIND == :closed

      # @param routes [Array<Route>]
      # @return [String, nil] why it can't send them
      def self.refusal(_routes) = nil

      # @param program [String] its path
      def initialize(program)
        @program = program
      end

      # @return [Symbol] :closed (so many connections, each of which waits for its answer) or :paced (so many
      #   requests a second, but none of them tells the server when it was sent)
      def kind = self.class::KIND

      # @param target [Target]
      # @param routes [Array<Route>]
      # @param rate [Numeric] connections, or requests a second of a :paced one
      # @param seconds [Numeric] at least 1, in whole ones
      # @param seed [Integer] unheeded where the program takes none
      # @param progress [#call, nil] unheeded: they tell nothing before their end
      # @return [OpenLoop::Seen]
      # @raise [Holdup::Error]
      def call(target, routes:, rate:, seconds:, seed: 1, progress: nil)
        seen(run(target, routes:, rate:, seconds: [seconds.ceil, 1].max, seed:))
      rescue JSON::ParserError, KeyError, TypeError
        raise Error.new("what #{self.class::PROGRAM} reports can't be read",
          "it may be another version than this one knows; leave out --load-tool")
      end

      private

      # @return [String] what it printed
      def output(*arguments, seconds:, env: {})
        output, status = Open3.capture2e(env, "timeout", "--signal=KILL", (seconds + PATIENCE_S).to_s,
          @program, *arguments)
        unless status.success?
          raise Error.new("#{self.class::PROGRAM} failed (#{status})",
            "it said: #{output.lines.last(3).join.strip}")
        end
        output
      end

      # @param statuses [Hash{Integer => Integer}] answers by status
      # @param lost [Integer] requests without an answer
      # @param times [Hash{Symbol => Numeric}] seconds: p50, p95, p99 and mean
      # @return [OpenLoop::Seen]
      def reported(statuses, lost:, seconds:, times:)
        failed = statuses.sum { |status, count| (status >= 400) ? count : 0 }
        told(answered: statuses.values.sum, failed:, lost:, seconds:, times:)
      end

      def told(answered:, failed:, lost:, seconds:, times:)
        ns = times.transform_values { |time| (time * 1e9).round }
        total = ExchangeOutcome.new(label: "all", count: answered + lost, errors: failed + lost, lost:,
          unexpected: failed + lost, p50_ns: ns.fetch(:p50), p95_ns: ns.fetch(:p95), p99_ns: ns.fetch(:p99))
        OpenLoop::Seen.new(total:, routes: {}, seconds:, mean_ns: ns.fetch(:mean))
      end
    end
  end
end
