# frozen_string_literal: true

require_relative "spread"

module Bench
  # What one of two loops takes over the other, in one process. A round is four short batches (one, other,
  # other, one; in the next round the other begins): what disturbs the machine, or makes it slower, does so to
  # both. Garbage is collected between the rounds: a collection would be several times what a batch takes, and
  # the first batch after it is slower.
  module PairedBatches
    WARM_UP = 20_000
    BATCH = 200
    CLOCK = Process::CLOCK_THREAD_CPUTIME_ID
    RESAMPLES = 2_000

    # @param base [#call] does something so often as it is asked to
    # @param with [#call] does the same, and more
    # @return [Float] ns added, the median of all rounds
    def self.added(base, with, rounds)
      [base, with].each { |loop| loop.call(WARM_UP) }
      pairs = Array.new(rounds.ceildiv(2)) { (round(base, with) - round(with, base)) / 2 }
      Spread.of(pairs).median
    ensure
      GC.enable
    end

    # @param medians [Array<Float>] of processes
    # @return [Array(Float, Float)] in which the median of such processes lies, by a bootstrap: 95 %
    def self.interval(medians)
      random = Random.new(1)
      resampled = Array.new(RESAMPLES) { Spread.of(medians.map { medians.sample(random:) }).median }.sort
      [resampled[RESAMPLES * 25 / 1000], resampled[RESAMPLES * 975 / 1000]]
    end

    # @return [Float] ns that a call of the second takes over one of the first
    def self.round(one, other)
      GC.enable
      GC.start(full_mark: false, immediate_sweep: true)
      GC.disable
      first, second, third, fourth = [one, other, other, one].map { |loop| batch(loop) }
      (second + third - first - fourth) / 2.0 / BATCH
    end

    def self.batch(loop)
      before = Process.clock_gettime(CLOCK, :nanosecond)
      loop.call(BATCH)
      Process.clock_gettime(CLOCK, :nanosecond) - before
    end
    private_class_method :round, :batch
  end
end
