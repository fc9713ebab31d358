# frozen_string_literal: true

require "json"
require_relative "options"
require_relative "report"

module Demo
  # `holdup advise`, run as a user runs it, and once more when the advice was followed. Two minutes are left
  # out after a boot for good reasons; a demo is over by then, so here only the first seconds do not count.
  class Advice
    OPTIONS = %w[--warm-up 3s].freeze
    MINUTE_S = 60

    # @param env [Hash<String, String>]
    # @param folder [String]
    # @param app [String] the application to advise
    # @param since [Time] when the first unit was sent
    # @param output [FullOutput]
    def initialize(env:, folder:, app:, since:, output:)
      @env = env
      @app = app
      @output = output
      @file = File.join(folder, "advice.json")
      @since = minute(since)
    end

    # Prints its beginning, and keeps it for later.
    # @return [Hash{String => Object}] what `--json` says
    # @raise [Failure]
    def print
      options = ["--app", @app, "--since", @since, "--save", @file]
      text, status = @output.run(@env, *command("--full", *options))
      raise Failure, "holdup advise failed" unless status.zero?
      @output.print_advice(text)
      JSON.parse(File.read(@file))
    end

    # @param advice [Hash{String => Object}]
    # @return [Hash{Symbol => Integer}, nil] workers, threads and slice_ns to restart with; nil: nothing is to
    #   be changed
    def self.followed(advice)
      return unless advice["verdict"] == "change"
      best, now = advice.values_at("best", "current")
      {
        workers: best["processes"],
        threads: best["threads"],
        slice_ns: (best["time_slice_ns"] if best["time_slice_ns"] != now["time_slice_ns"])
      }
    end

    # @param since [Time] when the first unit was sent after the restart
    # @return [Symbol] :kept or :missed, :unverified where it can't say
    def verify(since)
      text, status = @output.run(@env, *command("--verify", @file, "--since", minute(since)))
      return :unverified if text.empty?
      @output.print_verification(text)
      status.zero? ? :kept : :missed
    end

    private

    def command(*options) = ["bundle", "exec", Report::HOLDUP, "advise", *OPTIONS, *options]

    # Windows are of whole minutes.
    def minute(time) = Time.at(time.to_i / MINUTE_S * MINUTE_S).utc.strftime("%FT%TZ")
  end
end
