# frozen_string_literal: true

require_relative "jit/activation"
require_relative "jit/effectiveness"
require_relative "jit/manager"
require_relative "jit/snapshot"
require_relative "jit/options"

module Holdup
  # The just-in-time compiler of this process: switched on at the right moment when `config.jit` asks for it,
  # read at each tick, in one form for every Ruby, and tested for its effect. Background: docs/yjit.md.
  module Jit
    # @return [Module, nil] RubyVM::YJIT, where this Ruby has one that can be switched on
    def self.yjit
      RubyVM::YJIT if defined?(RubyVM::YJIT.enable)
    end

    # @return [Module, nil] RubyVM::ZJIT
    def self.zjit
      RubyVM::ZJIT if defined?(RubyVM::ZJIT.stats)
    end
  end
end
