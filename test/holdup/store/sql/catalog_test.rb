# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

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
    Holdup::Store::Sql::Catalog.new(@connection, :hosts, encode: ->(name) { [{name:}, {}] },
      decode: ->(row) { row[:name] })
  end
end
