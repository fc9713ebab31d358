# frozen_string_literal: true

require_relative "guard"

module Holdup
  # `config.on_finish`: gets the figures of each request and job that has ended. What it raises is logged and
  # counted, and never reaches the application.
  class FinishCallback
    # @param callback [#call] the application's
    def initialize(callback, guard)
      @callback = callback
      @guard = guard
    end

    # @param figures [UnitFigures]
    def call(figures)
      @callback.call(figures)
    rescue *Guard::FAILURES => error
      @guard.failed(:on_finish, error)
    end
  end
end
