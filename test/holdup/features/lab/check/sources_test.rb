# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require "support/swept"

class Holdup::Lab::Check::SourcesTest < Minitest::Test
  include CommandLine
  include Swept
  include TemporaryFolder

  Sources = Holdup::Lab::Check::Sources
  Baseline = Holdup::Lab::Check::Baseline

  def setup
    ledger(reading(arm), reading(arm(again: true), endpoints: {"GET /" => figures(6)}),
      reading(arm, round: 1, endpoints: {"GET /" => figures(5)}), path:).write
  end

  def path = File.join(folder, "sweep.json")

  def file = File.join(folder, "baseline.json")

  def figures(acquisitions)
    Swept::Lab::Endpoints::EndpointFigures.new(count: 400, acquisitions:, longest_hold_ns: 1, p95_ns: 2)
  end

  def test_the_middle_of_the_rounds_of_a_sweeps_baseline
    found = Sources.sweep(path)
    assert_equal [5, {rate: 40, processes: 1, threads: 5}],
      [found.endpoints["GET /"].acquisitions, found.load.to_h]
  end

  def test_a_sweep_without_the_baselines_setting_is_refused
    load = Swept::Lab::Endpoints::ReferenceLoad.new(rate: 40, processes: 2, threads: 5)
    error = assert_raises(Holdup::Error) { Sources.sweep(path, load:) }
    assert_match(
      /measured nothing at rate 40, processes 2, threads 5; sweep the setting and rate of the baseline/,
      error.message
    )
  end

  def test_a_baseline_is_the_same_again_out_of_its_file
    Sources.sweep(path).write(file)
    assert_equal Sources.sweep(path).endpoints, Baseline.open(file).endpoints
    assert_equal Sources.sweep(path).load, Baseline.open(file).load
  end

  def test_rejects_a_file_that_is_not_a_baseline
    ["{}", "[]", "no", '{"kind":"holdup check","schema":1,"load":{"rate":1}}'].each do |text|
      File.write(file, text)
      assert_match(/is not a baseline of this version; write a new one with --write/,
        assert_raises(Holdup::Error) { Baseline.open(file) }.message)
    end
    assert_match(/can't be read .*; make it with --write/,
      assert_raises(Holdup::Error) { Baseline.open("#{file}.none") }.message)
    assert_match(/can't be written/,
      assert_raises(Holdup::Error) { Sources.sweep(path).write("#{folder}/none/x") }.message)
  end

  def test_a_store_without_single_requests_is_refused
    with_store { |store|
      assert_match(/no single requests were recorded in that span/,
        holdup("lab", "check", "--baseline", written, "--store", store).err)
    }
  end

  def written
    file.tap { Sources.sweep(path).write(file) }
  end

  def test_the_gate
    said = holdup("lab", "check", "--baseline", file, "--sweep", path, "--write")
    assert_equal [0, "Written to #{file}; endpoints: 1.\n"], [said.status, said.out]
    assert_equal 0, holdup("lab", "check", "--baseline", file, "--sweep", path).status
    ledger(reading(arm, endpoints: {"GET /" => figures(6)}), path:).write
    said = holdup("lab", "check", "--baseline", file, "--sweep", path, "--json")
    assert_equal [1, false], [said.status, JSON.parse(said.out)["passed"]]
  end

  def test_refuses_what_is_missing_or_contradictory
    {
      [] => /needs a baseline; name its file with --baseline/,
      ["--baseline", "x", "--sweep", "y", "--since", "1h"] => /--sweep is a recording by itself/,
      ["--baseline", "x", "--tolerance", "2"] => /--tolerance can't be "2"/
    }.each do |arguments, message|
      said = holdup("lab", "check", *arguments)
      assert_equal 2, said.status
      assert_match(message, said.err)
    end
    assert_equal 1, holdup("lab", "check", "--baseline", "#{folder}/none", "--sweep", path).status
  end
end
