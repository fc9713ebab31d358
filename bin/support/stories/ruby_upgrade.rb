# frozen_string_literal: true

require_relative "contained_shop"
require_relative "story_recorder"

module Stories
  # Records docs/stories/ruby-upgrade.md: the shop under the older of the two Rubies that bin/setup builds,
  # under the newer one, and under the newer one with YJIT, for the same customers.
  class RubyUpgrade
    RubyPhase = Data.define(:about, :old, :yjit, :minutes)
    PHASES = [
      RubyPhase.new(about: "old Ruby", old: true, yjit: false, minutes: 6),
      RubyPhase.new(about: "new Ruby", old: false, yjit: false, minutes: 6),
      RubyPhase.new(about: "new Ruby with YJIT", old: false, yjit: true, minutes: 6)
    ].freeze
    WORKERS = 2
    THREADS = 3
    RATE = 20
    CONFIG = "config/puma.rb"
    # Malloc's arenas would make the memory of two runs differ.
    SHOP = {"MALLOC_ARENA_MAX" => "2", "STOREFRONT_YJIT" => "0", "HOLDUP_REVISION" => "5e1c7d0"}.freeze

    # @param target [String] a file in test/fixtures
    # @return [void]
    def self.record(target)
      StoryRecorder.make(target, app: "Storefront", host: "shop-1") do |recorder|
        new(recorder, old_ruby(ENV.to_h)).call
        recorder.thin(kinds: %w[pair method call], tables: %w[slowest_units recent_figures])
      end
    end

    # @return [Holdup::Lab::Jit::OtherRuby]
    def self.old_ruby(env)
      cache, version = env.fetch_values("HOLDUP_CACHE", "HOLDUP_SECOND")
      path = "#{cache}/ruby-#{version}/bin/ruby"
      raise "bin/setup --all builds #{path}" unless File.executable?(path)
      Holdup::Lab::Jit::OtherRuby.parse("#{path},BUNDLE_PATH=#{cache}/gems/ruby-#{version}")
    end

    # @param recorder [StoryRecorder]
    # @param old_ruby [Holdup::Lab::Jit::OtherRuby]
    def initialize(recorder, old_ruby)
      @recorder = recorder
      @old_ruby = old_ruby
      @shop = ContainedShop.new(recorder, config: CONFIG, env: SHOP)
    end

    # @return [void]
    def call
      PHASES.each { |phase| phase(phase) }
    ensure
      @shop.stop
    end

    private

    def phase(phase)
      ruby = phase.old ? @old_ruby.env(ENV.to_h) : {}
      @shop.restart(workers: WORKERS, threads: THREADS,
        env: {**ruby, "HOLDUP_JIT" => (phase.yjit ? "on" : nil)})
      @recorder.minutes(phase.minutes) do |seconds|
        @shop.customers(phase.about, rate: RATE, seconds:)
      end
    end
  end
end
