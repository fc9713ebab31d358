# frozen_string_literal: true

require "json"

module Holdup
  module Fleet
    # The fleet as a page: what it is, which hosts stand out, revisions side by side, all hosts, revisions and
    # settings, and what changed when.
    class Report
      ROWS = 20
      # Outliers in sentences; the table begins with all of them.
      SENTENCES = 5
      # The id of a commit is cut to SHORT characters.
      COMMIT = /\A\h{20,}\z/
      SHORT = 8
      REVISION = 16
      DURATIONS = %i[queued_p95_ns wall_p95_ns].freeze

      # @param fleet [FleetReport]
      # @param changes [Array<Analysis::SettingChanges::SettingChange>] within the span
      # @param limit [Integer] rows of each table
      # @param link [#call] name of a host => cell
      def initialize(fleet, words:, changes: [], limit: ROWS, link: ->(host) { View::Width.clean(host) })
        @fleet = fleet
        @words = words
        @changes = changes
        @limit = limit
        @link = link
      end

      # @return [View::Page]
      def page
        about = [span(@fleet.from_s, @fleet.to_s)]
        View::Page.new(title: word(:title_fleet), about:, blocks: [*blocks, *changed])
      end

      # @return [Array<Object>] Blocks
      def blocks
        return nothing if @fleet.empty?
        [lead, standing_out, compared, *@fleet.side_by_side.map { |group| side_by_side(group) },
          *@fleet.groups.flat_map { |group| tables(group) }, settings].compact
      end

      # @return [Array<View::Section>] what changed when
      def changed = [View::Charts::TimeSeries::Changes.new(@changes, words: @words).table].compact

      private

      def word(key, **facts) = @words.call(key, **facts)

      def count(number) = View::Figures.count(number)

      def span(from_s, to_s) = View::Figures::Moments.span(from_s, to_s)

      def nothing
        [View::Blocks::Lead.new(text: word(:fleet_empty)),
          View::Blocks::Notes.new(texts: [word(:fleet_empty_next)])]
      end

      def lead
        roles = @fleet.groups.map do |group|
          word(:fleet_role, name: name(group), hosts: count(group.hosts.size))
        end
        revisions = @fleet.groups.flat_map { |group| group.revisions.map(&:name) }.uniq
        text = word(:fleet_lead, hosts: count(@fleet.hosts.size), processes: count(@fleet.members.size),
          revisions: count(revisions.size), settings: count(@fleet.settings.size), roles: @words.list(roles))
        View::Blocks::Lead.new(text:)
      end

      # "shop puma, requests": the application only where there are several.
      def name(group)
        several = @fleet.groups.map(&:app).uniq.size > 1
        role = [(group.app if several), group.role].compact.map { |text| View::Width.clean(text) }.join(" ")
        word(:fleet_group, role:, units: @words.units(group.kind))
      end

      def outliers(group)
        @outliers ||= {}
        @outliers[group] ||= group.outliers
      end

      def standing_out
        found = @fleet.groups.flat_map { |group| outliers(group).to_a.map { |outlier| [group, outlier] } }
        texts = found.first(SENTENCES).map { |group, outlier| sentence(group, outlier) }
        View::Blocks::Notes.new(texts:, warning: true) if texts.any?
      end

      def sentence(group, outlier)
        figures = [outlier.value, outlier.others].map { |value| figure(outlier.figure, value) }
        word(:"outlier_#{outlier.figure}", host: View::Width.clean(outlier.host), value: figures.first,
          others: figures.last, group: name(group))
      end

      def figure(key, value)
        DURATIONS.include?(key) ? View::Figures.duration(value) : View::Figures.share(value)
      end

      # Where nothing stands out: whether that says something.
      def compared
        texts = @fleet.groups.filter_map { |group| comparison(group) if group.hosts.size > 1 }
        View::Blocks::Notes.new(texts:) if texts.any?
      end

      def comparison(group)
        outliers = outliers(group)
        return if outliers.to_a.any?
        facts = {group: name(group), hosts: count(outliers.compared)}
        return word(:fleet_alike, **facts) if outliers.enough?
        word(:fleet_too_few, **facts, least: count(FleetReport::HostOutliers::FEWEST_HOSTS))
      end

      def side_by_side(group)
        older, newer = group.revisions
        facts = {older: whole_revision(older.name), newer: whole_revision(newer.name),
                 share: View::Figures.share(newer.count.fdiv([group.total.count, 1].max))}
        columns = %i[fleet_hosts_column fleet_processes rate_column errors queued_p95 state_stalled
          state_starved p95 cpu_each]
        rows = group.revisions.map do |line|
          [revision(line.name), count(line.hosts), processes(line), View::Figures.rate(line.per_second),
            View::Figures.share(line.error_share), *waits(line), View::Figures.duration(line.cpu_ns)]
        end
        View::Section.new(title: word(:fleet_together, group: name(group)),
          columns: titles(:by_revision, columns),
          rows:, notes: [word(:fleet_together_note, span: span(group.from_s, group.to_s), **facts)])
      end

      def tables(group)
        [host_table(group), (revision_table(group) if group.revisions.size > 1)]
      end

      def host_table(group)
        lines = ordered(group)
        columns = %i[by_revision fleet_processes rate_column fleet_load queued_p95 state_stalled state_starved
          p95]
        rows = lines.first(@limit).map { |line| [@link.call(line.name), *host_cells(line)] }
        total = [word(:all), *host_cells(group.total)] if lines.size > 1
        title = word(:fleet_by_host, group: name(group))
        View::Section.new(title:, columns: titles(:by_host, columns), rows:, total:,
          notes: [*left_out(lines.drop(@limit)), *ended(lines), word(:fleet_table_note)])
      end

      # Outliers first, then hosts that live, in the order of names.
      def ordered(group)
        outliers = outliers(group).to_a.map(&:host)
        group.hosts.sort_by.with_index do |line, index|
          [outliers.index(line.name) || outliers.size, line.ended? ? 1 : 0, index]
        end
      end

      def host_cells(line)
        [revisions(line), processes(line), View::Figures.rate(line.per_second),
          View::Figures.share(line.load),
          *waits(line)]
      end

      def waits(line)
        [View::Figures.duration(line.queued_p95_ns), View::Figures.share(line.stalled_share),
          View::Figures.share(line.starved_share), View::Figures.duration(line.wall_p95_ns)]
      end

      def processes(line)
        line.ended? ? View::Figures::NONE : count(line.processes)
      end

      # The latest, and how many others.
      def revisions(line)
        latest, *others = line.revisions.reverse
        others.empty? ? revision(latest) : "#{revision(latest)} +#{others.size}"
      end

      def revision(name) = View::Width.truncate(whole_revision(name), REVISION)

      # As a command takes it.
      def whole_revision(name)
        name = View::Width.clean(name.to_s)
        COMMIT.match?(name) ? name[0, SHORT] : name
      end

      def titles(first, keys) = [first, *keys].map { |key| word(key) }

      def left_out(lines)
        return [] if lines.empty?
        most = share(lines, :stalled_share)
        starved = share(lines, :starved_share)
        [word(:fleet_more, hosts: count(lines.size), count: count(lines.sum(&:count)), most:, starved:)]
      end

      # The largest.
      def share(lines, key) = View::Figures.share(lines.filter_map(&key).max)

      def ended(lines)
        count = lines.count(&:ended?)
        count.zero? ? [] : [word(:fleet_ended, hosts: count(count))]
      end

      def revision_table(group)
        columns = %i[fleet_hosts_column fleet_processes rate_column errors queued_p95 state_stalled p95
          changed_since]
        lines = group.revisions.reverse
        rows = lines.first(@limit).map do |line|
          queued, stalled, _, wall = waits(line)
          [revision(line.name), count(line.hosts), processes(line), View::Figures.rate(line.per_second),
            View::Figures.share(line.error_share), queued, stalled, wall,
            View::Blocks::Moment.new(at_s: line.from_s)]
        end
        title = word(:fleet_by_revision, group: name(group))
        View::Section.new(title:, columns: titles(:by_revision, columns), rows:, notes: more(lines))
      end

      def settings
        labels = Analysis::SettingDifferences::SettingLabels.new(@fleet.settings.map(&:setting))
        facts = View::Blocks::Column.new(text: word(:fleet_facts), words: true)
        rows = @fleet.settings.first(@limit).map do |one|
          [one.setting.fingerprint[0, 6], count(one.hosts), count(one.processes),
            View::Figures.short_count(one.count), View::Width.clean(labels.facts(one.setting).join(" "))]
        end
        shared = View::Width.clean(labels.shared.map { |key, value| "#{key}=#{value}" }.join(" "))
        View::Section.new(title: word(:settings),
          columns: [*titles(:by_setting, %i[fleet_hosts_column fleet_processes units]), facts], rows:,
          notes: [*more(@fleet.settings), word(:settings_shared, facts: shared)])
      end

      def more(rows)
        hidden = rows.size - @limit
        hidden.positive? ? [word(:more_rows_here, count: count(hidden))] : []
      end
    end

    # The fleet for programs; docs/schema/fleet.json describes the keys.
    class Report::Json
      include View::Json::Values

      SHARES = %i[error_share load stalled_share starved_share].freeze

      # @param fleet [FleetReport]
      def initialize(fleet, changes: [])
        @fleet = fleet
        @changes = changes
      end

      # @return [String] ends with a newline
      def call = "#{JSON.pretty_generate(to_h)}\n"

      def to_h
        {schema: View::Json::SCHEMA, from: time(@fleet.from_s), to: time(@fleet.to_s),
         hosts: @fleet.hosts.map { |host| clean(host) }, processes: @fleet.members.size,
         groups: @fleet.groups.map { |group| group(group) },
         side_by_side: @fleet.side_by_side.map { |group| side_by_side(group) },
         settings: @fleet.settings.map { |one| setting(one) }, marks:}
      end

      private

      def group(group)
        outliers = group.outliers
        found = outliers.to_a.map { |one| outlier(one) }
        names(group).merge(total: line(group.total), compared: outliers.compared, outliers: found,
          hosts: lines(group.hosts), revisions: lines(group.revisions))
      end

      def side_by_side(group)
        names(group).merge(from: time(group.from_s), to: time(group.to_s), revisions: lines(group.revisions))
      end

      def names(group) = {app: clean(group.app), role: clean(group.role), kind: group.kind}

      def lines(lines) = lines.map { |one| line(one) }

      def line(line)
        shares = SHARES.to_h { |key| [key, line.public_send(key)&.round(4)] }
        {name: clean(line.name), hosts: line.hosts, processes: line.processes, threads: line.threads,
         revisions: line.revisions.map { |name| clean(name) }, settings: line.settings.map(&:fingerprint),
         from: time(line.from_s), to: time(line.to_s), count: line.count, errors: line.window.errors,
         per_second: line.per_second&.round(3), **shares, queued_p95_ns: line.queued_p95_ns,
         wall_p95_ns: line.wall_p95_ns, cpu_ns: line.cpu_ns&.round}
      end

      def outlier(one)
        {host: clean(one.host), figure: one.figure, value: one.value.round(4), others: one.others.round(4)}
      end

      def setting(one)
        {fingerprint: one.setting.fingerprint, hosts: one.hosts, processes: one.processes, count: one.count,
         attributes: one.setting.attributes}
      end

      def marks
        @changes.map do |mark|
          {at: time(mark.at_s), server: clean(mark.server), deployed: mark.deployed?,
           changed: mark.differences.map { |one| difference(one) }}
        end
      end
    end
  end
end
