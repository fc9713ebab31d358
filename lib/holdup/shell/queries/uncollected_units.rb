# frozen_string_literal: true

require "etc"

module Holdup
  module Queries
    # Requests and jobs that this host has measured and a store does not have yet.
    class UncollectedUnits
      # `units`: ended requests and jobs; `at_ns`: when the collector last read them, since 1970, or nil
      Uncollected = Data.define(:units, :at_ns, :collecting)

      # @param origin [Origin] only of these processes
      def initialize(dir:, origin: Origin.new)
        @directory = Segment::Directory.new(dir)
        @origin = origin
      end

      # @param named [Boolean] whether the user chose the store: it may be another than the folder's
      # @return [Uncollected, nil] nil if nothing is measured here, or the collector writes to another store
      def look(store, named: false)
        measured = measured()
        checkpoint = collector_checkpoint(store)
        return unless @origin.host?(checkpoint&.host || Etc.uname[:nodename])
        return if checkpoint.nil? && (named || measured.empty?)
        Uncollected.new(units: missing(checkpoint, measured), at_ns: checkpoint&.at_ns,
          collecting: @directory.collected?)
      end

      # @return [Hash{String => Integer}] file name => ended units
      def measured
        @directory.entries.to_h { |entry| [entry.name, units(entry)] }.compact
      rescue SystemCallError
        {}
      end

      # @return [CollectorCheckpoint, nil] the latest of this folder
      def collector_checkpoint(store)
        id = @directory.identity&.id or return
        store.collector_checkpoints.find { |checkpoint| checkpoint.of?(id) }
      end

      # @param measured [Hash{String => Integer}] from an earlier time; files gone since then are in the
      #   store
      def missing(checkpoint, measured)
        present = measured.select { |name, _| present?(File.join(@directory.path, name)) }
        present.sum { |name, units| [units - checkpoint.to_h.dig(:units, name).to_i, 0].max }
      end

      private

      def present?(path)
        File.exist?(path) || File.symlink?(path)
      end

      def units(entry)
        entry.read do |reader|
          reader.header.ring_head if @origin.limits.empty? || @origin.setting?(reader.setting)
        end
      rescue Error, SystemCallError
        nil
      end
    end
  end
end
