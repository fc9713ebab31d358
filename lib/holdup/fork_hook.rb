# frozen_string_literal: true

module Holdup
  # Tells the runtime that this process is a new one. `Process._fork` is what every kind of fork goes through (fork,
  # Process.fork, IO.popen("-")); Process.daemon forks in C and is caught by its own name.
  module ForkHook
    def _fork
      pid = super
      Holdup.after_fork if pid.zero?
      pid
    end

    def daemon(...)
      result = super
      Holdup.after_fork
      result
    end

    # Once; there is no way back, and no need for one.
    # @return [void]
    def self.install
      return if Process.singleton_class.include?(self)
      Process.singleton_class.prepend(self)
    end
  end
end
