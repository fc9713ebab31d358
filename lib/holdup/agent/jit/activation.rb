# frozen_string_literal: true

module Holdup
  module Jit
    # RubyVM::YJIT, where this Ruby can switch it on.
    def self.yjit
      RubyVM::YJIT if defined?(RubyVM::YJIT.enable)
    end

    def self.zjit
      RubyVM::ZJIT if defined?(RubyVM::ZJIT.stats)
    end

    # The JIT to switch on, of those that this Ruby was built with: ZJIT where it is the only one, because
    # its authors advise against it for production (NEWS of Ruby 4.0).
    # @return [#enabled?, #enable, nil] nil where there is none that can be switched on
    def self.recommended(yjit:, zjit:)
      yjit || (zjit if zjit.respond_to?(:enable))
    end

    # Switches a JIT on, once. Ruby checks and starts it in two steps, and aborts the process when another
    # thread does the same in between: the lock keeps our own threads apart.
    class Activation
      LOCK = Mutex.new
      private_constant :LOCK

      # @param jit [#enabled?, #enable, nil] nil where Ruby was built without it
      # @param other [#enabled?, nil] only one of the two can be on
      def initialize(jit:, other: nil)
        @jit = jit
        @other = other
      end

      # @return [Boolean] whether this call switched it on
      def call(**arguments)
        return false unless @jit
        LOCK.synchronize do
          next false if @jit.enabled? || @other&.enabled?
          !!@jit.enable(**arguments)
        end
      end
    end

    # What switched the JIT on, where and when. Ruby does not report it; it follows from what was on when Ruby
    # started, when this process was forked, and at each look.
    class ActivationOrigin
      OURS = "holdup"
      RAILS = "rails"
      OTHERS = "application"

      # "holdup", "rails", "application", or what Ruby was started with: "RUBYOPT", "command line",
      # "RUBY_YJIT_ENABLE"; nil while it is off.
      attr_reader :by
      # :boot with Ruby itself, :parent before this process was forked, :process in it.
      attr_reader :at
      # Time in ns since 1970; on Ruby 3.3, which does not have it, the time of our first look.
      attr_reader :since_ns
      # Whether it was on in the parent; nil when we did not see the fork.
      attr_reader :on_in_parent

      def initialize(options:, clock:, version:, rails: ActivationOrigin.method(:rails))
        @options = options
        @clock = clock
        @version = version
        @rails = rails
      end

      # Rails before 8.1 does not pass on the options of a Hash.
      # @return [Boolean, Hash, nil] whether, and with what, the application's Rails enables YJIT after boot
      def self.rails
        asked = defined?(::Rails.application.config.yjit) && ::Rails.application.config.yjit
        (asked.is_a?(Hash) && ::Rails.gem_version < Gem::Version.new("8.1")) ? true : asked
      end

      def enabled_by_us(given)
        @by = OURS
        @at = :process
        @since_ns = @clock.realtime_ns
        @given = given
      end

      # Arguments of `enable`: mem_size (MiB), call_threshold; nil when the application called it.
      def enable_arguments
        return @given.to_h unless @version.takes_options?
        case @by
        when RAILS then arguments_of_rails
        when OTHERS then nil
        else @given.to_h
        end
      end

      def observe(state)
        return if @by || !state.enabled?
        @by = @options.at_boot
        @at = :boot
        unless @by
          @by = (@rails.call ? RAILS : OTHERS)
          @at = (@on_in_parent ? :parent : :process)
        end
        @since_ns = @clock.realtime_ns - state.active_ns.to_i
      end

      def after_fork(state)
        observe(state)
        @on_in_parent = state.enabled?
        @at = :parent if @on_in_parent && @at != :boot
      end

      private

      def arguments_of_rails
        asked = @rails.call
        asked.is_a?(Hash) ? asked.slice(:mem_size, :call_threshold) : {}
      end
    end
  end
end
