# frozen_string_literal: true

module Holdup
  module Scaling
    # Load and capacity of each application and role, from the store. The newest setting decides what they are
    # of; where a release has just begun, an earlier one that differs only by its revision has the recording.
    class Reader
      # Settings that are tried, newest first.
      MOST_SETTINGS = 3
      LATELY_S = 300
      KINDS = %i[request job].freeze

      # `shape`: fingerprint of the setting without revision and arm; `capacity`:
      # Advise::Sizing::Slo::CapacityAtSlo::CapacityFigure of a host; `rate`: units per second and host over
      # the last minutes; `queued_p95_ns`: nil if unknown
      RoleSummary = Data.define(:app, :role, :kind, :shape, :capacity, :hosts, :rate, :queued_p95_ns) do
        # @return [Float, nil]
        def load_ratio
          rate / capacity.per_second if rate.positive? && capacity.per_second
        end
      end

      # @param slo [Advise::Sizing::Slo] of requests
      # @param host [String, nil] nil: all together. While its own recording is too short, that of the other
      #   hosts with the same setting counts
      # @param passing [Array<String>] facts of a setting that leave the capacity as it was
      # @param units [Integer] of each replay
      def initialize(store, from_s:, to_s:, slo:, host: nil, passing: %w[revision arm],
        units: Advise::Sizing::Traffic::UNITS)
        @everywhere = store
        @host = host
        @store = host ? of_host(store) : store
        @from_s = from_s
        @to_s = to_s
        @slo = slo
        @passing = passing
        @units = units
      end

      # @return [Array<RoleSummary>]
      def call
        return [] unless @store
        by_role = windows(@store).group_by { |window| role(window) }
        roles = by_role.map { |(app, role, kind), same| summary(same, app:, role:, kind:) }
        roles = roles.map { |one| with_others(one) } unless @store.equal?(@everywhere)
        roles.sort_by { |one| [one.app.to_s, one.role.to_s, one.kind] }
      end

      private

      # Nil while the store has nothing of it.
      def of_host(store)
        Queries::Origin.of_host(@host).of(store) if store.hosts.include?(@host)
      end

      # Nil where there are none.
      def other_hosts
        return if @everywhere.hosts.none? { |host| host != @host }
        Queries::Origin::OtherHosts.of_host(@host).of(@everywhere)
      end

      def windows(store, from_s = @from_s, **seconds)
        found = store.windows(from_s, @to_s, kinds: KINDS, histograms: [:queued], **seconds)
        found.select { |window| window.setting && window.count.positive? }
      end

      def role(window)
        [window.setting["app"], window.setting.role, window.series.kind]
      end

      def summary(windows, app:, role:, kind:)
        newest = windows.max_by(&:start_s).setting
        alike = windows.select { |window| shape(window.setting) == shape(newest) }
        lately = lately(app:, role:, kind:)
        hosts = [lately, windows].find(&:any?).map(&:host).uniq.size
        RoleSummary.new(app:, role:, kind:, shape: shape(newest), hosts:,
          capacity: first_known(@store, alike, kind), rate: rate(windows, lately),
          queued_p95_ns: queued(lately))
      end

      # @return [Array<Window>] of single minutes, because longer windows have more than the last of them
      def lately(**role)
        @lately ||= windows(@store, lately_s, seconds: MINUTE_S).group_by { |one| role(one) }
        @lately.fetch(role.values, [])
      end

      def lately_s = (@to_s - LATELY_S) / MINUTE_S * MINUTE_S

      # Each host counts from its first unit on: some begin within the last minutes.
      def rate(windows, lately)
        earlier = windows.select { |window| window.start_s < lately_s }.to_set(&:host)
        seconds = lately.group_by(&:host).sum do |host, own|
          earlier.include?(host) ? @to_s - lately_s : began(host, own.first.series.kind).total_s
        end
        seconds.positive? ? lately.sum(&:count).fdiv(seconds) : 0.0
      end

      # @return [Analysis::MeasuredTime] of a host that has just begun
      def began(host, kind)
        Queries::MeasuredTimeQuery.lately(Queries::Origin.of_host(host).of(@store), to_s: @to_s,
          length_s: LATELY_S,
          since_s: @to_s - LATELY_S, kinds: [kind])
      end

      # The host's own minutes do not count: a host that has just begun would count as one that was idle
      # before.
      def with_others(one)
        others = other_hosts unless one.capacity.per_second
        return one unless others
        alike = windows(others).select do |window|
          role(window) == [one.app, one.role, one.kind] && shape(window.setting) == one.shape
        end
        return one if alike.empty?
        found = first_known(others, alike, one.kind)
        found.per_second ? one.with(capacity: found) : one
      end

      def queued(windows)
        Histogram.sum(windows.map { |window| window.histograms.fetch(:queued) }).quantile(0.95)
      end

      def shape(setting)
        setting.with(attributes: setting.attributes.except(*@passing)).fingerprint
      end

      # The reason of the newest setting, if none has a capacity.
      def first_known(store, windows, kind)
        newest = windows.group_by(&:setting).transform_values { |same| same.map(&:start_s).max }
        settings = newest.sort_by { |_, at_s| -at_s }.map(&:first).first(MOST_SETTINGS)
        unknown = settings.map do |setting|
          figure = of_setting(store, setting, kind)
          return figure if figure.per_second
          figure
        end
        unknown.first
      end

      def of_setting(store, setting, kind)
        objective = Advise::Sizing::Objective.new(name: (kind == :job) ? :throughput : :latency, slo: @slo)
        inputs = Advise::Reader.new(store, from_s: @from_s, to_s: @to_s, kind:, objective:,
          setting: setting.fingerprint)
        Advise::Sizing::Slo::CapacityAtSlo.new(on_their_own(inputs.recommendation), slo: @slo,
          units: @units).call
      end

      # More load than was recorded comes on its own, also where a load test waited for answers.
      def on_their_own(found)
        found && Advise::Sizing::Recommendation.new(found.recording, limits: found.limits,
          objective: found.objective,
          open: true, units: @units)
      end
    end
  end
end
