# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "json"

class Holdup::Advise::CalculateCommandTest < Minitest::Test
  include CommandLine

  def test_begins_with_the_answer_and_shows_amdahls_law
    said = holdup("calculate", "--io", "45%")
    assert_equal [0, ""], [said.status, said.err]
    sentence = said.out.lines[2..3].join(" ").squeeze(" \n").tr("\n", " ")
    assert_match(/\A3 threads are enough.*Amdahl's law .* gives 4\./, sentence)
    assert_match(/^3 <-/, said.out)
    assert_match(/75 ms/, said.out)
    assert_operator said.out.lines.map { |line| line.chomp.size }.max, :<=, 80
  end

  # It waits for no other thread.
  def test_one_thread_does_not_stall
    %w[45% 10% 77%].each do |share|
      assert_match(/^1(?: <-)? .* 0 %$/, holdup("calculate", "--io", share).out, share)
    end
  end

  def test_the_same_in_json
    said = JSON.parse(holdup("calculate", "--io", "0.45", "--json").out)
    assert_equal [0.45, 3, 4], said.values_at("idle_share", "recommended_threads", "amdahl_threads")
    assert_equal 1, said["threads"].first["threads"]
    refute said["threads"].first.key?("stall_ns")
  end

  def test_real_times_give_the_stall_of_each_acquisition
    said = holdup("calculate", "--running", "12ms", "--idle", "30ms", "--acquisitions", "8", "--threads",
      "5,1")
    assert_match(/for each of its 8 acquisitions/, said.out.gsub(/\s+/, " "))
    assert_equal %w[1 5], said.out.scan(/^(\d+)(?: <-)? +\d\.\d\dx/).flatten
    assert_match(/^1 .* 0 +42\.0 ms$/, said.out)
  end

  def test_one_thread_is_enough_without_io
    assert_match(/^1 thread is enough: the GVL is then in use 100 % of the time/,
      holdup("calculate", "--io", "0").out)
  end

  # Of a thousand threads each uses a millionth of the GVL.
  one_ruby def test_units_that_hardly_need_the_gvl_have_another_limit
    said = holdup("calculate", "--io", "99.9999%").out
    beginning = /^The GVL does not limit the threads here: /
    ending = /with 1000 threads, the most that were\s+tried,\s+it is in use 0.1 %/
    assert_match(/#{beginning}#{ending}/, said)
    refute_match(/threads? (is|are) enough/, said)
    assert_match(/GVL はスレッド数を制限しません/, holdup("calculate", "--io", "99.9999%", "--lang", "ja").out)
  end

  def test_in_japanese
    assert_match(/3 スレッドで十分です/, holdup("calculate", "--io", "45%", "--lang", "ja").out)
  end

  def test_without_times_those_of_a_mean_request_of_the_store
    with_store do |store|
      env = {"HOLDUP_STORE" => store}
      now_s = SampleWindows::START_S + 300
      said = holdup("calculate", env:, now_s:)
      assert_equal [0, ""], [said.status, said.err]
      means = JSON.parse(holdup("calculate", "--json", env:, now_s:).out).fetch("recorded")
      assert_equal ["request", SampleWindows::STOREFRONT.each_value.sum { |unit| 3 * unit[:units] }],
        means.values_at("kind", "count")
      given = ["--running", "#{means["running_ns"]}ns", "--idle", "#{means["idle_ns"]}ns",
        "--acquisitions", means["acquisitions"].to_s]
      assert_includes said.out, holdup("calculate", *given).out.lines.drop(2).join
      assert_match(/A mean request of the last 2 hours \(2220 requests\) holds the GVL for/, said.out)
      japanese = holdup("calculate", "--lang", "ja", "--store", store, now_s:).out
      assert_match(/平均的なリクエスト（2220 件）/, japanese)
      later = holdup("calculate", env:, now_s: now_s + 7500)
      assert_equal [1, "holdup: no request or job was recorded in the last 2 hours; give its times, " \
        "--running 12ms --idle 30ms, or only --io 45%\n"], [later.status, later.err]
    end
  end

  UNIT = %w[--running 12ms --idle 30ms --acquisitions 8].freeze

  def test_what_units_wait_that_arrive_at_a_rate
    said = holdup("calculate", *UNIT, "--rate", "40/s", "--threads", "1,2,4,8")
    assert_equal [0, ""], [said.status, said.err]
    enough = /At 40\.0\/s \(processes: 1, vCPUs: 1\) 8 threads in each process are enough: /
    response = /on average [\d.]+ ms from arrival to end/
    assert_match(/#{enough}#{response}/, said.out.gsub(/\s+/, " "))
    assert_match(/^1 +23\.8 +48\.0 % +- +- +-$/, said.out)
    assert_match(/^8 <- +[\d.]+ +48\.0 % +[\d.]+ [um]s +[\d.]+ ms +[\d.]+ ms$/, said.out)
    assert_operator said.out.lines.map { |line| line.chomp.size }.max, :<=, 80
    assert_match(/より|件での平均/, holdup("calculate", *UNIT, "--rate", "40", "--lang", "ja").out)
  end

  def test_the_same_rate_in_json
    open = JSON.parse(holdup("calculate", *UNIT, "--rate", "80", "--processes", "2", "--json").out)["open"]
    assert_equal [80.0, 2, 2, true], open.values_at("rate_per_second", "processes", "vcpus", "valid")
    best = open["threads"].find { |line| line["threads"] == open["recommended_threads"] }
    assert_in_delta 42e6, best["response_ns"] - best["queued_ns"] - best["stall_ns"], 1
  end

  def test_where_no_formula_tells
    %w[en ja].each do |language|
      said = holdup("calculate", *UNIT, "--rate", "40", "--cv2", "2.8", "--lang", language)
      assert_match(/cv2 2\.80/, said.out)
      refute_match(/<- .* ms +[\d.]+ ms +[\d.]+ ms$/, said.out)
    end
    refute JSON.parse(holdup("calculate", *UNIT, "--rate", "40", "--cv2", "2.8",
      "--json").out)["open"].key?("threads")
    assert_match(/90\.0\/s is more than any of these can serve/,
      holdup("calculate", *UNIT, "--rate", "90").out.gsub(/\s+/, " "))
  end

  def test_what_can_not_be_is_refused_in_one_line
    {
      %w[--running 12ms] => /needs both times of the request or job; give --running 12ms --idle 30ms/,
      %w[--io 100%] => /a share below 1/,
      %w[--io 45% --idle 3ms] => /the same in two ways/,
      %w[--running 12] => /a time with its unit/,
      %w[--running 0ms --idle 1ms] => /can't be 0/,
      %w[--io 45% --threads 1,x] => /whole number/,
      %w[--io 45% --rate 4] => /real times; give --running/,
      %w[--io 45% --processes 2] => /--processes without --rate/,
      [*UNIT, "--rate", "fast"] => /above 0/
    }.each do |arguments, message|
      said = holdup("calculate", *arguments)
      assert_equal [2, ""], [said.status, said.out], arguments.inspect
      assert_match message, said.err
    end
  end
end
