# frozen_string_literal: true

module Holdup
  # Opens a store by its URL. A store's library is loaded only when that store is chosen, so the in-app half
  # may name one without loading a database library.
  module Store
    OPENERS = {
      "memory" => ->(_location, **) { Memory.new },
      "sqlite" => ->(location, **options) { Sql.new(Sql::Sqlite.new(location, **options)) }
    }.freeze

    # @param url [String] "sqlite:///abs/path.sqlite3", a plain path, or "memory:"
    # @param read_only [Boolean] for reports: creates nothing, writes nothing, never waits for the collector
    # @raise [StoreError] when it can't be opened
    def self.open(url, read_only: false)
      scheme, location = split(url)
      opener = OPENERS[scheme]
      raise StoreError::UnknownScheme.new(location: redact(url), known:) unless opener
      opener.call(location, read_only:)
    end

    def self.default_url(env, home:)
      return env["HOLDUP_STORE"] unless env["HOLDUP_STORE"].to_s.empty?
      state = env["XDG_STATE_HOME"].to_s
      state = File.join(home, ".local", "state") if state.empty?
      "sqlite://#{File.join(state, "holdup", "holdup.sqlite3")}"
    end

    # @param env [Hash{String => String}]
    # Folder of the captures: next to the store where that is a file, else next to the default store.
    def self.captures_dir(url, env, home:)
      url = default_url(env.to_h.except("HOLDUP_STORE"), home:) unless url.start_with?("sqlite:", "/", ".")
      File.join(File.dirname(url.delete_prefix("sqlite:").delete_prefix("//")), "captures")
    end

    # Forms that a URL may have.
    def self.known
      ["sqlite:///path/to/file.sqlite3", "a plain path", "memory:"]
    end

    def self.redact(url)
      url.scrub("?").sub(%r{(//[^:/@]*):[^@/]*@}, '\1:***@')
    end

    def self.split(url)
      return ["sqlite", url] unless url.valid_encoding?
      scheme, rest = url.match(/\A([a-z][a-z0-9+]+):(.*)\z/m)&.captures
      scheme ? [scheme, rest.delete_prefix("//")] : ["sqlite", url]
    end
    private_class_method :split
  end
end
