# frozen_string_literal: true

module Holdup
  # Durations are whole nanoseconds until they are shown. Nanoseconds of a second, millisecond, microsecond:
  NS = 1_000_000_000
  MS = 1_000_000
  US = 1000
  # Seconds.
  MINUTE_S = 60
  HOUR_S = 3600
  DAY_S = 86_400
  # Bytes.
  MIB = 1 << 20
  # Jobs are to begin within so many seconds, unless the goal of the configuration says otherwise.
  JOBS_WITHIN_S = 300
end
