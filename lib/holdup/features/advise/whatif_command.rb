# frozen_string_literal: true

require "etc"

module Holdup
  module Advise
    # Predicts the effect of a change: before and after side by side, at the peak of the recording.
    class WhatifCommand
      extend CLI::CommandArguments

      THREADS = (1..1000)

      # A name and a value: "Orders*=30%". A name may contain "=". `value`: the type of the value
      NamedType = Data.define(:value, :example) do
        include Queries::OptionTypes::Plain

        # @return [Hash{String => Object}]
        def read(option, text, now_s)
          match = self.class::NAMED.match(text)
          unless match
            raise UsageError.new("#{option} can't be #{text[0, 100].inspect}",
              "it takes a name and a value, such as #{example}")
          end
          {match[1] => value.read(option, match[2], now_s)}
        end

        def add(earlier, named) = {**earlier.to_h, **named}
      end
      NamedType::NAMED = /\A(.+)=([^=]*)\z/m

      # A name, and what serves it. 1x2: separate processes; 2: threads in the same process.
      OwnPoolType = Data.define do
        include Queries::OptionTypes::Plain

        def read(option, text, _now_s)
          name, size = NamedType::NAMED.match(text)&.captures || [text, nil]
          if self.class::ALONE.match?(size.to_s)
            return Sizing::WhatIf::OwnThreads.new(name:, threads: whole(option, size))
          end
          return Sizing::WhatIf::OwnPool.new(name:) unless size
          match = self.class::SIZE.match(size)
          unless match
            raise UsageError.new("#{option} can't be #{text[0, 100].inspect}",
              "it takes a name and processes x threads, such as Reports*=1x2, " \
              "or for jobs threads in the same process: =2")
          end
          processes, threads = match.captures.map { |number| whole(option, number) }
          Sizing::WhatIf::OwnPool.new(name:, processes:, threads:)
        end

        private

        def whole(option, text) = Queries::OptionValues.whole(option, text, THREADS)
      end
      OwnPoolType::SIZE = /\A(\d+)x(\d+)\z/
      OwnPoolType::ALONE = /\A\d+\z/

      # The options of a change. Their keys are those of Sizing::WhatIf::WhatIfChange.
      CHANGES = [
        Queries::Option.whole("--threads N", THREADS, "so many in each process", tool: "in each process"),
        Queries::Option.whole("--processes P", THREADS, "so many on each host", tool: "on each host"),
        Queries::Option.whole("--max-io-threads N", THREADS, "so many more for requests marked with --io",
          key: :io_threads, tool: "so many more threads for those marked with io"),
        Queries::Option.declare("--slice TIME", Queries::OptionTypes::TimeSlice.new,
          "how long a thread keeps the GVL from others (10ms)", key: :time_slice_ns,
          tool: "how long a thread keeps the GVL from others, such as 10ms"),
        Queries::Option.declare("--load FACTOR", Queries::OptionTypes::Factor.new, "x2: twice the requests",
          key: :factor, tool: "so much of the load, such as x2"),
        Queries::Option.declare("--mix GLOB=SHARE",
          NamedType.new(value: Queries::OptionTypes::Share.new, example: "Orders*=30%"),
          "these are 30% of all requests or jobs",
          tool: "these are so much of all requests or jobs, such as Orders*=30%"),
        Queries::Option.text("--without GLOB", "these moved elsewhere; the others are compared",
          tool: "requests or jobs that moved elsewhere, such as Reports*"),
        Queries::Option.declare("--own-pool GLOB[=PxT|=T]", OwnPoolType.new,
          "in P processes of T threads; jobs: or T more threads",
          tool: "these in processes of their own, such as Reports*=1x2"),
        Queries::Option.text("--halve-acquisitions GLOB", "these take the GVL half as often (N+1 fixed)",
          key: :halved, tool: "these take the GVL half as often, such as Orders*"),
        Queries::Option.declare("--priority GLOB=N",
          NamedType.new(value: Queries::OptionTypes::Whole.new(-3..3), example: "Orders*=-1"),
          "Thread#priority of these: -1 halves the time slice", key: :priorities,
          tool: "Thread#priority of these, such as Reports*=-1"),
        Queries::Option.text("--io GLOB", "these are marked as io-bound (Puma 8)",
          tool: "these are marked as io-bound (Puma 8)")
      ].freeze

      OPTIONS = CLI::Options.new("holdup whatif --threads 3 | --load x2 | --without NAME ... [options]",
        [*CHANGES, *SizingOptions::RECORDING, *CLI::Formats.options(%i[text json])])

      # @raise [UsageError] nothing changes, or options contradict each other
      def self.keywords(given, _console)
        values = given.with_defaults
        keys = Change::ALL.map(&:key)
        change = Change.checked(values.slice(*keys), values[:kind])
        {change:, **values.except(:since, :until, *keys),
         **SizingOptions.span_of(values, given.now_s)}
      end

      # @param change [Hash{Symbol => Object}] see Sizing::WhatIf::WhatIfChange
      def initialize(console:, from_s:, to_s:, change:, kind: :request, slo: Sizing::Slo.new, format: :text,
        origin: Queries::Origin.new, warm_up_s: nil, store: nil, language: nil,
        **)
        @console = console
        @span = {from_s:, to_s:}
        @change = Sizing::WhatIf::WhatIfChange.new(**change)
        @sizing = {kind:, warm_up_s:, objective: Sizing::Objective.new(slo:)}
        @format = format
        @origin = origin
        @store = store
        @words = View::Words.new(language || CLI::Places.language(console.env))
      end

      # @raise [Error] there is nothing to replay
      # @raise [UsageError] no request or job has this name
      def run
        sized = CLI::Places.reading(@console.env, @store, origin: @origin) { |store| read(store) }
        recommendation = sized.recommendation
        @console.show(certain(recommendation, sized) || predicted(recommendation))
        CLI::OK
      end

      private

      def read(store)
        check_named(store)
        sized = Reader.new(store, **@span, **@sizing, cpus: Etc.nprocessors)
        check_kind(store) if sized.recommendation.nil?
        sized
      end

      def report(found)
        WhatIfReport.new(found, change: @change, kind: @sizing[:kind], slo: @sizing[:objective].slo, span:,
          words: @words)
      end

      def predicted(recommendation)
        answer = Sizing::WhatIf.new(recommendation, @change)
        check_names(answer)
        report = report(answer.call)
        json? ? report.json : rendered(report.page)
      end

      def rendered(page)
        CLI::Formats.render(page, format: @format, console: @console, words: @words)
      end

      def json? = @format == :json

      def check_kind(store)
        filter = Analysis::UnitFilter.new(kind: @sizing[:kind])
        unmatched = Queries::UnmatchedFilter.of(store, *@span.values, filter)
        raise unmatched.error if unmatched
      end

      # Before anything is replayed.
      def check_named(store)
        @change.names.each do |name|
          filter = Analysis::UnitFilter.new(kind: @sizing[:kind], name:)
          unmatched = Queries::UnmatchedFilter.of(store, *@span.values, filter)
          raise unmatched.error if unmatched&.part == :name
        end
      end

      # @return [String, nil] what is certain where a replay gives no answer; nil where it gives one
      # @raise [Error] nothing is certain
      def certain(recommendation, sized)
        unless recommendation
          raise Error.new("no requests or jobs were recorded in that span",
            "choose another with --since and --until")
        end
        return if recommendation.reasons.empty?
        shortage = Analysis::CpuShortage.of(sized.summary)&.figures
        refusal = AdviceRefusal.new(recommendation.call, words: @words, kind: @sizing[:kind], shortage:)
        change = CertainChange.new(recommendation, @change, words: @words, refusal:)
        return change.json || nothing_certain(refusal) if json?
        page = change.page(title: report(nil).title) || nothing_certain(refusal)
        rendered(page)
      end

      def nothing_certain(refusal)
        raise Error.new(refusal.sentence, @words.call(:whatif_more))
      end

      def check_names(found)
        kind = @sizing[:kind]
        found.unknown.each do |name|
          raise UsageError.new("no #{kind} of that span is called #{name[0, 100].inspect}",
            "`holdup report` lists the names; * stands for any letters")
        end
        found.overruled.each do |name|
          raise UsageError.new("no #{kind} is left for #{name[0, 100].inspect}",
            "--without, or a name before it, has all of them; leave one out")
        end
        if found.claims_all?
          raise UsageError.new("no other #{kind} of that span is left to compare",
            "let --without, --own-pool and --mix name fewer")
        end
      end

      def span = SizingOptions.span_text(**@span)

      # Whether a change can be replayed.
      module Change
        # A number of vCPUs is a limit of the deployment too.
        ALL = [*CHANGES, SizingOptions::VCPUS].freeze

        # @param change [Hash{Symbol => Object}]
        # @return [Hash{Symbol => Object}] the same
        # @raise [UsageError]
        def self.checked(change, kind)
          if change.empty?
            raise UsageError.new("whatif needs a change",
              "give one of #{ALL.map(&:flag).join(", ")}")
          end
          if change == {factor: 1.0}
            raise UsageError.new("--load x1 changes nothing",
              "give another load, or add another change")
          end
          if change.key?(:io) != change.key?(:io_threads)
            raise UsageError.new("--io and --max-io-threads belong together",
              "give both: which requests are marked, and how many threads they may have")
          end
          if change.key?(:io) && kind == :job
            raise UsageError.new("--io is for requests",
              "jobs have queues and capsules instead: see --own-pool")
          end
          if kind != :job && change[:own_pool]&.apart? == false
            raise UsageError.new("--own-pool with threads alone is for jobs",
              "threads of a web server take any request; give processes too: =1x2")
          end
          if change.fetch(:mix, {}).values.sum >= 1
            raise UsageError.new("--mix gives away all requests or jobs",
              "the shares together have to stay below 100%")
          end
          change
        end
      end
    end
  end
end
