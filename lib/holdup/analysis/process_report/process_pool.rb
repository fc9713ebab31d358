# frozen_string_literal: true

module Holdup
  module Analysis
    class ProcessReport
      # A group of threads that take units, in one process. `max`: threads it may have; `busy`: those that had
      # a unit, on average, exact where the process counts their time (else the mean of the samples, as of
      # pools of connections); `backlog`: mean of the samples; `most_backlog` and `oldest_ns`, how long a unit
      # had waited: the largest of the samples. What is unknown is nil.
      ProcessPool = Data.define(:name, :max, :busy, :backlog, :most_backlog, :oldest_ns) do
        # @param kind [Symbol, nil] :request, :job, nil for any
        # @return [Boolean] whether it takes units of that kind
        def takes?(kind)
          return false if name.start_with?(CONNECTIONS)
          (kind == :job) ? name != WEB : kind != :request || name == WEB
        end
      end
    end
  end
end
