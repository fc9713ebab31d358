# frozen_string_literal: true

module Holdup
  module View
    module Sections
      # The groups of threads that take units: a server's web threads, a job runner's capsules and queue
      # groups.
      class PoolTable < SectionBase
        COLUMNS = %i[pool pool_processes pool_threads pool_busy pool_busy_share pool_backlog pool_backlog_max
          pool_oldest].freeze

        # @return [Section, nil] nil where no server tells of its threads
        def call
          pools = summary.processes.pools
          return if pools.empty?
          Section.new(title: word(:pools), columns: COLUMNS.map { |key| word(key) },
            rows: pools.map { |pool| row(pool) }, notes: [word(:pools_note)])
        end

        private

        def row(pool)
          [label("#{pool.server} #{pool.name}".strip), amount(pool.size), amount(pool.max), Figures.rate(pool.busy),
            Figures.bare_share(pool.busy_share), Figures.rate(pool.backlog), Figures.count(pool.most_backlog), duration(pool.oldest_ns)]
        end
      end
    end
  end
end
