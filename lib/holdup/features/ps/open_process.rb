# frozen_string_literal: true

module Holdup
  module Ps
    # A process with the requests and jobs that it has begun and not ended, as read at one moment.
    #
    # - `name`: "worker 0"; `server`: "puma", nil if unknown
    # - `units`: Array of Segment::OpenUnit; `gvl`: see Segment::Reader#open_state, nil if unknown
    # - `pools`: {name => number of threads}, the server's first
    # - `objects`: what the process has allocated up to its last tick, nil if unknown
    # - `stopped`: whether a signal or a debugger has stopped it
    OpenProcess = Data.define(:pid, :name, :server, :units, :gvl, :pools, :objects, :stopped) do
      def initialize(pid:, name:, server: nil, units: [], gvl: nil, pools: {}, objects: nil, stopped: false)
        super
      end

      # @param header [Segment::Header]
      # @param profile [Hash{String => Object}]
      # @param facts [Hash{Symbol => Object}] units, gvl, stopped
      # @return [OpenProcess]
      def self.of(header, profile, **facts)
        new(pid: header.pid, name: header.process_name, server: profile["server"],
          pools: pool_sizes(header.pools, profile), objects: header.gauges[:allocated_objects], **facts)
      end

      # @param pools [Array<Hash>] of a Segment::Header
      # @param profile [Hash{String => Object}] which has their names
      # @return [Hash{String => Integer}]
      def self.pool_sizes(pools, profile)
        pools.each_with_index.to_h { |pool, index| [profile["pool.#{index}"], pool[:max]] }
      end

      # A request or job may have others inside it; the last one that began is what runs.
      # @return [Segment::OpenUnit, nil] that holds the GVL; nil: none, or a thread outside of them
      def holding_unit
        return unless holder?
        units.select { |unit| unit.thread == gvl.holder_thread }.max_by(&:started_ns)
      end

      # @return [Boolean] whether a thread is known to hold the GVL
      def holder? = !gvl&.holder_thread.nil?

      # @return [Array<Segment::OpenUnit>] that wait for the GVL
      def waiting = units.select { |unit| unit.state == :gvl }
    end
  end
end
