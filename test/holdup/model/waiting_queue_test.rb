# frozen_string_literal: true

require "test_helper"
require "holdup/model/waiting_queue"
require "holdup/model/flat_json"

class Holdup::WaitingQueueTest < Minitest::Test
  Queue = Holdup::WaitingQueue

  def test_writes_strict_queues_by_their_place
    queues = [Queue.new(name: "critical", size: 120), Queue.new(name: "low", size: 0, lane: 1)]
    assert_equal ["0:critical=120 1:low=0"], Queue.texts(queues)
  end

  def test_reads_what_it_writes
    queues = [
      Queue.new(name: "mails", size: 12, lane: 0, weight: 5),
      Queue.new(name: "a b=c%20,d", size: 3, lane: 1, weight: 1),
      Queue.new(name: "レポート", size: 10_000, lane: 2, more: true)
    ]
    assert_equal queues, Queue.parse(Queue.texts(queues))
  end

  def test_writes_what_a_sample_is_of_behind_all_queues
    queues = [Queue.new(name: "a", size: 120, mix: {"V2::MailJob" => 7, "SyncJob" => 3}),
      Queue.new(name: "b:@ c", size: 9, lane: 1, mix: {"MailJob" => 1})]
    texts = Queue.texts(queues)
    assert_equal ["0:a=120 1:b:@%20c=9 a@V2%3A%3AMailJob=7 a@SyncJob=3 b%3A%40%20c@MailJob=1"], texts
    assert_equal queues, Queue.parse(texts)
  end

  def test_a_queue_may_be_called_like_a_sample
    queues = [Queue.new(name: "a@Mail", size: 3), Queue.new(name: "a", size: 4, mix: {"Mail" => 1})]
    assert_equal queues, Queue.parse(Queue.texts(queues))
  end

  def test_each_text_is_kept_whole
    queues = Array.new(40) { |index| Queue.new(name: "queue_number_#{index}", size: 10**index, lane: index) }
    texts = Queue.texts(queues)
    assert_equal queues, Queue.parse(texts)
    assert_operator texts.map(&:size).max, :<=, Holdup::FlatJson::LONGEST_VALUE
    assert_equal Holdup::FlatJson::LONGEST_VALUE, Queue::LONGEST_TEXT
  end

  def test_leaves_out_a_name_without_room
    queues = [Queue.new(name: "q" * 200, size: 1), Queue.new(name: "short", size: 2)]
    assert_equal ["0:short=2"], Queue.texts(queues)
  end

  def test_leaves_out_what_it_can_not_read
    assert_equal [Queue.new(name: "good", size: 1)], Queue.parse(["no 0:good=1 x:bad=2 0:cut="])
  end

  def test_a_damaged_escape_gives_valid_text
    assert_equal ["?"], Queue.parse(["0:%FF=1"]).map(&:name)
  end
end
