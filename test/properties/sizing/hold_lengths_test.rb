# frozen_string_literal: true

require "test_helper"
require "holdup/loader"
require_relative "../../support/example_units"

# An application whose requests are known hold by hold, played by a simulation of its own: a replay of what
# is recorded of it (times, number and longest of the holds, and the sum of their squares) has to give its
# response times at other numbers of threads.
class HoldLengthsPropertyTest < Minitest::Test
  Sizing = Holdup::Advise::Sizing
  NS = 1_000_000_000
  US = 1_000
  HANDOFF_NS = 36 * US
  REQUESTS = 5_000
  RATE = 110.0
  SHARES = [0.5, 0.95].freeze
  # A query: the GVL is released when it is sent and when it is waited for. Microseconds of each hold, and of
  # what follows it.
  QUERY = [[180, 5], [20, 320]].freeze
  LOG = [[15, 3]].freeze
  # Name, share of the requests, holds.
  KINDS = [["page", 0.9, [*QUERY * 2, [1_500, 4], *LOG * 5, [100, 0]]],
    ["list", 0.1, [*QUERY * 60, [900, 4], *LOG * 5, [3_000, 0]]]].freeze

  PlayedRequest = Data.define(:arrival_ns, :name, :holds)
  CountedWindow = Data.define(:series, :count, :sums)

  def test_replays_give_the_response_times_of_other_numbers_of_threads
    trace = Sizing::Trace.of(recorded)
    [1, 3, 10].each do |threads|
      expected = percentiles(Simulation.new(requests, threads).responses)
      scenario = Sizing::Scenario.of(processes: 1, threads:, vcpus: 8, handoff_ns: HANDOFF_NS)
      found = percentiles(Sizing::Replay.call(trace, scenario).column(:response))
      SHARES.zip(expected, found) do |share, one, other|
        assert_in_delta 1, other.fdiv(one), 0.03, "#{share} with #{threads} threads"
      end
    end
  end

  private

  def percentiles(responses)
    sorted = responses.sort
    SHARES.map { |share| sorted[((sorted.size - 1) * share).round] }
  end

  # Half of each time is random.
  def requests
    @requests ||= begin
      random = Random.new(7)
      at_ns = 0
      Array.new(REQUESTS) do
        at_ns += (exponential(random) * NS / RATE).round
        name, _, holds = (random.rand < KINDS.first[1]) ? KINDS.first : KINDS.last
        times = holds.map do |pair|
          pair.map { |micros| (micros * US * (0.5 + 0.5 * exponential(random))).round }
        end
        PlayedRequest.new(arrival_ns: at_ns, name:, holds: times)
      end
    end
  end

  def exponential(random) = -Math.log(1 - random.rand)

  # @return [Array<Holdup::UnitSample>]
  def recorded
    series = KINDS.to_h { |name, *| [name, Holdup::Series.new(kind: :request, name:)] }
    windows = requests.group_by(&:name).map do |name, same|
      squares = same.sum { |request| request.holds.sum { |held, _| (held / US)**2 } }
      CountedWindow.new(series: series.fetch(name), count: same.size, sums: {hold_squares_us2: squares})
    end
    units = requests.map { |request| sample(request, series.fetch(request.name)) }
    Sizing::Recording::HoldLengths.new(windows).of(units)
  end

  def sample(request, series)
    held, idle = request.holds.transpose
    ExampleUnits.unit_sample(0).with(series:, start_ns: request.arrival_ns, queued_ns: 0, stalled_ns: 0,
      running_ns: held.sum, idle_ns: idle.sum, acquisitions: held.size - 1, longest_hold_ns: held.max,
      in_flight_milli: 1_000)
  end

  # One process with a GVL: who waits for it gets it in turn, after a hand-off.
  class Simulation
    def initialize(requests, threads)
      @requests = requests
      @free = threads
      @queue = []
      @ready = []
      @next_hold = Array.new(requests.size, 0)
      @responses = Array.new(requests.size)
      @events = requests.each_with_index.map { |request, index| [request.arrival_ns, :arrive, index] }
    end

    # @return [Array<Integer>] ns of each request
    def responses
      until @events.empty?
        @now, event, request = @events.shift
        send(event, request)
      end
      @responses
    end

    private

    def at(time_ns, event, request)
      index = @events.bsearch_index { |other_ns, *| other_ns > time_ns } || @events.size
      @events.insert(index, [time_ns, event, request])
    end

    def arrive(request)
      return @queue << request if @free.zero?
      @free -= 1
      want(request)
    end

    def want(request)
      @taken ? @ready << request : hold(request)
    end

    def hold(request)
      @taken = true
      at(@now + @requests[request].holds[@next_hold[request]].first, :release, request)
    end

    def release(request)
      _, gap_ns = @requests[request].holds[@next_hold[request]]
      @next_hold[request] += 1
      @taken = @ready.any?
      at(@now + HANDOFF_NS, :hold, @ready.shift) if @taken
      ended = @next_hold[request] == @requests[request].holds.size
      ended ? finish(request) : at(@now + gap_ns, :want, request)
    end

    def finish(request)
      @responses[request] = @now - @requests[request].arrival_ns
      @free += 1
      arrive(@queue.shift) if @queue.any?
    end
  end
end
