# frozen_string_literal: true

require_relative "guard"
require_relative "logged_figures"

module Holdup
  # Passes the figures of each ended request and job to `config.on_finish`, and to what of
  # `config.add_figures_to` takes them at the end. Where one fails, the others still get them.
  class FinishedFigures
    # An event for all subscribers of Active Support.
    module Notifications
      EVENT = "finish.holdup"

      def self.missing
        "Active Support is not loaded" unless defined?(::ActiveSupport::Notifications)
      end

      def self.call(figures)
        ::ActiveSupport::Notifications.instrument(EVENT, figures:)
      end
    end

    # An event of Rails' reporter of structured events, with numbers only.
    module RailsEvent
      NAMES = {request: "holdup.request", job: "holdup.job"}.freeze
      private_constant :NAMES

      def self.missing
        "it needs Rails 8.1" unless defined?(::Rails) && ::Rails.respond_to?(:event)
      end

      def self.call(figures)
        ::Rails.event.notify(NAMES.fetch(figures.kind), figures.to_h)
      end
    end

    # The context of Sidekiq's logger: its line at a job's end, which comes after this, has the figures.
    module SidekiqLog
      CONTEXT = :sidekiq_context

      def self.missing
        "Sidekiq is not loaded" unless defined?(::Sidekiq)
      end

      # Only a thread that runs a job of Sidekiq has the id of one.
      def self.call(figures)
        context = Thread.current[CONTEXT]
        return unless context && context[:jid] && figures.kind == :job
        context.merge!(LoggedFigures.of(figures))
      end
    end

    RECEIVERS = {notifications: Notifications, rails_event: RailsEvent, sidekiq_log: SidekiqLog}.freeze

    # @param configuration [Configuration]
    # @param guard [Guard]
    # @param receivers [Hash{Symbol => #call, #missing}] by the name in `config.add_figures_to`
    # @return [#call, nil] what gets the figures; nil: nobody wants them
    def self.receiver(configuration, guard, receivers: RECEIVERS)
      added = receivers.slice(*configuration.add_figures_to).filter_map do |name, receiver|
        missing = receiver.missing
        missing ? guard.not_hooked("config.add_figures_to :#{name}", missing) : receiver
      end
      added.empty? ? configuration.on_finish : new([*configuration.on_finish, *added], guard)
    end

    def initialize(receivers, guard)
      @receivers = receivers
      @guard = guard
    end

    # @param figures [UnitFigures]
    def call(figures)
      @receivers.each { |receiver| give(receiver, figures) }
    end

    private

    def give(receiver, figures)
      receiver.call(figures)
    rescue *Guard::FAILURES => error
      @guard.failed(:on_finish, error)
    end
  end
end
