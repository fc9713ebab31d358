# frozen_string_literal: true

# Reads a capture in a process that has made it, and sets its sums beside the probe's. Scripts of `fresh_ruby`
# load it too.
module Captured
  module_function

  # @return [Holdup::Capture::EventLog]
  def read(path)
    Holdup::Capture::EventLog.parse(File.binread(path), path:)
  end

  # @return [Hash{Symbol => Integer}] ticks, by the names of Holdup::Capture::Layout::SUMS
  def sums(replay)
    lanes = %i[running stalled io lock sleep caused].to_h { |name|
      [name, replay.lanes.sum { |lane| lane.sums[name] }]
    }
    {**lanes, gc: replay.collections.sum { |_, from, to| to - from },
              handoff: replay.ledgers.values.sum(&:handoff)}
  end

  # Threads that others left behind, a timeout's for one, may be idle when the capture begins. Once such a
  # time has ended the probe has all of it, and the capture what fell into the window.
  # @return [Array<Symbol>] kinds of idle time that were cut so
  def cut(replay)
    replay.lanes.filter_map { |lane|
      lane.spans.first.kind if lane.spans.size > 1 && lane.spans.first.state == :idle
    }
  end

  def agrees?(captured, probe, cut:)
    cut ? captured <= probe : captured == probe
  end

  # @return [String] "" where the capture agrees with the probe to the tick and every lane fills the window
  def disagreement(path)
    recording = read(path)
    replay = Holdup::Captures::Timeline::EventReplay.new(recording).call
    wrong = recording.header.sums.filter_map { |name, ticks|
      unless agrees?(sums(replay)[name], ticks, cut: cut(replay).include?(name))
        "#{name}: #{sums(replay)[name]} and not #{ticks}"
      end
    }
    unless replay.lanes.all? { |lane| lane.spans.sum(&:length) == recording.length_ticks }
      wrong << "a lane does not fill the window"
    end
    wrong << "no events" if recording.events.size < 10
    wrong.join("; ")
  end
end
