# frozen_string_literal: true

require_relative "../../hooks/method_hook"
require_relative "../application_code"
require_relative "../runtime/resources"
require_relative "job_units"

module Holdup
  module Instrumentation
    # Futures and promises of concurrent-ruby whose blocks are the application's. Each run of a block is a
    # job, named after the method that it is written in. What libraries run in futures is theirs to name:
    # Solid Queue runs its jobs so.
    class Futures
      include Runtime::Resource

      POOL = "futures"

      # Each class with the methods that give a block to a thread pool, and what the block is there.
      POSTS = {
        "Concurrent::Promises::ThenPromise" => {on_resolvable: "@Task"},
        "Concurrent::Promises::RescuePromise" => {on_resolvable: "@Task"},
        "Concurrent::Promises::ChainPromise" => {on_resolvable: "@Task"},
        "Concurrent::Future" => {execute: "@task"},
        "Concurrent::Promise" => {realize: "task", on_fulfill: "@on_fulfill", on_reject: "@on_reject"}
      }.freeze
      SIGNATURES = {realize: ["task"]}.freeze
      private_constant :POSTS, :SIGNATURES

      # @param jobs [#call] gives the JobUnits
      def initialize(jobs, guard:)
        @jobs = jobs
        @guard = guard
        @hooked = {}
        @names = {}
        @foreign = ApplicationCode.foreign
      end

      def install
        POSTS.each do |name, methods|
          @hooked[name] ||= join(Object.const_get(name), methods) if loaded?(name)
        end
      end

      # @param block [Object] that a thread pool will run; a Proc, if it is one of the application's
      # @return [Object] the same, or what runs it as a job that waits from now on
      def task(block)
        jobs = @jobs.call
        name = name_of(block) if jobs.on?
        name ? measured(block, name, jobs) : block
      rescue *Guard::FAILURES => error
        jobs.unreadable(error)
        block
      end

      private

      # Asking for a constant that is to be loaded would load it, which is not ours to do.
      def loaded?(name)
        name.split("::").inject(Object) do |outer, part|
          return false if outer.autoload?(part) || !outer.const_defined?(part, false)
          outer.const_get(part, false)
        end
      end

      def join(owner, methods)
        methods.each do |name, task|
          Hooks::MethodHook.new(owner, name, by: :futures, signatures: SIGNATURES[name],
            constants: {HoldupFutures: self}) { |method|
            "#{task} = HoldupFutures.task(#{task})\n#{method.call}"
          }.install(@guard)
        end
        true
      end

      def measured(block, name, jobs)
        ready_ns = jobs.clock.realtime_ns
        lambda do |*arguments|
          run = jobs.run(nil, name, nil)
          run.ready_ns = ready_ns
          run.pool = POOL
          jobs.measure(run) { block.call(*arguments) }
        end
      end

      # The same for each block of one place, and so found once.
      # @return [String, nil] nil: the block is not the application's
      def name_of(block)
        place = block.source_location if block.is_a?(Proc)
        return unless place
        @names.fetch(place) { @names[place] = (BlockName.new(block).to_s if own?(place.first)) }
      end

      def own?(path)
        path.start_with?("/") && @foreign.none? { |folder| path.start_with?(folder) }
      end
    end

    # What a block without a name is called.
    class BlockName
      CLASS = Kernel.instance_method(:class)
      NAME = Module.instance_method(:name)
      private_constant :CLASS, :NAME

      # @param block [Proc] that is written in Ruby
      def initialize(block)
        @block = block
      end

      # @return [String] "ReportsController#index (future)", "Rates.load (future)"; of a block outside of
      #   methods, or one that is a method, "rates.rb (future)"
      def to_s = "#{written_in || File.basename(@block.source_location.first)} (future)"

      private

      def written_in
        binding = @block.binding
        method = binding.eval("__method__", __FILE__, __LINE__)
        method && within(binding.receiver, method)
      rescue ArgumentError
        nil # a block that is a method has no binding
      end

      # @param receiver [Object]
      # @param method [Symbol]
      def within(receiver, method)
        return "#{NAME.bind_call(receiver)}.#{method}" if Module === receiver
        type = CLASS.bind_call(receiver)
        "#{type.instance_method(method).owner}##{method}"
      rescue NameError
        "#{type}##{method}" # the method has been removed or is missing
      end
    end
  end
end
