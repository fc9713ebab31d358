# frozen_string_literal: true

require "json"

module Holdup
  module Lab
    # A gate for CI: did an endpoint get worse? The number of GVL acquisitions may not grow; the time it holds
    # the GVL and the predicted p95 may grow by a tolerance.
    class Check
      # One figure of one endpoint. `key`: a member of Endpoints::EndpointFigures; `limit`: largest value that
      # passes
      CheckRow = Data.define(:name, :key, :before, :after, :limit) do
        def worse? = after > limit

        # @return [Float, nil] growth as a share; nil if it was 0 before
        def change
          before.zero? ? nil : after / before.to_f - 1
        end

        def figures
          {before:, after:, limit:, worse: worse?}
        end
      end

      KEYS = %i[acquisitions longest_hold_ns p95_ns].freeze
      COUNTS = %i[acquisitions].freeze

      # @param endpoints [Hash{String => Endpoints::EndpointFigures}] current figures
      def initialize(baseline, endpoints, tolerance:)
        @before = baseline.endpoints
        @after = endpoints
        @tolerance = tolerance
      end

      # @return [Array<CheckRow>] for endpoints on both sides with enough requests
      def rows
        @rows ||= comparable.flat_map { |name| KEYS.map { |key| row(name, key) } }
      end

      def worse = rows.select(&:worse?)

      # @return [Boolean] whether the gate passes
      def passed? = worse.empty?

      # @return [Array<String>] endpoints missing in the baseline
      def added = @after.keys - @before.keys

      # @return [Array<String>] endpoints that only the baseline has
      def gone = @before.keys - @after.keys

      # @return [Array<String>] endpoints with too few requests on one side
      def thin = (@before.keys & @after.keys) - comparable

      def to_h
        endpoints = rows.group_by(&:name).transform_values { |own| own.to_h { |row| [row.key, row.figures] } }
        {passed: passed?, tolerance: @tolerance, added:, gone:, too_few: thin, endpoints:}
      end

      private

      def comparable
        @before.keys.select { |name| @before[name].enough? && @after[name]&.enough? }
      end

      def row(name, key)
        before = @before[name].public_send(key)
        after = @after[name].public_send(key)
        limit = COUNTS.include?(key) ? before : (before * (1 + @tolerance)).round
        CheckRow.new(name:, key:, before:, after:, limit:)
      end

      # Each endpoint's reference figures, in a file that is committed with the code.
      class Baseline
        SCHEMA = 1
        KIND = "holdup check"

        # @return [Endpoints::ReferenceLoad] load of the predicted p95
        attr_reader :load

        attr_reader :endpoints

        # @raise [Holdup::Error] the file can't be read, or has another format
        def self.open(path)
          hash = JSON.parse(File.read(path), symbolize_names: true)
          raise damaged(path) unless hash.is_a?(Hash) && hash.values_at(:kind, :schema) == [KIND, SCHEMA]
          endpoints = hash.fetch(:endpoints).to_h do |name, figures|
            [name.to_s, Endpoints::EndpointFigures.new(**figures)]
          end
          new(Endpoints::ReferenceLoad.new(**hash.fetch(:load)), endpoints)
        rescue JSON::ParserError, KeyError, ArgumentError, TypeError
          raise damaged(path)
        rescue SystemCallError => error
          raise Error.new("the baseline #{path} can't be read (#{error.message})", "make it with --write")
        end

        def self.damaged(path)
          Error.new("#{path} is not a baseline of this version", "write a new one with --write")
        end
        private_class_method :damaged

        def initialize(load, endpoints)
          @load = load
          @endpoints = endpoints
        end

        # @raise [Holdup::Error]
        def write(path)
          figures = endpoints.transform_values(&:to_h)
          content = {kind: KIND, schema: SCHEMA, load: load.to_h, endpoints: figures}
          File.write(path, "#{JSON.pretty_generate(content)}\n")
        rescue SystemCallError => error
          raise Error.new("the baseline can't be written to #{path} (#{error.message})",
            "name another file with --baseline")
        end
      end

      # Reads a check's figures from a sweep's file or a time span of a store.
      module Sources
        module_function

        # @param load [Endpoints::ReferenceLoad, nil] must be part of the sweep; nil: its baseline at the
        #   lowest rate
        # @raise [Holdup::Error]
        def sweep(path, load: nil)
          ledger = Sweep::ProgressFile.open(path)
          readings = ledger.readings
          readings = readings.select { |reading| reading.arm.setting == ledger.plan.baseline } unless load
          load ||= readings.min_by(&:rate)&.load
          same = readings.select { |reading| reading.load == load }
          raise unmeasured(path, load) if same.empty?
          Baseline.new(load, middle(same.map(&:endpoints)))
        end

        def unmeasured(path, load)
          place = load ? " at #{load.to_h.map { |name, value| "#{name} #{value}" }.join(", ")}" : ""
          Error.new("#{path} measured nothing#{place}",
            "sweep the setting and rate of the baseline, or write a new one with --write")
        end

        # @param load [Endpoints::ReferenceLoad, nil] nil: as it was recorded
        # @raise [Holdup::Error] there is nothing
        def store(store, from_s, to_s, load: nil)
          recording = Advise::Sizing::Recording.of(kind: :request, windows: store.windows(from_s, to_s).to_a,
            unit_samples: store.unit_samples(from_s, to_s).to_a, warm_up_s: 0)
          if recording.figures.unit_samples.empty?
            raise Error.new("no single requests were recorded in that span",
              "choose another with --since and --until")
          end
          endpoints = Endpoints.new(recording, load:)
          Baseline.new(endpoints.load, endpoints.to_h)
        end

        # The median round, for each figure separately.
        def middle(rounds)
          rounds.flat_map(&:keys).uniq.sort.to_h do |name|
            own = rounds.filter_map { |endpoints| endpoints[name] }
            middle = (own.size - 1) / 2
            figures = Endpoints::EndpointFigures.members.to_h { |key| [key, own.map(&key).sort[middle]] }
            [name, Endpoints::EndpointFigures.new(**figures)]
          end
        end
        private_class_method :middle, :unmeasured
      end

      # A check's result as a page: the verdict, what got worse and why, and all figures.
      class Report
        COLUMNS = {acquisitions: :count, longest_hold_ns: :duration, p95_ns: :duration}.freeze
        WORSE = "!"

        def initialize(check, tolerance:, words: View::Words.new)
          @check = check
          @tolerance = tolerance
          @words = words
        end

        # @return [View::Page]
        def page
          View::Page.new(title: word(:title),
            blocks: [verdict, View::Blocks::Notes.new(texts: reasons, warning: true), remarks, *table])
        end

        private

        def verdict
          passed = word(:passed, count: names.size)
          return View::Blocks::Lead.new(text: passed, level: :good) if @check.passed?
          worse = list(@check.worse.map(&:name).uniq)
          View::Blocks::Lead.new(text: word(:failed, names: worse), level: :fail)
        end

        # What got worse of each endpoint.
        def reasons
          @check.worse.group_by(&:name).map do |name, rows|
            word(:worse, name: View::Width.clean(name), figures: figures(rows))
          end
        end

        # The cause is in other endpoints if only the p95 grew.
        def figures(rows)
          figures = rows.map { |row| word(:"worse_#{row.key}", **formatted(row)) }.join("; ")
          (rows.map(&:key) == [:p95_ns]) ? word(:worse_by_others, figures:) : figures
        end

        # @return [Hash{Symbol => String}] before and after
        def formatted(row)
          format = View::Figures.method(COLUMNS.fetch(row.key))
          {before: format.call(row.before), after: format.call(row.after)}
        end

        def remarks
          endpoints = {added: @check.added, gone: @check.gone, thin: @check.thin}
          known = endpoints.reject { |_, names| names.empty? }
          texts = known.map { |key, names| word(key, names: list(names), fewest: Endpoints::FEWEST) }
          View::Blocks::Notes.new(texts:)
        end

        def table
          return [] if names.empty?
          note = word(:note, tolerance: View::Figures.share(@tolerance))
          [View::Section.new(title: "", columns:, rows: names.map { |name| row(name) }, notes: [note])]
        end

        def columns
          figures = [word(:acquisitions), word(:longest_hold), "p95"]
          [word(:endpoint), *figures.flat_map { |title| [title, word(:was)] }]
        end

        def row(name)
          own = @check.rows.select { |row| row.name == name }
          [View::Width.clean(name), *own.flat_map { |row| cells(row) }]
        end

        def cells(row)
          figures = formatted(row)
          ["#{figures[:after]}#{WORSE if row.worse?}", figures[:before]]
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
