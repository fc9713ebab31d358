# frozen_string_literal: true

require "fileutils"
require "json"
require "net/http"
require "open3"
require "tmpdir"
require_relative "../../../test/support/postgres_server"
require_relative "children"
require_relative "dashboard"
require_relative "options"
require_relative "report"
require_relative "sending"
require_relative "shop_ledger"
require_relative "storefront"
require_relative "traffic"

module Demo
  # Two hosts with one store: two storefronts of two revisions, a folder and a collector for each, and one
  # PostgreSQL.
  class FleetRun
    # Host => revision that it runs.
    REVISIONS = {"web-1" => "1.4.0", "web-2" => "1.5.0"}.freeze

    # Of a host: there are two on this machine.
    WORKERS = 1

    # @param options [Options]
    # @param err [IO] for what goes on; standard output is the overview's
    def initialize(options, err: $stderr)
      @options = options
      @err = err
      @hosts = []
    end

    # @return [Integer] exit status
    # @raise [Failure]
    def call
      unless PostgresServer.installed?
        raise Failure, "there is no PostgreSQL here: bin/setup --services installs it"
      end
      PostgresServer.run(port: FreePorts.take) { |postgres| with_store(postgres.url) { run } }
    end

    private

    def run
      boot
      started = Time.now
      unanswered = send_traffic
      served = @hosts.to_h { |host| [host.name, host.served] }
      say "waiting for the collectors to store the last requests"
      Report.new(env: @env, since: started).wait_for(served.values.sum) { true }
      show(started)
      status = verdict(started, served)
      say Customers.too_busy(unanswered) if unanswered.positive?
      page
      status
    end

    def with_store(url)
      @folder = Dir.mktmpdir("holdup-demo-#{Process.pid}-")
      @shared = Children.new
      @env = {"HOLDUP_STORE" => url}
      say "one PostgreSQL at #{url}: holdup store migrate"
      migrated = system(@env, "bundle", "exec", Report::HOLDUP, "store", "migrate", out: File::NULL)
      raise Failure, "holdup store migrate failed" unless migrated
      yield
    ensure
      stop
    end

    # A second Ctrl-C must not leave servers behind; stopping them is bounded.
    def stop
      %w[INT TERM HUP].each { |signal| Signal.trap(signal, "IGNORE") }
      [@shared, *@hosts.map(&:children)].compact.each(&:stop_all)
      FileUtils.rm_rf([@folder, *@hosts.map(&:segments)].compact)
    end

    def boot
      REVISIONS.each do |name, revision|
        say "booting #{name}: the storefront #{revision}, its folder and its collector"
        host = FleetHost.new(name, revision:, folder: @folder, env: @env)
        @hosts << host
        host.boot(threads: @options.threads.first)
      end
    end

    # @return [Integer] requests without an answer in time
    def send_traffic
      rate = @options.rate && @options.rate / @hosts.size
      senders = @hosts.map.with_index do |host, index|
        err = index.zero? ? @err : File.open(File::NULL, "w")
        plan = Traffic.plan(@options.with(rate:), workers: WORKERS)
        Thread.new { Sending.new(err:).call(host.url, Traffic.routes, plan, seed: @options.seed + index) }
      end
      senders.flat_map { |sender| sender.value.values }.sum(&:lost)
    end

    def show(started)
      return $stdout.write(fleet(started)) if @options.json
      raise Failure, "holdup fleet failed" unless system(@env, *command(started))
    end

    def command(started, *options)
      ["bundle", "exec", Report::HOLDUP, "fleet", "--since", started.utc.strftime("%FT%TZ"), *options]
    end

    def fleet(started)
      out, err, status = Open3.capture3(@env, *command(started, "--json"))
      status.success? ? out : raise(Failure, "holdup fleet failed: #{err}")
    end

    # Each host has exactly what its own shop counted.
    def verdict(started, served)
      found = JSON.parse(fleet(started)).fetch("groups").flat_map { |group| group["hosts"] }
      counts = found.to_h { |line| line.values_at("name", "count") }
      wrong = served.reject { |host, count| counts[host] == count }
      wrong.each do |host, count|
        say "false: the shop of #{host} counted #{count} requests, the fleet has #{counts[host]}"
      end
      if wrong.empty?
        say "all #{served.values.sum} requests that the shops of #{served.size} hosts served are in one store"
      end
      wrong.empty? ? 0 : 1
    end

    def page
      address = Dashboard.new(children: @shared, folder: @folder, env: @env).start
      answer = Net::HTTP.get_response(URI("#{address}fleet"))
      hosts = REVISIONS.keys.select { |name| answer.body.include?(name) }
      raise Failure, "the page of the fleet has no #{(REVISIONS.keys - hosts).join(", ")}" if hosts.size < 2
      say "the page of the fleet shows #{hosts.join(" and ")}: #{address}fleet"
      keep if @options.keep
    end

    def keep
      say "Ctrl-C here ends it."
      IO.select(nil, nil, nil, 1) while @hosts.all?(&:alive?)
      raise Failure, "a storefront died:\n#{@hosts.map(&:last_words).join}"
    end

    def say(*lines) = @err.puts(*lines)

    # What a host of its own would have: a folder of segments on tmpfs, a server, and a collector with the
    # host's name.
    class FleetHost
      attr_reader :name, :children, :segments

      def initialize(name, revision:, folder:, env:)
        @name = name
        @folder = FileUtils.mkdir_p(File.join(folder, name)).first
        @segments = Dir.mktmpdir("holdup-demo-#{Process.pid}-", File.writable?("/dev/shm") ? "/dev/shm" : nil)
        @children = Children.new
        own = {"HOLDUP_DIR" => @segments, "HOLDUP_COLLECTOR" => "off", "HOLDUP_HOST" => name,
               "HOLDUP_REVISION" => revision}
        @env = {**env, **own}
        @ledger = ShopLedger.new(File.join(@folder, "ledger"))
        @storefront = Storefront.new(children: @children, folder: @folder, env: {**@env, **@ledger.env})
      end

      def boot(threads:)
        log = File.join(@folder, "collector.log")
        @children.start(:collector, @env, "bundle", "exec", Report::HOLDUP, "collect", out: log, err: log)
        @storefront.boot(threads:, workers: WORKERS)
      end

      # @return [Integer] requests, once the shop has ended them
      def served = @ledger.when_idle { @ledger.endpoints.each_value.sum(&:count) }

      def url = @storefront.url

      def alive? = @storefront.alive?

      def last_words = @storefront.last_words
    end
  end
end
