# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "rack/test"
require "sqlite3"
require "weakref"

class Holdup::Web::StorePoolTest < Minitest::Test
  include CommandLine
  include Rack::Test::Methods

  attr_reader :app

  def sample = @sample ||= SampleWindows.new

  def pool_of(url) = Holdup::Web::StorePool.new { url }

  # The gem sqlite3 2.x keeps a weak reference to each connection that was ever opened.
  def test_pages_leave_no_connection_behind
    with_store(sample) do |path|
      @app = Holdup::Web.new(store: pool_of(path), dir: "/nonexistent", auth: :none)
      3.times { get "/" }
      before = references
      20.times { get "/" }
      assert_equal 200, last_response.status
      assert_equal before, references
    end
  end

  def references
    GC.start
    [WeakRef, SQLite3::Database].map { |kind| ObjectSpace.each_object(kind).count }
  end

  def test_two_pages_at_a_time_have_a_connection_each
    with_store(sample) do |path|
      pool = pool_of(path)
      one = pool.call
      other = pool.call
      refute_same one.__getobj__, other.__getobj__
      one.close
      assert_same one, pool.call
    end
  end

  def test_a_forked_process_opens_its_own
    with_store(sample) do |path|
      pool = pool_of(path)
      pool.call.tap(&:health).close
      pid = fork do
        parents = pool.instance_variable_get(:@idle).first
        exit!(pool.call.equal?(parents) ? 1 : 0)
      end
      assert_predicate Process.wait2(pid).last, :success?
    end
  end

  def test_reads_another_store_where_the_address_has_changed
    with_store(sample) do |path|
      urls = [path, "#{path}.other", path]
      pool = Holdup::Web::StorePool.new { urls.shift }
      first = pool.call
      first.close
      assert_raises(Holdup::StoreError) { pool.call.health }
      assert_same first, pool.call
    end
  end

  def test_a_store_in_a_server_is_closed_after_each_page
    store = pool_of("memory:").call
    assert_instance_of Holdup::Store::Sql, store
  end
end
