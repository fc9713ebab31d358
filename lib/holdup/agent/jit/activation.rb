# frozen_string_literal: true

module Holdup
  module Jit
    # Switches YJIT on, once. Ruby looks whether it is on and starts it in two steps, and aborts the process
    # when another thread came in between: hence the lock, which holds against ourselves.
    class Activation
      LOCK = Mutex.new
      private_constant :LOCK

      # @param yjit [#enabled?, #enable, nil] RubyVM::YJIT; nil where Ruby was built without it
      # @param zjit [#enabled?, nil] RubyVM::ZJIT: only one can be on
      def initialize(yjit:, zjit: nil)
        @yjit = yjit
        @zjit = zjit
      end

      # @param arguments [Hash{Symbol => Integer}] for `enable`
      # @return [Boolean] whether this call switched it on
      def call(**arguments)
        return false unless @yjit
        LOCK.synchronize { (@yjit.enabled? || @zjit&.enabled?) ? false : !!@yjit.enable(**arguments) }
      end
    end
  end
end
