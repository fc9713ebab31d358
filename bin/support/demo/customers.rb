# frozen_string_literal: true

require "holdup/loader"

module Demo
  # A load that fits any machine: so many customers, each of whom sends a request, waits for the answer,
  # pauses (see CustomerPace), and sends the next one. There are never more open requests than customers, so
  # no queue grows where the machine is slow. It lasts for the seconds, and longer until enough are answered.
  class Customers
    PROGRESS_NS = 250_000_000
    NAP_S = 0.1
    NS = 1_000_000_000
    # A request without an answer by then counts as lost.
    PATIENCE_S = 60

    # Progress of a load: seconds since its start, and numbers of requests.
    CustomerProgress = Data.define(:elapsed_s, :answered, :open)
    # When a customer sends the next request, or the request that waits for its answer; whether it has sent
    # any.
    Customer = Struct.new(:due_ns, :exchange, :began)
    private_constant :Customer

    # @param unanswered [Integer] requests without an answer in time, more than 0
    # @return [String] that it is the machine, not an error of the shop or of Holdup
    def self.too_busy(unanswered)
      requests = (unanswered == 1) ? "1 request" : "#{unanswered} requests"
      "this machine was too busy: #{requests} got no answer within #{PATIENCE_S} s"
    end

    # @param target [Holdup::Lab::Load::Target]
    # @param routes [Array<Holdup::Lab::Route>]
    # @param plan [LoadPlan]
    # @param seed [Integer] of routes, paths and pauses
    # @param progress [#call, nil] receives a CustomerProgress about four times a second
    def initialize(target:, routes:, plan:, seed: 1, patience_s: PATIENCE_S, clock: Holdup::Clock.new,
      progress: nil)
      @target = target
      @routes = routes
      @plan = plan
      @random = Random.new(seed)
      @pace = CustomerPace.new(plan, random: @random)
      @patience_ns = patience_s * NS
      @clock = clock
      @progress = progress
      @counts = Holdup::Lab::Exchange::Counts.new
      @answered = 0
    end

    # @return [Hash<String, Holdup::Lab::Exchange::Outcome>] by the routes' labels
    def run
      @start_ns = @reported_ns = @clock.monotonic_ns
      @began_ns = @clock.realtime_ns
      @customers = Array.new(@plan.customers) { Customer.new(@pace.pause_ns, nil) }
      step until done?
      @counts.outcomes
    ensure
      open.each { |customer| customer.exchange.close }
    end

    private

    def open = @customers.to_a.select(&:exchange)

    def done? = over? && open.empty?

    # Nothing is sent any more.
    def over? = @plan.over?(elapsed_ns.fdiv(NS), @answered)

    def step
      send_due unless over?
      ready.each(&:advance)
      now_ns = elapsed_ns
      open.each { |customer| settle(customer, now_ns) }
      report(now_ns)
    end

    def send_due
      now_ns = elapsed_ns
      @customers.each do |customer|
        next if customer.exchange || customer.due_ns > now_ns
        send_next(customer, now_ns)
        customer.began = true
      end
    end

    def send_next(customer, now_ns)
      route = pick
      arrival = Holdup::Lab::Load::Arrivals::Arrival.new(at_ns: now_ns, route:,
        path: route.path_for(@random))
      due_us = (@began_ns + now_ns) / 1000 if stamped?(customer)
      customer.exchange = Holdup::Lab::Exchange.new(arrival, @target, due_us:)
    end

    # Whether X-Request-Start says that the wait for a thread begins now.
    def stamped?(customer) = customer.began || !@plan.crowded?

    def pick
      point = @random.rand * @routes.sum(&:weight)
      @routes.find { |route| (point -= route.weight).negative? } || @routes.last
    end

    # The exchanges that can continue; waits for one until the next request is due.
    def ready
      by_io = open.map(&:exchange).reject(&:done?).to_h { |exchange| [exchange.io, exchange] }
      writing, reading = by_io.values.partition(&:writing?)
      readable, writable = IO.select(reading.map(&:io), writing.map(&:io), nil, nap_s)
      by_io.values_at(*readable, *writable)
    end

    def nap_s
      due_ns = @customers.reject(&:exchange).map(&:due_ns).min
      return NAP_S if due_ns.nil? || over?
      (due_ns - elapsed_ns).fdiv(NS).clamp(0, NAP_S)
    end

    def settle(customer, now_ns)
      exchange = customer.exchange
      taken_ns = now_ns - exchange.arrival.at_ns
      return unless exchange.done? || taken_ns > @patience_ns
      status = exchange.status if exchange.done?
      exchange.close
      @counts.add(exchange.arrival.route, status, taken_ns)
      @answered += 1 if status
      @pace.answered(taken_ns, now_ns)
      customer.exchange = nil
      customer.due_ns = now_ns + @pace.pause_ns
    end

    def elapsed_ns = @clock.monotonic_ns - @start_ns

    def report(now_ns)
      return if @progress.nil? || now_ns + @start_ns - @reported_ns < PROGRESS_NS
      @reported_ns = now_ns + @start_ns
      @progress.call(CustomerProgress.new(elapsed_s: now_ns.fdiv(NS), answered: @answered, open: open.size))
    end
  end

  # How many customers come, for how long, and how long they pause.
  #
  # `pauses`: how many times as long as the shop takes to answer; 0: the next request is sent at once.
  # `answers`: at least so many, if they come within LONGEST times the seconds. `rate`: at most so many
  # requests a second, or nil
  LoadPlan = Data.define(:customers, :pauses, :seconds, :answers, :rate) do
    def initialize(customers:, seconds:, pauses: 0, answers: 0, rate: nil)
      super
    end

    # Whether a request always finds all other customers in the shop. The first ones do not: they are without
    # X-Request-Start, so that their waits do not count.
    def crowded? = pauses.zero?

    # @param elapsed_s [Float]
    # @param answered [Integer]
    def over?(elapsed_s, answered)
      elapsed_s >= seconds && (answered >= answers || elapsed_s >= self.class::LONGEST * seconds)
    end
  end
  LoadPlan::LONGEST = 5

  # How long customers pause: so many times as long as the shop took to answer during the last second. Where
  # the machine gets slower, they come less often, and about as many of them wait for an answer as before.
  class CustomerPace
    SECOND_NS = 1_000_000_000
    # Until the first second is over.
    FIRST_RESPONSE_NS = 200_000_000

    # @return [Float] ns: mean time to an answer, as of the last second
    attr_reader :response_ns

    # @param plan [LoadPlan]
    def initialize(plan, random:)
      @plan = plan
      @random = random
      @response_ns = FIRST_RESPONSE_NS.to_f
      @times_ns = []
      @since_ns = 0
    end

    # @param taken_ns [Integer] from a request to its answer
    # @param now_ns [Integer] since the start of the load
    def answered(taken_ns, now_ns)
      @times_ns << taken_ns
      return if now_ns - @since_ns < SECOND_NS
      @response_ns = @times_ns.sum.fdiv(@times_ns.size)
      @times_ns.clear
      @since_ns = now_ns
    end

    # @return [Integer] until a customer's next request: exponentially distributed, as of people who come on
    #   their own
    def pause_ns
      mean_ns = [@plan.pauses * @response_ns, least_ns].max
      (-Math.log(1 - @random.rand) * mean_ns).round
    end

    private

    # For which customers have to pause so that they do not send more than they may.
    def least_ns
      return 0 unless @plan.rate
      @plan.customers * SECOND_NS / @plan.rate - @response_ns
    end
  end
end
