# frozen_string_literal: true

require_relative "../../hooks/method_hook"
require_relative "../../model/clock"
require_relative "../guard"

module Holdup
  class Runtime
    # The collector is a child of the application, whose `Process.waitall` would wait for it for ever.
    module WaitForAll
      class << self
        # @param supervisor [CollectorSupervisor] of this process
        # @param log [Log] gets the reason where the method can't be hooked
        def install(supervisor, log:)
          @supervisor = supervisor
          # Other Ractors can't read the constant.
          Hooks::MethodHook.new(Process.singleton_class, :waitall, by: :collector, block: false,
            constants: {HoldupCollector: self}) do |method|
            <<~RUBY
                holdup_pids = HoldupCollector.step_aside if Ractor.current == Ractor.main
                holdup_result = #{method.call}
                holdup_result.reject! { |pid, _| holdup_pids.include?(pid) } if holdup_pids
                holdup_result
              ensure
                HoldupCollector.come_back if holdup_pids
            RUBY
          end.install(Guard.new(log:, clock: Clock.new))
        end

        def step_aside = @supervisor.step_aside

        def come_back = @supervisor.come_back
      end
    end
  end
end
