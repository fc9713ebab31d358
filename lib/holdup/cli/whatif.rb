# frozen_string_literal: true

module Holdup
  class CLI
    # What would be if something were otherwise: before and after side by side, at the peak of the recording.
    class Whatif
      # @param console [Console]
      # @return [#parse]
      def self.options(console)
        Arguments.new(console.clock.realtime_s)
      end

      # @param console [Console]
      # @param from_s [Integer]
      # @param to_s [Integer]
      # @param change [Hash{Symbol => Object}] see Sizing::WhatIf::WhatIfChange
      # @param kind [Symbol]
      # @param slo [Sizing::Slo]
      # @param json [Boolean]
      # @param app [String, nil] application; nil: all of the store
      # @param store [String, nil]
      # @param language [String, nil]
      def initialize(console:, from_s:, to_s:, change:, kind: :request, slo: Sizing::Slo.new, json: false,
        app: nil, store: nil, language: nil, **)
        @console = console
        @span = {from_s:, to_s:}
        @change = Sizing::WhatIf::WhatIfChange.new(**change)
        @sizing = {kind:, objective: Sizing::Objective.new(:latency, slo:)}
        @json = json
        @app = app
        @store = store
        @words = View::Words.new(language || Places.language(console.env))
      end

      # @return [Integer] exit status
      # @raise [Error] where there is nothing to replay
      # @raise [UsageError] for a name that no unit has
      def run
        sized = Places.reading(@console.env, @store, app: @app) do |store|
          Queries::SizingInputs.new(store, **@span, **@sizing).tap { |one|
            check_kind(store) if one.recommendation.nil?
          }
        end
        recommendation = sized.recommendation
        check(recommendation)
        found = Sizing::WhatIf.new(recommendation, @change)
        check_names(found)
        report = View::WhatIf.new(found, change: @change, kind: @sizing[:kind], slo: @sizing[:objective].slo, span:, words: @words,
          **@console.layout)
        @console.out.write(@json ? report.json : report.call)
        OK
      end

      private

      def check_kind(store)
        unmatched = Queries::UnmatchedFilter.of(store, *@span.values,
          Analysis::UnitFilter.new(kind: @sizing[:kind]))
        raise unmatched.error if unmatched
      end

      def check(recommendation)
        unless recommendation
          raise Error.new("no units were recorded in that span", "choose another with --since and --until")
        end
        return if recommendation.reasons.empty?
        told = View::AdviceVerdict.new(recommendation, span:, words: @words, kind: @sizing[:kind]).sentence
        raise Error.new(told, "`holdup advise` says more")
      end

      def check_names(found)
        found.unknown.each { |name|
          raise UsageError.new("no unit of that span is called #{name[0, 100].inspect}",
            "`holdup report` lists the names; * stands for any letters")
        }
        found.overruled.each { |name|
          raise UsageError.new("no unit is left for #{name[0, 100].inspect}",
            "--without, or a name before it, has all of them; leave one out")
        }
        if found.nobody_left?
          raise UsageError.new("no other unit of that span is left to compare",
            "let --without, --own-pool and --mix name fewer")
        end
      end

      def span = SizingOptions.told(**@span)

      # The arguments of `holdup whatif`: what would be different, and of which recording.
      class Arguments
        # Options that say what would be different, and the keywords of WhatIf::Change that they are read to.
        CHANGES = {"--threads" => :threads, "--processes" => :processes, "--slice" => :time_slice_ns, "--load" => :factor, "--vcpus" => :vcpus, "--without" => :without,
                   "--halve-acquisitions" => :halved, "--mix" => :mix, "--own-pool" => :own_pool, "--priority" => :priorities, "--io" => :io, "--max-io-threads" => :io_threads}.freeze
        PRIORITIES = (-3..3)
        NAMED = /\A(.+)=([^=]*)\z/m
        SIZE = /\A(\d+)x(\d+)\z/
        THREADS = /\A\d+\z/

        # @param now_s [Integer]
        def initialize(now_s)
          @now_s = now_s
        end

        # @param argv [Array<String>]
        # @return [Hash{Symbol => Object}] the keywords of Whatif
        # @raise [UsageError] for what can't be read, and when nothing would change
        def parse(argv)
          values = Options.new("holdup whatif --threads 3 | --load x2 | --without NAME ... [options]") { |parser, read|
            declare(
              parser, read
            )
          }.parse(argv)
          return values if values.key?(:help)
          change = values.slice(*CHANGES.values)
          check(change, values[:kind])
          values.except(:since, :until, :format, *CHANGES.values).merge(SizingOptions.span_of(values, @now_s),
            change:, json: values[:format] == :json)
        end

        private

        def declare(parser, values)
          deployment(parser, values)
          parser.on("--load FACTOR", "x2: twice the requests") { |text| values[:factor] = Queries::OptionValues.factor("--load", text) }
          parser.on("--mix GLOB=SHARE", "these are so much of all units (30%)") { |text|
            named("--mix", text) { |name, share| (values[:mix] ||= {})[name] = Queries::OptionValues.share("--mix", share) }
          }
          parser.on("--without GLOB", "these moved elsewhere; the others are compared") { |text|
            values[:without] = text
          }
          parser.on("--own-pool GLOB[=PxT|=T]",
            "in P processes of T threads; of jobs T threads beside") { |text|
            values[:own_pool] = own_pool(text)
          }
          parser.on("--halve-acquisitions GLOB", "these take the GVL half as often (N+1 fixed)") { |text|
            values[:halved] = text
          }
          parser.on("--priority GLOB=N", "Thread#priority of these: -1 halves the time slice") do |text|
            named("--priority", text) { |name, number| (values[:priorities] ||= {})[name] = Queries::OptionValues.whole("--priority", number, PRIORITIES) }
          end
          parser.on("--io GLOB", "these are marked as io-bound (Puma 8)") { |text| values[:io] = text }
          SizingOptions.declare(parser, values, @now_s)
          Formats.declare(parser, values, %i[text json])
        end

        def deployment(parser, values)
          parser.on("--threads N", "so many in each process") { |text| values[:threads] = Queries::OptionValues.whole("--threads", text, 1..1000) }
          parser.on("--processes P", "so many on each host") { |text| values[:processes] = Queries::OptionValues.whole("--processes", text, 1..1000) }
          parser.on("--max-io-threads N", "so many more for units marked with --io") { |text|
            values[:io_threads] = Queries::OptionValues.whole("--max-io-threads", text, 1..1000)
          }
          parser.on("--slice TIME", "how long a thread keeps the GVL from others (10ms)") { |text|
            values[:time_slice_ns] = Queries::OptionValues.time_slice("--slice", text)
          }
        end

        # 1x2: processes of their own; 2: threads in the same process.
        def own_pool(text)
          name, size = NAMED.match(text)&.captures || [text, nil]
          if THREADS.match?(size.to_s)
            return Sizing::WhatIf::OwnThreads.new(name:,
              threads: Queries::OptionValues.whole("--own-pool", size, 1..1000))
          end
          processes, threads = SIZE.match(size.to_s)&.captures&.map { |number| Queries::OptionValues.whole("--own-pool", number, 1..1000) }
          if size && !processes
            raise UsageError.new("--own-pool can't be #{text[0, 100].inspect}",
              "it takes a name and processes x threads, such as Reports*=1x2, or for jobs threads in the same process: =2")
          end
          Sizing::WhatIf::OwnPool.new(**{name:, processes:, threads:}.compact)
        end

        # A name may have an = in it.
        def named(option, text)
          match = NAMED.match(text) or raise UsageError.new("#{option} can't be #{text[0, 100].inspect}",
            "it takes a name and a value, such as Orders*=#{(option == "--mix") ? "30%" : "-1"}")
          yield(*match.captures)
        end

        def check(change, kind)
          if change.empty?
            raise UsageError.new("whatif needs to know what would be different",
              "give one of #{CHANGES.keys.join(", ")}")
          end
          if change == {factor: 1.0}
            raise UsageError.new("--load x1 is the load that there is",
              "give another one, or something else that would be different")
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
            raise UsageError.new("--mix gives away more than there is",
              "the shares together have to stay below 100%")
          end
        end
      end
    end
  end
end
