# frozen_string_literal: true

module Holdup
  module Top
    # What the user has chosen by key: table, order, filter, row.
    class ScreenState
      TABLES = LiveTables::SORTS.keys.freeze
      MOVES = {:up => -1, "k" => -1, :down => 1, "j" => 1, :page_up => -10, :page_down => 10}.freeze
      LONGEST_FILTER = 60

      # @return [Symbol] a key of LiveTables::SORTS
      attr_reader :table
      # @return [String] part of a name
      attr_reader :filter
      # @return [String, nil] what the last key led to, until the next
      attr_accessor :message

      def initialize
        @table = :processes
        @sorts = TABLES.to_h { |table| [table, LiveTables::SORTS.fetch(table).first] }
        @filter = +""
      end

      # @return [Symbol] what the rows of a table are sorted by
      def sort(table = @table) = @sorts.fetch(table)

      def paused? = !!@paused

      def help? = !!@help

      # Whether keys are letters of the filter.
      def typing? = !!@typing

      # @return [Array<LiveRow>] sorted and filtered
      def rows(tables, table = @table) = tables.rows(table, sort: sort(table), filter: @filter)

      # @return [Integer, nil] index of the chosen row; nil if none is chosen or it is gone
      def chosen(rows)
        @chosen && rows.index { |row| id(row) == @chosen }
      end

      # @param key [Symbol, String] see Terminal::KEYS
      # @param rows [Array<LiveRow>] that are shown
      # @return [Symbol, nil] what the caller has to do: :quit, :suspend, :capture
      def press(key, rows)
        @message = nil
        return :quit if %i[interrupt closed].include?(key)
        return :suspend if key == :suspend
        return type(key) if typing?
        return @help = false if help?
        command(key, rows)
      end

      private

      def command(key, rows)
        case key
        when "q" then return :quit
        when "c" then return :capture
        when "1", "2", "3" then show(TABLES.fetch(key.to_i - 1))
        when :tab then show(TABLES.rotate(TABLES.index(@table) + 1).first)
        when "s" then sort_by_next
        when "p", " " then @paused = !@paused
        when "/" then @typing = true
        when "?", "h" then @help = true
        when :escape then clear
        when *MOVES.keys then move(MOVES.fetch(key), rows)
        end
        nil
      end

      def show(table)
        @table = table
        @chosen = nil
      end

      def sort_by_next
        orders = LiveTables::SORTS.fetch(@table)
        @sorts[@table] = orders.rotate(orders.index(sort) + 1).first
      end

      def clear
        @filter = +""
        @chosen = nil
      end

      def type(key)
        case key
        when :enter then @typing = false
        when :escape
          @typing = false
          clear
        when :backspace then @filter.chop!
        when String then @filter << key if @filter.size < LONGEST_FILTER
        end
        nil
      end

      def move(by, rows)
        return if rows.empty?
        at = chosen(rows)
        @chosen = id(rows[at ? (at + by).clamp(0, rows.size - 1) : 0])
      end

      def id(row) = [row.name, row.pid, row.values[:queue]]
    end
  end
end
