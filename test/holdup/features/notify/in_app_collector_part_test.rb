# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "support/collected_log"

class Holdup::Notify::InAppCollectorPartTest < Minitest::Test
  include TemporaryFolder

  NOW_S = SampleWindows::START_S + 180

  def setup
    @store = Holdup::Store.open("memory:")
    @store.commit(SampleWindows.new.stored, {})
    @clock = HandClock.new(realtime_ns: NOW_S * 1_000_000_000)
    @log = CollectedLog.new
    @got = []
  end

  def teardown
    @store.close
    super
  end

  def notices(&block)
    block ||= ->(message) { @got << message.title }
    configuration = Holdup::Configuration.build do |config|
      config.collector = :thread
      config.notify = {block:, stall: 0.1}
    end
    Holdup::Notify::InAppCollectorPart.new(configuration, store: @store, dir: folder, log: @log, env: {},
      clock: @clock)
  end

  def later(seconds)
    @clock.realtime_ns += seconds * 1_000_000_000
    @clock.monotonic_ns += seconds * 1_000_000_000
  end

  def test_tells_the_block_once
    told = notices
    told.call
    later(60)
    told.call
    assert_equal ["Waits for the GVL"], @got
    assert_empty @log.lines
  end

  def test_looks_once_a_minute
    told = notices
    told.call
    later(59)
    @store.define_singleton_method(:snapshot) { |*| raise "not yet" }
    told.call
    assert_equal 1, @got.size
  end

  def test_says_once_that_the_block_raises
    told = notices { raise KeyError }
    told.call
    assert_equal ["block: the application's code raised KeyError."], @log.lines
  end
end
