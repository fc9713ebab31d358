# frozen_string_literal: true

module Holdup
  # Requests and jobs load code, fill caches and are compiled for so long after the start of a process. What
  # they show in that time is true of the start alone.
  WARM_UP_S = 120
end
