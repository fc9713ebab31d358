# frozen_string_literal: true

require_relative "../test/support/redis_server"
require_relative "support/bench"

module Bench
  # A Sidekiq at saturation: what one job costs more when each is measured.
  class Sidekiq
    ARMS = ["none", "none again", "gvl_metrics_middleware", "perfm", "holdup"].freeze
    PEERS = ["gvl_metrics_middleware", "perfm"].freeze
    # What a job does => how many are timed
    JOBS = {"empty" => 20_000, "redis" => 6_000}.freeze
    TITLES = {"empty" => "Empty jobs", "redis" => "Jobs that ask Redis five times"}.freeze
    THREADS = 10
    COLUMNS = ["", "CPU us per job", "CPU / none's", "added, us", "jobs/s", "jobs/s / none's"].freeze

    # @param quick [Boolean] only to see that it runs
    def initialize(quick:)
      @rounds, @part = quick ? [2, 10] : [9, 1]
    end

    # @return [Result]
    def call
      @samples = RedisServer.run { |redis|
        JOBS.to_h { |what, count| [what, measure(redis, what, count / @part)] }
      }
      Result.new(title: "Sidekiq at saturation", about:,
        tables: @samples.map { |what, arms| table(what, arms) }, budgets:, notes:)
    end

    private

    def measure(redis, what, count)
      Rounds.call(ARMS, @rounds) do |tool|
        redis.call("FLUSHALL")
        Fresh.call("sidekiq", tool, what, count, THREADS, env: {"REDIS_URL" => redis.url})
      end
    end

    def table(what, arms)
      ResultTable.new([TITLES.fetch(what), *COLUMNS.drop(1)], arms.keys.map { |tool| row(arms, tool) })
    end

    def row(arms, tool)
      [tool, spread(arms, tool, "us").to_s(1), ratio(arms, tool, "us").to_s(3), added(arms, tool).to_s(1),
        spread(arms, tool, "rate").to_s, ratio(arms, tool, "rate").to_s(3)]
    end

    def spread(arms, tool, key)
      Spread.of(arms[tool].map { |sample| sample[key] })
    end

    def ratio(arms, tool, key)
      Spread.paired(arms[tool], arms["none"]) { |with, bare| with[key] / bare[key] }
    end

    def added(arms, tool)
      Spread.paired(arms[tool], arms["none"]) { |with, bare| with["us"] - bare["us"] }
    end

    def about
      "A real Sidekiq with #{THREADS} threads empties a queue that was filled before, on a Redis of its " \
      "own. Each arm has a " \
        "fresh process in every of #{@rounds} rounds; CPU is the process's, from the first to the last of " \
        "#{JOBS.map { |what, count|
          "#{count / @part} #{what}"
        }.join(" or ")} jobs, after a quarter of that to warm up. Ratios and differences are " \
        "taken round by round. Sidekiq logs warnings only."
    end

    def notes
      [
        "\"none again\" is the same as \"none\": their difference is the noise, and a ratio within it " \
        "says nothing.",
        "gvl_metrics_middleware measures every job here (its default is one in a hundred) and hands the " \
        "figures to a block that " \
          "does nothing; perfm queues a row, and its rows go nowhere. Holdup records six histograms, all " \
          "sums and the ring; its collector is another process.",
        comparison
      ]
    end

    def budgets
      [Budget.new("An empty job, over what gvl_metrics_middleware adds", 1,
        over("gvl_metrics_middleware"), "x")]
    end

    # Of the empty jobs, where the difference is larger than the noise.
    def comparison
      parts = PEERS.map { |peer| format("%.2f of what %s adds", over(peer), peer) }
      "To an empty job Holdup adds #{parts.join(", ")} (medians). The floor is its unit in C alone (above)."
    end

    def over(peer)
      arms = @samples.fetch("empty")
      added(arms, "holdup").median / added(arms, peer).median
    end
  end
end
