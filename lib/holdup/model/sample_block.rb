# frozen_string_literal: true

require_relative "unit_sample"

module Holdup
  # The sample of one setting, host and ten minutes: at most MOST units, each of that time as likely as the
  # other. Blocks of the same ten minutes merge, in any order, to the sample of all.
  #
  # - `start_s`: a multiple of SECONDS; a unit belongs to the block in which it started
  # - `seen`: from how many units it was drawn; `profiles`: Array of UnitSample
  SampleBlock = Data.define(:setting, :host, :start_s, :seen, :profiles) do
    def self.start_of(start_ns)
      start_ns / (self::SECONDS * 1_000_000_000) * self::SECONDS
    end

    # @param profiles [Array<UnitSample>] all units of a span, none left out
    def self.of(profiles)
      by_block = profiles.group_by do |profile|
        [profile.setting, profile.host, start_of(profile.start_ns)]
      end
      by_block.map do |(setting, host, start_s), members|
        new(setting:, host:, start_s:, seen: members.size, profiles: members)
      end
    end

    # @return [Array] blocks of the same key are one
    def key = [start_s, setting, host]

    # @param other [SampleBlock] of the same key
    def merge(other, most: self.class::MOST)
      with(seen: seen + other.seen, profiles: lowest(profiles + other.profiles).first(most))
    end

    # @return [Array<UnitSample>] in the order of their starts, each with the weight that it has in this block
    def weighted
      weight = seen.fdiv([profiles.size, 1].max)
      profiles.map { |profile| profile.with(weight:) }.sort_by(&:start_ns)
    end

    private

    # The same unit twice has the same priority twice; another unit hardly ever does.
    def lowest(profiles)
      by_priority = profiles.map { |profile| [SampleBlock::DrawPriority.of(profile.start_ns), profile] }
      by_priority.sort_by!(&:first)
      by_priority.chunk_while { |one, other| one == other }.map { |same| same.first.last }
    end
  end

  SampleBlock::SECONDS = 600
  # 5,400 an hour, which is enough for a replay; 22 bytes each.
  SampleBlock::MOST = 900

  # Which units are drawn when there are too many: those with the lowest priority numbers. The number depends
  # only on when the unit started, so every draw from any part of the units, in any order and however often,
  # takes the same ones. That makes samples mergeable (the lowest of two samples' lowest are the lowest of
  # all) and a repeated unit harmless.
  module SampleBlock::DrawPriority
    BITS = 32
    HIGHEST = (1 << BITS) - 1
    LOW = (1 << 30) - 1

    module_function

    # Mixed in small integers only: it is computed for every unit that a host serves.
    # @param seed [Integer] another one draws others
    # @return [Integer] 0..HIGHEST, each as likely
    def of(start_ns, seed = 0)
      time = start_ns / 1000 ^ seed
      mixed = (time & LOW) * 0x2c1b3c6d + (time >> 30) * 0x297a2d39
      mixed = (mixed & LOW ^ mixed >> 29) * 0x5bd1e995
      mixed = (mixed >> 31 ^ mixed & LOW) * 0x1b873593
      (mixed ^ mixed >> 28) >> 12 & HIGHEST
    end
  end
end
