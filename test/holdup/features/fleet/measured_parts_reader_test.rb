# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require_relative "../../../support/played_fleet"

class Holdup::Fleet::MeasuredPartsReaderTest < Minitest::Test
  ALL = Holdup::Series.new(kind: :request, name: "(all)")

  def setup
    revisions = {"web-2" => {3.. => "2.0"}}
    @played = PlayedFleet.new(hosts: 3, minutes: 6, revisions:, ended: ["web-3"])
    @store = @played.store
    @reads = 0
  end

  def read(from_s, to_s, **step)
    found = @store.sums(from_s, to_s, kinds: [:request], by_host: true, histograms: [], together: ALL, **step)
    found.map(&:window).select { |window| window.count.positive? }
  end

  # @return [(Holdup::Fleet::MeasuredPartsReader, Array<Holdup::Window>)]
  def parts(from_s: @played.from_s, to_s: @played.to_s)
    windows = read(from_s, to_s)
    reader = Holdup::Fleet::MeasuredPartsReader.new(@store, windows, from_s:, to_s:) do |from, to, step_s|
      @reads += 1
      read(from, to, step_s:)
    end
    [reader, windows]
  end

  # What MeasuredTimeQuery reads of a part alone.
  def alone(window)
    store = Holdup::Queries::Origin.of_host(window.host).of(@store)
    Holdup::Queries::MeasuredTimeQuery.call(store, from_s: @played.from_s, to_s: @played.to_s,
      kinds: [:request], settings: [window.setting])
  end

  def test_each_part_was_measured_as_long_as_it_alone_would_be
    reader, windows = parts
    assert_equal 4, windows.size
    windows.each { |window| assert_equal alone(window), reader.of([window]), window.host }
  end

  def test_one_revision_was_measured_only_while_it_ran
    reader, windows = parts
    lengths = windows.select { |window| window.host == "web-2" }.map { |one| reader.of([one]).total_s }
    assert_equal [180.0, 180.0], lengths
    assert_equal 360.0, reader.of(windows).total_s
  end

  def test_all_parts_are_read_at_once
    reader, windows = parts
    windows.each { |window| reader.of([window]) }
    assert_equal 3, @reads
  end

  def test_nothing_was_measured_where_there_are_no_windows
    reader, windows = parts(from_s: 0, to_s: 60)
    assert_empty windows
    assert_empty reader.of(windows)
  end
end
