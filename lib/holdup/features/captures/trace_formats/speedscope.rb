# frozen_string_literal: true

module Holdup
  module Captures
    module TraceFormats
      # speedscope's own format (its file-format-spec), evented: a profile per thread. The outer frame is the
      # unit, inside it the state, inside that the holder the thread waited for, or the stack it ran.
      class Speedscope
        SCHEMA = "https://www.speedscope.app/file-format-schema.json"

        def initialize(picture)
          @picture = picture
          @frames = {}
        end

        def call
          profiles = @picture.lanes.map { |lane| profile(lane) }
          {"$schema": SCHEMA, exporter: "holdup", name: "Holdup: #{@picture.header.process_name}",
           shared: {frames: @frames.keys.map { |name| {name:} }}, profiles:}
        end

        private

        def profile(lane)
          {type: "evented", name: @picture.thread_name(lane), unit: "nanoseconds", startValue: 0,
           endValue: @picture.length_ns, events: events(lane)}
        end

        def events(lane)
          open = []
          changes = @picture.periods(lane).flat_map { |period|
            parts(lane,
              period)
          }.flat_map do |from_ns, levels|
            before = open
            open = levels
            change(before, open, from_ns)
          end
          changes + change(open, [], @picture.length_ns)
        end

        # A running period has a part per stack, a waiting one a part per holder of the GVL.
        def parts(lane, period)
          own = stack(period)
          return waits(period, own) if period.wait
          return [[period.from_ns, own]] unless period.state == :running
          @picture.pieces(lane, period).map { |from_ns, _, frames|
            [from_ns, own + frames.reverse.map { |frame| [[frame.label, frame.path], frame.label] }]
          }
        end

        def waits(period, own)
          @picture.waited(period.wait).map { |from_ns, holder| [from_ns, own + [[from_ns, "for #{holder}"]]] }
        end

        # The common start of both stacks stays open.
        def change(before, after, at)
          kept = 0
          kept += 1 while kept < before.size && before[kept] == after[kept]
          before.drop(kept).reverse.map { |level|
            event("C", at,
              level)
          } + after.drop(kept).map { |level| event("O", at, level) }
        end

        def event(type, at, level)
          {type:, at:, frame: @frames[level.last] ||= @frames.size}
        end

        # Each level: its identity, and its name.
        def stack(period)
          unit = [period.unit.id, @picture.unit_name(period.unit)] if period.unit
          [unit, [period.state, period.state.to_s], detail(period)].compact
        end

        def detail(period)
          [period.kind, period.kind.to_s] if period.state == :idle && period.kind
        end
      end
    end
  end
end
