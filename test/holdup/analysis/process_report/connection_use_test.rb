# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Analysis::ProcessReport::ConnectionUseTest < Minitest::Test
  # @param pools [Hash{String => Integer}] names and sizes
  def samples(pid, pools, from: 0, to: 600, server: "puma")
    [from, to].map { |at_s|
      {at_s:, host: "web-1", pid:, start: 1, since_s: from, server:,
       **pool_facts(pools)}
    }
  end

  def pool_facts(pools)
    facts = pools.each_with_index.map do |(name, max), index|
      {"pool.#{index}": name, "pool.#{index}.max": max}
    end
    facts.reduce({}, :merge)
  end

  def use(*samples)
    Holdup::Analysis::ProcessReport.new(samples.flatten, from_s: 0, to_s: 600).connections
  end

  def test_counts_one_connection_for_each_thread
    use = use(samples(1, {"web" => 5}), samples(2, {"web" => 5}),
      samples(3, {"default" => 10, "mailers" => 2}, server: "sidekiq"))
    assert_equal 22, use.total
    assert_equal 10, use.of_kind(:request)
    assert_equal 12, use.of_kind(:job)
    assert_equal 12, use.of_other_kinds(:request)
  end

  def test_limits_connections_to_the_pool_of_the_process
    use = use(samples(1, {"web" => 5, "default" => 10, "db primary" => 8, "db animals" => 1}))
    assert_equal 8, use.total
    assert_equal 5, use.of_kind(:request)
    assert_equal 8, use.of_kind(:job)
    assert_equal 3, use.of_other_kinds(:request)
  end

  def test_does_not_add_a_process_to_the_one_that_it_replaces
    ended = samples(1, {"web" => 5}, to: 300).each { |sample| sample[:ended] = true if sample[:at_s] == 300 }
    assert_equal 5, use(ended, samples(2, {"web" => 5}, from: 300)).total
    assert_equal 0, use.total
  end
end
