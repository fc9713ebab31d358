# frozen_string_literal: true

require "holdup/analysis/sizing/self_test"
require_relative "support/bench"
require_relative "support/prediction"
require_relative "support/shop_trial"

module Bench
  # Whether one recording of the storefront tells what it does with other threads and processes, at the same open load.
  class Predict
    RECORDED = [1, 5].freeze
    SETTINGS = [[1, 5], [1, 1], [1, 2], [1, 3], [1, 8], [2, 3], [2, 5]].freeze
    COLUMNS = ["processes x threads", "answers/s", "predicted", "queued + stalled, ms", "predicted", "error, % of the response", "p50, ms", "predicted", "error, %",
      "p95, ms", "predicted", "error, %"].freeze
    LIMITS = {throughput: 5, wait: 10, p95: 15}.freeze
    # Requests per second; 1 x 1 is busy for about two thirds of the time then.
    RATE = 70
    SEED = 7

    # @param quick [Boolean] only to see that it runs
    def initialize(quick:)
      @rounds, @seconds, @recording_s, @warm_up_s = quick ? [1, 6, 12, 6] : [2, 20, 120, 14]
    end

    # @return [Result]
    def call
      Shop.open { |shop| measure(ShopTrial.new(shop, routes:, warm_up_s: @warm_up_s)) }
      Result.new(title:, about:, tables: [Table.new(COLUMNS, @predictions.map(&:cells))], budgets:, notes:)
    end

    private

    def routes = ShopTrial::SMOOTH

    def title = "The storefront at other settings, predicted"

    def measure(trial)
      warn("bench: recording")
      @recorded = trial.call(*RECORDED, rate: RATE, seconds: @recording_s, seed: 0)
      outcomes = Rounds.call(SETTINGS, @rounds) do |processes, threads|
        warn("bench: #{processes} x #{threads}")
        trial.call(processes, threads, rate: RATE, seconds: @seconds, seed: SEED)
      end
      @predictions = SETTINGS.map { |setting| Prediction.new(*setting, outcomes: outcomes.fetch(setting).map(&:outcome), figures: figures(*setting)) }
    end

    # Who gets a request is up to the kernel and to Puma, which lets busy workers hang back.
    def figures(processes, threads)
      arrivals = Holdup::Lab::Arrivals.new(routes:, rate: RATE, seconds: @seconds, seed: SEED)
      Replayed.new(recording.observation, vcpus:).call(arrivals, processes:, threads:)
    end

    def recording = @recorded.outcome

    # What everything else took of the machine is not the server's.
    def vcpus = [recording.setting["vcpus"] - @recorded.beside, 0.5].max

    def about
      "Rails in Puma with YJIT, #{RATE} requests a second that arrive like those of independent users (Poisson), their mix as in `benchmark/support/shop_trial.rb`; upstream service, database's " \
        "peer and the load's client are processes of the same machine. Recorded for #{@recording_s} s at #{RECORDED.join(" x ")}; then each setting has #{@rounds} boots, each of them measured for #{@seconds} s behind " \
        "its warm-up, in changing order, all with the same requests at the same moments, and these are replayed. All times are Holdup's own: from the client's sending to the unit's end. " \
        "The row #{RECORDED.join(" x ")} is the self-test with boots of its own."
    end

    def notes
      row = recording.total
      [format("A request of the recording held the GVL for %.1f ms (%.1f of them on a CPU), was idle for %.1f ms and took the GVL %.0f times.",
        *[row.histogram(:running).mean, row.per_unit(row.sum(:cpu_ns)), row.histogram(:idle).mean].map { |ns| ns / 1e6 }, row.per_unit(row.sum(:acquisitions))),
        format("Everything but the server (client, upstream, database's peer, the system) used %.2f CPUs meanwhile; the replay has the other %.2f.", @recorded.beside, vcpus),
        "Self-test of the recording by its own 1 x 5: #{self_test}.", *slower]
    end

    # What the grades of `holdup advise` say of the row that was recorded.
    def self_test
      worst = own.errors.values_at(:wait, :response, :p95).map(&:abs).max
      grade = Holdup::Analysis::Sizing::SelfTest::GRADES.find { |limit, _| worst <= limit }&.last || :c
      format("grade %s (%.1f %% off at most)", grade.upcase, worst * 100)
    end

    def own = @predictions.find { |prediction| prediction.setting == RECORDED }

    # A machine that computes faster in one boot than in another is nothing that a recording can know.
    def slower
      each = @predictions.map { |prediction| format("%s %s", prediction.name, Spread.of(prediction.held_ns.map { |ns| ns / 1e6 }).to_s(1)) }
      ["Held, ms a request: #{each.join(", ")}."]
    end

    def budgets
      others = @predictions - [own]
      LIMITS.map { |name, limit| Budget.new("Largest error of #{name} of the others", limit, others.map { |prediction| prediction.errors.fetch(name).abs * 100 }.max, "%") }
    end
  end
end
