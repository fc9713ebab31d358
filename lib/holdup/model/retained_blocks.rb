# frozen_string_literal: true

module Holdup
  # Watches of requests and jobs, in 6 to 12 blocks of as many watches each, in the order of time. What
  # retains memory in all blocks is a leak; what does so in the first ones is a cache that fills.
  class RetainedBlocks
    MOST = 12
    # Names in a process's profile.
    REPORTED_NAMES = 6
    # Numbers in texts.
    BASE = 36

    # Of one name in one block: how many were watched, how many of these retain objects, and their bytes.
    RetainedTally = Data.define(:watched, :retaining, :bytes) do
      def +(other)
        RetainedTally.new(watched: watched + other.watched, retaining: retaining + other.retaining,
          bytes: bytes + other.bytes)
      end
    end
    NOTHING = RetainedTally.new(watched: 0, retaining: 0, bytes: 0)

    # The last watch that was added or could have been.
    attr_accessor :last_number

    def initialize
      @shift = 0
      @last_number = 0
      @tallies = Hash.new(NOTHING)
    end

    def initialize_copy(other)
      super
      @tallies = @tallies.dup
    end

    # @param number [Integer] of the watch
    def add(number, name)
      tally(number, name, RetainedTally.new(watched: 1, retaining: 0, bytes: 0))
    end

    # A watch that was added retains so much.
    def retain(number, name, bytes)
      tally(number, name, RetainedTally.new(watched: 0, retaining: 1, bytes:))
    end

    def watched = @tallies.each_value.sum(&:watched)

    def names = @tallies.keys.map(&:last).uniq

    # @return [Array<String>] those that retain most, at most so many
    def largest(most)
      bytes = Hash.new(0)
      @tallies.each { |(_, name), tally| bytes[name] += tally.bytes }
      bytes.select { |_, sum| sum.positive? }.max_by(most) { |_, sum| sum }.map(&:first)
    end

    # @return [Array(String, String)] "watched.retaining" and bytes of each block, in the order of time
    def texts(name)
      blocks = ((1 >> @shift)..(@last_number >> @shift)).map { |block| @tallies[[block, name]] }
      units = blocks.map { |tally| "#{tally.watched.to_s(BASE)}.#{tally.retaining.to_s(BASE)}" }
      [units.join(","), blocks.map { |tally| tally.bytes.to_s(BASE) }.join(",")]
    end

    # @param units [String] as above
    # @param bytes [String] likewise
    # @return [Array<RetainedTally>]
    # @raise [ArgumentError] where it is no such text
    def self.parse(units, bytes)
      units.split(",").zip(bytes.split(",")).map do |counts, sum|
        watched, retaining = counts.split(".")
        RetainedTally.new(watched: Integer(watched, BASE), retaining: Integer(retaining, BASE),
          bytes: Integer(sum, BASE))
      end
    end

    private

    def tally(number, name, more)
      halve while (number >> @shift) >= MOST
      place = [number >> @shift, name]
      @tallies[place] += more
    end

    def halve
      @shift += 1
      halved = Hash.new(NOTHING)
      @tallies.each { |(block, name), tally| halved[[block >> 1, name]] += tally }
      @tallies = halved
    end
  end
end
