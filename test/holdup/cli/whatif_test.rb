# frozen_string_literal: true

require "test_helper"
require "holdup/cli"
require "json"
require_relative "../../support/played_store"

class Holdup::CLI::WhatifTest < Minitest::Test
  include CommandLine

  PLAYED = PlayedStore.new(PlayedRecording.new(minutes: 10))

  def whatif(*arguments) = PLAYED.in_a_file { |path| holdup("whatif", "--store", path, "--since", "1h", *arguments, now_s: PLAYED.to_s) }

  def test_before_and_after_side_by_side
    said = whatif("--processes", "2", "--slice", "10ms")
    assert_equal [0, ""], [said.status, said.err]
    assert_match(/^What if 2 processes, a time slice of 10.0 ms\? requests/, said.out)
    assert_match(/less queued \+ stalled at p95/, said.out)
    assert_match(/^processes x threads +1 x 5, 100 ms +2 x 5, 10 ms$/, said.out)
    assert_operator said.out.lines.map { |line| line.chomp.size }.max, :<=, 80
  end

  def test_more_load_in_japanese
    said = whatif("--load", "x2", "--slo", "p99", "--lang", "ja").out
    assert_match(/負荷が 2 倍/, said)
    assert_match(/p99 が応答に対して [\d.]+ % 増えます/, said.gsub(/\s+/, " "))
    assert_operator said.lines.map { |line| Holdup::Reports::Width.of(line.chomp) }.max, :<=, 80
  end

  def test_an_endpoint_less_for_programs
    said = JSON.parse(whatif("--without", "Orders*", "--json").out)
    assert_operator said["after"]["utilisation"], :<, 0.6 * said["before"]["utilisation"]
    assert_operator said["gain"], :>, 0
  end

  def test_what_can_not_be
    {[] => /what would be different/, %w[--without Nobody*] => /no unit of that span is called "Nobody\*"/, %w[--slice 2s] => /from 1ms to 1s/, %w[--threads 0] => /whole number/,
     %w[--load much] => /above 0/}.each do |arguments, message|
      said = whatif(*arguments)
      assert_equal [2, ""], [said.status, said.out], arguments.inspect
      assert_match message, said.err
    end
    assert_equal 1, whatif("--threads", "2", "--kind", "job").status
  end
end
