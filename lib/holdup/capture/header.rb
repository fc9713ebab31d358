# frozen_string_literal: true

require_relative "../model/errors"
require_relative "reason"
require_relative "layout"
require_relative "stacks"

module Holdup
  module Capture
    # The first page of a capture: whose it is, from when to when, and where the parts lie. Nothing in it is
    # believed before it was checked.
    #
    # - `caught`: number of the first unit that was waited for, 0 for none; `caught_*`: more of it
    #   (Layout::CAUGHT_FIELDS)
    # - `facts`: {String => Object} why there is a capture, and what was found when it was kept
    #   (docs/capture-file.md)
    # - `stacks`: StackHeader
    # - `sums`: {Symbol => Integer} what the probe has counted meanwhile (ticks, see Layout::SUMS); means
    #   nothing before the end
    Header = Data.define(*Layout::HEADER_FIELDS, *Layout::CAUGHT_FIELDS, :facts, :stacks, :sums) do
      # @param bytes [String] of the file, or its start
      # @param path [String] for the error
      # @return [Header]
      # @raise [DamagedData]
      def self.parse(bytes, path:)
        values = (bytes.bytesize < Layout::HEADER_BYTES) ? [] : bytes.unpack(Layout::HEADER_FORMAT)
        raise refusal(path, "it starts with other bytes") unless values.first == Layout::MAGIC
        unless Layout::READABLE.include?(values[1])
          raise refusal(path, "it has layout #{values[1]}, this Holdup reads up to #{Layout::VERSION}")
        end
        header = new(*values, *bytes.unpack("Q<#{Layout::CAUGHT_FIELDS.size}", offset: Layout::CAUGHT),
          Reason.of(bytes), StackHeader.parse(bytes), counted(bytes))
        raise refusal(path, "its parts have other sizes") unless header.plausible?
        header
      end

      def self.counted(bytes)
        from, to = Layout::SUMS_AT.map { |at| bytes.unpack("Q<#{Layout::SUMS.size}", offset: at) }
        Layout::SUMS.zip(to.zip(from).map { |after, before| (after - before) % (1 << 64) }).to_h.freeze
      end
      private_class_method :counted

      # @return [DamagedData]
      def self.refusal(path, reason)
        DamagedData.new("#{path} is no capture of Holdup (#{reason})", "`holdup capture` makes one")
      end

      # @return [Boolean]
      def plausible?
        [header_bytes, event_bytes, thread_bytes,
          name_bytes] == [Layout::HEADER_BYTES, Layout::EVENT_BYTES, Layout::THREAD_BYTES,
            Layout::NAME_BYTES] &&
          capacity.between?(1, Layout::MAX_EVENTS) && (capacity & (capacity - 1)).zero? && rate.positive? &&
          thread_count <= thread_capacity && [thread_capacity,
            name_capacity].all? { |count| count <= Layout::MAX_TABLE } &&
          events_bytes <= Layout::MAX_BYTES && stacks.plausible?
      end

      # @param bytes [String] of the file
      # @param path [String] for the error
      # @return [self]
      # @raise [DamagedData] it ends before its last event
      def whole!(bytes, path:)
        if events_bytes > bytes.bytesize
          raise self.class.refusal(path, "it is cut short at #{bytes.bytesize} bytes")
        end
        self
      end

      # @return [Boolean] whether it ended; else it goes on, or its process was killed
      def closed? = state == Layout::CLOSED

      # @return [Integer] how many events were overwritten
      def overwritten = [head - capacity, 0].max

      # @return [Integer] of the file up to its last event
      def events_bytes
        events_offset + [head, capacity].min * event_bytes
      end

      # @return [String] "worker 0", or "pid 123" outside of a cluster
      def process_name
        worker_index.negative? ? "pid #{pid}" : "worker #{worker_index}"
      end

      # @param ticks [Integer] a duration
      # @return [Integer] the same as the probe's nanoseconds
      def ns(ticks) = (ticks * rate) >> 32

      # @param ns [Integer]
      # @return [Integer] the same as ticks
      def ticks(ns) = (ns << 32) / rate

      # @return [Integer] what writing the events and taking the stacks has cost the process
      def cost_ns
        head * event_cost_ps / 1000 + stacks.stack_ns + stacks.watch_ns
      end
    end
  end
end
