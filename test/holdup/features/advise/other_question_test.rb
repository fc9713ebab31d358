# frozen_string_literal: true

require "test_helper"
require "holdup/loader"

class Holdup::Advise::OtherQuestionTest < Minitest::Test
  include CommandLine

  def find(*words) = Holdup::Advise::OtherQuestion.find(words)

  def test_a_change_is_asked_of_whatif
    whatif = Holdup::Advise::WhatifCommand
    assert_equal [whatif, %w[--threads 3]], find("--if", "threads=3")
    assert_equal [whatif, %w[--threads 3 --load x2 --json]], find("--if=threads=3,load=x2", "--json")
    assert_equal [whatif, %w[--without A,B --mix Orders*=30% --since 2h]],
      find("--if", "without=A,B", "--since", "2h", "--if", "mix=Orders*=30%")
  end

  def test_a_share_is_asked_of_the_calculator
    assert_equal [Holdup::Advise::CalculateCommand, %w[--io 45% --json]], find("--io=45%", "--json")
  end

  def test_all_else_is_advice
    assert_nil find("--since", "2h", "--name", "io=3")
  end

  def test_what_it_does_not_understand
    assert_match(/threads=3/, assert_raises(Holdup::UsageError) { find("--if", "threads") }.message)
    both = assert_raises(Holdup::UsageError) { find("--if", "a=1", "--io", "1") }
    assert_match(/give one of them/, both.message)
    assert_match(/whatif needs a change/, holdup("advise", "--if").err)
  end

  def test_the_answers_and_their_help_are_the_same
    assert_equal holdup("calculate", "--io", "45%"), holdup("advise", "--io", "45%")
    whatif, advise = [%w[whatif], %w[advise --if threads=3]].map do |words|
      holdup(*words, "--help").out[/^Usage.*/m]
    end
    assert_equal whatif, advise
    assert_match(/whatif --threads 3/, advise)
    assert_equal holdup("whatif", "--threads", "3", env: {"HOLDUP_STORE" => "/nowhere/x"}),
      holdup("advise", "--if", "threads=3", env: {"HOLDUP_STORE" => "/nowhere/x"})
  end
end
