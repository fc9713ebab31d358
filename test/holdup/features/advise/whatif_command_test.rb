# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "json"
require_relative "../../../support/coarse_sizing"
require_relative "../../../support/played_store"

class Holdup::Advise::WhatifCommandTest < Minitest::Test
  include CoarseSizing
  include CommandLine

  PLAYED = PlayedStore.usual

  def whatif(*arguments, played: PLAYED, **coarseness)
    played.in_a_file do |path|
      share_sizing(played) do
        size_coarsely(**coarseness) do
          holdup("whatif", "--store", path, "--since", "1h", *arguments, now_s: played.to_s)
        end
      end
    end
  end

  def test_programs_get_what_explanations_agree_on
    text = whatif("--threads", "3", explained: [0.2] * 20).out
    said = JSON.parse(whatif("--threads", "3", "--json", explained: [0.2] * 20).out)
    assert_match(/\A1 x 3.* is better than 1 x 5.* in 20 of 20 explanations/, said["text"])
    assert_includes text.gsub(/\s+/, " "), said["text"]
    assert_equal({"tried" => 40, "effective" => 30.0}, said["dominance"].slice("tried", "effective"))
    setting = said["dominance"]["settings"].fetch(0)
    assert_equal ["better", 20, 20], setting.values_at("answer", "better", "compared")
    assert_equal [0.2, 0.2], setting["gain_interval"]
  end

  def test_what_explanations_agree_on_has_the_keys_of_a_replay
    said = JSON.parse(whatif("--threads", "3", "--json", explained: [0.2] * 20).out)
    replayed = JSON.parse(whatif("--threads", "3", "--json").out)
    assert_equal replayed.keys.sort, said.keys.sort
    assert_nil replayed["dominance"]
    assert_nil said["after"]
  end

  def test_programs_get_no_answer_where_explanations_disagree
    said = whatif("--threads", "3", "--json", explained: [0.2, -0.2] * 10)
    assert_equal [1, ""], [said.status, said.out]
    assert_match(/Can't size yet/, said.err)
  end

  def test_before_and_after_side_by_side
    said = whatif("--processes", "2", "--slice", "10ms")
    assert_equal [0, ""], [said.status, said.err]
    assert_match(/^What if 2 processes, a time slice of 10.0 ms\? requests/, said.out)
    assert_match(/^Queued \+ GVL wait at p95 falls by/, said.out)
    assert_match(
      /! RUBY_THREAD_TIMESLICE needs Ruby 3\.4 or later; this was recorded on Ruby 3\.3\.8/, said.out.gsub(
        /\s+/, " "
      )
    )
    assert_match(%r{^processes x threads +1 x 5/100 ms +1 x 5/100 ms +2 x 5/10 ms$}, said.out)
    assert_match(/^  Self-test grade [AB] \(response [+-][\d.]+ % off/, said.out)
    assert_match(/^  Amdahl's law gives \d threads for \d\d\.\d % io/, said.out)
    assert_operator said.out.lines.map { |line| line.chomp.size }.max, :<=, 80
  end

  # Nothing is replayed for a name that nobody has: the replay would take ten seconds.
  def test_a_name_that_nobody_has_is_said_before_anything_is_computed
    Sizing::Recommendation.stub(:new, ->(*, **) { flunk "replayed" }) do
      PLAYED.in_a_file do |path|
        said = holdup("whatif", "--store", path, "--since", "1h", "--without", "NoSuch", now_s: PLAYED.to_s)
        assert_equal 2, said.status
        assert_match(/no request of that span is called "NoSuch"; there were /, said.err)
      end
    end
  end

  # A replay of now that differs from it is not what is shown as now.
  one_ruby def test_now_is_what_was_measured_and_its_replay_stands_beside_it
    said = whatif("--processes", "2").out
    assert_match(/^at the peak +now +replayed +then$/, said)
    found = JSON.parse(whatif("--processes", "2", "--json").out)
    measured, replayed = found.fetch_values("measured", "before").map { |one| one["response_ns"]["p95"] }
    advised = JSON.parse(holdup_advise.out)["current"]["response_ns"]["p95"]
    assert_equal advised, measured
    refute_equal replayed, measured
    assert_includes said, format("%.1f ms", measured / 1e6)
  end

  def holdup_advise
    PLAYED.in_a_file do |path|
      share_sizing(PLAYED) do
        size_coarsely do
          holdup("advise", "--store", path, "--since", "1h", "--json", now_s: PLAYED.to_s)
        end
      end
    end
  end

  def test_how_much_after_a_boot_does_not_count
    said = whatif("--threads", "3", "--warm-up", "99999s")
    assert_equal 1, said.status
    assert_match(/Can't size yet: 100 % of the requests or jobs came soon after a boot/, said.err)
    assert_match(/`holdup advise --full` has the causes/, said.err)
  end

  one_ruby def test_more_load_in_japanese
    said = whatif("--load", "x2", "--slo", "p99", "--slice", "10ms", "--lang", "ja").out
    assert_match(/! RUBY_THREAD_TIMESLICE には Ruby 3\.4 以降が必要です/, said)
    assert_match(/負荷が 2 倍/, said)
    assert_match(/p99 が、応答時間の [\d.]+ % 分増えます/, said.gsub(/\s+/, " "))
    assert_operator said.lines.map { |line| Holdup::View::Width.of(line.chomp) }.max, :<=, 80
  end

  one_ruby def test_more_load_than_is_served_is_no_share_of_a_response
    said = whatif("--load", "x4").out
    assert_match(/per second arrive at the peak at a host that serves at most \d+\.\d: the queue grows/,
      said.gsub(/\s+/, " "))
    refute_match(/of the response \(/, said[/\A.*?^at the peak/m])
    japanese = whatif("--load", "x4", "--lang", "ja").out.gsub(/\s+/, "")
    assert_match(/ピーク時には1ホストに毎秒[\d.]+件が届きますが、処理できるのは最大[\d.]+件です/, japanese)
  end

  def test_an_endpoint_less_for_programs
    said = JSON.parse(whatif("--without", "Orders*", "--json").out)
    assert_operator said["after"]["utilisation"], :<, 0.6 * said["before"]["utilisation"]
    assert_operator said["gain"], :>, 0
    assert_operator said["amdahl_threads"], :>, 1
    assert_equal %w[grade reasons errors], said["self_test"].keys
  end

  one_ruby def test_units_that_are_treated_unlike_the_others
    said = whatif("--own-pool", "Orders*=1x2", "--mix", "Orders*=50%", "--priority", "Orders*=-1")
    assert_equal [0, ""], [said.status, said.err]
    beginning = /^What if a mix of 50.0 % Orders\*, processes of their own for Orders\*, /
    ending = /thread\npriority -1 Orders\*\? requests/
    assert_match(/#{beginning}#{ending}/, said.out)
    assert_match(/^processes x threads +1 x 5 +1 x 5 +1 x 5 \+ 1 x 2$/, said.out)
    assert_match(/^p95 of Orders\*( +[\d.]+ ms){3}$/, said.out)
    assert_match(/^p95 of the others( +[\d.]+ ms){3}$/, said.out)
    assert_operator said.out.lines.map { |line| line.chomp.size }.max, :<=, 80
  end

  one_ruby def test_threads_for_io_for_programs
    said = JSON.parse(whatif("--io", "Orders*", "--max-io-threads", "4", "--json").out)
    assert_equal [4, %w[io]], [said["after"]["io_threads"], said["unsupported"]]
    assert_equal 9, said["after"]["connections"]
    assert_operator said["named"]["after"]["response_ns"]["p95"], :>,
      said["others"]["after"]["response_ns"]["p95"]
  end

  # On the two vCPUs that there are, four processes can't do four times as much.
  one_ruby def test_pools_of_a_job_runner
    played = PlayedStore.new(PlayedRecording.capsules)
    said = whatif("--kind", "job", "--threads", "9", played:).out
    assert_match(/^processes x threads +1 x \(3\+2\) +1 x \(3\+2\) +1 x \(7\+2\)$/, said)
    assert_match(/^mail, all pools busy: per s +- +[\d.]+ +[\d.]+$/, said)
    assert_match(/^reports, all pools busy: GVL wait +- +[\d.]+ ms +[\d.]+ ms$/, said)
  end

  one_ruby def test_another_machine
    said = JSON.parse(whatif("--processes", "4", "--vcpus", "4", "--json").out)
    assert_in_delta 4, said["after"]["ceiling_per_second"] / said["before"]["ceiling_per_second"], 0.2
    assert_equal [4, []], [said["after"]["processes"], said["unsupported"]]
  end

  def test_what_can_not_be
    {
      [] => /whatif needs a change/,
      %w[--without Nobody*] => /no request of that span is called "Nobody\*"/,
      %w[--slice 2s] => /from 1ms to 1s/,
      %w[--threads 0] => /whole number/,
      %w[--load much] => /above 0/,
      %w[--load x1] => /--load x1 changes nothing/,
      %w[--io Orders*] => /belong together/,
      %w[--io a --max-io-threads 2 --kind job] => /is for requests/,
      %w[--mix Orders*] => /such as Orders\*=30%/,
      %w[--mix Orders*=60% --mix Products*=50%] => /below 100%/,
      %w[--own-pool Orders*=lots] => /processes x threads/,
      %w[--own-pool Orders*=2] => /is for jobs/,
      %w[--priority Orders*=9] => /from -3 to 3/,
      %w[--mix Nobody*=10%] => /is called "Nobody\*"/,
      %w[--without *] => /no other request/,
      %w[--own-pool *] => /no other request/,
      %w[--mix *=50%] => /no other request/,
      %w[--without Orders* --own-pool Orders*=1x2] => /no request is left for "Orders\*"/
    }.each do |arguments, message|
      said = whatif(*arguments)
      assert_equal [2, ""], [said.status, said.out], "#{arguments.inspect}: #{said.err}"
      assert_match message, said.err
    end
    assert_equal 2, whatif("--threads", "2", "--kind", "job").status
  end
end
