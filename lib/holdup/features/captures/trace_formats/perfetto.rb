# frozen_string_literal: true

module Holdup
  module Captures
    module TraceFormats
      # A trace for ui.perfetto.dev: at the top who held the GVL, then each thread with its states, units,
      # collections and methods; an arrow leads from the holder to the waiting thread.
      class Perfetto
        # Shorter waits get no arrow: it would be invisible.
        ARROW_NS = 1_000_000

        def initialize(picture)
          @picture = picture
          @trace = Packets.new(picture.header.pid, picture.header.process_name)
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

        # Clocks of several CPUs differ by a few ticks, but slices of a track may not overlap.
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

        # Units of a thread nest or, with fibers, overlap: overlapping ones get a track of their own.
        def rows(units)
          units.each_with_object([]) do |unit, rows|
            row = rows.find { |others| @picture.bounds(others.last).last <= @picture.bounds(unit).first }
            row ? row << unit : rows << [unit]
          end
        end

        def units_of(thread, units)
          track = @trace.track("units", under: thread)
          units.each { |unit|
            @trace.slice(track, @picture.unit_name(unit), *@picture.bounds(unit), category: "unit",
              unit: unit.id,
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

        # An arrow starts where the longest holder began to hold and ends where the thread continues.
        def arrows(lane)
          @picture.periods(lane).each do |period|
            unless period.wait && period.to_ns - period.from_ns >= ARROW_NS &&
                period.to_ns < @picture.length_ns
              next
            end
            part = period.wait.parts.max_by(&:ticks) or next
            holder = Instant.new(track: @tracks.fetch(part.lane), name: "others wait",
              at_ns: @picture.ns(part.from))
            waiter = Instant.new(track: @tracks.fetch(lane), name: "goes on", at_ns: period.to_ns)
            @trace.arrow(holder, waiter)
          end
        end

        # An end of an arrow. `track`: its number; `at_ns`: since the window's start
        Instant = Data.define(:track, :name, :at_ns)

        # The packets of a Perfetto trace of one process: tracks, slices on them, arrows between them, and
        # what threads ran. Times are ns since the window's start. Field numbers are those of Perfetto's
        # .proto files, as test/viewers/perfetto.proto names them.
        class Packets
          BEGINS = 1
          ENDS = 2
          INSTANT = 3
          # A single writer: all packets share its tables, and the first packet starts them.
          SEQUENCE = Protobuf.number(10, 1).freeze
          BEGINS_TABLES = (SEQUENCE + Protobuf.number(13, 3)).freeze
          NEEDS_TABLES = (SEQUENCE + Protobuf.number(13, 2)).freeze
          # Unit of the samples' weight: ns of holding.
          HELD = Protobuf.bytes(59,
            Protobuf.bytes(100,
              Protobuf.text(1,
                "holdup") << Protobuf.bytes(2, Protobuf.text(2, "held") << Protobuf.number(3, 1)))).freeze
          private_constant :BEGINS, :ENDS, :INSTANT, :SEQUENCE, :BEGINS_TABLES, :NEEDS_TABLES, :HELD

          # @param name [String] of the process
          def initialize(pid, name)
            @pid = pid
            @tables = Tables.new
            @tracks = @arrows = 0
            @packets = +"".b
            @ends = {}
            @beginnings, @arguments = Array.new(2) { Hash.new { |said, key| said[key] = {} } }
            @process = describe(Protobuf.bytes(3, Protobuf.number(1, pid) << Protobuf.text(6, name)))
          end

          # @param under [Integer] the parent track
          # @return [Integer] the new track
          def track(name, under: @process)
            describe(Protobuf.text(2, name) << Protobuf.number(5, under))
          end

          # @return [Integer] its track
          def thread(number, name)
            describe(Protobuf.bytes(4,
              Protobuf.number(1,
                @pid) << Protobuf.number(2, number) << Protobuf.text(5, name)) << Protobuf.number(5,
                  @process))
          end

          # @param args [Hash] details to show; nil values are left out
          def slice(track, name, from_ns, to_ns, category:, **args)
            event = beginning(track, name, category).dup
            args.each { |key, value| event << argument(key, value) unless value.nil? }
            packet(from_ns, 11, event)
            packet(to_ns, 11, @ends[track] ||= Protobuf.number(9, ENDS) << Protobuf.number(11, track))
          end

          # @param from [Instant]
          # @param to [Instant]
          def arrow(from, to)
            id = @arrows += 1
            packet(from.at_ns, 11, kind(INSTANT, from.track, from.name, "wait") << Protobuf.fixed(47, id))
            packet(to.at_ns, 11, kind(INSTANT, to.track, to.name, "wait") << Protobuf.fixed(48, id))
          end

          # @param frames [Array<Capture::Frame>] innermost first
          def ran(number, from_ns, to_ns, frames)
            whose = Protobuf.bytes(1, Protobuf.number(2, @pid) << Protobuf.number(3, number))
            packet(from_ns, 135,
              whose << Protobuf.number(6, @tables.stack(frames)) << Protobuf.number(11, to_ns - from_ns))
          end

          # @return [String] the file
          def to_s
            Protobuf.bytes(1, BEGINS_TABLES + Protobuf.bytes(12, @tables.to_s) + HELD) << @packets
          end

          private

          def describe(facts)
            track = @tracks += 1
            write(NEEDS_TABLES + Protobuf.bytes(60, Protobuf.number(1, track) << facts))
            track
          end

          # Cached: there are millions of slices, but few distinct descriptions.
          def beginning(track, name, category)
            @beginnings[track][name] ||= kind(BEGINS, track, name, category)
          end

          def argument(name, value)
            @arguments[name][value] ||= begin
              field = value.is_a?(Integer) ? Protobuf.number(4,
                value) : Protobuf.number(17, @tables.text(:value, value.to_s))
              Protobuf.bytes(4, Protobuf.number(1, @tables.text(:argument, name.to_s)) << field)
            end
          end

          def kind(type, track, name, category)
            Protobuf.number(3,
              @tables.text(:category,
                category)) << Protobuf.number(9,
                  type) << Protobuf.number(10, @tables.text(:name, name)) << Protobuf.number(11, track)
          end

          def packet(at_ns, field, message)
            write(Protobuf.number(8, at_ns) << NEEDS_TABLES << Protobuf.bytes(field, message))
          end

          def write(packet)
            @packets << Protobuf.varint(1 << 3 | 2) << Protobuf.varint(packet.bytesize) << packet
          end
        end

        # What a Perfetto trace stores once and refers to by number (its InternedData): texts, frames and
        # stacks. Numbers start at 1.
        class Tables
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

          # @param frames [Array<Capture::Frame>] innermost first
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
              [Protobuf.number(2, text(:function, frame.label)),
                *(Protobuf.number(5, text(:path, frame.path)) if frame.path),
                *(Protobuf.number(6, line) if line.positive?)].join
            end
          end

          # Parts are numbered before the whole, so they have lower numbers.
          def number(field, key)
            entries = @entries[field]
            (entries[key] ||= [entries.size + 1, yield]).first
          end
        end
      end
    end
  end
end
