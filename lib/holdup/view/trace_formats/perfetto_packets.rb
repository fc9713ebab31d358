# frozen_string_literal: true

module Holdup
  module View
    module TraceFormats
      # The packets of a Perfetto trace of one process, in Perfetto's own format: tracks, slices on them,
      # arrows between them, and what threads ran. Times are ns since the window's begin. Numbers of fields
      # are those of Perfetto's .proto files, as test/viewers/perfetto.proto names them.
      class PerfettoPackets
        BEGINS = 1
        ENDS = 2
        INSTANT = 3
        # One writer has written all of it, so the tables are everybody's; they are begun by the first packet.
        SEQUENCE = Protobuf.number(10, 1).freeze
        BEGINS_TABLES = (SEQUENCE + Protobuf.number(13, 3)).freeze
        NEEDS_TABLES = (SEQUENCE + Protobuf.number(13, 2)).freeze
        # What samples weigh: so many ns of holding.
        HELD = Protobuf.bytes(59,
          Protobuf.bytes(100,
            Protobuf.text(1,
              "holdup") << Protobuf.bytes(2, Protobuf.text(2, "held") << Protobuf.number(3, 1)))).freeze
        private_constant :BEGINS, :ENDS, :INSTANT, :SEQUENCE, :BEGINS_TABLES, :NEEDS_TABLES, :HELD

        # @param pid [Integer]
        # @param name [String] of the process
        def initialize(pid, name)
          @pid = pid
          @tables = PerfettoTables.new
          @tracks = @arrows = 0
          @packets = +"".b
          @ends = {}
          @beginnings, @arguments = Array.new(2) { Hash.new { |said, key| said[key] = {} } }
          @process = describe(Protobuf.bytes(3, Protobuf.number(1, pid) << Protobuf.text(6, name)))
        end

        # @param name [String]
        # @param under [Integer] the track that it belongs to
        # @return [Integer] the new track
        def track(name, under: @process)
          describe(Protobuf.text(2, name) << Protobuf.number(5, under))
        end

        # @param number [Integer] of the thread
        # @return [Integer] its track
        def thread(number, name)
          describe(Protobuf.bytes(4,
            Protobuf.number(1,
              @pid) << Protobuf.number(2, number) << Protobuf.text(5, name)) << Protobuf.number(5, @process))
        end

        # @param args [Hash] what is shown of it; nil is left out
        # @return [void]
        def slice(track, name, from_ns, to_ns, category:, **args)
          event = beginning(track, name, category).dup
          args.each { |key, value| event << argument(key, value) unless value.nil? }
          packet(from_ns, 11, event)
          packet(to_ns, 11, @ends[track] ||= Protobuf.number(9, ENDS) << Protobuf.number(11, track))
        end

        # @return [void]
        def arrow(from_track, from_name, from_ns, to_track, to_name, to_ns)
          id = @arrows += 1
          packet(from_ns, 11, kind(INSTANT, from_track, from_name, "wait") << Protobuf.fixed(47, id))
          packet(to_ns, 11, kind(INSTANT, to_track, to_name, "wait") << Protobuf.fixed(48, id))
        end

        # @param number [Integer] of the thread
        # @param frames [Array<Capture::Frame>] the innermost first
        # @return [void]
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

        # There are millions of slices, and few different things are said of them.
        def beginning(track, name, category)
          @beginnings[track][name] ||= kind(BEGINS, track, name, category)
        end

        def argument(name, value)
          @arguments[name][value] ||= begin
            told = value.is_a?(Integer) ? Protobuf.number(4,
              value) : Protobuf.number(17, @tables.text(:value, value.to_s))
            Protobuf.bytes(4, Protobuf.number(1, @tables.text(:argument, name.to_s)) << told)
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
    end
  end
end
