# frozen_string_literal: true

require "json"

module Holdup
  module Captures
    # A capture in the formats of other viewers, and in Holdup's own JSON.
    module TraceFormats
      # The subset of Protocol Buffers that a trace needs: number fields, and fields with a length.
      module Protobuf
        module_function

        # @param number [Integer] not negative
        # @return [String] seven bits per byte, lowest first
        def varint(number)
          return number.chr if number < 128
          bytes = (number & 127 | 128).chr
          bytes << (number & 127 | 128) while (number >>= 7) > 127
          bytes << number
        end

        # @param field [Integer] its number in the message, in all methods
        def number(field, value)
          varint(field << 3) << varint(value)
        end

        # @param value [String] a message
        def bytes(field, value)
          varint(field << 3 | 2) << varint(value.bytesize) << value
        end

        def text(field, value) = bytes(field, value.b)

        # @return [String] always eight bytes
        def fixed(field, value)
          varint(field << 3 | 1) << [value].pack("Q<")
        end
      end

      # The constant stands after Protobuf, which Perfetto needs when it is loaded.
      FORMATS = {firefox: Firefox, perfetto: Perfetto, speedscope: Speedscope, json: TraceJson}.freeze
      # Binary formats, with the ending of their files.
      BINARY = {perfetto: "pftrace"}.freeze

      # @param format [Symbol] a key of FORMATS
      # @return [String] a JSON document of one line, or bytes
      # @raise [KeyError]
      def self.call(scene, format)
        document = FORMATS.fetch(format).new(Picture.new(scene)).call
        BINARY.key?(format) ? document : JSON.generate(document)
      end

      # What every format draws: the scene in nanoseconds and with names. Only moments are rounded, never
      # lengths, so the periods of a thread fill the window in every format.
      class Picture
        UNFINISHED = "unfinished request or job"
        UNNAMED = "(unnamed)"
        HANDOFF = "hand-off"

        attr_reader :scene

        def initialize(scene)
          @scene = scene
          @periods = {}.compare_by_identity
        end

        def header = recording.header

        def recording = @scene.recording

        # @return [Array<Lane>] those with most units first, because viewers start with the first
        def lanes
          @lanes ||= @scene.lanes.sort_by { |lane| [-units(lane).size, lane.number] }
        end

        def length_ns = recording.length_ns

        # @param ticks [Integer] since the window's start
        # @return [Integer] ns, clamped to the window
        def ns(ticks)
          @scene.ns(ticks.clamp(0, recording.length_ticks))
        end

        # @return [Array<Period>] from the window's start to its end
        def periods(lane)
          @periods[lane] ||= lane.spans.map { |span| period(lane, span) }
        end

        # @param period [Period] a running period of the lane
        # @return [Array<Array(Integer, Integer, Array<Capture::Frame>)>] ns from and to, and the frames:
        #   innermost first, empty without a stack
        def pieces(lane, period)
          return [[period.from_ns, period.to_ns, []]] unless recording.stacks.any?
          pieces = @scene.samples.held(lane, period.from, period.to)
          pieces.map { |piece|
            [ns(piece.from), ns(piece.to), piece.stack ? recording.stacks.frames(piece.stack) : []]
          }
        end

        # @return [Array<Array(Integer, Integer, Array<Capture::Frame>)>] its pieces that have a stack
        def ran(lane)
          return [] unless recording.stacks.any?
          running = periods(lane).select { |period| period.state == :running }
          running.flat_map { |period| pieces(lane, period) }.reject { |_, _, frames| frames.empty? }
        end

        # @return [Array<TimelineUnit>] of this thread, in the order of their start
        def units(lane) = units_by_lane.fetch(lane, [])

        # @return [Array(Integer, Integer)] ns from and to, clamped to the window
        def bounds(unit)
          [ns(unit.from), ns(unit.to || recording.length_ticks)]
        end

        # @return [Array<Array(Integer, Integer)>] ns from and to of the garbage collections on this thread
        def collections(lane)
          @scene.collections.filter_map { |own, from, to| [ns(from), ns(to)] if own == lane }
        end

        # @return [Hash{Integer => Array<Array(Lane, Period)>}] by GVL: holders in order of time
        def holders
          held = lanes.flat_map { |lane|
            periods(lane).select { |period| period.state == :running }.map { |period| [lane, period] }
          }
          held.group_by { |lane, _| lane.ledger }.transform_values { |pairs|
            pairs.sort_by { |_, period| period.from_ns }
          }
        end

        def unit_name(unit)
          unit.name || (unit.to ? UNNAMED : UNFINISHED)
        end

        def thread_name(lane)
          (lane.name.nil? || lane.name.empty?) ? "thread #{lane.number}" : lane.name
        end

        # @return [String] the unit, else the thread
        def name(lane, unit)
          unit ? unit_name(unit) : thread_name(lane)
        end

        # @return [Array<Array(Integer, String)>] start in ns and holder, from the wait's start to its end
        def waited(wait)
          at = wait.span.from
          pieces = []
          wait.parts.each do |part|
            pieces << [at, HANDOFF] if at < part.from
            pieces << [part.from, name(part.lane, part.unit)]
            at = part.from + part.ticks
          end
          pieces << [at, HANDOFF] if at < wait.span.to
          pieces.map { |from, holder| [ns(from), holder] }
        end

        # @return [String] the longest holder
        def main(wait)
          sums = wait.parts.group_by { |part| name(part.lane, part.unit) }.transform_values { |parts|
            parts.sum(&:ticks)
          }
          sums.max_by(&:last)&.first || HANDOFF
        end

        private

        def period(lane, span)
          wait = @scene.wait(lane, span) if span.state == :stalled
          Period.new(span.state, span.kind, ns(span.from), ns(span.to), @scene.unit_of(span), wait,
            span.from, span.to)
        end

        def units_by_lane
          @units_by_lane ||= @scene.units.group_by(&:lane).compare_by_identity
        end

        # An interval in ns since the window's start, and in ticks (`from`, `to`). `unit`, `wait`: nil for
        # none.
        Period = Struct.new(:state, :kind, :from_ns, :to_ns, :unit, :wait, :from, :to)
      end
    end
  end
end
