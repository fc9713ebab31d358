# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Notify::OutboxTest < Minitest::Test
  Outbox = Holdup::Notify::Outbox
  ChannelAnswer = Holdup::Notify::Channels::ChannelAnswer
  NOW_S = 1_790_000_000
  MESSAGE = Holdup::Notify::NoticeMessage.new(rule: "stall", state: :began, at_s: NOW_S,
    source: "stall 0", title: "Waits", text: "Requests waited.",
    figure: "31 %", link: nil, command: "holdup report")
  SENT = ChannelAnswer.new(key: :sent, detail: 200)
  BUSY = ChannelAnswer.new(key: :refused, detail: 429, again: true)

  def outbox(*channels) = Outbox.new.with_message(MESSAGE, channels, NOW_S)

  def test_a_message_waits_for_each_channel
    due = outbox(:slack, :log).due(NOW_S)
    assert_equal %i[slack log], due.map(&:channel)
    assert_empty outbox(:slack).due(NOW_S - 1)
  end

  def test_what_was_sent_waits_no_longer
    box = outbox(:slack, :log)
    after = box.after(box.waiting.first, SENT, NOW_S)
    assert_equal [:log], after.waiting.map(&:channel)
    assert_equal [{at_s: NOW_S, channel: :slack, title: "Waits", key: :sent, detail: 200}], after.sent
  end

  def test_keeps_how_revisions_compare
    facts = Holdup::Notify::RevisionFacts.new(app: nil, revision: "b", before: "a", began_s: NOW_S,
      look_s: 1800, key: :worse, moved: [["wall_p95", 0.3]], text: "It is worse.")
    box = Outbox.new(compared: [facts])
    assert_equal box, Outbox.parse(box.to_json)
    assert_empty Outbox.parse('{"waiting": [], "sent": [], "notices": []}').compared
  end

  def test_attempts_come_later_and_later
    box = outbox(:slack)
    waits = Array.new(6) do
      box = box.after(box.waiting.first, BUSY, NOW_S)
      box.waiting.first.due_s - NOW_S
    end
    assert_equal [60, 120, 240, 480, 900, 900], waits
  end

  def test_a_receiver_can_ask_for_a_longer_wait
    box = outbox(:slack)
    busy = BUSY.with(after_s: 1800)
    assert_equal NOW_S + 1800, box.after(box.waiting.first, busy, NOW_S).waiting.first.due_s
  end

  def test_an_old_message_is_given_up
    box = outbox(:slack)
    assert_empty box.after(box.waiting.first, BUSY, NOW_S + 6 * 3600).waiting
    refused = ChannelAnswer.new(key: :refused, detail: 404)
    assert_empty box.after(box.waiting.first, refused, NOW_S).waiting
  end

  def test_a_dead_receiver_does_not_fill_it
    box = (1..200).reduce(Outbox.new) { |one, _| one.with_message(MESSAGE, [:slack], NOW_S) }
    assert_equal Outbox::MOST_WAITING, box.waiting.size
    busy = (1..100).reduce(box) { |one, _| one.after(one.waiting.first, BUSY, NOW_S) }
    assert_equal Outbox::MOST_SENT, busy.sent.size
  end

  def test_a_channel_that_is_gone_gets_nothing
    assert_equal [:log], outbox(:slack, :log).only([:log]).waiting.map(&:channel)
  end

  def test_comes_back_from_json
    box = outbox(:slack, :log)
    box = box.after(box.waiting.first, BUSY, NOW_S)
    notice = Holdup::Notice.new(source: "store 0", rule: "store", state: :began, at_s: 1, by: "a")
    box = box.with_notice(notice)
    read = Outbox.parse(box.to_json)
    assert_equal [box.waiting, box.notices], [read.waiting, read.notices]
    assert_equal [:refused], read.sent.map { |one| one[:key] }
  end

  def test_is_empty_for_what_is_damaged
    [nil, "", "{", "[]", "{}", '{"waiting":[{}],"sent":[],"notices":[]}',
      '{"waiting":[],"sent":[],"notices":[{"state":"x"}]}'].each do |text|
      assert_equal Outbox.new, Outbox.parse(text), text.inspect
    end
  end
end
