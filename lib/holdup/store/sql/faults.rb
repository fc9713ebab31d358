# frozen_string_literal: true

require "sequel/core"
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
        CODES = {
          SQLite3::PermissionException => 3, SQLite3::BusyException => 5, SQLite3::LockedException => 6,
          SQLite3::MemoryException => 7, SQLite3::ReadOnlyException => 8, SQLite3::IOException => 10,
          SQLite3::CorruptException => 11, SQLite3::FullException => 13, SQLite3::CantOpenException => 14,
          SQLite3::ProtocolException => 15, SQLite3::NotADatabaseException => 26
        }.freeze
        private_constant :REOPEN, :ROW, :CODES

        # Errors that using the store may raise.
        def errors
          [Sequel::Error, SQLite3::Exception, SystemCallError]
        end

        def translate(error)
          cause = error.cause || error
          return cause if cause.is_a?(StoreError) # of a new connection, which Sequel wraps
          fault(kind_of(error, cause), cause)
        end

        # Whether a retry needs a new connection.
        def reopen?(error)
          REOPEN.any? { |kind| kind === error }
        end

        private

        def kind_of(error, cause)
          return :bad_row if ROW.any? { |kind| kind === error || kind === cause }
          case cause
          when SQLite3::Exception then code_kind(cause)
          when Errno::ENOSPC, Errno::EDQUOT then :full
          when Errno::EROFS, Errno::EACCES, Errno::EPERM then :read_only
          when SystemCallError then :unreachable
          when Sequel::PoolTimeout then :in_use
          else :unexpected
          end
        end

        # An exception that nobody gave a code has that of its class.
        def code_kind(cause)
          code = cause.code || CODES[cause.class]
          ErrorTable::SqliteCodes.find(code.to_i, cause.message)&.kind || :unexpected
        end

        def fault(kind, cause)
          reason = cause.message.lines.first.to_s.strip
          case kind
          when :bad_row then StoreError::BadRow.new(location:, reason:)
          when :locked then StoreError::Locked.new(location:, reason:, seconds: @busy_s)
          when :in_use then StoreError::InUse.new(location:, reason:)
          when :full then StoreError::Full.new(location:, reason:, kind: :file_full)
          when :read_only then denied(cause)
          when :not_ours then StoreError::NotOurs.new(location:)
          when :unreachable then unreachable(cause)
          when :out_of_memory then StoreError::OutOfMemory.new(location:, reason:)
          when :corrupt then StoreError::Corrupt.new(location:, reason:)
          else StoreError::Unexpected.new(location:, reason:)
          end
        end

        def denied(cause)
          return unreachable(cause) unless File.readable?(@location)
          StoreError::ReadOnly.new(location:, reason: cause.message, kind: :file_read_only)
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
