# frozen_string_literal: true

module Holdup
  module Store
    class ErrorTable
      # PostgreSQL, by SQLSTATE (appendix A of its manual), and PgBouncer, which sends 08P01 for everything.
      # The driver gives no SQLSTATE when it can't connect, so those entries have words.
      class PostgresCodes < ErrorTable
        CONNECTIONS = "max_connections / CONNECTION LIMIT"
        ENTRIES = [
          # Words first: they tell apart what has one code, and what has none.
          entry(:recovery, "40", "57014", words: [/conflict with recovery/, /deadlock with recovery/]),
          entry(:needs_keys, "55000", words: [/replica identity/], setting: "PUBLICATION FOR ALL TABLES"),
          entry(:connections, "53300", "08P01", "08004", setting: CONNECTIONS,
            words: [/too many clients/, /too many connections/, /connection slots are reserved/]),
          entry(:connections, "08P01", setting: "max_client_conn",
            words: [/no more connections allowed/, /max_client_conn/, /query_wait_timeout/]),
          entry(:login, "08P01", "28", words: [/authentication failed/, /no pg_hba\.conf entry/,
            /role .+ does not exist/, /not permitted to log in/, /no password supplied/, /no such user/]),
          entry(:no_database, "3D000", "08P01", words: [/database .+ does not exist/, /no such database/]),
          entry(:starting, "57P02", "57P03", "08P01",
            words: [/database system is /, /not (yet )?accepting connections/, /server_login_retry/]),
          entry(:tls, words: [/does not support SSL/, /SSL error/, /certificate/, /sslmode/]),
          entry(:denied, words: [/permission denied for /]),
          entry(:time_limit, "08P01", words: [/idle transaction timeout/],
            setting: "idle_transaction_timeout"),
          entry(:time_limit, "08P01", words: [/query timeout/], setting: "query_timeout"),
          entry(:time_limit, "25P03", words: [/idle-in-transaction timeout/],
            setting: "idle_in_transaction_session_timeout"),
          entry(:time_limit, "25P04", words: [/transaction timeout/], setting: "transaction_timeout"),
          entry(:lost, words: [/server closed the connection/, /terminating connection/,
            /connection .*closed/, /no connection to the server/, /Connection reset/, /Broken pipe/,
            /SSL SYSCALL/]),
          entry(:time_limit, "57014", words: [/statement timeout/], setting: "statement_timeout"),
          entry(:locked, "57014", words: [/lock timeout/]),
          # "due to user request", and what a server says in another language.
          entry(:cancelled, "57014"),
          entry(:conflict, "XX000", words: [/tuple concurrently/]),
          # 57P01 may be the server's end, or of this connection alone.
          entry(:lost, "08000", "08003", "08006", "08007", "57P01", "57P05"),
          entry(:unreachable, "08001", "08004"),
          entry(:bad_row, "22", "23"),
          entry(:read_only, "25006"),
          entry(:time_limit, "25P03", setting: "idle_in_transaction_session_timeout"),
          entry(:time_limit, "25P04", setting: "transaction_timeout"),
          entry(:login, "28"),
          entry(:no_database, "3D000", "57P04"),
          entry(:not_migrated, "3F000", "42P01"),
          # 40003 leaves open whether the transaction holds.
          entry(:lost, "40003"),
          entry(:conflict, "40", "72000"),
          entry(:denied, "42501"),
          entry(:full, "53100"),
          entry(:limit, "53200", words: [/shared memory/], setting: "max_locks_per_transaction"),
          entry(:out_of_memory, "53200"),
          entry(:connections, "53300", setting: CONNECTIONS),
          entry(:limit, "53400", setting: "temp_file_limit"),
          entry(:limit, "54001", setting: "max_stack_depth"),
          entry(:bad_row, "54000"),
          entry(:locked, "55P03"),
          entry(:starting, "57P02", "57P03"),
          entry(:corrupt, "XX001", "XX002"),
          # The server runs, and says in another language why it refuses the connection.
          entry(:unexpected, words: [/\b(FATAL|PANIC):/])
        ].freeze
        private_constant :CONNECTIONS
      end
    end
  end
end
