# frozen_string_literal: true

require_relative "../demo/jobs"
require_relative "contained_shop"
require_relative "story_recorder"

module Stories
  # Records examples/storefront three times, with the same customers: under a load whose sales reports make
  # the others wait, calm, and beside programs that take its CPUs.
  class Shop
    # `rate`: requests a second; `weights`: of some endpoints, where all together have about 100
    ShopPhase = Data.define(:about, :revision, :rate, :weights, :minutes)
    # `neighbours`: programs that compute beside it, on CPUs that it then does not get before them
    ShopRecording = Data.define(:phases, :neighbours)
    SALES = "ReportsController#sales"
    # What waits for locks and connections, and makes others wait for the GVL.
    WAITING = [SALES, "CartsController#update", "InventoryController#show"].freeze
    BEFORE = ShopPhase.new(about: "before the deploy", revision: "5e1c7d0", rate: 22, weights: {SALES => 2},
      minutes: 3)
    AFTER = ShopPhase.new(about: "after the deploy, five times as many sales reports", revision: "b27f94a",
      rate: 22, weights: {SALES => 10}, minutes: 4)
    RECORDINGS = {
      "storefront" => ShopRecording.new(neighbours: 0, phases: [
        BEFORE, AFTER, AFTER.with(about: "twelve times as many", weights: {SALES => 25}, minutes: 4)
      ]),
      "calm" => ShopRecording.new(neighbours: 0, phases: [
        BEFORE.with(about: "early morning", rate: 4, weights: WAITING.to_h { |name| [name, 0] }, minutes: 6)
      ]),
      "starved" => ShopRecording.new(neighbours: 2, phases: [
        AFTER.with(about: "beside other programs", minutes: 6)
      ])
    }.freeze
    # One process: a second one would keep the second CPU busy, and requests would wait for a CPU as well.
    WORKERS = 1
    THREADS = 5
    JOBS_A_SECOND = 2
    NEIGHBOUR = ["stress-ng", "--cpu", "1", "--quiet"].freeze
    REPEATED_QUERIES = "10"

    # @param target [String] a file in test/fixtures
    # @return [void]
    def self.record(target)
      recording = RECORDINGS.fetch(File.basename(target, ".sqlite3.gz"))
      Demo::Jobs.with_redis do |redis|
        StoryRecorder.make(target, app: "Storefront", host: "shop-1") do |recorder|
          new(recorder, recording, redis).call
          recorder.thin
        end
      end
    end

    # @param recorder [StoryRecorder]
    # @param recording [ShopRecording]
    # @param redis [String] URL of the one that the jobs are in
    def initialize(recorder, recording, redis)
      @recorder = recorder
      @recording = recording
      @redis = redis
      @shop = ContainedShop.new(recorder, config: Demo::Storefront::WARM,
        env: {"HOLDUP_REPEATED_QUERIES" => REPEATED_QUERIES}, **children)
    end

    # @return [void]
    def call
      @recording.phases.slice_when { |one, other| one.revision != other.revision }.each { |same| run(same) }
    ensure
      @shop.stop
    end

    private

    # Beside other programs, the shop does not get CPUs before them.
    def children
      @recording.neighbours.zero? ? {} : {children: Demo::Children.new}
    end

    # @param phases [Array<ShopPhase>] of one revision
    def run(phases)
      restart(phases.first.revision)
      neighbours unless @neighbours
      @recorder.minutes(phases.sum(&:minutes)) do |seconds|
        end_s = now_s + seconds
        phases.each do |phase|
          left_s = end_s - now_s
          customers(phase, [phase.minutes * StoryRecorder::MINUTE_S, left_s].min)
        end
      end
    end

    def customers(phase, seconds)
      @shop.customers(phase.about, rate: phase.rate, weights: phase.weights, seconds:,
        around: @jobs.method(:coming))
    end

    # A deploy restarts the shop and its jobs.
    def restart(revision)
      @shop.children.stop(:sidekiq) if @jobs
      env = {"HOLDUP_REVISION" => revision}
      @shop.restart(threads: THREADS, workers: WORKERS, env:)
      @jobs = Demo::Jobs.new(redis: @redis, children: @shop.children, folder: @recorder.folder, seed: 1,
        env: {**@shop.env, **env}, rate: JOBS_A_SECOND)
      @jobs.start
    end

    def neighbours
      @neighbours = Array.new(@recording.neighbours) do |number|
        @shop.children.start(:"neighbour#{number}", {}, *NEIGHBOUR)
      end
    end

    def now_s = Process.clock_gettime(Process::CLOCK_MONOTONIC)
  end
end
