# frozen_string_literal: true

require "sequel"
require "sqlite3"

module Holdup
  module Store
    class Sql
      # Translates SQLite's errors for the owner of a store. Mixed into Sqlite.
      module Faults
        REOPEN = [
          StoreError::Corrupt, StoreError::NotOurs, StoreError::Unreachable, StoreError::ReadOnly
        ].freeze
        # Faults of one row. Sequel turns an ArgumentError into a database error.
        ROW = [
          Sequel::ConstraintViolation, Sequel::InvalidValue, SQLite3::ConstraintException,
          SQLite3::MismatchException, SQLite3::TooBigException, SQLite3::RangeException, ArgumentError
        ].freeze
        private_constant :REOPEN, :ROW

        # Errors that using the store may raise.
        def errors
          [Sequel::Error, SQLite3::Exception, SystemCallError]
        end

        def translate(error)
          cause = error.cause || error
          return cause if cause.is_a?(StoreError) # of a new connection, which Sequel wraps
          if ROW.any? { |kind| kind === error || kind === cause }
            return StoreError::BadRow.new(location:, reason: cause.message)
          end
          case cause
          when SQLite3::BusyException, SQLite3::LockedException
            StoreError::Locked.new(location:, seconds: @busy_s)
          when SQLite3::FullException, Errno::ENOSPC, Errno::EDQUOT then StoreError::Full.new(location:)
          when SQLite3::ReadOnlyException, Errno::EROFS, Errno::EACCES, Errno::EPERM then denied(cause)
          when SQLite3::NotADatabaseException then StoreError::NotOurs.new(location:)
          when SQLite3::CantOpenException, SQLite3::PermissionException, SQLite3::IOException, SystemCallError
            unreachable(cause)
          else StoreError::Corrupt.new(location:, reason: cause.message)
          end
        end

        # Whether a retry needs a new connection.
        def reopen?(error)
          REOPEN.any? { |kind| kind === error }
        end

        private

        def denied(cause)
          File.readable?(@location) ? StoreError::ReadOnly.new(location:) : unreachable(cause)
        end

        def unreachable(cause)
          StoreError::Unreachable.new(location:, reason: unreachable_reason || cause.message)
        end

        # The reason behind "unable to open database file" or a number.
        def unreachable_reason
          folder = File.dirname(@location)
          return "#{folder} is not a folder" if File.exist?(folder) && !File.directory?(folder)
          unless File.executable?(nearest_folder)
            return "this user may not look into the folder #{nearest_folder}"
          end
          "this user may not read it" if File.exist?(@location) && !File.readable?(@location)
        end
      end
    end
  end
end
