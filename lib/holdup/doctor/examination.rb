# frozen_string_literal: true

require_relative "../analysis/summary"
require_relative "../errors"
require_relative "../probe"
require_relative "folder_facts"
require_relative "host"

module Holdup
  module Doctor
    # Looks at the host and judges nothing. Whatever can't be looked at becomes a fact, never an error: the doctor is
    # asked when things are broken.
    class Examination
      HOUR_S = 3600

      # @param dir [String] folder of the segments
      # @param clock [Holdup::Clock]
      # @param open_store [#call] opens the store to read; may raise a Holdup::Error
      # @param segments [#call] dir, now_ns => [Array<Host::Process>, Array<String>]: the segments and what was refused
      # @param proc [String] where /proc is
      def initialize(dir:, clock:, open_store:, segments:, proc: "/proc")
        @folder = FolderFacts.new(dir, proc:)
        @clock = clock
        @open_store = open_store
        @segments = segments
      end

      # @return [Host]
      def call
        found, refused = segments
        Host.new(**ruby, **@folder.to_h, **store, segments: found, refused:, now_ns: @clock.realtime_ns)
      end

      private

      def ruby
        {ruby: RUBY_DESCRIPTION, unsupported: Probe.unsupported_reason, clock_source: Probe.supported? ? Probe.clock_source : nil}
      end

      def segments
        (@folder.state == :ok) ? @segments.call(@folder.dir, @clock.realtime_ns) : [[], []]
      end

      def store
        store = @open_store.call
        {store: store.health, gap: gap(store), store_problem: nil}
      rescue Error => error
        {store: nil, gap: nil, store_problem: error.message}
      ensure
        store&.close
      end

      def gap(store)
        to_s = @clock.realtime_s
        summary = Analysis::Summary.new(store.windows(to_s - HOUR_S, to_s), from_s: to_s - HOUR_S, to_s:)
        summary.blame.gap unless summary.blame.suffered_ns.zero?
      end
    end
  end
end
