# frozen_string_literal: true

require_relative "../model/measurement"
require_relative "../model/quantities"
require_relative "probe"

module Holdup
  # How long one request or job took so far and what it waited for: `Holdup.current` gives it, and
  # `config.on_finish` gets it.
  #
  # While the request or job runs, each reader measures when it is called, on the thread that runs it. When
  # the request or job has ended, the object is frozen, and any thread reads what was recorded.
  #
  # A reader gives nil where its figure is unknown: on another thread while the request or job runs, for one
  # that was left out (docs/internals/measuring.md), and `queued` where nobody knows when it arrived.
  #
  # elapsed = running + stalled + idle, running = cpu + starved, idle = io + lock + sleep + native. The parts
  # of one `to_h` add up to the nanosecond.
  #
  # Its fields and `initialize(unit, recorder)` are in C (ext/holdup/unit/unit_figures.c), because
  # `config.on_finish` gets one of each unit: what is not read becomes no object of Ruby.
  class UnitFigures < Probe::FiguresFields
    # Seconds and nanoseconds by name => the measured number.
    TIMES = {
      elapsed: :wall_ns, running: :running_ns, cpu: :cpu_ns, starved: :starved_ns, stalled: :stalled_ns,
      idle: :idle_ns, io: :io_ns, lock: :lock_ns, sleep: :sleep_ns, native: :native_ns, gc: :gc_ns,
      longest_hold: :longest_hold_ns
    }.freeze
    PLACES = Measurement.members.each_with_index.to_h.freeze
    private_constant :TIMES, :PLACES

    # @return [Symbol] :request or :job
    def kind
      unit = self.unit
      Probe::KINDS.key(unit ? unit.kind : final_kind)
    end

    # @return [String, nil] the route or the class; of a request that runs, as far as it is known by now
    def name
      unit = self.unit
      unit ? unit.name_so_far : final_name
    end

    # @return [Float, nil] seconds since it began: running + stalled + idle
    def elapsed = seconds(elapsed_ns)

    # @return [Integer, nil] nanoseconds, as `elapsed`
    def elapsed_ns = number(:wall_ns)

    # @return [Float, nil] seconds in which it held the GVL: cpu + starved
    def running = seconds(running_ns)

    # @return [Integer, nil] nanoseconds, as `running`
    def running_ns = number(:running_ns)

    # @return [Float, nil] seconds of CPU that it used while it held the GVL
    def cpu = seconds(cpu_ns)

    # @return [Integer, nil] nanoseconds, as `cpu`
    def cpu_ns = number(:cpu_ns)

    # @return [Float, nil] seconds in which it held the GVL and had no CPU
    def starved = seconds(starved_ns)

    # @return [Integer, nil] nanoseconds, as `starved`
    def starved_ns = number(:starved_ns)

    # @return [Float, nil] seconds in which it waited for the GVL
    def stalled = seconds(stalled_ns)

    # @return [Integer, nil] nanoseconds, as `stalled`
    def stalled_ns = number(:stalled_ns)

    # @return [Float, nil] seconds in which it did not want the GVL: io + lock + sleep + native
    def idle = seconds(idle_ns)

    # @return [Integer, nil] nanoseconds, as `idle`
    def idle_ns = number(:idle_ns)

    # @return [Float, nil] seconds in which it waited for sockets, files and processes
    def io = seconds(io_ns)

    # @return [Integer, nil] nanoseconds, as `io`
    def io_ns = number(:io_ns)

    # @return [Float, nil] seconds in which it waited until another thread woke it
    def lock = seconds(lock_ns)

    # @return [Integer, nil] nanoseconds, as `lock`
    def lock_ns = number(:lock_ns)

    # @return [Float, nil] seconds in which it slept, or waited with a time limit
    def sleep = seconds(sleep_ns)

    # @return [Integer, nil] nanoseconds, as `sleep`
    def sleep_ns = number(:sleep_ns)

    # @return [Float, nil] seconds of CPU that C code used without the GVL
    def native = seconds(native_ns)

    # @return [Integer, nil] nanoseconds, as `native`
    def native_ns = number(:native_ns)

    # @return [Float, nil] seconds in which it collected garbage, a part of running
    def gc = seconds(gc_ns)

    # @return [Integer, nil] nanoseconds, as `gc`
    def gc_ns = number(:gc_ns)

    # @return [Float, nil] seconds for which it waited for its thread before it began, not a part of elapsed
    def queued = seconds(queued_ns)

    # @return [Integer, nil] nanoseconds, as `queued`
    def queued_ns
      unit = self.unit
      unit ? unit.queued_ns : number(:queued_ns)
    end

    # @return [Float, nil] seconds of its longest hold of the GVL
    def longest_hold = seconds(longest_hold_ns)

    # @return [Integer, nil] nanoseconds, as `longest_hold`
    def longest_hold_ns = number(:longest_hold_ns)

    # @return [Integer, nil] how often it got the GVL
    def acquisitions = number(:acquisitions)

    # @return [Integer, nil] objects that it allocated; an estimate where other threads ran meanwhile
    def objects
      numbers = self.numbers
      numbers && own_objects(numbers)
    end

    # For whom it waited for the GVL, the longest first. A name is that of a request or job, or of a thread
    # outside of these ("thread:puma reactor"); nil: unknown. What remains of `stalled` is hand-off.
    # @return [Array<Array(String, Float)>] names and seconds, a name may be nil
    def waited_for
      sums = Hash.new(0)
      waits&.each { |holder, ns| sums[holder_name(holder)] += ns }
      sums.sort_by { |_, ns| -ns }.map { |name, ns| [name, seconds(ns)] }
    end

    # Its calls to other systems by kind, such as "sql primary" (`config.calls`).
    # @return [Hash{String => Hash{Symbol => Numeric}}] count, elapsed and remote (seconds; remote: until the
    #   other system had answered)
    def calls
      unit = self.unit
      all = unit ? recorder.calls_so_far(unit.handle) : final_calls
      all.to_a.reverse.to_h { |name, count, elapsed_ns, remote_ns|
        [name, {count:, elapsed: seconds(elapsed_ns), remote: seconds(remote_ns)}]
      }
    end

    # All numbers of one moment: kind, name, times in whole nanoseconds (`elapsed_ns` ...), acquisitions,
    # objects.
    # @return [Hash{Symbol => Object}]
    def to_h
      numbers = self.numbers
      queued_ns = unit ? self.queued_ns : at(numbers, :queued_ns)
      times = TIMES.to_h { |name, number| [:"#{name}_ns", at(numbers, number)] }
      objects = numbers && own_objects(numbers)
      {kind:, name:, **times, queued_ns:, acquisitions: at(numbers, :acquisitions), objects:}
    end

    # @return [String]
    def inspect = "#<#{self.class} #{to_h}>"

    private

    def numbers
      unit = self.unit
      unit ? recorder.figures(unit.handle) : final_numbers
    end

    def waits
      unit = self.unit
      unit ? recorder.waits_so_far(unit.handle) : final_waits
    end

    def number(name)
      unit = self.unit
      unit ? at(recorder.figures(unit.handle), name) : final_number(PLACES.fetch(name))
    end

    def at(numbers, name) = numbers && numbers[PLACES.fetch(name)]

    def seconds(time_ns) = time_ns&.fdiv(NS)

    # Ruby counts the objects of the process. Where other threads ran, their part is taken off by time.
    def own_objects(numbers)
      objects = at(numbers, :objects)
      own_ns = at(numbers, :objects_own_ns)
      others_ns = at(numbers, :objects_others_ns)
      others_ns.zero? ? objects : (objects * own_ns.fdiv(own_ns + others_ns)).round
    end

    def holder_name(holder)
      holder.is_a?(Integer) ? recorder.holder_name(holder) : holder
    end
  end
end
