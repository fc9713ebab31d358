# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Lab::Jit::ArmComparisonTest < Minitest::Test
  include JitArms

  Jit = Holdup::Lab::Jit
  OFF = {kind: "off", by: nil, code_bytes: nil, metadata_bytes: nil, saturated: false}.freeze
  ON = {kind: "yjit", by: "holdup", code_bytes: 2_000_000, metadata_bytes: 5_000_000, saturated: false}.freeze
  FASTER = {"off" => [20, 30], "off (again)" => [20.6, 30], "at boot" => [16, 24.6],
            "after boot" => [15, 22.5]}.freeze

  # @param cpu_ms [Hash{String => Array<Numeric>}] by arm, one for each round
  def found(cpu_ms, jit: {})
    arms = jit_plan.arms.to_h { |arm| [arm.name, arm] }
    readings = cpu_ms.flat_map do |name, values|
      values.each_with_index.map { |cpu, round|
        reading(arms.fetch(name), round:, cpu_ns: (cpu * 1e6).round,
          jit: jit.fetch(name, name.start_with?("off") ? OFF : ON))
      }
    end
    result(*readings, plan: jit_plan)
  end

  def comparison(...) = Jit::ArmComparison.new(found(...))

  def text(result, language = "en")
    Holdup::View::Text.new(Jit::ArmComparison::ArmReport.new(
      result,
      Jit::ArmComparison.new(result),
      words: Holdup::View::Words.new(language)
    ).page).call
  end

  def test_round_by_round_against_off
    one = comparison(FASTER)
    assert_in_delta 0.03, one.noise
    assert_equal "after boot", one.best.arm.name
    one.change(one.best).values.each { |share| assert_in_delta(-0.25, share) }
    change = /a request takes 18.8 ms of CPU instead of 25.0 ms/
    assert_match(
      /YJIT after boot: #{change} \(-25.0 % to\s+-25.0 %, round by round\)/, text(found(FASTER))
    )
  end

  def test_no_difference_where_chance_does_as_much
    one = found(FASTER.merge("off (again)" => [20, 45]))
    assert_nil Jit::ArmComparison.new(one).best
    assert_match(/No difference: .* two\s+runs without a JIT differ by up to 50.0 %/m, text(one))
    assert_match(/Too early to say.*! Stopped: 7 of 8 steps are left. `holdup lab jit --resume/m,
      text(found({"off" => [20]})))
  end

  def test_says_no_verdict_while_only_off_was_measured
    said = text(found(FASTER.slice("off", "off (again)")))
    assert_match(/Too early to say: only off was measured\..*Stopped: 4 of 8 steps are left/m, said)
  end

  def test_says_which_arm_was_not_steady_and_how_often
    readings = found(FASTER).lines(40).flat_map(&:readings).map { |reading|
      reading.with(steady: reading.arm.name == "off" || (reading.arm.name == "at boot" && reading.round == 1))
    }
    assert_match(
      /not steady when the measurement began: off \(again\); at boot \(1 of 2\); after\s+boot; give/,
      text(result(
        *readings, plan: jit_plan
      ))
    )
  end

  def test_sees_an_arm_that_is_not_what_it_is_called
    one = found(FASTER, jit: {"off" => ON, "at boot" => ON.merge(saturated: true)})
    assert_equal [["off"], ["at boot"]],
      Jit::ArmComparison.new(one).then { |both|
        [both.misnamed, both.saturated].map { |lines| lines.map { |line| line.arm.name } }
      }
    beginning = /! these ran with another JIT than their name says.*: off\.$.*/m
    ending = /! YJIT had no memory left and compiled nothing more: at boot/m
    assert_match(/#{beginning}#{ending}/m, text(one))
  end

  # An application that switches YJIT on leaves no room for ZJIT.
  def test_each_jit_by_its_name
    arms = arms(built: Jit::BuiltJits.new(yjit: true, zjit: true, zjit_enables: false))
    plan = plan(arms:, rounds: 1)
    cpu_ns = {"at boot" => 16_000_000, "after boot" => 15_000_000, "ZJIT at boot" => 12_000_000}
    jit = {"off" => OFF, "ZJIT at boot" => ON.merge(kind: "zjit")}
    steps = [*plan.arms, plan.baseline.with(again: true)]
    readings = steps.map do |arm|
      reading(arm, cpu_ns: cpu_ns.fetch(arm.name, 20_000_000), jit: jit.fetch(arm.setting.name, ON))
    end
    said = text(result(*readings, plan:))
    assert_match(/\AJIT for `puma`.*^ZJIT at boot: a request takes 12.0 ms of CPU instead of 20.0 ms/m, said)
    refute_match(/than their name says/, said)
    yjit = readings.map { |reading| (reading.jit == OFF) ? reading : reading.with(jit: ON) }
    assert_match(/than their name says.*: ZJIT at boot\.$/m, text(result(*yjit, plan:)))
  end

  # 2 MB of code and 5 of metadata.
  def test_says_which_limit_would_show_what_too_little_memory_does
    assert_match(/`--mem-size 3` \(half of what YJIT took/,
      text(found(FASTER)))
    refute_match(/too little memory/, text(found({"off" => [20]})))
    limited = Jit.arms({}, mem_size: 8)
    plan = plan(arms: limited)
    refute_match(/too little memory/, text(result(*plan.arms.map { |arm| reading(arm, jit: ON) }, plan:)))
  end

  def test_fits_in_80_columns_in_each_language
    %w[en ja].each { |language|
      assert_empty text(found(FASTER), language).lines(chomp: true).select { |line|
        Holdup::View::Width.of(line) > 80
      }
    }
  end

  def test_for_programs
    hash = comparison(FASTER).to_h
    assert_equal [[2, 2]], hash[:arms].map { |arm| arm.values_at(:rounds, :steady) }.uniq
    assert_equal ["after boot", 0.03, [-0.2, -0.18]],
      [hash[:best], hash[:noise], hash[:arms].find { |arm| arm[:name] == "at boot" }[:change]]
  end
end
