# frozen_string_literal: true

# Does to the bytes of a file what disks, copies and bugs do to them. The same Random, the same damage.
class Damage
  NUMBERS = [0, 1, 2, 255, 4096, 1 << 16, (1 << 31) - 1, 1 << 31, (1 << 32) - 1, 1 << 32, 1 << 40, 1 << 53,
    (1 << 63) - 1, 1 << 63, (1 << 64) - 1].freeze
  WAYS = %i[cut flip field event zeros].freeze

  # @param bytes [String]
  # @param head [Integer] bytes of the header that have a meaning
  # @param events [Range<Integer>] bytes of the file where events lie, 32 bytes each
  def initialize(bytes, head:, events:)
    @bytes = bytes.b
    @head = head
    @events = events
  end

  # @param random [Random]
  # @return [String]
  def call(random)
    @random = random
    @damaged = @bytes.dup
    random.rand(1..4).times { send(WAYS.sample(random:)) }
    @damaged
  end

  private

  # Now and then.
  def cut
    @damaged.slice!(@random.rand(@damaged.bytesize + 1)..) if @random.rand(5).zero?
  end

  def flip
    at = [@random.rand(@head), @random.rand(@bytes.bytesize), @random.rand(@events)].sample(random: @random)
    put(at, [(@damaged.getbyte(at) || 0) ^ (1 << @random.rand(8))].pack("C"))
  end

  def field
    put(@random.rand(@head) & ~7, [NUMBERS.sample(random: @random)].pack("Q<"))
  end

  # A field of one: thread, time, detail, unit, waiters, kind, flags.
  def event
    at, bytes = [[4, 4], [8, 8], [16, 8], [24, 4], [28, 2], [30, 1], [31, 1]].sample(random: @random)
    put((@random.rand(@events) & ~31) + at, [NUMBERS.sample(random: @random)].pack("Q<").byteslice(0, bytes))
  end

  def zeros
    put(@random.rand(@bytes.bytesize), "\0" * @random.rand(1..300))
  end

  def put(at, bytes)
    room = @damaged.bytesize - at
    @damaged.bytesplice(at, [bytes.bytesize, room].min, bytes.byteslice(0, room)) if room.positive?
  end
end
