# frozen_string_literal: true

module Holdup
  # So long after the start of a process, requests and jobs load code, fill caches and are compiled. What they
  # show in that time is true of the start alone.
  WARM_UP_S = 120
end
