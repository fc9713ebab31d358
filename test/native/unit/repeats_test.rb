# frozen_string_literal: true

require "test_helper"
require "tmpdir"
require "holdup/segment/directory"

# Queries that a unit repeats, as the probe counts them and the segment keeps them.
class RepeatsTest < Minitest::Test
  include FreshRuby

  LEAST = 5
  APPLICATION = <<~RUBY
    class Cart
      def items(count) = SomeGem.each(count) { |id| query("SELECT * FROM items WHERE id = \#{id}") }

      def owners(count)
        count.times { |id| query("SELECT * FROM owners WHERE id = $1") }
      end
    end
  RUBY
  GEM = <<~RUBY
    module SomeGem
      def self.each(count, &) = count.times(&)
    end
  RUBY

  def setup
    @dir = Dir.mktmpdir("holdup-native-repeats")
    FileUtils.mkdir_p(["#{@dir}/app", "#{@dir}/gems"])
    File.write("#{@dir}/app/cart.rb", APPLICATION)
    File.write("#{@dir}/gems/some_gem.rb", GEM)
  end

  def teardown
    FileUtils.rm_rf(@dir)
  end

  def test_a_query_that_is_repeated_is_named_with_its_line
    write(<<~RUBY)
      2.times { unit("CartsController#show") { Cart.new.items(7) } }
    RUBY
    found = repeated.first
    assert_equal 1, repeated.size
    assert_equal ["CartsController#show", "app/cart.rb:2 Cart#items", 14],
      [found.series.name, found.series.queue, found.count]
    assert_operator found.histogram(:wall).sum, :>=, 14 * 1_000_000
    assert_equal found.histogram(:wall).sum, %i[running stalled idle].sum { |name| found.histogram(name).sum }
    assert_operator found.histogram(:wall).sum, :<=, call("CartsController#show").histogram(:wall).sum
  end

  def test_notifications_of_a_query_are_counted_like_queries
    write(%(unit("A#a") { #{LEAST}.times { |number| notified("SELECT * FROM a WHERE id = \#{number}") } }\n))
    assert_equal [["A#a", LEAST]], repeated.map { |slot| [slot.series.name, slot.count] }
  end

  def test_fewer_and_other_queries_are_no_repetition
    write(<<~RUBY)
      unit("A#a") { Cart.new.items(#{LEAST - 1}) }
      unit("A#b") { 20.times { |number| query("SELECT c\#{number} FROM items") } }
      unit("A#c") { Cart.new.items(#{LEAST - 1}) && Cart.new.owners(#{LEAST}) }
    RUBY
    assert_equal [["A#c", LEAST]], repeated.map { |slot| [slot.series.name, slot.count] }
  end

  def test_nothing_is_counted_unless_it_is_asked_for
    write(<<~RUBY)
      PROBE.repeated_queries = 0
      unit("A#a") { Cart.new.items(50) }
    RUBY
    assert_empty repeated
    assert_equal 50, call("A#a").count
  end

  def test_units_of_all_ends_and_more_queries_than_a_unit_has_room_for
    write(<<~RUBY)
      PROBE.cancel(PROBE.enter.tap { Cart.new.items(9) })
      PROBE.finish(PROBE.enter.tap { Cart.new.items(9) })
      unit("A#a") { 300.times { |number| query("SELECT c\#{number % 100} FROM items") } }
      PROBE.repeated_queries = 3
      unit("A#b") { 300.times { |number| query("SELECT c\#{number % 100} FROM items") } }
      unit("A#c") { notified(7) && query(nil) }
    RUBY
    assert_equal [["A#b", 64 * 3]], repeated.map { |slot| [slot.series.name, slot.count] }
  end

  SAME = [
    ["SELECT * FROM a WHERE id = 1", "SELECT * FROM a WHERE id = 22", "SELECT  *\nFROM a WHERE id = 3.5"],
    ["SELECT * FROM a WHERE id IN (1, 2, 3)", "SELECT * FROM a WHERE id IN (4)",
      "SELECT * FROM a WHERE id IN ($1, $2)", "SELECT * FROM a WHERE id IN (?,?,?,?)"],
    ["SELECT 'it''s' FROM a LIMIT 1", "SELECT 'x' FROM a LIMIT 2", "SELECT '' FROM a LIMIT 10",
      "SELECT 'a\\'b' FROM a LIMIT 1"],
    ["SELECT t0_r1 FROM a /* request 17 */", "SELECT t0_r1 FROM a /* request 18 */"],
    ["SELECT t0_r2 FROM a"],
    ["SELECT * FROM a WHERE x = 1, y", "SELECT * FROM a WHERE x = 2, y"],
    ["SELECT * FROM a WHERE x = 1 y"],
    ["SELECT 'open", "SELECT 'end"],
    ["SELECT /* open", "SELECT /*"],
    ["SELECT * FROM a1"], ["SELECT * FROM a2"], ["SELECT ab"], ["SELECT a b"], [""]
  ].freeze

  def test_queries_are_the_same_when_they_differ_only_in_values
    found = SAME.map { |queries| queries.map { |sql| Holdup::Probe.query_fingerprint(sql) }.uniq }
    found.zip(SAME) { |hashes, queries| assert_equal 1, hashes.size, queries.inspect }
    assert_equal SAME.size, found.flatten.uniq.size
  end

  private

  def snapshot
    @snapshot ||= Holdup::Segment::Reader.open(Dir["#{@dir}/*.segment"].first, gone: true, &:snapshot)
  end

  def repeated = snapshot.slots.select { |slot| slot.series.kind == :repeat }

  def call(name) = snapshot.slot(name, kind: :call, queue: "sql")

  def write(script)
    fresh_ruby(<<~RUBY)
      PROBE = Holdup::Probe
      load #{"#{@dir}/gems/some_gem.rb".dump}
      load #{"#{@dir}/app/cart.rb".dump}
      CONNECTION = Object.new
      EVENTS = PROBE.query_events(->(_connection) { PROBE.call_kind("sql") })
      def query(sql)
        PROBE.begin_call
        sleep 0.001
        EVENTS.end_query(nil, CONNECTION, sql, true)
      end
      def notified(sql)
        payload = {connection: CONNECTION, sql:}
        EVENTS.start("sql.active_record", "id", payload)
        EVENTS.finish("sql.active_record", "id", payload)
      end
      def unit(name)
        handle = PROBE.enter
        yield
        PROBE.record(handle, 1, name, nil, nil, false)
      end
      PROBE.open_segment(#{"#{@dir}/1-1.segment".dump}, 20, 128, 3, 7)
      PROBE.application_folders(#{"#{@dir}/".dump}, [#{"#{@dir}/gems/".dump}], #{"#{@dir}/ours/".dump})
      PROBE.repeated_queries = #{LEAST}
      PROBE.enable
      #{script}
      PROBE.close_segment
    RUBY
  end
end
