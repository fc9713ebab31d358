# frozen_string_literal: true

require_relative "../model/errors"
require_relative "configuration/keys"
require_relative "../model/utf8"

module Holdup
  # Settings, checked once and frozen. The environment overrides code, so that operators can change a setting
  # without a release.
  #
  #   Configuration.build(env: ENV) { |config| config.series_limit = 500 }
  class Configuration < Data.define(*ConfigurationKeys::ALL.map(&:name))
    KEYS = ConfigurationKeys::ALL
    LOG = KEYS.find { |key| key.name == :log }
    private_constant :LOG

    # Yielded by `Holdup.configure`: a plain setter for each key.
    Draft = Struct.new(*KEYS.map(&:name)) do
      # @param source [String] of the name, for the message
      # @raise [ConfigurationError] for a name that is no setting
      def set(name, value, source:)
        names = members.map(&:name)
        unless names.include?(name.to_s)
          raise ConfigurationError.new(key: source, value: name, expected: "one of #{names.join(", ")}",
            meant: ConfigurationKeys::Spelling.nearest(name, names))
        end
        self[name] = value
      end
    end

    def self.draft = Draft.new(*KEYS.map(&:default))

    # @raise [ConfigurationError] says what to give instead
    def self.build(env: {}, draft: self.draft)
      yield draft if block_given?
      values = KEYS.to_h do |key|
        [key.name, from_environment(key, env) { key.check(draft[key.name]) }]
      end
      new(**values).checked
    end

    # What Log takes, a path too. Works while another setting is wrong, because that has to be logged.
    def self.log_target(env:, draft:)
      target = from_environment(LOG, env) { draft.log }
      (target == IO::NULL) ? nil : target
    rescue ConfigurationError
      draft.log
    end

    # A log that is named wrongly is no reason to stop: the default is in use then.
    # @param env [Hash{String => String}, ENV]
    # @return [Hash{String => String}, ENV] without such a name
    def self.readable(env)
      wrong_log(env) ? env.to_h.except(LOG.env) : env
    end

    # @return [Array<String>] what is wrong with the environment, and changes less than it was meant to
    def self.complaints(env)
      unknown = Variables.unknown(env)
      wrong = wrong_log(env)
      [(Variables.warning(unknown) if unknown.any?), wrong && "#{wrong.message}; it is left out"].compact
    end

    def self.wrong_log(env)
      from_environment(LOG, env) {}
      nil
    rescue ConfigurationError => error
      error
    end
    private_class_method :wrong_log

    def self.from_environment(key, env)
      text = env[key.env] if key.env
      (text.nil? || text.empty?) ? yield : key.read(Utf8.of(text))
    end
    private_class_method :from_environment

    # @return [Configuration] this one
    # @raise [ConfigurationError] for settings that do not go together
    def checked
      in_app = ConfigurationKeys::NotifyPlan::IN_APP & notify_plan&.channels.to_h.keys
      return self if in_app.empty? || collector == :thread
      raise ConfigurationError.new(key: :collector, value: collector,
        expected: ":thread for #{in_app.join(" and ")} of config.notify: a collector in another process " \
          "does not have the application's code; or take a webhook, a command or the log")
    end

    def segment_dir = segment_place.dir

    def segment_place = SegmentLocation.find(dir)

    # @return [Array<ConfigurationKeys::Export>] what a collector exports
    def exports
      ConfigurationKeys::EXPORTS.filter_map { |export| export.from(public_send(export::KEY)) }
    end

    # @return [ConfigurationKeys::ScalingGoal, nil] nil: no signal
    def scaling_goal = ConfigurationKeys::ScalingGoal.from(scaling)

    # @return [ConfigurationKeys::AutopilotGoal, nil] nil: off
    def autopilot_goal = ConfigurationKeys::AutopilotGoal.from(autopilot)

    # @return [ConfigurationKeys::NotifyPlan, nil] nil: nobody is told
    def notify_plan = ConfigurationKeys::NotifyPlan.from(notify)

    # @return [Hash{String => String}] for a collector's environment: it can't know what code has set
    def of_collector
      exported = exports.to_h { |export| [export.variable, export.to_s] }
      {**exported, "HOLDUP_SCALING" => scaling_goal&.to_s, "HOLDUP_NOTIFY" => notify_plan&.of_process&.to_s,
       "HOLDUP_WEB_URL" => web_url, "HOLDUP_HOST" => host, "HOLDUP_SPOOL" => spool,
       "HOLDUP_SPOOL_MIB" => spool && spool_mib.to_s}.compact
    end

    def ignored
      Regexp.union(ignore_paths.map { |path| path.is_a?(Regexp) ? path : pattern(path) })
    end

    # @return [Array<String>, nil] each ignored path begins with one of these; nil: unknown
    def ignored_starts
      starts = ignore_paths.map { |path| path.delete_suffix("*") unless path.is_a?(Regexp) }
      starts if starts.all? { |start| start&.ascii_only? }
    end

    private

    def pattern(path)
      start = path.delete_suffix("*")
      (start == path) ? /\A#{Regexp.escape(path)}\z/ : /\A#{Regexp.escape(start)}/
    end
  end

  class Configuration
    # Where a process's segment goes: a folder on tmpfs; without a writable tmpfs, anonymous memory with a
    # link in a folder on disk (Linux); without any tmpfs, a folder on disk. Writing to a mapped file on a
    # disk can block on write-back, with the GVL held.
    #
    # - `dir`: the folder; `anonymous`: whether it holds only links
    SegmentLocation = Data.define(:dir, :anonymous) do
      # @param given [String, nil] folder of `config.dir`, taken unchanged
      # @param roots [Array<String>] the best first
      # @param mounts [String] the table of mounted file systems
      def self.find(
        given,
        uid: Process.uid,
        roots: ["/dev/shm", "/run/user/#{uid}", "/run/shm", "/tmp"],
        mounts: "/proc/mounts"
      )
        return new(dir: given, anonymous: false) if given
        writable = roots.select { |root| File.directory?(root) && File.writable?(root) }
        in_memory = writable.find { |root| tmpfs?(File.realpath(root), mounts) }
        new(dir: File.join(in_memory || writable.first || "/tmp", "holdup-#{uid}"),
          anonymous: !in_memory && File.readable?(mounts))
      end

      def self.tmpfs?(path, mounts)
        return false unless File.readable?(mounts)
        path = path.b # a mounted folder's name may be any bytes
        points = File.binread(mounts).lines.map { |line| line.split.values_at(1, 2) }
        around = points.select { |point, _| inside?(path, point) }
        _, type = around.max_by { |point, _| point.size }
        %w[tmpfs ramfs].include?(type)
      end

      def self.inside?(path, folder)
        path == folder || path.start_with?("#{folder.delete_suffix("/")}/")
      end
      private_class_method :tmpfs?, :inside?
    end
  end

  class Configuration
    # Unknown environment variables that look like Holdup's are reported, because a mistyped name has no
    # effect.
    module Variables
      PREFIX = "HOLDUP_"
      SETTINGS = ConfigurationKeys::ALL.filter_map(&:env).freeze
      # Read at each tick, not a setting: it must also work where the application's code has set others.
      SWITCHES = %w[HOLDUP_AUTOPILOT_FREEZE].freeze
      # Set by `holdup exec` for the application that it starts.
      INTERNAL = %w[HOLDUP_SUPERVISED].freeze
      # Used by the repository's scripts: set-up, tests, benchmarks, the extension's build.
      DEVELOPMENT = %w[
        HOLDUP_ASAN HOLDUP_BENCH_PADDING HOLDUP_BENCH_SCRATCH HOLDUP_CACHE HOLDUP_FUZZ_CASES HOLDUP_FUZZ_FIRST
        HOLDUP_FUZZ_SEED HOLDUP_JRUBY HOLDUP_PEDANTIC HOLDUP_PLATFORM HOLDUP_PRIMARY HOLDUP_ROOT HOLDUP_RUBY
        HOLDUP_SECOND HOLDUP_TEST_KILLS HOLDUP_TEST_OUTAGE_S HOLDUP_TEST_TIMES HOLDUP_WITHOUT_LINUX
      ].freeze
      # Tests and benchmarks read these, also those of another version.
      TOOLING = /\AHOLDUP_(?:TEST|FUZZ|BENCH)_/
      KNOWN = [*SETTINGS, *SWITCHES, *INTERNAL, *DEVELOPMENT].freeze

      class << self
        # Names that nothing reads.
        def unknown(env)
          named = env.keys.select { |name| name.start_with?(PREFIX) }
          (named - KNOWN).grep_v(TOOLING).sort
        end

        # The variable that was probably meant.
        def nearest(name)
          words = SETTINGS.map { |setting| setting.delete_prefix(PREFIX).downcase }
          word = ConfigurationKeys::Spelling.nearest(name.delete_prefix(PREFIX), words)
          "#{PREFIX}#{word.upcase}" if word
        end

        def warning(names)
          suggestions = names.map do |name|
            meant = nearest(name)
            meant ? "#{name} (did you mean #{meant}?)" : name
          end
          "no such setting, so it has no effect: #{suggestions.join(", ")}; " \
            "`holdup docs configuration` lists the variables of the environment"
        end
      end
    end
  end
end
