# frozen_string_literal: true

require "native/native_helper"
require "fuzz/fuzzing"
require "holdup/loader"

# Names, queues and pools that an application gives, through the real probe, segment, store and exporters: all
# of them come out as text that a format can hold, and every unit is counted.
class HostileNamesTest < NativeTest
  include Fuzzing
  include TemporaryFolder

  # Units that share a segment, which has room for as many series.
  TOGETHER = 100
  NAME_BYTES = 200
  PROMETHEUS = /\A(?:\#\ .*|[a-z_]+(?:\{(?:[a-z_]+="(?:[^"\\\n]|\\[\\"n])*",?)*\})?\ [-+.\deInfNa]+)\z/

  def setup
    super
    @log = CollectedLog.new
    @receiver = StatsdReceiver.new(path: File.join(folder, "statsd.socket"))
  end

  def teardown
    @receiver.stop
    super
  end

  repeated def test_every_unit_is_counted_under_a_name_that_is_text
    fuzz(5, thorough: 200) do |input|
      names = Array.new(TOGETHER) { [input.text, (input.text if input.chance?(0.5))] }
      all_counted(names)
      :counted
    end
  end

  private

  def all_counted(names)
    slots = recorded(names)
    slots.each do |slot|
      series = slot.series
      [series.name, series.queue].compact.each { |text| assert_predicate text, :valid_encoding? }
      refute_match(/[\0-\x1f\x7f]/, "#{series.name}#{series.queue}")
      assert_operator series.name.bytesize, :<=, NAME_BYTES
    end
    assert_equal names.size, slots.sum(&:count)
    exported(slots)
  end

  def recorded(names)
    path = File.join(folder, "names.segment")
    assert Probe.open_segment(path, 2 * TOGETHER, 64, nil, 0)
    names.each { |name, queue| Probe.record(Probe.enter, 2, name, queue, nil, false, nil, nil, nil) }
    Probe.close_segment
    slots = Holdup::Segment::Reader.open(path, gone: true) { |reader| reader.snapshot.slots }
    slots.compact.select { |slot| slot.series.kind == :job }
  ensure
    File.delete(path)
  end

  def exported(slots)
    sample = SampleWindows.new(kind: :job)
    windows = slots.map { |slot| sample.window(slot.series.name, queue: slot.series.queue, count: 1) }
    scraped(windows).each_line(chomp: true) { |line| assert_match(PROMETHEUS, line) }
    push(windows)
    assert_empty @receiver.unreadable
  end

  # @return [String] what Prometheus gets
  def scraped(windows)
    export = Holdup::ConfigurationKeys::PrometheusExport.new
    exporter = Holdup::Export::Prometheus.new(export, dir: folder, log: @log, clock: Holdup::Clock.new)
    exporter.add(windows, [])
    exporter.text
  ensure
    exporter&.close
  end

  # Datagrams of a Unix socket come in order, so all are there when the last figure is.
  def push(windows)
    export = Holdup::ConfigurationKeys::StatsdExport.new(address: @receiver.address, format: :dogstatsd,
      interval: 3600)
    exporter = Holdup::Export::Statsd.new(export, log: @log, clock: Holdup::Clock.new)
    exporter.add(windows, [])
    @receiver.datagrams.clear
    exporter.push
    wait_until { @receiver.messages("holdup.exporter.last_commit_timestamp").any? }
  ensure
    exporter&.close
  end
end
