# frozen_string_literal: true

require "json"
require "zlib"

module Holdup
  module Queries
    # Results that take seconds to compute, by Question: those that a collector computes now and then are kept
    # in the store for all readers, those of a dashboard in its memory.
    module KeptResults
      # `at_s`: when it was computed, since 1970; `took_s`: seconds that it took
      KeptResult = Data.define(:at_s, :took_s, :value)

      # How old a result may be: all limits are here.
      module AgeLimits
        # Parts of a span after which its result in the store is computed again, and not shown any more: half
        # an hour and an hour of a day.
        EVERY = 50
        MOST_AGE = 25
        # The clock of another host may be ahead by so much.
        AHEAD_S = 60

        # A result of a question whose data has not changed stays in memory for so long.
        MEMORY_S = 3600
        # New figures may arrive during the computation. Clients that waited get the result computed for them.
        GRACE_S = 30
        # A failure is returned to all who wait for the question; after this time it is retried.
        FAILED_S = 5

        module_function

        # @param at_s [Integer] when it was computed
        # @return [Boolean] whether a result in the store is shown
        def shown?(question, at_s, now_s)
          (now_s - at_s).between?(-AHEAD_S, question.seconds / MOST_AGE)
        end

        # @return [Integer] second from which on it should be computed again
        def due_s(question, at_s) = at_s + question.seconds / EVERY
      end

      # Results that the store keeps.
      class InStore
        # @param store [Store::Sql]
        # @param json [#dump, #load] makes texts of the results and back; `load` raises DamagedData for any
        #   other text. A new VERSION of it has results of its own
        def initialize(store, json:)
          @store = store
          @json = json
        end

        # @return [KeptResult, nil] nil if there is none, it is too old, or this version can't read it
        def find(question, now_s)
          row = row(question)
          return unless row && AgeLimits.shown?(question, row.at_s, now_s)
          value, took_s = unpacked(row.text)
          KeptResult.new(at_s: row.at_s, took_s:, value:) if value
        end

        # @return [Integer] second from which on it should be computed again; 0 if it never was
        def due_s(question)
          row = row(question)
          row ? AgeLimits.due_s(question, row.at_s) : 0
        end

        # @param value [Object, nil] nil: nothing was recorded, or it failed
        def keep(question, value, at_s:, took_s:)
          text = value ? packed(value, took_s) : ""
          @store.keep_answer(Store::KeptAnswer.new(question: key(question), at_s:, text:))
        end

        private

        def key(question) = question.key(@json::VERSION)

        def row(question) = @store.answer(key(question))

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

      # The most recently used results, in the memory of a process. They count for the version of the data
      # that they were computed from.
      class InMemory
        SIZE = 16

        # `error`: that the computation ended with; `done_ns`: when, on the monotonic clock
        MemoryEntry = Data.define(:result, :version, :error, :done_ns)
        private_constant :MemoryEntry

        def initialize(clock:)
          @clock = clock
          @lock = Mutex.new
          @entries = {}
        end

        # @param version [Object, nil] of the data; nil: any
        # @return [KeptResult, nil]
        # @raise [StandardError] that the computation ended with
        def find(question, version = nil)
          entry = entry(question, version) or return
          entry.error ? raise(entry.error) : entry.result
        end

        # Whether it was computed or has failed.
        def known?(question, version) = !entry(question, version).nil?

        # @param took_s [Float]
        def keep(question, version, took_s:, value: nil, error: nil)
          result = KeptResult.new(at_s: @clock.realtime_ns / NS, took_s:, value:)
          @lock.synchronize do
            @entries[question] = MemoryEntry.new(result:, version:, error:, done_ns: @clock.monotonic_ns)
            @entries.shift while @entries.size > SIZE
          end
        end

        private

        # The one that is used is the last to be forgotten.
        def entry(question, version)
          @lock.synchronize do
            entry = @entries.delete(question)
            next unless entry && !old?(entry)
            @entries[question] = entry
            entry if version.nil? || fresh?(entry, version)
          end
        end

        def old?(entry)
          age_s(entry) > (entry.error ? AgeLimits::FAILED_S : AgeLimits::MEMORY_S)
        end

        def fresh?(entry, version)
          entry.error || entry.version == version || age_s(entry) <= AgeLimits::GRACE_S
        end

        def age_s(entry) = (@clock.monotonic_ns - entry.done_ns).fdiv(NS)
      end
    end
  end
end
