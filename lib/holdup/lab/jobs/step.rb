# frozen_string_literal: true

module Holdup
  module Lab
    class Jobs
      # One run: which concurrency in which round; `again`: the baseline once more, to see what chance alone
      # makes of it.
      Step = Data.define(:round, :threads, :again) do
        # @return [String] "-c 5 (again)", in Sidekiq's own words
        def name
          "-c #{threads}#{" (again)" if again}"
        end
      end
    end
  end
end
