# frozen_string_literal: true

require_relative "example_units"

# Requests of users who wait for each answer, think, and ask again: a simulation of its own, so that the
# replay is not compared with itself. Processes have a GVL each, in a FIFO; there are CPUs for all of them.
class SimulatedUsers
  NS = 1_000_000_000
  MS = 1_000_000
  START_S = 20_000 * 86_400

  # `held_ms` and `idle_ms` are means. One process serves 6.8 of these pages a second.
  Page = Data.define(:held_ms, :idle_ms, :holds, :share)
  PAGES = {"Products#index" => Page.new(held_ms: 80, idle_ms: 200, holds: 6, share: 0.6),
           "Orders#index" => Page.new(held_ms: 250, idle_ms: 400, holds: 12, share: 0.4)}.freeze

  Unit = Struct.new(:name, :user, :arrived, :began, :wanted, :held, :stalled, :idle, :parts, :at, :factor,
    :found, :rest, :flight, :process)
  Process = Struct.new(:number, :free, :queue, :ready, :taken, :in_flight, :flight, :changed, :emptied)

  attr_reader :processes

  # @param think [Symbol] how pauses vary: :exponential or :constant
  # @param growth [Float] see CoherencyCost
  def initialize(seed:, users:, think_s:, minutes:, threads: 5, processes: 1, handoff_ns: 0, growth: 0.0,
    think: :exponential)
    @seed = seed
    @users = users
    @think_ns = think_s * NS
    @end_ns = minutes * 60 * NS
    @threads = threads
    @processes = processes
    @each_handoff_ns = handoff_ns
    @growth = growth
    @think = think
  end

  # @return [Array<Holdup::UnitSample>] in the order of their starts
  def all
    simulate unless @done
    @all ||= @done.map { |unit| sample(unit) }.sort_by(&:start_ns)
  end

  # @return [Float] mean ns of a unit's stall while no thread held the GVL
  def handoff_ns
    all
    @handed.fdiv(all.size)
  end

  # @param percentile [Float]
  # @return [Array(Integer, Integer)] ns: queued + stalled, and the response
  def percentiles(percentile = 0.95)
    waits = all.map { |unit| unit.queued_ns + unit.stalled_ns }.sort
    responses = all.map { |unit| unit.queued_ns + unit.wall_ns }.sort
    [waits, responses].map { |sorted| sorted[((sorted.size - 1) * percentile).round] }
  end

  # @return [Float] units per second
  def throughput = all.size * NS / @end_ns

  private

  def simulate
    @random = Random.new(@seed)
    @events = []
    @now = @order = @handed = 0
    @done = []
    @there = Array.new(@processes) { |number| Process.new(number, @threads, [], [], false, 0, 0.0, 0, 0) }
    @users.times { |user| pause(user) }
    while (at, _, step = shift) && at <= @end_ns
      @now = at
      step.call
    end
  end

  def pause(user)
    length = (@think == :constant) ? 1.0 : -Math.log(1 - @random.rand)
    # Not all at once.
    length *= @random.rand if @think == :constant && @now.zero?
    later(length * @think_ns) { arrive(user) }
  end

  def arrive(user)
    pick = @random.rand
    name, page = PAGES.find { |_, one| (pick -= one.share) < 0 } || PAGES.first
    unit = Unit.new(name, user, @now, nil, nil, 0, 0, 0, parts(page), 0)
    process = @there[@random.rand(@processes)]
    process.free.positive? ? take(process, unit) : process.queue << unit
  end

  # Holds and what comes between them, in turns.
  def parts(page)
    held, idle = [page.held_ms, page.idle_ms].map { |ms| ms * MS * Math.exp(0.5 * normal - 0.125) }
    holds, waits = [held, idle].zip([page.holds, page.holds - 1]).map do |all, count|
      shares = Array.new(count) { 0.5 + @random.rand }
      shares.map { |share| all * share / shares.sum }
    end
    holds.zip(waits).flatten.compact
  end

  def take(process, unit)
    process.free -= 1
    unit.began = @now
    unit.process = process
    unit.found = process.in_flight
    unit.rest = process.in_flight.zero? ? @now - process.emptied : 0
    count(process, 1)
    unit.flight = process.flight
    unit.factor = 1 + @growth * Math.log2(process.in_flight)
    want(process, unit)
  end

  def count(process, change)
    process.flight += process.in_flight * (@now - process.changed)
    process.changed = @now
    process.in_flight += change
  end

  def want(process, unit)
    unit.wanted = @now
    process.taken ? process.ready << unit : hold(process, unit)
  end

  def hold(process, unit)
    process.taken = true
    unit.stalled += @now - unit.wanted
    length = unit.parts[unit.at] * unit.factor
    later(length) do
      unit.held += length
      pass_on(process)
      go_on(process, unit)
    end
  end

  def pass_on(process)
    return process.taken = false if process.ready.empty?
    @handed += @each_handoff_ns * process.ready.size
    following = process.ready.shift
    later(@each_handoff_ns) { hold(process, following) }
  end

  def go_on(process, unit)
    idle = unit.parts[unit.at + 1] or return finish(process, unit)
    unit.idle += idle
    unit.at += 2
    later(idle) { want(process, unit) }
  end

  def finish(process, unit)
    count(process, -1)
    process.emptied = @now
    process.free += 1
    unit.flight = (process.flight - unit.flight) / [@now - unit.began, 1].max
    @done << unit
    take(process, process.queue.shift) if process.queue.any?
    pause(unit.user)
  end

  def normal
    Math.sqrt(-2 * Math.log(1 - @random.rand)) * Math.cos(2 * Math::PI * @random.rand)
  end

  # A binary heap of [when, order, what].
  def later(length, &step)
    events = @events
    events << [@now + length, @order += 1, step]
    at = events.size - 1
    while at > 0 && earlier?(events[at], events[above = (at - 1) / 2])
      events[at], events[above] = events[above], events[at]
      at = above
    end
  end

  # Compared as arrays, they would take a third of all time.
  def earlier?(one, other)
    one[0] < other[0] || (one[0] == other[0] && one[1] < other[1])
  end

  def shift
    first = @events.first or return
    last = @events.pop
    sink(last) if @events.any?
    first
  end

  def sink(event)
    at = 0
    while (child = 2 * at + 1) < @events.size
      child += 1 if child + 1 < @events.size && earlier?(@events[child + 1], @events[child])
      break if earlier?(event, @events[child])
      @events[at] = @events[child]
      at = child
    end
    @events[at] = event
  end

  def series(name)
    @series ||= {}
    @series[name] ||= Holdup::Series.new(kind: :request, name:)
  end

  def process(number)
    @named ||= {}
    @named[number] ||= ExampleUnits::PROCESS.with(pid: ExampleUnits::PROCESS.pid + number)
  end

  def sample(unit)
    held = unit.held.round
    Holdup::UnitSample.new(
      series: series(unit.name), setting: ExampleUnits::SETTING, host: "a",
      process: process(unit.process.number),
      start_ns: START_S * NS + unit.began.round, running_ns: held, cpu_ns: held, idle_ns: unit.idle.round,
      stalled_ns: unit.stalled.round, acquisitions: unit.parts.size.ceildiv(2) - 1,
      longest_hold_ns: 2 * held / unit.parts.size.ceildiv(2), gc_ns: held / 10,
      queued_ns: (unit.began - unit.arrived).round, in_flight_milli: (unit.flight * 1000).round, weight: 1.0,
      concurrency: unit.found, rest_ns: unit.rest.round
    )
  end
end
