# frozen_string_literal: true

# Reads a Perfetto trace as far as tests ask for it. What fields are called: test/viewers/perfetto.proto.
class PerfettoTrace
  # `track`: its name, after those that it belongs to
  TrackSlice = Data.define(:track, :name, :category, :from_ns, :to_ns, :args)
  # What a thread ran; `frames`: label, path and line, the innermost first
  TraceSample = Data.define(:thread, :at_ns, :held_ns, :frames)
  Arrow = Data.define(:track, :name, :at_ns)

  # @param bytes [String] a message
  # @return [Hash{Integer => Array<Integer, String>}] by number of the field
  def self.fields(bytes)
    io = StringIO.new(bytes)
    found = Hash.new { |hash, field| hash[field] = [] }
    until io.eof?
      key = varint(io)
      found[key >> 3] << value(io, key & 7)
    end
    found
  end

  def self.varint(io)
    (0..).step(7).inject(0) { |sum, shift|
      io.readbyte.then { |byte| (byte < 128) ? (return sum | byte << shift) : sum | (byte & 127) << shift }
    }
  end

  def self.value(io, type)
    case type
    when 0 then varint(io)
    when 1 then io.read(8).unpack1("Q<")
    when 2 then io.read(varint(io))
    else raise "wire type #{type}"
    end
  end
  private_class_method :varint, :value

  attr_reader :slices, :arrows

  # @param bytes [String] the file
  def initialize(bytes)
    @packets = PerfettoTrace.fields(bytes)[1].map { |packet| PerfettoTrace.fields(packet) }
    @tables = PerfettoTrace.fields(@packets.first[12].first)
    @slices = []
    @arrows = []
    @open = Hash.new { |hash, track| hash[track] = [] }
    events.each { |event| apply(*event) }
    raise "a slice stays open" if @open.each_value.any?(&:any?)
  end

  # @return [Array<String>] in their order
  def tracks
    descriptors.keys.map { |number| path(number) }
  end

  # @return [Array<Sample>]
  def samples
    @packets.flat_map { |packet|
      packet[135].map { |sample| sample(packet[8].first, PerfettoTrace.fields(sample)) }
    }
  end

  private

  # As a viewer does: in order of time, those of one moment as they stand in the file.
  def events
    @packets.flat_map { |packet|
      packet[11].map { |event|
        [packet[8].first,
          PerfettoTrace.fields(event)]
      }
    }.sort_by.with_index { |(at, _), index|
      [at, index]
    }
  end

  def apply(at_ns, event)
    track = event[11].first
    case event[9].first
    when 1 then @open[track] << TrackSlice.new(path(track), text(2, event[10].first), text(1, event[3].first),
      at_ns, nil, args(event))
    when 2 then @slices << @open[track].pop.with(to_ns: at_ns)
    when 3 then @arrows << Arrow.new(path(track), text(2, event[10].first), at_ns)
    end
  end

  def args(event)
    event[4].to_h do |bytes|
      found = PerfettoTrace.fields(bytes)
      [text(3, found[1].first), found[4].first || text(29, found[17].first)]
    end
  end

  def sample(at_ns, sample)
    frames = table(7).fetch(sample[6].first)[2].map { |number| frame(table(6).fetch(number)) }
    TraceSample.new(thread: PerfettoTrace.fields(sample[1].first)[3].first, at_ns:, held_ns: sample[11].first,
      frames: frames.reverse)
  end

  def frame(found)
    [text(5, found[2].first), found[5].first && text(18, found[5].first), found[6].first]
  end

  def table(field)
    (@read ||= {})[field] ||= @tables[field].map { |entry| PerfettoTrace.fields(entry) }.to_h { |entry|
      [entry[1].first, entry]
    }
  end

  def text(field, number)
    table(field).fetch(number)[2].first.dup.force_encoding("UTF-8")
  end

  def descriptors
    @descriptors ||= begin
      blobs = @packets.flat_map { |packet| packet[60] }
      found = blobs.map { |bytes| PerfettoTrace.fields(bytes) }
      found.to_h { |fields| [fields[1].first, fields] }
    end
  end

  def path(number)
    found = descriptors.fetch(number)
    kind = found[4].any? ? 5 : 6
    name = found[2].first || PerfettoTrace.fields(found[4].first || found[3].first)[kind].first
    [*(if found[5].any? && descriptors.fetch(found[5].first)[5].any?
         path(found[5].first)
       end), name.dup.force_encoding("UTF-8")].join(": ")
  end
end
