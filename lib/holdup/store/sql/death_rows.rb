# frozen_string_literal: true

require_relative "sourced_rows"

module Holdup
  module Store
    class Sql
      # What processes were doing when they died: Autopsies.
      class DeathRows < SourcedRows
        def initialize(connection)
          super(connection, table: :deaths, keep_s: Autopsy::KEEP_S, most: Autopsy::MOST)
        end

        private

        def facts(autopsy) = autopsy.facts

        def value(source:, facts:, **) = Autopsy.load(source:, facts:)
      end
    end
  end
end
