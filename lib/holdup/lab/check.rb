# frozen_string_literal: true

require "json"

module Holdup
  module Lab
    # A gate for CI: did an endpoint get worse? How often it takes the GVL is a count and compared as it is;
    # how long it holds it, and the p95 that follows from all of it, may differ by a tolerance.
    class Check
      # One figure of one endpoint. `key`: a member of Endpoints::Figures; `limit`: the most that is still all
      # right
      Row = Data.define(:name, :key, :before, :after, :limit) do
        # @return [Boolean]
        def worse? = after > limit

        # @return [Float, nil] share by which it grew; nil where there was nothing before
        def change
          before.zero? ? nil : after / before.to_f - 1
        end
      end

      KEYS = %i[acquisitions longest_hold_ns p95_ns].freeze
      COUNTS = %i[acquisitions].freeze

      # @param baseline [Baseline]
      # @param endpoints [Hash{String => Endpoints::Figures}] as they are now
      # @param tolerance [Float]
      def initialize(baseline, endpoints, tolerance:)
        @before = baseline.endpoints
        @after = endpoints
        @tolerance = tolerance
      end

      # @return [Array<Row>] of the endpoints that both have, with requests enough
      def rows
        @rows ||= comparable.flat_map { |name| KEYS.map { |key| row(name, key) } }
      end

      # @return [Array<Row>]
      def worse = rows.select(&:worse?)

      # @return [Boolean] whether the gate opens
      def passed? = worse.empty?

      # @return [Array<String>] endpoints that the baseline doesn't have
      def added = @after.keys - @before.keys

      # @return [Array<String>] endpoints that only the baseline has
      def gone = @before.keys - @after.keys

      # @return [Array<String>] endpoints with too few requests on one side
      def thin = (@before.keys & @after.keys) - comparable

      # @return [Hash] for programs
      def to_h
        {passed: passed?, tolerance: @tolerance, added:, gone:, too_few: thin,
         endpoints: rows.group_by(&:name).transform_values { |own| own.to_h { |row| [row.key, {before: row.before, after: row.after, limit: row.limit, worse: row.worse?}] } }}
      end

      private

      def comparable
        @before.keys.select { |name| @before[name].enough? && @after[name]&.enough? }
      end

      def row(name, key)
        before, after = [@before, @after].map { |side| side[name].public_send(key) }
        Row.new(name:, key:, before:, after:,
          limit: COUNTS.include?(key) ? before : (before * (1 + @tolerance)).round)
      end

      # The figures of each endpoint that a check compares with, in a file that is committed beside the code.
      class Baseline
        SCHEMA = 1
        KIND = "holdup check"

        # @return [Endpoints::Reference] for which p95 was predicted
        attr_reader :load

        # @return [Hash{String => Endpoints::Figures}]
        attr_reader :endpoints

        # @param path [String]
        # @return [Baseline]
        # @raise [Holdup::Error] it can't be read, or is none
        def self.open(path)
          hash = JSON.parse(File.read(path), symbolize_names: true)
          raise damaged(path) unless hash.is_a?(Hash) && hash.values_at(:kind, :schema) == [KIND, SCHEMA]
          new(Endpoints::Reference.new(**hash.fetch(:load)),
            hash.fetch(:endpoints).to_h { |name, figures| [name.to_s, Endpoints::Figures.new(**figures)] })
        rescue JSON::ParserError, KeyError, ArgumentError, TypeError
          raise damaged(path)
        rescue SystemCallError => error
          raise Error.new("the baseline #{path} can't be read (#{error.message})", "make it with --write")
        end

        def self.damaged(path)
          Error.new("#{path} is no baseline of this version", "make it anew with --write")
        end
        private_class_method :damaged

        # @param load [Endpoints::Reference]
        # @param endpoints [Hash{String => Endpoints::Figures}]
        def initialize(load, endpoints)
          @load = load
          @endpoints = endpoints
        end

        # @param path [String]
        # @return [void]
        # @raise [Holdup::Error]
        def write(path)
          File.write(path,
            "#{JSON.pretty_generate(kind: KIND, schema: SCHEMA, load: load.to_h,
              endpoints: endpoints.transform_values(&:to_h))}\n")
        rescue SystemCallError => error
          raise Error.new("the baseline can't be written to #{path} (#{error.message})",
            "name another file with --baseline")
        end
      end

      # Where a check's figures come from: a sweep's file, or a span of a store.
      module Sources
        module_function

        # @param path [String]
        # @param load [Endpoints::Reference, nil] that the sweep must have tried; nil: its baseline at the
        #   lowest rate
        # @return [Baseline]
        # @raise [Holdup::Error]
        def sweep(path, load: nil)
          readings = Sweep::ProgressFile.open(path).then { |ledger| load ? ledger.readings : ledger.readings.select { |reading| reading.arm.setting == ledger.plan.baseline } }
          load ||= readings.min_by(&:rate)&.load
          same = readings.select { |reading| reading.load == load }
          if same.empty?
            raise Error.new(
              "#{path} measured nothing #{"at #{load.to_h.map { |pair| pair.join(" ") }.join(", ")}" if load}".strip, "sweep the setting and rate of the baseline, or make it anew with --write"
            )
          end
          Baseline.new(load, middle(same.map(&:endpoints)))
        end

        # @param store [Store::Sql]
        # @param from_s [Integer]
        # @param to_s [Integer]
        # @param load [Endpoints::Reference, nil] nil: as it was recorded
        # @return [Baseline]
        # @raise [Holdup::Error] there is nothing
        def store(store, from_s, to_s, load: nil)
          recording = Sizing::Recording.new(windows: store.windows(from_s, to_s).to_a,
            profiles: store.profiles(from_s, to_s).to_a, warm_up_s: 0)
          if recording.profiles.empty?
            raise Error.new("no single requests were recorded in that span",
              "choose another with --since and --until")
          end
          endpoints = Endpoints.new(Sizing::Observation.new(recording, kind: :request), load:)
          Baseline.new(endpoints.load, endpoints.to_h)
        end

        # Of several rounds the middle one, figure by figure.
        def middle(all)
          all.flat_map(&:keys).uniq.sort.to_h do |name|
            own = all.filter_map { |endpoints| endpoints[name] }
            [name,
              Endpoints::Figures.new(**Endpoints::Figures.members.to_h { |key|
                [key,
                  own.map(&key).sort[(own.size - 1) / 2]]
              })]
          end
        end
        private_class_method :middle
      end

      # A check's result for a terminal, a pipe, or the log of a CI run: the verdict, what got worse and why,
      # and all figures.
      class Text
        COLUMNS = {acquisitions: :count, longest_hold_ns: :duration, p95_ns: :duration}.freeze
        WORSE = "!"

        # @param check [Check]
        # @param tolerance [Float]
        # @param words [View::Words]
        # @param width [Integer] columns
        # @param table_width [Numeric] columns of tables; Layout::WHOLE: no name is cut
        # @param style [View::Style]
        def initialize(check, tolerance:, words: View::Words.new, width: 80, table_width: width, style: View::Style.none)
          @check = check
          @tolerance = tolerance
          @words = words
          @layout = View::Layout.new(width:, style:, table_width:)
        end

        # @return [String] ends with a newline
        def call
          "#{[*@layout.lines(verdict, @check.passed? ? :green : :red), *worse, *remarks, *table].join("\n")}\n"
        end

        private

        def verdict
          @check.passed? ? word(:passed,
            count: names.size) : word(:failed, names: list(@check.worse.map(&:name).uniq))
        end

        def worse
          @check.worse.group_by(&:name).flat_map { |name, rows| @layout.warning(word(:worse, name: View::Width.clean(name), figures: figures(rows))) }
        end

        # Where only the p95 grew, the endpoint is not the one to look at.
        def figures(rows)
          said = rows.map { |row| word(:"worse_#{row.key}", **told(row)) }.join("; ")
          (rows.map(&:key) == [:p95_ns]) ? word(:worse_by_others, figures: said) : said
        end

        def told(row)
          %i[before after].to_h { |side| [side, View::Figures.public_send(COLUMNS.fetch(row.key), row.public_send(side))] }
        end

        def remarks
          {added: @check.added, gone: @check.gone,
           thin: @check.thin}.reject { |_, some| some.empty? }.flat_map { |key, some|
            @layout.lines(word(key, names: list(some), fewest: Endpoints::FEWEST))
          }
        end

        def table
          return [] if names.empty?
          section = View::Section.new(title: "", columns:, rows: names.map { |name| row(name) })
          ["", *@layout.table(section), *@layout.lines(word(:note, tolerance: View::Figures.share(@tolerance)))]
        end

        def columns
          [word(:endpoint),
            *[word(:acquisitions), word(:longest_hold), "p95"].flat_map { |title| [title, word(:was)] }]
        end

        def row(name)
          [View::Width.clean(name),
            *@check.rows.select { |row| row.name == name }.flat_map { |row| cells(row) }]
        end

        def cells(row)
          before, after = told(row).values_at(:before, :after)
          ["#{after}#{WORSE if row.worse?}", before]
        end

        def names = @check.rows.map(&:name).uniq

        def list(names)
          names.map { |name| View::Width.clean(name) }.join(", ")
        end

        def word(key, **facts)
          @words.call(:"check_#{key}", **facts)
        end
      end
    end
  end
end
