# frozen_string_literal: true

require_relative "customers"

module Demo
  # Sends traffic, and says how far it is.
  class Sending
    # Between two lines where there is no terminal.
    STEP_SECONDS = 30

    # @param err [IO]
    # @param around [#call] gets the block in which traffic is sent
    def initialize(err:, around: ->(&sending) { sending.call })
      @err = err
      @around = around
    end

    # @param url [String]
    # @param routes [Array<Holdup::Lab::Route>]
    # @param plan [LoadPlan]
    # @param seed [Integer]
    # @return [Hash<String, Holdup::Lab::Exchange::Outcome>]
    def call(url, routes, plan, seed:)
      @last_step = nil
      target = Holdup::Lab::Load::Target.new(url)
      progress = ->(state) { progress(state, plan) }
      @around.call { Customers.new(target:, routes:, plan:, seed:, progress:).run }
    ensure
      @err.print("\r\e[K") if @err.tty?
    end

    private

    def progress(state, plan)
      line = format("sending traffic: %d s of %d, %d answers, %d open", state.elapsed_s, plan.seconds,
        state.answered, state.open)
      return @err.print("\r#{line}\e[K") if @err.tty?
      step = state.elapsed_s.to_i / STEP_SECONDS
      @err.puts(line) if step != @last_step
      @last_step = step
    end
  end
end
