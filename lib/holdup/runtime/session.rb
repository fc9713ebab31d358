# frozen_string_literal: true

require_relative "../probe/process_stats"
require_relative "../setting_facts"
require_relative "segment_file"
require_relative "ticker"

module Holdup
  class Runtime
    # Measuring, from the opened segment to the closed one, in one process.
    class Session
      # What the server adapter knows of this process.
      Server = Data.define(:facts, :worker, :pool)

      # @param configuration [Configuration]
      # @param probe [Holdup::Probe]
      # @param guard [Guard]
      # @param log [Log]
      # @param env [Hash] the environment
      def initialize(configuration:, probe:, guard:, log:, env:)
        @configuration = configuration
        @probe = probe
        @guard = guard
        @log = log
        @facts = SettingFacts.new(configuration:, env:, root: Dir.pwd)
      end

      # @param server [Server]
      # @param generation [Integer] how many forks lie between this process and the first
      # @return [self]
      # @raise [Error, SystemCallError] when there can be no segment; nothing is measured then
      def open(server:, generation:)
        @server = server
        @stats = Probe::ProcessStats.new(pool: server.pool)
        open_segment(generation)
        @probe.enable
        @ticker = Ticker.new(seconds: @configuration.tick_seconds, guard: @guard).start { tick }
        self
      end

      # Ends measuring after a last tick.
      # @return [void]
      def close
        @ticker.stop
        @guard.call(:tick) { tick }
        @probe.disable
        @probe.close_segment
      end

      # Brings the segment up to date: accounts, setting, gauges. The ticker does it by itself.
      # @return [void]
      def tick
        label_threads
        write_setting
        @probe.tick(@stats.to_a)
      end

      private

      def open_segment(generation)
        file = SegmentFile.new(dir: @configuration.segment_dir, probe: @probe, log: @log)
        file.open(series: @configuration.series_limit, ring: @configuration.ring_size, worker: @server.worker, generation:)
        write_setting
      end

      # What threads do outside of units goes to the account of their name: "puma srv tp 001" and "... 002" share one.
      def label_threads
        Thread.list.each { |thread| @probe.label(thread, account(thread)) }
      end

      def account(thread)
        return "main" if thread.equal?(Thread.main)
        name = thread.name.to_s.sub(/[\s\-_#]*\d+\z/, "")
        "thread:#{name.empty? ? "(unnamed)" : name}"
      end

      # Some facts come late: YJIT is often enabled after the application has booted.
      def write_setting
        json = @facts.to_json(server: @server.facts)
        return if json == @written
        @probe.setting = json
        @written = json
      end
    end
  end
end
