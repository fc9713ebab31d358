# frozen_string_literal: true

require "holdup/loader"
require "json"
require "open3"
require_relative "options"

module Demo
  # `holdup report`, run as a user runs it.
  class Report
    HOLDUP = File.expand_path("../../../exe/holdup", __dir__)
    PATIENCE_SECONDS = 40

    # @param env [Hash<String, String>]
    # @param since [Time]
    def initialize(env:, since:)
      @env = env
      @since = since.utc.strftime("%FT%TZ")
    end

    # @return [Array<String>] for a shell
    def command(*options) = ["bundle", "exec", HOLDUP, "report", "--since", @since, *options]

    # Prints its beginning; the whole goes into the file meanwhile.
    # @param output [FullOutput]
    # @return [void]
    # @raise [Failure]
    def print(output)
      full = Thread.new { output.run(@env, *command("--full")) }
      screen, status = output.run(@env, *command, kept: false)
      output.print_report(screen) if status.zero?
      raise Failure, "holdup report failed" unless [status, full.value.last].all?(&:zero?)
    end

    # Asks until the collector has stored as many units as there were answers. Units are written when they
    # end; accounts and hand-off at the next tick, and the round after that has them: so long it goes on
    # asking. The collector is asked for each round, because its own come every ten seconds.
    # @param expected [Integer]
    # @yieldparam json [String]
    # @yieldreturn [Boolean] whether the accounts are in as well
    # @return [String] JSON
    # @raise [Failure]
    def wait_for(expected)
      deadline = now + PATIENCE_SECONDS
      until (json = read) && count(json) >= expected
        if now > deadline
          raise Failure,
            "the store holds #{json ? count(json) : 0} of #{expected} units after #{PATIENCE_SECONDS} " \
            "s#{@said}"
        end
        IO.select(nil, nil, nil, 0.5)
      end
      until yield(json) || now > deadline
        IO.select(nil, nil, nil, 0.5)
        json = read || json
      end
      json
    end

    private

    # nil as long as there is nothing to report: the collector's first round is still to come.
    def read
      Holdup::Segment::Directory.new(@env["HOLDUP_DIR"]).hurry if @env.key?("HOLDUP_DIR")
      out, err, status = Open3.capture3(@env, *command("--format", "json"))
      @said = ": #{err.strip}" unless err.strip.empty?
      out if status.success?
    end

    def count(json) = JSON.parse(json).dig("totals", "count").to_i

    def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
  end
end
