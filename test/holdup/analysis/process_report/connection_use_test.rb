# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Analysis::ProcessReport::ConnectionUseTest < Minitest::Test
  # @param pools [Hash{String => Integer}] names and sizes
  def samples(pid, pools, from: 0, to: 600, server: "puma")
    [from, to].map { |at_s|
      {at_s:, host: "web-1", pid:, start: 1, since_s: from, server:,
       **pools.each_with_index.flat_map { |(name, max), index| [[:"pool.#{index}", name], [:"pool.#{index}.max", max]] }.to_h}
    }
  end

  def use(*samples)
    Holdup::Analysis::ProcessReport.new(samples.flatten, from_s: 0, to_s: 600).connections
  end

  def test_each_thread_may_have_one
    use = use(samples(1, {"web" => 5}), samples(2, {"web" => 5}),
      samples(3, {"default" => 10, "mailers" => 2}, server: "sidekiq"))
    assert_equal [22, 10, 12, 12], [use.most, use.of(:request), use.of(:job), use.beside(:request)]
  end

  def test_as_far_as_the_pool_of_its_process_allows
    use = use(samples(1, {"web" => 5, "default" => 10, "db primary" => 8, "db animals" => 1}))
    assert_equal [8, 5, 8, 3], [use.most, use.of(:request), use.of(:job), use.beside(:request)]
  end

  def test_who_replaces_another_is_not_there_beside_it
    ended = samples(1, {"web" => 5}, to: 300).each { |sample| sample[:ended] = true if sample[:at_s] == 300 }
    assert_equal 5, use(ended, samples(2, {"web" => 5}, from: 300)).most
    assert_equal 0, use.most
  end
end
