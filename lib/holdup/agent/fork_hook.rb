# frozen_string_literal: true

module Holdup
  # Tells somebody that this process is a new one. `Process._fork` is what every kind of fork goes through
  # (fork, Process.fork, IO.popen("-")); Process.daemon forks in C and is caught by its own name.
  #
  #   ForkHook.install { start_again }      # runs in each child, before anything else of it
  class ForkHook < Module
    # There is no way back, and no need for one.
    # @param before [#call] called in the parent, on the thread that forks
    # @return [ForkHook]
    def self.install(before: -> {}, &on_child)
      new(before, on_child).tap { |hook| Process.singleton_class.prepend(hook) }
    end

    def initialize(before, on_child)
      super()
      define_method(:_fork) do
        before.call
        pid = super()
        on_child.call if pid.zero?
        pid
      end
      define_method(:daemon) do |*arguments|
        before.call
        super(*arguments).tap { on_child.call }
      end
    end
  end
end
