# frozen_string_literal: true

module Holdup
  module Sizing
    # Processes for some units only: as many threads each as the others have, where nothing is said.
    WhatIf::OwnPool = Data.define(:name, :processes, :threads) do
      def initialize(name:, processes: 1, threads: nil)
        super
      end

      # @return [Boolean] whether these are processes of their own
      def apart? = true

      # @param others [Candidate]
      # @return [Candidate] with these processes
      def beside(others)
        others.with(pool: others.with(processes:, threads: threads || others.own_threads, pool: nil,
          beside: [], company: []))
      end

      # @param unit [Trace::TraceUnit]
      # @return [Trace::TraceUnit] as these processes take it
      def place(unit, _candidate)
        unit.with(group: 1, pool: 0)
      end
    end
  end
end
