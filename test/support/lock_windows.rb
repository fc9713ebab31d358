# frozen_string_literal: true

require "support/sample_windows"

# Requests and jobs that wait for locks, as a collector would have written them.
module LockWindows
  MS = 1_000_000
  # Milliseconds by name: waits for locks and, among them, for connections; elapsed.
  WAITS = {"Carts#update" => {lock: 60}, "Stock#show" => {lock: 4}, "PriceSync" => {lock: 0}}.freeze
  # Milliseconds by who waited and who ended that.
  ENDED = {"Carts#update" => {"Carts#update" => 52.8, "PriceSync" => 7.2}, "Stock#show" => {"(unknown)" => 4}}
    .freeze
  UNITS = 40

  # @return [Holdup::Analysis::Summary] of UNITS of each name
  def lock_summary(waits = WAITS, ended: ENDED, locks: lock_windows(ended), **options)
    Holdup::Analysis::Summary.new(units_of(waits), locks:, from_s: SampleWindows::START_S,
      to_s: SampleWindows::START_S + 60, **options)
  end

  def lock_place(name, place, **sums)
    count = sums.key?(:lock_ns) ? 1 : 0
    SampleWindows.new.window(name, kind: :lock_place, queue: place, count:, sums:)
  end

  # @param ended [Hash]
  def lock_windows(ended)
    pairs = ended.flat_map do |victim, parts|
      parts.map do |ender, ms|
        sums = {lock_ns: (ms * MS * UNITS).round}
        SampleWindows.new.window(victim, kind: :lock_pair, queue: ender, sums:)
      end
    end
    [*pairs, *PLACES.map { |name, place, sums| lock_place(name, place, **sums) }]
  end

  PLACES = [
    ["Carts#update", "app/models/cart.rb:12 Cart#update | Thread::Mutex#synchronize", {lock_ns: 500 * MS}],
    ["Carts#update", "app/models/cart.rb:14 Cart#update", {caused_ns: 450 * MS}],
    ["PriceSync", "app/jobs/price_sync.rb:30 PriceSync#publish", {caused_ns: 50 * MS}]
  ].freeze

  private

  def units_of(waits)
    waits.map do |name, ms|
      wall_ms = ms.fetch(:wall, 100)
      sums = {lock_ns: ms.fetch(:lock) * MS * UNITS, pool_wait_ns: ms.fetch(:pool, 0) * MS * UNITS,
              cpu_ns: (wall_ms - ms.fetch(:lock)) * MS * UNITS}
      histograms = {wall: wall_ms, idle: ms.fetch(:lock), running: wall_ms - ms.fetch(:lock)}
        .transform_values { |value| Holdup::Histogram.of([value * MS] * UNITS) }
      SampleWindows.new.window(name, count: UNITS, sums:, histograms:)
    end
  end
end
