# frozen_string_literal: true

require "native/native_helper"
require "holdup/agent/instrumentation/job_units"
require "holdup/agent/instrumentation/request_units"
require "holdup/agent/instrumentation/unit_name"
require "holdup/agent/recorder"

# The figures of an open unit, with the real probe.
class FiguresMethodsTest < NativeTest
  def setup
    super
    @guard = Holdup::Guard.new(log: @log = CollectedLog.new, clock: HandClock.new)
    @recorder = Holdup::Recorder.new(probe: Probe, guard: @guard)
  end

  def teardown
    @recorder.watcher = nil
    super
  end

  def unit(name, &) = @recorder.measure(name, &)

  def current = Holdup::Recorder::OpenUnit.current&.measured

  def assert_parts_add_up(numbers)
    assert_equal numbers[:elapsed_ns], numbers[:running_ns] + numbers[:stalled_ns] + numbers[:idle_ns],
      numbers.to_s
    assert_equal numbers[:running_ns], numbers[:cpu_ns] + numbers[:starved_ns], numbers.to_s
    idle_ns = numbers.values_at(:io_ns, :lock_ns, :sleep_ns, :native_ns).sum
    assert_equal numbers[:idle_ns], idle_ns, numbers.to_s
  end

  def test_the_parts_add_up_at_any_time
    readings = unit("x") do
      Array.new(20) do
        GvlWork.hold(MS)
        GvlWork.wait(MS)
        current.to_h
      end
    end
    readings.each { |numbers| assert_parts_add_up numbers }
    assert_equal readings.sort_by { |numbers| numbers[:elapsed_ns] }, readings
    assert_operator readings.last[:running_ns], :>=, 20 * MS
    assert_operator readings.last[:idle_ns], :>=, 20 * MS
  end

  def test_a_reading_is_what_the_end_would_have_been
    handle = Probe.enter
    GvlWork.hold(10 * MS)
    GvlWork.wait(10 * MS)
    reading = Holdup::Measurement.new(*Probe.figures(handle))
    last = Holdup::Measurement.new(*Probe.finish(handle))
    assert_adds_up reading
    %i[wall_ns running_ns stalled_ns io_ns lock_ns sleep_ns gc_ns acquisitions longest_hold_ns].each do |name|
      assert_operator reading.public_send(name), :<=, last.public_send(name), name
    end
    assert_equal reading.acquisitions, last.acquisitions
    assert_operator reading.running_ns, :>=, 10 * MS
  end

  # A reading does not cut the hold that is open.
  def test_a_reading_leaves_the_longest_hold_whole
    final = nil
    unit("x") do
      final = current
      GvlWork.release(1)
      GvlWork.hold(10 * MS)
      final.elapsed
      GvlWork.hold(10 * MS)
    end
    assert_operator final.longest_hold_ns, :>=, 20 * MS
  end

  def test_the_final_figures_are_frozen
    figures = nil
    unit("Report") do
      figures = current
      refute_predicate figures, :frozen?
      GvlWork.hold(MS)
    end
    assert_predicate figures, :frozen?
    assert_equal figures.to_h, Thread.new { figures.to_h }.value
    assert_equal [:job, "Report"], [figures.kind, figures.name]
    assert_parts_add_up figures.to_h
    assert_nil current
  end

  def test_another_thread_gets_nil_while_it_is_open
    unit("x") do
      figures = current
      elapsed, calls, waits = Thread.new { [figures.elapsed, figures.calls, figures.waited_for] }.value
      assert_nil elapsed
      assert_empty calls
      assert_empty waits
    end
  end

  def test_the_innermost_unit_is_the_current_one
    unit("outer") do
      outer = current
      unit("inner") do
        GvlWork.hold(5 * MS)
        assert_equal "inner", current.name
        assert_operator outer.longest_hold_ns, :>=, 5 * MS
        inner_ns = current.running_ns
        assert_operator outer.running_ns, :>=, inner_ns
      end
      assert_same outer, current
    end
  end

  def test_units_that_follow_their_fibers_add_up
    Probe.follow_fibers(true)
    readings = []
    fiber = Fiber.new do
      unit("on a fiber") do
        2.times do
          GvlWork.hold(3 * MS)
          Fiber.yield
          readings << current.to_h
        end
      end
    end
    fiber.resume
    2.times do
      GvlWork.hold(3 * MS)
      fiber.resume
    end
    readings.each { |numbers| assert_parts_add_up numbers }
    assert_operator readings.last[:idle_ns], :>=, 6 * MS
    assert_operator readings.last[:running_ns], :>=, 6 * MS
  ensure
    Probe.follow_fibers(false)
  end

  def test_who_holds_the_gvl_is_named_while_it_runs
    done = Queue.new
    unit("first") { @recorder.holder_name(0) } # names are kept from here on
    hog = Thread.new { unit("Hog") { GvlWork.hold(MS) while done.empty? } }
    waits = stalled = nil
    unit("Victim") do
      wait_until { current.waited_for.any? { |name, _| name == "Hog" } }
      waits = current.waited_for
      stalled = current.stalled
    end
    assert_equal "Hog", waits.first.first
    assert_operator waits.sum(&:last), :<=, stalled + 1e-6
  ensure
    done.push(true)
    hog.join
  end

  def test_calls_so_far_and_at_the_end
    kind = Probe.call_kind("http figures.example")
    open = figures = nil
    unit("x") do
      figures = current
      2.times do
        Probe.begin_call
        GvlWork.wait(3 * MS)
        Probe.end_call(kind, false)
      end
      open = figures.calls
    end
    call = open.fetch("http figures.example")
    assert_equal 2, call[:count]
    assert_operator call[:remote], :>=, 0.006
    assert_operator call[:elapsed], :>=, call[:remote]
    assert_equal open, figures.calls
  end

  def test_on_finish_gets_the_figures_after_the_end
    told = []
    @recorder.call_on_finish(->(figures) { told << [figures.name, figures.frozen?, current&.name] }, 1.0)
    asked = nil
    unit("outer") do
      asked = current
      unit("inner") { GvlWork.hold(MS) }
    end
    assert_equal [["inner", true, "outer"], ["outer", true, nil]], told
    assert_predicate asked, :frozen?
  end

  def test_on_finish_gets_requests_when_their_response_is_sent
    told = []
    @recorder.call_on_finish(->(figures) { told << [figures.kind, figures.name, figures.queued_ns] }, 1.0)
    requests = Holdup::Instrumentation::RequestUnits.new(recorder: @recorder, ignored: /\A\/up\z/,
      names: Holdup::Instrumentation::UnitName.new(guard: @recorder.guard),
      queue: Struct.new(:key).new("HTTP_X"))
    request = requests.start({"REQUEST_METHOD" => "GET", "PATH_INFO" => "/orders", "SCRIPT_NAME" => "",
                              "rack.response_finished" => []})
    request.name = "Orders#index"
    request.answered([200, {}, []])
    assert_empty told
    request.call
    assert_equal [[:request, "Orders#index", nil]], told
  end

  def test_on_finish_gets_jobs_with_their_queue_time
    told = []
    @recorder.call_on_finish(->(figures) { told << [figures.kind, figures.name, figures.queued_ns] }, 1.0)
    clock = HandClock.new(realtime_ns: 9_000)
    jobs = Holdup::Instrumentation::JobUnits.new(recorder: @recorder, clock:)
    run = jobs.run("id", "ReportJob", "low")
    run.ready_ns = 2_000
    jobs.measure(run) { jobs.measure(jobs.run("id", "ReportJob", "low")) { 1 } }
    assert_equal [[:job, "ReportJob", 7_000]], told
  end

  def test_on_finish_makes_one_object
    @recorder.call_on_finish(->(_) {}, 1.0)
    objects = lambda do |&block|
      before = GC.stat(:total_allocated_objects)
      unit("x", &block)
      GC.stat(:total_allocated_objects) - before
    end
    work = proc { 1 }
    3.times { objects.call(&work) }
    assert_equal 2, objects.call(&work), "the unit and its figures"
  end

  def test_an_exception_of_on_finish_is_logged_once_and_counted
    @recorder.call_on_finish(->(_) { raise NotImplementedError, "theirs" }, 1.0)
    2.times { assert_equal(1, unit("x") { 1 }) }
    assert_equal({on_finish: 2}, @guard.failures)
    assert_equal 1, @log.lines.grep(/on_finish failed, the application is not affected: theirs/).size
    assert_nil $!
  end

  # As the end of a thread that is killed meanwhile does.
  def test_a_throw_of_on_finish_goes_on
    @recorder.call_on_finish(->(_) { throw :out, 7 }, 1.0)
    assert_equal(7, catch(:out) { unit("x") { 1 } })
    assert_empty @guard.failures
  end

  def test_on_finish_may_be_any_object_with_call
    told = []
    reporter = Struct.new(:told) { def call(figures) = told << figures.name }
    @recorder.call_on_finish(reporter.new(told), 1.0)
    unit("x") { 1 }
    assert_equal ["x"], told
  end

  def test_a_copy_of_final_figures_has_them
    figures = nil
    unit("Report") { figures = current }
    copy = figures.dup
    assert_equal figures.to_h, copy.to_h
  end

  def test_on_finish_is_outside_of_the_measured_time
    figures = nil
    @recorder.call_on_finish(->(given) { (figures = given) && GvlWork.wait(20 * MS) }, 1.0)
    began = Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond)
    unit("x") { GvlWork.hold(MS) }
    took_ns = Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond) - began
    assert_operator figures.elapsed_ns, :<=, took_ns - 20 * MS
  end

  def test_on_finish_is_not_called_for_what_was_left_out
    told = []
    @recorder.call_on_finish(->(figures) { told << figures.name }, 1.0)
    unit("across a time without measuring") do
      Probe.disable
      Probe.enable
    end
    Holdup::Recorder::OpenUnit.new(@recorder, 2, "cancelled").open.cancel
    unit("measured") { 1 }
    assert_equal ["measured"], told
  end

  def test_on_finish_gets_a_sample
    told = 0
    @recorder.call_on_finish(->(_) { told += 1 }, 0.25)
    2_000.times { unit("x") { nil } }
    assert_in_delta 500, told, 150 # eight standard deviations
    @recorder.call_on_finish(->(_) { told += 1 }, 0.0)
    told = 0
    100.times { unit("x") { nil } }
    assert_equal 0, told
  end

  def test_nothing_is_allocated_where_nobody_asks
    objects = lambda do |&block|
      before = GC.stat(:total_allocated_objects)
      unit("x", &block)
      GC.stat(:total_allocated_objects) - before
    end
    work = proc { 1 }
    3.times { objects.call(&work) }
    assert_equal 1, objects.call(&work), "the unit"
  end

  def test_figures_survive_garbage_collection
    figures = nil
    unit("Rep" + "ort") do
      figures = current
      GC.start
    end
    GC.start
    assert_equal "Report", figures.name
    assert_parts_add_up figures.to_h
  end
end
