# frozen_string_literal: true

require_relative "contained_shop"
require_relative "story_recorder"

module Stories
  # Records docs/stories/yjit-on.md: the shop in a Puma with two workers and puma_worker_killer, whose limit
  # fits the workers without YJIT; then with YJIT; then with YJIT and room for it.
  class YjitOn
    # `limit`: of the killer: what fits the workers without YJIT, or what `holdup advise` says
    YjitPhase = Data.define(:about, :yjit, :limit, :minutes)
    PHASES = [
      YjitPhase.new(about: "YJIT off", yjit: false, limit: :tight, minutes: 6),
      YjitPhase.new(about: "YJIT on", yjit: true, limit: :tight, minutes: 5),
      YjitPhase.new(about: "YJIT on, with the limit that is advised", yjit: true, limit: :advised, minutes: 6)
    ].freeze
    # As much more than the workers take without YJIT.
    TIGHT = 1.05
    # In the finding of `holdup advise`.
    ADVISED = /ram = (\d+)/
    CONFIG = File.expand_path("killed_puma.rb", __dir__)
    WORKERS = 2
    THREADS = 3
    RATE = 20
    # No limit: what the workers take without YJIT is not known yet.
    ENOUGH_MB = 8192
    TRIAL_S = 90
    # Malloc's arenas would make the memory of two runs differ.
    SHOP = {"MALLOC_ARENA_MAX" => "2", "STOREFRONT_YJIT" => "0", "HOLDUP_REVISION" => "5e1c7d0"}.freeze

    # @param target [String] a file in test/fixtures
    # @return [void]
    def self.record(target)
      StoryRecorder.make(target, app: "Storefront", host: "shop-1") do |recorder|
        new(recorder).call
        recorder.thin(kinds: %w[pair method call account], tables: %w[slowest_units recent_figures])
      end
    end

    def initialize(recorder)
      @recorder = recorder
      @most_mb = File.join(recorder.folder, "most_mb")
      @shop = ContainedShop.new(recorder, config: CONFIG, env: {**SHOP, "STORY_MOST_MB" => @most_mb})
    end

    # @return [void]
    def call
      @tight_mb = (without_yjit * TIGHT).round
      PHASES.each { |phase| phase(phase) }
    ensure
      @shop.stop
    end

    private

    # @return [Integer] MB
    def without_yjit
      restart(yjit: false, ram_mb: ENOUGH_MB, more: {"HOLDUP_ENABLED" => "false"})
      @shop.customers("trial", rate: RATE, seconds: TRIAL_S)
      Integer(File.read(@most_mb))
    end

    def phase(phase)
      ram_mb = (phase.limit == :advised) ? advised_mb : @tight_mb
      restart(yjit: phase.yjit, ram_mb:)
      @recorder.minutes(phase.minutes) do |seconds|
        @from_s = Time.now.to_i
        @shop.customers("#{phase.about}, limit #{ram_mb} MB", rate: RATE, seconds:)
      end
      @recorder.say("at most #{File.read(@most_mb)} MB")
    end

    # Of the phase before.
    def advised_mb
      said = @recorder.ask("advise", "--full", "--since", Time.at(@from_s).utc.strftime("%FT%TZ"))
      Integer(said[ADVISED, 1] || raise("no limit is advised:\n#{said}"))
    end

    def restart(yjit:, ram_mb:, more: {})
      env = {"STORY_RAM_MB" => ram_mb.to_s, "HOLDUP_JIT" => (yjit ? "on" : nil), **more}
      @shop.restart(workers: WORKERS, threads: THREADS, env:)
    end
  end
end
