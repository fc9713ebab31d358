# frozen_string_literal: true

require_relative "sourced_rows"

module Holdup
  module Store
    class Sql
      # What somebody was told: Notices. Writers hold the lock Sql::NOTICES, so that the first one of two
      # collectors is the one that stays.
      class NoticeRows < SourcedRows
        def initialize(connection)
          super(connection, table: :notices, keep_s: Notice::KEEP_S, most: Notice::MOST)
        end

        private

        def facts(notice) = notice.stored

        def value(source:, at_s:, facts:) = Notice.load(source:, at_s:, facts:)
      end
    end
  end
end
