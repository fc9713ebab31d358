# frozen_string_literal: true

require_relative "../../hooks/method_hook"

module Holdup
  module Instrumentation
    class Calls
      # What a library's hook needs. `loaded?` and `install` are the library's own.
      class LibraryHook
        # @param recorder [Recorder]
        def initialize(recorder)
          @recorder = recorder
          @edges = recorder.call_edges
          @guard = recorder.guard
          @hooks = []
        end

        # Other libraries may have defined hooked methods anew. A call inside a call is a part of it, so none
        # counts twice.
        # @return [void]
        def renew = @hooks.each { |hook| hook.renew(@guard) }

        # @yieldreturn [String, nil] what is called
        # @return [Integer, nil] nil when the block fails
        def kind
          @guard.call(:calls) { @recorder.call_kind(yield) }
        end

        # Keeps a kind where the hook's code looks for it. An application may freeze what makes its calls.
        # @return [Integer, nil] the kind
        def keep(client, kind)
          client.instance_variable_set(:@holdup_call_kind, kind) unless client.frozen?
          kind
        end

        private

        # Code of a kind that its client keeps: from the second call on it is known where the call begins.
        KEPT = "@holdup_call_kind ||"
        private_constant :KEPT

        # Makes each call of a method a call to another system, also one that raises.
        # @param options [Hash] of MethodHook
        # @yieldparam method [Hooks::HookedMethod]
        # @yieldreturn [String] code with HoldupLibrary and the method's parameters: a kind, or nil. It runs
        #   at the call's end, only when the call is one of an open unit. It must not raise
        # @return [Hooks::MethodHook]
        def call_hook(owner, name, **options)
          around(owner, name, **options) do |method|
            kind = yield method
            known = "(@holdup_call_kind)" if kind.start_with?(KEPT)
            <<~RUBY
                holdup_open = HoldupCalls.begin_call#{known}
                holdup_failed = true
                holdup_result = #{method.call}
                holdup_failed = false
                holdup_result
              ensure
                HoldupCalls.end_call(#{kind}, holdup_failed) if holdup_open
            RUBY
          end
        end

        # Asks for the kind before the call begins. Without a kind nothing is recorded for this method, only
        # for calls that it makes.
        # @see call_hook
        def kind_hook(owner, name, **options)
          around(owner, name, **options) do |method|
            <<~RUBY
                holdup_kind = #{yield method}
                holdup_open = HoldupCalls.begin_call(holdup_kind) if holdup_kind
                holdup_failed = true
                holdup_result = #{method.call}
                holdup_failed = false
                holdup_result
              ensure
                HoldupCalls.end_call(holdup_kind, holdup_failed) if holdup_open
            RUBY
          end
        end

        # The method sends BEGIN: a transaction of the open unit begins, unless the method raises.
        # @yieldreturn [String] code as in call_hook: the kind of the queries in it; nil: it is no transaction
        # @see call_hook
        def transaction_begin_hook(owner, name, **options)
          around(owner, name, **options) do |method|
            <<~RUBY
                holdup_kind = #{yield method}
                holdup_open = HoldupCalls.begin_transaction(holdup_kind)
                holdup_result = #{method.call}
                holdup_begun = true
                holdup_result
              ensure
                HoldupCalls.end_transaction(holdup_kind, nil) if holdup_open && !holdup_begun
            RUBY
          end
        end

        # The method sends COMMIT for the transaction, if one is open. Where it raises, that has no effect.
        # @see transaction_begin_hook
        def commit_hook(owner, name, **options)
          around(owner, name, **options) do |method|
            <<~RUBY
                holdup_failed = true
                holdup_result = #{method.call}
                holdup_failed = false
                holdup_result
              ensure
                HoldupCalls.end_transaction(#{yield method}, holdup_failed)
            RUBY
          end
        end

        # The method sends ROLLBACK for the transaction, if one is open.
        # @see transaction_begin_hook
        def rollback_hook(owner, name, **options)
          around(owner, name, **options) do |method|
            <<~RUBY
                #{method.call}
              ensure
                HoldupCalls.end_transaction(#{yield method}, true)
            RUBY
          end
        end

        # Installs all of them, or none: half of a library would be misleading.
        # @param hooks [Array<Hooks::MethodHook>]
        # @return [void]
        def install_together(hooks)
          possible = hooks.all?(&:possible?)
          hooks.each { |hook| hook.install(@guard) if possible || !hook.possible? }
        end

        # @yieldreturn [String] code with HoldupLibrary and HoldupCalls
        # @see call_hook
        def around(owner, name, constants: {}, **options, &)
          constants = {HoldupLibrary: self, HoldupCalls: @edges, **constants}
          hook = Hooks::MethodHook.new(owner, name, by: :calls, constants:, **options, &)
          @hooks << hook
          hook
        end
      end

      # Remembers the kinds of hosts.
      class HostHook < LibraryHook
        # The probe knows fewer.
        MOST_KINDS = 100

        def initialize(recorder)
          super
          @kinds = {}
        end

        # @param system [String] "http"
        # @return [Integer, nil]
        def kind_of(system, host)
          @kinds[host] || remember(host) { "#{system} #{host}".strip }
        end

        private

        def remember(host, &)
          found = kind(&)
          @kinds[host.dup.freeze] = found if @kinds.size < MOST_KINDS
          found
        end
      end
    end
  end
end
