# frozen_string_literal: true

module Bench
  # Counts Ruby objects within one process.
  module Objects
    # @yieldparam count [Integer] how often to do it
    # @return [Float] objects that one operation allocates
    def self.allocated(count)
      GC.disable
      before = GC.stat(:total_allocated_objects)
      yield count
      (GC.stat(:total_allocated_objects) - before).fdiv(count)
    ensure
      GC.enable
    end

    # @return [Float] objects that are still there after a full collection
    def self.retained(count)
      before = living
      yield count
      (living - before).fdiv(count)
    end

    def self.living
      2.times { GC.start }
      GC.stat(:heap_live_slots)
    end
    private_class_method :living
  end
end
