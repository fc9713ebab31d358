# frozen_string_literal: true

module Holdup
  module View
    module TraceFormats
      # What one thread ran, for the call tree and the flame graph: a sample for each piece of a hold that has
      # a stack, which weighs as many milliseconds as the piece took. Tables grow as stacks need them.
      class FirefoxStacks
        # @param picture [Picture]
        # @param lane [Lane]
        # @param strings [Hash{String => Integer}] the thread's; what is missing is added
        # @param category [Integer] of all that runs
        def initialize(picture, lane, strings, category:)
          @picture = picture
          @lane = lane
          @strings = strings
          @category = category
          @functions = {}
          @frames = {}
          @stacks = {}
        end

        # @return [Hash{Symbol => Hash}] tables of a thread; none without samples
        def call
          samples = @picture.ran(@lane).map { |from_ns, to_ns, frames|
            [stack(frames), from_ns / 1e6, (to_ns - from_ns) / 1e6]
          }
          samples.empty? ? {} : {samples: samples_of(samples), stackTable: stack_table,
                                 frameTable: frame_table, funcTable: function_table}
        end

        private

        def stack(frames)
          frames.reverse.inject(nil) { |prefix, frame|
            number(@stacks, [prefix, number(@frames, [function(frame), frame.at])])
          }
        end

        def function(frame)
          number(@functions, [string(frame.label), frame.path && string(frame.path), frame.line])
        end

        def string(text) = number(@strings, text)

        def number(table, key) = table[key] ||= table.size

        def samples_of(samples)
          stack, time, weight = samples.transpose
          {stack:, time:, weight:, weightType: "tracing-ms", length: samples.size}
        end

        def stack_table
          prefix, frame = @stacks.keys.transpose
          {frame:, prefix:, category: all(@stacks, @category), subcategory: all(@stacks, 0),
           length: @stacks.size}
        end

        def frame_table
          func, line = @frames.keys.transpose
          {address: all(@frames, -1), inlineDepth: all(@frames, 0), category: all(@frames, @category), subcategory: all(@frames, 0), func:, line: line.map { |at|
            at unless at.zero?
          },
           **%i[nativeSymbol innerWindowID implementation column].to_h { |name| [name, all(@frames, nil)] }, length: @frames.size}
        end

        def function_table
          name, file, line = @functions.keys.transpose
          {name:, fileName: file, lineNumber: line, isJS: all(@functions, false), relevantForJS: all(@functions, false), resource: all(@functions, -1),
           columnNumber: all(@functions, nil), length: @functions.size}
        end

        def all(table, value) = Array.new(table.size, value)
      end
    end
  end
end
