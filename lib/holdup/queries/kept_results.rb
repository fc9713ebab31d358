# frozen_string_literal: true

require "json"
require "zlib"

module Holdup
  module Queries
    # Results that a collector computes now and then and keeps in the store for all readers: that of a fleet
    # takes many seconds.
    class KeptResults
      # `at_s`: when it was computed, since 1970; `took_s`: seconds that it took
      KeptResult = Data.define(:at_s, :took_s, :value)

      # Parts of a span after which its result is computed again, and not shown any more: half an hour and an
      # hour of a day.
      EVERY = 50
      MOST_AGE = 25
      # By so much the clock of another host may be ahead.
      AHEAD_S = 60

      # @param store [Store::Sql]
      # @param json [#dump, #load] makes texts of the results and back; `load` raises DamagedData for any
      #   other text. A new VERSION of it has results of its own
      def initialize(store, json:)
        @store = store
        @json = json
      end

      # @return [KeptResult, nil] nil if there is none, it is too old, or this version can't read it
      def find(question, now_s)
        row = @store.answer(question.key(@json::VERSION))
        return unless row && (now_s - row.at_s).between?(-AHEAD_S, question.seconds / MOST_AGE)
        value, took_s = unpacked(row.text)
        KeptResult.new(at_s: row.at_s, took_s:, value:) if value
      end

      # @return [Integer] second from which on it should be computed again; 0 if it never was
      def due_s(question)
        row = @store.answer(question.key(@json::VERSION))
        row ? self.class.next_s(question, row.at_s) : 0
      end

      # @param at_s [Integer] when it was computed
      def self.next_s(question, at_s) = at_s + question.seconds / EVERY

      # @param value [Object, nil] nil: nothing was recorded, or it failed
      def keep(question, value, at_s:, took_s:)
        text = value ? packed(value, took_s) : ""
        @store.keep_answer(Store::KeptAnswer.new(question: question.key(@json::VERSION), at_s:, text:))
      end

      private

      # @return [String] ASCII
      def packed(value, took_s)
        [Zlib.gzip({took_s:, value: @json.dump(value)}.to_json)].pack("m0")
      end

      def unpacked(text)
        return if text.empty?
        kept = JSON.parse(Zlib.gunzip(text.unpack1("m0")))
        [@json.load(kept.fetch("value")), Integer(kept.fetch("took_s"))]
      rescue ArgumentError, DamagedData, JSON::ParserError, KeyError, NoMethodError, TypeError, Zlib::Error
        nil
      end
    end
  end
end
