# frozen_string_literal: true

module Holdup
  # Tells somebody that this process is a new one. `Process._fork` is what every kind of fork goes through (fork,
  # Process.fork, IO.popen("-")); Process.daemon forks in C and is caught by its own name.
  #
  #   ForkHook.install { start_again }      # runs in each child, before anything else of it
  class ForkHook < Module
    # There is no way back, and no need for one.
    # @return [ForkHook]
    def self.install(&on_child)
      new(on_child).tap { |hook| Process.singleton_class.prepend(hook) }
    end

    def initialize(on_child)
      super()
      define_method(:_fork) do
        pid = super()
        on_child.call if pid.zero?
        pid
      end
      define_method(:daemon) do |*arguments|
        super(*arguments).tap { on_child.call }
      end
    end
  end
end
