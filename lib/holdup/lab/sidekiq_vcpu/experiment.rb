# frozen_string_literal: true

module Holdup
  module Lab
    class SidekiqVcpu
      # One way to run the jobs.
      #
      # - `jobs`: how many, all put into the queue at once; `processes` that take them; `concurrency`: threads of each
      Experiment = Data.define(:name, :jobs, :processes, :concurrency) do
        # @return [Integer] jobs that run at the same time
        def at_once = [jobs, processes * concurrency].min

        # What theory says: a process runs Ruby on one CPU at a time.
        # @param vcpus [Numeric]
        # @return [Expected]
        def expected(vcpus)
          each = at_once / [[processes, at_once].min, vcpus].min.to_f
          Expected.new(each:, in_all: each * jobs.fdiv(at_once))
        end
      end

      # Multiples of the time of one job alone.
      Expected = Data.define(:each, :in_all)

      # The first three are what a team in trouble tried; the fourth is what it lacked.
      EXPERIMENTS = [
        Experiment.new(name: :alone, jobs: 1, processes: 1, concurrency: 1),
        Experiment.new(name: :threads, jobs: 2, processes: 1, concurrency: 2),
        Experiment.new(name: :serial, jobs: 2, processes: 1, concurrency: 1),
        Experiment.new(name: :processes, jobs: 2, processes: 2, concurrency: 1)
      ].freeze
    end
  end
end
