# frozen_string_literal: true

require "test_helper"
require "securerandom"
require "holdup/agent/runtime/thread_label"

class Holdup::Runtime::ThreadLabelTest < Minitest::Test
  Named = Struct.new(:name)

  KEPT = ["sidekiq", "sidekiq.default/processor", "puma reactor", "ActiveRecord::ConnectionPool::Reaper",
    "s3", "http2 sender", "utf8 decoder", "feed", "add-face", "indexer", "Feed::Cafe", "deadline",
    "Ä-job"].freeze

  SHORTENED = {
    "puma srv tp 001" => "puma srv tp",
    "worker-12" => "worker",
    "worker 3 of 8" => "worker * of",
    "db01" => "db",
    "db01 reader" => "db* reader",
    "sidekiq.default/processor 12" => "sidekiq.default/processor",
    "falcon (C=1/1 L=0.2)" => "falcon",
    "dispatcher-7fd0a1a1a1a1a1a1a1a1" => "dispatcher",
    "job-7f3a" => "job-*",
    "job-7f3a reader" => "job-* reader",
    "job-0b9e5c2a-4f0e-4f6e-8a41-7d6c52a4b9de" => "job-*",
    "0b9e5c2a-4f0e-4f6e-8a41-7d6c52a4b9de" => "*",
    "export a/0b9e5c2a-4f0e-4f6e-8a41-7d6c52a4b9de/b" => "export a/*/b",
    "conn 10.0.0.1:5432" => "conn *",
    "conn [fe80::1ff:fe23:4567:890a]:80" => "conn *",
    "conn 2001:db8:0:0:0:0:0:1" => "conn *",
    "export 2026-11-28T19:45:03Z" => "export *",
    "export 2026-11-28 19:45:03.123 +0100 of shop" => "export * +* of shop",
    "export 20261128194503" => "export",
    "<Job:0x00007f3a5c0b1234> run" => "<Job:*> run",
    "job 01HV5Y7Q9K2M3N4P5R6S7T8V9W done" => "job * done",
    "order-123456-export" => "order-*-export",
    "order123456 export" => "order* export",
    "" => "(unnamed)",
    "42" => "(unnamed)"
  }.freeze

  KEPT.each do |name|
    define_method("test_keeps_#{name}") { assert_equal "thread:#{name.sub(/\d\z/, "")}", label(name) }
  end

  SHORTENED.each do |name, short|
    define_method("test_shortens_#{name}") { assert_equal "thread:#{short}", label(name) }
  end

  def test_a_thread_without_a_name_is_unnamed
    assert_equal "thread:(unnamed)", label(nil)
  end

  def test_the_main_thread_is_main
    assert_equal "main", Holdup::Runtime::ThreadLabel.new.of(Thread.main)
  end

  # Whatever an id is made of, a thousand of them are a few labels.
  def test_ids_that_never_return_share_a_few_labels
    labels = Holdup::Runtime::ThreadLabel.new
    {
      uuid: -> { SecureRandom.uuid },
      hex: -> { SecureRandom.hex(8) },
      number: -> { rand(1 << 40).to_s },
      time: -> { Time.at(rand(1 << 31)).utc.strftime("%FT%T.%LZ") },
      address: -> { "#{Array.new(4) { rand(256) }.join(".")}:#{rand(65_536)}" }
    }.each do |kind, id|
      ["job-%s", "%s", "export %s of shop", "a/%s/b"].each do |form|
        names = Array.new(1_000) { labels.of(Named.new(format(form, id.call))) }
        assert_operator names.uniq.size, :<=, 3, "#{kind} as #{form}: #{names.uniq.first(5)}"
      end
    end
  end

  def test_names_of_any_bytes_and_any_length_have_a_label
    names = ["bad \xFF-12", "a" * 100_000, "1" * 100_000, "f:" * 50_000, "\xFF" * 300, "*-" * 1_000]
    names.each { |name| assert_predicate label(name), :valid_encoding? }
  end

  private

  def label(name) = Holdup::Runtime::ThreadLabel.new.of(Named.new(name))
end
