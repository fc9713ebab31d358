# frozen_string_literal: true

module Holdup
  module Jit
    # A little work that a healthy YJIT runs almost without the interpreter: two methods and a block, so that
    # every kind of TracePoint that spoils compiled code shows in it.
    module Workload
      TURNS = 20

      module_function

      # @return [Integer]
      def leaf(number)
        doubled = number * 2
        doubled + 1
      end

      # @return [Integer]
      def turns(count)
        sum = 0
        count.times { |number| sum += leaf(number) }
        sum
      end

      # The same work in one method, which stays interpreted as long as nobody calls it often.
      # @return [Integer]
      def interpreted(count)
        number = sum = 0
        while number < count
          doubled = number * 2
          sum += doubled + 1
          number += 1
        end
        sum
      end

      # @param times [Integer]
      # @return [void]
      def run(times)
        done = 0
        while done < times
          turns(TURNS)
          done += 1
        end
      end
    end
  end
end
