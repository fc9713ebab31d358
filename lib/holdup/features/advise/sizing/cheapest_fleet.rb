# frozen_string_literal: true

module Holdup
  module Advise
    module Sizing
      # The cheapest fleet that keeps the SLO at the recorded peak of all hosts together: hosts x vCPUs x
      # processes x threads. With fewer hosts each gets more of the peak; the replay predicts what that does.
      #
      # A fleet costs at least what the hosts cost that its ceiling needs. So settings are tried from the
      # lowest such price on, and the search ends where that alone costs more than the best fleet found.
      class CheapestFleet
        # vCPUs of a host to try, up to twice as many as now: the replay knows less about larger machines.
        VCPUS = [1, 2, 4, 8, 16, 32, 64, 96].freeze
        LARGER = 2
        MOST_HOSTS = 1000
        # Units of each replay: enough for a p95, and a hundred replays take seconds.
        UNITS = 4000
        # Guards that a lower load of each host satisfies.
        OF_LOAD = %i[stability cpu inflation concurrent_units].freeze
        # Threads of a process where nobody configures them, compared with a process for each vCPU
        # (`workers :auto`). Rails: config/puma.rb of a new application since 7.2 (rails/rails#50669); Puma:
        # max_threads on CRuby, lib/puma/configuration.rb of 6.6 to 8.0.
        DEFAULTS = {rails: 3, puma: 5}.freeze

        # What an hour of a fleet costs, in any currency.
        #
        # - `vcpu_hour`, `gb_hour`: of one vCPU, and of one GiB of memory
        FleetPrices = Data.define(:vcpu_hour, :gb_hour) do
          # @param prices [Hash{Symbol => Numeric}] as in config.prices
          def self.of(prices)
            new(vcpu_hour: prices.fetch(:vcpu).to_f, gb_hour: prices.fetch(:gb).to_f)
          end

          # @param text [String] "vcpu=0.04,gb=0.005"
          # @return [FleetPrices, nil] nil for anything else
          def self.parse(text)
            match = self::TEXT.match(text) or return
            prices = new(vcpu_hour: Float(match[1]), gb_hour: Float(match[2]))
            prices if prices.vcpu_hour.positive?
          end

          # @param bytes [Integer, nil] that its processes and the rest of the container take; nil: unknown,
          #   and then memory costs nothing
          # @return [Float] of one host
          def host(vcpus, bytes)
            provisioned_gib = bytes.to_i / Analysis::Thresholds::FULL / self.class::GIB
            vcpus * vcpu_hour + provisioned_gib * gb_hour
          end
        end

        FleetPrices::TEXT = /\Avcpu=(\d{1,6}(?:\.\d{1,9})?),gb=(\d{1,6}(?:\.\d{1,9})?)\z/
        FleetPrices::GIB = (1 << 30).to_f

        # `prediction`: Forecast::Prediction of one host
        FleetOffer = Data.define(:hosts, :vcpus, :candidate, :prediction, :price_hour)

        # A published default on the hosts of the cheapest fleet, and the hosts that it needs. `name`: of
        # DEFAULTS; `there`: Prediction with the cheapest fleet's hosts; `needed`: FleetOffer, nil: none keeps
        # the SLO
        DefaultSetting = Data.define(:name, :threads, :there, :needed)

        # The answer. `reason`: Symbol, why the fleets are nil, see CheapestFleet#reason; `now`, `best`:
        # FleetOffer; `saving`: share of the present price, negative: it costs more; `defaults`:
        # DefaultSettings
        FleetComparison = Data.define(:prices, :slo, :reason, :now, :best, :saving, :defaults) do
          def initialize(prices:, slo:, reason: nil, now: nil, best: nil, saving: nil, defaults: [])
            super
          end
        end

        # @param recommendation [Recommendation, nil] of requests
        # @param prices [FleetPrices]
        def initialize(recommendation, prices:, units: UNITS)
          @recommendation = recommendation
          @prices = prices
          @units = units
          @traces = {}
        end

        # @return [FleetComparison] all of it; what follows computes parts of it on demand
        def call
          asked = {prices: @prices, slo: @recommendation && slo}
          return FleetComparison.new(**asked, reason:) if reason
          FleetComparison.new(**asked, now:, best:, saving:, defaults:)
        end

        def slo = @recommendation.objective.slo

        # @return [Symbol, nil] why there is no answer: :no_recording, :jobs, :no_slo, :slo_out_of_reach, or a
        #   reason of the recommendation
        def reason
          return :no_recording unless @recommendation
          return :jobs unless @recommendation.recording.kind == :request
          return :no_slo unless slo.limit_ns
          return @recommendation.reasons.first if @recommendation.reasons.any?
          :slo_out_of_reach unless best
        end

        # @return [FleetOffer] the fleet as it is, whether it keeps the SLO or not
        def now
          @now ||= offer(limits.vcpus, @recommendation.now, limits.hosts)
        end

        # @return [FleetOffer, nil] nil if no fleet keeps the SLO
        def best
          return @best if defined?(@best)
          @best = search
        end

        # @return [Float] share of the present price that the cheapest fleet saves; negative: it costs more
        def saving = 1 - best.price_hour / now.price_hour

        # @return [Array<DefaultSetting>] empty for servers whose processes take one request at a time
        def defaults
          return [] unless @recommendation.recording.threaded?
          @defaults ||= DEFAULTS.map { |name, threads| default(name, threads) }
        end

        private

        def limits
          @limits ||= @recommendation.fitted_limits.with(memory_limit_bytes: nil)
        end

        # Units per second of all hosts.
        def rate = @recommendation.rate * limits.hosts

        def search
          return unless within_reach?
          best = nil
          settings.sort_by(&:price_hour).each do |least|
            break if best && least.price_hour >= best.price_hour
            best = fewest_hosts(least, below: best) || best
          end
          best
        end

        # @return [Array<FleetOffer>] each setting with the fewest hosts that its ceiling allows
        def settings
          vcpus.flat_map do |count|
            grid = Search::CandidateGrid.new(@recommendation.recording.demand, current: @recommendation.now,
              vcpus: count, threaded: @recommendation.recording.threaded?)
            grid.to_a.filter_map { |candidate| least(count, candidate) }
          end
        end

        def vcpus
          most = LARGER * limits.vcpus
          [*VCPUS.select { |count| count <= most }, limits.vcpus].uniq
        end

        # Any fleet needs more hosts than this: at their ceiling requests would wait for ever.
        def least(vcpus, candidate)
          whole = forecast(vcpus, 1).estimate(candidate)
          ceiling = whole.ceiling
          hosts = (rate / ceiling).ceil if ceiling.positive?
          priced(hosts, vcpus, whole) if hosts&.between?(1, MOST_HOSTS)
        end

        # Bisects the number of hosts; less load of each never answers later.
        # @param below [FleetOffer, nil] only cheaper fleets count
        # @return [FleetOffer, nil]
        def fewest_hosts(least, below: nil)
          each = least.price_hour / least.hosts
          most = below ? [(below.price_hour / each).ceil - 1, MOST_HOSTS].min : MOST_HOSTS
          found = enough(least, most) or return
          low = least.hosts - 1
          while found.hosts - low > 1
            middle = offer(least.vcpus, least.candidate, (low + found.hosts) / 2)
            keeps?(middle) ? found = middle : low = middle.hosts
          end
          found
        end

        # Doubles the hosts, because connections of a thousand hosts may be too many where those of ten are
        # not.
        def enough(least, most)
          hosts = least.hosts
          while hosts <= most
            tried = offer(least.vcpus, least.candidate, hosts)
            return tried if keeps?(tried)
            return if hosts == most || out_of_reach?(tried)
            hosts = [hosts * 2, most].min
          end
        end

        def keeps?(offer)
          response_ns = offer.prediction.responses[slo.percentile]
          offer.prediction.allowed? && !response_ns.nil? && slo.met?(response_ns)
        end

        # Whether more hosts break a limit too.
        def out_of_reach?(offer)
          (offer.prediction.guards.map(&:name) - OF_LOAD).any?
        end

        # Whether the SLO is kept where requests hardly ever wait.
        def within_reach?
          response_ns = predicted(limits.vcpus, @recommendation.now, MOST_HOSTS, force: true)
            .responses[slo.percentile]
          !response_ns.nil? && slo.met?(response_ns)
        end

        def offer(vcpus, candidate, hosts)
          @offers ||= {}
          @offers[[vcpus, candidate, hosts]] ||= begin
            present = [vcpus, candidate, hosts] == [limits.vcpus, @recommendation.now, limits.hosts]
            priced(hosts, vcpus, predicted(vcpus, candidate, hosts, force: present))
          end
        end

        def predicted(vcpus, candidate, hosts, force:)
          replayed = forecast(vcpus, hosts).call(candidate, trace(hosts), force:)
          @recommendation.bias.apply(replayed, now: @recommendation.now)
        end

        def priced(hosts, vcpus, prediction)
          price_hour = hosts * @prices.host(vcpus, prediction.memory_bytes)
          FleetOffer.new(hosts:, vcpus:, candidate: prediction.candidate, prediction:, price_hour:)
        end

        def forecast(vcpus, hosts)
          @forecasts ||= {}
          @forecasts[[vcpus, hosts]] ||=
            @recommendation.forecast(rate: rate / hosts, limits: limits.with(vcpus:, hosts:))
        end

        def trace(hosts)
          @traces[hosts] ||= @recommendation.traffic.peak(rate: rate / hosts, units: @units)
        end

        def default(name, threads)
          other_threads = @recommendation.now.other_threads.sum
          processes = [best.vcpus.floor, 1].max
          candidate = @recommendation.now.with(threads: threads + other_threads, processes:)
          least = least(best.vcpus, candidate)
          DefaultSetting.new(name:, threads:,
            there: predicted(best.vcpus, candidate, best.hosts, force: true),
            needed: least && fewest_hosts(least))
        end
      end
    end
  end
end
