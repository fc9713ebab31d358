# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "holdup/agent/retained_objects"

# Watches of simulated processes, one name of which is given something to retain.
class Holdup::Analysis::RetainedMemoryTest < Minitest::Test
  NAMES = Array.new(10) { |number| "E#a#{number}" }
  LEAK = NAMES[3]
  KB = 1024
  FROM_S = 1_790_000_000

  # @yieldparam name [String]
  # @yieldparam number [Integer] of the watch
  # @return [Array<Hash>] two samples of a process
  def process(watches: 300, pid: 1, grown: 4_000_000, seed: 1)
    random = Random.new(seed)
    blocks = Holdup::RetainedBlocks.new
    (1..watches).each do |number|
      name = NAMES.sample(random:)
      blocks.add(number, name)
      bytes = yield(name, number)
      blocks.retain(number, name, bytes) if bytes.positive?
    end
    blocks.last_number = watches
    [sample(pid, 0, 100_000_000), sample(pid, 600, 100_000_000 + grown).merge(facts(blocks))]
  end

  def kept(name, bytes) = (name == LEAK) ? bytes : 0

  def sample(pid, second, rss_bytes)
    {at_s: FROM_S + second, host: "web-1", pid:, start: 1, rss_bytes:}
  end

  def facts(blocks)
    facts = {"retained.watched": blocks.watched, "retained.names": blocks.names.size, "retained.majors": 1}
    blocks.largest(6).each_with_index do |name, index|
      units, bytes = blocks.texts(name)
      facts.update("retained.#{index}.name": name, "retained.#{index}.units": units,
        "retained.#{index}.bytes": bytes)
    end
    facts
  end

  def memory(samples, **options)
    Holdup::Analysis::RetainedMemory.new(samples, NAMES.to_h { |name| [name, 3600] }, **options)
  end

  def test_names_what_retains_memory_all_the_time
    found = memory(process { |name, _| kept(name, KB) }).names
    assert_equal [LEAK], found.map(&:name)
    leak = found.first
    assert_equal KB, leak.each_bytes
    assert_equal [KB, KB], leak.each_within
    assert_equal 3600 * KB, leak.bytes
    assert_equal leak.watched, leak.retaining
    assert_equal 1, leak.majors
  end

  def test_an_interval_contains_what_was_planted
    random = Random.new(5)
    misses = (1..40).count do |seed|
      found = memory(process(seed:, watches: 600) { |name, _| kept(name, random.rand(2 * KB)) }).names
      least, most = found.first.each_within
      !KB.between?(least, most)
    end
    assert_operator misses, :<=, 6
  end

  def test_names_what_retains_memory_now_and_then
    random = Random.new(5)
    found = memory(process(watches: 3000) { |name, _| kept(name, (random.rand < 0.2) ? 50 * KB : 0) }).names
    assert_equal [LEAK], found.map(&:name)
    assert_operator found.first.each_within.first, :<, found.first.each_bytes
  end

  def test_a_cache_that_fills_once_and_one_that_replaces_its_entries_have_no_name
    {"fills" => ->(number) { number < 60 }, "replaces" => ->(number) { number > 240 }}.each do |kind, alive|
      assert_empty memory(process { |name, number| kept(name, alive.call(number) ? KB : 0) }).names, kind
    end
  end

  def test_single_objects_that_stay_by_chance_have_no_name
    200.times do |seed|
      random = Random.new(seed)
      found = memory(process(seed:) { |_, _| (random.rand(100) < 1) ? KB : 0 }).names
      assert_empty found.map(&:name), "seed #{seed}"
    end
  end

  def test_processes_are_looked_at_together
    samples = (1..4).flat_map { |pid| process(watches: 40, pid:, seed: pid) { |name, _| kept(name, KB) } }
    found = memory(samples)
    assert_equal [LEAK], found.names.map(&:name)
    assert_equal 16_000_000, found.grown_bytes
    assert_equal 160, found.watched
  end

  def test_names_and_the_rest_add_up_to_the_growth_of_the_processes
    [{}, {each_host: 3}].each do |options|
      found = memory(process { |name, _| NAMES.first(2).include?(name) ? KB : 0 }, **options)
      assert_equal 2, found.names.size
      assert_equal found.grown_bytes, found.names.sum(&:bytes) + found.rest_bytes
    end
  end

  def test_without_watches_nothing_is_said
    assert_empty memory([sample(1, 0, 1), sample(1, 60, 2)]).names
    assert_empty memory([]).names
    assert_equal 0, memory([]).grown_bytes
  end

  def test_a_profile_without_room_for_all_facts_is_read
    samples = process { |name, _| kept(name, KB) }
    samples.last.delete(:"retained.0.bytes")
    assert_empty memory(samples).names
  end
end
