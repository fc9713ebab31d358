# frozen_string_literal: true

module Holdup
  module Jit
    # Resident memory grows by this much for each byte that the compiler accounts for (measured: 1.25 to 1.3).
    REAL_MEMORY = 1.3
    # Share of the limit on code and metadata at which nothing more is compiled.
    FULL = 0.97
    # Code and metadata together, for each byte of code (measured: 3.1 to 3.6).
    TOTAL_TO_CODE = 3.2
  end
end
