# frozen_string_literal: true

require_relative "../errors"
require_relative "rows"

module Holdup
  # The profiles of a block as a store keeps them, and back: a version, then Rows, deflated. 22 bytes a unit.
  module SampleBlock::Codec
    VERSION = 2
    # What is read: the columns of each version.
    COLUMNS = {1 => 12, 2 => SampleBlock::Rows::COLUMNS}.freeze

    module_function

    # @param block [SampleBlock]
    # @return [String] binary
    def dump(block)
      packed(SampleBlock::Rows.new(block.start_s).add(block.profiles))
    end

    # @param bytes [String, nil] of that block as stored; nil when it is new
    # @param block [SampleBlock] what is to be added
    # @return [String] binary
    # @raise [DamagedData]
    def merge(bytes, block, most: SampleBlock::MOST)
      rows = bytes ? unpacked(bytes, block.start_s) : SampleBlock::Rows.new(block.start_s)
      packed(rows.add(block.profiles).draw(most))
    end

    # @param bytes [String]
    # @param block [SampleBlock] which ones they are: setting, host and start
    # @return [SampleBlock] with its profiles
    # @raise [DamagedData]
    def load(bytes, block)
      checked { block.with(profiles: unpacked(bytes, block.start_s).profiles(block).freeze) }
    end

    def packed(rows)
      [VERSION].pack("C") << Zlib.deflate(rows.dump, Zlib::BEST_SPEED)
    end

    def unpacked(bytes, start_s)
      columns = COLUMNS[bytes.getbyte(0)] || raise(DamagedData.new(
        "unit profiles have version #{bytes.getbyte(0).inspect}", "this Holdup reads #{COLUMNS.keys.join(" and ")}"
      ))
      checked { SampleBlock::Rows.load(inflate(bytes.byteslice(1..)), start_s, columns:) }
    end

    def checked
      yield
    rescue Zlib::Error, JSON::ParserError, ArgumentError, IndexError, NoMethodError, TypeError
      raise DamagedData.new("stored unit profiles are damaged")
    end

    # Zlib.inflate warns about what is cut short, and raises too.
    def inflate(bytes)
      stream = Zlib::Inflate.new
      stream.inflate(bytes).tap { stream.finish }
    ensure
      stream.reset
      stream.close
    end
  end
end
