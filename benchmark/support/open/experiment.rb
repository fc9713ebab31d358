# frozen_string_literal: true

require_relative "../result"
require_relative "../rounds"
require_relative "../tracker/calibration"
require_relative "predictions"
require_relative "server"

module Bench
  # Boots a shape at several settings, and loads all of them in turns; the recording of the first one is one
  # of the turns: a machine that computes at another speed from minute to minute does so for all. A server
  # that fails is booted again, and left out if that fails too.
  class OpenExperiment
    # `settings`: processes and threads of each server, the recorded one first, which may come twice;
    # `patterns`: OpenPattern; then seconds (the warm-up at most, the recording in all), and the number of
    # rounds
    OpenPlan = Data.define(:settings, :patterns, :warm_up_s, :recorded_s, :turn_s, :rounds) do
      # The first part of the recording says which loads the settings get; each further one is a turn of its
      # own, because a recording at another speed of the machine than the turns predicts that speed.
      def parts = 1 + rounds * patterns.size

      def part_s = recorded_s.fdiv(parts)
    end

    # One server in one round. `server`: its place in the settings; `work_ns`: fixed work meanwhile
    OpenMeasurement = Data.define(:server, :pattern, :round, :turn, :work_ns)

    # `work_ns`: fixed work during the recording; `measured`: Array of OpenMeasurement; `failures`: sentences;
    # `done`: whether all rounds are there
    OpenMeasurements = Data.define(:plan, :recorded, :work_ns, :measured, :failures, :done) do
      # @return [OpenMeasurements] that #keep wrote
      def self.kept(path) = Marshal.load(File.binread(path)) # rubocop:disable Security/MarshalLoad

      # A run that is stopped meanwhile leaves the file of the round before.
      # @return [self]
      def keep(path)
        File.binwrite("#{path}.new", Marshal.dump(self))
        File.rename("#{path}.new", path)
        self
      end
    end

    # How busy the recorded setting is: share of the requests that its threads can take. The next one where
    # other processes leave it too little.
    RECORDED_SHARES = [0.55, 0.35, 0.2].freeze
    # Of what was predicted that a setting can serve, by processes: the load's client and the services that
    # requests ask need CPUs as well, and page loads come on top of each other.
    SHARES = {poisson: {1 => 0.6, 2 => 0.5}, bursts: {1 => 0.45, 2 => 0.4}}.freeze
    PROBE_S = 5
    RECORDING_SEED = 0
    SEED = 100

    # @param shape [OpenShape]
    # @param plan [OpenPlan]
    # @param progress [#call] receives what comes next
    def initialize(shape, plan, progress:)
      @shape = shape
      @plan = plan
      @progress = progress
      @measured = []
      @failures = []
      @parts = []
    end

    # @yieldparam measurements [OpenMeasurements] so far, after each round
    # @return [OpenMeasurements]
    # @raise [Holdup::Error] the recorded setting could not be recorded
    def call
      Fresh.scratch do |scratch|
        Dir.mktmpdir("holdup-bench") do |folder|
          Calibration.run(folder) do |calibration|
            @calibration = calibration
            @folders = {scratch:, folder:}
            rounds { |measurements| yield measurements if block_given? }
          ensure
            @servers&.each_value(&:stop)
          end
        end
      end
    end

    private

    def rounds
      @servers = {}
      @plan.settings.each_index { |index| boot(index) }
      record
      @ceilings = ceilings
      @plan.rounds.times do |round|
        @plan.patterns.each_with_index { |pattern, turn| round(pattern, round, turn) }
        yield measurements(done: round + 1 == @plan.rounds)
      end
      measurements(done: true)
    end

    def measurements(done:)
      OpenMeasurements.new(plan: @plan, recorded: OpenServer::OpenRecording.joined(@parts),
        work_ns: recorded_work_ns, measured: @measured.dup, failures: @failures.dup, done:)
    end

    # @return [Float, nil] mean of the parts
    def recorded_work_ns
      found = @parts.filter_map { |part| work_ns(part.span) }
      found.sum / found.size if found.any?
    end

    def boot(index)
      processes, threads = @plan.settings[index]
      again = @plan.settings.index([processes, threads]) < index
      arm = Holdup::Lab::Arm.new(processes:, threads:, again:)
      @progress.call("#{@shape.name}: booting #{arm.name}")
      folders = {folder: Dir.mktmpdir("server", @folders.fetch(:folder)),
                 segments: Dir.mktmpdir("segments", @folders.fetch(:scratch))}
      server = OpenServer.new(@shape, arm, folders)
      @servers[index] = server
      server.boot(warm_up_s: @plan.warm_up_s)
      @failures << "#{arm.name} was not warm after #{@plan.warm_up_s} s" unless server.warm?
    rescue Holdup::Error => error
      server&.stop
      @servers.delete(index)
      failed(arm.name, error)
    end

    # How busy a request keeps a thread shows the load that the recording gets.
    def record
      server = @servers[0]
      raise Holdup::Error.new("the recorded setting did not boot", @failures.join("; ")) unless server
      @progress.call("#{@shape.name}: recording")
      probe = server.record(OpenServer::WARM_UP, rate: server.warm_rate / 2, seconds: PROBE_S,
        seed: RECORDING_SEED)
      @parts << recorded(server, capacity(probe, @plan.settings.first.last))
      @predictions = OpenPredictions.new(@shape, @parts.first)
    end

    # Another part of the recording. Without it, the others are the recording.
    def record_again
      server = @servers[0]
      return unless server
      first = @parts.first
      @parts << server.record(OpenServer::WARM_UP, rate: first.rate, seconds: @plan.part_s,
        seed: RECORDING_SEED + @parts.size, idle_beside: first.idle_beside)
    rescue Holdup::Error => error
      failed("a part of the recording", error)
    end

    # @return [OpenServer::OpenRecording]
    # @raise [Holdup::Error]
    def recorded(server, capacity, shares = RECORDED_SHARES)
      server.record(OpenServer::WARM_UP, rate: shares.first * capacity, seconds: @plan.part_s,
        seed: RECORDING_SEED)
    rescue Holdup::Error => error
      raise if shares.one?
      failed("recording", error)
      recorded(server, capacity, shares.drop(1))
    end

    # @return [Float] requests per second of a process, at most
    def capacity(probe, threads)
      requests = probe.unit_samples.select { |unit| unit.series.kind == :request }
      held, idle = %i[running_ns idle_ns].map { |name| requests.sum(&name).fdiv(requests.size) }
      [threads * 1e9 / (held + idle), 1e9 / held].min
    end

    # @return [Hash{Integer => Float}] requests per second that a server can take, as predicted
    def ceilings
      found = @plan.settings.uniq.to_h { |setting| [setting, @predictions.ceiling(*setting)] }
      @plan.settings.each_with_index.to_h { |setting, index| [index, found.fetch(setting)] }
    end

    def round(pattern, round, turn)
      number = round * @plan.patterns.size + turn
      @progress.call("#{@shape.name}: round #{round + 1} of #{@plan.rounds}, #{pattern.name}")
      turns = Rounds.order([:recording, *@servers.keys.sort], number)
      turns.each { |one| (one == :recording) ? record_again : measure(one, pattern, round, number) }
    end

    def measure(index, pattern, round, number)
      server = @servers[index]
      rate = SHARES.fetch(pattern.arrivals).fetch(server.arm.processes) * @ceilings.fetch(index)
      turn = server.turn(pattern, rate:, seconds: @plan.turn_s, seed: SEED + number)
      @measured << OpenMeasurement.new(server: index, pattern:, round:, turn:, work_ns: work_ns(turn.span))
    rescue Holdup::Error => error
      failed(server.arm.name, error)
      server.stop
      boot(index)
    end

    def failed(name, error)
      @failures << "#{name}: #{Bench.failure_line(error)}"
      @progress.call("#{@shape.name}: #{@failures.last}")
    end

    # The loop writes once a second, on a busy machine later.
    def work_ns(span)
      @calibration.median_ns((span.begin - 1)..(span.end + 1))
    rescue Failure
      nil
    end
  end
end
