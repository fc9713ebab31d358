# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Analysis::AllocationsTest < Minitest::Test
  MS = 1_000_000
  SAMPLE = SampleWindows.new

  # Times in ms: running, and of it what was counted; others: of other threads in the counted intervals.
  # `slots`: bytes and objects of the sampled ones.
  def window(name, objects:, running: 100, own: 100, others: 0, gc: 0, count: 10, malloc: 0, slots: [0, 0],
    **options)
    slot_bytes, slot_objects = slots
    sums = {objects:, objects_own_ns: own * MS, objects_others_ns: others * MS, gc_ns: gc * MS,
            malloc_bytes: malloc, slot_bytes:, slot_objects:}
    SAMPLE.window(name, count:, sums:, histograms: {running: Holdup::Histogram.of_sum(running * MS)},
      **options)
  end

  def summary(*windows, **options)
    Holdup::Analysis::Summary.new(windows, from_s: SAMPLE.from_s, to_s: SAMPLE.to_s, **options)
  end

  def each(*windows, name: "A#a")
    found = summary(*windows)
    found.allocations.objects_each(found.rows.find { |row| row.name == name })
  end

  def test_where_no_other_ran_the_objects_are_its_own
    assert_in_delta 500, each(window("A#a", objects: 5000), window("B#b", objects: 100))
  end

  # 6,000 in 300 ms are 20 a ms; others ran for 100 ms.
  def test_others_are_taken_off_at_the_mean_rate
    assert_in_delta 300, each(window("A#a", objects: 5000, others: 100), window("B#b", objects: 1000))
  end

  # It ran for 200 ms, and readings say of 100 ms only what was allocated.
  def test_no_more_than_the_process_allocated
    assert_in_delta 500, each(window("A#a", objects: 5000, running: 200, own: 100))
  end

  # Each thread reads what all have allocated since the last reading of any.
  def simulated(random)
    rates = {"A#a" => 5000, "B#b" => 40, "C#c" => 300, "thread:x" => 20}
    found = rates.keys.to_h { |name| [name, Hash.new(0)] }
    ran = Hash.new(0)
    pending = 0
    2000.times do
      name = rates.keys.sample(random:)
      ms = random.rand(1..20)
      found[name][:running] += ms
      found[name][:allocated] += rates[name] * ms
      ran[name] += ms
      pending += rates[name] * ms
      next if random.rand > 0.3
      found[name][:objects] += pending
      found[name][:own] += ran[name]
      found[name][:others] += ran.values.sum - ran[name]
      pending = 0
      ran.clear
    end
    found
  end

  def of(name, known)
    kind = name.start_with?("thread:") ? :account : :request
    window(name, kind:, count: (kind == :account) ? 0 : 10, **known.slice(:objects, :running, :own, :others))
  end

  def test_all_names_and_threads_add_up_to_what_the_process_counted
    10.times do |seed|
      known = simulated(Random.new(seed))
      found = summary(*known.map { |name, one| of(name, one) })
      counted = known.values.sum { |one| one[:objects] }
      rows = found.rows.to_h { |row| [row.name, found.allocations.objects_within(row)] }
      total = found.allocations.objects_within(found.total)
      assert_in_delta rows.values.sum(&:value), total.value, 1
      assert_operator rows.values.sum(&:value), :<=, counted + 1
      rows.each do |name, one|
        truth = known[name][:allocated]
        assert_operator one.least, :<=, one.value, name
        assert_operator one.value, :<=, one.most, name
        assert_operator one.most, :<=, counted, name
        assert_includes one.least * 0.98..one.most * 1.02, truth, "#{name}, seed #{seed}"
      end
    end
  end

  # 100 seconds in which no request comes and a poller wakes up.
  def test_threads_that_idle_change_no_figure_of_a_request
    known = simulated(Random.new(1))
    busy = known.map { |name, one| of(name, one) }
    idle = window("thread:poller", kind: :account, count: 0, objects: 50_000, running: 100_000, own: 100_000)
    alone, beside = [busy, [*busy, idle]].map do |windows|
      found = summary(*windows)
      found.rows.to_h { |row| [row.name, found.allocations.objects(row).round] }
    end
    assert_equal alone, beside
  end

  def test_less_than_the_others_allocated_is_none
    assert_in_delta 0, each(window("A#a", objects: 10, others: 100), window("B#b", objects: 10_000))
  end

  def test_unknown_where_nothing_was_counted
    assert_nil each(window("A#a", objects: 0, own: 0))
  end

  def test_processes_of_another_setting_do_not_count
    other = Holdup::Setting.new(attributes: {"server" => "sidekiq"})
    windows = [window("A#a", objects: 2000, others: 100),
      window("Job", kind: :job, objects: 1_000_000, gc: 50, setting: other)]
    assert_in_delta 100, each(*windows)
    assert_in_delta 100_000, each(*windows, name: "Job")
  end

  def test_threads_outside_of_requests_count_too
    account = window("thread:poller", kind: :account, count: 0, objects: 15_000)
    found = summary(window("A#a", objects: 5000, gc: 8), account)
    assert_in_delta 0.25, found.allocations.share(found.total)
    assert_in_delta 2 * MS, found.allocations.gc_caused_ns(found.total)
  end

  def test_garbage_collection_belongs_to_those_who_allocate
    found = summary(window("A#a", objects: 9000), window("B#b", objects: 1000, gc: 20))
    caused = found.rows.to_h { |row| [row.name, found.allocations.gc_caused_ns(row) / MS] }
    assert_equal({"A#a" => 18, "B#b" => 2}, caused.transform_values(&:round))
  end

  def test_what_nested_requests_count_twice_is_taken_off
    nested = window("(nested)", kind: :nested, objects: 5000, count: 10)
    found = summary(window("A#a", objects: 10_000, running: 200, own: 200), window("B#b", objects: 5000),
      nested)
    row = found.rows.find { |one| one.name == "B#b" }
    assert_in_delta 0.5, found.allocations.share(row)
  end

  def test_certain_where_others_ran_for_less_than_half_of_the_time
    found = summary(window("A#a", objects: 10, others: 99), window("B#b", objects: 10, others: 101))
    certain = found.rows.to_h { |row| [row.name, found.allocations.certain?(row)] }
    assert_equal({"A#a" => true, "B#b" => false}, certain)
  end

  def bytes(*windows)
    found = summary(*windows)
    found.rows.to_h { |row| [row.name, found.allocations.bytes(row)] }
  end

  # Of many sampled objects, so that the mean of all hardly counts.
  def test_bytes_are_slots_and_malloc
    found = bytes(window("A#a", objects: 1000, malloc: 500_000, slots: [80_000_000, 1_000_000]),
      window("B#b", objects: 1000, slots: [40_000_000, 1_000_000]))
    assert_in_delta 580_000, found["A#a"], 10
    assert_in_delta 40_000, found["B#b"], 10
  end

  def test_without_a_sample_it_has_the_mean_slot
    found = bytes(window("A#a", objects: 1000), window("B#b", objects: 1000, slots: [64_000, 1000]))
    assert_in_delta 64_000, found["A#a"]
  end

  # The samples met nine times as many objects of B as it has: chance, which says nothing of A.
  def test_how_often_the_samples_met_a_name_changes_no_figure_of_another
    even, odd = [100_000, 900_000].map do |sampled|
      bytes(window("A#a", objects: 10_000, slots: [80_000_000, 1_000_000]),
        window("B#b", objects: 10_000, slots: [40 * sampled, sampled]))
    end
    assert_in_delta 800_000, even["A#a"], 100
    assert_in_delta even["A#a"], odd["A#a"], 100
  end

  def test_the_bytes_of_all_names_add_up_to_those_of_the_process
    found = summary(window("A#a", objects: 10_000, slots: [80_000, 1_000]),
      window("B#b", objects: 20_000, slots: [360_000, 9_000]))
    rows = found.rows.sum { |row| found.allocations.bytes(row) }
    assert_in_delta rows, found.allocations.bytes(found.total), 1
    assert_in_delta 1.0, found.allocations.bytes_share(found.total)
  end

  # 600,000 in 300 ms are 2,000 a ms; others ran for 100 ms.
  def test_malloc_of_others_is_taken_off_at_the_mean_rate
    found = bytes(window("A#a", objects: 0, malloc: 500_000, others: 100, slots: [40, 1]),
      window("B#b", objects: 0, malloc: 100_000))
    assert_in_delta 300_000, found["A#a"]
  end

  # Half of what was counted while A ran is of others: with slots of 40 and 120 bytes the mean is 80.
  def test_slots_of_others_are_taken_off_at_the_mean_slot
    found = summary(window("A#a", objects: 200_000, others: 100, slots: [20_000_000, 200_000]),
      window("B#b", objects: 100_000, slots: [4_000_000, 100_000]))
    each = found.rows.to_h { |row| [row.name, found.allocations.bytes(row) / found.allocations.objects(row)] }
    assert_in_delta 120, each["A#a"], 0.1
    assert_in_delta 40, each["B#b"], 0.1
  end

  def test_the_share_of_bytes_is_of_all_threads
    account = window("thread:poller", kind: :account, count: 0, objects: 0, malloc: 300_000)
    found = summary(window("A#a", objects: 0, malloc: 100_000, slots: [40, 1]), account)
    assert_in_delta 0.25, found.allocations.bytes_share(found.total)
  end

  def test_bytes_are_unknown_where_no_slots_are
    found = summary(window("A#a", objects: 1000, malloc: 5000))
    assert_nil found.allocations.bytes(found.total)
    assert_nil found.allocations.bytes_share(found.total)
  end
end
