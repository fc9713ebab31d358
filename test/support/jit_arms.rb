# frozen_string_literal: true

require "holdup/loader"
require_relative "swept"

# The arms of an experiment with the JIT.
module JitArms
  include Swept

  # As most Rubies are.
  YJIT_ALONE = Holdup::Lab::Jit::BuiltJits.new(yjit: true, zjit: false, zjit_enables: false)

  def arms(built: YJIT_ALONE, **options)
    Holdup::Lab::Jit.arms({"RUBYOPT" => "-W1", "PATH" => "/bin"}, built:, **options)
  end

  def jit_plan = plan(arms: arms, rounds: 2)
end
