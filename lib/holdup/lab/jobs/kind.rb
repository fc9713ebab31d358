# frozen_string_literal: true

module Holdup
  module Lab
    class Jobs
      # One kind of job in a mix. `arguments`: of each push; `weight`: so many of them in a cycle
      Kind = Data.define(:name, :weight, :arguments) do
        def initialize(name:, weight: 1, arguments: [])
          super
        end
      end
    end
  end
end
