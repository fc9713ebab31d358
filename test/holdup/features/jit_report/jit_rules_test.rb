# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::JitReport::JitRulesTest < Minitest::Test
  JitRules = Holdup::JitReport::JitRules
  TextRuby = Data.define(:takes_options?)
  TextFacts = Data.define(:options, :at_boot?)
  TextLife = Data.define(:facts, :ruby)
  TextMachine = Data.define(:memory_share, :memory_bytes, :memory_limit_bytes)
  MIB = 1 << 20

  # @param options [String] that Ruby was started with
  # @param while_running [Boolean] whether this Ruby takes options when the JIT is enabled
  def life(options, at_boot: true, while_running: false)
    ruby = TextRuby.new(takes_options?: while_running)
    TextLife.new(facts: TextFacts.new(options:, at_boot?: at_boot), ruby:)
  end

  def option(...) = JitRules::OptionText.with(...).new

  SIZE = JitRules::OptionText::TOTAL_SIZE

  def test_an_option_takes_the_place_of_its_earlier_value
    found = option(life("--yjit --yjit-mem-size=64 --yjit-stats"), SIZE, 128)
    assert_equal 'RUBYOPT="--yjit --yjit-stats --yjit-mem-size=128"', found
  end

  # `config.jit` starts the JIT then, and Ruby is not to start it before.
  def test_a_jit_that_starts_later_waits_until_it_is_enabled
    assert_equal 'RUBYOPT="--yjit-disable --yjit-mem-size=128"', option(life("", at_boot: false), SIZE, 128)
    waiting = life("--yjit-disable --yjit-mem-size=64", at_boot: false)
    assert_equal 'RUBYOPT="--yjit-disable --yjit-mem-size=128"', option(waiting, SIZE, 128)
  end

  def test_where_ruby_takes_options_while_it_runs_the_setting_of_holdup_is_named
    running = life("--yjit", while_running: true)
    assert_equal "config.jit = {mem_size: 128}", option(running, SIZE, 128)
    code_size = JitRules::OptionText::CODE_SIZE
    assert_equal 'RUBYOPT="--yjit --yjit-exec-mem-size=32"', option(running, code_size, 32)
  end

  # A Ruby with YJIT ends at such an option.
  def test_options_of_zjit_are_left_out
    assert_equal 'RUBYOPT="--yjit --yjit-mem-size=9"', option(life("--yjit --zjit-mem-size=4"), SIZE, 9)
  end

  def test_an_option_can_be_removed
    without = JitRules::OptionText.without(life("--yjit --yjit-mem-size=64"), SIZE)
    assert_equal 'RUBYOPT="--yjit"', without.new
    only = JitRules::OptionText.without(life("--yjit-mem-size=64", at_boot: false), SIZE)
    assert_equal 'RUBYOPT=""', only.new, "nothing is left that would have to wait"
  end

  def test_enabling_later_what_started_with_ruby
    late = JitRules::OptionText.late(life("--yjit --yjit-mem-size=64"))
    assert_equal 'config.jit = :on, RUBYOPT="--yjit-mem-size=64 --yjit-disable"', late.new
    twice = JitRules::OptionText.late(life("--yjit-disable"))
    assert_equal 'config.jit = :on, RUBYOPT="--yjit-disable"', twice.new
  end

  def machine(used)
    TextMachine.new(memory_share: used, memory_bytes: (1000 * used.to_f).round, memory_limit_bytes: 1000)
  end

  def test_a_machine_is_full_from_the_threshold_on
    full = Holdup::Analysis::Thresholds::FULL
    assert JitRules::Headroom.full?(machine(full))
    refute JitRules::Headroom.full?(machine(full - 0.01))
    refute JitRules::Headroom.full?(machine(nil)), "it is not known"
    refute JitRules::Headroom.full?(nil)
  end

  def test_there_is_room_as_long_as_the_machine_would_not_be_full
    assert JitRules::Headroom.room?(machine(0.5), 340)
    refute JitRules::Headroom.room?(machine(0.5), 350)
    assert JitRules::Headroom.room?(machine(nil), 1 << 40), "it is not known"
    assert JitRules::Headroom.room?(nil, 1)
  end

  TextGrowth = Data.define(:basis, :wanted_s, :seen_s)
  TextGroup = Data.define(:master_known, :workers, :master_bytes)
  TextWatched = Data.define(:all?, :largest, :each_bytes, :room_bytes)
  TextKiller = Data.define(:name, :limit_bytes) do
    def line(bytes) = "limit #{bytes}"
  end
  TextServer = Data.define(:killer, :watched, :growth)

  def facts(all: false, master_known: true, room_bytes: 0)
    largest = TextGroup.new(master_known:, workers: 4, master_bytes: 90 * MIB)
    watched = TextWatched.new(all?: all, largest:, each_bytes: 200 * MIB, room_bytes:)
    growth = TextGrowth.new(basis: :seen, wanted_s: 60, seen_s: 30)
    killer = TextKiller.new(name: "puma_worker_killer", limit_bytes: 300 * MIB)
    JitRules::KillerFacts.call(TextServer.new(killer:, watched:, growth:), 500)
  end

  def test_a_killer_of_one_process_counts_that_one
    assert_equal({phrase: :killer_counts_one}, facts[:counts])
    assert_equal "limit 500", facts[:setting]
  end

  def test_a_killer_of_all_counts_the_workers_and_their_master_if_it_is_known
    known, unknown = [true, false].map { |master_known| facts(all: true, master_known:)[:counts] }
    assert_equal :killer_counts_all, known[:phrase]
    assert_equal [4, 200 * MIB, 90 * MIB], known.values_at(:workers, :each_bytes, :master_bytes)
    assert_equal :killer_counts_all_but, unknown[:phrase]
  end

  def test_says_how_certain_the_size_is
    assert_equal({phrase: :growth_seen, wanted_ns: 60_000_000_000, seen_ns: 30_000_000_000, room_bytes: 0},
      facts[:basis])
    assert_equal :growth_cold, facts(room_bytes: 5)[:basis][:phrase]
  end
end
