# frozen_string_literal: true

module Holdup
  # Opens a store by its URL. A store's library is loaded only when it is chosen, so code inside an
  # application may name a store without loading a database library.
  module Store
    POSTGRES = ->(url, _location, **options) { Sql.new(Sql::Postgres.new(url, **options)) }
    MYSQL = ->(url, _location, **options) { Sql.new(Sql::Mysql.new(url, **options)) }
    CLICKHOUSE = ->(url, _location, **options) { Clickhouse.new(url, **options) }
    OPENERS = {
      "memory" => ->(_url, _location, **) { Sql.new(Sql::Sqlite::MemoryDatabase.new) },
      "sqlite" => ->(_url, location, **options) { Sql.new(Sql::Sqlite.new(location, **options)) },
      "postgres" => POSTGRES,
      "postgresql" => POSTGRES,
      "mysql2" => MYSQL,
      "trilogy" => MYSQL,
      "clickhouse" => CLICKHOUSE,
      "clickhouse+https" => CLICKHOUSE
    }.freeze
    # What has "://" is no path, whatever is before it: as a path, "POSTGRES://host/name" would be a file in
    # the current folder, which nobody looks for.
    SCHEME = %r{\A([a-z][a-z0-9+]+(?=:)|[A-Za-z][\w+.-]+(?=://)):(.*)\z}m
    private_constant :POSTGRES, :MYSQL, :CLICKHOUSE, :SCHEME

    # Limit of a store on a disk of its own.
    DEFAULT_MAX_BYTES = 512 * 1024 * 1024

    # @param url [String] "sqlite:///abs/path.sqlite3", a plain path, "postgres://user@host/database", or
    #   "memory:"
    # @param read_only [Boolean] for reports: creates nothing, writes nothing, never waits for the collector
    # @raise [StoreError] when it can't be opened
    def self.open(url, read_only: false)
      scheme, location = split(url)
      opener = OPENERS[scheme]
      raise StoreError::UnknownScheme.new(location: redact(url), known:) unless opener
      opener.call(url, location, read_only:)
    end

    # @return [String] the store to use when none is named
    # @raise [StoreError::NoHome]
    def self.default_url(env, home: self.home(env))
      return env["HOLDUP_STORE"] unless env["HOLDUP_STORE"].to_s.empty?
      state = state_folder(env, home) or raise StoreError::NoHome.new
      "sqlite://#{File.join(state, "holdup", "holdup.sqlite3")}"
    end

    # @return [String, nil] folder of the captures: next to the store's file, else next to the default store;
    #   nil where that has no folder
    def self.captures_dir(url, env, home: self.home(env))
      return File.expand_path("../captures", split(url).last) if file?(url)
      state = state_folder(env, home)
      state && File.join(state, "holdup", "captures")
    rescue ArgumentError # a path that begins with ~, and there is no home folder
      nil
    end

    # A container may run as a user that its system does not know, and without HOME.
    # @return [String, nil] the user's home folder; nil without one
    def self.home(env)
      home = env["HOME"].to_s
      return home if home.start_with?("/")
      require "etc"
      Etc.getpwuid&.dir
    rescue ArgumentError # the user has no entry
      nil
    end

    def self.state_folder(env, home)
      state = env["XDG_STATE_HOME"].to_s
      return state if state.start_with?("/")
      home && File.join(home, ".local", "state")
    end
    private_class_method :state_folder

    # URL forms that users may write.
    def self.known
      ["sqlite:///path/to/file.sqlite3", "a plain path", "postgres://user@host/database",
        "mysql2://user@host/database", "trilogy://user@host/database", "clickhouse://user@host:8123/database",
        "memory:"]
    end

    # @return [Boolean] whether it is a file, and not a server
    def self.file?(url) = split(url).first == "sqlite"

    # Passwords may contain any character, also those that a URL should encode: all up to the last @ goes.
    # @return [String] the URL as messages show it
    def self.redact(url)
      url.scrub("?").sub(%r{(//[^:/@]*):.*@}m, '\1:***@').gsub(/([?&]\w*password=)[^&]*/i, '\1***')
    end

    def self.split(url)
      return ["sqlite", url] unless url.valid_encoding?
      scheme, rest = SCHEME.match(url)&.captures
      scheme ? [scheme, rest.delete_prefix("//")] : ["sqlite", url]
    end
    private_class_method :split

    # An answer that takes seconds to compute, kept ready for readers. `question`: at most 100 characters;
    # `at_s`: when it was computed; `text`: the answer, in a form that the store does not read.
    KeptAnswer = Data.define(:question, :at_s, :text)

    # Longer than any answer is shown, see Queries::KeptResults::AgeLimits.
    KeptAnswer::KEEP_S = 2 * 86_400

    # How long samples of single units are kept: 14 days, like windows of five minutes, but never so many that
    # they push windows out of a store that is almost full.
    module SampleRetention
      KEEP_S = 14 * 86_400
      # Of the size limit.
      SHARE = 0.25

      module_function

      # @param sizes [Array<Array(Integer, Integer)>] start and bytes of each, newest first
      # @return [Integer] second; samples that start earlier may be deleted
      def from_s(sizes, now_s, max_bytes)
        room = max_bytes * SHARE
        first_without_room, = sizes.find { |_, bytes| (room -= bytes) < 0 }
        [now_s - KEEP_S, first_without_room ? first_without_room + 1 : 0].max
      end

      # @return [Array<UnitSample>] units that started in the span, by time, with their weights
      def between(blocks, from_s, to_s)
        span_ns = (from_s * 1_000_000_000...to_s * 1_000_000_000)
        samples = blocks.flat_map(&:weighted).select { |sample| span_ns.cover?(sample.start_ns) }
        samples.sort_by(&:start_ns)
      end
    end

    # How long the slowest units are kept: 48 hours, but never so many that they push windows out of a store
    # that is almost full.
    module SlowestRetention
      # Of the size limit.
      SHARE = 0.15

      module_function

      # @param sizes [Array<Array(Integer, Integer)>] start and bytes of each minute, newest first
      # @return [Integer] second; minutes that start earlier may be deleted
      def from_s(sizes, now_s, max_bytes)
        room = max_bytes * SHARE
        first_without_room, = sizes.find { |_, bytes| (room -= bytes) < 0 }
        [now_s - SlowestBlock::KEEP_S, first_without_room ? first_without_room + 1 : 0].max
      end
    end

    # Selects series. Names and queues are shell globs, but `*` also matches `/` and `::`.
    class SeriesFilter
      # @param queues [Array<String>, String, nil] globs; a series without a queue matches none
      # @param only [#series?, nil] a further condition
      def initialize(kinds: nil, names: nil, queues: nil, only: nil)
        @kinds = kinds && Array(kinds).map(&:to_sym)
        @names = names && Array(names)
        @queues = queues && Array(queues)
        @only = only
      end

      # Whether every series passes.
      def all?
        !(@kinds || @names || @queues || @only)
      end

      def match?(series)
        return false unless @kinds.nil? || @kinds.include?(series.kind)
        return false unless glob?(@names, series.name) && glob?(@queues, series.queue)
        @only.nil? || @only.series?(series)
      end

      private

      def glob?(globs, text)
        globs.nil? || (!text.nil? && globs.any? { |glob| File.fnmatch?(glob, text, File::FNM_DOTMATCH) })
      end
    end

    # The stored windows of a span, added up.
    #
    # - `window`: from the earliest start to the latest end
    # - `covered_s`: sum of the lengths of its windows: 600 for one minute of ten processes
    SpanSum = Data.define(:window, :covered_s) do
      # For windows in memory; Sql::Spans::Sums gives the same result faster. Options: see Reader#sums.
      # @return [Array<SpanSum>] one for each step, series and setting, and perhaps host
      def self.of(windows, step_s: nil, settings: nil, together: nil, apart: nil, by_host: false,
        histograms: Window::HISTOGRAMS, heads: [], numbers: Window::SUMS)
        windows = windows.select { |window| settings.include?(window.setting) } if settings
        left_out = (Window::HISTOGRAMS - histograms - heads).to_h { |name| [name, Histogram.empty] }
        uncounted = (Window::SUMS - numbers).to_h { |name| [name, 0] }
        sums = windows.map do |window|
          kept = window.spread_of(Window::HISTOGRAMS - heads)
          kept = kept.with(series: named(window.series, together, apart),
            sums: kept.sums.merge(uncounted), histograms: kept.histograms.merge(left_out))
          new(window: kept, covered_s: window.seconds)
        end
        add(sums, step_s:, by_host:)
      end

      # @return [Series] what the sum of this series and others is called, see Reader#sums
      def self.named(series, together, apart)
        return series unless together
        apart ? together.with(apart => series.public_send(apart)) : together
      end

      # One number of sums, see Reader#step_sums.
      # @yieldparam options [Hash] of Reader#sums
      # @yieldreturn [Array<SpanSum>]
      def self.by_step(of, step_s:, apart:)
        heads, numbers = of.partition { |name| Window::HISTOGRAMS.include?(name) }
        together = Series.new(kind: :request, name: "(all)")
        found = yield({step_s:, together:, apart:, histograms: [], heads:, numbers:})
        found.each_with_object({}) do |sum, steps|
          window = sum.window
          own = steps[[apart && window.series.public_send(apart), window.setting]] ||= {}
          own[window.start_s / step_s * step_s] =
            window.sums.values_at(*numbers).sum + window.histograms.values_at(*heads).sum(&:sum)
        end
      end

      # One for each step, series and setting, and perhaps host.
      def self.add(sums, step_s: nil, by_host: false)
        by_step = sums.group_by do |sum|
          window = sum.window
          [step_s && window.start_s / step_s, window.series, window.setting, (window.host if by_host)]
        end
        by_step.values.map do |same|
          next same.first if same.size == 1
          new(window: Window.sum(same.map(&:window)), covered_s: same.sum(&:covered_s))
        end
      end
    end

    # The windows of one commit, checked and spread over the tiers that must take them.
    class WindowBatch
      # No database counts further; a larger number is damage.
      MOST = (1 << 63) - 1

      # @param lengths [Array<Integer>] in seconds, of the windows that are taken
      # @raise [ArgumentError] for anything but whole windows of these lengths with setting and host
      def initialize(windows, lengths: [Tier::FINEST])
        @lengths = lengths
        windows.each { |window| check(window) }
        @windows = windows
      end

      # At most one for each tier, start, series, setting and host.
      def rows(tiers) = self.class.merge(spread(tiers))

      # At most one for each length, start, series, setting and host.
      def self.merge(windows)
        by_row = windows.group_by do |window|
          [window.seconds, window.start_s, window.series, window.setting, window.host]
        end
        by_row.values.map { |windows| Window.sum(windows) }
      end

      private

      def spread(tiers)
        @windows.flat_map do |window|
          taking = tiers.select { |tier| tier.seconds >= window.seconds && tier.takes?(window.start_s) }
          taking.map { |tier| window.with(start_s: tier.floor(window.start_s), seconds: tier.seconds) }
        end
      end

      def check(window)
        whole = @lengths.include?(window.seconds) && (window.start_s % window.seconds).zero?
        unless whole
          raise ArgumentError, "a store takes whole minutes, not #{window.seconds} s from #{window.start_s}"
        end
        unless window.setting && window.host
          raise ArgumentError, "a stored window has one setting and one host"
        end
        numbers = [window.count, window.errors, *window.sums.values]
        raise ArgumentError, "a stored window can't count to #{numbers.max}" if numbers.max > MOST
      end
    end
  end
end
