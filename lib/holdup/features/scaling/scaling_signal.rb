# frozen_string_literal: true

require "json"
require "time"

module Holdup
  module Scaling
    # What an autoscaler needs of this host, for each application, role (server and job runner) and kind
    # (requests, jobs): load / capacity, and the queue time's p95. The load is that of the last minute, from
    # each commit to the store. The capacity comes from a replay, see CapacityProcess.
    #
    # What is unknown is nil with a reason, never 0: an autoscaler would take 0 for "no work".
    class ScalingSignal
      LOAD_S = 60
      # The p95 of a minute with few requests is mostly chance.
      QUEUE_S = 300
      # A capacity is used for so long while newer recordings don't give one: after a release there is little.
      CAPACITY_S = 86_400
      FILE = "scale.json"
      SCHEMA = 1
      # What changes from release to release and arm to arm, and leaves the capacity about as it was.
      PASSING = %w[revision arm].freeze
      # While the collector has watched for less than a minute.
      STARTING = :starting
      # Nothing arrives and nothing waits: no load, and also no proof that requests still reach this host.
      IDLE = :idle
      NO_CAPACITY = :no_capacity_yet

      GAUGES = {
        holdup_load_ratio: [:load_ratio, "Load / capacity at the SLO. Absent while unknown."],
        holdup_load_per_second: [:load_per_second, "Requests or jobs that ended per second."],
        holdup_capacity_per_second: [:capacity_per_second, "What the replay says can be served at the SLO."],
        holdup_queue_p95_seconds: [:queue_p95_seconds, "95th percentile of the queue time, last 5 minutes."],
        holdup_backlog_jobs: [:backlog, "Jobs that waited at the last sample, of all hosts together."]
      }.freeze

      # What a series belongs to. `role`: "puma", "sidekiq", "puma+solid_queue"
      ScaledRole = Data.define(:app, :role, :kind) do
        # @param setting [Setting]
        def self.of(setting, kind)
          new(app: setting["app"], role: setting.role, kind:)
        end

        def self.kinds(setting)
          {request: "server", job: "jobs"}.filter_map { |kind, fact| kind if setting[fact] }
        end

        def labels(host)
          {app: app.to_s.scrub("?"), role:, kind: kind.to_s, host:}
        end
      end

      # One role now. `reason`: why the ratio is unknown, else nil
      RoleLoad = Data.define(:role, :load_per_second, :capacity_per_second, :load_ratio, :queue_p95_seconds,
        :backlog, :processes, :capacity_at_s, :reason) do
        def to_h = {**role.to_h, **super.except(:role)}
      end

      # @return [String] fingerprint of the setting without what passes
      def self.shape(setting)
        setting.with(attributes: setting.attributes.except(*PASSING)).fingerprint
      end

      # @param store [String] its URL
      # @return [ScalingSignal]
      def self.of(goal, store:, dir:, log:, clock:)
        new(goal, capacity: CapacityProcess.new(goal, store:, log:, clock:), dir:, clock:)
      end

      # @param capacity [#poll, #close] gives new capacities, see CapacityProcess
      # @param goal [ConfigurationKeys::ScalingGoal]
      # @param dir [String] folder of the segments
      def initialize(goal, capacity:, dir:, clock:)
        @goal = goal
        @capacity = capacity
        @clock = clock
        fresh_s = Export::MetricsServer::SCALE_FRESH_S
        @file = Export::Exporters::MetricsFile.new(dir, name: FILE, fresh_s:)
        @settings = {}
        @processes = LivingProcesses.new
        @loads = RecentLoads.new
        @capacities = {}
      end

      # @return [Array<RoleLoad>]
      attr_reader :roles

      # @return [String, nil] JSON, nil before the first commit
      attr_reader :document

      def start = nil

      # Adds what was stored in one commit; deaths of processes say nothing of the load.
      # @param windows [Array<Window>]
      # @param samples [Array<Hash>] of processes
      def add(windows, samples, **)
        now_s = @clock.realtime_s
        windows.each { |window| @settings[window.setting.fingerprint] ||= window.setting }
        samples.each { |sample| add_sample(sample) }
        @host = windows.first&.host || @host
        @loads.add(windows.select { |window| ScaledRole.kinds(window.setting).include?(window.series.kind) },
          now_s)
        ask_capacity(now_s)
        publish(now_s)
      end

      def close
        @capacity.close
        @file.remove if @document
        @document = nil
      end

      # As gauges: name, help, {labels => value}. A role of which a figure is unknown has none.
      # @return [Array<(Symbol, String, Hash)>]
      def gauges
        known = GAUGES.map do |name, (figure, help)|
          [name, help, values { |load| load.public_send(figure) }]
        end
        unknown = roles.to_a.select(&:reason).to_h do |load|
          [{**load.role.labels(@host), reason: load.reason.to_s}, 1]
        end
        help = "1 while there is no holdup_load_ratio, with the reason."
        [*known, [:holdup_load_ratio_unknown, help, unknown]]
      end

      private

      def values
        pairs = roles.to_a.map { |load| [load.role.labels(@host), yield(load)] }
        pairs.to_h.compact
      end

      def add_sample(sample)
        setting = @settings[sample[:setting]] or return
        @processes.add(sample, setting)
      end

      def ask_capacity(now_s)
        found = @host && @capacity.poll(@host)
        found&.each do |one|
          key = ScaledRole.new(app: one[:app], role: one[:role], kind: one[:kind].to_sym)
          next if one[:per_second].nil? && @capacities[key]&.usable?(now_s)
          figures = one.slice(:per_second, :processes, :shape, :reason)
          @capacities[key] = RoleCapacity.new(at_s: now_s, **figures)
        end
      end

      def publish(now_s)
        @processes.forget_silent(now_s)
        known = @processes.roles | @loads.roles(now_s)
        @roles = known.sort_by { |role| role.to_h.values.map(&:to_s) }.map { |role| load_of(role, now_s) }
        @document = "#{JSON.pretty_generate(to_h(now_s))}\n"
        @file.write(@document)
      end

      def to_h(now_s)
        {schema: SCHEMA, at: Time.at(now_s).utc.iso8601, host: @host, slo: @goal.slo, within_s: @goal.within,
         roles: roles.map(&:to_h)}
      end

      def load_of(role, now_s)
        rate = @loads.per_second(role, now_s)
        backlog = @processes.backlog(role) if role.kind == :job
        capacity = capacity_of(role, now_s)
        wanted = rate && rate + backlog.to_f / @goal.within
        reason = reason(rate, wanted, capacity)
        queue_ns = @loads.queued(role, now_s)&.quantile(0.95)
        RoleLoad.new(role:, load_per_second: rate&.round(4),
          capacity_per_second: capacity&.per_second&.round(4),
          load_ratio: reason ? nil : (wanted / capacity.per_second).round(4),
          queue_p95_seconds: queue_ns && (queue_ns / 1e9).round(6), backlog:,
          processes: @processes.count(role), capacity_at_s: capacity&.at_s, reason:)
      end

      def reason(rate, wanted, capacity)
        return STARTING unless rate
        return IDLE if wanted.zero?
        return capacity&.reason || NO_CAPACITY unless capacity&.per_second
        nil
      end

      # The capacity with as many processes as there are now.
      # @return [RoleCapacity, nil]
      def capacity_of(role, now_s)
        capacity = @capacities[role]
        return capacity unless capacity&.per_second
        return unless capacity.usable?(now_s) && @processes.shape?(role, capacity.shape)
        count = @processes.count(role)
        return capacity if count.zero?
        capacity.with(per_second: capacity.per_second * count.fdiv(capacity.processes))
      end

      # `per_second`: of a host with `processes`; `shape`: of its setting
      RoleCapacity = Data.define(:at_s, :per_second, :processes, :shape, :reason) do
        def initialize(at_s:, per_second: nil, processes: nil, shape: nil, reason: nil)
          super(at_s:, per_second:, processes:, shape:, reason: reason&.to_sym)
        end

        def usable?(now_s)
          !per_second.nil? && at_s > now_s - CAPACITY_S
        end
      end

      # The processes of this host, from their samples.
      class LivingProcesses
        # Pools of a web server and of database connections.
        WITHOUT_JOBS = /\A(?:web\z|db )/

        def initialize
          @last = {}
        end

        def add(sample, setting)
          key = sample.values_at(:host, :pid, :start)
          return @last.delete(key) if sample[:ended]
          roles = ScaledRole.kinds(setting).map { |kind| ScaledRole.of(setting, kind) }
          @last[key] = {sample:, roles:, shape: ScalingSignal.shape(setting)} if roles.any?
        end

        def forget_silent(now_s)
          @last.delete_if { |_, living| living[:sample][:at_s] < now_s - Export::ProcessFigures::SILENT_S }
        end

        def roles = @last.values.flat_map { |living| living[:roles] }.uniq

        def count(role) = of(role).size

        # Whether one of them has this shape; also when none is known.
        def shape?(role, shape)
          living = of(role)
          living.empty? || living.any? { |one| one[:shape] == shape }
        end

        # Processes that serve the same queues all report the whole backlog of these.
        # @return [Integer, nil] jobs; nil when unknown
        def backlog(role)
          pools = of(role).flat_map { |living| job_pools(living[:sample]) }
          by_name = pools.group_by(&:first).transform_values { |same| same.filter_map(&:last).max }
          by_name.values.compact.sum if by_name.values.any?
        end

        private

        def of(role)
          @last.values.select { |living| living[:roles].include?(role) }
        end

        def job_pools(sample)
          names = sample.select { |key, _| key.match?(/\Apool\.\d+\z/) }
          names.filter_map do |key, name|
            [name, sample[:"#{key}.backlog"]] unless WITHOUT_JOBS.match?(name.to_s)
          end
        end
      end

      # Requests and jobs of the last minutes, by role.
      class RecentLoads
        # What one commit had. `from_s`: when the commit before it was
        CommittedLoad = Data.define(:from_s, :to_s, :counts, :queued)

        def initialize
          @commits = []
        end

        # @param windows [Array<Window>] of requests and jobs
        def add(windows, now_s)
          before_s = @last_s
          @last_s = now_s
          # It is unknown how long the first one took, also after the clock went back.
          return @commits.clear if before_s.nil? || before_s >= now_s
          @commits << commit(windows, before_s, now_s)
          @commits.shift while @commits.size > 1 && @commits[1].from_s <= now_s - QUEUE_S
        end

        def roles(now_s) = since(now_s - QUEUE_S).flat_map { |commit| commit.counts.keys }.uniq

        # Over the last minute; if nothing came, over five.
        # @return [Float, nil] nil while less than a minute is known
        def per_second(role, now_s)
          return if @commits.empty? || now_s - @commits.first.from_s < LOAD_S
          lately = rate(role, since(now_s - LOAD_S))
          lately.zero? ? rate(role, since(now_s - QUEUE_S)) : lately
        end

        # @return [Histogram, nil] nil without a known queue time
        def queued(role, now_s)
          known = since(now_s - QUEUE_S).filter_map { |commit| commit.queued[role] }
          sum = Histogram.sum(known)
          sum unless sum.count.zero?
        end

        private

        def commit(windows, from_s, to_s)
          by_role = windows.group_by { |window| ScaledRole.of(window.setting, window.series.kind) }
          CommittedLoad.new(from_s:, to_s:,
            counts: by_role.transform_values { |same| same.sum(&:count) }.reject { |_, count| count.zero? },
            queued: by_role.transform_values { |same| queue_times(same) })
        end

        def queue_times(windows)
          Histogram.sum(windows.map { |window| window.histograms.fetch(:queued) })
        end

        def since(at_s) = @commits.select { |commit| commit.to_s > at_s }

        def rate(role, commits)
          return 0.0 if commits.empty?
          commits.sum { |commit| commit.counts.fetch(role, 0) }.fdiv(commits.last.to_s - commits.first.from_s)
        end
      end
    end
  end
end
