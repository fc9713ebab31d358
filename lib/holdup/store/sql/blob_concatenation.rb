# frozen_string_literal: true

require "sequel"

module Holdup
  module Store
    class Sql
      # How SQLite adds blobs up to one, one behind the other: as text, which it does not look into.
      module BlobConcatenation
        NULS = "SELECT length(CAST(group_concat(part, '') AS BLOB)) FROM (SELECT x'0100' AS part UNION ALL SELECT x'0001')"
        private_constant :NULS

        # @param column [Symbol]
        # @return [Sequel::SQL::Function]
        def joined(column)
          Sequel.function(:group_concat, column, "")
        end

        # @param db [Sequel::Database]
        # @return [Boolean] whether that has all of them: older versions end it at its first NUL
        def joins?(db)
          @joins ||= db.get(Sequel.lit("(#{NULS})")) == 4
        end
      end
    end
  end
end
