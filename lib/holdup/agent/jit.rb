# frozen_string_literal: true

require_relative "jit/activation"
require_relative "jit/effectiveness"
require_relative "jit/manager"
require_relative "jit/snapshot"
require_relative "jit/requested_mode"
require_relative "jit/ruby_options"

module Holdup
  # This process's JIT: switched on when `config.jit` asks for it, read at each tick in one form for every
  # Ruby, and tested for its effect. Background: docs/guide/yjit.md.
  module Jit
  end
end
