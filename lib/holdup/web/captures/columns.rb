# frozen_string_literal: true

require "json"

module Holdup
  class Web
    class Captures
      # A capture for the viewer: columns of numbers that a browser maps without parsing
      # (assets/src/timeline/data.js). Little endian: two u32 (version, length of the JSON that follows), the
      # JSON, padded to a multiple of 8; then for each lane `from` (f64, ns since the window's start), `unit`
      # (u32, 0 for none), `state` (u8); then for each GVL `from`, `to` (f64), `lane`, `unit`, `method` (u32,
      # 0 if unknown) of its holders in order of time. Each column starts at a multiple of 8.
      class Columns
        VERSION = 1
        # The meaning of `state`, by index.
        STATES = %w[running stalled preempted io lock sleep idle unknown absent].freeze
        CODES = STATES.each_with_index.to_h { |name, code| [name.to_sym, code] }.freeze
        ALIGNED = 8
        # A holder of the GVL from one tick to another. `stack`: its number, nil for none
        Held = Struct.new(:lane, :from, :to, :unit, :stack)
        private_constant :Held

        def initialize(scene)
          @scene = scene
          @stacks = scene.recording.stacks
          @names = {}
          @picture = View::TraceFormats::Picture.new(scene)
          @places = @picture.lanes.each_with_index.to_h.compare_by_identity
        end

        # @return [String] bytes
        def call
          head = JSON.generate(contents).b
          [[VERSION, head.bytesize].pack("L<2"), head, filled(8 + head.bytesize), *lanes, *gvls].join
        end

        private

        def contents
          {length_ns: @picture.length_ns, states: STATES, methods: [nil, *methods.keys],
           lanes: @picture.lanes.map { |lane| lane_contents(lane) }, units: units,
           gvls: holders.map { |number, pairs| {number:, count: pairs.size} }}
        end

        def lane_contents(lane)
          {number: lane.number, name: View::Width.clean(@picture.thread_name(lane)), gvl: lane.ledger,
           count: lane.spans.size, collections: @picture.collections(lane)}
        end

        # @return [Array<Array>] id, index of its lane, name, from, to
        def units
          @scene.units.filter_map { |unit|
            if @places.key?(unit.lane)
              [unit.id, @places[unit.lane], View::Width.clean(@picture.unit_name(unit)),
                *@picture.bounds(unit)]
            end
          }
        end

        def lanes
          @picture.lanes.flat_map do |lane|
            spans = lane.spans
            [column(spans.map { |span| @picture.ns(span.from) }, "E*"),
              column(spans.map { |span| unit(span) }, "L<*"), column(spans.map { |span| code(span) }, "C*")]
          end
        end

        def gvls
          holders.values.flat_map do |pairs|
            [column(pairs.map { |held| @picture.ns(held.from) }, "E*"),
              column(pairs.map { |held| @picture.ns(held.to) }, "E*"),
              column(pairs.map { |held| @places[held.lane] }, "L<*"), column(pairs.map(&:unit), "L<*"),
              column(pairs.map { |held| held.stack ? methods.fetch(name(held.stack)) : 0 }, "L<*")]
          end
        end

        def holders
          @holders ||= @picture.lanes.group_by(&:ledger).transform_values do |lanes|
            lanes.flat_map { |lane|
              lane.spans.select { |span| span.state == :running }.flat_map { |span|
                held(
                  lane, span
                )
              }
            }.sort_by(&:from)
          end
        end

        # With stacks a span has several pieces, each with its stack.
        def held(lane, span)
          return [Held.new(lane, span.from, span.to, unit(span), nil)] unless @stacks.any?
          @scene.samples.held(lane, span.from, span.to).map { |piece|
            Held.new(lane, piece.from, piece.to, unit(span), piece.stack)
          }
        end

        # @return [Hash{String => Integer}] a number, starting at 1, for each method that ran
        def methods
          @methods ||= begin
            stacks = holders.values.flatten.filter_map(&:stack).uniq
            stacks.map { |stack| name(stack) }.uniq.each.with_index(1).to_h
          end
        end

        def name(stack)
          @names[stack] ||= @stacks.running(stack).then { |frame|
            View::Width.clean([frame&.method_name,
              frame&.place && "(#{frame.place})"].compact.join(" "))
          }
        end

        def unit(span)
          span.unit.zero? ? 0 : @scene.unit_of(span)&.id.to_i
        end

        def code(span)
          return CODES.fetch(span.kind || :idle) if span.state == :idle
          CODES.fetch((span.kind == :preempted) ? :preempted : span.state)
        end

        def column(values, format)
          bytes = values.pack(format)
          bytes << filled(bytes.bytesize)
        end

        def filled(bytes) = "\0".b * (-bytes % ALIGNED)
      end
    end
  end
end
