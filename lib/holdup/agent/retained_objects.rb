# frozen_string_literal: true

require_relative "../model/retained_blocks"

module Holdup
  # What requests and jobs leave in this process's memory. The probe watches some of them, and puts the
  # objects that they allocate into an ObjectSpace::WeakMap, which keeps nothing alive. Objects that are still
  # there after collections that free young objects are retained. They are looked at until they are gone.
  class RetainedObjects
    # An object becomes old in its third collection. Each collection frees those that are young.
    COLLECTIONS = 4
    # Objects that are looked at. Of more, those of the older half of the watches are taken as retained.
    MOST_OBJECTS = 8192
    # Objects that no collection has met so far. With more, nothing is watched until the next ones.
    MOST_UNCOLLECTED = 32_768
    # Names that are told apart.
    MOST_NAMES = 500
    OTHERS = "(others)"

    # A watch as the probe reports it: one of `stride` objects is in the map.
    ObjectWatch = Data.define(:number, :name, :stride)
    private_constant :ObjectWatch

    # A map of watches up to `last_number`, which have ended before so many collections had begun.
    FilledMap = Data.define(:map, :last_number, :collections)
    private_constant :FilledMap

    # @return [Hash{String => Object}] for the segment's profile: see docs/internals/segment.md
    attr_reader :profile

    # @param probe [#watch_objects, #watched_units, #object_bytes]
    # @param collections [#call] how many have begun in this process
    # @param majors [#call] how many of them look at all objects
    # @param most_objects [Integer] see MOST_OBJECTS
    def initialize(probe:, collections: -> { GC.count }, majors: -> { GC.stat(:major_gc_count) },
      most_objects: MOST_OBJECTS)
      @probe = probe
      @collections = collections
      @majors = majors
      @most_objects = most_objects
      @profile = {}.freeze
    end

    def start
      @filling = ObjectSpace::WeakMap.new
      @retained = ObjectSpace::WeakMap.new
      @full = nil
      @watches = {}
      @names = {}
      @blocks = RetainedBlocks.new
      @last_number = 0
      @first_major = @seen_major = @majors.call
      @on = @probe.watch_objects(@filling)
    end

    def stop
      @probe.watch_objects(nil) if @on
      @on = false
    end

    def tick
      return unless @on
      take_watches
      settled = @full && @collections.call >= @full.collections + COLLECTIONS
      settle if settled
      fill_next unless @full
      @probe.watch_objects((@filling.size < MOST_UNCOLLECTED) ? @filling : nil)
      major = @majors.call
      report if settled || major != @seen_major
      @seen_major = major
    end

    private

    def take_watches
      @probe.watched_units.each do |number, name, stride|
        @watches[number] = ObjectWatch.new(number:, name: known(name), stride:)
        @last_number = number
      end
    end

    def known(name)
      return OTHERS if @names.size >= MOST_NAMES && !@names.key?(name)
      @names[name] ||= name.to_s
    end

    def fill_next
      return if @last_number <= @blocks.last_number
      @full = FilledMap.new(map: @filling, last_number: @last_number, collections: @collections.call)
      @filling = ObjectSpace::WeakMap.new
    end

    # What is left in the map is retained.
    def settle
      @full.map.each { |object, number| @retained[object] = number }
      numbers = (@blocks.last_number + 1)..@full.last_number
      @watches.each_value { |watch| @blocks.add(watch.number, watch.name) if numbers.cover?(watch.number) }
      @blocks.last_number = @full.last_number
      @full = nil
    end

    def report
      bytes = retained_bytes
      @watches.select! { |number, _| number > @blocks.last_number || bytes.key?(number) }
      bytes = forget_older(bytes) while @retained.size > @most_objects
      now = @blocks.dup
      bytes.each { |number, own| now.retain(number, @watches[number].name, own) }
      @profile = facts(now)
    end

    # @return [Hash{Integer => Integer}] by the number of the watch
    def retained_bytes
      bytes = Hash.new(0)
      @retained.each do |object, number|
        watch = @watches[number]
        bytes[number] += @probe.object_bytes(object) * watch.stride if watch
      end
      bytes
    end

    # @return [Hash{Integer => Integer}] of the others
    def forget_older(bytes)
      older, newer = bytes.sort.each_slice(bytes.size.ceildiv(2)).to_a
      last = older.last.first
      older.each { |number, own| @blocks.retain(number, @watches[number].name, own) }
      objects = []
      @retained.each { |object, number| objects << object if number <= last }
      objects.each { |object| @retained.delete(object) }
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
