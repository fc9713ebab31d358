# frozen_string_literal: true

require "native/native_helper"
require "holdup/segment/directory"

# What is open in a process, as it is in its segment: claimed when a unit begins, given back by the commit
# that counts it.
class SegmentOpenUnitsTest < Minitest::Test
  include TemporaryFolder

  L = Holdup::Segment::Layout

  SCRIPT = <<~RUBY
    require "holdup"
    require "holdup/segment/reader"
    RECORDER = Holdup::Recorder.new(probe: Holdup::Probe, guard: Holdup::Guard.new(log: $stderr, clock: nil))
    REQUESTS = Holdup::Instrumentation::RequestUnits.new(recorder: RECORDER, ignored: /\\A\\/up\\z/,
      ignored_starts: ["/up"], names: Holdup::Instrumentation::UnitName.new(guard: RECORDER.guard),
      queue: Struct.new(:key).new("HTTP_X_REQUEST_START"))
    def request(path, verb = "GET", script = "")
      REQUESTS.start({"REQUEST_METHOD" => verb, "PATH_INFO" => path, "SCRIPT_NAME" => script})
    end

    def unit(kind, name, queue = nil) = Holdup::Recorder::OpenUnit.new(RECORDER, kind, name, queue)

    def reader(path = FILE, **options, &block) = Holdup::Segment::Reader.open(path, **options, &block)

    def open_units = reader(&:open_units)

    def open_segment(path = FILE) = Holdup::Probe.open_segment(path, 32, 64, nil, 0)
  RUBY

  def run_script(script, **options)
    fresh_ruby(<<~RUBY, **options)
      FILE = #{File.join(folder, "test.segment").dump}
      #{SCRIPT}
      Holdup::Probe.enable
      open_segment
      #{script}
    RUBY
  end

  linux def test_a_unit_is_open_until_it_is_counted
    output = run_script(<<~RUBY)
      puts open_units.size
      outer = request("/orders/7?secret=1")
      inner = unit(2, "ReportJob", "low").open
      puts open_units.map { |it| [it.kind, it.name, it.queue, it.pool, it.outer, it.state].inspect }
      puts open_units.map { |it| it.thread == Thread.main.native_thread_id }.uniq
      now = Process.clock_gettime(Process::CLOCK_REALTIME, :nanosecond)
      puts open_units.map { |it| it.started_ns.between?(now - 180_000_000_000, now) }.uniq
      puts open_units.map { |it| it.objects.between?(1, GC.stat(:total_allocated_objects)) }.uniq
      inner.close
      puts open_units.map(&:name)
      outer.finished
      puts open_units.size
    RUBY
    assert_equal ["0", '[:request, "GET /orders", nil, "web", nil, nil]',
      '[:job, "ReportJob", "low", nil, 0, nil]', "true", "true", "true", "GET /orders", "0"],
      output.lines(chomp: true)
  end

  # As UnitName names a request that has no route.
  def test_a_requests_name_has_no_id_and_no_query
    output = run_script(<<~RUBY)
      paths = ["", "/", "/orders", "/orders/17", "/17", "/users.json", "/v1/x", "/abc123", "/o?id=7",
        "/" + "a" * 40, "/" + "a" * 41, "/caf\\u00e9", "/a\\0b", "*"]
      names = Holdup::Instrumentation::UnitName.new(guard: RECORDER.guard)
      paths.each do |path|
        open = request(path)
        given = {"REQUEST_METHOD" => "GET", "PATH_INFO" => path, "SCRIPT_NAME" => ""}
        puts [path, open_units.map(&:name), names.call(given, 200)].inspect unless
          open_units.map(&:name) == [names.call(given, 200)]
        open.cancel
      end
      puts %w[HEAD BREW].map { |verb| request("/a", verb).then { open_units.last.name } }
    RUBY
    assert_equal ["HEAD /a", "OTHER /a"], output.lines(chomp: true)
  end

  def test_paths_may_be_hidden
    output = run_script(<<~RUBY)
      Holdup::Probe.show_paths(false)
      request("/orders", "POST")
      puts open_units.map(&:name)
    RUBY
    assert_equal "POST", output.chomp
  end

  def test_ids_are_those_that_others_gave_them
    output = run_script(<<~RUBY)
      ids = {"HTTP_TRACEPARENT" => "00-" + "ab" * 16 + "-" + "c" * 16 + "-01", "HTTP_X_REQUEST_ID" => "a-1"}
      bad = {"HTTP_TRACEPARENT" => "00-" + "0" * 32 + "-" + "c" * 16 + "-01", "HTTP_X_REQUEST_ID" => "a b"}
      [ids, bad].each do |given|
        open = REQUESTS.start({"REQUEST_METHOD" => "GET", "PATH_INFO" => "/a", **given})
        Holdup::Probe.tick([])
        puts open_units.map { |it| [it.trace_id, it.request_id, it.job_id].inspect }
        open.cancel
      end
      ["j-1", 17, nil].each do |id|
        job = Holdup::Instrumentation::JobUnit.new(RECORDER, id, "ReportJob", "low").open(nil)
        puts open_units.map { |it| it.job_id.inspect }
        job.trace = "cd" * 16
        job.name = "Better" if id == 17
        puts open_units.map { |it| [it.name, it.trace_id].inspect }
        job.close
      end
    RUBY
    traced = ["ReportJob", "cd" * 16].inspect
    assert_equal [["ab" * 16, "a-1", nil].inspect, "[nil, nil, nil]", '"j-1"', traced, '"17"',
      ["Better", "cd" * 16].inspect, "nil", traced], output.lines(chomp: true)
  end

  # Then as now: no tick has looked at these.
  def test_the_slowest_have_the_same_ids_when_they_have_ended
    output = run_script(<<~RUBY)
      env = {"REQUEST_METHOD" => "GET", "PATH_INFO" => "/a", "HTTP_X_REQUEST_ID" => "a-1"}
      open = REQUESTS.start(env)
      env["action_dispatch.request_id"] = "r-1"
      open.answered([200, {}, []])
      open.finished
      Holdup::Instrumentation::JobUnit.new(RECORDER, "j-1", "ReportJob", "low").open(nil).close
      unit(1, "Other").open.close
      puts reader(&:slowest).entries.map { |entry| entry.id.inspect }
    RUBY
    assert_equal ['"r-1"', '"j-1"', "nil"], output.lines(chomp: true)
  end

  # A call looks whether the request has been dispatched, and so does the tick.
  def test_a_request_is_named_when_it_has_been_dispatched
    output = run_script(<<~RUBY)
      class OrdersController < Struct.new(:action_name); end
      controller = OrdersController.new("index")
      env = -> { {"REQUEST_METHOD" => "GET", "PATH_INFO" => "/orders"} }
      names = -> { open_units.map { |it| [it.name, it.request_id].compact.join(" ") } }
      2.times do |turn|
        given = env.call
        open = REQUESTS.start(given)
        Holdup::Probe.begin_call
        Holdup::Probe.end_call(nil, false)
        puts names.call
        given["action_controller.instance"] = controller
        given["action_dispatch.request_id"] = "r-\#{turn}"
        Holdup::Probe.begin_call
        Holdup::Probe.end_call(nil, false)
        puts names.call
        Holdup::Probe.tick([])
        puts names.call
        open.cancel
      end
    RUBY
    assert_equal ["GET /orders", "GET /orders", "OrdersController#index r-0",
      "GET /orders", "OrdersController#index", "OrdersController#index r-1"], output.lines(chomp: true)
  end

  def test_units_are_kept_while_they_are_open_and_no_longer
    output = run_script(<<~RUBY)
      GC.stress = true
      request("/orders").name = "A" + "#b"
      GC.compact
      GC.stress = false
      Holdup::Probe.tick([])
      puts open_units.map(&:name)
      10.times { Thread.new { unit(1, "ended").open(nil) }.join }
      Holdup::Probe.snapshot
      Fiber[:holdup_unit] = nil
      GC.start
      puts ObjectSpace.each_object(Holdup::Recorder::OpenUnit).count < 10
    RUBY
    assert_equal ["A#b", "true"], output.lines(chomp: true)
  end

  def test_what_is_not_counted_is_not_open_either
    output = run_script(<<~RUBY)
      unit(1, "cancelled").open.cancel
      Thread.new { unit(1, "abandoned").open }.join
      elsewhere = unit(1, "ended on another thread").open
      Thread.new { elsewhere.close }.join
      Holdup::Probe.snapshot
      Holdup::Probe.tick([])
      puts open_units.size
      puts Holdup::Probe.snapshot.values_at(:discarded, :abandoned).inspect
      across = unit(1, "spans a pause").open
      Holdup::Probe.disable
      Holdup::Probe.enable
      puts open_units.map(&:name)
      across.close
      puts open_units.size
    RUBY
    assert_equal ["0", "[1, 1]", "spans a pause", "0"], output.lines(chomp: true)
  end

  linux def test_units_beyond_the_table_are_counted
    output = run_script(<<~RUBY)
      blocks = -> { File.stat(FILE).blocks * 512 }
      before = blocks.call
      first = Array.new(#{L::OPEN_UNITS}) do |index|
        Thread.new do
          unit(1, "u\#{index}").open(nil)
          Thread.stop
        end
      end
      sleep(0.01) until open_units.size == #{L::OPEN_UNITS}
      puts blocks.call - before
      beyond = unit(1, "beyond").open(nil)
      puts open_units.map(&:name).uniq.size, reader(&:open_units_beyond)
      beyond.close
      first.each(&:kill).each(&:join)
      Holdup::Probe.snapshot
      puts open_units.size
      unit(1, "again").open(nil)
      puts open_units.map(&:name), reader(&:open_units_beyond)
      $stdout.flush
      exit!(true)
    RUBY
    taken, *others = output.lines(chomp: true)
    assert_equal %W[#{L::OPEN_UNITS} 1 0 again 1], others
    assert_in_delta (L::OPEN_UNITS - 16) * L::OPEN_SLOT_BYTES, taken.to_i, 8192, "slots take space when used"
  end

  linux def test_a_child_owns_nothing_of_its_parent
    output = run_script(<<~RUBY)
      inherited = unit(1, "parent").open
      pid = fork do
        inherited.close
        Holdup::Probe.after_fork
        Holdup::Probe.enable
        open_segment(FILE + "-child")
        own = unit(1, "child").open(nil)
        puts reader(FILE + "-child", &:open_units).map { |it| [it.name, it.thread == Process.pid].inspect }
        own.close
        $stdout.flush
        exit!(true)
      end
      Process.wait(pid)
      puts open_units.map(&:name), $?.success?
      inherited.close
      puts open_units.size, reader(FILE + "-child", &:open_units).size
    RUBY
    assert_equal ['["child", true]', "parent", "true", "0", "0"], output.lines(chomp: true)
  end

  # A file that others have removed is made again, with the units that are open, and with its hole.
  linux def test_another_file_of_the_segment_has_the_open_units
    output = run_script(<<~RUBY)
      first = unit(1, "first").open
      blocks = File.stat(FILE).blocks
      File.unlink(FILE)
      Holdup::Probe.name_segment_again(false)
      puts open_units.map(&:name), File.stat(FILE).blocks == blocks
      second = unit(1, "second").open
      puts open_units.map { |it| [it.name, it.outer].inspect }
      second.close
      first.close
      puts open_units.size, reader { |it| it.snapshot.counters[:units] }
    RUBY
    assert_equal ["first", "true", '["first", nil]', '["second", 0]', "0", "2"], output.lines(chomp: true)
  end

  # A file that the process opens next has none of the units that it ends there.
  def test_a_next_segment_knows_only_its_own
    output = run_script(<<~RUBY)
      old = unit(1, "old").open
      Holdup::Probe.close_segment
      puts reader { |it| it.open_units.map(&:name) }
      unit(1, "unseen").open(nil)
      open_segment(FILE + "-2")
      other = unit(1, "new").open(nil)
      old.close
      puts reader(FILE + "-2", &:open_units).map(&:name)
    RUBY
    assert_equal %w[old new], output.lines(chomp: true)
  end

  # Each child writes down what it begins and ends, and is killed anywhere in that.
  KILLS = Thorough.turns(25, thorough: 1000)
  THREADS = 3

  WORK = <<~RUBY
    def work(ledger, thread)
      number = 0
      loop do
        name = "\#{thread}-\#{number += 1}"
        ledger.syswrite("begins \#{name}\\n")
        unit = unit(1, name).open(nil)
        ledger.syswrite("begun \#{name}\\n")
        ledger.syswrite("ends \#{name}\\n")
        unit.close
        ledger.syswrite("ended \#{name}\\n")
      end
    end

    def child(turn)
      fork do
        Holdup::Probe.after_fork
        Holdup::Probe.enable
        open_segment("\#{FILE}-\#{turn}")
        threads = Array.new(#{THREADS}) do |thread|
          ledger = File.open("\#{FILE}-\#{turn}.\#{thread}", "w")
          Thread.new { work(ledger, thread) }
        end
        threads.each(&:join)
      end
    end
  RUBY

  # @return [Array<Array<String>>] names that the process wrote after each word
  def ledger(turn)
    files = Array.new(THREADS) { |thread| "#{folder}/test.segment-#{turn}.#{thread}" }
    words = files.flat_map { |file| File.readlines(file).map(&:split) }.group_by(&:first)
    %w[begins begun ends ended].map { |word| words.fetch(word, []).map(&:last) }
  end

  repeated def test_a_killed_process_has_each_unit_counted_or_open
    run_script(<<~RUBY, timeout: 900)
      #{WORK}
      random = Random.new(#{Minitest.seed})
      #{KILLS}.times do |turn|
        pid = child(turn)
        last = "\#{FILE}-\#{turn}.#{THREADS - 1}"
        sleep(0.001) until File.size?(last)
        sleep(random.rand(0.02))
        Process.kill(:KILL, pid)
        Process.wait(pid)
      end
    RUBY
    KILLS.times { |turn| check_killed(turn) }
  end

  def check_killed(turn)
    begins, begun, ends, ended = ledger(turn)
    open, counted = Holdup::Segment::Reader.open("#{folder}/test.segment-#{turn}", gone: true) do |reader|
      [reader.open_units.map(&:name), reader.header.counters[:units]]
    end
    assert_equal open.uniq, open
    assert_empty open - begins, "what is open had begun"
    assert_empty open & ended, "what ended is not open"
    assert_empty begun - ends - open, "what had not come to its end is open"
    assert_includes (begun.size..begins.size), open.size + counted, "each is open or counted"
    assert_operator counted, :>=, ended.size
  end
end
