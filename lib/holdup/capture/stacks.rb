# frozen_string_literal: true

require_relative "../model/template_method"
require_relative "layout"

module Holdup
  module Capture
    # The header's part about stacks: offsets of their tables, their number, their cost.
    #
    # - `over_ns`: shortest wait for which a holder gives its stack; 0 in a capture without stacks
    # - `missed`: holders that lost the GVL before they answered
    # - `first_event`: stacks of earlier events are lost, because the tables were full
    # - `stack_ns`: in the application's threads; `watch_ns`: CPU time of the thread that watches
    StackHeader = Data.define(*Layout::STACK_FIELDS) do
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
    # - `line`: where it begins; `at`: current line, 0 when unknown
    Frame = Data.define(:label, :path, :line, :at) do
      # The method that contains a block; of a template its file.
      def method_name
        return file if path && TemplateMethod.name?(label)
        label.sub(/\A(?:(?:block|rescue|ensure)(?: \(\d+ levels\))? in )+/, "")
      end

      # Named as by samplers that know only methods.
      def plain = with(label: method_name)

      def written?
        !path.nil? && !path.start_with?("<internal:")
      end

      # Whether it is code of the application: not of a gem, of Ruby's own library or of Holdup, wherever that
      # is installed.
      def application? = written? && !path.match?(Frame::LIBRARY) && !ours?

      def ours? = label.include?("Holdup::")

      # Whether its place has its name already, as that of a template.
      def named_by_place? = written? && method_name == file

      # "app/models/report.rb:12".
      def place
        "#{file}:#{[at, line].find(&:positive?) || 0}" if written?
      end

      # A short path: from the gem on, of a template from the application on, else the last three parts.
      def file
        path[%r{.*/gems/([^/]+-\d.*)}, 1] || path[%r{(?:\A|/)(app/views/.+)}, 1] ||
          path.split("/").last(3).join("/")
      end
    end

    # Folders of gems, of gems from git, and of Ruby's own library.
    Frame::LIBRARY = %r{/gems/[^/]+-\d|/bundler/gems/|/lib/ruby/(?:\d|gems|site_ruby|vendor_ruby)}

    # Stacks of a file: a tree of frames, in which a stack is the number of its innermost node.
    class Stacks
      attr_reader :table

      # @param nodes [Array<Integer>] flat: parent, frame and line of each; numbers begin at 1
      def initialize(table: [], nodes: [], first_event: 0)
        @table = table
        @nodes = nodes
        @first_event = first_event
        @frames = {}
      end

      def any? = @nodes.any?

      # @return [Integer, nil] its stack's number
      def of(event)
        number = event.detail
        if number.between?(1, @nodes.size / 3) && (event.commit - 1 - @first_event) & 0xffff_ffff < 1 << 31
          number
        end
      end

      # @return [Array<Frame>] innermost first
      def frames(number)
        @frames[number] ||= located_frames(number)
      end

      # @return [Array<Array(Integer, Integer)>] frame's number in the table (from 1) and line, innermost
      #   first
      def walk(number)
        steps = []
        while number.positive?
          parent, frame, line = @nodes[(number - 1) * 3, 3]
          steps << [frame, line]
          number = (parent < number) ? parent : 0
        end
        steps
      end

      # The frame that is named for what ran, as in the report: the application's innermost, because that is
      # what called a gem (`SQLite3::Statement#each`) and what its reader can change; else the innermost in a
      # file, else the innermost.
      def running(number)
        frames = frames(number)
        frames.find(&:application?) || frames.find { |frame| frame.written? && !frame.ours? } ||
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
