# frozen_string_literal: true

require "sequel"

module Holdup
  module Store
    class Sql
      # Translates the errors of MySQL and MariaDB for the owner of a store, by their numbers.
      module Mysql::Faults
        KINDS = {
          locked: [1205, 3572],
          deadlock: [1213],
          full: [3, 1021, 1114],
          read_only: [1290, 1792, 1836],
          denied: [1044, 1142, 1143, 1227, 1370],
          bad_row: [1048, 1062, 1264, 1265, 1366, 1406, 1452, 3140],
          unreachable: [1040, 1045, 1049, 1053, 1077, 1152, 1158, 1159, 1160, 1161, 1184, 1203, 1698, 1927,
            2002, 2003, 2005, 2006, 2013, 2055, 3118, 4031]
        }.flat_map { |kind, numbers| numbers.map { |number| [number, kind] } }.to_h.freeze
        ROW = [Sequel::ConstraintViolation, Sequel::InvalidValue, ArgumentError].freeze
        LOST = [Sequel::DatabaseDisconnectError, Sequel::DatabaseConnectionError, SystemCallError,
          IOError].freeze
        # What the drivers say without a number.
        BROKEN = /closed|gone away|lost connection|connection|TRILOGY_|timed out|EOF/i
        private_constant :KINDS, :ROW, :LOST, :BROKEN

        # Errors that using the store may raise.
        def errors
          [Sequel::Error, SystemCallError, *(::Trilogy::Error if defined?(::Trilogy::Error)),
            *(::Mysql2::Error if defined?(::Mysql2::Error))]
        end

        def translate(error)
          cause = error.cause || error
          return cause if cause.is_a?(StoreError)
          fault(kind_of(error, cause), cause.message.lines.first.to_s.strip)
        end

        private

        def kind_of(error, cause)
          number = [cause, error].filter_map { |one| number(one) }.first
          return KINDS.fetch(number, :corrupt) if number
          return :bad_row if ROW.any? { |kind| kind === error || kind === cause }
          lost = LOST.any? { |kind| kind === error || kind === cause } || BROKEN.match?(cause.message)
          lost ? :unreachable : :corrupt
        end

        def number(error)
          number = error.error_code if error.respond_to?(:error_code)
          number ||= error.error_number if error.respond_to?(:error_number)
          number unless number.to_i.zero?
        end
      end
    end
  end
end
