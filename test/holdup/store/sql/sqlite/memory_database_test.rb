# frozen_string_literal: true

require "test_helper"
require "contracts/store_contract"
require "holdup/loader"

class Holdup::Store::Sql::Sqlite
  class MemoryDatabaseTest < Minitest::Test
    include SampleMinutes
    include StoreContract

    # SqlTest does it with the same statements.
    one_ruby

    def histories = 1

    def new_store = Holdup::Store.open("memory:")

    def test_each_store_is_another_one
      @store.commit([minute], {})
      other = new_store
      assert_equal [1, 0], [units(@store), units(other)]
    end

    def test_stays_when_it_is_closed
      @store.commit([minute], {})
      @store.close
      assert_equal 1, units(@store)
    end

    def test_leaves_no_file
      Dir.mktmpdir do |folder|
        Dir.chdir(folder) { new_store.commit([minute], {}) }
        assert_empty Dir.children(folder)
      end
    end

    def test_threads_take_turns
      threads = Array.new(4) do |number|
        Thread.new do
          20.times do |index|
            @store.commit([minute(index)], {"s#{number}" => index.to_s})
            @store.snapshot { [units(@store), @store.settings] }
          end
        end
      end
      threads.each(&:join)
      assert_equal [80, 4], [units(@store), @store.checkpoints.size]
    end
  end
end
