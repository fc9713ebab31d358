# frozen_string_literal: true

require "test_helper"

# Which tests of a class run where, by their marks (test/support/thorough.rb).
class ThoroughTest < Minitest::Test
  one_ruby

  def setup
    @before = [Thorough.run, Thorough.second, Thorough.on_linux]
    @marked = Class.new(Minitest::Test) do
      def test_usual = nil
      thorough def test_thorough = nil
      repeated def test_repeated = nil
      nightly def test_nightly = nil
      repeated_nightly def test_repeated_nightly = nil
      repeated_everywhere def test_repeated_everywhere = nil
      one_ruby def test_one_ruby = nil
      one_ruby repeated def test_repeated_on_one_ruby = nil
      linux def test_linux = nil
    end
  end

  def teardown
    Thorough.run, Thorough.second, Thorough.on_linux = @before
    Minitest::Runnable.runnables.delete(@marked)
  end

  # @return [Array<String>] sorted, without "test_"
  def chosen(run, second: false)
    Thorough.run = run
    Thorough.second = second
    @marked.runnable_methods.map { |name| name.delete_prefix("test_") }.sort
  end

  def test_all_of_a_named_file
    all = %w[linux nightly one_ruby repeated repeated_everywhere repeated_nightly repeated_on_one_ruby]
    assert_equal [*all, "thorough", "usual"], chosen(:whole)
  end

  def test_quick
    quick = %w[linux one_ruby repeated repeated_everywhere repeated_nightly repeated_on_one_ruby usual]
    assert_equal quick, chosen(:quick)
  end

  def test_beside_the_thorough_part
    assert_equal %w[linux one_ruby repeated_nightly usual], chosen(:once)
    everything = chosen(:once) + chosen(:thorough) + %w[nightly]
    assert_equal chosen(:whole), everything.sort
  end

  def test_thorough
    thorough = %w[repeated repeated_everywhere repeated_on_one_ruby thorough]
    assert_equal thorough, chosen(:thorough)
  end

  def test_nightly
    assert_equal %w[nightly repeated_everywhere repeated_nightly], chosen(:nightly)
  end

  def test_the_second_ruby
    assert_equal %w[linux repeated repeated_everywhere repeated_nightly usual], chosen(:quick, second: true)
    assert_equal %w[repeated repeated_everywhere thorough], chosen(:thorough, second: true)
  end

  def test_turns
    turns = %i[whole quick once thorough nightly].to_h do |run|
      Thorough.run = run
      [run, [Thorough.turns(1, thorough: 2), Thorough.turns(1, nightly: 3)]]
    end
    assert_equal({whole: [1, 1], quick: [1, 1], once: [1, 1], thorough: [2, 1], nightly: [2, 3]}, turns)
  end

  def test_without_linux
    Thorough.on_linux = false
    assert_equal %w[one_ruby repeated_nightly usual], chosen(:once)
  end
end
