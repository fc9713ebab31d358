# frozen_string_literal: true

require "json"
require_relative "options"
require_relative "report"

module Demo
  # `holdup advise`, run as a user runs it, and once more when the advice was followed. Two minutes are left
  # out after a boot for good reasons; a demo is over by then, so here all counts.
  class Advice
    OPTIONS = %w[--warm-up 0s].freeze
    MINUTE_S = 60
    ALIKE = %w[processes io_threads time_slice_ns].freeze

    # @param env [Hash<String, String>]
    # @param folder [String]
    # @param since [Time] when the first unit was sent
    # @param output [FullOutput]
    def initialize(env:, folder:, since:, output:)
      @env = env
      @output = output
      @file = File.join(folder, "advice.json")
      @since = minute(since)
    end

    # Prints its beginning, and keeps it for later.
    # @return [Hash{String => Object}] what `--json` says
    # @raise [Failure]
    def print
      text, status = @output.run(@env, *command("--full", "--since", @since, "--save", @file))
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

    # Where all is to stay as it is, a neighbour in the table shows as well whether predictions are true.
    # @param advice [Hash{String => Object}]
    # @return [Hash{Symbol => Integer}, nil] workers and threads of the one nearest to half of the threads;
    #   nil where none was replayed
    def self.neighbour(advice)
      return unless advice["verdict"] == "keep"
      now = advice["current"]
      others = advice["candidates"].select do |one|
        one["threads"] < now["threads"] && one["wait_ns"].any? && ALIKE.all? { |key| one[key] == now[key] }
      end
      others.min_by { |one| (one["threads"] - now["threads"] / 2.0).abs }&.then { |one|
        {
          workers: one["processes"],
          threads: one["threads"],
          slice_ns: nil
        }
      }
    end

    # @param since [Time] when the first unit was sent after the restart
    # @return [void]
    # @raise [Failure] where it can't say; that a prediction was missed is an answer
    def verify(since)
      text, status = @output.run(@env, *command("--verify", @file, "--since", minute(since)))
      raise Failure, "holdup advise --verify failed" unless [0, 1].include?(status)
      @output.print_verification(text)
    end

    private

    def command(*options) = ["bundle", "exec", Report::HOLDUP, "advise", *OPTIONS, *options]

    # Windows are of whole minutes.
    def minute(time) = Time.at(time.to_i / MINUTE_S * MINUTE_S).utc.strftime("%FT%TZ")
  end
end
