# frozen_string_literal: true

module Holdup
  module Fleet
    # All hosts that wrote to a store in a span: what their processes did, by application, role and kind of
    # work, which host differs from the others, and which revisions ran at the same time.
    class FleetReport
      attr_reader :from_s, :to_s, :members, :side_by_side

      # @param windows [Array<Window>] of requests and jobs, for each host and setting; see FleetQuery
      # @param members [Array<Analysis::ProcessReport::MeasuredProcess>] that live at the end of the span
      # @param settings [Hash{String => Setting}] by fingerprint, of all processes
      # @param side_by_side [Array<FleetGroup>] of two revisions, while both ran
      # @param measured [#call] Array of Window => Analysis::MeasuredTime, when their hosts and settings were
      #   measured
      def initialize(windows, members:, settings:, from_s:, to_s:, side_by_side: [],
        measured: Analysis::MeasuredTime.method(:of_windows))
        @windows = windows.select { |window| window.count.positive? }.sort_by(&:start_s)
        @members = members.select { |member| settings.key?(member.setting) }
        @settings = settings
        @from_s = from_s
        @to_s = to_s
        @side_by_side = side_by_side
        @measured = measured
      end

      def empty?
        @windows.empty? && @members.empty?
      end

      # @return [Array<FleetGroup>] most requests or jobs first
      def groups
        @groups ||= begin
          keys = @windows.map { |window| key(window.setting, window.series.kind) } | member_keys
          groups = keys.map { |key| group(key) }
          groups.sort_by { |group| [-group.total.count, group.role, group.kind] }
        end
      end

      def hosts
        @hosts ||= (@windows.map(&:host) | @members.map(&:host)).sort
      end

      # Settings under which something ran or processes live, most requests and jobs first.
      # @return [Array<FleetSetting>]
      def settings
        @settings_in_use ||= begin
          windows = @windows.group_by(&:setting)
          members = @members.group_by { |member| @settings.fetch(member.setting) }
          found = (windows.keys | members.keys).map do |setting|
            FleetSetting.of(setting, windows.fetch(setting, []), members.fetch(setting, []))
          end
          found.sort_by { |one| [-one.count, one.setting.fingerprint] }
        end
      end

      private

      def key(setting, kind)
        [Analysis::ApplicationShares.name(setting), setting.role || Analysis::ApplicationShares::UNNAMED,
          kind]
      end

      # Processes that wait for work are part of the fleet too.
      def member_keys
        @members.flat_map do |member|
          kinds = Analysis::SettingChanges::KINDS.select { |kind| member.takes?(kind) }
          kinds.map { |kind| key(@settings.fetch(member.setting), kind) }
        end.uniq
      end

      def group(key)
        kind = key.last
        windows = @windows.select { |window| key(window.setting, window.series.kind) == key }
        members = @members.select do |member|
          member.takes?(kind) && key(@settings.fetch(member.setting), kind) == key
        end
        FleetGroup.of(key, windows, members:, settings: @settings, from_s:, to_s:, measured: @measured)
      end

      # `hosts`, `processes`: how many that live at the end of the span; `count`: requests and jobs
      FleetSetting = Data.define(:setting, :hosts, :processes, :count) do
        def self.of(setting, windows, members)
          hosts = (windows.map(&:host) | members.map(&:host)).size
          new(setting:, hosts:, processes: members.size, count: windows.sum(&:count))
        end
      end

      # The requests or jobs of one role of an application. `hosts`, `revisions`: Array of FleetLine, by name
      # and in order of first use
      FleetGroup = Data.define(:app, :role, :kind, :total, :hosts, :revisions) do
        def self.of((app, role, kind), windows, members:, **facts)
          lines = FleetLines.new(kind, **facts)
          new(app:, role:, kind:, total: lines.line(nil, windows, members),
            hosts: lines.by_host(windows, members), revisions: lines.by_revision(windows, members))
        end

        def outliers = HostOutliers.new(hosts)

        def from_s = total.from_s

        def to_s = total.to_s
      end

      # Makes the lines of a group.
      class FleetLines
        def initialize(kind, settings:, from_s:, to_s:, measured:)
          @none = Window.empty(series: Series.new(kind:, name: "(all)"))
          @kind = kind
          @settings = settings
          @span = Analysis::MeasuredTime.whole(from_s, to_s)
          @measured = measured
        end

        def by_host(windows, members)
          lines(windows.group_by(&:host), members.group_by(&:host)).sort_by { |line| natural(line.name) }
        end

        def by_revision(windows, members)
          found = lines(windows.group_by { |window| revision(window.setting) },
            members.group_by { |member| revision(@settings.fetch(member.setting)) })
          found.sort_by { |line| [line.window.start_s || line.to_s, line.name] }
        end

        def line(name, windows, members)
          window = windows.empty? ? @none : Window.sum(windows)
          settings = windows.map(&:setting) | members.map { |member| @settings.fetch(member.setting) }
          hosts = (windows.map(&:host) | members.map(&:host)).size
          FleetLine.new(name:, window:, settings:, hosts:, processes: members.size, threads: threads(members),
            measured: measured(windows), thread_s: thread_s(windows, members))
        end

        private

        def lines(windows, members)
          (windows.keys | members.keys).map do |name|
            line(name, windows.fetch(name, []), members.fetch(name, []))
          end
        end

        def revision(setting)
          (setting["revision"] || Analysis::ApplicationShares::UNNAMED).to_s
        end

        # A host without requests was there all the time.
        def measured(windows)
          time = windows.empty? ? @span : @measured.call(windows)
          time.empty? ? @span : time
        end

        # Seconds of the threads, each for as long as its host had requests or jobs.
        def thread_s(windows, members)
          by_host = windows.group_by(&:host)
          seconds = members.group_by(&:host).map do |host, own|
            own_threads = threads(own)
            own_threads && own_threads * measured(by_host.fetch(host, [])).total_s
          end
          seconds.sum if seconds.all?
        end

        # Nil where a server has no limit (fibers).
        def threads(members)
          pools = members.flat_map(&:pools).select { |pool| pool.takes?(@kind) }
          pools.sum(&:max) if pools.any? && pools.all?(&:max)
        end

        # "web-10" after "web-9".
        def natural(name)
          name.to_s.scan(/\d+|\D+/).map { |part| part.match?(/\d/) ? [0, part.to_i, part] : [1, 0, part] }
        end
      end

      # Requests or jobs of a host or a revision, with the processes that take them now.
      #
      # - `window`: the sum; `settings`: Array of Setting; `hosts`, `processes`, `threads`: how many; nil
      #   threads: unlimited or unknown
      # - `measured`: Analysis::MeasuredTime, when it had requests or jobs; `thread_s`: seconds of all its
      #   threads in it
      FleetLine = Data.define(:name, :window, :settings, :hosts, :processes, :threads, :measured,
        :thread_s) do
        def count = window.count

        def from_s = measured.from_s.floor

        def to_s = measured.to_s.ceil

        # Nil where it was measured for too short.
        def per_second
          count.zero? ? 0.0 : measured.rate(count)
        end

        def error_share
          share(window.errors, count)
        end

        def stalled_share
          share(window.stalled_ns, wall_ns)
        end

        def starved_share
          share(window.sums[:starved_ns], wall_ns)
        end

        def cpu_ns
          share(window.sums[:cpu_ns], count)
        end

        # Mean share of the threads that had a request or job.
        def load
          share(wall_ns, thread_s.to_f * NS)
        end

        def wall_p95_ns = quantile(:wall)

        # Nil where it is unknown.
        def queued_p95_ns = quantile(:queued)

        def revisions
          settings.map { |setting| (setting["revision"] || Analysis::ApplicationShares::UNNAMED).to_s }.uniq
        end

        # Whether none of its processes lives at the end of the span.
        def ended? = processes.zero?

        private

        def wall_ns = window.histograms[:wall].sum

        def quantile(key)
          histogram = window.histograms[key]
          histogram.quantile(0.95) if histogram.count.positive?
        end

        def share(part, whole)
          part.fdiv(whole) if whole.positive?
        end
      end

      # Which hosts of a group are worse than the others, by the modified z-score of Iglewicz and Hoaglin: the
      # distance from the median in median absolute deviations, which outliers themselves hardly move. A host
      # also has to be worse by as much as matters to users, because identical hosts hardly deviate at all.
      # docs/guide/fleet.md has the error rates.
      class HostOutliers
        # Among fewer hosts a median says little.
        FEWEST_HOSTS = 5
        # Requests or jobs; with fewer, a percentile is a single one.
        FEWEST_UNITS = 100
        # Allowed deviations by the number of hosts: among few, the deviation itself is uncertain. With hosts
        # that differ by chance alone (log-normal, 30 %), 1 % of the comparisons of a figure exceed them.
        LIMITS = {5 => 18.0, 9 => 12.5, Float::INFINITY => 8.5}.freeze
        # Makes the median absolute deviation comparable with a standard deviation.
        NORMAL = 1.4826
        # Distance from the median that matters: `least` in its unit, and as `ratio`. Causes before effects: a
        # host is named once.
        NotableDistance = Data.define(:least, :ratio)
        FIGURES = {
          starved_share: NotableDistance.new(least: 0.05, ratio: 2.0),
          stalled_share: NotableDistance.new(least: 0.05, ratio: 1.5),
          error_share: NotableDistance.new(least: 0.01, ratio: 2.0),
          queued_p95_ns: NotableDistance.new(least: 20 * MS, ratio: 1.5),
          wall_p95_ns: NotableDistance.new(least: 50 * MS, ratio: 1.5),
          load: NotableDistance.new(least: 0.2, ratio: 1.5)
        }.freeze
        private_constant :NotableDistance

        # `others`: median of the other hosts; `distance`: from the median, in deviations
        HostOutlier = Data.define(:host, :figure, :value, :others, :distance)

        # @param lines [Array<FleetLine>] of hosts
        def initialize(lines)
          @lines = lines.select { |line| line.count >= FEWEST_UNITS }
        end

        # How many hosts have enough requests or jobs.
        def compared = @lines.size

        def enough? = compared >= FEWEST_HOSTS

        # @return [Array<HostOutlier>] one for each host, the farthest first
        def to_a
          @outliers ||= begin
            found = enough? ? FIGURES.keys.flat_map { |figure| of(figure) } : []
            found.uniq(&:host).sort_by { |outlier| -outlier.distance }
          end
        end

        private

        def of(figure)
          values = @lines.to_h { |line| [line.name, line.public_send(figure)] }.compact
          return [] if values.size < FEWEST_HOSTS
          center = median(values.values)
          deviation = NORMAL * median(values.values.map { |value| (value - center).abs })
          far = center + [limit(values.size) * deviation, least(figure, center)].max
          values.filter_map do |host, value|
            next unless value > far
            others = median(values.except(host).values)
            distance = (value - center) / [deviation, Float::MIN].max
            HostOutlier.new(host:, figure:, value:, others:, distance:)
          end
        end

        def least(figure, center)
          rule = FIGURES.fetch(figure)
          [rule.least, (rule.ratio - 1) * center].max
        end

        def limit(count)
          LIMITS.find { |most, _| count <= most }.last
        end

        def median(values)
          sorted = values.sort
          middle = sorted.size / 2
          sorted.size.odd? ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2.0
        end
      end
    end
  end
end
