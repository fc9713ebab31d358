# frozen_string_literal: true

module Holdup
  module View
    module Sections
      # Who waited for a database connection and who kept them meanwhile; only when somebody waited.
      class ConnectionTable < SectionBase
        # @return [Section, nil]
        def call
          return unless connections.any?
          columns = [word(:wait_each), word(:wait_share), word(:kept_each), word(:kept_share)]
          Section.new(title: word(:connections), columns: [title_of_names, *columns], rows: listed.first(limit).map { |row| [row_label(row), *cells(row)] } + outside,
            total: [word(:all), *cells(summary.total)], notes: more(listed.size) + pools + unknown + [word(:connections_note)])
        end

        private

        def connections = summary.connections

        # The ones that kept them for longest first: those are what to change.
        def listed
          @listed ||= summary.rows.select { |row| held(row).positive? || waited(row).positive? }.sort_by { |row|
            [-held(row), -waited(row), row.name]
          }
        end

        def more(count)
          (count > limit) ? [word(:more_rows, count: Figures.count(count - limit))] : []
        end

        def waited(row) = row.sum(:pool_wait_ns)

        def held(row) = row.sum(:pool_held_ns)

        def cells(row)
          [each_unit(row, waited(row)), Figures.bare_share(connections.wait_share(row)),
            each_unit(row, held(row)), Figures.bare_share(connections.held_share(row))]
        end

        def outside
          connections.outside_ns.zero? ? [] : [[word(:connections_outside), "", "", "",
            Figures.bare_share(connections.outside_share)]]
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
          word(:connections_pool, name: Width.clean(pool.name), max: Figures.count(pool.max), busy: amount(pool.busy),
            backlog: amount(pool.backlog), most: Figures.count(pool.most_backlog))
        end
      end
    end
  end
end
