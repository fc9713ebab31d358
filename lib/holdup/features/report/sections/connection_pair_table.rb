# frozen_string_literal: true

module Holdup
  module Report
    module Sections
      # Whom units waited for to get a database connection.
      class ConnectionPairTable < View::SectionBase
        include PartyNames

        COLUMNS = %i[connection_waiter connection_holder pair_wait_share pair_wait].freeze

        def self.parts(summary)
          summary.connections.any? ? %i[connection_pairs samples] : []
        end

        # @return [View::Section, nil] nil where no unit waited, or nothing was recorded of it
        def call
          return unless summary.connections.any? && pairs.any?
          connections = View::AwaitedConnection.new(summary, words: @words).many
          title = word(:who_had_connections, connections:)
          View::Section.new(title:, columns: COLUMNS.map { |key| word(key) },
            rows: pairs.first(limit).map { |pair| row(pair) },
            notes: [*beyond(pairs), word(:who_had_connections_note)])
        end

        private

        def pairs = summary.connection_pairs

        def row(pair)
          [party(pair.victim), party(pair.causer), View::Figures.bare_share(pair.share), duration(pair.ns)]
        end
      end
    end
  end
end
