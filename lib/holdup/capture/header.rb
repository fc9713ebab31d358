# frozen_string_literal: true

require "json"
require_relative "../model/errors"
require_relative "layout"
require_relative "stacks"

module Holdup
  module Capture
    # The reason for a capture, as flat JSON in its first page, so that a list of captures reads nothing more.
    module Reason
      TYPES = [String, Integer, Float, TrueClass, FalseClass].freeze

      module_function

      # @return [Hash{String => Object}] empty when missing or invalid
      def of(bytes)
        length = bytes.unpack1("L<", offset: Layout::FACTS)
        return {} unless length.between?(2, Layout::FACTS_BYTES)
        text = bytes.byteslice(Layout::FACTS + 4, length).force_encoding(Encoding::UTF_8)
        facts = text.valid_encoding? && JSON.parse(text)
        facts.is_a?(Hash) ? facts.select { |_, value| TYPES.include?(value.class) } : {}
      rescue JSON::ParserError
        {}
      end

      # @param bytes [String] of a capture; changed in place, because it has megabytes
      # @param more [Hash{String => Object}] added if there is enough room
      def add(bytes, more)
        text = JSON.generate(of(bytes).merge(more))
        return bytes if text.bytesize > Layout::FACTS_BYTES
        bytes.bytesplice(Layout::FACTS, 4 + text.bytesize, [text.bytesize].pack("L<") + text.b)
        bytes
      end
    end

    # The first page of a capture: its process and time, and the offsets of its parts. Each value is checked
    # first.
    #
    # - `caught`: number of the first unit beyond the limits, 0 for none; `caught_*`: see
    #   Layout::CAUGHT_FIELDS
    # - `facts`: {String => Object} reason and findings of the capture (docs/internals/capture-file.md)
    # - `stacks`: StackHeader
    # - `sums`: {Symbol => Integer} the probe's counts meanwhile (ticks, see Layout::SUMS); valid only at the
    #   end
    Header = Data.define(*Layout::HEADER_FIELDS, *Layout::CAUGHT_FIELDS, :facts, :stacks, :sums) do
      # @raise [DamagedData]
      def self.parse(bytes, path:)
        values = (bytes.bytesize < Layout::HEADER_BYTES) ? [] : bytes.unpack(Layout::HEADER_FORMAT)
        raise refusal(path, "it starts with other bytes") unless values.first == Layout::MAGIC
        unless Layout::READABLE.include?(values[1])
          raise refusal(path, "it has layout #{values[1]}, this Holdup reads up to #{Layout::VERSION}")
        end
        caught = bytes.unpack("Q<#{Layout::CAUGHT_FIELDS.size}", offset: Layout::CAUGHT)
        header = new(*values, *caught, Reason.of(bytes), StackHeader.parse(bytes), read_sums(bytes))
        raise refusal(path, "its parts have other sizes") unless header.plausible?
        header
      end

      def self.read_sums(bytes)
        from, to = Layout::SUMS_AT.map { |at| bytes.unpack("Q<#{Layout::SUMS.size}", offset: at) }
        differences = to.zip(from).map { |after, before| (after - before) % (1 << 64) }
        Layout::SUMS.zip(differences).to_h.freeze
      end
      private_class_method :read_sums

      def self.refusal(path, reason)
        DamagedData.new("#{path} is not a capture of Holdup (#{reason})", "`holdup capture` makes one")
      end

      def plausible?
        sizes_expected? && capacity.between?(1, Layout::MAX_EVENTS) && (capacity & (capacity - 1)).zero? &&
          rate.positive? && thread_count <= thread_capacity && thread_capacity <= Layout::MAX_TABLE &&
          name_capacity <= Layout::MAX_TABLE && events_bytes <= Layout::MAX_BYTES && stacks.plausible?
      end

      def sizes_expected?
        header_bytes == Layout::HEADER_BYTES && event_bytes == Layout::EVENT_BYTES &&
          thread_bytes == Layout::THREAD_BYTES && name_bytes == Layout::NAME_BYTES
      end
      private :sizes_expected?

      # @raise [DamagedData] the file ends before its last event
      def whole!(bytes, path:)
        if events_bytes > bytes.bytesize
          raise self.class.refusal(path, "it is cut short at #{bytes.bytesize} bytes")
        end
        self
      end

      # Whether it ended; else it is running, or its process was killed.
      def closed? = state == Layout::CLOSED

      # Number of overwritten events.
      def overwritten = [head - capacity, 0].max

      # Size of the file up to its last event.
      def events_bytes
        events_offset + [head, capacity].min * event_bytes
      end

      # @return [String] "worker 0", or "pid 123" outside of a cluster
      def process_name
        worker_index.negative? ? "pid #{pid}" : "worker #{worker_index}"
      end

      def ns(ticks) = (ticks * rate) >> 32

      def ticks(ns) = (ns << 32) / rate

      # The process's cost for writing the events and taking the stacks.
      def cost_ns
        head * event_cost_ps / 1000 + stacks.stack_ns + stacks.watch_ns
      end
    end
  end
end
