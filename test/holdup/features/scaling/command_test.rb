# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "json"
require_relative "../../../support/coarse_sizing"
require_relative "../../../support/played_store"

class Holdup::Scaling::CommandTest < Minitest::Test
  one_ruby

  include CoarseSizing
  include CommandLine

  PLAYED = PlayedStore.new(PlayedRecording.new(minutes: 12), facts: {"app" => "shop"})

  def scale(*arguments)
    PLAYED.in_a_file do |path|
      share_capacities(PLAYED) { holdup("scale", "--store", path, *arguments, now_s: PLAYED.to_s) }
    end
  end

  def test_a_line_for_each_role
    said = scale("--slo", "p95=200ms")
    assert_equal [0, ""], [said.status, said.err]
    assert_match(/^shop puma requests +0\.\d\d +\d+/, said.out)
    assert_operator said.out.lines.map { |line| line.chomp.size }.max, :<=, 80
  end

  def test_says_why_there_is_no_ratio
    assert_match(/^- shop puma requests: no ratio \(there is no SLO; add --slo p95=300/, scale.out)
  end

  def test_japanese
    assert_match(/負荷率/, scale("--slo", "p95=200ms", "--lang", "ja").out)
  end

  def test_for_programs
    said = JSON.parse(scale("--slo", "p95=200ms", "--host", PlayedStore::HOST, "--format", "json").out)
    found, = said.fetch("capacities")
    assert_equal [1, 300, "shop", "puma", "request", 1, nil],
      [*said.values_at("schema", "within_s"), *found.values_at("app", "role", "kind", "processes", "reason")]
    assert_operator found["per_second"], :>, found["load_per_second"]
  end

  def test_an_empty_span
    said = scale("--since", "2020-01-01T00:00", "--until", "2020-01-02T00:00")
    assert_equal 0, said.status
    assert_includes said.out, "No requests or jobs were recorded in this span."
  end

  def test_a_wrong_promise
    said = scale("--slo", "fast")
    assert_equal 2, said.status
    assert_match(/--slo can't be "fast"; it takes a percentile/, said.err)
  end
end
