# frozen_string_literal: true

require "delegate"

module Holdup
  module Queries
    # Where measurements come from: the parts of a fleet that a command or page reads. Nil means any.
    #
    # - `app`: name of the application; `host`: a shell glob ("web-*")
    # - `role`: what the processes do, see Setting#role; `revision`: of the application, or its beginning
    #
    # "-" stands for processes without such a name.
    class Origin < Data.define(:app, :host, :role, :revision)
      UNNAMED = Analysis::ApplicationShares::UNNAMED
      # Parts that settings tell.
      FACTS = %i[app role revision].freeze
      REVISIONS = 50

      # @param name [String] of a host, whatever characters it has
      def self.of_host(name)
        new(host: name.gsub(/[*?\[\]{}\\]/) { |char| "\\#{char}" })
      end

      def self.of_setting(setting)
        {app: Analysis::ApplicationShares.name(setting), role: setting.role || UNNAMED,
         revision: (setting["revision"] || UNNAMED).to_s}
      end

      # What there is to choose from in a store.
      # @param settings [Array<Setting>] of the store
      # @param part [Symbol] one of FACTS
      # @return [Array<String>] by name; of revisions the latest
      def self.names(settings, part)
        names = settings.reverse.map { |setting| of_setting(setting).fetch(part) }.uniq
        (part == :revision) ? names.first(REVISIONS) : names.sort
      end

      def initialize(app: nil, host: nil, role: nil, revision: nil)
        super
      end

      # @return [Hash{Symbol => String}] the parts that limit it
      def limits = to_h.compact

      def host?(name)
        host.nil? || File.fnmatch?(host, name, File::FNM_DOTMATCH)
      end

      def setting?(setting)
        facts = self.class.of_setting(setting)
        (app.nil? || app == facts[:app]) && (role.nil? || role == facts[:role]) &&
          (revision.nil? || facts[:revision].start_with?(revision))
      end

      # @return [#windows, #sums] the store, or what it has of this origin
      # @raise [UsageError] for an unknown name
      def of(store)
        limits.empty? ? store : FilteredStore.new(store, self)
      end

      # All hosts but the ones that its glob matches.
      class OtherHosts < Origin
        def host?(name) = !super
      end

      # A store with the data of one origin only. What it does not narrow is of the whole store.
      class FilteredStore < SimpleDelegator
        SHOWN = 10
        private_constant :SHOWN

        # @param origin [Origin]
        # @raise [UsageError] for an unknown name
        def initialize(store, origin)
          super(store)
          @origin = origin
          @settings = FACTS.reduce(store.settings) { |settings, part| narrowed(settings, part) }
          @hosts = known_hosts if origin.host
          @own = @settings.to_set
          @fingerprints = [nil, *@settings.map(&:fingerprint)]
        end

        attr_reader :settings

        # Whether the database has units of others too.
        def part? = true

        def hosts = @hosts || super

        def windows(*span, **options)
          super(*span, **options, **only_hosts).select { |window| own?(window.setting) }
        end

        def sums(*span, settings: nil, **options)
          settings = settings ? settings.select { |setting| own?(setting) } : own_settings
          super(*span, settings:, **options, **only_hosts)
        end

        def step_sums(*span, **options)
          super(*span, **options, **only_hosts).select { |(_, setting), _| own?(setting) }
        end

        def setting_starts(*span, **options)
          super(*span, **options, **only_hosts).select { |_, setting| own?(setting) }
        end

        # Containers that other processes share have :shared.
        def processes(...)
          samples = super.select { |sample| @origin.host?(sample[:host]) }
          own, others = samples.partition { |sample| @fingerprints.include?(sample[:setting]) }
          hosts = others.map { |sample| sample[:host] }.to_set
          own.map do |sample|
            shared = sample[:setting].nil? && hosts.include?(sample[:host])
            shared ? sample.merge(shared: true) : sample
          end
        end

        def unit_samples(...)
          super.select { |unit| own?(unit.setting) && @origin.host?(unit.host) }
        end

        def unit_spans(starts)
          super.transform_values do |blocks|
            blocks.select { |block| own?(block.setting) && @origin.host?(block.host) }
          end
        end

        def slowest_units(*span, settings: nil, **options)
          settings = settings ? settings.select { |setting| own?(setting) } : own_settings
          super(*span, settings:, **options, **only_hosts)
        end

        # Those of applications, roles and revisions are not apart.
        def recent_figures(*span, **options)
          own_settings ? [] : super(*span, **options, **only_hosts)
        end

        def arrivals(...)
          super.select { |block| own?(block.setting) && @origin.host?(block.host) }
        end

        def outcomes
          super.select { |outcome| @origin.app.nil? || outcome.app == @origin.app }
        end

        # Of these hosts, and of all applications.
        def collector_checkpoints
          super.select { |checkpoint| @origin.host?(checkpoint.host) }
        end

        # Of these hosts, and of all applications.
        def audit_entries(...)
          super.select { |change| @origin.host?(change.host) }
        end

        # Of these hosts, and of all applications.
        def deaths(...)
          super.select { |autopsy| @origin.host?(autopsy.host) }
        end

        # Of these hosts, and of all applications.
        def skipped_rows
          super.select { |row| @origin.host?(row.host) }
        end

        private

        def own?(setting) = @own.include?(setting)

        # Nil for all, because a database answers faster without a list.
        def own_settings
          @settings if FACTS.any? { |part| @origin.public_send(part) }
        end

        def only_hosts
          @hosts ? {hosts: @hosts} : {}
        end

        def narrowed(settings, part)
          asked = @origin.public_send(part) or return settings
          by_name = settings.group_by { |setting| Origin.of_setting(setting).fetch(part) }
          found = by_name.fetch(asked) { (part == :revision) ? beginning_with(asked, by_name) : [] }
          found.empty? ? raise(unknown(part, asked, by_name.keys.reverse)) : found
        end

        def beginning_with(asked, by_name)
          by_name.select { |revision, _| revision.start_with?(asked) }.values.flatten
        end

        def known_hosts
          known = __getobj__.hosts
          found = known.select { |host| @origin.host?(host) }
          found.empty? ? raise(unknown(:host, @origin.host, latest_hosts | known)) : found
        end

        def latest_hosts
          __getobj__.collector_checkpoints.map(&:host)
        end

        def unknown(part, asked, known)
          fix, names = hint(asked, known)
          View::InputError.new(:"no_#{part}", fix, name: asked[0, 100].inspect, names:)
        end

        def hint(asked, known)
          return :nothing_recorded if known.empty?
          names = OptionValues::NearestName.spelled(asked, known)
          return :did_you_mean, names if names.any?
          more = ", ..." if known.size > SHOWN
          [:there_are, "#{known.first(SHOWN).join(", ")}#{more}"]
        end
      end
    end
  end
end
