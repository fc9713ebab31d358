# frozen_string_literal: true

require "holdup/loader"
require "json"
require "open3"
require_relative "options"

module Demo
  # `holdup report`, run as a user runs it.
  class Report
    HOLDUP = File.expand_path("../../../exe/holdup", __dir__)
    # Without one more unit in the store. On a busy machine the collector, whose priority is low, needs
    # minutes to boot.
    PATIENCE_SECONDS = 300

    # @param env [Hash<String, String>]
    # @param since [Time]
    # @param app [String, nil] only this application
    def initialize(env:, since:, app: nil)
      @env = env
      @since = since.utc.strftime("%FT%TZ")
      @app = app ? ["--app", app] : []
    end

    # @return [Array<String>] for a shell
    def command(*options) = ["bundle", "exec", HOLDUP, "report", "--since", @since, *@app, *options]

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

    # Asks until the collector has stored as many units as the shop served. Units are written when they end;
    # accounts and hand-off at the next tick, and the round after that has them: so long it goes on asking.
    # The collector is asked for each round, because its own come every ten seconds. As long as more units
    # come, it goes on: on a busy machine a round may take any time.
    # @param expected [Integer]
    # @yieldparam json [String]
    # @yieldreturn [Boolean] whether the accounts are in as well
    # @return [String] JSON
    # @raise [Failure]
    def wait_for(expected)
      json = nil
      stored = 0
      deadline = now + PATIENCE_SECONDS
      until stored >= expected && yield(json)
        break if now > deadline
        IO.select(nil, nil, nil, 0.5) if json
        json = read || json
        found = json ? count(json) : 0
        deadline = now + PATIENCE_SECONDS if found > stored
        stored = found
      end
      return json if json && stored >= expected
      raise Failure, "the store holds #{stored} of #{expected} units, and got no more for " \
        "#{PATIENCE_SECONDS} s#{@said}"
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
