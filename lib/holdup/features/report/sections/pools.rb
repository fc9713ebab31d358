# frozen_string_literal: true

module Holdup
  module Report
    module Sections
      # Tables of what units share: threads, queues, CPUs, database connections.
      module Pools
        # The groups of threads that run units: a server's web threads, a job runner's capsules and queue
        # groups.
        class PoolTable < View::SectionBase
          PARTS = [:samples].freeze

          COLUMNS = %i[pool pool_processes pool_threads pool_busy pool_busy_share pool_backlog
            pool_backlog_max pool_oldest].freeze

          # @return [View::Section, nil] nil if no server reports its threads
          def call
            pools = summary.processes.pools
            return if pools.empty?
            View::Section.new(title: word(:pools), columns: COLUMNS.map { |key| word(key) },
              rows: pools.map { |pool| row(pool) }, notes: [word(:pools_note)])
          end

          private

          def row(pool)
            [label("#{pool.server} #{pool.name}".strip), amount(pool.size), amount(pool.max),
              View::Figures.rate(pool.busy),
              View::Figures.bare_share(pool.busy_share), View::Figures.rate(pool.backlog),
              View::Figures.count(pool.most_backlog), duration(pool.oldest_ns)]
          end
        end

        # Whose units used the CPU: requests, and the jobs of each group of threads.
        class PoolCpuTable < View::SectionBase
          PARTS = [:samples].freeze

          COLUMNS = %i[pool units cpu_of_core cpu_of_all].freeze

          # @return [View::Section, nil] nil without samples of processes
          def call
            lines = summary.pool_cpu
            return if lines.none?(&:units)
            View::Section.new(title: word(:pool_cpu), columns: COLUMNS.map { |key| word(key) },
              rows: lines.map { |line| row(line) }, notes: [word(:pool_cpu_note)])
          end

          private

          def row(line)
            [label("#{line.server} #{line.name || word(:"pool_cpu_#{line.kind}")}".strip),
              line.units ? View::Figures.short_count(line.units) : "",
              View::Figures.bare_share(line.cpu_share), View::Figures.bare_share(share_of_all(line))]
          end

          # Only if one container has all of them.
          def share_of_all(line)
            vcpus = summary.processes.machines.one? && summary.processes.machines.first.vcpus
            line.cpu_share / vcpus if vcpus
          end
        end

        # How long units wait for a thread, how many finish, and what share of the threads they use.
        class QueueTable < View::SectionBase
          PARTS = %i[samples coverage].freeze

          # @return [View::Section, nil] nil for requests without any of these figures
          def call
            columns = [word(:units), "/s", word(:queued_p50), word(:queued_p95), word(:queued_max),
              word(:capacity)]
            if wanted?
              figures_section(:queues, columns, notes: [*priorities, word(:queues_note)]) { |row| cells(row) }
            end
          end

          private

          def wanted?
            summary.by == :queue || summary.unit_kind != :request ||
              !summary.capacity_share(summary.total).nil?
          end

          def priorities
            return [] unless summary.by == :priority
            without = summary.total.count - summary.rows.sum(&:count)
            [word(:priorities_note),
              *(without.positive? ? [word(:without_priority, count: View::Figures.count(without))] : [])]
          end

          def cells(row)
            queued = row.histogram(:queued)
            [View::Figures.short_count(row.count), View::Figures.rate(summary.row_rate(row)),
              *[queued.quantile(0.5), queued.quantile(0.95), queued.max].map { |value| duration(value) },
              View::Figures.share(summary.capacity_share(row))]
          end
        end

        # Who waited for a database connection and who kept the connections meanwhile; only if there were
        # waits.
        class ConnectionTable < View::SectionBase
          def self.parts(summary)
            summary.connections.any? ? %i[samples coverage] : []
          end

          def call
            return unless connections.any?
            columns = [word(:wait_each), word(:wait_share), word(:kept_each), word(:kept_share)]
            title = View::AwaitedConnection.new(summary, words: @words).title
            View::Section.new(title:, columns: [title_of_names, *columns],
              rows: listed.first(limit).map { |row| [row_label(row), *cells(row)] } + outside,
              total: [word(:all), *cells(summary.total)],
              notes: beyond(listed) + pools + unknown + [word(:connections_note)])
          end

          private

          def connections = summary.connections

          # Those that kept connections longest come first: they are what to change.
          def listed
            @listed ||= summary.rows.select { |row|
              held(row).positive? ||
                waited(row).positive?
            }.sort_by { |row|
              [-held(row), -waited(row), row.name]
            }
          end

          def waited(row) = row.sum(:pool_wait_ns)

          def held(row) = row.sum(:pool_held_ns)

          def cells(row)
            [each_unit(row, waited(row)), View::Figures.bare_share(connections.wait_share(row)),
              each_unit(row, held(row)), View::Figures.bare_share(connections.held_share(row))]
          end

          def outside
            connections.outside_ns.zero? ? [] : [[word(:connections_outside), "", "", "",
              View::Figures.bare_share(connections.outside_share)]]
          end

          def unknown
            connections.outside_known? ? [] : [word(:connections_unknown)]
          end

          def pools
            sampled = connections.pools.map { |pool| sentence(pool) }
            return sampled if sampled.any?
            connections.size ? [word(:connections_size, size: connections.size)] : []
          end

          def sentence(pool)
            word(:connections_pool, name: View::Width.clean(pool.name),
              max: pool.max.map { |max| View::Figures.count(max) }.join("/"), busy: amount(pool.busy),
              backlog: pool.backlog && amount(pool.backlog),
              most: pool.most_backlog && View::Figures.count(pool.most_backlog))
          end
        end
      end
    end
  end
end
