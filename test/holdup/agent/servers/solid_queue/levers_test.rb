# frozen_string_literal: true

require "test_helper"
require "holdup/agent/servers/solid_queue"

class Holdup::Servers::SolidQueue::LeversTest < Minitest::Test
  Group = Data.define(:queues, :size, :fibers)
  Topology = Data.define(:fork?) do
    def processes(_group) = 3
  end
  # Where each queue's words are written: [place, variable].
  File = Data.define(:places) do
    def find(queues, word, environment:) = places[[queues, word, environment]]
  end
  MAILS = Group.new(queues: "mails", size: 5, fibers: nil)

  def levers(groups = [MAILS], fork: true, places: {})
    topology = Topology.new(fork?: fork) unless fork.nil?
    Holdup::Servers::SolidQueue::Levers.new(groups, topology, file: File.new(places:),
      environment: "production").to_a
  end

  def test_threads_and_processes_of_the_workers
    threads, processes = levers
    assert_equal ["threads", 5, "threads: N"], [threads.name, threads.value, threads.write]
    assert_equal ["processes", 3, "processes: N"], [processes.name, processes.value, processes.write]
  end

  def test_workers_that_are_no_processes_have_no_number_of_them
    assert_equal %w[threads], levers(fork: false).map(&:name)
    assert_equal %w[threads], levers(fork: nil).map(&:name), "it is not known"
  end

  def test_a_worker_of_fibers
    assert_equal "fibers", levers([MAILS.with(fibers: true)], fork: false).first.name
  end

  def test_several_groups_of_a_process_are_told_apart_by_their_queues
    groups = [MAILS, MAILS, MAILS.with(queues: "*", size: 2)]
    assert_equal ["threads (mails)", "threads (*)"], levers(groups, fork: false).map(&:name)
    assert_equal %w[threads], levers([MAILS, MAILS], fork: false).map(&:name), "two workers of one group"
  end

  def test_where_a_variable_decides_it_is_what_to_write
    places = {["mails", "threads", "production"] => ["config/queue.yml:7", "MAIL_THREADS"],
              ["mails", "processes", "production"] => ["config/queue.yml:8", nil]}
    threads, processes = levers(places:)
    assert_equal ["MAIL_THREADS=N", :solid_queue_variable], [threads.write, threads.how]
    assert_equal ["processes: N", :solid_queue_worker], [processes.write, processes.how]
    assert_equal %w[config/queue.yml:7 config/queue.yml:8], [threads.where, processes.where]
  end
end
