# frozen_string_literal: true

require "test_helper"
require "holdup/inquiry/summed"
require "holdup/stores"

class Holdup::Inquiry::SummedTest < Minitest::Test
  def setup
    @sample = SampleWindows.new
    @store = Holdup::Stores.open("memory:")
    @store.commit(@sample.to_a, {}, processes: SampleProcesses.new(@sample).to_a)
  end

  def summed(**view) = Holdup::Inquiry::Summed.call(@store, from_s: @sample.from_s, to_s: @sample.to_s, **view)

  def test_a_span_with_its_processes
    assert_equal @sample.to_a.sum(&:count), summed.total.count
    assert_equal %w[puma sidekiq], summed.processes.groups.map(&:server).sort
  end

  # Samples know whole seconds: a process that ended just now was last seen in the second in which the span ends.
  def test_the_last_second_belongs_to_it
    @store.commit([], {}, processes: [{at_s: @sample.to_s, host: "web-1", pid: 9, name: "pid 9", server: "late"}])
    assert_includes summed.processes.groups.map(&:server), "late"
  end

  def test_what_is_shown_of_it
    summary = summed(filter: Holdup::Analysis::Filter.new(name: "Orders*"), sort: :count)
    assert_equal ["OrdersController#index"], summary.rows.map(&:name)
    assert_equal :count, summary.sort
  end
end
