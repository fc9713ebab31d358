# frozen_string_literal: true

require_relative "../errors"
require_relative "../segment/directory"
require_relative "host"

module Holdup
  module Doctor
    # The segments of a folder as facts of a Host, and a message for each file that can't be read as one.
    module SegmentFacts
      # @param dir [String]
      # @return [Array(Array<Host::Process>, Array<String>)]
      def self.call(dir)
        read = Segment::Directory.new(dir).entries.map { |entry| process(entry) }.compact
        read.partition { |each| each.is_a?(Host::Process) }
      end

      # @return [Host::Process, String, nil] nil when the collector has just removed it
      def self.process(entry)
        entry.read { |reader| facts(entry, reader.snapshot(ring_since: nil)) }
      rescue Errno::ENOENT
        nil
      rescue Error, SystemCallError => error
        error.message
      end

      def self.facts(entry, snapshot)
        requests = snapshot.slots.compact.select { |slot| slot.series.kind == :request }
        Host::Process.new(pid: entry.pid, alive: entry.alive, closed: snapshot.header.closed?, heartbeat_ns: snapshot.header.heartbeat_ns,
          setting: snapshot.setting.to_h.fetch(:attributes, {}), counters: snapshot.counters, requests: requests.sum(&:count),
          queued: requests.sum { |slot| slot.histogram(:queued).count })
      end
      private_class_method :process, :facts
    end
  end
end
