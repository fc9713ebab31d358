# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Notify::SendCommandTest < Minitest::Test
  include TemporaryFolder

  NOW_S = SampleWindows::START_S + 180
  ChannelAnswer = Holdup::Notify::Channels::ChannelAnswer

  # Keeps what it gets, and says what it is given.
  class Receiver
    attr_reader :titles, :texts
    attr_accessor :answer

    def initialize
      @titles = []
      @texts = []
      @answer = ChannelAnswer.new(key: :sent, detail: 200)
    end

    def call(message)
      @titles << message.title
      @texts << message.text
      @answer
    end
  end

  def setup
    @receivers = Hash.new { |all, host| all[host] = Receiver.new }
    @settings = {slack: "https://hooks.example/T1", stall: 0.1}
  end

  def path = File.join(folder, "a.sqlite3")

  def with_store
    store = Holdup::Store.open(path)
    yield store
  ensure
    store&.close
  end

  def record = with_store { |store| store.commit(SampleWindows.new.stored, {}) }

  # A Monday.
  def at(hour) = Time.utc(2026, 9, 21, hour)

  def sender(host: "web-1", now_s: NOW_S, local: at(12), open_store: method(:with_store), channels: nil)
    configuration = Holdup::Configuration.build { |config| config.notify = @settings }
    home = File.join(folder, host).tap { |dir| FileUtils.mkdir_p(dir) }
    channels ||= {slack: @receivers[host]}
    Holdup::Notify::SendCommand.new(configuration, channels:, open_store:,
      outbox_file: Holdup::Notify::SendCommand::OutboxFile.new(home), words: Holdup::View::Words.new("en"),
      now_s:, local:, by: host)
  end

  def titles(host = "web-1") = @receivers[host].titles

  def test_tells_what_is_due_once
    record
    attempts = sender.call
    assert_equal [{channel: :slack, title: "Waits for the GVL", key: :sent, detail: 200}], attempts
    assert_match(/ReportsController#sales/, @receivers["web-1"].texts.first)
    assert_empty sender(now_s: NOW_S + 60).call
  end

  def test_one_of_a_fleet_tells_it
    record
    sender(host: "web-1").call
    sender(host: "web-2").call
    assert_equal [["Waits for the GVL"], []], [titles, titles("web-2")]
  end

  # Both have read the store before either has written.
  def test_one_of_two_that_decide_at_once_tells_it
    record
    other = sender(host: "web-2")
    first = sender(open_store: lambda { |&block|
      with_store do |store|
        once = true
        store.define_singleton_method(:commit) do |*rows, **rest|
          other.call if once
          once = false
          super(*rows, **rest)
        end
        block.call(store)
      end
    })
    first.call
    assert_equal 1, [*titles, *titles("web-2")].size
  end

  def test_says_that_it_is_over
    record
    sender.call
    sender(now_s: NOW_S + 7200).call
    assert_equal ["Waits for the GVL", "Waits for the GVL: over"], titles
    assert_empty sender(now_s: NOW_S + 7260).call
  end

  def test_nothing_is_told_in_quiet_hours_and_it_is_told_afterwards
    record
    @settings = {**@settings, quiet: "11:00-13:00"}
    assert_empty sender.call
    sender(local: at(13)).call
    assert_equal ["Waits for the GVL"], titles
  end

  def test_what_a_receiver_can_not_take_is_sent_later
    record
    @receivers["web-1"].answer = ChannelAnswer.new(key: :refused, detail: 429, again: true, after_s: 90)
    assert_equal [429], sender.call.map { |one| one[:detail] }
    assert_empty sender(now_s: NOW_S + 60).call
    @receivers["web-1"].answer = ChannelAnswer.new(key: :sent)
    assert_equal [:sent], sender(now_s: NOW_S + 90).call.map { |one| one[:key] }
    assert_empty sender(now_s: NOW_S + 180).call
  end

  def test_a_dead_receiver_costs_one_attempt_a_run_and_harms_no_other
    record
    dead = Receiver.new.tap { |one| one.answer = ChannelAnswer.new(key: :no_answer, detail: 10, again: true) }
    @settings = {**@settings, log: true}
    channels = {slack: dead, log: @receivers["log"]}
    sender(channels:).call
    sender(channels:, now_s: NOW_S + 7200).call
    assert_equal [1 + 1, 2], [dead.titles.size, titles("log").size]
  end

  BROKEN = ->(&_block) { raise Holdup::StoreError::Locked.new(location: "a.sqlite3", seconds: 5) }

  def test_each_host_tells_that_its_store_fails_and_that_it_is_back
    sender(open_store: BROKEN).call
    sender(open_store: BROKEN, now_s: NOW_S + 60).call
    sender(now_s: NOW_S + 120).call
    assert_equal ["The store fails", "The store fails: over"], titles
    assert_match(/\AThe collector can't use the store: the store a\.sqlite3 is locked/,
      @receivers["web-1"].texts.first)
  end

  # 40 minutes of each revision; `slower`: factor of the CPU time of the later one.
  def deploy(slower:, later_s: 0, revisions: %w[aaa bbb])
    spent = [1, slower].map do |factor|
      SampleWindows::STOREFRONT.first(2).to_h do |name, shape|
        ms = shape[:ms].merge(cpu: 30 * factor)
        [name, shape.merge(ms:, units: 20)]
      end
    end
    windows = revisions.zip(spent).each_with_index.flat_map do |(revision, units), index|
      setting = SampleWindows::SETTING.merge("app" => "shop", "revision" => revision)
      sample = SampleWindows.new(minutes: 40, units:, seed: index + 1, setting:)
      sample.to_a.map { |one| one.with(start_s: one.start_s + later_s + index * 2400) }
    end
    with_store { |store| store.commit(windows, {}) }
  end

  AFTER_S = SampleWindows::START_S + 4800

  def test_tells_a_revision_that_made_it_worse_once_and_that_the_next_is_better
    @settings = {**@settings, rules: [:revision]}
    deploy(slower: 1.6)
    sender(now_s: AFTER_S).call
    sender(now_s: AFTER_S + 60).call
    assert_equal ["A revision made it worse"], titles
    text = @receivers["web-1"].texts.first
    assert_match(/\ARevision bbb is worse than aaa: .*CPU per request or job \+5\d/, text)
    assert_match(/only revision differs/, text)
    deploy(slower: 1 / 1.6, later_s: 2400, revisions: %w[bbb ccc])
    sender(now_s: AFTER_S + 2400).call
    assert_equal ["A revision made it worse", "A revision made it worse: over"], titles
  end

  def test_tells_nobody_of_a_revision_that_is_not_worse
    @settings = {**@settings, rules: [:revision]}
    deploy(slower: 1)
    assert_empty sender(now_s: AFTER_S).call
  end

  def test_compares_a_revision_again_only_when_it_is_twice_as_old
    @settings = {**@settings, rules: [:revision]}
    deploy(slower: 1)
    looks = [1700, 1800, 2400, 3600].map do |age_s|
      sender(now_s: SampleWindows::START_S + 2400 + age_s).call
      JSON.parse(File.read(File.join(folder, "web-1", "notify.json")))["compared"].map { |one| one["look_s"] }
    end
    assert_equal [[], [1800], [1800], [3600]], looks
  end

  WEEK_S = 7 * 86_400

  # A few minutes of each of two weeks; the second is as old as the last minutes before AFTER_S.
  def record_weeks
    orders = {ms: {cpu: 250}, acquisitions: 3, units: 50, blame: 60}
    slow = SampleWindows::STOREFRONT.merge("OrdersController#index" => orders)
    weeks = {"aaa" => [SampleWindows::STOREFRONT, -WEEK_S], "bbb" => [slow, 0]}
    windows = weeks.flat_map do |revision, (units, later_s)|
      setting = SampleWindows::SETTING.merge("revision" => revision)
      sample = SampleWindows.new(units:, minutes: 3, setting:)
      sample.stored.map { |one| one.with(start_s: one.start_s + later_s) }
    end
    with_store { |store| store.commit(windows, {}) }
  end

  def digests(host = "web-1") = titles(host).count("Holdup: the last seven days")

  def test_sends_a_digest_once_a_week_for_a_whole_fleet
    record_weeks
    sender(local: at(8)).call
    assert_equal 0, digests
    sender(local: at(9), now_s: NOW_S + 60).call
    sender(local: at(9), now_s: NOW_S + 120).call
    sender(local: at(9), now_s: NOW_S + 120, host: "web-2").call
    assert_equal [1, 0], [digests, digests("web-2")]
    sender(local: at(9), now_s: NOW_S + WEEK_S - 60).call
    assert_equal 2, digests
  end

  def test_the_digest_says_what_got_slower_and_what_changed
    record_weeks
    @settings = {**@settings, rules: [:digest]}
    assert_equal [:sent], sender(local: at(10)).call.map { |one| one[:key] }
    text = @receivers["web-1"].texts.first
    assert_match(/^2,070 requests: p95 .* \(the week before .*\), .* waiting for the GVL/m, text)
    assert_match(/^What changed\n- .*revision aaa -> bbb/m, text)
    assert_match(/^Who caused it\n- .*ReportsController#sales/m, text)
    assert_match(/^What the fleet could save\n- Not known/m, text)
  end

  def test_the_digest_waits_for_the_end_of_the_quiet_hours
    record_weeks
    @settings = {**@settings, rules: [:digest], quiet: "08:00-11:00"}
    assert_empty sender(local: at(9)).call
    assert_equal 1, sender(local: at(11), now_s: NOW_S + 60).call.size
  end

  def test_the_digest_is_neither_an_incident_nor_an_error
    record_weeks
    @settings = {**@settings, rules: [:digest], log: true}
    receivers = {pagerduty: Receiver.new, rails_error: Receiver.new, log: @receivers["log"]}
    sender(local: at(9), channels: receivers).call
    assert_equal [0, 0, 1], receivers.values.map { |one| one.titles.size }
  end

  # A process that is killed over it would else do it again each minute.
  def test_a_host_that_fails_at_the_digest_tries_again_after_an_hour
    record_weeks
    @settings = {**@settings, rules: [:digest]}
    opened = 0
    broken = lambda do |&block|
      opened += 1
      raise Holdup::StoreError::Locked.new(location: "a.sqlite3", seconds: 5) if opened == 2
      with_store(&block)
    end
    assert_empty sender(local: at(9), open_store: broken).call
    assert_empty sender(local: at(9), now_s: NOW_S + 60).call
    assert_equal 1, sender(local: at(10), now_s: NOW_S + 3600).call.size
  end

  def test_the_first_verdict_is_kept_and_told_to_nobody
    record
    sender.call
    states = with_store { |store| store.notices(0, NOW_S + 1).to_h { |one| [one.rule, one.state] } }
    assert_equal({"stall" => :began, "verdict" => :noted}, states)
  end

  def test_a_damaged_file_is_an_empty_one
    record
    home = File.join(folder, "web-1").tap { |dir| FileUtils.mkdir_p(dir) }
    File.write(File.join(home, "notify.json"), "{")
    assert_equal 1, sender.call.size
  end
end
