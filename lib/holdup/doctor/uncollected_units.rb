# frozen_string_literal: true

require "etc"

module Holdup
  module Doctor
    # Requests and jobs that this host has measured and a store does not have yet.
    class UncollectedUnits
      # `units`: ended requests and jobs; `at_ns`: when the collector last read them, since 1970, or nil
      Uncollected = Data.define(:units, :at_ns, :collecting)

      # @param host [String] its name in the store
      # @param app [String, nil] only of this application's processes
      def initialize(dir:, host: Etc.uname[:nodename], app: nil)
        @directory = Segment::Directory.new(dir)
        @host = host
        @app = app
      end

      # @param named [Boolean] whether the user chose the store: it may be another than the folder's
      # @return [Uncollected, nil] nil if nothing is measured here, or the collector writes to another store
      def look(store, named: false)
        measured = measured()
        state = state(store, measured)
        return if state.nil? && (named || measured.empty?)
        Uncollected.new(units: missing(state, measured), at_ns: state&.at_ns,
          collecting: @directory.collected?)
      end

      # @return [Hash{String => Integer}] file name => ended units
      def measured
        @directory.entries.to_h { |entry| [entry.name, units(entry)] }.compact
      rescue SystemCallError
        {}
      end

      def state(store, measured)
        own = store.collection_states.select { |state| state.host == @host }
        by_path = own.find { |state| state.folder == @directory.path }
        # The folder may have another path where the collector runs: then its files identify it.
        by_path || own.find { |state| state.units.keys.intersect?(measured.keys) }
      end

      # @param measured [Hash{String => Integer}] from an earlier time; files gone since then are in the store
      def missing(state, measured)
        present = measured.select { |name, _| present?(File.join(@directory.path, name)) }
        present.sum { |name, units| [units - state.to_h.dig(:units, name).to_i, 0].max }
      end

      private

      def present?(path)
        File.exist?(path) || File.symlink?(path)
      end

      def units(entry)
        entry.read do |reader|
          reader.header.ring_head if @app.nil? || Analysis::ApplicationShares.name(reader.setting) == @app
        end
      rescue Error, SystemCallError
        nil
      end
    end
  end
end
