# frozen_string_literal: true

module Holdup
  module Stores
    # Care of a store, above all of one behind a database server: `holdup store migrate`, `status` and `copy`.
    class Command
      ACTIONS = %w[migrate status copy].freeze
      DEFAULT = "status"
      COPY_WORDS = 3
      # Statements for the least privileges, run by a test as they are.
      HELP = <<~TEXT

        migrate        makes the tables of a store, or brings them up to date
        status         what is in the store, and when each collector last wrote
        copy FROM TO   copies one store into another and compares the counts. Run
                       it again if interrupted, and once more after the collectors
                       of FROM were stopped: it goes on where it was

        One store for several hosts: give all of them the same HOLDUP_STORE, such as
          postgres://user:password@host/database   PostgreSQL 13+, gem pg
          mysql2://user:password@host/database     MySQL 8, MariaDB 10.5+, gem mysql2
          trilogy://user:password@host/database    the same, gem trilogy
          clickhouse://user:password@host:8123/database   ClickHouse 18.16+, no gem;
            over TLS clickhouse+https://user:password@host:8443/database

        Least privileges. The owner migrates, a collector writes, reports read.

        PostgreSQL, in its database, after `holdup store migrate` as its owner:
          CREATE ROLE holdup_writer LOGIN PASSWORD 'secret';
          CREATE ROLE holdup_reader LOGIN PASSWORD 'secret';
          GRANT USAGE ON SCHEMA holdup TO holdup_writer, holdup_reader;
          GRANT SELECT ON ALL TABLES IN SCHEMA holdup TO holdup_writer, holdup_reader;
          GRANT INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA holdup TO holdup_writer;
          REVOKE INSERT, UPDATE, DELETE ON holdup.schema_info FROM holdup_writer;

        MySQL and MariaDB, with an empty database, before `holdup store migrate`:
          CREATE USER holdup_owner IDENTIFIED BY 'secret';
          CREATE USER holdup_writer IDENTIFIED BY 'secret';
          CREATE USER holdup_reader IDENTIFIED BY 'secret';
          GRANT ALTER, CREATE, DROP, INDEX, REFERENCES, SELECT, INSERT,
            UPDATE, DELETE ON holdup.* TO holdup_owner;
          GRANT SELECT, INSERT, UPDATE, DELETE ON holdup.* TO holdup_writer;
          GRANT SELECT ON holdup.* TO holdup_reader;

        ClickHouse, /etc/clickhouse-server/users.d/holdup.xml. Its writer may migrate:
          <yandex>
            <profiles><holdup_reader><readonly>1</readonly></holdup_reader></profiles>
            <users>
              <holdup_writer>
                <password>secret</password><networks><ip>::/0</ip></networks>
                <profile>default</profile><quota>default</quota>
                <allow_databases><database>holdup</database></allow_databases>
              </holdup_writer>
              <holdup_reader>
                <password>secret</password><networks><ip>::/0</ip></networks>
                <profile>holdup_reader</profile><quota>default</quota>
                <allow_databases><database>holdup</database></allow_databases>
              </holdup_reader>
            </users>
          </yandex>
      TEXT

      extend CLI::CommandArguments

      OPTIONS = CLI::Options.new("holdup store migrate | status | copy FROM TO [options]",
        [CLI::Options::STORE, CLI::Options::LANGUAGE], rest: :words, mixed: true, text: HELP)

      # @param words [Array<String>] the action and its arguments; none: DEFAULT
      # @raise [UsageError]
      def initialize(console:, words:, store: nil, language: nil)
        @console = console
        words = [DEFAULT] if words.empty?
        @action, @from, @to = words
        check(words)
        @store = store
        @words = View::Words.new(language || CLI::Places.language(console.env))
      end

      # @return [Integer] exit status: 1 when the counts of a copy differ
      def run
        send(@action)
      end

      private

      def check(words)
        unless ACTIONS.include?(@action)
          raise UsageError.new("store has no action #{@action[0, 100].inspect}",
            "it is one of #{ACTIONS.join(", ")}")
        end
        expected = (@action == "copy") ? COPY_WORDS : 1
        return if words.size == expected
        raise UsageError.new("store #{@action} takes #{expected - 1} arguments, not #{words.size - 1}",
          "`holdup store --help` shows them")
      end

      def migrate
        CLI::Places.writing(@console.env, @store) do |store|
          store.migrate!
          say(:store_migrated, **store.health.slice(:location, :schema))
        end
        CLI::OK
      end

      def status
        CLI::Places.reading(@console.env, @store) do |store|
          health = store.health
          say(:store_status, location: health[:location], schema: health[:schema].to_s,
            series: health[:series].to_s, megabytes: (health[:bytes] / 1e6).ceil.to_s)
          tell_span(store, health)
          store.collector_checkpoints.each { |checkpoint| tell_collector(checkpoint) }
        end
        CLI::OK
      end

      # The oldest window may be a day long.
      def tell_span(store, health)
        return say(:store_status_empty) unless health[:oldest_s]
        span = {from_s: health[:oldest_s], to_s: health[:newest_s] + 1}
        interval = Queries::RecordedInterval.call(store, **span)
        say(:store_status_span, from: time(interval&.from_s || span[:from_s]), to: time(health[:newest_s]))
      end

      def tell_collector(checkpoint)
        age_ns = [@console.clock.realtime_ns - checkpoint.at_ns, 0].max
        age = View::Figures.rough(age_ns)
        say(:store_status_collector, host: checkpoint.host, folder: checkpoint.path, age:)
      end

      def copy
        result = copying { |copy| copy.call { |at_s, windows| pass(at_s, windows) } }
        @console.clear
        result.hosts.each do |one|
          say(one.equal? ? :store_copied_host : :store_copied_host_differs, host: one.host,
            source: one.source.to_s, copied: one.copied.to_s)
        end
        outcomes(result).each { |key| say(key, windows: result.windows.to_s, left_from: left_from(result)) }
        (result.complete? && !result.left_from_s) ? CLI::OK : CLI::FAILED
      end

      # @return [Array<Symbol>] sentences, with the cause where the counts differ
      def outcomes(result)
        differ = result.hosts.reject(&:equal?)
        said = []
        said << :store_copied_differs_source if differ.any?(&:source_changed?)
        said << :store_copied_differs_target if differ.any?(&:target_changed?)
        said << :store_copied if said.empty? && !result.left_from_s
        said << :store_copied_left if result.left_from_s
        said
      end

      def left_from(result) = result.left_from_s ? time(result.left_from_s) : ""

      def copying
        source = Store.open(@from, read_only: true)
        target = Store.open(@to)
        yield Copy.new(from: source, to: target, name: Store.redact(@from),
          now_s: @console.clock.realtime_s)
      ensure
        [source, target].each { |store| store&.close }
      end

      def pass(at_s, windows)
        @console.pass(@words.call(:store_copying, at: time(at_s), windows: windows.to_s))
      end

      def say(key, **) = @console.out.puts(@words.call(key, **))

      def time(second) = Time.at(second).strftime("%F %H:%M")
    end
  end
end
