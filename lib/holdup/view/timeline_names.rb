# frozen_string_literal: true

module Holdup
  module View
    # How units, threads and moments of a capture are called.
    class TimelineNames
      # @param scene [Analysis::Timeline::Scene]
      # @param words [Words]
      def initialize(scene, words)
        @scene = scene
        @words = words
      end

      # @param name [String, nil] of a unit or thread
      # @return [String]
      def text(name)
        (name.nil? || name.empty?) ? @words.call(:timeline_unnamed) : Width.clean(name)
      end

      # @return [String] of a thread
      def thread(lane)
        @words.call(:timeline_thread,
          name: (lane.name.nil? || lane.name.empty?) ? lane.number : Width.clean(lane.name))
      end

      # @param row [Analysis::Timeline::HolderTable::HolderRow]
      # @return [String]
      def holder(row)
        return @words.call(:timeline_thread, name: text(row.thread)) if row.thread
        row.name ? text(row.name) : @words.call(:timeline_unfinished)
      end

      # @param unit [Analysis::Timeline::TimelineUnit]
      # @return [String] names are known when units end
      def unit(unit)
        (unit.name || unit.to) ? text(unit.name) : @words.call(:timeline_unfinished)
      end

      # @param part [Analysis::Timeline::GvlWait::WaitPart]
      # @return [String] the unit that held, else the thread
      def part(part)
        part.unit ? unit(part.unit) : thread(part.lane)
      end

      # @param row [Analysis::Timeline::StackShares::MethodTable::MethodRow]
      # @return [String] and where it begins
      def method_of(row)
        frame(Capture::Frame.new(label: row.method, path: row.path, line: row.line, at: 0))
      end

      # @param frame [Capture::Frame]
      # @return [String] the method, and the line at which it was
      def frame(frame)
        frame.place ? @words.call(:timeline_frame, method: text(frame.method_name),
          place: Width.clean(frame.place)) : text(frame.method_name)
      end

      # @param unit [Analysis::Timeline::TimelineUnit]
      # @return [String] for whom it waited longest, perhaps nobody, and the share of its waiting
      def main(unit)
        waits = @scene.spans_of(unit).select { |span| span.state == :stalled }.map { |span|
          @scene.wait(unit.lane, span)
        }
        return Figures::NONE if waits.empty?
        parts = waits.flat_map(&:parts).group_by { |part| part(part) }
        sums = parts.transform_values { |own| own.sum(&:ticks) }
        sums[@words.call(:timeline_handoff)] = waits.sum(&:handoff)
        holder, ticks = sums.max_by(&:last)
        share = Figures.share(ticks.fdiv(waits.sum { |wait| wait.span.length }))
        "#{holder} (#{share})"
      end

      # @param ticks [Integer] a duration
      # @return [String]
      def time(ticks) = Figures.duration(@scene.ns(ticks))

      # @param ticks [Integer] since the window's begin
      # @return [String] the time of day, UTC
      def clock(ticks)
        ns = @scene.recording.realtime_ns(ticks)
        Time.at(ns / 1_000_000_000, ns % 1_000_000_000, :nsec).utc.strftime("%F %T.%L UTC")
      end
    end
  end
end
