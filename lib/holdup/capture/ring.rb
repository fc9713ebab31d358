# frozen_string_literal: true

require_relative "../model/flat_json"

module Holdup
  module Capture
    # The ring of events of this process: there is one at a time. Opens it with as much room as there is, says
    # in it why it is there, names its threads, ends it.
    class Ring
      # Where there is little memory, rather fewer events than no capture.
      EVENTS = [200_000, 50_000, 10_000].freeze
      # As in Layout, which belongs to who reads.
      FACTS_AT = 2048
      # With stacks, who holds is asked for one where others have waited longer.
      STACKS_OVER_NS = 10_000_000

      # @param probe [Holdup::Probe]
      # @param log [Log]
      def initialize(probe:, log:)
        @probe = probe
        @log = log
        @said = {}
      end

      # @param path [String] of the file
      # @param facts [Hash{String => String, Integer}] why it is there
      # @param limits [Array(Integer, Integer)] ns that a unit may stall, and take; 0 for any time
      # @param most [Integer] events
      # @param stacks [Boolean] whether it has stacks
      # @return [Boolean] false where there is no room, or nothing is measured
      def open(path, facts:, limits: [0, 0], most: EVENTS.first, stacks: true)
        unless [most, *EVENTS.select { |events| events < most }].any? { |events|
          try(path, events, limits, stacks)
        }
          return false
        end
        @path = path
        @facts = {}
        tell(facts)
        name_threads
        true
      end

      # @param more [Hash{String => String, Integer}] that there is to say of it, as long as it goes on
      # @return [void]
      def tell(more)
        note(@path, @facts = @facts.merge(more))
      end

      # Threads are born and get their names at any time.
      # @return [void]
      def name_threads
        Thread.list.each { |thread| @probe.name_captured(thread, name(thread)) }
      end

      # @return [Boolean] whether a unit was beyond the limits
      def caught? = @probe.caught?

      # @return [Boolean] whether a unit was, and those beside it have ended since, by which time they have
      #   names; or were given up, after ten seconds or half a ring
      def complete? = @probe.capture_complete?

      # @return [void]
      def close = @probe.close_capture

      private

      def try(path, events, limits, stacks)
        @probe.open_capture(path, events, *limits, stacks ? STACKS_OVER_NS : 0)
      rescue Errno::ENOSPC, Errno::ENOMEM => error
        @log.warn("no room for a capture of #{events} events (#{error.message})") unless @said[events]
        @said[events] = true
        nil
      end

      # Who reads it before finds no facts; where the file is gone, nobody will.
      def note(path, facts)
        text = FlatJson.generate(facts)
        File.open(path, File::WRONLY | File::BINARY) { |file| file.pwrite([text.bytesize].pack("L<") << text.b, FACTS_AT) }
      rescue Errno::ENOENT
        nil
      end

      def name(thread)
        thread.name || (thread.equal?(Thread.main) ? "main" : "")
      end
    end
  end
end
