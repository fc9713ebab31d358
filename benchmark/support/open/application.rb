# frozen_string_literal: true

require "holdup"
require_relative "../exact"

module Bench
  # Requests of predict-open that the storefront does not have: some whose time goes to memory, some of a
  # fixed time. A path has the action, and its numbers as the query: `/walk?8000,10000`.
  class OpenApplication
    # 32 MB, more than the caches near a CPU have. Each entry is the index of another one, in one circle.
    ENTRIES = 4_000_000
    SEED = 5
    ACTIONS = %w[walk exact].freeze

    # @param env [Hash] of Rack
    # @return [Array] a response
    def call(env)
      action = env.fetch("PATH_INFO").delete_prefix("/")
      return answer(200, "up\n") if action == "up"
      return answer(404, "none\n") unless ACTIONS.include?(action)
      numbers = env.fetch("QUERY_STRING").split(",").map { |text| Integer(text) }
      Holdup.name = [action, *numbers].join(" ")
      answer(200, public_send(action, *numbers).to_s)
    end

    # Follows the circle, then makes strings and a page of them, then waits as for a database.
    # @param steps [Integer] from entry to entry
    # @param rows [Integer]
    # @param wait_ms [Integer]
    # @return [Integer] bytes
    def walk(steps, rows, wait_ms)
      place = Random.rand(ENTRIES)
      steps.times { place = circle[place] }
      Exact.wait(wait_ms)
      lines = Array.new(rows) { |row| "<td>#{place + row}</td>" }
      Exact.wait(wait_ms)
      lines.join.bytesize
    end

    # @param steps [Integer]
    # @param micros [Integer] of CPU time in each step
    # @param wait_ms [Integer] in each step
    # @return [Integer]
    def exact(steps, micros, wait_ms)
      steps.times do
        Exact.compute(micros)
        Exact.wait(wait_ms)
      end
    end

    private

    def circle
      CIRCLE
    end

    def answer(status, body)
      [status, {"content-type" => "text/plain", "content-length" => body.bytesize.to_s}, [body]]
    end

    # @return [Array<Integer>]
    def self.circle
      order = [*0...ENTRIES].shuffle(random: Random.new(SEED))
      entries = Array.new(ENTRIES)
      order.each_with_index { |entry, index| entries[entry] = order[index - 1] }
      entries
    end
    private_class_method :circle

    CIRCLE = ((ENV["OPEN_MEMORY"] == "1") ? circle : []).freeze
  end
end
