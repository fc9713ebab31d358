# frozen_string_literal: true

require_relative "layout"

module Holdup
  module Capture
    # What the header says of the stacks in a file: where their tables lie, how many were taken, what they
    # cost.
    #
    # - `over_ns`: holders were asked where a thread waited longer; 0 where the capture has no stacks
    # - `missed`: the GVL went on to another thread before it answered
    # - `first_event`: stacks of events before this number are gone, the tables were full
    # - `stack_ns`: in the application's threads; `watch_ns`: CPU time of the thread that watches
    StackHeader = Data.define(*Layout::STACK_FIELDS) do
      # @param bytes [String] of the first page
      def self.parse(bytes)
        new(*bytes.unpack(Layout::STACK_FORMAT, offset: Layout::STACKS_AT))
      end

      def plausible?
        return false if frame_count > frame_capacity || node_count > node_capacity
        return false if frame_capacity > Layout::MAX_TABLE || node_capacity > Layout::MAX_TABLE
        frame_capacity.zero? || (frame_bytes == Layout::FRAME_BYTES && node_bytes == Layout::NODE_BYTES)
      end
    end

    # A method or a block in a stack.
    #
    # - `label`: "Report#crunch", "block in Report#crunch"; `path`: nil for C code
    # - `line`: where it begins; `at`: which line it was at, 0 when that is not known
    Frame = Data.define(:label, :path, :line, :at) do
      # @return [String] the method that a block is in
      def method_name
        label.sub(/\A(?:(?:block|rescue|ensure)(?: \(\d+ levels\))? in )+/, "")
      end

      # @return [Frame] with the name that samplers give which know methods only
      def plain = with(label: method_name)

      def written?
        !path.nil? && !path.start_with?("<internal:")
      end

      # @return [String, nil] "app/models/report.rb:12", for reading
      def place
        "#{file}:#{[at, line].find(&:positive?) || 0}" if written?
      end

      # @return [String] the short path: the gem and what follows, else the last three parts
      def file
        path[%r{.*/gems/([^/]+-\d.*)}, 1] || path.split("/").last(3).join("/")
      end
    end

    # The stacks in a file: a tree of frames, in which a stack is the number of its innermost node.
    class Stacks
      # @return [Array<Frame>] of the table, at no line
      attr_reader :table

      # @param nodes [Array<Integer>] parent, frame and line of each, one behind the other; numbers begin at 1
      def initialize(table: [], nodes: [], first_event: 0)
        @table = table
        @nodes = nodes
        @first_event = first_event
        @frames = {}
      end

      def any? = @nodes.any?

      # @return [Integer, nil] the number of its stack
      def of(event)
        number = event.detail
        if number.between?(1, @nodes.size / 3) && (event.commit - 1 - @first_event) & 0xffff_ffff < 1 << 31
          number
        end
      end

      # @param number [Integer] of a stack
      # @return [Array<Frame>] the innermost first
      def frames(number)
        @frames[number] ||= located_frames(number)
      end

      # @param number [Integer] of a stack
      # @return [Array<Array(Integer, Integer)>] number of the frame in the table (from 1) and line, the
      #   innermost first
      def walk(number)
        steps = []
        while number.positive?
          parent, frame, line = @nodes[(number - 1) * 3, 3]
          steps << [frame, line]
          number = (parent < number) ? parent : 0
        end
        steps
      end

      # @param number [Integer] of a stack
      # @return [Frame, nil] what ran: the innermost in a file, else the innermost
      def running(number)
        frames = frames(number)
        frames.find(&:written?) || frames.first
      end

      private

      def located_frames(number)
        located = walk(number).filter_map do |frame, line|
          @table[frame - 1]&.with(at: line) if frame.positive?
        end
        located.freeze
      end
    end
  end
end
