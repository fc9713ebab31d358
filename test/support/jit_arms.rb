# frozen_string_literal: true

require "holdup/loader"
require_relative "swept"

# The arms of an experiment with the JIT.
module JitArms
  include Swept

  def arms(...)
    Holdup::Lab::Jit.arms({"RUBYOPT" => "-W1", "PATH" => "/bin"}, ...)
  end

  def jit_plan = plan(arms: arms, rounds: 2)
end
