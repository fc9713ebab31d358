# frozen_string_literal: true

module Holdup
  class Collector
    # Processes that another collector took for lost (see LostProcesses) while their own one could not reach
    # the store, or did not run. When the own one writes again, it knows what became of them: they still run,
    # they ended by themselves, or they died and have another autopsy. So the autopsies of the lost ones go.
    #
    # It looks again once a minute, because the other collector may have found them lost just before this one
    # came back, and writes that later.
    class ReturnedProcesses
      # What the other collector writes late is not older.
      RECENT_S = (LostProcesses::OLDEST_NS + LostProcesses::GAP_NS) / NS

      # @param store [#deaths]
      def initialize(store:)
        @store = store
        forget
      end

      # The next look is at everything that the store has.
      def forget
        @looked_ns = nil
      end

      # @param folder [String] id of the folder of the segments
      # @return [Array<Autopsy>] to remove from the store
      # @raise [StoreError]
      def to_a(folder, now_ns)
        passed_ns = @looked_ns ? (now_ns - @looked_ns).abs : Float::INFINITY
        return [] if passed_ns < LostProcesses::EVERY_NS
        now_s = now_ns / NS
        from_s = (passed_ns < LostProcesses::GAP_NS) ? now_s - RECENT_S : 0
        deaths = @store.deaths(from_s, now_s + RECENT_S)
        @looked_ns = now_ns
        deaths.select { |autopsy| autopsy.reason == :lost && autopsy.source.start_with?("#{folder}/") }
      end
    end
  end
end
