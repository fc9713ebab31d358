# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

# What is said to the server, without one. The store contract has the real one.
class Holdup::Store::Clickhouse::NameTableTest < Minitest::Test
  NameTable = Holdup::Store::Clickhouse::NameTable
  ORDERS = Holdup::Series.new(kind: :request, name: "Orders#index", queue: nil)
  MAIL = Holdup::Series.new(kind: :job, name: "MailJob", queue: "mail")
  SETTING = Holdup::Setting.new(attributes: {"threads" => 5})

  # Keeps names as the table does: the latest of each id counts.
  class Server
    attr_reader :inserts, :reads

    def initialize
      @names = []
      @inserts = []
      @reads = 0
    end

    def location = "clickhouse://server"

    def insert(_table, rows)
      @inserts << rows
      @names.concat(rows)
    end

    def rows(statement)
      @reads += 1
      kind = statement[/kind = '(\w+)'/, 1]
      same = @names.select { |row| row[:kind] == kind }.group_by { |row| row[:id] }
      same.map { |id, rows| [id, rows.max_by { |row| row[:stamp] }[:text]] }
    end
  end

  def setup
    @server = Server.new
    @names = NameTable.new(@server)
  end

  def test_names_are_found_by_the_ids_in_rows
    @names.save([ORDERS, MAIL], [SETTING], {})
    assert_equal [ORDERS, MAIL], [ORDERS, MAIL].map { |series| @names.series(NameTable.series_id(series)) }
    assert_equal SETTING, @names.setting(NameTable.setting_id(SETTING))
  end

  # Collectors need not agree on it.
  def test_an_id_is_made_of_the_name
    assert_equal NameTable.series_id(ORDERS), NameTable.series_id(ORDERS.with(name: "Orders#index"))
    others = [ORDERS.with(kind: :job), ORDERS.with(name: "Orders"), ORDERS.with(queue: "")]
    refute_includes others.map { |series| NameTable.series_id(series) }, NameTable.series_id(ORDERS)
  end

  def test_a_name_is_written_once
    @names.save([ORDERS, ORDERS], [SETTING], {})
    @names.save([ORDERS, MAIL], [SETTING], {})
    kinds = @server.inserts.map { |rows| rows.map { |row| row[:kind] } }
    assert_equal [%w[series setting], %w[series]], kinds
  end

  # Another server may be there, which has none.
  def test_after_a_failure_all_are_written_again
    @names.save([ORDERS], [SETTING], {})
    @names.forget
    @names.save([ORDERS], [SETTING], {})
    assert_equal [2, 2], @server.inserts.map(&:size)
  end

  def test_a_name_that_another_collector_wrote_is_read_then
    @names.read_series
    NameTable.new(@server).save([MAIL], [], {})
    assert_equal MAIL, @names.series(NameTable.series_id(MAIL))
    reads = @server.reads
    @names.series(NameTable.series_id(MAIL))
    assert_equal reads, @server.reads, "it is known now"
  end

  def test_an_id_without_a_name_is_a_damaged_store
    error = assert_raises(Holdup::Store::ServerErrors::Corrupt) { @names.series(5) }
    assert_includes error.message, "the series 5 has no name"
  end

  def test_series_with_the_same_queue_stand_for_each_other
    other = MAIL.with(name: "Other")
    @names.save([ORDERS, MAIL, other], [], {})
    @names.read_series
    orders, mail, another = [ORDERS, MAIL, other].map { |series| NameTable.series_id(series) }

    assert_equal({orders => orders, mail => mail, another => mail}, @names.same(nil, :queue))
    assert_equal({another => another}, @names.same([another], :queue))
  end

  def test_paths_of_known_series
    @names.save([ORDERS], [], {ORDERS => "/orders", MAIL => "/lost"})
    assert_equal({ORDERS => "/orders"}, @names.paths)
  end

  def test_what_other_stores_could_not_keep_is_refused
    @names.check(ORDERS.with(name: "a" * 200, queue: "q" * 424))
    [{name: "a" * 201}, {queue: "q" * 425}].each do |long|
      assert_raises(Holdup::StoreError::BadRow) { @names.check(ORDERS.with(**long)) }
    end
  end
end
