# frozen_string_literal: true

require_relative "../model/flat_json"

module Holdup
  module Capture
    # This process's only ring of events: opens it with as much room as there is, writes its reason into it,
    # names its threads, ends it.
    class Ring
      # With little memory, fewer events are better than no capture.
      EVENTS = [200_000, 50_000, 10_000].freeze
      # As Layout::FACTS, which only readers load.
      FACTS_AT = 2048
      # With stacks, a holder gives one when other threads have waited longer than this.
      STACKS_OVER_NS = 10_000_000

      def initialize(probe:, log:)
        @probe = probe
        @log = log
        @logged_sizes = {}
      end

      # @param facts [Hash{String => String, Integer}] its reason
      # @param limits [Array(Integer, Integer)] ns that a unit may stall, and take; 0 for any time
      # @param most [Integer] limit of events
      # @return [Boolean] false without enough room, or where nothing is measured
      def open(path, facts:, limits: [0, 0], most: EVENTS.first, stacks: true)
        sizes = [most, *EVENTS.select { |events| events < most }]
        return false unless sizes.any? { |events| try(path, events, limits, stacks) }
        @path = path
        @facts = {}
        add_facts(facts)
        name_threads
        true
      end

      def add_facts(more)
        @facts = @facts.merge(more)
        write_facts(@path, @facts)
      end

      # Threads may start and get their names at any time.
      def name_threads
        Thread.list.each { |thread| @probe.name_captured(thread, name(thread)) }
      end

      def caught? = @probe.caught?

      # Whether a unit was beyond the limits and the units that ran with it have ended and so have names; or
      # ten seconds or half a ring have passed since.
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

      # An earlier reader finds no facts.
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
