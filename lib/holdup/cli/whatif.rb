# frozen_string_literal: true

require "etc"

module Holdup
  class CLI
    # Predicts the effect of a change: before and after side by side, at the peak of the recording.
    class Whatif
      def self.options(console)
        Arguments.new(console.clock.realtime_s)
      end

      # @param change [Hash{Symbol => Object}] see Sizing::WhatIf::WhatIfChange
      def initialize(console:, from_s:, to_s:, change:, kind: :request, slo: Sizing::Slo.new, format: :text,
        origin: Queries::Origin.new, warm_up_s: WARM_UP_S, store: nil, language: nil,
        **)
        @console = console
        @span = {from_s:, to_s:}
        @change = Sizing::WhatIf::WhatIfChange.new(**change)
        @sizing = {kind:, warm_up_s:, objective: Sizing::Objective.new(:latency, slo:)}
        @format = format
        @origin = origin
        @store = store
        @words = View::Words.new(language || Places.language(console.env))
      end

      # @raise [Error] there is nothing to replay
      # @raise [UsageError] no request or job has this name
      def run
        sized = Places.reading(@console.env, @store, origin: @origin) { |store| read(store) }
        recommendation = sized.recommendation
        check(recommendation)
        answer = Sizing::WhatIf.new(recommendation, @change)
        check_names(answer)
        report = report(answer, recommendation)
        @console.out.write((@format == :json) ? report.json : rendered(report.page))
        OK
      end

      private

      def read(store)
        check_named(store)
        sized = Queries::SizingInputs.new(store, **@span, **@sizing, cpus: Etc.nprocessors)
        check_kind(store) if sized.recommendation.nil?
        sized
      end

      def report(answer, recommendation)
        View::WhatIf.new(
          answer,
          change: @change,
          kind: @sizing[:kind],
          slo: @sizing[:objective].slo,
          span:,
          words: @words,
          recommendation:
        )
      end

      def rendered(page)
        Formats.render(page, format: @format, console: @console, words: @words)
      end

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

      def check(recommendation)
        unless recommendation
          raise Error.new("no requests or jobs were recorded in that span",
            "choose another with --since and --until")
        end
        return if recommendation.reasons.empty?
        verdict = View::AdviceVerdict.new(recommendation, span:, words: @words, kind: @sizing[:kind])
        raise Error.new(verdict.sentence, @words.call(:whatif_more))
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

      def span = Options::SizingOptions.span_text(**@span)

      # The arguments of `holdup whatif`: the change and the recording.
      class Arguments
        # Options of a change, and the keywords of WhatIf::Change that they set.
        CHANGES = {
          "--threads" => :threads,
          "--processes" => :processes,
          "--slice" => :time_slice_ns,
          "--load" => :factor,
          "--vcpus" => :vcpus,
          "--without" => :without,
          "--halve-acquisitions" => :halved,
          "--mix" => :mix,
          "--own-pool" => :own_pool,
          "--priority" => :priorities,
          "--io" => :io,
          "--max-io-threads" => :io_threads
        }.freeze
        USAGE = "holdup whatif --threads 3 | --load x2 | --without NAME ... [options]"
        PRIORITIES = (-3..3)
        NAMED = /\A(.+)=([^=]*)\z/m
        SIZE = /\A(\d+)x(\d+)\z/
        THREADS = /\A\d+\z/

        def initialize(now_s)
          @now_s = now_s
        end

        # @return [Hash{Symbol => Object}] the keywords of Whatif
        # @raise [UsageError] an option can't be read, or nothing changes
        def parse(argv)
          values = Options.new(USAGE) { |parser, read| declare(parser, read) }.parse(argv)
          return values if values.key?(:help)
          change = values.slice(*CHANGES.values)
          check(change, values[:kind])
          {
            **values.except(:since, :until, *CHANGES.values),
            **Options::SizingOptions.span_of(values, @now_s),
            change:
          }
        end

        private

        def declare(parser, values)
          deployment(parser, values)
          parser.on("--load FACTOR", "x2: twice the requests") do |text|
            values[:factor] = Queries::OptionValues.factor("--load", text)
          end
          parser.on("--mix GLOB=SHARE", "these are 30% of all requests or jobs") do |text|
            name, share = named("--mix", text)
            (values[:mix] ||= {})[name] = Queries::OptionValues.share("--mix", share)
          end
          parser.on("--without GLOB", "these moved elsewhere; the others are compared") do |text|
            values[:without] = text
          end
          parser.on("--own-pool GLOB[=PxT|=T]",
            "in P processes of T threads; jobs: or T more threads") do |text|
            values[:own_pool] = own_pool(text)
          end
          parser.on("--halve-acquisitions GLOB", "these take the GVL half as often (N+1 fixed)") do |text|
            values[:halved] = text
          end
          parser.on("--priority GLOB=N", "Thread#priority of these: -1 halves the time slice") do |text|
            name, number = named("--priority", text)
            (values[:priorities] ||= {})[name] = Queries::OptionValues.whole("--priority", number, PRIORITIES)
          end
          parser.on("--io GLOB", "these are marked as io-bound (Puma 8)") { |text| values[:io] = text }
          Options::SizingOptions.declare(parser, values, @now_s)
          Formats.declare(parser, values, %i[text json])
        end

        def deployment(parser, values)
          parser.on("--threads N", "so many in each process") do |text|
            values[:threads] = Queries::OptionValues.whole("--threads", text, 1..1000)
          end
          parser.on("--processes P", "so many on each host") do |text|
            values[:processes] = Queries::OptionValues.whole("--processes", text, 1..1000)
          end
          parser.on("--max-io-threads N", "so many more for requests marked with --io") do |text|
            values[:io_threads] = Queries::OptionValues.whole("--max-io-threads", text, 1..1000)
          end
          parser.on("--slice TIME", "how long a thread keeps the GVL from others (10ms)") do |text|
            values[:time_slice_ns] = Queries::OptionValues.time_slice("--slice", text)
          end
        end

        # 1x2: separate processes; 2: threads in the same process.
        def own_pool(text)
          name, size = NAMED.match(text)&.captures || [text, nil]
          if THREADS.match?(size.to_s)
            return Sizing::WhatIf::OwnThreads.new(name:, threads: own_pool_size(size))
          end
          return Sizing::WhatIf::OwnPool.new(name:) unless size
          match = SIZE.match(size)
          unless match
            raise UsageError.new("--own-pool can't be #{text[0, 100].inspect}",
              "it takes a name and processes x threads, such as Reports*=1x2, " \
              "or for jobs threads in the same process: =2")
          end
          processes, threads = match.captures.map { |number| own_pool_size(number) }
          Sizing::WhatIf::OwnPool.new(name:, processes:, threads:)
        end

        def own_pool_size(text)
          Queries::OptionValues.whole("--own-pool", text, 1..1000)
        end

        # A name may contain "=".
        # @return [Array(String, String)] name and value
        def named(option, text)
          match = NAMED.match(text)
          return match.captures if match
          example = (option == "--mix") ? "30%" : "-1"
          raise UsageError.new("#{option} can't be #{text[0, 100].inspect}",
            "it takes a name and a value, such as Orders*=#{example}")
        end

        def check(change, kind)
          if change.empty?
            raise UsageError.new("whatif needs a change",
              "give one of #{CHANGES.keys.join(", ")}")
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
        end
      end
    end
  end
end
