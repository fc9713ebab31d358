# frozen_string_literal: true

require_relative "../../hooks/method_hook"
require_relative "job_units"
require_relative "../runtime/resources"

module Holdup
  module Instrumentation
    # Measures what Action Cable runs in its own threads: each action of a channel ("ChatChannel#speak"),
    # subscriptions and connections. They are jobs of the process: no request waits for them, and they have a
    # pool of threads of their own.
    class CableActions
      include Runtime::Resource

      QUEUE = "action_cable"
      UNKNOWN = "(no such action)"
      # `method`: of Action Cable; `named`: what the application calls it
      EDGES = {
        channel: {subscribe_to_channel: "subscribed", unsubscribe_from_channel: "unsubscribed"},
        connection: {handle_open: "connect", handle_close: "disconnect"}
      }.freeze
      private_constant :EDGES

      # @param jobs [#call] gives the JobUnits
      # @param guard [Guard]
      def initialize(jobs:, guard:)
        @jobs = jobs
        @guard = guard
        @names = {}.compare_by_identity
      end

      def install
        @hooked ||= hook if loaded?
      end

      # @param channel [ActionCable::Channel::Base]
      # @param data [Hash] that a client sent
      # @return [Object] the block's value; its exception passes unchanged
      def perform(channel, data, &)
        jobs.measure(run(channel) { action(channel, data) }, &)
      end

      # @param object [ActionCable::Channel::Base, ActionCable::Connection::Base]
      # @param method [String]
      # @return [Object] as `perform`
      def around(object, method, &)
        jobs.measure(run(object) { method }, &)
      end

      private

      def jobs = @current ||= @jobs.call

      # As Action Cable reads it. A client may send any text.
      def action(channel, data)
        action = data["action"].to_s
        action = "receive" if action.empty?
        channel.class.action_methods.include?(action) ? action : UNKNOWN
      end

      # @yieldreturn [String] name of a method
      # @return [JobUnit, nil] that has not begun; nil: nothing is measured
      def run(object)
        return unless jobs.on?
        jobs.run(nil, name(object.class, yield), QUEUE)
      rescue *Guard::FAILURES => error
        jobs.unreadable(error)
      end

      # Methods of a class are few.
      def name(owner, method)
        (@names[owner] ||= {})[method] ||= "#{owner.name}##{method}".freeze
      end

      # Asking for an autoloaded constant loads it, which is not ours to do.
      def loaded?
        constants = {Channel: :Base, Connection: :Base}
        constants.all? do |name, base|
          next if ::ActionCable.autoload?(name)
          owner = ::ActionCable.const_get(name)
          owner.const_defined?(base, false) && !owner.autoload?(base)
        end
      end

      def hook
        hook_method(::ActionCable::Channel::Base, :perform_action) do |method|
          "HoldupCable.perform(self, #{method.positional(0)}) { #{method.call} }"
        end
        owners = {channel: ::ActionCable::Channel::Base, connection: ::ActionCable::Connection::Base}
        EDGES.each do |kind, methods|
          methods.each do |name, named|
            hook_method(owners.fetch(kind), name) do |method|
              "HoldupCable.around(self, #{named.dump}) { #{method.call} }"
            end
          end
        end
        true
      end

      def hook_method(owner, name, &)
        Hooks::MethodHook.new(owner, name, by: :cable, constants: {HoldupCable: self}, &).install(@guard)
      end
    end
  end
end
