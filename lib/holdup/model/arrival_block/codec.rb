# frozen_string_literal: true

require_relative "../arrival_block"
require_relative "../errors"

module Holdup
  # Encodes the counts of a block for a store: a version, then of each pool its kind, its name and counts,
  # each with its length before it. Counts have at most MOST_BYTES: the smallest of the minute, and by how
  # much each second has more, in as many bits as the largest needs. Where that is more than BITS, the last
  # bits are rounded off, a thousandth of the largest.
  module ArrivalBlock::Codec
    VERSION = 1
    MOST_BYTES = 100
    BITS = 10
    # Numbers before the bits: squares, stamped, missed, the smallest count, bits rounded off, bits kept.
    HEADS = 6
    # Room for the heads: above these a number is cut.
    LARGEST = {squares: (1 << 49) - 1, stamped: (1 << 28) - 1, missed: (1 << 28) - 1}.freeze
    private_constant :HEADS, :LARGEST

    module_function

    # @return [String] binary
    def dump(block)
      parts = block.counts.map do |unit_pool, counts|
        name = unit_pool.pool.to_s.b
        packed = pack(counts)
        kind = ArrivalBlock::KINDS.index(unit_pool.kind)
        [kind, name.bytesize].pack("Cw") << name << [packed.bytesize].pack("w") << packed
      end
      [VERSION].pack("C") << parts.join
    end

    # @param bytes [String, nil] the stored block; nil when it is new
    # @param block [ArrivalBlock] units to add
    # @return [ArrivalBlock]
    # @raise [DamagedData]
    def merge(bytes, block)
      bytes ? load(bytes, block).merge(block) : block
    end

    # @param block [ArrivalBlock] names setting, host and start
    # @return [ArrivalBlock]
    # @raise [DamagedData]
    def load(bytes, block)
      version = bytes.getbyte(0)
      unless version == VERSION
        raise DamagedData.new("arrivals have version #{version.inspect}", "this Holdup reads #{VERSION}")
      end
      block.with(counts: parts(bytes).freeze)
    rescue ArgumentError, NoMethodError, TypeError
      raise DamagedData.new("stored arrivals are damaged")
    end

    # @return [String] the counts of one pool, binary
    def pack(counts)
      least, most = counts.seconds.minmax
      cut = [(most - least).bit_length - BITS, 0].max
      more = counts.seconds.map { |count| rounded(count - least, cut) }
      width = more.max.bit_length
      heads = LARGEST.map { |name, largest| [counts.public_send(name), largest].min }
      bits = width.zero? ? "" : more.map { |number| number.to_s(2).rjust(width, "0") }.join
      [*heads, least, cut, width].pack("w*") << [bits].pack("B*")
    end

    # @return [ArrivalCounts]
    def unpack(bytes)
      squares, stamped, missed, least, cut, width = bytes.unpack("w#{HEADS}")
      at = [squares, stamped, missed, least, cut, width].pack("w*").bytesize
      seconds = Array.new(ArrivalCounts::SECONDS, least)
      if width.positive?
        bits = bytes.byteslice(at..).unpack1("B#{width * seconds.size}")
        raise ArgumentError, "seconds are missing" if bits.size < width * seconds.size
        seconds = bits.scan(/.{#{width}}/).map { |text| least + (text.to_i(2) << cut) }
      end
      ArrivalCounts.new(seconds: seconds.freeze, squares:, stamped:, missed:)
    end

    # The nearest number without the last bits.
    def rounded(number, cut)
      return number if cut.zero?
      [(number + (1 << (cut - 1))) >> cut, (1 << BITS) - 1].min
    end

    def parts(bytes)
      at = 1
      found = {}
      while at < bytes.bytesize
        kind = ArrivalBlock::KINDS.fetch(bytes.getbyte(at))
        name, at = text(bytes, at + 1)
        packed, at = text(bytes, at)
        pool = name.empty? ? nil : -name.force_encoding(Encoding::UTF_8)
        found[ArrivalBlock::UnitPool.new(kind:, pool:)] = unpack(packed)
      end
      found
    rescue IndexError
      raise ArgumentError, "an unknown kind"
    end

    # @return [Array(String, Integer)] and where the next one begins
    def text(bytes, at)
      length = bytes.unpack1("w", offset: at)
      from = at + [length].pack("w").bytesize
      found = bytes.byteslice(from, length)
      raise ArgumentError, "bytes are missing" unless found && found.bytesize == length
      [found, from + length]
    end
    private_class_method :rounded, :parts, :text
  end
end
