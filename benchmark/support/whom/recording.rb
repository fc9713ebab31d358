# frozen_string_literal: true

require "holdup/loader"
require "holdup/capture/archive"
require "holdup/segment/directory"
require "json"
require_relative "truth"

module Bench
  # What Holdup has recorded of planted work: in its segments, in captures of the same time, and what the work
  # itself knows. Times are in ns, by who waited and who held, or who ended a wait for a lock.
  class WhomRecording
    # What a name is of the planted work: "GET /report" and ReportWork are "report".
    PLANTED = /\A(?:GET \/)?([a-z]+?)(?:work)?\z/i

    # @return [Float] for how long it worked
    attr_reader :seconds

    # @return [PlantedTruth]
    attr_reader :truth

    # @return [Hash{Array(String, String) => Integer}] from the segments, and from captures
    attr_reader :pairs, :pool_pairs, :lock_pairs, :captured

    # Reads all: the folders go away.
    def initialize(segments:, notes:, captures:, seconds:)
      @seconds = seconds
      @truth = PlantedTruth.new(Dir["#{notes}/*"].flat_map { |file| File.readlines(file) })
      @slots = []
      @acquisitions = 0
      @pairs = Hash.new(0)
      @pool_pairs = Hash.new(0)
      @lock_pairs = Hash.new(0)
      Holdup::Segment::Directory.new(segments).entries.each { |entry| entry.read { |reader| add(reader) } }
      @captured = captured_pairs(Dir["#{captures}/*.holdup-capture"])
    end

    # @return [Hash{String => Integer}] ns that units and threads stalled, by name
    def stalled
      @slots.each_with_object(Hash.new(0)) do |slot, sums|
        sums[planted(slot.series.name)] += slot.histogram(:stalled).sum if victim?(slot)
      end
    end

    # @return [Integer] ns that requests and jobs waited for locks; what nested ones waited is in it again for
    #   each of those around them, and for all nested ones, as in the pairs
    def lock_ns
      @slots.select { |slot| [*Holdup::Series::UNITS, :nested].include?(slot.series.kind) }
        .sum { |slot| slot.named_sums[:lock_ns] }
    end

    # @return [Integer] how often threads took the GVL
    attr_reader :acquisitions

    # @return [Integer] ns that transactions were open
    def open_ns
      @slots.select { |slot| slot.series.kind == :transaction && planted(slot.series.name) == "checkout" }
        .sum { |slot| slot.histogram(:wall).sum }
    end

    private

    def add(reader)
      slots, rows, acquisitions = reader.of_one_tick do
        places = Array.new(reader.header.series_count) { |index| reader.slot(index) }
        [places, reader.pairs, reader.header.counters[:acquisitions]]
      end
      @slots.concat(slots.compact)
      @acquisitions += acquisitions
      rows.each do |row|
        series = Holdup::Collector::PairDelta.of(row, 0, slots)&.series or next
        sums = {pair: @pairs, pool_pair: @pool_pairs, lock_pair: @lock_pairs}.fetch(series.kind)
        sums[[planted(series.name), planted(series.queue)]] += row.last
      end
    end

    def victim?(slot) = [*Holdup::Series::UNITS, :account, :nested].include?(slot.series.kind)

    def planted(name) = name[PLANTED, 1]&.downcase || name

    def captured_pairs(files)
      files.each_with_object(Hash.new(0)) do |file, sums|
        scene = Holdup::Captures::Timeline::Scene.new(Holdup::Capture::Archive.read(file))
        scene.waits.each do |wait|
          victim = scene.unit_of(wait.span)&.name or next
          wait.parts.each do |part|
            holder = part.unit&.name
            sums[[planted(victim), planted(holder)]] += scene.ns(part.ticks) if holder
          end
        end
      end
    end
  end
end
