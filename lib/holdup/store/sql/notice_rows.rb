# frozen_string_literal: true

require "json"
require "sequel"

module Holdup
  module Store
    class Sql
      # What somebody was told. Writers hold the lock Sql::NOTICES, so of two notices with one source the
      # first one stays.
      class NoticeRows
        def initialize(connection)
          @connection = connection
        end

        # One of each source.
        # @param notices [Array<Notice>]
        def add(notices)
          return if notices.empty?
          rows = notices.reverse.to_h { |notice| [notice.source, row(notice)] }
          @connection.write do |db|
            known = db[:notices].where(source: rows.keys).select_map(:source)
            db[:notices].multi_insert(rows.except(*known).values)
          end
        end

        # @return [Array<Notice>] by time, without those that are damaged
        def between(from_s, to_s)
          @connection.read do |db|
            rows = db[:notices].where { (at_s >= from_s) & (at_s < to_s) }
            rows.order(:at_s, :source).all.filter_map { |row| notice(row) }
          end
        end

        def prune(now_s)
          @connection.write do |db|
            db[:notices].where { at_s < now_s - Notice::KEEP_S }.delete
            kept = db[:notices].reverse(:at_s, :id).limit(Notice::MOST).select_map(:id)
            db[:notices].exclude(id: kept).delete if kept.size == Notice::MOST
          end
        end

        private

        def row(notice)
          {source: notice.source, at_s: notice.at_s, facts: JSON.generate(notice.stored)}
        end

        def notice(row)
          Notice.load(source: row[:source], at_s: row[:at_s],
            facts: JSON.parse(row[:facts], symbolize_names: true))
        rescue JSON::ParserError, ArgumentError, TypeError, NoMethodError # damaged
          nil
        end
      end
    end
  end
end
