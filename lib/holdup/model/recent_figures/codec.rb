# frozen_string_literal: true

require "json"
require "zlib"
require_relative "../deflated"
require_relative "../errors"
require_relative "../recent_figures"

module Holdup
  # Encodes RecentFigures for a store: a version, then JSON, deflated. Version 1 has no `waited`.
  module RecentFigures::Codec
    VERSIONS = [1, 2].freeze
    VERSION = VERSIONS.last
    HEADS = (Window::HISTOGRAMS - [:wall]).freeze
    NOTHING = Window.empty(series: RecentFigures::ALL)
    private_constant :HEADS, :NOTHING

    module_function

    # @return [String] binary
    def dump(figures)
      series = figures.series.map { |window| named_row(window) }
      others = figures.others.map { |kind, window| [kind, *row(window)] }
      held = figures.held.map { |group, time| [group, *time.to_h.values] }
      waited = figures.waited&.then { |time| waited_row(time) }
      content = [figures.length_ms, row(figures.total), series, others, held, waited]
      [VERSION].pack("C") << Zlib.deflate(JSON.generate(content))
    end

    # @return [RecentFigures]
    # @raise [DamagedData]
    def load(bytes, host:, start_s:)
      version = bytes.getbyte(0)
      unless VERSIONS.include?(version)
        said = "recent figures have version #{version.inspect}"
        raise DamagedData.new(said, "this Holdup reads #{VERSIONS.join(" and ")}")
      end
      length_ms, total, series, others, held, waited = JSON.parse(Deflated.inflate(bytes.byteslice(1..)))
      empty = NOTHING.with(host:, start_s:, seconds: [length_ms.fdiv(1000).round, RecentFigures::STEP_S].max)
      RecentFigures.new(host:, start_s:, length_ms:, total: window(total, empty),
        series: series.map { |kind, name, queue, *numbers| named(kind, name, queue, numbers, empty) },
        others: others.to_h { |kind, *numbers| [kind.to_sym, other(kind, numbers, empty)] },
        held: held.to_h { |group, *times| [group, RecentFigures::HeldTime.new(*times)] },
        waited: waited&.then { |row| waited_time(*row) })
    rescue Zlib::Error, JSON::ParserError, ArgumentError, NoMethodError, TypeError
      raise DamagedData.new("stored recent figures are damaged")
    end

    def named_row(window)
      series = window.series
      [series.kind, series.name, series.queue, *row(window)]
    end

    def waited_row(time)
      holders = time.holders.map { |name, holder| [name, holder.kind, holder.waited_ns, holder.held.to_a] }
      [time.ns, time.nobody_ns, holders]
    end

    def waited_time(ns, nobody_ns, rows)
      holders = rows.to_h do |name, kind, waited_ns, held|
        [name, RecentFigures::HolderTime.new(kind: kind.to_sym, waited_ns:, held: held.to_h)]
      end
      RecentFigures::WaitedTime.new(ns:, nobody_ns:, holders:)
    end

    # Of a window without units nothing else.
    def row(window)
      return [0] if window.count.zero?
      sums = window.sums.values_at(*Window::SUMS)
      heads = HEADS.map { |name| window.histograms.fetch(name).then { |one| [one.count, one.sum] } }
      wall = window.histograms.fetch(:wall)
      [window.count, window.errors, sums, heads,
        [wall.sum, wall.min, wall.max, wall.zero, wall.offset, wall.counts]]
    end

    def window(numbers, empty)
      count, errors, sums, heads, wall = numbers
      return empty if count.zero?
      sum, min, max, zero, offset, counts = wall
      histograms = HEADS.zip(heads).to_h do |name, (values, total)|
        [name, Histogram::CountAndSum.new(count: values, sum: total)]
      end
      histograms[:wall] = Histogram.new(count:, sum:, min:, max:, zero:, offset:, counts:)
      empty.with(count:, errors:, sums: Window::SUMS.zip(sums).to_h, histograms:)
    end

    def named(kind, name, queue, numbers, empty)
      window(numbers, empty.with(series: Series.new(kind: kind.to_sym, name:, queue:)))
    end

    def other(kind, numbers, empty)
      window(numbers, empty.with(series: Series.new(kind: kind.to_sym, name: RecentFigures::ALL.name)))
    end
    private_class_method :row, :named_row, :waited_row, :waited_time, :window, :named, :other
  end
end
