# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "contracts/exporter_contract"

# Exporters that send to a real receiver, when the test says so.
module StatsdExporting
  include TemporaryFolder
  include ExporterContract

  def teardown
    super
    @receiver&.stop
  end

  def exporter(format: :dogstatsd, path: nil, **options)
    @receiver ||= StatsdReceiver.new(path:)
    export = Holdup::ConfigurationKeys::StatsdExport.new(address: @receiver.address, format:, interval: 3600,
      **options)
    Holdup::Export::Statsd.new(export, log: @log, clock: Holdup::Clock.new)
      .tap { |made| @exporters << made }
  end

  # Datagrams of a socket come in order, so all are there when the last figure of an export is.
  def send_all
    before = messages("holdup.exporter.last_commit_timestamp").size
    @exporters.last.push
    wait_until { messages("holdup.exporter.last_commit_timestamp").size > before }
    assert_empty @receiver.unreadable
  end

  def messages(name = nil) = @receiver.messages(name)

  def test_a_unix_socket
    exporter(path: File.join(folder, "dsd.socket"))
    @exporters.last.add([window("A", [NS])], [])
    assert_equal 1, received["A"].count
  end
end

class Holdup::Export::StatsdTest < Minitest::Test
  include StatsdExporting

  def received
    send_all
    times = messages("ruby.gvl.time").group_by { |message| message.tags["name"] }
    messages("ruby.gvl.duration").group_by { |message| message.tags["name"] }.to_h do |name, found|
      [name, Received.new(count: found.sum(&:count), seconds: times[name].sum(&:value))]
    end
  end

  # Nothing reads its socket any more.
  def hang
    @receiver.instance_variable_get(:@thread).kill.join
  end

  def test_messages_have_the_labels_as_tags
    exporter.add([window("J", [NS], kind: :job, queue: "low", acquisitions: 3)], [])
    send_all
    message = messages("ruby.gvl.acquisitions").first
    assert_equal ["c", 3.0], [message.type, message.value]
    assert_equal({"app" => "shop", "role" => "puma+sidekiq", "instance" => "web-1", "kind" => "job",
                  "name" => "J", "queue" => "low"}, message.tags)
    assert_equal %w[g], messages("holdup.exporter.series").map(&:type)
  end

  def test_counters_are_what_came_since_the_last_push
    one = exporter
    [3, 5].each do |acquisitions|
      one.add([window("A", [NS], acquisitions:)], [])
      send_all
    end
    send_all
    assert_equal [3.0, 5.0], messages("ruby.gvl.acquisitions").map(&:value)
    assert_equal [1, 1], messages("ruby.gvl.duration").map(&:count)
  end

  # Percentiles that a server computes from what it gets.
  def test_distributions_have_all_values_and_their_percentiles
    random = Random.new(3)
    values = Array.new(20_000) { (20_000_000 * (0.5 - Math.log(1 - random.rand))).round }
    exporter.add([window("A", values)], [])
    send_all
    found = messages("ruby.gvl.duration")
    assert_operator found.map(&:value).uniq.size, :<=, Holdup::Export::Statsd::WeightedValues::MOST + 1
    lines = @receiver.datagrams.flat_map { |datagram| datagram.split("\n") }
    assert_operator lines.count { |line| line.start_with?("ruby.gvl.duration:") }, :<, 20
    assert_equal values.size, found.sum(&:count)
    seconds = found.sort_by(&:value).flat_map { |message| [message.value] * message.count }
    sorted = values.sort
    [0.5, 0.9, 0.99].each do |share|
      exact = sorted[(share * values.size).ceil - 1].fdiv(NS)
      assert_in_delta 1, seconds[(share * values.size).ceil - 1] / exact, 0.045, "p#{share}"
    end
  end

  def test_the_container_goes_with_each_message
    @receiver = StatsdReceiver.new
    client = Holdup::Export::Statsd::DogStatsdClient.new(@receiver.address, container_id: "ci-abc")
    metric = Holdup::Export::ExportedMetrics::ExportedMetric.new(name: :ruby_processes, type: :gauge,
      help: "", values: {{} => 2})
    client.send_metrics([metric])
    wait_until { messages.any? }
    assert_equal ["ci-abc"], messages.map(&:container)
  ensure
    client&.close
  end

  def test_a_server_that_is_missing_is_said_and_comes_back
    path = File.join(folder, "dsd.socket")
    one = exporter(path:)
    @receiver.stop
    File.unlink(path)
    one.add([window("A", [NS])], [])
    assert_raises(Holdup::Error) { one.push }
    @receiver = StatsdReceiver.new(path:)
    one.add([window("A", [NS])], [])
    assert_equal 1, received["A"].count, "what it missed is not sent again"
  end

  def test_weights_are_powers_of_two_and_add_up
    random = Random.new(5)
    100.times do
      values = Array.new(random.rand(1..2_000)) { (2**random.rand(1.0..40.0)).round }
      weighted = Holdup::Export::Statsd::WeightedValues.new(Holdup::Histogram.of(values)).by_weight
      assert_equal values.size, weighted.sum { |weight, some| weight * some.size }
      assert_empty weighted.keys.reject { |weight| weight == 1 << weight.bit_length - 1 }
    end
  end

  # Of the longest names and tags, and of Datadog's own.
  def test_every_message_fits_into_a_packet
    exporter
    setting = {**SETTING, "app" => "s" * 100}
    histogram = Array.new(3_000) { |index| 2**12 + index**3 }
    @exporters.last.add([window("A#{"b" * 199}", histogram, setting:, kind: :job, queue: "q" * 100)], [])
    send_all
    assert_equal 3_000, messages("ruby.gvl.duration").sum(&:count)
    assert_operator @receiver.datagrams.map(&:bytesize).max, :<=, 1432
  end

  def test_the_error_of_a_value_is_that_of_its_buckets
    random = Random.new(9)
    {4 => 0.022, 8 => 0.045, 16 => 0.092}.each do |octaves, error|
      values = Array.new(5_000) { (2**random.rand(14.0..14.0 + octaves - 0.1)).round }.sort
      weighted = Holdup::Export::Statsd::WeightedValues.new(Holdup::Histogram.of(values)).to_a
      seconds = weighted.sort_by(&:first).flat_map { |value, count| [value] * count }
      assert_operator weighted.size, :<=, 65
      worst = values.zip(seconds).map { |ns, value| (value * NS / ns - 1).abs }.max
      assert_operator worst, :<=, error, "#{octaves} octaves"
    end
  end
end

# Plain StatsD, which has no tags.
class Holdup::Export::Exporters::PlainStatsdTest < Minitest::Test
  include StatsdExporting

  def exporter(**options) = super(format: :statsd, **options)

  # Labels are parts of the name.
  def send_all
    super
    assert_empty messages.map(&:tags).uniq - [{}]
  end

  def received
    send_all
    counts = sums(/\Aruby\.gvl\.duration\..*\.count\z/, ".count")
    seconds = sums(/\Aruby\.gvl\.time\./, /\.(cpu|starved|stalled|io|lock|sleep|native|running)\z/)
    counts.to_h { |name, count| [name, Received.new(count: count.to_i, seconds: seconds[name])] }
  end

  # By the names that the contract gives, of which only letters are left.
  def sums(pattern, ending)
    found = messages.select { |message| pattern.match?(message.name) }
    found.each_with_object(Hash.new(0)) do |message, sums|
      name = message.name.sub(ending, "")[/\.(?:request\.|shop\.)([^.]+)(?:\.web-1)?\z/, 1]
      sums[name] += message.value
    end
  end

  def hang
    @receiver.instance_variable_get(:@thread).kill.join
  end

  def assert_received(sent)
    super(sent.transform_keys { |name| name.gsub(/\W+/, "_") })
  end

  # "(other)" has no letters around it here.
  def test_names_beyond_the_limit_are_added_up_and_the_log_says_so_once
    one = exporter(series: 2)
    2.times { |round| one.add(%w[A B C].map { |name| window("#{name}#{round}", [NS]) }, []) }
    assert_equal({"A0" => 1, "B0" => 1, "_other_" => 4}, received.transform_values(&:count))
    assert_equal 1, @log.lines.grep(/StatsD gets no more than 2 names/).size
  end

  def test_percentiles_are_gauges_in_seconds
    exporter.add([window("GET /orders", Array.new(100) { |index| (index + 1) * 10_000_000 })], [])
    send_all
    name = "ruby.gvl.duration.shop.puma_sidekiq.web-1.request.GET_orders"
    found = messages.select { |message| message.name.start_with?(name) }
    values = found.to_h { |message| [message.name.delete_prefix("#{name}."), [message.type, message.value]] }
    assert_equal [["c", 100.0], ["g", 1.0]], values.values_at("count", "max")
    {"p50" => 0.5, "p95" => 0.95, "p99" => 0.99}.each do |percentile, seconds|
      assert_in_delta 1, values[percentile].last / seconds, 0.022, percentile
    end
  end

  def test_no_packet_is_longer_than_networks_take
    exporter.add(Array.new(50) { |index| window("OrdersController#action_#{index}", [NS]) }, [])
    send_all
    assert_operator @receiver.datagrams.size, :>, 5
    assert_operator @receiver.datagrams.map(&:bytesize).max, :<=, 1432
  end

  def test_a_unix_socket_that_nobody_reads_ends_the_push_in_time
    one = exporter(path: File.join(folder, "statsd.socket"))
    one.add(Array.new(200) { |index| window("A#{index}" * 20, [NS]) }, [])
    hang
    started = Process.clock_gettime(Process::CLOCK_MONOTONIC)
    assert_raises(SystemCallError) { one.push }
    assert_operator Process.clock_gettime(Process::CLOCK_MONOTONIC) - started, :<, 10
  end
end
