# frozen_string_literal: true

require "holdup/loader"

module Bench
  # How busy the whole machine is.
  module Cores
    STAT = "/proc/stat"
    # Columns of its first line: user, nice, system; then idle and waiting for disks; then interrupts, and
    # what neighbours took.
    IDLE = [3, 4].freeze
    COLUMNS = 8

    # @return [Float] CPU seconds since it was started, all CPUs together
    def self.busy_s
      ticks = File.read(STAT)[/^cpu +(.*)/, 1].split.first(COLUMNS).map(&:to_i)
      ticks.each_with_index.sum { |count, column|
        IDLE.include?(column) ? 0 : count
      }.fdiv(Holdup::Lab::Child::ProcessTree::TICKS)
    end
  end
end
