# frozen_string_literal: true

module Holdup
  module Store
    # What a database server may answer, with what to do there: nothing of it is a file. ErrorTable knows
    # which code of which server means what.
    module ServerErrors
      OTHER_URL = "name another store with --store or HOLDUP_STORE"

      # The driver is not installed where this process runs.
      class MissingGem < StoreError
        def initialize(location:, gem:)
          super(location:, kind: :missing_gem, gem:,
                problem: "needs the gem #{gem}, which is not installed",
                advice: "add `gem \"#{gem}\"` to the Gemfile, or run `gem install #{gem}`")
        end
      end

      # No connection. Passes by itself when the server is back.
      class Unreachable < StoreError::Unreachable
        ADVICE = "check that the server runs, and the address in the URL"
        private_constant :ADVICE

        def initialize(location:, reason:, kind: :server_unreachable, advice: ADVICE, **facts)
          super
        end
      end

      # Never with the parser's words, which show the password.
      class InvalidUrl < Unreachable
        def initialize(location:)
          super(location:, reason: "this is not a valid URL", kind: :server_url,
                advice: "write special characters of user and password as % and two digits, " \
                  "such as %40 for @")
        end
      end

      # A connection that worked has ended. The next one may work.
      class ConnectionLost < Unreachable
        def passes? = true
      end

      # The server starts, stops or recovers.
      class Starting < Unreachable
        def initialize(location:, reason:)
          super(location:, reason:, kind: :server_starting,
                advice: "try again in a moment: the server is starting or stopping")
        end

        def passes? = true
      end

      # All connections, of the server or of this user, are taken.
      class NoConnection < Unreachable
        # @param setting [String] the limit
        def initialize(location:, reason:, setting:)
          super(location:, reason:, setting:, kind: :server_connections,
                advice: "try again when others have closed their connections, or raise #{setting}")
        end

        def passes? = true
      end

      # Unknown user, wrong password, or a host from where this user may not come.
      class LoginRefused < Unreachable
        def initialize(location:, reason:)
          super(location:, reason:, kind: :server_login,
                advice: "check the user and password in the URL, and from where the server lets this user in")
        end
      end

      class NoDatabase < Unreachable
        def initialize(location:, reason:)
          super(location:, reason:, kind: :server_no_database,
                advice: "check the name of the database in the URL, or create it and run " \
                  "`holdup store migrate`")
        end
      end

      # One side wants TLS and the other does not, or a certificate is not accepted.
      class TlsFailed < Unreachable
        def initialize(location:, reason:)
          super(location:, reason:, kind: :server_tls,
                advice: "check the TLS options of the URL and the certificates of the server")
        end
      end

      # The user lacks a right, or may not even connect.
      class Denied < StoreError
        def initialize(location:, reason:)
          super(location:, kind: :denied, reason:, problem: "refuses this user (#{reason})",
                advice: "grant what `holdup store --help` shows for a writer or a reader")
        end
      end

      # A standby, or a server that was set so.
      class ReadOnly < StoreError::ReadOnly
        def initialize(location:, reason: nil)
          super(location:, reason:, kind: reason ? :server_read_only : :read_only_server,
                advice: "name the primary server, because a standby takes no writes")
        end
      end

      # No room on the server's disk, or in what this user may take of it.
      class Full < StoreError::Full
        def initialize(location:, reason:)
          super(location:, reason:, kind: :server_full,
                advice: "free disk space on the server, or raise the limit that it names")
        end
      end

      # The server ended this transaction in favour of another one, and took it back. It is tried again.
      class Conflict < StoreError
        def initialize(location:, reason:)
          super(location:, kind: :server_conflict, reason:,
                problem: "was written to by another transaction, for which the server ended ours (#{reason})",
                advice: "try again")
        end

        def passes? = true
      end

      # A standby ended a query, because it had to apply what the primary server has changed.
      class RecoveryConflict < StoreError
        def initialize(location:, reason:)
          super(location:, kind: :server_recovery, reason:,
                problem: "is a standby, which ended a query to apply changes of the primary server " \
                  "(#{reason})",
                advice: "try again, set hot_standby_feedback or raise max_standby_streaming_delay there, " \
                  "or name the primary server")
        end

        def passes? = true
      end

      # The server lets a statement or transaction take only so long.
      class TimeLimit < StoreError
        # @param setting [String] the limit
        def initialize(location:, reason:, setting:)
          super(location:, kind: :server_time_limit, reason:, setting:,
                problem: "ended a statement that took longer than the server allows (#{reason})",
                advice: "raise #{setting} for this user, or ask for a shorter time")
        end
      end

      # Somebody, or a tool, ended the statement.
      class Cancelled < StoreError
        def initialize(location:, reason:)
          super(location:, kind: :server_cancelled, reason:,
                problem: "had a statement of ours cancelled (#{reason})",
                advice: "try again, and find out who cancels statements on the server if this stays")
        end
      end

      # A limit of the server or this user, other than of time, connections and memory.
      class LimitReached < StoreError
        # @param setting [String] the limit
        def initialize(location:, reason:, setting:)
          super(location:, kind: :server_limit, reason:, setting:,
                problem: "has reached a limit of its server (#{reason})",
                advice: "raise #{setting} on the server")
        end
      end

      # The server takes only tables that it can replicate.
      class NeedsKeys < StoreError
        # @param setting [String] what demands it
        def initialize(location:, reason:, setting:)
          super(location:, kind: :server_needs_keys, reason:, setting:,
                problem: "refuses a table without a primary key (#{reason})",
                advice: "run `holdup store migrate` again, which gives each table of Holdup one, or turn " \
                  "#{setting} off for this database")
        end
      end

      # One statement needed more than the server, or this user, may use. Others may go on.
      class OutOfMemory < StoreError
        def initialize(location:, reason:)
          super(location:, kind: :server_out_of_memory, reason:,
                problem: "lacks memory for what was asked (#{reason})",
                advice: "let the server or this user have more memory, or ask for a shorter time")
        end
      end

      class NotMigrated < StoreError
        # @param reason [String, nil] what the server says
        def initialize(location:, reason: nil)
          words = " (#{reason})" if reason
          super(location:, kind: reason ? :table_missing : :not_migrated, **{reason:}.compact,
                problem: "has no tables of Holdup that this user may see",
                advice: "run `holdup store migrate` once, as a user who may create tables#{words}")
        end
      end

      class OlderSchema < StoreError::OlderSchema
        def initialize(location:, found:, known:)
          super(location:, found:, known:, kind: :older_schema_server,
                advice: "run `holdup store migrate`, which keeps what is in it")
        end
      end

      # Tables of another program. Holdup makes its own only where there are none.
      class ForeignTables < StoreError
        def initialize(location:, tables:)
          names = tables.first(3).join(", ")
          names += " ..." if tables.size > 3
          super(location:, kind: :foreign_tables, tables: names,
                problem: "belongs to another program (with the tables #{names})",
                advice: "create a database for Holdup, or #{OTHER_URL}")
        end
      end

      # The server says that its data is damaged, or rows of ours can't be read.
      class Corrupt < StoreError::Corrupt
        def initialize(location:, reason:)
          super(location:, reason:, kind: :corrupt_server,
                advice: "restore it from a backup, or #{OTHER_URL}")
        end
      end

      # What no table of ours knows.
      class Unexpected < StoreError::Unexpected
        def initialize(location:, reason:)
          super(location:, reason:, kind: :server_unexpected,
                advice: "look into the server's log, and report it if it stays")
        end
      end

      # The keys are the kinds of the rows of ErrorTable; all classes take a location and a reason.
      CLASSES = {
        unreachable: Unreachable, lost: ConnectionLost, starting: Starting, login: LoginRefused,
        no_database: NoDatabase, tls: TlsFailed, denied: Denied, read_only: ReadOnly, full: Full,
        conflict: Conflict, recovery: RecoveryConflict, cancelled: Cancelled, out_of_memory: OutOfMemory,
        not_migrated: NotMigrated, bad_row: StoreError::BadRow, corrupt: Corrupt, unexpected: Unexpected
      }.freeze
      # These name the setting that may be changed.
      LIMITS = {
        connections: NoConnection, time_limit: TimeLimit, limit: LimitReached, needs_keys: NeedsKeys
      }.freeze
      private_constant :CLASSES, :LIMITS

      # @param entry [ErrorTable::CodeMeaning]
      # @param reason [String] the server's words
      # @param seconds [Numeric] how long a lock was waited for
      # @return [StoreError]
      def self.of(entry, location:, reason:, seconds: 0)
        return StoreError::Locked.new(location:, reason:, seconds:) if entry.kind == :locked
        limit = LIMITS[entry.kind]
        return limit.new(location:, reason:, setting: entry.setting) if limit
        CLASSES.fetch(entry.kind).new(location:, reason:)
      end
    end
  end
end
