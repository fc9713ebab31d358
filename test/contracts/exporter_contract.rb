# frozen_string_literal: true

# What every exporter keeps. A test defines:
#
# - `exporter(**options)`: a new one with options of its Export, which logs to `@log`
# - `received`: {name of the series => Received} of all that its receiver has got so far, after sending what
#   there is
# - `hang`: from now on the receiver answers nothing
module ExporterContract
  # `count`: requests and jobs; `seconds`: their time
  Received = Data.define(:count, :seconds)

  SETTING = {"app" => "shop", "server" => "puma", "jobs" => "sidekiq", "revision" => "r1"}.freeze
  NS = 1_000_000_000

  def setup
    @log = CollectedLog.new
    @exporters = []
    super
  end

  def teardown
    @exporters.each(&:close)
    super
  end

  # A window as the collector makes it: its states add up to the elapsed time.
  # @param values [Array<Integer>] ns
  def window(name, values, kind: :request, queue: nil, setting: SETTING, **sums)
    stalled = values.map { |ns| ns / 10 }
    running = values.zip(stalled).map { |ns, waited| ns - waited }
    all = {wall: values, stalled:, running:, idle: values.map { 0 }, queued: values, longest_hold: running}
    sums = {cpu_ns: running.sum, **sums}
    SampleWindows.new(kind:, queue:, setting:).window(name, count: values.size, sums:,
      histograms: all.transform_values { |each| Holdup::Histogram.of(each) })
  end

  # In many commits, some of them empty; sent after some.
  def test_the_receiver_has_exactly_what_was_stored
    random = Random.new(7)
    sent = Hash.new { |all, name| all[name] = [] }
    one = exporter
    30.times do |round|
      windows = %w[A#a B#b GET\ /c].sample(random.rand(0..3), random:).map do |name|
        values = Array.new(random.rand(1..40)) { (2**random.rand(8.0..36.0)).round }
        sent[name].concat(values)
        window(name, values)
      end
      one.add(windows, [])
      received if (round % 7).zero?
    end
    assert_received(sent)
  end

  def assert_received(sent)
    got = received
    assert_equal sent.keys.sort, got.keys.sort
    sent.each do |name, values|
      assert_equal values.size, got[name].count, name
      assert_in_delta values.sum.fdiv(NS), got[name].seconds, 1e-6, name
    end
  end

  def test_names_beyond_the_limit_are_added_up_and_the_log_says_so_once
    one = exporter(series: 2)
    2.times { |round| one.add(%w[A B C].map { |name| window("#{name}#{round}", [NS]) }, []) }
    assert_equal({"A0" => 1, "B0" => 1, "(other)" => 4}, received.transform_values(&:count))
    assert_equal 1, @log.lines.grep(/gets no more than 2 names.*\(other\)/).size
  end

  def test_labels_that_are_not_allowed_are_added_up
    one = exporter(labels: %i[app name])
    one.add([window("A", [NS]), window("A", [NS], kind: :job, queue: "low")], [])
    assert_equal({"A" => 2}, received.transform_values(&:count))
  end

  def test_names_with_special_characters_arrive
    name = "GET /a,b|c#d:e\n\u00e9"
    exporter.add([window(name, [NS])], [])
    assert_equal [1], received.values.map(&:count)
  end

  def test_a_receiver_that_hangs_delays_no_commit
    one = exporter
    one.start
    hang
    started = Process.clock_gettime(Process::CLOCK_MONOTONIC)
    50.times { one.add([window("A", [NS])], []) }
    assert_operator Process.clock_gettime(Process::CLOCK_MONOTONIC) - started, :<, 5
    one.close
    assert_operator Process.clock_gettime(Process::CLOCK_MONOTONIC) - started, :<, 15
  end

  def test_starts_and_closes_at_any_time
    one = exporter
    one.close
    2.times { one.start }
    2.times { one.close }
    one.add([window("A", [NS])], [])
    assert_empty @log.lines.grep(/fail|did not get/)
  end
end
