# frozen_string_literal: true

require_relative "calibration"
require_relative "page_queries"
require_relative "trial"

module Bench
  # Records the tracker under three loads, and measures it at other settings.
  class TrackerExperiment
    RECORDED = [1, 5].freeze
    RAMP = [1, 2, 3, 4, 5, 7, 10, 15].freeze
    # Of the throughput at saturation.
    OPEN_SHARE = 0.7
    DAY_SHARES = (0.2..0.9)
    SEED = 0

    # `settings`: processes and threads of each, the recorded one first; then seconds of each part, `level_s`:
    # of each level of the ramp, which is climbed `ramps` times, and whether recordings begin with a minute
    TrialPlan = Data.define(:settings, :warm_up_s, :saturated_s, :open_s, :recorded_s, :level_s, :ramps,
      :whole_minutes)

    # `measured`: TrackerTrial::MeasuredSetting, `recordings`: TrackerTrial::TrackerRecording
    Measurements = Data.define(:plan, :measured, :recordings) do
      # @return [Float] requests per second of the open load
      def rate = measured.first.rate

      # The stores lie in that folder, too.
      # @return [Measurements] that #keep wrote
      def self.kept(folder)
        all = Marshal.load(File.binread(path(folder))) # rubocop:disable Security/MarshalLoad
        recordings = all.recordings.map do |recording|
          recording.with(store: File.join(folder, File.basename(recording.store)))
        end
        all.with(recordings:)
      end

      def self.kept?(folder) = File.exist?(path(folder))

      def self.path(folder) = File.join(folder, "measurements")

      # @return [self]
      def keep(folder)
        File.binwrite(self.class.path(folder), Marshal.dump(self))
        self
      end
    end

    # @param plan [TrialPlan]
    # @param folder [String] for the stores
    # @param progress [#call] receives what comes next
    def initialize(plan, folder:, progress:)
      @plan = plan
      @folder = folder
      @progress = progress
    end

    # The recorded setting alone gives the rate of everything else, and then takes turns with every setting.
    # @return [Measurements]
    # @raise [Failure]
    def call
      prepared do |trial|
        alone = measure(trial, [RECORDED], share: OPEN_SHARE)
        recordings = record(trial, alone.figures.throughput)
        measured = @plan.settings.map { |setting| measure(trial, [RECORDED, setting], rate: alone.rate) }
        Measurements.new(plan: @plan, measured:, recordings:)
      end
    end

    private

    def prepared
      Fresh.scratch do |scratch|
        TrackerApp.open do |app|
          PageQueries.check(app)
          Calibration.run(app.folder) do |calibration|
            yield TrackerTrial.new(app, calibration, scratch:, folder: @folder,
              **@plan.to_h.slice(:warm_up_s, :saturated_s, :open_s, :whole_minutes))
          end
        end
      end
    end

    def measure(trial, settings, **load)
      @progress.call(settings.last.join(" x "))
      trial.measure(*settings, **load)
    end

    def record(trial, capacity)
      loads(capacity).map do |name, load|
        @progress.call("recording: #{name}")
        trial.record(*RECORDED, name, &load)
      end
    end

    # @return [Hash{String => Proc}] each drives a server and returns the number of answers
    def loads(capacity)
      {
        "closed ramp" => ->(server) { ramp(server) },
        "open" => ->(server) { serve(server, steady(capacity)) },
        "day" => ->(server) { serve(server, day(capacity)) }
      }
    end

    # More than once, so that a machine that gets slower does not look like a level that costs more.
    def ramp(server)
      (RAMP * @plan.ramps).sum { |connections| server.ask(connections, @plan.level_s).answered }
    end

    def serve(server, arrivals)
      server.serve(arrivals, @plan.recorded_s).total.answered
    end

    def steady(capacity)
      ChangingArrivals.steady(TrackerPages::ALL, rate: OPEN_SHARE * capacity, seconds: @plan.recorded_s,
        seed: SEED)
    end

    def day(capacity)
      least, most = DAY_SHARES.minmax.map { |share| share * capacity }
      ChangingArrivals.day(TrackerPages::ALL, least:, most:, seconds: @plan.recorded_s, seed: SEED)
    end
  end
end
