# frozen_string_literal: true

module Holdup
  module View
    module TraceFormats
      # A trace for ui.perfetto.dev: on top who held the GVL, then each thread with its states, units and
      # collections, and what it ran; an arrow from who held to who waited.
      class Perfetto
        # A shorter wait gets no arrow: nobody could see it.
        ARROW_NS = 1_000_000

        # @param picture [Picture]
        def initialize(picture)
          @picture = picture
          @trace = PerfettoPackets.new(picture.header.pid, picture.header.process_name)
          @tracks = {}.compare_by_identity
        end

        # @return [String] bytes
        def call
          @picture.holders.each_value { |held| holder(held) }
          @picture.lanes.each { |lane| thread(lane) }
          @picture.lanes.each { |lane| arrows(lane) }
          @trace.to_s
        end

        private

        # Clocks of several CPUs differ by a few ticks, slices of a track may not overlap.
        def holder(held)
          track = @trace.track("GVL holder")
          held.inject(0) do |free, (lane, period)|
            from = [period.from_ns, free].max
            next free if period.to_ns <= from
            @trace.slice(track, @picture.name(lane, period.unit), from, period.to_ns, category: "holder",
              thread: @picture.thread_name(lane), unit: period.unit&.id)
            period.to_ns
          end
        end

        def thread(lane)
          @tracks[lane] = track = @trace.thread(lane.number, @picture.thread_name(lane))
          rows(@picture.units(lane)).each { |units| units_of(track, units) }
          @picture.periods(lane).each { |period| state(track, period) }
          @picture.ran(lane).each { |from_ns, to_ns, frames| @trace.ran(lane.number, from_ns, to_ns, frames) }
          collections(track, @picture.collections(lane))
        end

        # Units of a thread lie in each other or, with fibers, overlap: those that do get a track of their
        # own.
        def rows(units)
          units.each_with_object([]) do |unit, rows|
            row = rows.find { |others| @picture.bounds(others.last).last <= @picture.bounds(unit).first }
            row ? row << unit : rows << [unit]
          end
        end

        def units_of(thread, units)
          track = @trace.track("units", under: thread)
          units.each { |unit|
            @trace.slice(track, @picture.unit_name(unit), *@picture.bounds(unit), category: "unit", unit: unit.id,
              queue: unit.queue, trace: unit.trace)
          }
        end

        def state(track, period)
          waited_for = @picture.main(period.wait) if period.wait
          @trace.slice(track, period.state.to_s, period.from_ns, period.to_ns, category: "state",
            kind: period.kind, unit: period.unit&.id, waited_for:)
        end

        def collections(thread, collections)
          track = @trace.track("GC", under: thread) if collections.any?
          collections.each { |from_ns, to_ns| @trace.slice(track, "GC", from_ns, to_ns, category: "gc") }
        end

        # It ends where the thread goes on, and begins where who held longest began to.
        def arrows(lane)
          @picture.periods(lane).each do |period|
            unless period.wait && period.to_ns - period.from_ns >= ARROW_NS && period.to_ns < @picture.length_ns
              next
            end
            part = period.wait.parts.max_by(&:ticks) or next
            @trace.arrow(@tracks.fetch(part.lane), "others wait", @picture.ns(part.from),
              @tracks.fetch(lane), "goes on", period.to_ns)
          end
        end
      end
    end
  end
end
