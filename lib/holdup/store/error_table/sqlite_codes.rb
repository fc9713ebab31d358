# frozen_string_literal: true

module Holdup
  module Store
    class ErrorTable
      # SQLite, by result code: first extended ones, then primary ones, see sqlite.org/rescode.html.
      class SqliteCodes < ErrorTable
        # Bits of an extended code that are its primary code.
        PRIMARY = 0xff
        ENTRIES = [
          entry(:corrupt, 8458, 8202), # IOERR_CORRUPTFS, IOERR_DATA
          entry(:out_of_memory, 7, 3082), # NOMEM, IOERR_NOMEM
          entry(:locked, 5, 6, 15), # BUSY, LOCKED, PROTOCOL
          entry(:read_only, 8), # READONLY
          entry(:corrupt, 11), # CORRUPT
          entry(:not_ours, 26), # NOTADB
          entry(:full, 13), # FULL
          entry(:unreachable, 3, 10, 14), # PERM, IOERR, CANTOPEN
          entry(:bad_row, 18, 19, 20, 25) # TOOBIG, CONSTRAINT, MISMATCH, RANGE
        ].freeze

        # @param code [Integer]
        # @return [CodeMeaning, nil]
        def self.find(code, text)
          super || super(code & PRIMARY, text)
        end
      end
    end
  end
end
