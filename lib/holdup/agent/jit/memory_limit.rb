# frozen_string_literal: true

module Holdup
  module Jit
    # Up to where a JIT compiles; then it stops for good.
    #
    # - `bytes`; `of`: :code (machine code alone) or :total (code and metadata)
    # - `source`: who set it: "enable", "RUBYOPT", "command line", "default", or "assumed default" where a
    #   server has overwritten the command line with its title, so that nobody can tell any more
    MemoryLimit = Data.define(:bytes, :of, :source)
  end
end
