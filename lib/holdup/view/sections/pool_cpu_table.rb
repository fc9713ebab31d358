# frozen_string_literal: true

module Holdup
  module View
    module Sections
      # Whose units used the CPU: requests, and the jobs of each group of threads.
      class PoolCpuTable < SectionBase
        COLUMNS = %i[pool units cpu_of_core cpu_of_all].freeze

        # @return [Section, nil] nil without samples of processes
        def call
          lines = summary.pool_cpu
          return if lines.none?(&:units)
          Section.new(title: word(:pool_cpu), columns: COLUMNS.map { |key| word(key) },
            rows: lines.map { |line| row(line) }, notes: [word(:pool_cpu_note)])
        end

        private

        def row(line)
          [label("#{line.server} #{line.name || word(:"pool_cpu_#{line.kind}")}".strip), line.units ? Figures.short_count(line.units) : "",
            Figures.bare_share(line.cpu_share), Figures.bare_share(share_of_all(line))]
        end

        # Only where one container has them all.
        def share_of_all(line)
          vcpus = summary.processes.machines.one? && summary.processes.machines.first.vcpus
          line.cpu_share / vcpus if vcpus
        end
      end
    end
  end
end
