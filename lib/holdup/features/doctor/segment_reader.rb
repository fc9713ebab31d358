# frozen_string_literal: true

module Holdup
  module Doctor
    # The segments of a folder as facts of a Checks::Host, and a message for each unreadable file.
    module SegmentReader
      def self.call(dir, now_ns)
        processes = Segment::Directory.new(dir).entries.filter_map { |entry| process(entry, now_ns) }
        processes.partition { |each| each.is_a?(Checks::Host::HostProcess) }
      end

      # @return [Checks::Host::HostProcess, String, nil] nil if the collector has just removed it
      def self.process(entry, now_ns)
        entry.read do |reader|
          process = facts(entry, reader.snapshot(ring_since: nil), now_ns)
          process.with(profile: reader.profile || {}, ring_share: ring_share(entry, now_ns),
            open_units: reader.open_units, gvl: reader.open_state, read_ns: now_ns)
        end
      rescue Errno::ENOENT
        nil
      rescue Error, SystemCallError => error
        error.message
      end

      def self.facts(entry, snapshot, now_ns)
        requests = snapshot.slots.compact.select { |slot| slot.series.kind == :request }
        header = snapshot.header
        Checks::Host::HostProcess.new(
          pid: entry.pid, alive: entry.running?(header, now_ns), closed: header.closed?,
          heartbeat_ns: header.heartbeat_ns, born_ns: header.created_ns, worker: worker_index(header),
          setting: snapshot.setting.to_h.fetch(:attributes, {}), counters: snapshot.counters,
          gauges: snapshot.gauges, pools: header.pools, requests: requests.sum(&:count),
          queued: requests.sum { |slot| slot.histogram(:queued).count }
        )
      end

      def self.worker_index(header)
        header.worker_index unless header.worker_index.negative?
      end

      def self.ring_share(entry, now_ns)
        path = Capture::Controller.base(entry.path) + Capture::RuleWatch::ARMED
        header = Capture::Header.parse(File.binread(path, Capture::Layout::HEADER_BYTES).to_s, path:)
        header.cost_ns.fdiv([now_ns - header.begin_real_ns, 1].max)
      rescue DamagedData, SystemCallError
        nil
      end
      private_class_method :process, :facts, :ring_share
    end
  end
end
