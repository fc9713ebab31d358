# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Notify::WeeklyDigestTest < Minitest::Test
  include TemporaryFolder

  WEEK_S = 7 * 86_400
  NOW_S = SampleWindows::START_S + 40 * 60

  def units(cpu)
    SampleWindows::STOREFRONT.first(3).to_h do |name, shape|
      [name, shape.merge(ms: shape[:ms].merge(cpu: name.start_with?("Reports") ? cpu : 5), units: 20)]
    end
  end

  # 40 minutes of each of two weeks, the second with slower reports.
  def record
    store = Holdup::Store.open(File.join(folder, "a.sqlite3"))
    windows = {"aaa" => [50, -WEEK_S], "b\e[31mb" => [150, 0]}.flat_map do |revision, (cpu, later_s)|
      setting = SampleWindows::SETTING.merge("revision" => revision)
      sample = SampleWindows.new(units: units(cpu), minutes: 40, setting:)
      sample.stored.map { |one| one.with(start_s: one.start_s + later_s) }
    end
    store.commit(windows, {})
    yield store
  ensure
    store&.close
  end

  def digest(store, language: "en")
    configuration = Holdup::Configuration.build
    words = Holdup::View::Words.new(language)
    week = Holdup::Notify::DigestReader.new(store, configuration:, words:, now_s: NOW_S).call
    Holdup::Notify::WeeklyDigest.new(week, words:)
  end

  def text(store, **options) = Holdup::View::Text.new(digest(store, **options).page, width: 10_000).call

  def test_says_what_got_slower_who_caused_it_and_what_changed
    record do |store|
      said = text(store)
      assert_match(/^What got slower\n- ReportsController#sales: mean [\d.]+ ms -> [\d.]+ ms; /, said)
      caused = /^- ReportsController#sales caused [\d.]+ % of the waiting for the GVL \(the week before /
      assert_match(caused, said)
      assert_match(/^What changed\n- 2026-09-21 [\d:]+ .*, puma.*: deployed: revision aaa -> b.*b$/, said)
      refute_includes said, "\e"
    end
  end

  def test_says_it_in_japanese
    record do |store|
      said = text(store, language: "ja")
      assert_match(/^遅くなったもの\n- ReportsController#sales：平均/, said)
      refute_match(/%\{|notify_/, said)
    end
  end

  def test_a_message_has_text_and_html_and_leads_to_the_week
    record do |store|
      notice = Holdup::Notice.new(source: "a", rule: "digest", state: :began, at_s: NOW_S, by: "")
      message = digest(store).message(notice, web_url: "https://shop.example/holdup/")
      assert_match(%r{\Ahttps://shop\.example/holdup/\?since=2026-09-1.*&until=2026-09-21T}, message.link)
      assert_match(/What got slower/, message.text)
      assert_match(/<!doctype html>.*What got slower.*#sales: mean/mi, message.html)
      assert_equal message, Holdup::Notify::NoticeMessage.load(message.to_h)
    end
  end
end
