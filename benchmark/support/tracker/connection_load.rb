# frozen_string_literal: true

require_relative "../fresh"

module Bench
  # A closed load from a process of its own, so that the client's threads share no lock with the bench.
  module ConnectionLoad
    CLIENT = File.join(__dir__, "closed_client.rb")
    # At most this share of the time passes before answers count.
    SETTLE_SHARE = 0.25
    SETTLE_S = 2.0
    PATIENCE_S = 60

    # `answered`: requests; `rate`: answers per second, without the start
    ClosedAnswers = Data.define(:answered, :rate)

    # @param port [Integer] of 127.0.0.1
    # @param connections [Integer] requests that are under way at any time
    # @return [ClosedAnswers]
    # @raise [Failure] when an answer was not as it should be
    def self.call(port, connections:, seconds:, seed: 1)
      settle_s = [SETTLE_S, SETTLE_SHARE * seconds].min
      options = JSON.generate({port:, connections:, seconds:, settle_s:, seed:})
      output, errors, status = Open3.capture3("timeout", "--signal=KILL", (seconds + PATIENCE_S).ceil.to_s,
        RbConfig.ruby, *Fresh::LOAD_PATH, CLIENT, options)
      raise Failure, "the closed load: #{status}\n#{errors.lines.last(8).join}" unless status.success?
      report = JSON.parse(output.lines.last, symbolize_names: true)
      unless report[:failed].zero? && report[:answered].positive?
        raise Failure, "the closed load: #{report[:answered]} answers, #{report[:failed]} failures"
      end
      ClosedAnswers.new(answered: report[:answered], rate: report[:rate])
    end
  end
end
