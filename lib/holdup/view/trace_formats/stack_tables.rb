# frozen_string_literal: true

module Holdup
  module View
    module TraceFormats
      # Of a capture's stacks what the JSON says: frames and stacks as tables, samples that point into them,
      # and methods.
      class StackTables
        # @param picture [Picture]
        def initialize(picture)
          @picture = picture
          @scene = picture.scene
          @stacks = picture.recording.stacks
          @numbers = @scene.samples.all.map(&:stack).uniq.each_with_index.to_h
        end

        # @return [Hash]
        def call
          {frames:, stacks:, samples:, methods: @stacks.any? ? rows : []}
        end

        private

        def frames
          @stacks.table.map { |frame| {label: frame.label, path: frame.path, line: frame.line} }
        end

        def stacks
          @numbers.keys.map { |number| @stacks.walk(number).map { |frame, line| [frame - 1, line] } }
        end

        def samples
          @scene.samples.all.map { |sample|
            {thread: sample.lane.number, at_ns: @picture.ns(sample.time), kind: sample.kind,
             stack: @numbers.fetch(sample.stack)}
          }
        end

        def rows
          Analysis::Timeline::StackShares::MethodTable.new(@scene).call.map do |row|
            {method: row.method, path: row.path, line: row.line, unit: row.unit,
             held_ns: @scene.ns(row.held), stalled_ns: @scene.ns(row.stalled), caused_ns: @scene.ns(row.caused)}
          end
        end
      end
    end
  end
end
