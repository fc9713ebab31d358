# frozen_string_literal: true

require "json"

module Bench
  # What planted work knows of its own waits (planted_waits.rb, planted_locks.rb), in ns by who waited and who
  # held, or who ended the wait.
  class PlantedTruth
    # @param lines [Array<String>] JSON
    def initialize(lines)
      @notes = lines.map { |line| JSON.parse(line, symbolize_names: true) }
    end

    # @return [Integer] units
    def size = @notes.size

    # @return [Hash{Array(String, String) => Integer}] waits for the GVL
    def pairs
      @notes.select { |note| note[:waits] }.group_by { |note| note[:pid] }
        .each_value.with_object(Hash.new(0)) { |same, sums| add_waits(sums, same) }
    end

    # A wait is split among those that had connections of the pool meanwhile, in proportion. A connection goes
    # back at some time between the two that its unit knows.
    # @param ends [Integer] which of them counts: 2 or 3
    # @return [Hash{Array(String, String) => Numeric}] waits for connections
    def pool_pairs(ends)
      sums = Hash.new(0)
      leases = @notes.select { |note| note[:lease] }
      leases.group_by { |note| note.values_at(:pid, :pool) }.each_value do |same|
        waits = same.map { |note| [note[:name], *note[:lease].first(2)] }
        holds = same.map { |note| [note[:name], *note[:lease].values_at(1, ends)] }
        waits.each { |name, from, to| split(sums, name, from, to, within(holds, from, to)) }
      end
      sums
    end

    # @return [Integer] waits for locks
    def lock_waits = @notes.count { |note| note[:lock] }

    # @return [Hash{Array(String, String) => Integer}] waits for locks
    def lock_pairs
      @notes.select { |note| note[:lock] }.each_with_object(Hash.new(0)) do |note, sums|
        ender, ns = note[:lock]
        sums[[note[:name], ender]] += ns
      end
    end

    # @return [Array(Integer, Integer)] ns that transactions were open, at least and at most
    def open_ns = @notes.filter_map { |note| note[:open] }.transpose.map(&:sum)

    private

    # @param notes [Array<Hash>] of one process, whose holds come one after the other
    def add_waits(sums, notes)
      holds = notes.flat_map { |note| note[:holds].map { |from, to| [note[:name], from, to] } }
      holds = holds.sort_by { |_, from, _| from }
      notes.each do |note|
        note[:waits].each do |from, to|
          first = holds.bsearch_index { |_, _, ends| ends > from } || holds.size
          near = holds[first..].take_while { |_, begins, _| begins < to }
          within(near, from, to).each { |holder, ns| sums[[note[:name], holder]] += ns }
        end
      end
    end

    # @return [Array<Array(String, Integer)>] each hold's part of the span
    def within(holds, from, to)
      holds.filter_map do |name, begins, ends|
        ns = [ends, to].min - [begins, from].max
        [name, ns] if ns.positive?
      end
    end

    def split(sums, name, from, to, parts)
      all = parts.sum(&:last)
      parts.each { |holder, ns| sums[[name, holder]] += ns.fdiv(all) * (to - from) }
    end
  end
end
