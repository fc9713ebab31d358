# frozen_string_literal: true

require "etc"

module Holdup
  class CLI
    # How many threads, processes and job slots: keep, change, or can't say, with the evidence.
    class Advise
      def self.options(console)
        Arguments.new(console.clock.realtime_s)
      end

      # @param queue [String, nil] of jobs: sizes the processes that serve it
      # @param objective [Symbol, nil] nil: latency for requests, throughput for jobs
      # @param memory [Integer, nil] bytes of a host
      # @param format [Symbol] :text, :json, :markdown, :html
      # @param verify [String, nil] file of an earlier advice, which is then compared with later measurements
      # @param out [String, nil] file that it is written to
      # @param save [String, nil] file for `--verify`, in addition to the output
      # @param full [Boolean] whether a text has all tables, not only one screen
      # @param wide [Boolean] whether a text cuts no name
      # @param prices [Sizing::CheapestFleet::FleetPrices, nil] nil: fleets are not compared
      # @param given [Hash{String => String}] options that choose the advice, as they were given
      # @param fresh [Boolean] whether it is computed even if the store keeps the answer
      # @param keep [Boolean] computes for the store what is due, instead
      # @raise [UsageError] the objective is throughput of requests: users decide how many arrive
      def initialize(console:, from_s:, to_s:, kind: :request, queue: nil, slo: Sizing::Slo.new,
        objective: nil, factor: 1.0, vcpus: nil, memory: nil, connections: nil, format: :text,
        limit: Arguments::ROWS, warm_up_s: WARM_UP_S, verify: nil,
        origin: Queries::Origin.new, out: nil, save: nil, store: nil, language: nil,
        within_s: Sizing::JobDeadlines::WITHIN_S, prices: nil, full: false, wide: false, given: {},
        fresh: false, keep: false)
        if objective == :throughput && kind == :request
          raise UsageError.new("--objective throughput is for jobs",
            "add --kind job; requests arrive by themselves")
        end
        @console = console
        @span = {from_s:, to_s:}
        objective ||= (kind == :job) ? :throughput : :latency
        @sizing = {
          kind:,
          factor:,
          objective: Sizing::Objective.new(objective, slo:),
          given: {vcpus:, memory_limit_bytes: memory, connections:},
          warm_up_s:
        }
        @queue = queue
        @verify = verify
        @format = format
        @destination = Formats::Destination.new(console, file: out, format:)
        @save = Formats::Destination.new(console, file: save, option: "--save") if save
        @limit = limit
        @within_s = within_s
        @prices = prices || prices_of(console.env)
        @full = full
        @wide = wide
        @given = given
        @fresh = fresh
        @keep = keep
        @origin = origin
        @store = store
        @words = View::Words.new(language || Places.language(console.env))
      end

      def run
        return verification.run if @verify
        return keeping.run if @keep
        kept = @fresh ? nil : kept_answer
        kept ? write_kept(kept) : write(*compute)
        OK
      end

      # @param store [Store::Sql]
      # @return [View::KeptAdvice, nil] of the same advice in all forms and languages; nil if nothing was
      #   recorded for it
      def kept(store)
        began_ns = @console.clock.monotonic_ns
        sized, findings = answer(*read(Queries::RequestCache.new(store)))
        return unless sized.recommendation
        json = json(sized, findings)
        took_s = (@console.clock.monotonic_ns - began_ns) / 1_000_000_000
        View::KeptAdvice.of(at_s: @console.clock.realtime_s, took_s:, json:) do |form, words|
          options = {words:, **options(sized)}
          options[:given] = @given if form <= View::Advice::AdviceScreen
          form.new(sized, findings, **options)
        end
      end

      # @return [View::KeptAdvice::AdviceQuestion]
      def question
        asked = @sizing.slice(:kind, :objective, :factor, :warm_up_s)
        limit = @limit unless @limit == Arguments::ROWS
        View::KeptAdvice::AdviceQuestion.of(span: @span[:from_s]..@span[:to_s], prices: @prices,
          queue: @queue, within_s: @within_s, limit:, **asked, **@sizing[:given], **@origin.limits)
      end

      private

      def keeping
        KeepingAdvice.new(console: @console, store: @store, format: @format, words: @words)
      end

      # @return [View::KeptAdvice, nil]
      def kept_answer
        now_s = @console.clock.realtime_s
        return unless (now_s - @span[:to_s]).between?(0, 1)
        Places.reading(@console.env, @store) { |store| question.find(store, now_s) }
      end

      def write_kept(kept)
        @save&.write(kept.json)
        @destination.write((@format == :json) ? kept.json : rendered_kept(kept))
      end

      def rendered_kept(kept)
        now_s = @console.clock.realtime_s
        if @format == :text && !@full
          screen = kept.screen(@words, now_s:, options: @given.slice("--store"))
          return Formats.screen(screen, console: @console, wide: @wide)
        end
        Formats.render(kept.report(@words, now_s:), format: @format, console: @console, words: @words,
          wide: @wide)
      end

      # @return [Array(Queries::SizingInputs, Array<Finding>)]
      def compute
        inputs = Places.reading(@console.env, @store, origin: @origin) do |store|
          read(Queries::RequestCache.new(store))
        end
        answer(*inputs)
      end

      def answer(sized, pool)
        [sized, Advice.call(situation(sized, pool))]
      end

      # @return [Array(Queries::SizingInputs, Object)] and the pool of the queue
      def read(store)
        owner = @queue && Queries::SizingInputs::QueueOwner.new(store, **@span, queue: @queue)
        pool = owner&.pool
        inputs = Queries::SizingInputs.new(store, **@span, **@sizing, setting: owner&.setting, pool:,
          cpus: Etc.nprocessors)
        [inputs, pool]
      end

      def situation(sized, pool)
        lines = SourceLines.new
        Advice::Situation.new(
          summary: sized.summary,
          recommendation: sized.recommendation,
          levers: Advice::ServerLevers.new(sized.lately, lines:),
          pool:,
          files: lines.method(:all)
        )
      end

      # One read serves both outputs, because a collector may write to the store between two reads.
      def write(sized, findings)
        @save&.write(json(sized, findings))
        @destination.write((@format == :json) ? json(sized, findings) : rendered(sized, findings))
      end

      def verification
        Verify.new(console: @console, file: @verify, **@span, format: @format, store: @store,
          words: @words)
      end

      def rendered(sized, findings)
        options = {words: @words, **options(sized)}
        if @format == :text && !@full
          screen = View::Advice::AdviceScreen.new(sized, findings, given: @given, **options)
          return Formats.screen(screen, console: @console, wide: @wide)
        end
        advice = View::Advice.new(sized, findings, **options)
        Formats.render(advice.page, format: @format, console: @console, words: @words, wide: @wide)
      end

      def options(sized)
        {span:, kind: @sizing[:kind], limit: @limit, again:, within_s: @within_s, fleet: fleet(sized)}
      end

      def json(sized, findings)
        View::JsonAdvice.new(sized.recommendation, findings, within_s: @within_s, fleet: fleet(sized),
          **@span, **@sizing.slice(:kind, :warm_up_s), **@origin.limits).call
      end

      def prices_of(env)
        prices = Configuration.build(env: Configuration.readable(env)).prices
        prices && Sizing::CheapestFleet::FleetPrices.of(prices)
      end

      # One for all outputs, because its replays take seconds.
      def fleet(sized)
        @fleet ||= @prices && Sizing::CheapestFleet.new(sized.recommendation, prices: @prices)
      end

      def span = Options::SizingOptions.span_text(**@span)

      def again
        Options::SizingOptions.again(**@span, origin: @origin, store: @store)
      end

      # Computes what the store is to keep ready, one answer at a time: that which has been due for longest. A
      # collector runs this now and then.
      class KeepingAdvice
        SPANS_S = {"24h" => 86_400, "30d" => 30 * 86_400}.freeze
        KINDS = %i[request job].freeze

        # `since`: a key of SPANS_S; `due_s`: second since which it is
        KeptQuestion = Data.define(:since, :kind, :advise, :due_s)
        private_constant :KeptQuestion

        # @param format [Symbol] :text, :json
        def initialize(console:, store:, format:, words:)
          @console = console
          @store = store
          @format = format
          @words = words
        end

        def run
          Places.writing(@console.env, @store) do |store|
            first, second = questions(store).sort_by.with_index { |question, index| [question.due_s, index] }
            keep(first, store) if first.due_s <= now_s
            write(first, next_s: second.due_s)
          end
          OK
        end

        private

        def now_s = @console.clock.realtime_s

        def questions(store)
          to_s = now_s
          SPANS_S.to_a.product(KINDS).map do |(since, seconds), kind|
            given = {"--since" => since, "--kind" => kind.name}
            given.delete("--kind") if kind == KINDS.first
            advise = Advise.new(console: @console, from_s: to_s - seconds, to_s:, kind:, given:)
            KeptQuestion.new(since:, kind:, advise:, due_s: advise.question.due_s(store))
          end
        end

        # An empty text says that nothing was recorded, or that it failed: the others have their turn first.
        def keep(question, store)
          write_answer(question, store, question.advise.kept(store).to_s)
        rescue
          write_answer(question, store, "")
          raise
        end

        def write_answer(question, store, text)
          key = question.advise.question.key
          store.keep_answer(Store::KeptAnswer.new(question: key, at_s: now_s, text:))
        end

        def write(question, next_s:)
          kept = question.due_s <= now_s
          next_s = [next_s, kept ? question.advise.question.next_s(now_s) : question.due_s].min
          text = (@format == :json) ? json(question, kept, next_s) : sentence(question, kept, next_s)
          @console.out.write("#{text}\n")
        end

        def json(question, kept, next_s)
          {kept: kept ? question.to_h.slice(:since, :kind) : nil, next_s:}.to_json
        end

        def sentence(question, kept, next_s)
          done = @words.call(:advice_keep_none)
          if kept
            done = @words.call(:advice_keep_done, kind: @words.units(question.kind), span: question.since)
          end
          rest_s = next_s - now_s
          return @words.call(:advice_keep_more, done:) unless rest_s.positive?
          @words.call(:advice_keep_next, done:, rest: View::Figures.rough(rest_s * 1_000_000_000))
        end
      end

      # The arguments of `holdup advise`: which recording, within which limits, and what counts as better.
      class Arguments
        ROWS = 14
        FORMATS = %i[text json markdown html].freeze
        OBJECTIVES = %i[latency cost balanced throughput].freeze
        # Options that other commands need to look at the same data, and those of the question.
        GIVEN = %w[--since --until --store --app --host --role --revision --kind --queue --slo --objective
          --load --vcpus --memory --db-connections --within --warm-up --prices].freeze
        # Options of an advice that its verification does not take.
        ASKED = %i[slo kind origin queue objective factor vcpus memory connections limit out save
          within_s prices].freeze
        # Options that `--keep` takes.
        KEEPING = %i[keep store format language].freeze

        def initialize(now_s)
          @now_s = now_s
        end

        # @return [Hash{Symbol => Object}] the keywords of Advise
        # @raise [UsageError] an option can't be read or contradicts another
        def parse(argv)
          options = Options.new("holdup advise [options]") { |parser, read| declare(parser, read) }
          values = options.parse(argv)
          return values if values.key?(:help)
          check(values)
          kind = values.key?(:queue) ? {kind: :job} : {}
          # Rows are of a table that the screen does not have.
          full = values.key?(:full) || values.key?(:limit)
          {**values.except(:since, :until), **span(values), **kind, full:, given: Options.given(argv, GIVEN)}
        end

        private

        def span(values)
          return {from_s: values[:since], to_s: values.fetch(:until, @now_s)} if values.key?(:verify)
          Options::SizingOptions.span_of(values, @now_s)
        end

        def check(values)
          check_keep(values) if values.key?(:keep)
          check_verify(values)
          if values.key?(:queue) && values[:kind] == :request
            raise UsageError.new("--queue is for jobs", "leave out --kind request")
          end
          if values.key?(:within_s) && values[:kind] != :job && !values.key?(:queue)
            raise UsageError.new("--within is for jobs", "add --kind job")
          end
        end

        # The advice's file already holds these options.
        def check_verify(values)
          given = values.keys & ASKED
          given << :html if values[:format] == :html
          return unless values.key?(:verify) && given.any?
          raise UsageError.new("--verify can't be combined with #{options(given)}",
            "leave them out: the saved advice has them")
        end

        def check_keep(values)
          given = values.keys - KEEPING
          return if given.empty?
          raise UsageError.new("--keep can't be combined with #{options(given)}",
            "leave them out: it computes what every collector keeps")
        end

        def options(keys)
          keys.map { |key| "--#{key.to_s.delete_suffix("_s").tr("_", "-")}" }.join(", ")
        end

        def declare(parser, values)
          Options::SizingOptions.declare(parser, values, @now_s)
          parser.on("--queue NAME", "of jobs: size what serves that queue") { |text| values[:queue] = text }
          parser.on("--objective WHAT", "latency, cost, balanced; jobs: throughput") do |text|
            values[:objective] = Queries::OptionValues.choice("--objective", text, OBJECTIVES)
          end
          parser.on("--within TIME", "of jobs: in which they are to begin (300s)") do |text|
            values[:within_s] = [Queries::OptionValues.duration("--within", text) / 1_000_000_000, 1].max
          end
          parser.on("--prices WHAT", "vcpu=0.04,gb=0.005: an hour of each; compares fleets") do |text|
            values[:prices] = Options::SizingOptions.prices(text)
          end
          parser.on("--load FACTOR", "x1.3: for so much of the recorded load") do |text|
            values[:factor] = Queries::OptionValues.factor("--load", text)
          end
          parser.on("--memory SIZE", "limit of a host: 512M, 2G") do |text|
            values[:memory] = Options::SizingOptions.bytes("--memory", text)
          end
          parser.on("--db-connections N", "that the database server has for this app") do |text|
            values[:connections] = Queries::OptionValues.whole("--db-connections", text, 1..1_000_000)
          end
          declare_output(parser, values)
        end

        def declare_output(parser, values)
          Formats.declare_screen(parser, values)
          parser.on("--limit N", "with all tables: rows of settings (#{ROWS})") do |text|
            values[:limit] = Queries::OptionValues.whole("--limit", text, 4..10_000)
          end
          Formats.declare(parser, values, FORMATS)
          parser.on("--out FILE", "write it there") { |text| values[:out] = text }
          parser.on("--save FILE", "also save it there for --verify") { |text| values[:save] = text }
          parser.on("--fresh", "compute it, even if the store keeps the answer") { values[:fresh] = true }
          parser.on("--keep", "compute what collectors keep in the store, where due") { values[:keep] = true }
          parser.on("--verify FILE", "what --save kept: has it come true since?") do |text|
            values[:verify] = text
          end
        end
      end

      # Shows the line of a configuration file that sets something, such as "config/puma.rb:12". The place
      # comes from a store, which is not trusted, so it reads only files below the working directory and
      # returns one short line.
      class SourceLines
        PLACE = /\A([^:]+):(\d{1,6})\z/
        LONGEST = 200
        MOST = 2000

        def initialize(root: Dir.pwd)
          @root = File.realpath(root)
        end

        # @param place [String] "config/puma.rb:12"
        def call(place)
          match = PLACE.match(place)
          file = match && inside(match[1])
          return unless file
          line = File.foreach(file, encoding: "UTF-8").lazy.drop(match[2].to_i - 1).first
          line.scrub.chomp if line && line.size <= LONGEST
        rescue SystemCallError, ArgumentError # line 0
          nil
        end

        # @param path [String] below the folder
        # @return [Array<String>] its lines; empty if the file can't be read
        def all(path)
          file = inside(path)
          return [] unless file
          File.foreach(file, encoding: "UTF-8").first(MOST).map { |line| line.scrub.chomp }
        rescue SystemCallError
          []
        end

        private

        def inside(path)
          file = File.realpath(path, @root)
          file if file.start_with?("#{@root}/") && File.file?(file)
        end
      end
    end
  end
end
