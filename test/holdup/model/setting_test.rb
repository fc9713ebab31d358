# frozen_string_literal: true

require "test_helper"
require "holdup/model/setting"

class Holdup::SettingTest < Minitest::Test
  Setting = Holdup::Setting

  def test_the_order_and_kind_of_the_keys_does_not_matter
    a = Setting.new(attributes: {"ruby" => "3.4.5", "threads" => 5})
    b = Setting.new(attributes: {threads: 5, ruby: "3.4.5"})

    assert_equal a, b
    assert_equal a.fingerprint, b.fingerprint
    assert_equal '{"ruby":"3.4.5","threads":5}', b.to_json
  end

  def test_the_fingerprint_is_twelve_hexadecimal_digits_of_the_canonical_json
    setting = Setting.new(attributes: {threads: 5})

    assert_equal Digest::SHA256.hexdigest('{"threads":5}')[0, 12], setting.fingerprint
    refute_equal setting.fingerprint, Setting.new(attributes: {threads: 6}).fingerprint
  end

  def test_parses_its_own_json
    setting = Setting.new(attributes: {"jit" => nil, "yjit" => true, "quota" => 1.5, "server" => "Puma 7"})

    assert_equal setting, Setting.parse(setting.to_json)
    assert_equal "Puma 7", setting[:server]
  end

  def test_marshal_reads_what_it_writes
    setting = Holdup::Setting.new(attributes: {"app" => "レポート", "threads" => 5})
    assert_equal setting, Marshal.load(Marshal.dump(setting)) # rubocop:disable Security/MarshalLoad
  end

  def test_settings_that_differ_only_in_the_label_are_alike
    stable, canary, other = [[5, "stable"], [5, "canary"], [6, "canary"]].map do |threads, arm|
      Setting.new(attributes: {threads:, arm:})
    end
    assert_equal [Setting.new(attributes: {threads: 5})] * 2, [stable, canary].map(&:unlabelled)
    thing = Struct.new(:setting)
    things = [stable, other, canary, nil].map { |setting| thing.new(setting) }
    assert_equal [[stable, canary], [other], [nil]], Setting.alike(things).map { |same| same.map(&:setting) }
  end

  def test_refuses_invalid_json_in_one_sentence
    ["", "[1]", "{", "\xFF"].each { |text| assert_raises(Holdup::DamagedData) { Setting.parse(text) } }
  end

  def test_threads_are_those_of_requests_and_jobs
    known = [{"threads" => 5, "job_threads" => 3}, {"threads" => 5}, {"ruby" => "3.4.5"}]
    threads = known.map do |attributes|
      Holdup::Setting.new(attributes:).threads
    end
    assert_equal [8, 5, 0], threads
  end
end
