# frozen_string_literal: true

require_relative "../hooks/method_hook"

module Holdup
  # Calls back in each forked child. Every fork calls `Process._fork` (fork, Process.fork, IO.popen("-")),
  # except Process.daemon, which forks in C and has a hook of its own.
  #
  #   ForkHook.install { start_again }      # runs in each child, before hooks that other libraries prepend
  class ForkHook
    # @param before [#call] called in the parent, on the thread that forks; the fork waits for it
    # @param guard [Guard, nil] gets the reason where Ruby's methods can't be hooked
    def self.install(before: -> {}, guard: nil, &on_child)
      new(before, on_child).tap { |hook| hook.install(guard) }
    end

    def initialize(before, on_child)
      @before = before
      @on_child = on_child
    end

    def install(guard)
      hook(:_fork, "HoldupFork.forked if holdup_main && holdup_result == 0", guard)
      hook(:daemon, "HoldupFork.forked if holdup_main", guard)
    end

    def forking = @before.call

    def forked = @on_child.call

    private

    # Other Ractors can't read the constant.
    def hook(name, in_child, guard)
      constants = {HoldupFork: self}
      Hooks::MethodHook.new(Process.singleton_class, name, by: self, constants:) do |method|
        <<~RUBY
          holdup_main = Ractor.current == Ractor.main
          HoldupFork.forking if holdup_main
          holdup_result = #{method.call}
          #{in_child}
          holdup_result
        RUBY
      end.install(guard)
    end
  end
end
