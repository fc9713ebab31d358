# frozen_string_literal: true

module Holdup
  module Store
    class Sql
      # What came of predictions, a row for each figure.
      class PredictionOutcomes
        FIGURE = PredictionOutcome::Quantity.members.freeze
        OUTCOME = (PredictionOutcome.members - %i[figures]).freeze
        private_constant :FIGURE, :OUTCOME

        # @param connection [Connection]
        def initialize(connection)
          @connection = connection
        end

        # @param outcome [PredictionOutcome] it takes the place of the same one
        # @return [void]
        def keep(outcome)
          key = outcome.key.merge(kind: outcome.kind.to_s)
          @connection.write do |db|
            db[:outcomes].where(key).delete
            db[:outcomes].multi_insert(outcome.figures.map { |name, figure|
              {**key, at_s: outcome.at_s,
                      units: outcome.units, figure: name.to_s, **figure.to_h}
            })
          end
        end

        # @see Sql#outcomes
        def to_a
          @connection.read { |db| db[:outcomes].order(:at_s, :id).all }.group_by { |row| row.slice(*OUTCOME) }
            .map { |facts, rows|
            PredictionOutcome.new(**facts, kind: facts[:kind].to_sym,
              figures: rows.to_h { |row| [row[:figure].to_sym, PredictionOutcome::Quantity.new(**row.slice(*FIGURE))] })
          }
        end

        # @return [Integer] rows deleted
        def delete_before(second)
          @connection.write { |db| db[:outcomes].where { at_s < second }.delete }
        end
      end
    end
  end
end
