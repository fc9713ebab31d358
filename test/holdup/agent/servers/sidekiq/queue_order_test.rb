# frozen_string_literal: true

require "test_helper"
require "sidekiq"
require "sidekiq/capsule"
require "holdup/agent/guard"
require "holdup/agent/servers/sidekiq"

# With Sidekiq's own capsules, which say what their queues mean.
class Holdup::Servers::QueueOrderTest < Minitest::Test
  # Sidekiq 7.0 does not say the mode.
  EarlierCapsule = Data.define(:queues)

  class Sizes
    def sizes(queues) = queues.each_with_index.to_h { |name, index| [name, index + 1] }

    def mix(name) = {"#{name.capitalize}Job" => 2}
  end

  def order(*queues)
    capsule = Sidekiq::Capsule.new("default", Sidekiq::Config.new)
    capsule.queues = queues
    Holdup::Servers::Sidekiq::QueueOrder.new(capsule)
  end

  def waiting(order)
    order.waiting(Sizes.new).map { |queue| [queue.name, queue.size, queue.lane, queue.weight] }
  end

  def test_strict_queues_are_looked_at_in_their_order
    strict = order("high", "low")
    assert_equal "strict", strict.mode
    assert_nil strict.weights
    assert_equal [["high", 1, 0, 0], ["low", 2, 1, 0]], waiting(strict)
  end

  def test_weighted_queues_have_their_weights
    weighted = order("high,3", "low,1")
    assert_equal "weighted", weighted.mode
    assert_equal "high:3 low:1", weighted.weights
    assert_equal [["high", 1, 0, 3], ["low", 2, 1, 1]], waiting(weighted)
  end

  def test_queues_of_weight_one_are_random
    random = order("high,1", "low,1")
    assert_equal "random", random.mode
    assert_nil random.weights
    assert_equal [["high", 1, 0, 1], ["low", 2, 1, 1]], waiting(random)
  end

  def test_a_sample_of_the_jobs_of_each
    found = order("high", "low").waiting(Sizes.new)
    assert_equal [{"HighJob" => 2}, {"LowJob" => 2}], found.map(&:mix)
  end

  def test_an_order_that_is_not_known_is_one_lane
    unknown = Holdup::Servers::Sidekiq::QueueOrder.new(EarlierCapsule.new(%w[high low]))
    assert_nil unknown.mode
    assert_equal [["high", 1, 0, 0], ["low", 2, 0, 0]], waiting(unknown)
  end
end
