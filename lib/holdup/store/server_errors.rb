# frozen_string_literal: true

module Holdup
  module Store
    # What a database server may answer. Each says what to do there: nothing of it is a file.
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

      # No connection, or it broke. Passes by itself when the server is back.
      class Unreachable < StoreError::Unreachable
        def initialize(location:, reason:)
          super(location:, kind: :server_unreachable, reason:,
                advice: "check that the server runs, and the address, user and password in the URL")
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
        def initialize(location:)
          super(location:, kind: :read_only_server,
                advice: "name the primary server, because a standby takes no writes")
        end
      end

      # Two transactions waited for each other, and the server ended this one. It is tried again.
      class Deadlock < StoreError::Locked; end

      # One statement needed more than the server, or this user, may use. Others may go on.
      class OutOfMemory < StoreError
        def initialize(location:, reason:)
          super(location:, kind: :server_out_of_memory, reason:,
                problem: "lacks memory for what was asked (#{reason})",
                advice: "let the server or this user have more memory, or ask for a shorter time")
        end
      end

      class NotMigrated < StoreError
        def initialize(location:)
          super(location:, kind: :not_migrated, problem: "has no tables of Holdup that this user may see",
                advice: "run `holdup store migrate` once, as a user who may create tables")
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

      # The server rejects a statement, or its rows can't be read.
      class Corrupt < StoreError::Corrupt
        def initialize(location:, reason:)
          super(location:, reason:, kind: :corrupt_server,
                advice: "restore it from a backup, or #{OTHER_URL}")
        end
      end
    end
  end
end
