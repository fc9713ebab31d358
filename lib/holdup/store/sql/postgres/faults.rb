# frozen_string_literal: true

require "sequel"

module Holdup
  module Store
    class Sql
      # Translates PostgreSQL's errors for the owner of a store, by their SQLSTATE.
      module Postgres::Faults
        # The first that begins so.
        KINDS = {
          "25006" => :read_only, "40" => :deadlock, "42501" => :denied, "53100" => :full,
          "53" => :unreachable, "54" => :bad_row, "55P03" => :locked, "57014" => :locked,
          "57" => :unreachable, "08" => :unreachable, "25P03" => :unreachable, "22" => :bad_row,
          "23" => :bad_row
        }.freeze
        LOST = [Sequel::DatabaseDisconnectError, Sequel::DatabaseConnectionError, SystemCallError].freeze
        ROW = [Sequel::ConstraintViolation, Sequel::InvalidValue, ArgumentError].freeze
        private_constant :KINDS, :LOST, :ROW

        # Errors that using the store may raise.
        def errors
          [Sequel::Error, SystemCallError, *(PG::Error if defined?(PG::Error))]
        end

        def translate(error)
          cause = error.cause || error
          return cause if cause.is_a?(StoreError)
          fault(kind_of(error, cause), reason(cause))
        end

        private

        def kind_of(error, cause)
          state = sqlstate(cause)
          found = KINDS.find { |start, _| state.start_with?(start) }&.last
          return found if found
          return :bad_row if ROW.any? { |kind| kind === error || kind === cause }
          return :unreachable if LOST.any? { |kind| kind === error || kind === cause }
          :corrupt
        end

        # A connection that breaks has no result.
        def sqlstate(cause)
          return "" unless defined?(PG::Error) && cause.is_a?(PG::Error)
          (cause.result&.error_field(PG::PG_DIAG_SQLSTATE) || PG::ERROR_CLASSES.key(cause.class)).to_s
        end

        # The first line of what the server says, without the name of the driver's class.
        def reason(cause)
          cause.message.lines.first.to_s.strip.sub(/\A(ERROR|FATAL):\s*/, "")
        end
      end
    end
  end
end
