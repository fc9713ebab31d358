# frozen_string_literal: true

require_relative "planted"

module Bench
  class Coverage
    # What is planted where: each growth with each hand-off under each kind of arrivals, several times. Load,
    # size and processes are drawn, the same in each run.
    class Plan
      GROWTHS = [0.0, 0.1, 0.2, 0.3].freeze
      # ns; by the number of waiting threads where there are several.
      HANDOFFS = [0, 20_000, 70_000, 200_000, [20_000, 60_000, 120_000, 200_000],
        [200_000, 120_000, 60_000, 20_000]].freeze
      LOADS = [0.4, 0.55, 0.7, 0.85].freeze
      UNITS = [300, 800, 2_000, 5_000].freeze
      PROCESSES = [1, 2].freeze

      # `seed`: of the recording; `advice`: whether there is advice, `gain`: with the interval of a gain. Open
      # arrivals and a load test in turn have no load at which settings are compared.
      Drawn = Data.define(:planted, :seed, :advice, :gain)

      # @param rounds [Integer] recordings of each growth, hand-off and kind of arrivals; `advised`: in how
      #   many of the rounds there is advice too
      # @param more_open [Integer] further rounds of open arrivals, with advice: the self-test of many is C
      # @param cells [Array<(Float, Numeric)>] growths and hand-offs; `units`: sizes of recordings
      # @param arrivals [Array<Symbol>] see Planted
      def initialize(rounds:, advised:, more_open: 0, cells: GROWTHS.product(HANDOFFS), units: UNITS,
        arrivals: Planted::CLOSED.keys)
        @rounds = rounds
        @advised = advised
        @more_open = more_open
        @cells = cells
        @units = units
        @arrivals = arrivals
      end

      # @return [Array<Array<Drawn>>] those with the same costs together
      def groups
        @cells.each_with_index.map do |(growth, handoff_ns), cell|
          @arrivals.flat_map do |arrivals|
            kind = Planted::CLOSED.keys.index(arrivals)
            Array.new(rounds(arrivals)) do |round|
              seed = (cell * Planted::CLOSED.size + kind) * 1000 + round
              draw(seed, round < @advised || round >= @rounds, arrivals:, growth:, handoff_ns:)
            end
          end
        end
      end

      private

      def rounds(arrivals)
        (arrivals == :open) ? @rounds + @more_open : @rounds
      end

      def draw(seed, advice, **planted)
        random = Random.new(seed)
        sizes = @units.select { |units| !advice || units >= SIZING::Sufficiency::UNITS }
        planted = Planted.new(**planted, load: LOADS.sample(random:), units: sizes.sample(random:),
          processes: PROCESSES.sample(random:))
        Drawn.new(planted:, seed:, advice:, gain: advice && planted.arrivals != :mostly_open)
      end
    end
  end
end
