# frozen_string_literal: true

module Holdup
  # Opens a store by its URL. A store's library is loaded only when it is chosen, so code inside an
  # application may name a store without loading a database library.
  module Store
    POSTGRES = ->(url, _location, **options) { Sql.new(Sql::Postgres.new(url, **options)) }
    MYSQL = ->(url, _location, **options) { Sql.new(Sql::Mysql.new(url, **options)) }
    OPENERS = {
      "memory" => ->(_url, _location, **) { Memory.new },
      "sqlite" => ->(_url, location, **options) { Sql.new(Sql::Sqlite.new(location, **options)) },
      "postgres" => POSTGRES,
      "postgresql" => POSTGRES,
      "mysql2" => MYSQL,
      "trilogy" => MYSQL
    }.freeze
    private_constant :POSTGRES, :MYSQL

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
    def self.default_url(env, home:)
      return env["HOLDUP_STORE"] unless env["HOLDUP_STORE"].to_s.empty?
      state = env["XDG_STATE_HOME"].to_s
      state = File.join(home, ".local", "state") if state.empty?
      "sqlite://#{File.join(state, "holdup", "holdup.sqlite3")}"
    end

    # @return [String] folder of the captures: next to the store's file, else next to the default store
    def self.captures_dir(url, env, home:)
      url = default_url(env.to_h.except("HOLDUP_STORE"), home:) unless url.start_with?("sqlite:", "/", ".")
      File.join(File.dirname(url.delete_prefix("sqlite:").delete_prefix("//")), "captures")
    end

    # URL forms that users may write.
    def self.known
      ["sqlite:///path/to/file.sqlite3", "a plain path", "postgres://user@host/database",
        "mysql2://user@host/database", "trilogy://user@host/database", "memory:"]
    end

    def self.redact(url)
      url.scrub("?").sub(%r{(//[^:/@]*):[^@/]*@}, '\1:***@').gsub(/([?&]password=)[^&]*/, '\1***')
    end

    def self.split(url)
      return ["sqlite", url] unless url.valid_encoding?
      scheme, rest = url.match(/\A([a-z][a-z0-9+]+):(.*)\z/m)&.captures
      scheme ? [scheme, rest.delete_prefix("//")] : ["sqlite", url]
    end
    private_class_method :split

    # The stall of a window, to find which series stalled which: much less to read than a window.
    WindowStall = Data.define(:series, :setting, :host, :start_s, :stalled_ns, :caused_ns) do
      def self.of(window)
        new(
          series: window.series, setting: window.setting, host: window.host, start_s: window.start_s,
          stalled_ns: window.stalled_ns, caused_ns: window.caused_ns
        )
      end
    end

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
  end
end
