# frozen_string_literal: true

require "holdup/loader"
require_relative "support/bench"
require_relative "support/predicted_setting"
require_relative "support/recording_grades"
require_relative "support/shop_trial"

module Bench
  # Whether one recording of the storefront tells what it does with other threads and processes, at the same
  # open load.
  class Predict
    RECORDED = [1, 5].freeze
    SETTINGS = [[1, 5], [1, 1], [1, 2], [1, 3], [1, 8], [2, 3], [2, 5]].freeze
    COLUMNS = [
      "processes x threads",
      "answers/s",
      "predicted",
      "queued + GVL wait, ms",
      "predicted",
      "error, % of the response",
      "p50, ms",
      "predicted",
      "error, %",
      "p95, ms",
      "predicted",
      "error, %",
      "verdict"
    ].freeze
    LIMITS = {throughput: 5, wait: 10, p95: 15}.freeze
    # Requests per second; 1 x 1 is busy for about two thirds of the time then.
    RATE = 70
    SEED = 7
    RECORDING_SEED = 0

    # @param quick [Boolean] only to see that it runs
    def initialize(quick:)
      @settings = quick ? SETTINGS.values_at(0, 1, 5) : SETTINGS
      @rounds, @seconds, @recording_s, @warm_up_s = quick ? [1, 6, 12, 6] : [2, 20, 120, 18]
    end

    # @return [Result]
    def call
      Shop.open { |shop| measure(ShopTrial.new(shop, routes:, warm_up_s: @warm_up_s)) }
      rows = @predictions.map { |prediction| [*prediction.cells, grades.verdict(missed(prediction))] }
      table = ResultTable.new(COLUMNS, rows)
      Result.new(title:, about:, tables: [table], budgets:, notes:)
    end

    private

    def routes = ShopTrial::SMOOTH

    def title
      "The storefront at other settings, predicted"
    end

    def measure(trial)
      warn("bench: recording")
      @recorded = trial.call(*RECORDED, rate: RATE, seconds: @recording_s, seed: RECORDING_SEED)
      outcomes = Rounds.call(@settings, @rounds) do |processes, threads|
        warn("bench: #{processes} x #{threads}")
        trial.call(processes, threads, rate: RATE, seconds: @seconds, seed: SEED)
      end
      @predictions = @settings.map { |setting|
        measured = outcomes.fetch(setting).map(&:outcome)
        PredictedSetting.new(*setting, outcomes: measured, figures: figures(*setting))
      }
    end

    # Who gets a request is up to the kernel and to Puma, which lets busy workers hang back.
    def figures(processes, threads, **options)
      replayed.call(arrivals(@seconds, SEED), processes:, threads:, **options)
    end

    def arrivals(seconds, seed)
      Holdup::Lab::Load::Arrivals.new(routes:, rate: RATE, seconds:, seed:)
    end

    def replayed(handoff_ns = self.handoff_ns)
      Replayed.new(recording.recording, vcpus:, handoff_ns:)
    end

    # What is expected of the recording's own setting.
    def again(handoff_ns)
      processes, threads = RECORDED
      replayed(handoff_ns).call(arrivals(@recording_s, RECORDING_SEED), processes:, threads:)
    end

    def handoff_ns
      @handoff_ns ||= Holdup::Advise::Sizing::Handoff.fit(waits(recording.recording, recording)) do |ns|
        again(ns).then { |figures| waits(figures, figures) }
      end
    end

    def waits(handed, waited)
      Holdup::Advise::Sizing::Handoff::HandoffTimes.new(handoff_ns: handed.handoff_ns,
        wait_ns: waited.wait_ns)
    end

    def recording = @recorded.outcome

    # What everything else took of the machine is not the server's.
    def vcpus
      Holdup::Advise::Sizing::ResourceLimits.new(vcpus: recording.setting["vcpus"],
        others: Holdup::Advise::Sizing::ResourceLimits::OtherCpus.always(@recorded.other_cpus)).free_vcpus
    end

    def about
      "Rails in Puma with YJIT, #{RATE} requests a second that arrive like those of independent users " \
      "(Poisson), their mix as in `benchmark/support/shop_trial.rb`; upstream service, database's " \
        "peer and the load's client are processes of the same machine. Recorded for #{@recording_s} s at " \
        "#{RECORDED.join(" x ")}; then each setting has #{@rounds} boots, each of them measured for " \
        "#{@seconds} s behind " \
        "its warm-up, in changing order, all with the same requests at the same moments, and these are " \
        "replayed. All times are Holdup's own: from the client's sending to the unit's end. " \
        "The row #{RECORDED.join(" x ")} is the setting of the recording, with boots of its own."
    end

    def notes
      row = recording.total
      [
        format(
          "A request of the recording held the GVL for %.1f ms (%.1f of them on a CPU), was idle for " \
          "%.1f ms and took the GVL %.0f times.",
          *[
            row.histogram(:running).mean,
            row.per_unit(row.sum(:cpu_ns)),
            row.histogram(:idle).mean
          ].map { |ns| ns / 1e6 },
          row.per_unit(row.sum(:acquisitions))
        ),
        format(
          "Everything but the server (client, upstream, database's peer, the system) used %.2f CPUs " \
          "meanwhile; the replay has %.2f.",
          @recorded.other_cpus,
          vcpus
        ),
        self_test,
        random,
        held
      ]
    end

    def missed(prediction)
      LIMITS.keys.select { |name| prediction.errors.fetch(name).abs * 100 > LIMITS.fetch(name) }
    end

    # Of the recording, as in `holdup advise`.
    def grades
      @grades ||= begin
        others = Holdup::Advise::Sizing::ResourceLimits::OtherCpus.always(@recorded.other_cpus)
        limits = Holdup::Advise::Sizing::ResourceLimits.new(vcpus: recording.setting["vcpus"], others:)
        RecordingGrades.new([Holdup::Advise::Sizing::Recommendation.new(recording.recording, limits:)])
      end
    end

    def self_test
      worst = PredictedSetting.new(*RECORDED, outcomes: [recording], figures: again(handoff_ns)).worst
      warnings = recording.recording.then { |one| one.problems + one.warnings.keys }
      format("Self-test of the recording in `holdup advise`: %s (%s). Caught: it was not A. Its very " \
        "requests, replayed on its setting with its own hand-off (%.0f us), are %.1f %% off at most; " \
        "warnings: %s.", grades, grades.errors, handoff_ns / 1e3, worst * 100,
        warnings.empty? ? "none" : warnings.join(", "))
    end

    # Between that and what is in the table lies what a kernel does that knows nothing of busy threads.
    def random
      each = @settings.reject { |processes, _| processes == 1 }.map do |setting|
        one = figures(*setting, assignment: :random)
        format("%s: queued + GVL wait %.1f ms, p95 %.1f ms", setting.join(" x "),
          *[one.wait_ns, one.p95_ns].map { |ns| ns / 1e6 })
      end
      "Predicted with requests that go to any process, however busy: #{each.join("; ")}."
    end

    # A machine that computes faster in one boot than in another is nothing that a recording can know.
    def held
      each = @predictions.map { |prediction|
        format("%s %s", prediction.name, Spread.of(prediction.held_ns.map { |ns| ns / 1e6 }).to_s(1))
      }
      "GVL held, ms a request: #{each.join(", ")}."
    end

    def budgets
      others = @predictions.reject { |prediction| prediction.setting == RECORDED }
      LIMITS.map { |name, limit|
        Budget.new("Largest error of #{name} of the others", limit,
          others.map { |prediction| prediction.errors.fetch(name).abs * 100 }.max, "%")
      }
    end
  end
end
