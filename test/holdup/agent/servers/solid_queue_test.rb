# frozen_string_literal: true

require "test_helper"
require "holdup/model/clock"
require "holdup/agent/guard"
require "holdup/agent/servers/solid_queue"

# With stand-ins for the values that Solid Queue hands over; the real one is in
# test/integration/solid_queue_test.rb.
class Holdup::Servers::SolidQueueTest < Minitest::Test
  Configured = Data.define(:kind, :attributes)
  Pool = Data.define(:size, :available_capacity, :type)
  EarlierPool = Data.define(:size, :idle_threads)
  Worker = Data.define(:queues, :pool)
  Configuration = Data.define(:configured_processes, :mode)
  Mode = Data.define(:name) do
    def fork? = name == :fork
  end
  Group = Holdup::Servers::SolidQueue::WorkerThreads
  Plan = Holdup::Servers::SolidQueue::Topology

  def configuration(mode)
    mails = {queues: %w[mails urgent], threads: 3}
    configured = [Configured.new(:dispatcher, {}), Configured.new(:worker, mails),
      Configured.new(:worker, mails), Configured.new(:worker, {queues: "*", fibers: 50})]
    answer = Mode.new(mode)
    Configuration.new(configured, answer)
  end

  def test_forked_workers_are_processes_each_with_its_own_threads
    plan = Plan.new(configuration(:fork))
    mails = Group.running(Worker.new(%w[mails urgent], Pool.new(3, 3, :thread)))
    assert_equal [3, 2, [mails]], [plan.size, plan.processes(mails), plan.groups_of_process(mails)]
    assert_equal({"job_threads" => 3, "job_queues" => "mails,urgent", "job_mode" => "strict",
      "job_pool" => nil}, Group.facts(plan.groups_of_process(mails)))
  end

  def test_asynchronous_workers_are_one_process_from_the_first_on
    plan = Plan.new(configuration(:async))
    mails = Group.running(Worker.new(%w[mails urgent], Pool.new(3, 3, :thread)))
    assert_equal [1, 1], [plan.size, plan.processes(mails)]
    assert_equal({"job_threads" => 56, "job_queues" => "mails,urgent;mails,urgent;*", "job_mode" => "strict",
      "job_pool" => "fiber"}, Group.facts(plan.groups_of_process(mails)))
  end

  def test_queues_that_a_worker_serves
    {"*" => true, "mails" => true, "mail*" => true, "urgent,mails" => true, "urgent" => false,
     "mail" => false}.each do |queues, served|
      assert_equal served, Group.new(queues:, size: 1, fibers: false).serves?("mails"), queues
    end
  end

  # Gives the lane of each queue that has jobs.
  class Backlog
    def initialize(names)
      @names = names
    end

    def queues
      @names.filter_map do |name|
        lane = yield name
        Holdup::WaitingQueue.new(name:, size: 1, lane:) if lane
      end
    end
  end

  def lanes(queues, names)
    found = Group.new(queues:, size: 1, fibers: false).waiting(Backlog.new(names))
    found.map { |queue| [queue.name, queue.lane] }
  end

  def test_queues_are_polled_in_the_order_of_the_list
    assert_equal [["urgent", 0], ["mails", 1]], lanes("urgent,mails", %w[mails other urgent])
  end

  def test_queues_of_a_prefix_are_polled_by_name
    assert_equal [["urgent", 0], ["mail_a", 1], ["mail_b", 2]],
      lanes("urgent,mail*", %w[mail_b mail_a urgent])
  end

  def test_all_queues_are_polled_at_once
    assert_equal [["b", 0], ["a", 0]], lanes("*", %w[b a])
    assert_equal [["b", 0], ["a", 0]], lanes("a,*", %w[b a])
  end

  def test_one_list_of_queues_is_strict_unless_it_has_all
    {"*" => false, "a,*" => false, "a" => false, "a,b" => true, "a*" => true}.each do |queues, strict|
      assert_equal strict, Group.new(queues:, size: 1, fibers: false).strict?, queues
    end
  end

  def test_pools_of_earlier_versions
    assert_equal Group.new(queues: "*", size: 2, fibers: false),
      Group.running(Worker.new(["*"], EarlierPool.new(2, 1)))
  end

  def test_a_child_that_replaces_another_has_its_index
    adapter = Holdup::Servers::SolidQueue.new(runtime: runtime = Served.new)
    _, first, second = configuration(:fork).configured_processes.each { |each| adapter.starting(each) }
    adapter.supervising { configuration(:fork) }
    indexes = [first, second, first].map do |each|
      [adapter.starting(each), adapter.instance_variable_get(:@index)].last
    end
    assert_equal [0, 1, 0], indexes
    assert_equal %i[wait_for_server start_collector], runtime.calls
  end

  # A runtime that records its calls.
  class Served
    attr_reader :calls, :guard

    def initialize
      @calls = []
      @guard = Holdup::Guard.new(log: CollectedLog.new, clock: Holdup::Clock.new)
    end

    def wait_for_server(_name) = @calls << :wait_for_server

    def start_collector = @calls << :start_collector
  end
end
