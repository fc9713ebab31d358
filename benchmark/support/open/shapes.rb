# frozen_string_literal: true

require "holdup/loader"
require "rbconfig"
require "sidekiq"
require_relative "../shop_trial"

module Bench
  # An application with a mix of requests for predict-open, in Puma.
  #
  # `title`: what its time goes to; `routes`: of its requests; `command`, `root`, `env`: of its server;
  # `wall_ms`: about what a request takes alone; `jobs`: JobMix that its processes run as well, or nil
  OpenShape = Data.define(:name, :title, :routes, :command, :root, :env, :wall_ms, :jobs)

  # The shapes of predict-open.
  module OpenShapes
    # Jobs in the same processes: `kinds`: class, arguments and weight of each; `rate`: of them a second,
    # all processes together; `threads`: of each process
    JobMix = Data.define(:kinds, :rate, :threads, :redis)

    FOLDER = __dir__
    PUMA = [RbConfig.ruby, *Fresh::LOAD_PATH, Gem.bin_path("puma", "puma"), "-C"].freeze
    JOBS = [["ExactMail", [10, 400, 5], 5], ["ExactReport", [3, 6_000, 6], 1]].freeze
    JOBS_PER_SECOND = 8
    JOB_THREADS = 3

    def self.read(label, path, weight)
      Holdup::Lab::Route.new(label:, path:, weight:)
    end

    # An action of OpenApplication.
    def self.action(name, *numbers, weight:)
      read([name, *numbers].join(" "), "/#{name}?#{numbers.join(",")}", weight)
    end
    private_class_method :read, :action

    # Mostly waits for another service. The shares keep each percentile well within one kind of request.
    UPSTREAM = [
      read("ShippingController#show", ->(random) { "/shipping/#{random.rand(200)}" }, 65),
      read("QuotesController#show", ->(random) { "/quotes/#{random.rand(200)}" }, 20),
      read("PagesController#home", "/", 15)
    ].freeze
    MEMORY = [action("walk", 40_000, 4_000, 4, weight: 80), action("walk", 120_000, 20_000, 6, weight: 20)]
      .freeze
    EXACT = [action("exact", 6, 500, 3, weight: 80), action("exact", 3, 6_000, 5, weight: 20)].freeze

    # Each opens what its servers need, and yields the shape.
    ALL = {
      "storefront" => ->(&use) { shop("storefront", "the storefront", ShopTrial::SMOOTH, 9, &use) },
      "upstream" => ->(&use) { shop("upstream", "bound to another service", UPSTREAM, 80, &use) },
      "memory" => ->(&use) { use.call(rack("memory", "bound to memory", MEMORY, 20, "OPEN_MEMORY" => "1")) },
      "jobs" => ->(&use) { with_jobs(&use) }
    }.freeze

    # @param name [String] a key of ALL
    # @yieldparam shape [OpenShape]
    # @return [Object] the block's value
    def self.open(name, &)
      ALL.fetch(name).call(&)
    end

    def self.shop(name, title, routes, wall_ms)
      Shop.open do |shop|
        yield OpenShape.new(name:, title:, routes:, command: [*PUMA, "config/puma.rb"], root: Shop::APP,
          env: {**shop.env, "HOLDUP_ENABLED" => "true"}, wall_ms:, jobs: nil)
      end
    end

    def self.rack(name, title, routes, wall_ms, env)
      OpenShape.new(name:, title:, routes:, command: [*PUMA, File.join(FOLDER, "puma.rb")],
        root: FOLDER, env: {**env, "RUBY_YJIT_ENABLE" => "1"}, wall_ms:, jobs: nil)
    end

    def self.with_jobs
      Holdup::Lab::Redis.run(path: ENV.fetch("PATH")) do |url|
        env = {"REDIS_URL" => url, "OPEN_JOB_THREADS" => JOB_THREADS.to_s}
        jobs = JobMix.new(kinds: JOBS, rate: JOBS_PER_SECOND, threads: JOB_THREADS, redis: url)
        yield rack("jobs", "mixed with jobs", EXACT, 25, env).with(jobs:)
      end
    end
    private_class_method :shop, :rack, :with_jobs

    # Pushes jobs that come on their own (Poisson), from a thread.
    class PushedJobs
      SEED = 11

      # @param mix [JobMix]
      # @param queue [String]
      # @return [Object] the block's value, while jobs come
      def self.during(mix, queue)
        pool = ::Sidekiq::RedisConnection.create(url: mix.redis, size: 1)
        client = ::Sidekiq::Client.new(pool:)
        deck = mix.kinds.flat_map { |job, arguments, weight| [[job, arguments]] * weight }
        pusher = Thread.new { push(client, queue, deck, mix.rate) }
        yield
      ensure
        pusher&.kill&.join
        pool&.shutdown(&:close)
      end

      def self.push(client, queue, deck, rate)
        random = Random.new(SEED)
        loop do
          IO.select(nil, nil, nil, -Math.log(1 - random.rand) / rate)
          job, args = deck.sample(random:)
          client.push("class" => job, "args" => args, "queue" => queue, "retry" => false)
        end
      end
      private_class_method :push
    end
  end
end
