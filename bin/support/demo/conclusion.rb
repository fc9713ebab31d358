# frozen_string_literal: true

require "json"

module Demo
  # What a run of the demo has shown, in one sentence or two: whether the advice came true, and whether this
  # machine has no CPU left for the shop. None of that is an error.
  class Conclusion
    # No CPU is free where less than this share of them was idle, ...
    IDLE = 0.05
    # ... and where threads had no CPU for this share of the time with the GVL.
    STARVED = 0.3
    # From which on, and below which, that is the likely reason for a prediction that was missed. Where more
    # CPUs were idle, it would be false to say that none is free.
    SOMEWHAT_STARVED = 0.1
    SOMEWHAT_IDLE = 0.15
    SHOWS = "What this shows: "

    # @param json [String] the report of the first traffic
    # @param idle_share [Float, nil] of the machine's CPUs meanwhile, nil: unknown
    # @param advice [Symbol] :kept, :missed, :keep, :unknown or :unverified
    # @param before_ns [Numeric] median answer to the customers
    # @param after_ns [Numeric, nil] likewise, with the advised setting
    def initialize(json, idle_share:, advice:, before_ns:, after_ns:)
      @json = json
      @idle_share = idle_share
      @advice = advice
      @before_ns = before_ns
      @after_ns = after_ns
    end

    # @return [String]
    def sentence
      return "#{SHOWS}#{no_cpu}#{" #{all_the_same}" if @advice == :kept}" if no_cpu? || excused?
      SHOWS + what_the_advice_showed
    end

    private

    def no_cpu?
      starved_share >= STARVED && (@idle_share.nil? || @idle_share < IDLE)
    end

    # Whether the machine explains why nothing can be said.
    def excused?
      return false unless %i[missed unknown unverified].include?(@advice)
      starved_share >= SOMEWHAT_STARVED && (@idle_share.nil? || @idle_share < SOMEWHAT_IDLE)
    end

    # Of the time with the GVL.
    def starved_share
      @starved_share ||= begin
        series = JSON.parse(@json).fetch("series")
        cpu, starved = %w[cpu_ns starved_ns].map { |key| series.sum { |one| one.fetch(key) } }
        starved.fdiv([cpu + starved, 1].max)
      end
    end

    def no_cpu
      format("no CPU is free here. For %.0f %% of the time that a thread of the shop held the GVL, it had " \
        "no CPU.", 100 * starved_share)
    end

    def all_the_same = "The advice came true all the same. #{answers}"

    def what_the_advice_showed
      case @advice
      when :kept then "the advice came true. #{answers}"
      when :missed then "the prediction was missed (see above). #{answers}"
      when :keep then "Holdup would keep this setting."
      else "Holdup gives no advice here that it can't stand for (see above)."
      end
    end

    def answers
      format("Half of the answers took at most %d ms before the change and %d ms after it.",
        @before_ns / 1_000_000, @after_ns / 1_000_000)
    end
  end
end
