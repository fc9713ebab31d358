# frozen_string_literal: true

require_relative "traffic"

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
    # @param options [Options]
    # @return [Hash<String, Holdup::Lab::Exchange::Outcome>]
    def call(url, options)
      @last_step = nil
      @around.call { Traffic.send_to(url, options, progress: ->(state) { progress(state, options) }) }
    ensure
      @err.puts if @err.tty?
    end

    private

    def progress(state, options)
      line = format(
        "sending traffic: %4.1f of %.0f s, %d answers, %d open", state.elapsed_s,
        Traffic.seconds(options), state.done, state.open
      )
      return @err.print("\r#{line}\e[K") if @err.tty?
      step = state.elapsed_s.to_i / STEP_SECONDS
      @err.puts(line) if step != @last_step
      @last_step = step
    end
  end
end
