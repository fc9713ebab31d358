# frozen_string_literal: true

module Holdup
  # Calls back in each forked child. Every fork calls `Process._fork` (fork, Process.fork, IO.popen("-")),
  # except Process.daemon, which forks in C and has a hook of its own.
  #
  #   ForkHook.install { start_again }      # runs in each child, before anything else
  class ForkHook < Module
    # @param before [#call] called in the parent, on the thread that forks; the fork waits for it
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
