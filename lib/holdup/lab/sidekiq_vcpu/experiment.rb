# frozen_string_literal: true

module Holdup
  module Lab
    class SidekiqVcpu
      # One way to run the jobs.
      #
      # - `jobs`: how many, all put into the queue at once; `processes` that take them; `concurrency`: threads
      #   of each
      Experiment = Data.define(:name, :jobs, :processes, :concurrency) do
        # @return [Integer] jobs that run at the same time
        def at_once = [jobs, processes * concurrency].min

        # What theory says: a process runs Ruby on one CPU at a time.
        # @param vcpus [Numeric]
        # @return [TheoreticalTimes]
        def expected(vcpus)
          each = at_once / [[processes, at_once].min, vcpus].min.to_f
          TheoreticalTimes.new(each:, in_all: each * jobs.fdiv(at_once))
        end
      end
    end
  end
end
