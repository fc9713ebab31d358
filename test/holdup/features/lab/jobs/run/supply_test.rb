# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Lab::Jobs
  class Run::SupplyTest < Minitest::Test
    # A queue in memory.
    class List
      attr_reader :jobs

      def initialize = @jobs = []

      def push(*job) = @jobs.push(job)

      def size = @jobs.size
    end

    def list = @list ||= List.new

    def supply = @supply ||= Run::Supply.new(list, JobSequence.new)

    def test_keeps_more_jobs_in_the_queue_than_run_until_the_next_fill
      supply.fill
      assert_equal Run::Supply::LEAST, list.size
      list.jobs.shift(400)
      supply.fill
      assert_equal Run::Supply::AHEAD * 400, list.size
      list.jobs.shift(10)
      supply.fill
      assert_operator list.size, :>=, Run::Supply::LEAST
    end

    def test_says_when_it_had_run_empty
      supply.fill
      list.jobs.clear
      error = assert_raises(Holdup::Error) { supply.fill }
      assert_match(/the queue ran empty after 1000 jobs; jobs this short/, error.message)
    end

    def test_each_cycle_has_the_whole_mix
      work = JobSequence.new([Kind.new(name: "A", weight: 3, arguments: [1]), Kind.new(name: "B")])
      cycles = Array.new(8) { Array.new(4) { work.next.name } }
      assert_equal [%w[A A A B]] * 8, cycles.map(&:sort)
      assert_operator cycles.uniq.size, :>, 1
      assert_equal cycles,
        JobSequence.new([Kind.new(name: "A", weight: 3, arguments: [1]),
          Kind.new(name: "B")]).then { |again| Array.new(8) { Array.new(4) { again.next.name } } }
    end
  end
end
