# frozen_string_literal: true

require "etc"

module Holdup
  module Doctor
    # What this host has measured and a store does not have yet: the collector takes it in its next round.
    class UncollectedUnits
      # `units`: requests and jobs that have ended; `at_ns`: when the collector last read them, since 1970,
      # nil where it never did; `collecting`: whether one runs
      Uncollected = Data.define(:units, :at_ns, :collecting)

      # @param dir [String] folder of the segments
      # @param host [String] its name in the store
      # @param app [String, nil] only of this application's processes
      def initialize(dir:, host: Etc.uname[:nodename], app: nil)
        @directory = Segment::Directory.new(dir)
        @host = host
        @app = app
      end

      # @param store [Store::Sql]
      # @param named [Boolean] whether somebody chose the store: then it may be another than the folder's
      # @return [Uncollected, nil] nil where nothing is measured here, or the folder's collector writes to
      #   another store
      def look(store, named: false)
        found = measured
        state = state(store, found)
        return if state.nil? && (named || found.empty?)
        Uncollected.new(units: missing(state, found), at_ns: state&.at_ns, collecting: @directory.collected?)
      end

      # @return [Hash{String => Integer}] by file name, how many units have ended
      def measured
        @directory.entries.each_with_object({}) { |entry, all|
          (units = units(entry)) && all[entry.name] =
                                      units
        }
      rescue SystemCallError
        {}
      end

      # @param store [Store::Sql]
      # @param found [Hash{String => Integer}] of `measured`
      # @return [CollectionState, nil] how far its collector has come
      def state(store, found)
        own = store.collection_states.select { |state| state.host == @host }
        # The folder may have another path where the collector runs: then its files tell.
        own.find { |state| state.folder == @directory.path } || own.find { |state| state.units.keys.intersect?(found.keys) }
      end

      # @param state [CollectionState, nil]
      # @param found [Hash{String => Integer}] of an earlier `measured`; files that are gone since are in the
      #   store
      # @return [Integer] units
      def missing(state, found)
        there = found.select { |name, _|
          File.exist?(File.join(@directory.path, name)) || File.symlink?(File.join(@directory.path, name))
        }
        there.sum { |name, units| [units - state.to_h.dig(:units, name).to_i, 0].max }
      end

      private

      def units(entry)
        entry.read { |reader|
          reader.header.ring_head if @app.nil? || Analysis::ApplicationShares.name(reader.setting) == @app
        }
      rescue Error, SystemCallError
        nil
      end
    end
  end
end
