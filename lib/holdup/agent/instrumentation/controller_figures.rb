# frozen_string_literal: true

require_relative "../../hooks/method_hook"
require_relative "../logged_figures"
require_relative "../runtime/resources"

module Holdup
  module Instrumentation
    # `config.add_figures_to`: Rails' line "Completed 200 OK in ...", the lines of lograge and
    # rails_semantic_logger, which replace it, and the page of rack-mini-profiler. All of them get the figures
    # so far at the end of the action; the lines come from the notification
    # "process_action.action_controller", whose payload has them.
    class ControllerFigures
      include Runtime::Resource

      # Key of the payload. rails_semantic_logger logs the payload as it is.
      PAYLOAD = :holdup
      # Those of `config.add_figures_to` that this serves.
      LINES = %i[rails_log lograge semantic_logger mini_profiler].freeze
      # Names that the page of rack-mini-profiler has for them, beside those of its own.
      TIMINGS = {gvl: "GVL", io: "IO"}.freeze
      COMPLETED = {gvl: "GVL: %.1fms", io: "IO: %.1fms"}.freeze
      private_constant :COMPLETED, :TIMINGS

      # @param wanted [#call] gives the names of `config.add_figures_to`
      # @param guard [Guard]
      def initialize(wanted:, guard:)
        @wanted = wanted
        @guard = guard
      end

      def install
        lines = @lines ||= @wanted.call & LINES
        return if lines.empty?
        @controllers ||= follow_controllers if defined?(::ActiveSupport.on_load)
        @lograge ||= hook_lograge if lines.include?(:lograge) && defined?(::Lograge.custom_options)
      end

      # @param payload [Hash] of the notification
      # @return [void]
      def add_to(payload)
        @guard.call(:added_figures) do
          figures = LoggedFigures.of(Recorder::OpenUnit.current&.measured)
          next unless figures
          payload[PAYLOAD] = figures
          profile_request(figures) if @lines&.include?(:mini_profiler)
        end
      end

      # @param messages [Array<String>] parts of the line of an action
      # @param payload [Hash] of the notification
      # @return [Array<String>] to which Active Record adds its own
      def completed(messages, payload)
        added = @guard.call(:added_figures) { described(payload) }
        added ? [*messages, *added] : messages
      end

      # @param options [Hash, nil] that the application adds to lograge's line
      # @param event [ActiveSupport::Notifications::Event]
      # @return [Hash, nil]
      def logged(options, event)
        @guard.call(:added_figures) do
          figures = event.payload[PAYLOAD]
          figures && {**figures, **options.to_h}
        end || options
      end

      private

      # As its `counter` does, which keeps nothing where pages are for everybody, as in development. It drops
      # the page itself where the request turns out to be nobody's who may see it.
      def profile_request(figures)
        profiled = ::Rack::MiniProfiler.current if defined?(::Rack::MiniProfiler.current)
        timer = profiled&.current_timer or return
        TIMINGS.each { |name, title| timer.add_custom(title, figures.fetch(name), profiled.page_struct) }
      end

      def described(payload)
        figures = payload[PAYLOAD]
        figures && COMPLETED.map { |name, text| format(text, figures.fetch(name)) }
      end

      # Action Controller may be loaded at the first request.
      def follow_controllers
        ::ActiveSupport.on_load(:action_controller, yield: true) do
          @guard.call(:added_figures) { hook_controllers(::ActionController::Instrumentation) }
        end
        true
      end

      def hook_controllers(instrumentation)
        hook(instrumentation, :append_info_to_payload, "payload") do |method|
          "HoldupFigures.add_to(#{method.positional(0)})\n#{method.call}"
        end
        return unless @lines.include?(:rails_log)
        hook(instrumentation::ClassMethods, :log_process_action, "payload") do |method|
          "HoldupFigures.completed(#{method.call}, #{method.positional(0)})"
        end
      end

      def hook_lograge
        hook(::Lograge.singleton_class, :custom_options, "event") do |method|
          "HoldupFigures.logged(#{method.call}, #{method.positional(0)})"
        end
        true
      end

      def hook(owner, name, signature, &)
        Hooks::MethodHook.new(owner, name, by: :added_figures, signatures: [signature],
          constants: {HoldupFigures: self}, &).install(@guard)
      end
    end
  end
end
