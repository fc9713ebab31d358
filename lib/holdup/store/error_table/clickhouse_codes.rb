# frozen_string_literal: true

module Holdup
  module Store
    class ErrorTable
      # ClickHouse, by its codes (src/Common/ErrorCodes.cpp), and proxies before it, by their HTTP status.
      class ClickhouseCodes < ErrorTable
        ENTRIES = [
          entry(:full, 243),
          entry(:out_of_memory, 173, 241),
          entry(:limit, 62, words: [/Max query size exceeded/], setting: "max_query_size"),
          entry(:limit, 158, setting: "max_rows_to_read"),
          entry(:limit, 201, setting: "QUOTA"),
          entry(:limit, 307, setting: "max_bytes_to_read"),
          entry(:limit, 396, setting: "max_result_rows"),
          entry(:limit, 252, setting: "parts_to_throw_insert"),
          entry(:limit, 439, setting: "max_thread_pool_size"),
          entry(:limit, 359, setting: "max_partition_size_to_drop"),
          entry(:time_limit, 159, 160, setting: "max_execution_time"),
          entry(:connections, 202, setting: "max_concurrent_queries"),
          entry(:connections, 203, setting: "max_connections"),
          entry(:login, 192, 193, 194, 195, 516),
          entry(:no_database, 81),
          entry(:denied, 164, 291, 392, 497),
          entry(:read_only, 242),
          entry(:not_migrated, 60),
          entry(:cancelled, 394),
          entry(:starting, 225, 236, 999),
          entry(:unreachable, 198, 209, 210, 279),
          entry(:corrupt, 40, 226, 246, 271)
        ].freeze
        # The HTTP status decides where the answer has no code of ClickHouse.
        STATUSES = [
          entry(:login, 401, 403),
          entry(:limit, 413, setting: "client_max_body_size"),
          entry(:connections, 429, setting: "limit_req"),
          entry(:lost, 502, 503, 504)
        ].freeze
        UNREACHABLE = entry(:unreachable)
        FULL = entry(:full)
        NO_SPACE = /No space left|Disk quota|errno: 28\b/
        private_constant :STATUSES, :UNREACHABLE, :FULL, :NO_SPACE

        # Many parts of the server write to its disk, each with codes of its own.
        def self.find(code, text)
          NO_SPACE.match?(text) ? FULL : super
        end

        # @param status [String]
        # @return [CodeMeaning]
        def self.of_status(status) = STATUSES.find { |entry| entry.covers?(status, "") } || UNREACHABLE
      end
    end
  end
end
