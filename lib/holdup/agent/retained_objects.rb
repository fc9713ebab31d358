# frozen_string_literal: true

require_relative "../model/memory_peaks"
require_relative "../model/retained_blocks"

module Holdup
  # What requests and jobs take of this process's memory at once, and what they leave there. The probe watches
  # some of them, and follows the objects that they allocate until a collection frees them, without keeping
  # them alive. Objects that are still there after collections that free young objects are retained.
  class RetainedObjects
    # An object becomes old in its third collection. Each collection frees those that are young.
    COLLECTIONS = 4
    # Objects that are followed. Of more, those of the older half of the watches are taken as retained.
    MOST_OBJECTS = 8192
    # Names that are told apart.
    MOST_NAMES = 500
    OTHERS = "(others)"

    # A watch as the probe reports it: one of `stride` objects is followed. When it ended, so many collections
    # had begun.
    ObjectWatch = Data.define(:number, :name, :stride, :collections)
    private_constant :ObjectWatch

    # @param probe [#watch_objects, #watched_units, #retained_objects, #forget_objects]
    # @param collections [#call] how many have begun in this process
    # @param majors [#call] how many of them look at all objects
    # @param most_objects [Integer] see MOST_OBJECTS
    def initialize(probe:, collections: -> { GC.count }, majors: -> { GC.stat(:major_gc_count) },
      most_objects: MOST_OBJECTS)
      @probe = probe
      @collections = collections
      @majors = majors
      @most_objects = most_objects
      @retained = @peak_facts = {}.freeze
    end

    # @return [Hash{String => Object}] for the segment's profile: see docs/internals/segment.md
    def profile = {**@retained, **@peak_facts}

    def start
      @watches = {}
      @names = {}
      @blocks = RetainedBlocks.new
      @peaks = MemoryPeaks.new
      @first_major = @seen_major = @majors.call
      @on = @probe.watch_objects(true)
    end

    def stop
      @probe.watch_objects(false) if @on
      @on = false
    end

    def tick
      return unless @on
      take_watches
      settled = settle
      major = @majors.call
      report if settled || major != @seen_major
      @seen_major = major
    end

    private

    def take_watches
      watched = @probe.watched_units
      watched.each do |number, name, stride, _, collections, peak_bytes, live_bytes|
        name = known(name)
        @watches[number] = ObjectWatch.new(number:, name:, stride:, collections:)
        @peaks.add(name, peak_bytes, live_bytes)
      end
      @peak_facts = @peaks.facts.freeze unless watched.empty?
    end

    def known(name)
      return OTHERS if @names.size >= MOST_NAMES && !@names.key?(name)
      @names[name] ||= name.to_s
    end

    # What is left of watches that ended long enough ago is retained.
    # @return [Boolean] whether there are any
    def settle
      before = @collections.call - COLLECTIONS
      settled = @watches.each_value.select do |watch|
        watch.number > @blocks.last_number && watch.collections <= before
      end
      settled.each { |watch| @blocks.add(watch.number, watch.name) }
      @blocks.last_number = settled.last.number unless settled.empty?
      settled.any?
    end

    def report
      found = @probe.retained_objects(@blocks.last_number)
      found = forget_older(found) while found.sum { |_, (objects, _)| objects } > @most_objects
      @watches.select! { |number, _| number > @blocks.last_number || found.key?(number) }
      now = @blocks.dup
      found.each { |number, (_, *bytes)| retain(now, number, *bytes) }
      @retained = facts(now)
    end

    # @param bytes [Integer] of objects that stand for `stride` each
    # @param large_bytes [Integer] of those that stand for themselves
    def retain(blocks, number, bytes, large_bytes)
      watch = @watches[number]
      blocks.retain(number, watch.name, bytes * watch.stride + large_bytes) if watch
    end

    # @return [Hash{Integer => Array(Integer, Integer, Integer)}] of the others
    def forget_older(found)
      older, newer = found.each_slice(found.size.ceildiv(2)).to_a
      older.each { |number, (_, *bytes)| retain(@blocks, number, *bytes) }
      @probe.forget_objects(older.last.first)
      newer.to_h
    end

    def facts(blocks)
      facts = {"retained.watched" => blocks.watched, "retained.names" => blocks.names.size,
               "retained.majors" => @majors.call - @first_major}
      blocks.largest(RetainedBlocks::REPORTED_NAMES).each_with_index do |name, index|
        prefix = "retained.#{index}"
        facts["#{prefix}.name"] = name
        facts["#{prefix}.units"], facts["#{prefix}.bytes"] = blocks.texts(name)
      end
      facts.freeze
    end
  end
end
