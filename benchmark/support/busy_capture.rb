# frozen_string_literal: true

require "json"

module Bench
  # A long capture of a busy process, as the viewer gets it (lib/holdup/features/captures/reader.rb): 32
  # threads that take the GVL one after the other, wait for it, and are idle in between.
  class BusyCapture
    STATES = %w[running stalled preempted io lock sleep idle unknown absent].freeze
    RUNNING = 0
    STALLED = 1
    IO = 3
    THREADS = 32
    HOLD_NS = (5_000..60_000)
    UNIT = 50

    # @param spans [Integer] about so many periods
    def initialize(spans:, seed: 1)
      @random = Random.new(seed)
      @lanes = Array.new(THREADS) { {from: [0.0], state: [IO], unit: [0]} }
      @holders = []
      @units = []
      play(spans / 3)
    end

    # @return [String]
    def call
      head = JSON.generate(
        length_ns: @at,
        states: STATES,
        methods: [nil],
        units: @units,
        gvls: [{number: 1, count: @holders.size}],
        lanes: @lanes.each_with_index.map { |lane, number|
          {
            number:,
            name: "puma srv tp #{number}",
            gvl: 1,
            count: lane[:from].size,
            collections: []
          }
        }
      )
      [
        [1, head.bytesize].pack("L<2") + head,
        *@lanes.flat_map { |lane|
          [
            lane[:from].pack("E*"),
            lane[:unit].pack("L<*"),
            lane[:state].pack("C*")
          ]
        },
        *holders
      ].map { |part| part + "\0" * (-part.bytesize % 8) }.join
    end

    private

    def play(holds)
      @at = 0
      holds.times { |number| hold(number % THREADS, number / THREADS) }
    end

    # From idle to waiting some time before the hold before has ended.
    def hold(thread, turn)
      lane = @lanes[thread]
      length = @random.rand(HOLD_NS)
      unit = unit(thread, turn)
      ready = [lane[:from].last + 1, @at - @random.rand(400_000)].max
      {ready => STALLED, @at => RUNNING, @at + length => IO}.each { |from, state|
        lane[:from].push(from.to_f) && lane[:state].push(state) && lane[:unit].push(unit)
      }
      @holders << [@at.to_f, (@at + length).to_f, thread, unit, 0]
      @at += length
      @units[unit - 1][4] = @at
    end

    def unit(thread, turn)
      @open ||= {}
      @open[thread] = nil if (turn % UNIT).zero?
      @open[thread] ||= @units.push([@units.size + 1, thread, "GET /orders/:id", @at, @at]).size
    end

    def holders
      columns = @holders.transpose
      columns.first(2).map { |column|
        column.pack("E*")
      } + columns.drop(2).map { |column| column.pack("L<*") }
    end
  end
end
