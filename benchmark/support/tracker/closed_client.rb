# frozen_string_literal: true

require "json"
require "net/http"
require_relative "pages"
require_relative "page_deck"

module Bench
  # A number of users with a connection and a session each. Every one asks for the next page as soon as the
  # last answer is there: connection_load.rb runs this in a process of its own.
  class ClosedClient
    HOST = "127.0.0.1"
    PATIENCE_S = 30

    # @param settle_s [Numeric] seconds whose answers don't count for the rate: at the start there is no
    #   answer until the first requests are done
    def initialize(port:, connections:, seconds:, settle_s:, seed:)
      @port = port
      @connections = connections
      @seconds = seconds
      @settle_s = settle_s
      @deck = PageDeck.new(TrackerPages::ALL, random: Random.new(seed))
      @lock = Mutex.new
      @answered_at = []
      @failed = 0
    end

    # @return [Hash{Symbol => Numeric}] `answered` and `failed` requests, `rate`: answers per second
    def call
      @start = now
      Array.new(@connections) { Thread.new { ask_in_turn } }.each(&:join)
      counted = @answered_at.count { |at| at.between?(@start + @settle_s, @start + @seconds) }
      {answered: @answered_at.size, failed: @failed, rate: counted / (@seconds - @settle_s).to_f}
    end

    private

    def ask_in_turn
      Net::HTTP.start(HOST, @port, read_timeout: PATIENCE_S, keep_alive_timeout: PATIENCE_S) do |http|
        cookie = nil
        cookie = ask(http, cookie) while now < @start + @seconds
      end
    end

    # @return [String, nil] the session for the next request
    def ask(http, cookie)
      path = @lock.synchronize { @deck.draw.last }
      answer = http.get(path, {"X-Request-Start" => "t=#{micros}", "Cookie" => cookie}.compact)
      @lock.synchronize { answer.is_a?(Net::HTTPOK) ? @answered_at << now : @failed += 1 }
      answer["Set-Cookie"]&.then { |text| text[/\A[^;]+/] } || cookie
    end

    def micros = Process.clock_gettime(Process::CLOCK_REALTIME, :microsecond)

    def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
  end
end

if $PROGRAM_NAME == __FILE__
  options = JSON.parse(ARGV.fetch(0), symbolize_names: true)
  puts JSON.generate(Bench::ClosedClient.new(**options).call)
end
