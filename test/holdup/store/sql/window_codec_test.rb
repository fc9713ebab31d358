# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "sequel"

class Holdup::Store::Sql::WindowCodecTest < Minitest::Test
  include TemporaryFolder

  Sql = Holdup::Store::Sql
  Window = Holdup::Window
  Histogram = Holdup::Histogram
  Codec = Sql::WindowCodec
  SETTING = Holdup::Setting.new(attributes: {"ruby" => "3.4.5", "threads" => 5, "app" => "店"})

  def setup
    @connection = Sql::Connection.new(Sql::Sqlite.new(File.join(folder, "a.sqlite3")))
    @codec = Codec.new(@connection)
  end

  def teardown
    @connection.close
    super
  end

  # Each number differs, so that two columns that changed places are seen.
  def window(kind: :request, name: "Orders#index", queue: nil, values: [], host: "web-1", **rest)
    sums = Window::SUMS.each_with_index.to_h { |key, index| [key, 1000 + index] }
    histograms = Window::HISTOGRAMS.each_with_index.to_h do |key, index|
      [key, Histogram.of(values.map { |value| value + index })]
    end
    Window.new(start_s: 1_790_000_040, seconds: 60, series: Holdup::Series.new(kind:, name:, queue:),
      setting: SETTING, host:, count: values.size, errors: 3, sums:, histograms:, **rest)
  end

  # Writes through the database, which may change types and bytes, and reads with a codec that knows no id.
  def stored(*windows)
    rows = windows.map { |window| @codec.row(window) }
    @connection.write { |db| db[:windows].import(Codec::COLUMNS, rows) }
    @connection.read { |db| db[:windows].order(:id).all }
  end

  def round_trip(window)
    row = stored(window).last
    Codec.new(@connection).window(row)
  end

  def test_each_field_comes_back
    original = window(values: [1, 2_000, 5_000_000, 1 << 43])
    found = round_trip(original)

    original.to_h.each { |field, value| assert_equal value, found.public_send(field), field }
  end

  def test_random_windows_come_back
    random = Random.new(11)
    20.times do |turn|
      values = Array.new(random.rand(0..60)) { (10**random.rand(0.0..13.0)).round }
      original = window(name: "C#{turn}#a", values:, errors: random.rand(0..9))
      assert_equal original, round_trip(original), "turn #{turn}"
    end
  end

  def test_names_and_queues_of_any_kind_come_back
    [[:job, "日本語🍣", "優先"], [:job, "it's \"quoted\"; --", "a'b"], [:account, "thread:main", nil],
      [:process, "worker 0", nil], [:overflow, "(series beyond the limit)", nil]].each do |kind, name, queue|
      series = round_trip(window(kind:, name:, queue:)).series
      assert_equal Holdup::Series.new(kind:, name:, queue:), series
      assert_equal Encoding::UTF_8, series.name.encoding
    end
  end

  # The column is not null, because a unique index takes two nulls for different.
  def test_a_job_without_a_queue_has_one_row
    one, other = Array.new(2) { @codec.key(window(kind: :job, name: "A", queue: nil)) }

    assert_equal one, other
    assert_nil round_trip(window(kind: :job, name: "A", queue: nil)).series.queue
    refute_equal one, @codec.key(window(kind: :job, name: "A", queue: "low"))
  end

  def test_the_key_tells_series_settings_and_hosts_apart
    other = Holdup::Setting.new(attributes: SETTING.attributes.merge("threads" => 6))
    windows = [window, window(name: "B"), window(kind: :job), window(host: "web-2"), window(setting: other)]
    keys = windows.map { |one| @codec.key(one) }

    assert_equal keys, keys.uniq
    assert_equal keys, windows.map { |one| Codec.new(@connection).key(one.with(count: 9, start_s: 60)) }
  end

  def test_the_largest_numbers_of_a_column
    most = (1 << 63) - 1
    original = window.with(sums: Window::SUMS.to_h { |name| [name, most] }, count: most, errors: most)

    assert_equal original, round_trip(original)
  end

  def test_reads_only_the_histograms_that_are_wanted
    original = window(values: [7_000, 9_000_000])
    columns = @codec.columns(%i[wall stalled])
    stored(original)
    row = @connection.read { |db| db[:windows].select(*columns).first }
    found = @codec.window(row, %i[wall stalled])

    assert_equal original.spread_of(%i[wall stalled]), found
    assert_instance_of Histogram, found.histograms[:wall]
    assert_instance_of Histogram::CountAndSum, found.histograms[:idle]
    assert_equal original.histograms[:idle].sum, found.histograms[:idle].sum
  end

  # The head must be enough for the longest numbers, but it is far shorter than the histogram.
  def test_a_head_is_short_and_holds_the_longest_numbers
    most = (1 << 63) - 1
    long = Histogram.of((1..500).map { |i| i**4 }).with(count: most, sum: most)
    stored(window.with(histograms: Window::HISTOGRAMS.to_h { |name| [name, long] }))
    row = @connection.read { |db| db[:windows].select(*@codec.columns([])).first }

    Window::HISTOGRAMS.each do |name|
      assert_operator row[name].bytesize, :<=, Histogram::Codec::HEAD_BYTES, name
      assert_equal [most, most], @codec.window(row, []).histograms[name].then { |one| [one.count, one.sum] }
    end
  end

  def test_a_damaged_histogram_is_an_error_of_ours
    row = stored(window(values: [5_000] * 9)).first
    [row.merge(wall: Sequel.blob("\x07garbage")), row.merge(wall: Sequel.blob("")),
      row.merge(wall: row[:wall][0, 3])].each do |damaged|
      assert_raises(Holdup::DamagedData) { @codec.window(damaged) }
      assert_equal row[:count], @codec.window(row).count
    end
  end

  def test_a_damaged_setting_or_a_missing_name_is_an_error_of_ours
    row = stored(window).first
    @connection.write { |db| db[:settings].update(attributes: "{") }

    assert_raises(Holdup::DamagedData) { Codec.new(@connection).window(row) }
    assert_raises(Holdup::DamagedData) { @codec.window(row.merge(series_id: 77)) }
  end

  # Another collector gets the id that this one's failed transaction took back.
  def test_forgets_ids_of_a_transaction_that_failed
    assert_raises(RuntimeError) do
      @connection.write do
        @codec.key(window(name: "Failed", host: "web-9"))
        raise "disk"
      end
    end
    @codec.forget
    Codec.new(@connection).key(window(name: "Other", host: "web-8"))

    assert_equal window(name: "Failed", host: "web-9"), round_trip(window(name: "Failed", host: "web-9"))
    names = @connection.read { |db| db[:hosts].order(:name).select_map(:name) }
    assert_equal %w[web-8 web-9], names
  end
end

class Holdup::Store::Sql::CatalogTest < Minitest::Test
  include TemporaryFolder

  def setup
    @connection = Holdup::Store::Sql::Connection.new(Holdup::Store::Sql::Sqlite.new(File.join(folder,
      "a.sqlite3")))
    @hosts = catalog
  end

  def teardown
    @connection.close
    super
  end

  def test_a_value_has_one_id_also_for_another_reader
    id = @hosts.id("web-1")

    assert_equal [id, id], [@hosts.id("web-1"), catalog.id("web-1")]
    assert_equal "web-1", catalog.value(id)
    refute_equal id, @hosts.id("web-2")
  end

  def test_finds_a_row_that_another_process_added
    @hosts.load
    id = catalog.id("web-3")

    assert_equal "web-3", @hosts.value(id)
    assert_equal({id => "web-3"}, @hosts.load)
  end

  def test_ids_of_another_file_are_forgotten
    @hosts.id("web-1")
    @connection.close
    Dir["#{folder}/*"].each { |file| File.delete(file) }
    @connection.write { assert_equal 1, @hosts.id("web-2") }

    assert_equal ["web-2"], @hosts.load.values
  end

  private

  def catalog
    Holdup::Store::Sql::WindowCodec::Catalog.new(@connection, :hosts, encode: ->(name) { [{name:}, {}] },
      decode: ->(row) { row[:name] })
  end
end
