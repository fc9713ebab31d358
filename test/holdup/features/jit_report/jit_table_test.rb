# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::JitReport::JitTableTest < Minitest::Test
  include JitSamples

  WARM = {jit_warm_ns: (JitSamples::START_S + 90) * 1_000_000_000}.freeze

  def summary(*lives)
    windows = SampleWindows.new(setting: JitSamples::SETTING)
    Holdup::Analysis::Summary.new(windows.to_a, from_s: JitSamples::START_S, to_s: JitSamples::START_S + 600,
      samples: lives.flatten)
  end

  def text(*lives, language: "en")
    Holdup::View::Text.new(Holdup::Report::FullReport.new(summary(*lives),
      words: Holdup::View::Words.new(language),
      zone: "UTC").page).call
  end

  def flat(...) = text(...).gsub(/\s+/, " ")

  def mixed
    [life(0, **WARM), life(1, **WARM, jit_saturated: 1), life(2, base: JitSamples::OFF),
      life(3, minutes: 5, ended: true), life(4, base: JitSamples::OFF, server: "sidekiq", name: "pid 5")]
  end

  def test_a_line_for_each_server
    report = text(*mixed)
    assert_match(%r{^puma +2/3 +10\.5 MB +23\.1 MB +134 MB +1 +2 +9,000 +90\.0 s +30,000$}, report)
    assert_match(%r{^sidekiq +0/1 +- +- +- +0 +0 +- +- +-$}, report)
  end

  def test_where_it_comes_from_and_what_it_did
    said = flat(*mixed)
    assert_includes said,
      "puma: yjit since 2026-09-21 14:14:00 UTC, switched on by: holdup (at: process); " \
      "limit by: default, of: total."
    assert_includes said,
      "puma: interpreted instructions for each request or job: 1,000 up to 60 s of age, " \
      "1.00 up to 10 min of age."
    assert_includes said,
      "puma: code thrown away 20 times (10 because constants or methods were defined), collected 0 times."
    refute_includes said, "sidekiq: yjit"
  end

  def test_omits_unknown_figures
    assert_match(%r{^puma +1/1 +-}, text(life(jit_code_bytes: nil)))
    refute_match(/interpreted instructions for|thrown away/,
      flat(life(jit_interpreted_instructions: nil, jit_invalidations: nil)))
    refute_match(/^JIT$/,
      text([{at_s: JitSamples::START_S, host: "web-1", pid: 9, start: 1, server: "puma"}]))
  end

  def test_the_warm_up_where_instructions_are_not_counted
    lives = [life(jit_interpreted_instructions: nil,
      "jit.entries": ->(age_s) { (age_s <= 60) ? age_s * 50 : 3000 })]
    assert_includes flat(*lives),
      "puma: newly compiled methods and blocks for each request or job: 0.50 up to 60 s of age, " \
      "0 up to 10 min of age."
    assert_includes flat(*lives, language: "ja"), "新しくコンパイルされた"
    jit = Holdup::View::Json.new(summary(*lives)).to_h[:jit].first
    assert_equal [{age_ns: 60_000_000_000, compiled_per_unit: 0.5}], jit[:compiling].first(1)
  end

  def test_fits_in_80_columns
    %w[en ja].each do |language|
      text(*mixed, life(6, server: "puma+sidekiq+good_job", name: "pid 7"),
        language:).each_line(chomp: true) { |line|
        assert_operator Holdup::View::Width.of(line), :<=, 80, line
      }
    end
  end

  def test_for_programs
    puma = Holdup::View::Json.new(summary(*mixed)).to_h[:jit].first
    assert_equal ["puma", 3, 2, 1, ["yjit"], "2026-09-21T14:14:00Z", 1, 30_000],
      puma.values_at(:server, :processes, :on, :saturated, :kind, :since, :ended, :units_per_life)
    assert_equal [10 * JitSamples::MIB, 2, 90_000_000_000, 9000],
      puma.values_at(:code_bytes, :warm, :warm_after_ns, :warm_after_units)
    assert_equal [{age_ns: 60_000_000_000, interpreted_per_unit: 1000.0}], puma[:warm_up].first(1)
    assert_equal [%w[worker\ 3], %i[boot enabled warm exit]],
      [puma[:lives].last(1).map { |life| life[:name] },
        puma[:lives].last[:events].map { |event| event[:event] }]
  end
end
