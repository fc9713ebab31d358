# frozen_string_literal: true

module Holdup
  module Fleet
    # Reads the fleet of a span: sums by host and setting, the processes that live at its end, and the sums of
    # two revisions over the time in which both ran.
    class Reader
      KINDS = Analysis::SettingChanges::KINDS
      ALL = KINDS.to_h { |kind| [kind, Series.new(kind:, name: "(all)")] }.freeze
      HISTOGRAMS = %i[wall queued stalled].freeze
      # A living process is sampled once a minute, perhaps late.
      LIVE_S = 180
      # A rolling restart takes less: two revisions that ran together for as long are compared.
      TOGETHER_S = 300
      # Revisions that both had a request or job so recently still run together: not each host has one in the
      # very last step.
      RECENT_S = 60
      # How far back a pair of revisions is looked for.
      REVISIONS = 6

      # @return [FleetReport]
      def self.call(store, from_s:, to_s:)
        new(store, from_s, to_s).call
      end

      def initialize(store, from_s, to_s)
        @store = store
        @from_s = from_s
        @to_s = to_s
        @steps = {}
      end

      def call
        @settings = @store.settings.to_h { |setting| [setting.fingerprint, setting] }
        FleetReport.new(all, members:, settings: @settings, from_s: @from_s, to_s: @to_s,
          measured: parts.method(:of),
          side_by_side: groups_by_role.filter_map { |role, seen| pair(role, seen) }.flatten)
      end

      private

      def all
        @all ||= windows(@from_s, @to_s).select { |window| window.count.positive? }
      end

      # When each host and revision was measured.
      def parts
        span = {from_s: @from_s, to_s: @to_s}
        @parts ||= MeasuredPartsReader.new(@store, all, **span) do |from_s, to_s, step_s|
          windows(from_s, to_s, histograms: [], step_s:)
        end
      end

      # Processes count all of their requests and jobs too, in far fewer windows: enough where a setting ran
      # one kind of work.
      # @param options [Hash] `step_s` and `histograms` of sums
      def windows(from_s, to_s, settings: kinds.keys, **options)
        alone, mixed = settings.partition { |setting| counted_by_process?(setting) }
        by_kind = alone.group_by { |setting| kinds.fetch(setting).first }
        found = by_kind.flat_map do |kind, same|
          sums(from_s, to_s, :process, settings: same, as: kind, **options)
        end
        mixed.empty? ? found : found + named(from_s, to_s, mixed, **options)
      end

      # Whatever found the table of names full has no kind: it is what the server mainly does.
      def named(from_s, to_s, settings, **options)
        named = KINDS.flat_map { |kind| sums(from_s, to_s, kind, settings:, as: kind, **options) }
        others = sums(from_s, to_s, :overflow, settings:, as: :request, **options)
        named + others.map { |window| window.with(series: ALL.fetch(main_kind(window.setting))) }
      end

      def sums(from_s, to_s, kind, settings:, as:, histograms: HISTOGRAMS, **step)
        @store.sums(from_s, to_s, kinds: [kind], by_host: true, histograms:, settings:,
          together: ALL.fetch(as), **step).map(&:window)
      end

      # @return [Hash{Setting => Array<Symbol>}] the kinds of work that each setting ran
      def kinds
        @kinds ||= begin
          found = KINDS.flat_map { |kind| steps(kind).keys.product([kind]) }
          found |= steps(:overflow).keys.map { |setting| [setting, main_kind(setting)] }
          found.group_by(&:first).transform_values { |pairs| pairs.map(&:last) }
        end
      end

      # Not if its processes were recorded only part of the time.
      def counted_by_process?(setting)
        seen = Series::UNITS.flat_map { |kind| steps(kind).fetch(setting, []) }
        kinds.fetch(setting).one? && (seen - steps(:process).fetch(setting, [])).empty?
      end

      # @return [Hash{Setting => Array<Integer>}] steps in which it has such windows
      def steps(kind)
        @steps[kind] ||= begin
          starts = @store.setting_starts(@from_s, @to_s, step_s:, kinds: [kind])
          by_setting = starts.group_by(&:last)
          by_setting.transform_values { |same| same.map { |at_s, _| at_s / step_s } }
        end
      end

      def main_kind(setting)
        setting["server"] ? :request : :job
      end

      def members
        @members ||= begin
          samples = @store.processes(@to_s - LIVE_S, @to_s + 1)
          trails = samples.group_by { |sample| sample.values_at(:host, :pid, :start) }.values
          living = trails.reject { |trail| trail.last[:ended] }.flatten
          Analysis::ProcessReport.new(living, from_s: @to_s - LIVE_S, to_s: @to_s).members
        end
      end

      # @return [Hash{Array(String, String) => Array<(Integer, Setting)>}] steps with requests or jobs
      def groups_by_role
        seen = Series::UNITS.flat_map do |kind|
          steps(kind).flat_map { |setting, steps| steps.product([setting]) }
        end
        seen.uniq.group_by { |_, setting| Queries::Origin.of_setting(setting).values_at(:app, :role) }
      end

      def step_s
        @step_s ||= Queries::TimeSeriesQuery.step_s(@from_s, @to_s, @store.finest_s(@from_s))
      end

      # The latest two revisions that ran at the same time.
      # @return [Array<FleetReport::FleetGroup>, nil] one for each kind of work
      def pair(role, seen)
        by_revision = seen.group_by { |_, setting| Queries::Origin.of_setting(setting)[:revision] }
        return if by_revision.size < 2
        steps = by_revision.transform_values { |same| same.to_set(&:first) }
        latest = steps.keys.sort_by { |revision| -steps[revision].min }.first(REVISIONS)
        now = steps.values.map(&:max).max
        both = latest.combination(2).find { |two| together?(steps.values_at(*two).reduce(:&), now) } or return
        settings = by_revision.values_at(*both).flatten(1).map(&:last).uniq
        sides(role, steps.values_at(*both).reduce(:&), settings)
      end

      def together?(steps, now)
        return false if steps.empty?
        (now - steps.max) * step_s <= RECENT_S || steps.size * step_s >= TOGETHER_S
      end

      def sides(role, steps, settings)
        from_s = [steps.min * step_s, @from_s].max
        to_s = [(steps.max + 1) * step_s, @to_s].min
        windows = windows(from_s, to_s, settings:).select { |window| window.count.positive? }
        windows.group_by { |window| window.series.kind }.filter_map do |kind, same|
          members = members_of(settings, kind)
          group = FleetReport::FleetGroup.of([*role, kind], same, members:, settings: @settings,
            from_s:, to_s:, measured: ->(some) { parts.of(some).cut(from_s, to_s) })
          group if group.revisions.count { |line| line.count.positive? } > 1
        end
      end

      def members_of(settings, kind)
        fingerprints = settings.map(&:fingerprint)
        members.select { |member| fingerprints.include?(member.setting) && member.takes?(kind) }
      end
    end
  end
end
