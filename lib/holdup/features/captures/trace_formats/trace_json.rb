# frozen_string_literal: true

module Holdup
  module Captures
    module TraceFormats
      # All data of a capture for programs (docs/internals/capture-file.md); stable within schema 1.
      class TraceJson
        SCHEMA = 1

        def initialize(picture)
          @picture = picture
        end

        def call
          {schema: SCHEMA, **window, threads: @picture.lanes.map { |lane| thread(lane) },
           units: @picture.scene.units.map { |unit| unit(unit) },
           **Stacks.new(@picture).call}
        end

        private

        def window
          recording = @picture.recording
          header = @picture.header
          {pid: header.pid, worker: (header.worker_index unless header.worker_index.negative?),
           begin_ns: recording.realtime_ns(0),
           length_ns: @picture.length_ns, complete: header.closed?, events: recording.events.size,
           overwritten: header.overwritten, cost_ns: header.cost_ns,
           sampler: header.facts["sampler"]}
        end

        def thread(lane)
          {number: lane.number, name: lane.name, gvl: lane.ledger,
           periods: @picture.periods(lane).map { |period| period(period) },
           collections: @picture.collections(lane).map { |from_ns, to_ns| {from_ns:, to_ns:} }}
        end

        def period(period)
          fields = {state: period.state, from_ns: period.from_ns, to_ns: period.to_ns, unit: period.unit&.id}
          fields[:kind] = period.kind if period.kind
          period.wait ? fields.merge(wait(period.wait)) : fields
        end

        def wait(wait)
          held = wait.parts.map { |part|
            {thread: part.lane.number, unit: part.unit&.id, ns: @picture.scene.ns(part.ticks)}
          }
          {held_by: held, handoff_ns: @picture.scene.ns(wait.handoff)}
        end

        def unit(unit)
          from_ns, to_ns = @picture.bounds(unit)
          {id: unit.id, thread: unit.lane.number, name: unit.name, queue: unit.queue, kind: kind(unit),
           failed: (unit.failed if unit.name),
           whole: unit.whole?, from_ns:, to_ns:, caused_ns: unit.caused && @picture.scene.ns(unit.caused),
           trace: unit.trace}
        end

        # Only a unit whose end was seen has a name and a known kind.
        def kind(unit)
          return unless unit.name
          unit.job ? :job : :request
        end

        # The stacks of a capture as JSON: tables of frames and stacks, samples that point into them, and
        # methods.
        class Stacks
          def initialize(picture)
            @picture = picture
            @scene = picture.scene
            @stacks = picture.recording.stacks
            @numbers = @scene.samples.all.map(&:stack).uniq.each_with_index.to_h
          end

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
            Timeline::StackShares::MethodTable.new(@scene).call.map do |row|
              {method: row.method, path: row.path, line: row.line, unit: row.unit,
               held_ns: @scene.ns(row.held), stalled_ns: @scene.ns(row.stalled),
               caused_ns: @scene.ns(row.caused)}
            end
          end
        end
      end
    end
  end
end
