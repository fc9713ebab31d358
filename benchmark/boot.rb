# frozen_string_literal: true

require "tmpdir"
require_relative "support/bench"

module Bench
  # What the half that runs inside the application adds to a boot.
  class Boot
    STEPS = {"load" => "it is loaded", "start" => "it starts"}.freeze
    COLUMNS = ["", "CPU, ms, median (min..max)", "memory without a file, kB", "RSS, kB"].freeze
    PLAIN = "plain"
    CACHED = "bootsnap"
    LIMIT_MS = 15
    LIMIT_KB = 1024

    # @param quick [Boolean] only to see that it runs
    def initialize(quick:)
      @rounds = quick ? 3 : 15
    end

    # @return [Result]
    def call
      @samples = samples
      Result.new(title: "The boot of the in-app half", about:, tables: [ResultTable.new(COLUMNS, rows)],
        budgets:, notes:)
    end

    private

    def samples
      Dir.mktmpdir("holdup-bench") do |cache|
        Fresh.call("boot", cache, options: []) # fills it
        folders = {PLAIN => [], CACHED => [cache]}
        folders.transform_values { |folder| Array.new(@rounds) { Fresh.call("boot", *folder, options: []) } }
      end
    end

    def about
      "`require \"holdup\"` and `Holdup.start` in a fresh Ruby, #{@rounds} times, without and with " \
        "bootsnap, which new Rails applications have. The memory is after a garbage collection."
    end

    def notes
      plain = @samples[PLAIN]
      [
        format("The floor: Ruby compiles the %d files (%d kB) in %.1f ms, or reads their compiled code in " \
          "%.1f ms, as bootsnap lets it; that code alone takes %d kB.",
          plain.first["files"], plain.first["bytes"] / 1000,
          *%w[compiled cached].map { |step| spread(plain, [step], "ms").median }, plain.first["kept"] / 1024),
        "RSS has the code of the extension, which all processes of a host share, and the segment " \
        "(docs/guide/overhead.md): a file in memory that grows with names."
      ]
    end

    def rows
      @samples.flat_map do |how, samples|
        parts = STEPS.map { |step, title| ["#{how}: #{title}", *cells(samples, [step])] }
        [*parts, ["#{how}: both", *cells(samples, STEPS.keys)]]
      end
    end

    def cells(samples, steps)
      [spread(samples, steps, "ms").to_s(1),
        *%w[anonymous rss].map { |key| spread(samples, steps, key).to_s }]
    end

    def spread(samples, steps, key)
      Spread.of(samples.map { |sample| steps.sum { |step| sample.fetch(step).fetch(key) } })
    end

    def budgets
      @samples.flat_map do |how, samples|
        ms, memory = %w[ms anonymous].map { |key| spread(samples, STEPS.keys, key).median }
        [
          Budget.new("#{how}, load and start", LIMIT_MS, ms, "ms of CPU"),
          Budget.new("#{how}, memory without a file", LIMIT_KB, memory, "kB")
        ]
      end
    end
  end
end
