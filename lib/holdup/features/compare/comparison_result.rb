# frozen_string_literal: true

module Holdup
  module Compare
    # What a comparison found, as values: nothing of the recordings themselves, and nothing in any language.
    # So it can be kept, and be shown in all languages and forms.
    # - `before`, `after`: ComparedSide; `paired`: whether both were measured at the same time
    # - `sizes`: blocks of time of either side; `block_s`: their length
    # - `held`: see BlockBootstrap::TimeBlocks
    # - `estimates`: {Symbol => Estimate}; `boots`: BootDraw or nil; the other lists as Comparison has them
    # - `memory`: ComparedMemory
    class ComparisonResult < Data.define(:before, :after, :sizes, :block_s, :held, :paired, :estimates,
      :boots, :contributions, :method_changes, :pair_changes, :mix_effect, :machine_slower, :left_out,
      :memory, :ages)
      # @param comparison [Comparison] all of which is computed here
      # @return [ComparisonResult]
      def self.of(comparison)
        sides = [comparison.before, comparison.after]
        before, after = sides.map { |side| ComparedSide.of(side) }
        own = {before:, after:, memory: ComparedMemory.of(comparison.memory), paired: comparison.paired?}
        new(**own, **(members - own.keys).to_h { |name| [name, comparison.public_send(name).freeze] })
      end

      def paired? = paired

      # @return [Analysis::SettingDifferences]
      def change = Analysis::SettingDifferences.new(before.settings, after.settings)

      # @param metrics [Array<Symbol>] that are judged
      # @return [Comparison::ComparisonVerdict::ComparisonAnswer]
      def verdict(metrics = Comparison::ComparisonVerdict::METRICS)
        Comparison::ComparisonVerdict.new(estimates, metrics:).call
      end

      # What is said of one side, see Side. `counts`: [[Setting, requests or jobs]]; `times`: {Symbol =>
      # Histogram} after the first minutes of processes, `cold_times` and `cold_units` in them
      ComparedSide = Data.define(:label, :from_s, :to_s, :settings, :counts, :units, :cold_units, :processes,
        :times, :cold_times, :queued, :warmed, :boots_known, :pairs_known) do
        # @param side [Side]
        # @return [ComparedSide]
        def self.of(side)
          asked = {queued: side.queued?, warmed: side.warmed?, boots_known: side.boots_known?,
                   pairs_known: side.pairs_known?}
          new(**asked, **(members - asked.keys).to_h { |name| [name, side.public_send(name).freeze] })
        end

        def queued? = queued

        def warmed? = warmed

        def boots_known? = boots_known

        def pairs_known? = pairs_known
      end

      # At which age the memory of processes was compared (ProcessAges::AgeBand, nil: they never had the
      # same), and the number of processes of either side.
      ComparedMemory = Data.define(:band, :processes) do
        # @param memory [ProcessAges::MemoryByAge]
        # @return [ComparedMemory]
        def self.of(memory) = new(band: memory.band, processes: memory.processes.freeze)
      end
    end
  end
end
