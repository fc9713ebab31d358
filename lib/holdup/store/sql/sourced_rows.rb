# frozen_string_literal: true

require "json"
require "sequel/core"

module Holdup
  module Store
    class Sql
      # Rows that are kept once for each source: of two with one source the first one stays. A subclass says
      # what its rows are.
      class SourcedRows
        # @param table [Symbol]
        # @param keep_s [Integer] the store deletes those that are older
        # @param most [Integer] and the oldest of more than so many
        def initialize(connection, table:, keep_s:, most:)
          @connection = connection
          @table = table
          @keep_s = keep_s
          @most = most
        end

        # @param values [Array<#source, #at_s>]
        def add(values)
          return if values.empty?
          @connection.write do |db|
            known = db[@table].where(source: values.map(&:source)).select_map(:source)
            fresh = values.uniq(&:source).reject { |value| known.include?(value.source) }
            db[@table].multi_insert(fresh.map { |value| row(value) })
          end
        end

        # @param values [Array<#source>]
        def remove(values)
          return if values.empty?
          @connection.write { |db| db[@table].where(source: values.map(&:source)).delete }
        end

        # @return [Array<Object>] by time, without those that are damaged
        def between(from_s, to_s)
          @connection.read do |db|
            rows = db[@table].where { (at_s >= from_s) & (at_s < to_s) }
            rows.order(:at_s, :id).all.filter_map { |row| parsed(row) }
          end
        end

        def prune(now_s)
          @connection.write do |db|
            before_s = now_s - @keep_s
            db[@table].where { at_s < before_s }.delete
            kept = db[@table].reverse(:at_s, :id).limit(@most).select_map(:id)
            db[@table].exclude(id: kept).delete if kept.size == @most
          end
        end

        private

        def row(value)
          {source: value.source, at_s: value.at_s, facts: JSON.generate(facts(value))}
        end

        def parsed(row)
          value(**row.slice(:source, :at_s), facts: JSON.parse(row[:facts], symbolize_names: true))
        rescue JSON::ParserError, ArgumentError, KeyError, TypeError, NoMethodError # damaged
          nil
        end
      end
    end
  end
end
