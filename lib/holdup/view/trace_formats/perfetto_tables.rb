# frozen_string_literal: true

module Holdup
  module View
    module TraceFormats
      # What a Perfetto trace has once and refers to by number (its InternedData): texts, frames and stacks.
      # Numbers begin at 1.
      class PerfettoTables
        TEXTS = {category: 1, name: 2, argument: 3, function: 5, path: 18, value: 29}.freeze
        FRAMES = 6
        STACKS = 7
        private_constant :TEXTS, :FRAMES, :STACKS

        def initialize
          @entries = Hash.new { |entries, field| entries[field] = {} }
        end

        # @param kind [Symbol] a key of TEXTS
        # @return [Integer] its number
        def text(kind, text)
          number(TEXTS.fetch(kind), text) { Protobuf.text(2, text) }
        end

        # @param frames [Array<Capture::Frame>] the innermost first
        # @return [Integer] the stack's number
        def stack(frames)
          number(STACKS, frames) { frames.reverse.map { |frame| Protobuf.number(2, frame(frame)) }.join }
        end

        # @return [String] the message
        def to_s
          @entries.sort.map { |field, entries|
            entries.values.map { |number, body|
              Protobuf.bytes(field,
                Protobuf.number(1, number) << body)
            }.join
          }.join
        end

        private

        def frame(frame)
          line = frame.at.positive? ? frame.at : frame.line
          number(FRAMES, [frame.label, frame.path, line]) do
            [Protobuf.number(2, text(:function, frame.label)), *(if frame.path
                                                                   Protobuf.number(5, text(:path, frame.path))
                                                                 end), *(if line.positive?
                                                                           Protobuf.number(6, line)
                                                                         end)].join
          end
        end

        # What it consists of comes first, and has lower numbers.
        def number(field, key)
          entries = @entries[field]
          (entries[key] ||= [entries.size + 1, yield]).first
        end
      end
    end
  end
end
