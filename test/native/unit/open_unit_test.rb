# frozen_string_literal: true

require "native/native_helper"

# The objects of open units, whose fields are C's, with the real probe; what instrumentation does with them is
# in test/holdup/agent.
class OpenUnitTest < NativeTest
  REQUESTS = <<~RUBY
    require "holdup"
    require "holdup/segment/reader"
    recorder = Holdup::Recorder.new(probe: Holdup::Probe, guard: Holdup::Guard.new(log: $stderr, clock: nil))
    requests = Holdup::Instrumentation::RequestUnits.new(recorder:, ignored: /\\A\\/up\\z/,
      ignored_starts: ["/up"], names: Holdup::Instrumentation::UnitName.new(guard: recorder.guard),
      queue: Struct.new(:key).new("HTTP_X_REQUEST_START"))
    env = ->(path) { {"REQUEST_METHOD" => "GET", "PATH_INFO" => path, "SCRIPT_NAME" => ""} }
    path = File.join(Dir.mktmpdir, "test.segment")
    Holdup::Probe.enable
    Holdup::Probe.open_segment(path, 32, 64, nil, 0)
  RUBY

  def test_fields_survive_garbage_collection_and_compaction
    output = fresh_ruby(<<~RUBY, options: ["-rtmpdir"])
      #{REQUESTS}
      GC.stress = true
      unit = requests.start(env.call("/orders/\#{7}"))
      unit.name = "Orders#" + "show"
      unit.trace = "ab" * 16
      inner = Holdup::Recorder::OpenUnit.new(recorder, 2, "inn" + "er").open
      GC.compact
      puts inner.outer.equal?(unit), unit.name, unit.trace, Holdup::Recorder::OpenUnit.current.name
      inner.close
      puts Holdup::Recorder::OpenUnit.current.equal?(unit)
      unit.answered([200, {}, []])
      unit.finished
      GC.stress = false
      Holdup::Probe.close_segment
      slots = Holdup::Segment::Reader.open(path, gone: true) { |reader| reader.snapshot.slots.compact }
      puts slots.filter_map { |slot| slot.series.name if %i[request job].include?(slot.series.kind) }
    RUBY
    assert_equal ["true", "Orders#show", "ab" * 16, "inner", "true", "inner", "Orders#show"],
      output.lines(chomp: true)
  end

  def test_a_request_is_one_object
    output = fresh_ruby(<<~RUBY, options: ["-rtmpdir", "-robjspace"])
      #{REQUESTS}
      response = [200, {}, []].freeze
      turn = lambda do |given|
        unit = requests.start(given)
        unit.answered(response)
        unit.call
      end
      given = env.call("/orders").merge("rack.response_finished" => [])
      2.times { turn.call(given) }
      GC.disable
      before = GC.stat(:total_allocated_objects)
      100.times { turn.call(given) }
      puts (GC.stat(:total_allocated_objects) - before) / 100
      puts ObjectSpace.memsize_of(requests.start(given)) <= 640
    RUBY
    each, small = output.lines(chomp: true)
    assert_operator each.to_i, :<=, 3 # the unit; and its name, which no controller has given
    assert_equal "true", small
  end

  # Fields elsewhere cost each request a malloc and a free.
  def test_objects_of_units_have_their_fields_in_themselves
    output = fresh_ruby(<<~RUBY, options: ["-rtmpdir", "-robjspace"])
      #{REQUESTS}
      slot = ->(object) { ObjectSpace.dump(object)[/"slot_size":(\\d+)/, 1].to_i }
      plain = slot.call(Object.new)
      recorder.call_on_finish(->(figures) { puts slot.call(figures) > plain }, 1.0)
      unit = requests.start(env.call("/orders"))
      puts slot.call(unit) > plain
      unit.answered([200, {}, []])
      unit.finished
    RUBY
    assert_equal %w[true true], output.lines(chomp: true)
  end

  def test_ignored_paths_and_what_is_disabled_begin_no_unit
    output = fresh_ruby(<<~RUBY, options: ["-rtmpdir"])
      #{REQUESTS}
      puts requests.start(env.call("/up")).inspect, requests.start(env.call("/upper")).class
      Holdup::Probe.disable
      puts requests.start(env.call("/orders")).inspect
    RUBY
    assert_equal %w[nil Holdup::Instrumentation::RequestUnit nil], output.lines(chomp: true)
  end
end
