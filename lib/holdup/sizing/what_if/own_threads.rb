# frozen_string_literal: true

module Holdup
  module Sizing
    # Threads for some jobs only, in the same process: a capsule of their own. They share its GVL.
    WhatIf::OwnThreads = Data.define(:name, :threads) do
      # @return [Boolean]
      def apart? = false

      # @param others [Candidate]
      # @return [Candidate] with these threads
      def beside(others)
        others.with(threads: others.threads + threads, beside: [*others.beside, threads])
      end

      # @param unit [Trace::TraceUnit]
      # @param candidate [Candidate] with these threads
      # @return [Trace::TraceUnit] as they take it
      def place(unit, candidate)
        unit.with(pool: candidate.beside.size)
      end
    end
  end
end
