# frozen_string_literal: true

require_relative "../model/flat_json"

module Holdup
  module Capture
    # The ring of events of this process: there is one at a time. Opens it with as much room as there is,
    # writes into it why it is there, names its threads, ends it.
    class Ring
      # Where there is little memory, rather fewer events than no capture.
      EVENTS = [200_000, 50_000, 10_000].freeze
      # The same as Layout::FACTS, which only readers load.
      FACTS_AT = 2048
      # With stacks, the holder is asked for one where other threads have waited longer.
      STACKS_OVER_NS = 10_000_000

      def initialize(probe:, log:)
        @probe = probe
        @log = log
        @logged_sizes = {}
      end

      # @param path [String] of the file
      # @param facts [Hash{String => String, Integer}] why it is there
      # @param limits [Array(Integer, Integer)] ns that a unit may stall, and take; 0 for any time
      # @param most [Integer] events
      # @param stacks [Boolean] whether it has stacks
      # @return [Boolean] false where there is no room, or nothing is measured
      def open(path, facts:, limits: [0, 0], most: EVENTS.first, stacks: true)
        sizes = [most, *EVENTS.select { |events| events < most }]
        return false unless sizes.any? { |events| try(path, events, limits, stacks) }
        @path = path
        @facts = {}
        add_facts(facts)
        name_threads
        true
      end

      # @param more [Hash{String => String, Integer}] that there is to say of it, as long as it goes on
      def add_facts(more)
        @facts = @facts.merge(more)
        write_facts(@path, @facts)
      end

      # Threads are born and get their names at any time.
      def name_threads
        Thread.list.each { |thread| @probe.name_captured(thread, name(thread)) }
      end

      def caught? = @probe.caught?

      # @return [Boolean] whether a unit was beyond the limits and the units that ran with it have ended, by
      #   which time they have names; or ten seconds or half a ring have passed since
      def complete? = @probe.capture_complete?

      def close = @probe.close_capture

      private

      def try(path, events, limits, stacks)
        @probe.open_capture(path, events, *limits, stacks ? STACKS_OVER_NS : 0)
      rescue Errno::ENOSPC, Errno::ENOMEM => error
        @log.warn("no room for a capture of #{events} events (#{error.message})") unless @logged_sizes[events]
        @logged_sizes[events] = true
        nil
      end

      # A reader that comes before finds no facts.
      def write_facts(path, facts)
        text = FlatJson.generate(facts)
        bytes = [text.bytesize].pack("L<") << text.b
        File.open(path, File::WRONLY | File::BINARY) { |file| file.pwrite(bytes, FACTS_AT) }
      rescue Errno::ENOENT
        nil
      end

      def name(thread)
        thread.name || (thread.equal?(Thread.main) ? "main" : "")
      end
    end
  end
end
