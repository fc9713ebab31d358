# frozen_string_literal: true

require "sequel"
require "sqlite3"
require_relative "../../errors"

module Holdup
  module Stores
    class Sql
      # What SQLite's errors mean to somebody who has a store. For Sqlite, which knows where it is and how long it waited.
      module Faults
        REOPEN = [StoreError::Corrupt, StoreError::Unreachable, StoreError::ReadOnly].freeze
        # What is wrong with one row. Sequel takes an ArgumentError for one of the database.
        ROW = [Sequel::ConstraintViolation, Sequel::InvalidValue, SQLite3::ConstraintException, SQLite3::MismatchException,
          SQLite3::TooBigException, SQLite3::RangeException, ArgumentError].freeze
        private_constant :REOPEN, :ROW

        # @return [Array<Class>] what may be raised while using it
        def errors = [Sequel::Error, SQLite3::Exception, SystemCallError]

        # @param error [Exception] one of errors
        # @return [StoreError]
        def translate(error)
          cause = error.cause || error
          return StoreError::BadRow.new(location:, reason: cause.message) if ROW.any? { |kind| kind === error || kind === cause }
          case cause
          when SQLite3::BusyException, SQLite3::LockedException then StoreError::Locked.new(location:, seconds: @busy_s)
          when SQLite3::FullException, Errno::ENOSPC, Errno::EDQUOT then StoreError::Full.new(location:)
          when SQLite3::ReadOnlyException, Errno::EROFS, Errno::EACCES, Errno::EPERM then denied(cause)
          when SQLite3::CantOpenException, SQLite3::PermissionException, SQLite3::IOException, SystemCallError
            StoreError::Unreachable.new(location:, reason: cause.message)
          else StoreError::Corrupt.new(location:, reason: cause.message)
          end
        end

        # @param error [StoreError]
        # @return [Boolean] whether another try needs a new connection
        def reopen?(error) = REOPEN.any? { |kind| kind === error }

        private

        def denied(cause)
          File.readable?(@location) ? StoreError::ReadOnly.new(location:) : StoreError::Unreachable.new(location:, reason: cause.message)
        end
      end
    end
  end
end
