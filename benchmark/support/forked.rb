# frozen_string_literal: true

module Bench
  # For arms under callgrind: runs the same in forked processes, each more often than the one before.
  module Forked
    STEPS = 4
    # An object is old after three collections, and a write to an old one takes other instructions. Each arm
    # is forked later than the one before.
    COLLECTIONS = 4

    # Holdup asks every 5 ms how large the slots of new objects are, and valgrind stretches one request to ten
    # times that. Where Ruby can't say, it does not ask.
    module NoSlots
      def stat_heap(...) = raise(NotImplementedError, "not while instructions are counted")
    end

    # @param count [Integer] operations of a step
    # @yieldparam times [Integer] how often to do it; in a process of its own
    # @return [Array(Integer, Integer)] how often, and the process that did it
    def self.steps(count)
      COLLECTIONS.times { GC.start }
      Array.new(STEPS) do |step|
        times = count * (step + 1)
        [times, wait(fork { done { yield times } })]
      end
    end

    # @yield in a process of its own
    # @return [Integer] its pid
    def self.once(&)
      COLLECTIONS.times { GC.start }
      wait(fork { done(&) })
    end

    # Without a garbage collection in one step and none in the next: it would be most of the difference. And a
    # parent's ways to end (at_exit, ensure) are not the child's.
    def self.done
      GC.disable
      GC.singleton_class.prepend(NoSlots)
      yield
      exit!(true)
    rescue => error
      warn error.full_message
      exit!(false)
    end

    def self.wait(pid)
      _, status = Process.wait2(pid)
      raise "an arm failed: #{status}" unless status.success?
      pid
    end
    private_class_method :done, :wait
  end
end
