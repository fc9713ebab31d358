# frozen_string_literal: true

require_relative "advice"

module Demo
  # What is advised is done, and the same customers come again: then predicted stands beside measured. Where
  # all is to stay as it is, another setting shows as much.
  class Following
    # @param advice [Advice]
    # @param storefront [Storefront]
    # @param say [#call] tells what goes on
    def initialize(advice:, storefront:, say:)
      @advice = advice
      @storefront = storefront
      @say = say
    end

    # @yieldreturn [Time] sends the traffic again: when the first unit was sent
    # @return [void]
    # @raise [Failure]
    def call
      @say.call("holdup advise: what would be better for this traffic?")
      advice = @advice.print
      setting = Advice.followed(advice) || Advice.neighbour(advice) or return @say.call(
        "no recommendation to follow; a quiet machine or --seconds 180 gives one"
      )
      restart(setting, why: (advice["verdict"] == "keep") ? "to test the prediction, " : "following it, ")
      started = yield
      @say.call("holdup advise --verify: has it come true?")
      @advice.verify(started)
    end

    private

    def restart(setting, why:)
      slice = ", time slice #{setting[:slice_ns] / 1_000_000} ms" if setting[:slice_ns]
      @say.call("#{why}restarting with #{setting[:workers]} workers x #{setting[:threads]} threads#{slice}")
      @storefront.restart(**setting)
    end
  end
end
