# frozen_string_literal: true

require "json"

# Reads what the viewer of captures is given, as assets/src/timeline/data.js does it.
module CaptureColumns
  SHOWN = {"preempted" => :stalled, "io" => :idle, "lock" => :idle, "sleep" => :idle}.freeze
  LANE = [["E", 8], ["L<", 4], ["C", 1]].freeze
  HOLDERS = [["E", 8], ["E", 8], ["L<", 4], ["L<", 4], ["L<", 4]].freeze

  # @return [Hash{Symbol => Array}] `lanes`: each of [from, to, state, unit]; `holders`: [from, to, lane,
  #   unit, method]; `methods`, `names`
  def columns(bytes)
    version, length = bytes.unpack("L<2")
    raise "version #{version}" unless version == 1
    head = JSON.parse(bytes.byteslice(8, length))
    reading = ColumnReader.new(bytes, 8 + length)
    lanes = head["lanes"].map { |lane| spans(head, *reading.columns(LANE, lane["count"])) }
    holders = head["gvls"].flat_map { |gvl| reading.columns(HOLDERS, gvl["count"]).transpose }
    raise "#{bytes.bytesize} bytes" unless reading.ended?
    {lanes:, holders:, methods: head["methods"], names: head["lanes"].map { |lane| lane["name"] }}
  end

  # Each begins at a multiple of 8.
  class ColumnReader
    def initialize(bytes, at)
      @bytes = bytes
      @at = at
    end

    def columns(formats, count)
      formats.map do |format, size|
        @at += -@at % 8
        @bytes.unpack("#{format}#{count}", offset: @at).tap { @at += size * count }
      end
    end

    def ended? = @bytes.bytesize == @at + -@at % 8
  end

  private

  def spans(head, from, units, states)
    ends = [*from.drop(1), head["length_ns"]]
    from.zip(ends, states, units).map { |begun, ended, state, unit|
      [begun.to_i, ended.to_i, head["states"][state].then { |name| SHOWN.fetch(name, name.to_sym) }, unit]
    }
  end
end
