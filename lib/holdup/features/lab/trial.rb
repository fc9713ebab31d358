# frozen_string_literal: true

module Holdup
  module Lab
    # Measures one setting on the user's own server as in production: boots the command, polls until it
    # answers, warms it up until it is steady, and yields a session for any number of measurements. It always
    # stops the server, and every step has a time limit.
    #
    #   trial = Trial.new(%w[bundle exec puma], routes: [Route.new(label: "/", path: "/")], env: ENV.to_h)
    #   trial.call(Arm.new(processes: 1, threads: 5), rate: 40) do |session|
    #     session.measure(rate: 40, seconds: 20) # => TrialResult
    #   end
    class Trial
      # @param command [Array<String>] see ServerUnderTest
      # @param root [String] where the command runs
      # @param port [Integer, nil] see ServerUnderTest
      # @param load [#call] Load::OpenLoop, or a tool
      # @param warm_up_s [Numeric] at most
      # @param boot_s [Numeric] at most
      # @param progress [#call] receives a Symbol (:boot, :warm_up, :measure, :stop) and facts
      def initialize(command, routes:, env:, root: Dir.pwd, port: nil, load: Load::OpenLoop.new,
        warm_up_s: WarmUp::LONGEST_S, boot_s: ServerUnderTest::BOOT_S, log: Log.new { $stderr },
        progress: ->(_step, **_facts) {})
        @command = command
        @routes = routes
        @served = {env:, root:, port:}
        @load = load
        @warm_up_s = warm_up_s
        @boot_s = boot_s
        @log = log
        @progress = progress
      end

      # @param rate [Numeric] requests per second of the warm-up
      # @return [Object] the block's value
      # @raise [Holdup::Error] the server doesn't boot, doesn't answer, isn't measured or has another setting
      #   than the arm's
      def call(arm, rate:)
        Folders.open do |folders|
          server = ServerUnderTest.new(@command, arm:, **folders, **@served)
          @progress.call(:boot, arm:)
          server.boot(@routes.first, patience_s: @boot_s)
          store = InMemoryStore.new(folders[:segments], log: @log)
          session = Session.new(arm:, served: server, intake: store, routes: @routes, load: @load,
            progress: @progress)
          yield session.warm_up(rate, longest_s: @warm_up_s)
        ensure
          @progress.call(:stop, arm:)
          server&.stop
        end
      end

      # A running server under load. A measurement leaves out every earlier request.
      class Session
        # Requests to rare endpoints may extend the longest warm-up by this share.
        RARE_SHARE = 0.25
        # The setting's names for an arm's attributes.
        FACTS = {processes: "workers", threads: "threads"}.freeze

        attr_reader :warmed

        def initialize(arm:, served:, intake:, routes:, load:, progress:)
          @arm = arm
          @served = served
          @intake = intake
          @routes = routes
          @load = load
          @progress = progress
        end

        # @raise [Holdup::Error]
        def warm_up(rate, longest_s: WarmUp::LONGEST_S)
          slice_s = WarmUp.slice_s(rate, kind: @load.kind, longest_s:)
          @warmed = WarmUp.new(slice_s:, longest_s:).call do |slices|
            @progress.call(:warm_up, arm: @arm, seconds: slices * slice_s)
            ask_rare(longest_s * RARE_SHARE) if slices == 1
            slice(rate, slice_s)
          end
          self
        end

        # @param seed [Integer] the same requests for the same seed
        # @raise [Holdup::Error] the server has exited
        def measure(rate:, seconds:, seed: 1)
          @intake.clear
          cpu_s = @served.cpu_seconds
          seen = drive(rate, seconds, seed) do |state|
            @progress.call(:measure, arm: @arm, rate:, seconds: state.elapsed_s)
          end
          cpu_s &&= @served.cpu_seconds - cpu_s
          raise unmeasured(seen) if @intake.close.unit_samples.empty?
          Trial::TrialResult.new(
            arm: @arm,
            rate:,
            seconds:,
            load: @load.kind,
            seen:,
            cpu_s:,
            memory_bytes:,
            gauges: @intake.gauges.values_at(*pids),
            warmed: @warmed,
            windows: @intake.windows,
            unit_samples: @intake.unit_samples,
            samples: @intake.samples
          )
        end

        private

        def memory_bytes
          facts = pids.map { |pid| Collector::ProcessSampler::ProcessFacts.new.call(pid) }
          sizes = facts.filter_map { |fact| fact[:pss_bytes] || fact[:rss_bytes] }
          sizes.sum if sizes.any?
        end

        # Processes that took requests.
        def pids
          @intake.unit_samples.map { |unit_sample| unit_sample.process.pid }.uniq
        end

        def drive(rate, seconds, seed, &progress)
          seen = @load.call(@served.target, routes: @routes, rate:, seconds:, seed:, progress:)
          @served.check
          seen
        end

        def ask_rare(longest_s)
          rare = Trial::WarmUp::Rare.new(@served.target, routes: @routes)
          rare.call(@seen.routes.transform_values(&:count), processes: pids.size, longest_s:)
        end

        def slice(rate, seconds)
          @intake.clear
          @seen = drive(rate, seconds, 1)
          requests = @intake.take.windows.select { |window| window.series.kind == :request }
          count = requests.sum(&:count)
          raise unmeasured(@seen) if count.zero?
          raise failing(@seen) if @seen.total.unexpected == @seen.total.count
          check(requests.last.setting)
          cpu_ns = requests.sum { |window| window.sums[:cpu_ns] }.fdiv(count)
          Trial::WarmUp::Slice.new(cpu_ns:, compiled:)
        end

        # @return [Integer, nil] pieces of code of the processes whose JIT is not warm yet; nil: no such
        #   process
        def compiled
          cold = @intake.gauges.values_at(*pids).compact.reject { |gauges| warm?(gauges) }
          counts = cold.filter_map { |gauges| gauges[:jit_compiled_iseqs] }
          counts.sum if counts.any?
        end

        def warm?(gauges)
          gauges[:jit_warm_ns] || gauges[:jit_saturated].to_i.positive?
        end

        def unmeasured(seen)
          total = seen.total
          Error.new("Holdup measured none of #{total&.count} requests (#{total&.lost} without an answer)",
            "see `holdup doctor`; #{@served.said}")
        end

        # Rejects a wrong path or an unprepared application: the figures would describe an error page.
        def failing(seen)
          Error.new("none of #{seen.total.count} requests was answered with a status from 200 to 399",
            "try #{@routes.map(&:path).first(3).join(", ")} by hand; #{@served.said}")
        end

        # Rejects a server that ignores the variable and the argument: its figures would have the wrong name.
        def check(setting)
          FACTS.each { |name, fact| check_size(name, setting[fact]) }
          check_slice(setting)
          check_jit(setting)
        end

        def check_size(name, fact)
          wanted = @arm.public_send(name)
          got = [fact.to_i, 1].max
          return if wanted.nil? || fact.nil? || got == wanted
          raise Error.new("the server runs with #{got} #{name}, not #{wanted}",
            "let its configuration read #{variable(name)}, or write {#{name}} into the command")
        end

        def check_slice(setting)
          return if @arm.time_slice_ns.nil?
          return if Advise::Sizing::Deployment.new(setting, kind: :request, members: []).slices?
          ruby = setting["ruby"]
          raise Error.new("the server's Ruby #{ruby} has time slices of 100 ms that can't be changed",
            "leave out --slice, or run it with Ruby #{RubyVersion.since(:sets_time_slice)}")
        end

        def check_jit(setting)
          wanted = @arm.yjit
          on = setting["jit"] == "yjit"
          return if wanted.nil? || setting["jit"].nil? || on == wanted
          if on
            raise Error.new("the server runs with YJIT",
              "keep the application from switching it on (Rails: config.yjit = false)")
          end
          raise Error.new("the server runs without YJIT",
            "RUBYOPT or the command keeps it off, or this Ruby has none")
        end

        def variable(name)
          (name == :threads) ? "RAILS_MAX_THREADS" : "WEB_CONCURRENCY"
        end
      end

      # The results of one measurement of a setting, from the client and from Holdup in the server.
      #
      # - `arm`; `rate`: requests per second to send, for `seconds`; `load`: see Load::OpenLoop#kind and
      #   LoadTool#kind; `seen`: Load::OpenLoop::Seen
      # - `cpu_s`: CPU seconds of all processes of the server, `memory_bytes`: of those that took requests, at
      #   the end (PSS); nil if the system doesn't report it; `gauges`: of each of these processes; `warmed`:
      #   WarmUp::WarmUpOutcome
      # - `windows`, `unit_samples`, `samples`: of this measurement only; windows may cover parts of minutes
      class TrialResult
        attr_reader :arm, :rate, :seconds, :load, :seen, :cpu_s, :memory_bytes, :gauges, :warmed, :windows,
          :unit_samples, :samples

        def initialize(arm:, rate:, seconds:, load:, seen:, cpu_s:, memory_bytes:, gauges:, warmed:, windows:,
          unit_samples:, samples:)
          @arm = arm
          @rate = rate
          @seconds = seconds
          @load = load
          @seen = seen
          @cpu_s = cpu_s
          @memory_bytes = memory_bytes
          @gauges = gauges.compact
          @warmed = warmed
          @windows = windows
          @unit_samples = unit_samples
          @samples = samples
        end

        # @return [Analysis::SeriesRow] all requests
        def total = summary.total

        # @return [Array<Analysis::SeriesRow>] by name
        def rows = summary.rows

        # @return [Setting] of the server
        def setting = recording.setting

        # @return [Float] answers per second
        def throughput = seen.throughput

        # @return [Boolean] whether it kept up with the rate, see Load::Pace
        def kept_up?
          Load::Pace.kept?(sent: seen.total.count, throughput:, seconds:, response_ns:)
        end

        # @return [Boolean] whether each request carries its time of sending
        def sent_times? = load == :open

        # @return [Float, nil] ns, mean; from the client's sending until a thread takes it
        def queued_ns
          sent_times? ? total.histogram(:queued).mean : [response_ns - wall_ns, 0.0].max
        end

        # @return [Float, nil] ns, mean
        def stalled_ns = total.histogram(:stalled).mean

        # @return [Float] ns of waiting that a user notices, mean
        def wait_ns = queued_ns.to_f + stalled_ns.to_f

        # @return [Float] ns from the client's sending to the request's end, mean
        def response_ns
          sent_times? ? queued_ns.to_f + wall_ns : seen.mean_ns
        end

        # @return [Integer, nil] ns, percentile of the response times of single requests; from the client if
        #   requests don't carry their time of sending
        def percentile(share)
          return Exchange::Percentile.of(responses, share) if sent_times?
          seen.total.public_send(Exchange::Percentile.kept(share))
        end

        # @return [Float, nil] CPU ns of a request, all threads of the server together
        def cpu_ns
          cpu_s && cpu_s * 1e9 / [seen.total.answered, 1].max
        end

        # @return [Array<SampleBlock>] the unit samples for a store
        def blocks = SampleBlock.of(unit_samples)

        # @return [Advise::Sizing::Recording] for predictions
        def recording
          @recording ||= Advise::Sizing::Recording.of(kind: :request, windows:, unit_samples:, samples:,
            warm_up_s: 0,
            members: summary.processes.members)
        end

        private

        def wall_ns = total.histogram(:wall).mean.to_f

        def summary
          @summary ||= Analysis::Summary.new(windows, from_s: 0, to_s: 1 << 40, samples:,
            filter: Analysis::UnitFilter.new(kind: :request))
        end

        def responses
          @responses ||= unit_samples.map { |unit| unit.wall_ns + unit.queued_ns.to_i }.sort
        end
      end
    end
  end
end
