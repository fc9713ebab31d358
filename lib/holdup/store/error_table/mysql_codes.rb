# frozen_string_literal: true

module Holdup
  module Store
    class ErrorTable
      # MySQL and MariaDB, by error number. Numbers below 1000 are of files, those from 2000 to 2999 of the
      # client. The SQLSTATE helps only for numbers that are not listed.
      class MysqlCodes < ErrorTable
        PACKET = "max_allowed_packet"
        ENTRIES = [
          entry(:conflict, 1020, 1213, 1412, 1613, 1614, 3058, 3101),
          entry(:locked, 1205, 3572),
          # 3 and 1026: "Error writing file"; 1030: "Got error ... from storage engine".
          entry(:full, 3, 1026, 1030, words: [/Errcode: (28|122)\b|error (28|122|135)\b|No space|quota/i]),
          # The disk of temporary tables.
          entry(:full, 1034, words: [/#sql/]),
          entry(:full, 1021, 1114),
          entry(:corrupt, 1030, words: [/error (126|127|134|141|144|145|180)\b/]),
          entry(:corrupt, 126, 127, 134, 141, 144, 145, 1033, 1034, 1035, 1194, 1195, 1712, 1877),
          # Other options than read_only may prevent a statement, too.
          entry(:read_only, 1290, words: [/read.?only/i]),
          entry(:read_only, 1036, 1792, 1836, 1874),
          entry(:out_of_memory, 5, 1037, 1038, 1041, 1135, 1206, 2008, 4082, 4083),
          entry(:denied, 1044, 1142, 1143, 1227, 1370),
          entry(:login, 1045, 1129, 1130, 1251, 1524, 1698, 1820, 1862, 1873, 2054, 2058, 2059, 3118, 3955,
            4151),
          entry(:tls, 2026, 2061, 3159),
          entry(:no_database, 1049),
          entry(:not_migrated, 1051, 1146),
          entry(:connections, 1226, words: [/user_connections/], setting: "max_user_connections"),
          entry(:connections, 1040, setting: "max_connections"),
          entry(:connections, 1203, setting: "max_user_connections"),
          entry(:limit, 1226, words: [/max_updates/], setting: "MAX_UPDATES_PER_HOUR"),
          entry(:limit, 1226, words: [/max_connections_per_hour/], setting: "MAX_CONNECTIONS_PER_HOUR"),
          entry(:limit, 1226, setting: "MAX_QUERIES_PER_HOUR"),
          entry(:limit, 1153, 1162, 1301, 2020, setting: PACKET),
          entry(:limit, 1461, setting: "max_prepared_stmt_count"),
          entry(:limit, 1104, setting: "max_join_size"),
          entry(:limit, 1436, setting: "thread_stack"),
          entry(:limit, 1637, setting: "innodb_rollback_segments"),
          entry(:time_limit, 1969, setting: "max_statement_time"),
          entry(:time_limit, 3024, setting: "max_execution_time"),
          entry(:cancelled, 1317),
          entry(:starting, 1047, 1053, 1077, 1079, 3168),
          entry(:lost, 1152, 1158, 1159, 1160, 1161, 1184, 1927, 2006, 2012, 2013, 2055, 3169, 4031),
          # 9001: of ProxySQL.
          entry(:unreachable, 2002, 2003, 2004, 2005, 9001),
          entry(:needs_keys, 1173, setting: "innodb_force_primary_key"),
          entry(:needs_keys, 3750, setting: "sql_require_primary_key"),
          entry(:needs_keys, 3098, setting: "group replication"),
          entry(:bad_row, 1048, 1062, 1264, 1265, 1292, 1300, 1366, 1406, 1452, 1690, 3140, 3819, 4025),
          # What the driver trilogy says by itself.
          entry(:limit, words: [/MAX_PACKET_EXCEEDED/], setting: PACKET),
          entry(:tls, words: [/TRILOGY_OPENSSL|requires .*(TLS|SSL)|\bSSL\b/i]),
          entry(:login, words: [/TRILOGY_AUTH|auth(entication)? plugin|AUTH_SWITCH/i]),
          entry(:lost, words: [/closed|gone away|lost connection|EOF/i]),
          entry(:unreachable, words: [/connect|timed out|timeout|TRILOGY_/i])
        ].freeze
        # The beginning of a SQLSTATE decides for numbers that are not listed.
        STATES = [
          entry(:lost, "08"), entry(:bad_row, "22", "23"), entry(:read_only, "25006"), entry(:login, "28"),
          entry(:conflict, "40")
        ].freeze
        private_constant :PACKET

        # @param state [String, nil] the SQLSTATE
        # @return [CodeMeaning, nil]
        def self.of_state(state, text)
          STATES.find { |entry| entry.covers?(state, text) } if state
        end
      end
    end
  end
end
