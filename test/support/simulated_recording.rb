# frozen_string_literal: true

require "holdup/loader"
require "holdup/model/sample_block"

# Unit samples of a process whose every property is known, because the replay made it: what estimates are
# tested with. Load goes up and down from minute to minute, each minute like the one before (correlation 0.8).
# Where all is `slower`, fewer units say as much of a time. With `connections`, each of which waits for an
# answer before it sends again, so many of them take turns of 20 s. Of several processes, each unit goes to
# any; `threads` may be those of each. The processes began `age_s` before. With `bursts` of [45, 135]
# seconds, units come for the first and not at all for the second, by turns. `slowness` is the logarithm of
# how slow the machine is, by second; units hold the GVL longer by that, times the `exponent`.
class SimulatedRecording
  Sizing = Holdup::Advise::Sizing
  NS = 1_000_000_000
  MS = 1_000_000
  START_S = 20_000 * 86_400

  # Milliseconds held and idle, acquisitions, share of the units, spread of the held time (sigma of a
  # log-normal), and how much more often it comes when load is high.
  Endpoint = Data.define(:held_ms, :idle_ms, :acquisitions, :share, :sigma, :with_load) do
    def initialize(with_load: 0.0, **rest) = super
  end

  LIKE = {"A#a" => Endpoint.new(held_ms: 4, idle_ms: 10, acquisitions: 6, share: 0.6, sigma: 0.6),
          "B#b" => Endpoint.new(held_ms: 15, idle_ms: 20, acquisitions: 10, share: 0.3, sigma: 0.8),
          "C#c" => Endpoint.new(held_ms: 40, idle_ms: 5, acquisitions: 3, share: 0.1, sigma: 1.0)}.freeze
  HEAVY_TAILED = {"A#a" => Endpoint.new(held_ms: 4, idle_ms: 10, acquisitions: 6, share: 0.7, sigma: 0.5),
                  "B#b" => Endpoint.new(held_ms: 10, idle_ms: 20, acquisitions: 8, share: 0.2, sigma: 1.2),
                  "C#c" => Endpoint.new(held_ms: 60, idle_ms: 10, acquisitions: 3, share: 0.1,
                    sigma: 1.6)}.freeze
  # The heavy one comes when there is much to do.
  MIXED_BY_LOAD = LIKE.merge("C#c" => LIKE["C#c"].with(with_load: 0.8)).freeze

  def initialize(seed:, growth: 0.0, gc_growth: 0.0, marking: 0.0, cold: 0.0, idle_growth: 0.0, minutes: 30,
    rate: 28, threads: 5, endpoints: LIKE, sway: 0.5, slower: 1, connections: nil,
    handoff_ns: Sizing::Handoff::USUAL_NS, processes: 1, turn_s: 20, age_s: 3600, bursts: nil,
    slowness: ->(_second) { 0.0 }, exponent: 1.0)
    @random = Random.new(seed)
    @cost = Sizing::CoherencyCost.new(growth:, marking:, cold:, idle_growth:)
    @gc_growth = gc_growth
    @minutes = minutes
    @rate = rate.fdiv(slower)
    @ms = MS * slower
    @threads = threads
    @endpoints = endpoints
    @sway = sway
    @connections = connections
    @handoff_ns = handoff_ns
    @processes = processes
    @turn_s = turn_s
    @bursts = bursts
    @slowness = slowness
    @exponent = exponent
    @since_ns = (START_S - age_s) * NS
  end

  # @return [Integer] of the one host
  attr_reader :processes

  # @return [Float] mean ns of a unit's stall while no thread held the GVL
  def handoff_ns
    all
    @played.sum(&:handed_ns) / @played.sum { |one| one.trace.size }
  end

  # Of the host, once a minute, as the collector's rounds measured it.
  # @param noise [Float] standard deviation of one round's time, as a share
  # @return [Array<Hash{Symbol => Object}>]
  def samples(noise: 0.02)
    random = Random.new(1)
    (1..@minutes).map do |minute|
      rounds = Array.new(6) do |round|
        Math.exp(@slowness.call(60 * minute - 10 * round) + noise * random.rand(-1.73..1.73))
      end
      {at_s: START_S + 60 * minute, host: "a", pid: 0, fixed_work_ns: (900_000 * rounds.sum / 6).round}
    end
  end

  # @return [Array<Holdup::UnitSample>] as a store would give them
  def unit_samples
    @unit_samples ||= all.group_by { |unit_sample| Holdup::SampleBlock.start_of(unit_sample.start_ns) }
      .flat_map { |start_s, some| block(start_s, []).merge(block(start_s, some)).weighted }
  end

  # @return [Array<Holdup::UnitSample>] every unit, in the order of their starts
  def all
    @all ||= begin
      played = (@connections ? turns : open).transpose.group_by { |unit, *| unit.group }
      units = played.flat_map { |process, same| of_process(process, same) }
      units.sort_by.with_index { |unit, index| [unit.start_ns, index] }
    end
  end

  # Units that ask for the GVL as the recorded ones did, all of them there from the start.
  # @return [Holdup::Advise::Sizing::Trace]
  def backlog(count)
    Sizing::Trace.new(drawn(count).last)
  end

  private

  # Each process is a group of its own, so that every unit has a known one.
  def scenario
    groups = Array(@threads).cycle.first(@processes).map do |threads|
      Sizing::Scenario::ProcessGroup.new(processes: 1, threads:)
    end
    Sizing::Scenario.new(groups:, vcpus: 8, cost: @cost, handoff_ns: @handoff_ns)
  end

  def open
    units, names = arrivals
    played = Sizing::Replay.call(Sizing::Trace.new(units), scenario)
    @played = [played]
    [units, names, played.rows]
  end

  # One after the other, each from when the last unit of the one before has ended.
  def turns
    @played = []
    from_ns = 0
    found = (0...(@minutes * 60 / @turn_s).ceil).flat_map do |number|
      some = turn(from_ns, @connections[number % @connections.size])
      from_ns = some.map { |unit, _, result| unit.arrival_ns + result.last }.max
      some
    end
    found.transpose
  end

  def turn(from_ns, connections)
    names, units = drawn((@turn_s * @rate * 3).ceil, slow(from_ns.fdiv(NS) + @turn_s / 2))
    most = scenario.with(most: connections)
    admitted = admissions(Sizing::Replay.call(Sizing::Trace.new(units), most), connections)
    in_time = admitted.count { |at_ns| at_ns < @turn_s * NS }
    played = Sizing::Replay.call(Sizing::Trace.new(units.first(in_time)), most)
    @played << played
    played.rows.zip(units, names, admitted).map do |result, unit, name, at_ns|
      queued, stalled, held, response = result
      [unit.with(arrival_ns: from_ns + at_ns), name, [queued - at_ns, stalled, held, response - at_ns]]
    end
  end

  def admissions(played, connections)
    [*[0] * connections, *played.column(:response).sort].first(played.trace.size)
  end

  # Names, and units that arrive at once.
  # @param slow [Float] factor of their time with the GVL
  def drawn(count, slow = 1.0)
    shares = @endpoints.transform_values(&:share)
    all = shares.values.sum
    names = Array.new(count) { draw(shares, all) }
    [names, names.map { |name| unit(0, @endpoints[name], slow) }]
  end

  def arrivals
    load = 0.0
    pairs = (0...@minutes).flat_map do |minute|
      load = 0.8 * load + 0.6 * normal
      minute(minute * 60.0, @rate * Math.exp(@sway * load - @sway**2 / 2),
        @endpoints.transform_values { |one| one.share * Math.exp(one.with_load * load) })
    end
    pairs.transpose
  end

  def minute(from_s, rate, shares)
    found = []
    all = shares.values.sum
    at_s = from_s
    to_s = [from_s + 60, @minutes * 60].min
    while (at_s += -Math.log(1 - @random.rand) / rate) < to_s
      next if @bursts && at_s % @bursts.sum >= @bursts.first
      name = draw(shares, all)
      found << [unit(at_s, @endpoints[name]), name]
    end
    found
  end

  # @param all [Float] sum of the shares
  def draw(shares, all)
    left = @random.rand * all
    shares.each { |name, share| return name if (left -= share) < 0 }
    shares.keys.last
  end

  def slow(second)
    Math.exp(@exponent * @slowness.call(second))
  end

  def unit(at_s, one, slow = slow(at_s))
    held = slow * one.held_ms * Math.exp(one.sigma * normal - one.sigma**2 / 2)
    Sizing::Trace::TraceUnit.new(arrival_ns: (at_s * NS).round, held_ns: (held * @ms).round,
      idle_ns: (one.idle_ms * @ms * Math.exp(0.5 * normal)).round, acquisitions: one.acquisitions,
      group: (@processes > 1) ? @random.rand(@processes) : 0)
  end

  def of_process(process, played)
    units, names, results = played.transpose
    spans = results.zip(units).map { |(queued, _, _, response), unit|
      [unit.arrival_ns + queued, unit.arrival_ns + response]
    }
    flight = flight(spans)
    results.zip(units, names, spans, beginnings(spans)).map do |result, unit, name, (from, to), (found, rest)|
      in_flight = (flight[to] - flight[from]).fdiv(to - from)
      unit_sample(result, unit, name, from, in_flight:, concurrency: found, rest_ns: rest,
        process: pid(process))
    end
  end

  def pid(process)
    @pids ||= {}
    first = ExampleUnits::PROCESS.pid
    @pids[process] ||= ExampleUnits::PROCESS.with(pid: first + process, since_ns: @since_ns)
  end

  def series(name)
    @series ||= {}
    @series[name] ||= Holdup::Series.new(kind: :request, name:)
  end

  def normal
    Math.sqrt(-2 * Math.log(1 - @random.rand)) * Math.cos(2 * Math::PI * @random.rand)
  end

  # How many were in flight, added up over time, at each start and end.
  def flight(spans)
    edges = spans.flat_map { |from, to| [[from, 1], [to, -1]] }.sort_by(&:first)
    last = open = total = 0
    edges.to_h do |at, change|
      total += open * (at - last)
      last = at
      open += change
      [at, total]
    end
  end

  # How many were in flight when each began, and for how long there had been none.
  def beginnings(spans)
    open = ended = 0
    found = Array.new(spans.size)
    edges = spans.each_with_index.flat_map { |(from, to), index| [[from, 1, index], [to, 0, index]] }
    # In the order of the three numbers, which as arrays would be compared at length.
    edges.sort_by! { |at, begins, index| (2 * at + begins) * spans.size + index }
    edges.each do |at, begins, index|
      found[index] = [open, open.zero? ? at - ended : 0] if begins == 1
      open += 2 * begins - 1
      ended = at
    end
    found
  end

  def unit_sample(result, unit, name, from_ns, in_flight:, **more)
    queued, stalled, held, response = result
    Holdup::UnitSample.new(
      series: series(name),
      setting: ExampleUnits::SETTING,
      host: "a",
      start_ns: START_S * NS + from_ns,
      running_ns: held,
      cpu_ns: held,
      idle_ns: response - queued - stalled - held,
      stalled_ns: stalled,
      acquisitions: unit.acquisitions,
      longest_hold_ns: held / unit.acquisitions,
      gc_ns: gc(held, in_flight),
      queued_ns: queued,
      in_flight_milli: (in_flight * 1000).round,
      weight: 1.0,
      **more
    )
  end

  # A tenth of what a unit takes alone, and what concurrency adds to it.
  def gc(held, in_flight)
    grown = @gc_growth * Sizing::CoherencyCost.doublings(in_flight)
    marked = @cost.marking * Sizing::CoherencyCost.others(in_flight)
    (held / @cost.factor(in_flight:) * (0.1 + grown + marked)).round
  end

  def block(start_s, unit_samples)
    ExampleUnits.block(unit_samples, start_s:)
  end
end
