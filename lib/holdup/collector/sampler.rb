# frozen_string_literal: true

require_relative "process_facts"

module Holdup
  class Collector
    # Once a minute, how each process is: what it says itself (gauges and counters of its segment) and what the system
    # says about it. The system wins where both know, because it still knows when the process hangs.
    class Sampler
      EVERY_S = 60

      # @param facts [#call]
      def initialize(facts: ProcessFacts.new)
        @facts = facts
        @due_s = Hash.new(0)
      end

      # @param headers [Hash{String => Array(Segment::Header, Setting)}] of the live segments
      # @param host [String]
      # @param now_ns [Integer]
      # @return [Array<Hash{Symbol => Object}>] for Store#commit, of the processes whose time has come
      def samples(headers, host, now_ns)
        now_s = now_ns / 1_000_000_000
        due = headers.each_value.reject { |header, _| now_s < @due_s[header.pid] }
        due.map { |header, setting| {at_s: now_s, host:, **sample(header, setting)} }
      end

      # These samples are in the store now.
      # @param samples [Array<Hash>]
      # @return [void]
      def committed(samples)
        samples.each { |sample| @due_s[sample[:pid]] = sample[:at_s] + EVERY_S }
        @due_s.delete_if { |_, due_s| samples.any? && due_s < samples.first[:at_s] - EVERY_S }
      end

      private

      def sample(header, setting)
        {pid: header.pid, name: header.process_name, setting: setting.fingerprint, generation: header.generation,
         parent: header.parent, **header.counters, **header.gauges.compact, **@facts.call(header.pid)}
      end
    end
  end
end
