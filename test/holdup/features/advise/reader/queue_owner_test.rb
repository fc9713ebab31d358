# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "holdup/model/window"

class Holdup::Advise::Reader::QueueOwnerTest < Minitest::Test
  # A store with these windows.
  Some = Data.define(:all) do
    def windows(_from_s, _to_s, kinds:)
      all.select { |window| kinds.include?(window.series.kind) }
    end
  end

  def test_the_runner_and_the_group_that_ran_most_of_its_jobs
    store = Some.new([
      window(:job, "MailJob", "mailers", "b", 30),
      window(:job, "MailJob", "mailers", "a", 10),
      window(:job, "SyncJob", "low", "a", 90),
      window(:pool, "default (mailers, low)", "mailers", "b", 5),
      window(:pool, "single", "mailers", "b", 25),
      window(:pool, "other", "mailers", "a", 40)
    ])
    assert_equal [setting("b").fingerprint, "single"],
      served(store, "mailers").then { |one| [one.setting, one.pool] }
    assert_nil served(store, "low").pool
  end

  def test_a_queue_without_an_owner
    store = Some.new([window(:job, "SyncJob", "low", "a", 90), window(:request, "A#b", nil, "a", 5)])
    assert_includes assert_raises(Holdup::UsageError) { served(store, "lwo") }.detailed_message, "lwo"
    assert_raises(Holdup::UsageError) { served(Some.new([]), "low") }
  end

  private

  def served(store, queue)
    Holdup::Advise::Reader::QueueOwner.new(store, from_s: 0, to_s: 60, queue:)
  end

  def setting(queues)
    Holdup::Setting.new(attributes: {"job_queues" => queues})
  end

  def window(kind, name, queue, queues, count)
    Holdup::Window.empty(series: Holdup::Series.new(kind:, name:, queue:), setting: setting(queues),
      host: "a", start_s: 0, seconds: 60).with(count:)
  end
end
